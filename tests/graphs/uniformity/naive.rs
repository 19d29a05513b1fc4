//! A small and slow analysis by the letter of the specification. Each of its rules can be dropped.
//!
//! It tests the evaluation of executions. With all rules, no execution may contradict it; otherwise the evaluation has
//! an error. Without one of the rules, an execution must contradict it.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_analysis::flow::cycles::Cycles;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{BlockId, Call, Function, Module, Op, Terminator, ValueId};
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::{BuiltinKind, ResultUniformity, opencl};

use super::claims::{Claims, Scopes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The results of builtins are as uniform as their table says.
    Sources,
    /// Loads from memory that threads write are divergent.
    Memory,
    /// A value is as uniform as its operands.
    Operands,
    /// A phi at a join of a divergent branch is divergent.
    Joins,
    /// A value used outside a cycle is divergent if an exit of the cycle is divergent.
    TemporalDivergence,
    /// An irreducible cycle that contains a divergent branch, or is reachable from one, has no m-converged instances.
    Irreducible,
    /// A parameter is as uniform as its arguments.
    Parameters,
    /// A result is divergent if threads return at different places.
    Returns,
    /// Not all threads reach a block after a divergent branch together.
    Control,
}

/// The facts about a module so far: everything is uniform until a rule makes it divergent.
struct Naive<'a> {
    module: &'a Module,
    dropped: Option<Rule>,
    graphs: Vec<Graph>,
    claims: Vec<Claims>,
    results: Vec<Scopes>,
    by_name: FxHashMap<Symbol, Vec<usize>>,
}

struct Graph {
    cycles: Cycles,
    block_of: IndexVec<ValueId, Option<BlockId>>,
    /// For each block that ends in a branch, its joins.
    joins: IndexVec<BlockId, Vec<BlockId>>,
    /// The blocks that each block reaches. It reaches itself only through a cycle.
    reaches: IndexVec<BlockId, IndexVec<BlockId, bool>>,
}

/// Returns the claims about each function.
pub fn analyse(module: &Module, dropped: Option<Rule>) -> Vec<Claims> {
    let mut by_name: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for (number, function) in module.functions.iter().enumerate() {
        by_name.entry(function.key.name).or_default().push(number);
    }
    let claims: Vec<Claims> = module.functions.iter().map(|it| Claims::all(it, Scopes::ALL)).collect();
    let mut naive = Naive {
        graphs: module.functions.iter().map(Graph::of).collect(),
        results: vec![Scopes::ALL; claims.len()],
        claims,
        module,
        dropped,
        by_name,
    };
    loop {
        let before = (naive.claims.clone(), naive.results.clone());
        (0..module.functions.len()).for_each(|function| naive.round(function));
        if before == (naive.claims.clone(), naive.results.clone()) {
            return naive.claims;
        }
    }
}

