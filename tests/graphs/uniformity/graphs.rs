//! Random kernels made as graphs, with shapes that no source has, such as cycles with many entries.
//!
//! A graph is kept with its variables ([`Op::Get`], [`Op::Set`]), so that blocks and operations can be removed from it.
//! SSA form and tokens are computed again each time.

use index_vec::IndexVec;
use tangle_analysis::flow::builder::Builder;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{
    BlockId, Callee, Function, Module, Op, Terminator, ValueId, VariableId, dispatch, infer, ssa, verify,
};
use tangle_analysis::uniformity::analysis::{Analysis, Environment};
use tangle_analysis::uniformity::effect::effect;
use tangle_grammar::ast::AddressSpace;
use tangle_hir::typed::{Arithmetic, Comparison, Conversion};
use tangle_hir::types::Ty;
use tangle_simulate::Random;
use tangle_syntax::dialect::opencl;

use super::claims::Claims;

const VARIABLES: usize = 4;

/// The transformations of a graph before its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub tokens: bool,
    pub dispatch: bool,
}

struct Maker<'a> {
    builder: Builder,
    /// The values of the pointers `p` and `q` and of the number `n`.
    parameters: [ValueId; 3],
    random: &'a mut Random,
}

/// Returns a kernel of up to `most` blocks. With `near`, most jumps are short, as in a program.
pub fn graph(random: &mut Random, most: usize, near: bool) -> Function {
    let mut builder = Builder::new("k", Ty::VOID);
    let pointer = Ty::pointer(Ty::INT, AddressSpace::Global);
    let parameters =
        [("p", pointer), ("q", pointer), ("n", Ty::INT)].map(|(name, ty)| builder.parameter(name, ty));
    for name in ["a", "b", "c", "d"] {
        builder.variable(name, Ty::INT);
    }
    let count = 3 + random.below(most - 2);
    for _ in 1..count {
        builder.block("b");
    }
    let mut maker = Maker { builder, parameters, random };
    maker.begin();
    for number in 0..count {
        maker.builder.at(BlockId::new(number));
        for _ in 0..maker.random.below(4) {
            maker.action();
        }
        maker.terminator(count, near);
    }
    let function = maker.builder.function();
    (function.kernel, function.convergent) = (true, true);
    maker.builder.finish()
}

impl Maker<'_> {
    fn number(&mut self, number: i128, ty: Ty) -> ValueId {
        self.builder.integer(ty, number)
    }

    fn set(&mut self, variable: usize, value: ValueId) {
        self.builder.set(VariableId::new(variable), value);
    }

    fn get(&mut self) -> ValueId {
        let variable = self.random.below(VARIABLES);
        self.builder.get(VariableId::new(variable))
    }

    /// Sets the variables. The first often differs between threads; others are ids, parameters or constants.
    fn begin(&mut self) {
        let zero = self.number(0, Ty::UINT);
        let ids = ["get_local_id", "get_sub_group_id", "get_group_id", "get_global_id"];
        for variable in 0..VARIABLES {
            let value = match self.random.below(6) {
                0 => self.parameters[2],
                1 => self.number(1, Ty::INT),
                2 => self.number(0, Ty::INT),
                _ => {
                    let id = if variable == 0 { 0 } else { self.random.below(ids.len()) };
                    let (arguments, ty) = if id == 1 { (vec![], Ty::UINT) } else { (vec![zero], Ty::ULONG) };
                    let id = self.builder.builtin(ids[id], ty, &arguments);
                    self.builder.convert(Conversion::Integer, id, Ty::INT)
                }
            };
            self.set(variable, value);
        }
    }

    fn action(&mut self) {
        let left = self.get();
        let value = match self.random.below(10) {
            0..=2 => {
                let right = self.number(1, Ty::INT);
                self.builder.binary(Arithmetic::Add, left, right)
            }
            3 | 4 => {
                let right = self.get();
                let op =
                    *self.random.pick(&[Arithmetic::Add, Arithmetic::Xor, Arithmetic::And, Arithmetic::Sub]);
                self.builder.binary(op, left, right)
            }
            5 | 6 => {
                let names = [
                    "sub_group_reduce_add",
                    "sub_group_any",
                    "work_group_reduce_max",
                    "sub_group_scan_inclusive_add",
                    "sub_group_broadcast_first",
                ];
                let one = self.number(1, Ty::INT);
                let name = *self.random.pick(&names);
                let argument = if self.random.chance(50) { left } else { one };
                self.builder.convergent_builtin(name, Ty::INT, &[argument])
            }
            7 | 8 => {
                let seven = self.number(7, Ty::INT);
                let index = self.builder.binary(Arithmetic::And, left, seven);
                // Only `p` is written.
                let written = self.random.chance(50);
                let base = self.parameters[usize::from(!written)];
                let address = self.builder.element(Ty::INT, base, index);
                if written && self.random.chance(50) {
                    let value = self.get();
                    self.builder.store(value, address);
                    return;
                }
                self.builder.load(Ty::INT, address)
            }
            _ => {
                let number = self.random.below(3) as i128;
                self.number(number, Ty::INT)
            }
        };
        let variable = self.random.below(VARIABLES);
        self.set(variable, value);
    }

    fn terminator(&mut self, count: usize, near: bool) {
        let here = self.builder.here().index();
        let mut target = || {
            let number = match near && self.random.chance(80) {
                true => (here + 1 + self.random.below(5)).saturating_sub(2),
                false => self.random.below(count),
            };
            BlockId::new(number.clamp(1, count - 1))
        };
        let (a, b, c) = (target(), target(), target());
        match self.random.below(11) {
            _ if here + 1 == count => self.builder.ret(None),
            0 => self.builder.ret(None),
            1..=3 => self.builder.jump(a),
            4..=9 => {
                let (left, mask) = (self.get(), 1 << self.random.below(3));
                let right = self.number(mask, Ty::INT);
                let left = self.builder.binary(Arithmetic::And, left, right);
                let right = self.number(0, Ty::INT);
                let op = if self.random.chance(50) { Comparison::Equal } else { Comparison::NotEqual };
                let condition = self.builder.compare(op, left, right);
                self.builder.branch(condition, a, b);
            }
            _ => {
                let (left, right) = (self.get(), self.number(3, Ty::INT));
                let value = self.builder.binary(Arithmetic::And, left, right);
                self.builder.switch(value, &[(0, 0, a), (1, 1, b)], c);
            }
        }
    }
}