impl Naive<'_> {
    fn keeps(&self, rule: Rule) -> bool {
        self.dropped != Some(rule)
    }

    fn round(&mut self, number: usize) {
        let function = &self.module.functions[number];
        for (block, data) in function.blocks.iter_enumerated() {
            for &value in &data.values {
                let scopes = self.value(number, block, value);
                let known = &mut self.claims[number].values[value];
                *known = known.and(scopes);
            }
            if let Some(operand) = data.terminator.operand()
                && !matches!(data.terminator, Terminator::Return(_))
            {
                let scopes = self.used(number, operand, block);
                let known = &mut self.claims[number].branches[block];
                *known = known.and(scopes);
            }
            if let Terminator::Return(Some(value)) = data.terminator {
                self.results[number] = self.results[number].and(self.used(number, value, block));
            }
        }
        self.divergent_branches(number);
    }

    /// Applies the rules about divergent branches to the branches that are divergent so far.
    fn divergent_branches(&mut self, number: usize) {
        let function = &self.module.functions[number];
        let returns =
            function.blocks.iter().filter(|it| matches!(it.terminator, Terminator::Return(_))).count();
        for branch in function.blocks.indices() {
            let graph = &self.graphs[number];
            let scopes = self.claims[number].branches[branch];
            if scopes == Scopes::ALL {
                continue;
            }
            let mut lost: Vec<BlockId> = Vec::new();
            if self.keeps(Rule::Joins) {
                lost.extend(&graph.joins[branch]);
            }
            for &join in &lost {
                for &value in &function.blocks[join].values {
                    if matches!(function.values[value].op, Op::Phi(_)) {
                        let known = &mut self.claims[number].values[value];
                        *known = known.and(scopes);
                    }
                }
            }
            if self.keeps(Rule::Irreducible) {
                for (cycle, data) in graph.cycles.cycles.iter_enumerated() {
                    let touched = graph.cycles.contains(cycle, branch) || graph.reaches[branch][data.header];
                    if data.is_reducible() || !touched {
                        continue;
                    }
                    for block in graph.cycles.blocks(cycle) {
                        for &value in &function.blocks[block].values {
                            let known = &mut self.claims[number].values[value];
                            *known = known.and(scopes);
                        }
                        let known = &mut self.claims[number].branches[block];
                        *known = known.and(scopes);
                    }
                }
            }
            if self.keeps(Rule::Returns) && returns > 1 {
                self.results[number] = self.results[number].and(scopes);
            }
            if self.keeps(Rule::Control) {
                for (block, _) in graph.reaches[branch].iter_enumerated().filter(|(_, reached)| **reached) {
                    if !(graph.cycles.innermost(block).is_none() && graph.passes_all(function, branch, block))
                    {
                        let known = &mut self.claims[number].blocks[block];
                        *known = known.and(scopes);
                    }
                }
            }
        }
    }

    /// Returns the uniformity of a value at a use in another block.
    fn used(&self, number: usize, value: ValueId, user: BlockId) -> Scopes {
        let graph = &self.graphs[number];
        let mut scopes = self.claims[number].values[value];
        let Some(block) = graph.block_of[value] else { return scopes };
        if self.keeps(Rule::TemporalDivergence) {
            for cycle in graph.cycles.around(block).filter(|&cycle| !graph.cycles.contains(cycle, user)) {
                for exiting in graph.cycles.blocks(cycle) {
                    let targets = self.module.functions[number].blocks[exiting].terminator.successors();
                    if targets.iter().any(|&target| !graph.cycles.contains(cycle, target)) {
                        scopes = scopes.and(self.claims[number].branches[exiting]);
                    }
                }
            }
        }
        scopes
    }

    fn value(&mut self, number: usize, block: BlockId, value: ValueId) -> Scopes {
        let op = &self.module.functions[number].values[value].op;
        let mut operands = Scopes::ALL;
        op.operands(|&operand| operands = operands.and(self.used(number, operand, block)));
        if !self.keeps(Rule::Operands) {
            operands = Scopes::ALL;
        }
        match op {
            Op::Load { address, .. } if self.keeps(Rule::Memory) => {
                let ty = self.module.functions[number].values[*address].ty;
                let constant = ty.as_pointer().is_some_and(|it| it.space == AddressSpace::Constant);
                if constant { operands } else { Scopes::NONE }
            }
            Op::Call(call) => self.call(number, block, call, operands),
            _ => operands,
        }
    }

    fn call(&mut self, number: usize, block: BlockId, call: &Call, operands: Scopes) -> Scopes {
        let Some(name) = call.callee.name() else { return Scopes::NONE };
        if let Some(callees) = self.by_name.get(&name).cloned() {
            let mut result = Scopes::ALL;
            for callee in callees {
                let parameters = self.module.functions[callee].parameters.iter();
                for (parameter, (argument, _)) in parameters.zip(&call.arguments) {
                    let scopes = self.used(number, *argument, block);
                    if self.keeps(Rule::Parameters) {
                        let known = &mut self.claims[callee].values[parameter.value];
                        *known = known.and(scopes);
                    }
                }
                result = result.and(self.results[callee]);
            }
            return result;
        }
        if !self.keeps(Rule::Sources) {
            return operands;
        }
        let Some(row) = opencl().builtins().get(name) else { return Scopes::NONE };
        let own = match row.result {
            Some(
                ResultUniformity::UniformInCluster
                | ResultUniformity::DivergentInCluster
                | ResultUniformity::UniformInWorkgroup,
            ) => Scopes::WORKGROUP,
            Some(ResultUniformity::UniformInSubgroup) => Scopes::SUBGROUP,
            Some(ResultUniformity::UniformInTile | ResultUniformity::Divergent) | None => {
                return Scopes::NONE;
            }
            Some(ResultUniformity::Operands) => Scopes::ALL,
        };
        match row.kind {
            Some(BuiltinKind::Load | BuiltinKind::Atomic) => Scopes::NONE,
            Some(BuiltinKind::Id | BuiltinKind::Size) => own.and(operands),
            _ if own == Scopes::ALL => operands,
            _ => own,
        }
    }
}

impl Graph {
    fn of(function: &Function) -> Graph {
        let mut block_of = index_vec![None; function.values.len()];
        for (block, data) in function.blocks.iter_enumerated() {
            data.values.iter().for_each(|&value| block_of[value] = Some(block));
        }
        let reaches = function.blocks.indices().map(|block| {
            let successors = function.blocks[block].terminator.successors();
            reached(function, &successors, None)
        });
        let joins = function.blocks.indices().map(|branch| joins(function, branch)).collect();
        Graph { cycles: GraphAnalysis::of(function).cycles, block_of, joins, reaches: reaches.collect() }
    }

    /// Returns whether every path from a branch to the end of the function contains a block.
    fn passes_all(&self, function: &Function, branch: BlockId, block: BlockId) -> bool {
        let successors: Vec<BlockId> =
            function.blocks[branch].terminator.successors().into_iter().filter(|&it| it != block).collect();
        let around = reached(function, &successors, Some(block));
        !function
            .blocks
            .iter_enumerated()
            .any(|(end, data)| around[end] && data.terminator.successors().is_empty())
    }
}

/// Returns the blocks reachable from some blocks, including these, on paths that avoid a block.
fn reached(function: &Function, from: &[BlockId], without: Option<BlockId>) -> IndexVec<BlockId, bool> {
    let mut seen = index_vec![false; function.blocks.len()];
    let mut todo: Vec<BlockId> = from.iter().copied().filter(|&block| Some(block) != without).collect();
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            todo.extend(
                function.blocks[block].terminator.successors().iter().filter(|&&it| Some(it) != without),
            );
        }
    }
    seen
}

/// Returns the blocks with two paths from a branch that share only their ends. By Menger's theorem, no single block is
/// on all such paths.
fn joins(function: &Function, branch: BlockId) -> Vec<BlockId> {
    let mut successors = function.blocks[branch].terminator.successors();
    successors.sort_unstable();
    successors.dedup();
    let is_join = |join: BlockId| {
        // Paths end at the join.
        let rest: Vec<BlockId> = successors.iter().copied().filter(|&it| it != join).collect();
        let leads = |without: Option<BlockId>| {
            let mut seen: IndexVec<BlockId, bool> = index_vec![false; function.blocks.len()];
            let mut todo: Vec<BlockId> = rest.iter().copied().filter(|&it| Some(it) != without).collect();
            while let Some(block) = todo.pop() {
                if block == join {
                    return true;
                }
                if !std::mem::replace(&mut seen[block], true) && block != branch {
                    let next = function.blocks[block].terminator.successors();
                    todo.extend(next.iter().filter(|&&it| Some(it) != without));
                }
            }
            false
        };
        match rest.len() < successors.len() {
            // One path is the edge itself.
            true => leads(None),
            false => {
                leads(None)
                    && function.blocks.indices().all(|it| it == branch || it == join || leads(Some(it)))
            }
        }
    };
    if successors.len() < 2 {
        Vec::new()
    } else {
        function.blocks.indices().filter(|&it| is_join(it)).collect()
    }
}