/// Returns the claims of the analysis about the functions of a module, which must not call each other.
pub fn claims(module: &Module) -> Vec<Claims> {
    let builtin = |callee: &Callee| effect(opencl().builtins(), callee.row()?);
    let environment = Environment::of(&builtin);
    let of = |function: &Function| {
        Claims::from(&Analysis::of(function, GraphAnalysis::of(function), &environment).result())
    };
    module.functions.iter().map(of).collect()
}

/// Returns the graph as a module in SSA form.
pub fn module(graph: &Function, form: Form) -> Module {
    let mut function = graph.clone();
    if form.dispatch {
        ssa::remove_unreachable(&mut function);
        dispatch::dispatch(&mut function);
    }
    let shape = ssa::construct(&mut function);
    if form.tokens {
        infer::infer(&mut function, &shape);
        assert_eq!(verify::verify_shaped(&function, &shape), []);
    }
    Module { file: "graph".into(), functions: vec![function], globals: Vec::new() }
}

/// Returns the size of the reachable part: blocks, operations and edges, and edges to blocks that only jump.
fn size(graph: &Function) -> (usize, usize, usize) {
    let mut seen: IndexVec<BlockId, bool> = graph.blocks.iter().map(|_| false).collect();
    let mut todo = vec![Function::ENTRY];
    let (mut blocks, mut operations, mut detours) = (0, 0, 0);
    while let Some(block) = todo.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        let block = &graph.blocks[block];
        let next = block.terminator.successors();
        let is_detour = |to: &&BlockId| {
            let to = &graph.blocks[**to];
            to.values.is_empty() && matches!(to.terminator, Terminator::Jump(_))
        };
        blocks += 1;
        operations += block.values.len() + next.len();
        detours += next.iter().filter(is_detour).count();
        todo.extend(next);
    }
    (blocks, operations, detours)
}

/// Returns the graphs that are smaller by one change.
pub fn smaller(graph: &Function) -> Vec<Function> {
    let mut found = changed(graph);
    found.retain(|it| size(it) < size(graph));
    found
}

fn changed(graph: &Function) -> Vec<Function> {
    let mut found = Vec::new();
    for (id, block) in graph.blocks.iter_enumerated() {
        let instead: Vec<Terminator> = match &block.terminator {
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
            Terminator::Jump(target) => {
                match (&graph.blocks[*target].values[..], &graph.blocks[*target].terminator) {
                    ([], Terminator::Jump(next)) if next != target => vec![Terminator::Jump(*next)],
                    ([], Terminator::Return(_)) => vec![Terminator::Return(None)],
                    _ => Vec::new(),
                }
            }
            branch => branch.successors().into_iter().map(Terminator::Jump).collect(),
        };
        for terminator in instead {
            let mut changed = graph.clone();
            changed.blocks[id].terminator = terminator;
            found.push(changed);
        }
        // Let the branch skip an empty block.
        let skips = block.terminator.successors().into_iter().filter_map(|target| {
            match (&graph.blocks[target].values[..], &graph.blocks[target].terminator) {
                ([], Terminator::Jump(next)) if *next != target => Some((target, *next)),
                _ => None,
            }
        });
        for (target, next) in skips {
            let mut changed = graph.clone();
            changed.blocks[id].terminator.redirect(|it| {
                if *it == target {
                    *it = next;
                }
            });
            found.push(changed);
        }
        for at in 0..block.values.len() {
            let op = &graph.values[block.values[at]].op;
            if matches!(op, Op::Set(..) | Op::Store { .. }) {
                let mut changed = graph.clone();
                changed.blocks[id].values.remove(at);
                found.push(without_unused(changed));
            }
        }
    }
    found
}

/// Removes loads and computations without uses, but keeps calls, since the property of interest may depend on them.
fn without_unused(mut graph: Function) -> Function {
    loop {
        let mut used: IndexVec<ValueId, bool> = graph.values.iter().map(|_| false).collect();
        for block in &graph.blocks {
            block.values.iter().for_each(|&it| graph.values[it].op.operands(|&operand| used[operand] = true));
            block.terminator.operand().iter().for_each(|&it| used[it] = true);
        }
        let mut changed = false;
        for block in &mut graph.blocks {
            let before = block.values.len();
            block.values.retain(|&it| used[it] || graph.values[it].ty.is_void());
            changed |= block.values.len() < before;
        }
        if !changed {
            return graph;
        }
    }
}
