//! Propagates divergence through one function until nothing changes.
//!
//! A verdict is the join of its [contributions](Contribution). [`cause`](super::cause) follows the same contributions
//! back, so every verdict has a cause.
//!
//! ```text
//! %c = lt %i, %n          contributes %i, %n
//! branch %c, then, end    %c is divergent: only some threads reach then
//! end: %x = phi […]       contributes its operands, and the branch, since end is a join
//! ```
//!
//! The analysis iterates over the blocks in reverse post-order until nothing changes. Facts only grow, in few steps,
//! and a function without cycles needs one iteration. The joins of a branch are computed when the branch is first found to
//! be divergent or dependent on a parameter. The finished analysis is [kept](FinishedAnalysis) to explain its verdicts,
//! because the contributions follow from it without another propagation.
//!
//! | module | contents |
//! |---|---|
//! | `environment` | the inputs of the analysis |
//! | `model` | the facts that the analysis needs besides verdicts |
//! | `contribution` | the reasons why a value may be divergent, as data |
//! | `calls` | the contributions to results of calls |
//! | `contents` | the contents of memory |

mod calls;
mod contents;
mod contribution;
mod environment;
mod model;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

use super::accesses::{Access, Extent};
use super::cause::{Distances, Question, Subject};
use super::congruence;
use super::formula;
use super::graph::{Graph, Labels, is_branch};
use super::ids;
use super::memory::Memory;
use super::multiples;
use super::place::{Cell, PointerTarget, Root};
use super::versions::{Version, VersionId, VersionOrigin};
use super::{
    AffineResult, Confidence, Divergence, Fact, ParameterRanges, ParameterWrites, ReturnedPointer,
    StoredPointer, Summary,
};
use crate::flow::cycles::CycleId;
use crate::flow::shape::GraphAnalysis;
use crate::flow::{BlockId, Function, Op, SlotId, Terminator, Unknown, ValueId};
use crate::types::Ty;
pub use contribution::{BranchSet, Contribution, DivergenceSource, Reason};
pub use environment::{BuiltinEffect, Environment, ThreadIndex, UnknownAssumption};
pub use model::FunctionModel;

/// The verdicts on a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// For each value, the verdict for threads that execute its operation convergently.
    pub values: IndexVec<ValueId, Fact>,
    /// For each block, whether threads that entered the function together reach it together.
    pub control: IndexVec<BlockId, Fact>,
    /// For each block with a branch, whether threads diverge there.
    pub branches: IndexVec<BlockId, Fact>,
    /// The blocks with a branch that decides whether and where a thread leaves some cycle, in ascending order.
    pub exits: Arc<[BlockId]>,
    /// The loads of variables whose value one store wrote, with the stored value.
    pub forwarded: Arc<FxHashMap<ValueId, ValueId>>,
    /// The loads of objects and referents of parameters that see the contents at the call.
    pub given: Arc<FxHashMap<ValueId, ParameterPlace>>,
    /// The values that the function writes through its parameters, if each of its `return`s finds the same value there.
    pub written: Arc<FxHashMap<ParameterPlace, ValueId>>,
    /// The facts that callers of the function use.
    pub summary: Summary,
}

/// A place in the target of a parameter, or in the object that a call passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterPlace {
    /// The number of the parameter.
    pub parameter: u32,
    /// The number of bytes from the address that is passed.
    pub offset: i64,
}

/// The contents of a variable at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedContents {
    /// The value of one store.
    Stored(ValueId),
    /// The value that an earlier call wrote at a place of its parameters.
    WrittenBy(ValueId, ParameterPlace),
}

/// An analysis of a function. After it ran, it returns the contributions to each verdict.
pub struct Analysis<'a> {
    /// The function.
    pub function: &'a Function,
    /// The assumptions and facts from outside the function.
    pub environment: &'a Environment<'a>,
    /// The facts about the function that do not depend on verdicts.
    pub model: Arc<FunctionModel>,
    /// The verdicts.
    pub state: Arc<State>,
    /// The results of [`cause`](super::cause), one for each question asked so far.
    pub(super) distances: RefCell<FxHashMap<Question, Rc<Distances>>>,
}

/// The reads of shared memory for which an analysis outside of this module has found what their threads get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedReads {
    /// Operations that read shared memory, even memory that the function writes. Threads of one work-group that execute
    /// one of them together read the same values.
    pub agreed: FxHashSet<ValueId>,
    /// The calls whose callee reads shared memory that the caller may write right after the call, each with the argument
    /// for this memory. For other calls, a barrier separates the two.
    pub raced: FxHashMap<ValueId, ValueId>,
}

/// The verdicts on a function, and the joins that they depend on.
#[derive(Clone)]
pub struct State {
    /// The assumptions about reads of shared memory.
    pub reads: SharedReads,
    /// For each value, the verdict for threads that execute its operation convergently.
    pub values: IndexVec<ValueId, Fact>,
    /// The verdicts on the bases of values with ids in them.
    bases: FxHashMap<ValueId, Fact>,
    /// For each block, whether threads that entered the function together reach it together.
    pub control: IndexVec<BlockId, Fact>,
    /// For each block with a branch, whether threads diverge there.
    pub branches: IndexVec<BlockId, Fact>,
    /// For each block, the branches that it is a join of. If it is a loop header, only the branches outside the loop.
    joined: IndexVec<BlockId, Vec<BlockId>>,
    /// For each loop header, the branches inside the loop that it is a join of.
    joined_on_back_edges: FxHashMap<BlockId, Vec<BlockId>>,
    /// For each cycle, the branches that make it not m-converged.
    not_m_converged: IndexVec<CycleId, Vec<BlockId>>,
    /// Branches whose joins may be at any block.
    anywhere: Vec<BlockId>,
    searched: IndexVec<BlockId, bool>,
    /// For each cycle, the join of the facts of its exit branches: whether threads leave it in different iterations.
    temporal: IndexVec<CycleId, Fact>,
    /// The join of the facts of the branches in `joined`.
    join_facts: IndexVec<BlockId, Fact>,
    /// The same for `joined_on_back_edges`.
    join_again_facts: FxHashMap<BlockId, Fact>,
    /// The join of the facts of the branches in `anywhere`.
    anywhere_fact: Fact,
    /// For each cycle, the join of the facts of the branches that make it, or a cycle around it, not m-converged.
    /// `None` if there are no such branches.
    unconverged_around: IndexVec<CycleId, Option<Fact>>,
    /// For each memory version, whether it is the same in all threads that execute the operation or join that makes it.
    held: IndexVec<VersionId, Fact>,
    /// For each pointer parameter whose target is not tracked, the verdict on the contents written through it.
    writes: Vec<Option<Fact>>,
}

impl State {
    /// Returns the state before the analysis: everything is uniform.
    fn new(function: &Function, model: &FunctionModel, reads: SharedReads) -> State {
        let blocks = function.blocks.len();
        let cycles = model.graph.cycles.cycles.len();
        State {
            reads,
            bases: FxHashMap::default(),
            values: index_vec![Fact::UNIFORM; function.values.len()],
            control: index_vec![Fact::UNIFORM; blocks],
            branches: index_vec![Fact::UNIFORM; blocks],
            joined: index_vec![Vec::new(); blocks],
            joined_on_back_edges: FxHashMap::default(),
            not_m_converged: index_vec![Vec::new(); cycles],
            anywhere: Vec::new(),
            searched: index_vec![false; blocks],
            temporal: index_vec![Fact::UNIFORM; cycles],
            join_facts: index_vec![Fact::UNIFORM; blocks],
            join_again_facts: FxHashMap::default(),
            anywhere_fact: Fact::UNIFORM,
            unconverged_around: index_vec![None; cycles],
            held: index_vec![Fact::UNIFORM; model.versions.all.len()],
            writes: vec![None; function.parameters.len()],
        }
    }
}

/// A finished analysis without its environment, to be [resumed](Analysis::resumed) later.
#[derive(Clone)]
pub struct FinishedAnalysis {
    /// The facts about the function that do not depend on verdicts.
    pub model: Arc<FunctionModel>,
    /// The verdicts.
    pub state: Arc<State>,
}

impl FinishedAnalysis {
    /// Returns the targets of the pointers of the function.
    pub fn memory(&self) -> &Memory {
        &self.model.memory
    }

    /// Returns the size in memory, in bytes. It is an estimate.
    pub fn size(&self) -> usize {
        let State { values, control, held, .. } = &*self.state;
        // Per value: a verdict, and an entry in several tables of the model. Per block: two verdicts, the joins of its
        // branch and its place in the graph.
        values.len() * (size_of::<Fact>() + 128)
            + control.len() * (2 * size_of::<Fact>() + 256)
            + held.len() * 128
    }
}

impl<'a> Analysis<'a> {
    /// Analyses a function with the given shape.
    pub fn of(
        function: &'a Function,
        shape: GraphAnalysis,
        environment: &'a Environment<'a>,
    ) -> Analysis<'a> {
        let graph = Arc::new(Graph::of(function, shape));
        Analysis::with_graph(function, graph, environment, SharedReads::default())
    }

    /// Analyses a function with the given graph and assumptions about reads of shared memory.
    pub fn with_graph(
        function: &'a Function,
        graph: Arc<Graph>,
        environment: &'a Environment<'a>,
        reads: SharedReads,
    ) -> Analysis<'a> {
        let model = Arc::new(FunctionModel::of(function, graph, environment));
        let state = Arc::new(State::new(function, &model, reads));
        let mut analysis = Analysis { function, environment, model, state, distances: RefCell::default() };
        analysis.propagate();
        analysis
    }

    /// Returns a finished analysis of the same function in an equal environment.
    pub fn resumed(
        function: &'a Function,
        environment: &'a Environment<'a>,
        finished: &FinishedAnalysis,
    ) -> Analysis<'a> {
        let FinishedAnalysis { model, state } = finished.clone();
        Analysis { function, environment, model, state, distances: RefCell::default() }
    }

    /// Returns the analysis without its environment.
    pub fn finished(&self) -> FinishedAnalysis {
        FinishedAnalysis { model: self.model.clone(), state: self.state.clone() }
    }

    /// Computes the verdicts again, with other assumptions about reads of shared memory.
    pub fn assume(&mut self, reads: SharedReads) {
        self.state = Arc::new(State::new(self.function, &self.model, reads));
        self.distances = RefCell::default();
        self.propagate();
    }

    /// Returns the targets of the pointers of the function.
    pub fn memory(&self) -> &Memory {
        &self.model.memory
    }

    /// Returns the reads and writes of an operation.
    pub fn accesses(&self, operation: ValueId) -> &[Access] {
        self.model.accesses.by(operation)
    }

    /// Returns the verdict on a subject.
    pub fn verdict(&self, subject: Subject) -> Fact {
        match subject {
            Subject::Value(value) => self.state.values[value],
            Subject::Branch(block) => self.state.branches[block],
            Subject::Control(block) => self.state.control[block],
            Subject::Held(held) => self.state.held[held.version],
        }
    }

    /// Returns the verdicts, without the state that explains them.
    pub fn result(&self) -> Uniformity {
        Uniformity {
            values: self.state.values.clone(),
            control: self.state.control.clone(),
            branches: self.state.branches.clone(),
            exits: self.model.exits.clone(),
            forwarded: self.model.forwarded.clone(),
            given: self.model.given.clone(),
            written: self.model.written.clone(),
            summary: self.summary(),
        }
    }

    fn propagate(&mut self) {
        for id in self.function.values.indices().filter(|&id| self.function.values[id].op.is_leaf()) {
            let fact = self.clamped_by_assertions(id, self.fact(id));
            self.state_mut().values[id] = fact;
        }
        for part in 0..self.model.parts.count {
            let entry = VersionId::new(part);
            let mut fact = Fact::UNIFORM;
            self.of_version(entry, &mut |_, contribution| _ = fact.add(contribution));
            self.state_mut().held[entry] = fact;
        }
        let mut labels = Labels::new(self.function);
        let model = self.model.clone();
        loop {
            let mut changed = false;
            for &block in model.graph.dominators.order() {
                changed |= self.block(block, &mut labels);
            }
            let anywhere = self.joined_by(&self.state.anywhere);
            changed |= self.state_mut().anywhere_fact.add(anywhere);
            for (cycle, it) in model.graph.cycles.cycles.iter_enumerated() {
                let temporal = self.joined_by(&model.graph.exit_branches[cycle]);
                changed |= self.state_mut().temporal[cycle].add(temporal);
                let State { not_m_converged, anywhere, anywhere_fact, unconverged_around, .. } = &*self.state;
                let own = &not_m_converged[cycle];
                let facts = [
                    (!own.is_empty()).then(|| self.joined_by(own)),
                    (!anywhere.is_empty() && !it.is_reducible()).then_some(*anywhere_fact),
                    it.parent.and_then(|around| unconverged_around[around]),
                ];
                if let Some(fact) = facts.into_iter().flatten().reduce(Fact::join) {
                    let around = &mut self.state_mut().unconverged_around[cycle];
                    changed |= around.get_or_insert(Fact::UNIFORM).add(fact);
                }
            }
            // Without cycles, each verdict depends only on verdicts before it in this order.
            let is_in_order = model.graph.cycles.cycles.is_empty() && self.state.anywhere.is_empty();
            if !changed || is_in_order {
                return;
            }
        }
    }

    /// Returns the verdicts, to change them. Copies them if a finished analysis shares them.
    pub(super) fn state_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.state)
    }

    fn block(&mut self, block: BlockId, labels: &mut Labels) -> bool {
        let mut changed = false;
        let graph = &self.model.graph;
        let mut control = self.state.control[block];
        for &branch in &graph.controllers[block] {
            control.add(self.state.branches[branch]);
            control.add(self.state.control[branch]);
        }
        // Threads that left a cycle do not take part in its next iteration, even if all of them come back to it later.
        // After the cycle, while a token of the cycle is live, only threads that left in the same iteration are
        // together.
        for cycle in graph.cycles.around(block).chain(graph.extended(block)) {
            control.add(self.state.temporal[cycle]);
        }
        if let Some(cycle) = graph.cycles.innermost(block)
            && let Some(fact) = self.state.unconverged_around[cycle]
        {
            control.add(fact);
        }
        let joined = self.joined_by(&self.state.joined[block]);
        let joined_again = self.state.joined_on_back_edges.get(&block).map(|joined| self.joined_by(joined));
        let state = self.state_mut();
        changed |= state.control[block].add(control);
        state.join_facts[block] = joined;
        if let Some(fact) = joined_again {
            state.join_again_facts.insert(block, fact);
        }
        changed |= self.join_versions(block);
        for &id in &self.function.blocks[block].values {
            let fact = self.clamped_by_assertions(id, self.fact(id));
            changed |= self.state_mut().values[id].add(fact);
            if self.model.ids.has_ids(id) {
                let fact = self.clamped_by_assertions(id, self.base_fact(id));
                changed |= self.state_mut().bases.entry(id).or_default().add(fact);
            }
            changed |= self.fill(id, block);
            changed |= self.writes_of(id, block);
        }
        if is_branch(self.function, block) {
            let mut fact = Fact::UNIFORM;
            self.of_branch(block, &mut |_, contribution| _ = fact.add(contribution));
            changed |= self.state_mut().branches[block].add(fact);
            if !fact.is_uniform() && !std::mem::replace(&mut self.state_mut().searched[block], true) {
                self.add_joins(block, labels);
                changed = true;
            }
        }
        changed
    }

    /// Records the joins of a branch.
    fn add_joins(&mut self, branch: BlockId, labels: &mut Labels) {
        let graph = &self.model.graph;
        let state = Arc::make_mut(&mut self.state);
        let Some(joins) = graph.joins(self.function, branch, labels) else {
            state.anywhere.push(branch);
            return;
        };
        for join in joins.blocks {
            match graph.iterates(branch, join) {
                true => state.joined_on_back_edges.entry(join).or_default().push(branch),
                false => state.joined[join].push(branch),
            }
        }
        for cycle in joins.not_converged {
            state.not_m_converged[cycle].push(branch);
        }
    }

    fn joined_by(&self, branches: &[BlockId]) -> Fact {
        branches.iter().fold(Fact::UNIFORM, |fact, &branch| fact.join(self.state.branches[branch]))
    }

    /// The join of the contributions to a value.
    fn fact(&self, id: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_value(id, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// The same for the base of a value.
    fn base_fact(&self, id: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_value_beside(id, Some(Divergence::None), &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    fn clamped_by_assertions(&self, id: ValueId, fact: Fact) -> Fact {
        match (self.environment.limit)(&self.function.values[id]) {
            // The assertion of the user holds for all arguments, so the dependencies on parameters are dropped. This
            // also drops divergence of an argument between groups that are larger than that of the assertion.
            Some(limit) => fact.limited(|_| limit).without_parameters(),
            None => fact,
        }
    }

    /// Returns the verdict on everything that a slot ever holds, over all of its partitions.
    pub fn slot(&self, slot: SlotId) -> Fact {
        let Some(parts) = self.model.parts.of_object(Root::Slot(slot)) else {
            return Fact::divergent(Confidence::Possible);
        };
        let versions = self.model.versions.all.iter_enumerated();
        let own = versions.filter(|(_, version)| parts.contains(&version.part.index()));
        own.fold(Fact::UNIFORM, |fact, (id, _)| fact.join(self.state.held[id]))
    }

    /// Returns the fact of a load for threads that execute it together and read the same address. `Divergence::Subgroup`
    /// for other operations.
    pub fn read_at_one_address(&self, load: ValueId) -> Fact {
        let Op::Load { address, volatile, .. } = self.function.values[load].op else {
            return Fact::divergent(Confidence::Possible);
        };
        if volatile && !self.is_private(address) && !self.state.reads.agreed.contains(&load) {
            return Fact::divergent(Confidence::Likely);
        }
        let mut fact = Fact::UNIFORM;
        self.of_memory(load, address, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Returns the contents of a place that a call passes, as a value of a type. `None`: they are unknown.
    pub fn contents_at(&self, call: ValueId, place: ParameterPlace, ty: Ty) -> Option<PassedContents> {
        let Op::Call(passing) = &self.function.values[call].op else { return None };
        let &(argument, _) = passing.arguments.get(place.parameter as usize)?;
        let PointerTarget::Object(root, cell) = self.place(argument) else { return None };
        let cell = Cell { at: Some(cell.at?.checked_add(place.offset)?), ..Cell::ANY };
        let parts = self.model.parts.touched(PointerTarget::Object(root, cell), Extent::Of(ty))?;
        let [(_, version)] = *self.model.versions.seen(call, parts) else { return None };
        let version = self.model.versions.copied_version(
            self.function,
            &self.model.memory,
            &self.model.parts,
            version,
        )?;
        if let Some(value) = self.model.versions.value(self.function, version) {
            return (self.function.values[value].ty == ty).then_some(PassedContents::Stored(value));
        }
        let Version { made: VersionOrigin::Write(by), part, before, .. } = &self.model.versions.all[version]
        else {
            return None;
        };
        if !before.is_empty() {
            return None;
        }
        let Op::Call(earlier) = &self.function.values[*by].op else { return None };
        (0..).zip(&earlier.arguments).find_map(|(parameter, &(argument, _))| {
            let PointerTarget::Object(root, cell) = self.place(argument) else { return None };
            let offset = self.model.parts.bytes_of(root, *part)?.begin.checked_sub(cell.at?)?;
            Some(PassedContents::WrittenBy(*by, ParameterPlace { parameter, offset }))
        })
    }

    /// Returns the target of a pointer.
    pub fn place(&self, pointer: ValueId) -> PointerTarget {
        self.model.memory.place(pointer)
    }

    /// Visits the contributions to the verdict on the branch of a block: why threads diverge there.
    pub fn of_branch(&self, block: BlockId, visit: &mut dyn FnMut(Contribution, Fact)) {
        if let Some(operand) = self.function.blocks[block].terminator.operand() {
            self.of_use(operand, None, block, visit);
        }
        self.of_convergence(block, visit);
    }

    /// Returns the reasons why some threads do not reach a block: the branches that decide whether it is reached,
    /// cycles that some threads left, and irreducible cycles, where threads need not reach the block together.
    pub fn of_control(&self, block: BlockId) -> (&[BlockId], impl Iterator<Item = BranchSet>) {
        let innermost = self.model.graph.cycles.innermost(block);
        let around = innermost.map(BranchSet::LeavingAny);
        let unconverged = innermost.filter(|&cycle| self.state.unconverged_around[cycle].is_some());
        let cycles = around.into_iter().chain(self.model.graph.extended(block).map(BranchSet::Leaving));
        (&self.model.graph.controllers[block], cycles.chain(unconverged.map(BranchSet::Unconverging)))
    }

    /// Returns the branches of one contribution, without its [further](Self::further_branches) ones.
    pub fn own_branches(&self, branches: BranchSet) -> &[BlockId] {
        match branches {
            BranchSet::Joined(block) => &self.state.joined[block],
            BranchSet::JoinedAgain(block) => {
                self.state.joined_on_back_edges.get(&block).map_or(&[], |branches| branches)
            }
            BranchSet::JoinedAnywhere => &self.state.anywhere,
            BranchSet::Leaving(cycle) | BranchSet::LeavingAny(cycle) => {
                &self.model.graph.exit_branches[cycle]
            }
            BranchSet::Unconverging(cycle) => &self.state.not_m_converged[cycle],
        }
    }

    /// Returns further branches that belong to the same contribution.
    pub fn further_branches(&self, branches: BranchSet) -> impl Iterator<Item = BranchSet> + use<> {
        let cycles = &self.model.graph.cycles.cycles;
        let (around, anywhere) = match branches {
            BranchSet::LeavingAny(cycle) => (cycles[cycle].parent.map(BranchSet::LeavingAny), false),
            BranchSet::Unconverging(cycle) => {
                let anywhere = !cycles[cycle].is_reducible() && !self.state.anywhere.is_empty();
                (cycles[cycle].parent.map(BranchSet::Unconverging), anywhere)
            }
            BranchSet::Joined(_)
            | BranchSet::JoinedAgain(_)
            | BranchSet::JoinedAnywhere
            | BranchSet::Leaving(_) => (None, false),
        };
        around.into_iter().chain(anywhere.then_some(BranchSet::JoinedAnywhere))
    }

    fn of_convergence(&self, block: BlockId, visit: &mut dyn FnMut(Contribution, Fact)) {
        if let Some(cycle) = self.model.graph.cycles.innermost(block)
            && let Some(fact) = self.state.unconverged_around[cycle]
        {
            visit(Contribution::Branches(BranchSet::Unconverging(cycle)), fact);
        }
    }

    /// Visits the branches that make the items of a block divergent, if different edges bring different items. Threads
    /// that begin an iteration of a loop together either all enter the loop, or all come from its last iteration. So
    /// items from entering edges are compared only with each other, and so are items from back edges.
    fn of_join<T: Copy>(
        &self,
        block: BlockId,
        edges: impl Iterator<Item = (BlockId, T)>,
        are_same: impl Fn(T, T) -> bool,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let (mut entering, mut again) = ((None, false), (None, false));
        for (from, item) in edges {
            let (first, differ) =
                if self.model.graph.iterates(from, block) { &mut again } else { &mut entering };
            *differ |= !are_same(*first.get_or_insert(item), item);
        }
        if entering.1 {
            visit(Contribution::Branches(BranchSet::Joined(block)), self.state.join_facts[block]);
        }
        if again.1 {
            let fact = self.state.join_again_facts.get(&block).copied().unwrap_or_default();
            visit(Contribution::Branches(BranchSet::JoinedAgain(block)), fact);
        }
        if entering.1 || again.1 {
            visit(Contribution::Branches(BranchSet::JoinedAnywhere), self.state.anywhere_fact);
        }
    }

    /// Visits the contributions to a value where it is used: by operation `user`, or else by the terminator of `block`.
    fn of_use(
        &self,
        value: ValueId,
        user: Option<ValueId>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        self.visit_operand(value, None, user, block, visit);
    }

    /// The same. If `own` is given, only the base of the value counts, joined with `own`, the divergence that its ids
    /// contribute to the operation.
    fn visit_operand(
        &self,
        value: ValueId,
        own: Option<Divergence>,
        user: Option<ValueId>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let seen = self.model.conditions.seen(value, block);
        // The ids of the operation come from the phi, not from the operand that this use of the phi sees.
        let own = own.filter(|_| seen == value);
        let value = seen;
        match own {
            // Two contributions: the base may be divergent with less confidence than the ids.
            Some(own) if self.model.ids.has_ids(value) => {
                visit(
                    Reason::Operand(value).into(),
                    self.state.bases.get(&value).copied().unwrap_or_default(),
                );
                visit(Reason::Operand(value).into(), Fact::of(own));
            }
            _ => visit(Reason::Operand(value).into(), self.state.values[value]),
        }
        for cycle in self.model.graph.left(value, user, block) {
            visit(Contribution::Branches(BranchSet::Leaving(cycle)), self.state.temporal[cycle]);
        }
    }

    /// Visits the contributions to a value, for threads that execute its operation convergently.
    pub fn of_value(&self, id: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        self.of_value_beside(id, self.model.ids.own(id), visit);
    }

    /// The same, if ids contribute the divergence `own` in addition to the base. `None`: operands count unchanged.
    fn of_value_beside(
        &self,
        id: ValueId,
        own: Option<Divergence>,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let value = &self.function.values[id];
        let Some(block) = self.model.graph.home[id] else {
            if let Op::Parameter(number) = value.op
                && !self.function.kernel
            {
                visit(Reason::Parameter(number).into(), Fact::parameter(number as usize));
            }
            return;
        };
        if value.ty.is_void() {
            return;
        }
        self.of_convergence(block, visit);
        match &value.op {
            Op::Phi(incoming) => {
                let seen =
                    |&(from, operand): &(BlockId, ValueId)| (from, self.model.conditions.seen(operand, from));
                for edge in incoming {
                    let operand = seen(edge).1;
                    let own = own.filter(|_| operand == edge.1);
                    self.visit_operand(operand, own, Some(id), block, visit);
                }
                let are_same = |a, b| congruence::are_congruent(self.function, a, b);
                self.of_join(block, incoming.iter().map(seen), are_same, visit);
            }
            Op::Load { .. } if own == Some(Divergence::None) && self.model.forwarded.contains_key(&id) => {
                self.visit_operand(self.model.forwarded[&id], own, Some(id), block, visit);
            }
            Op::Load { address, volatile, .. } => {
                self.of_use(*address, Some(id), block, visit);
                if *volatile && !self.is_private(*address) && !self.state.reads.agreed.contains(&id) {
                    // `volatile` says that someone else writes the memory.
                    let fact = Fact::divergent(Confidence::Likely);
                    visit(Reason::Source(DivergenceSource::Volatile).into(), fact);
                }
                // If the address is unknown and divergent, no further reason is needed.
                if self.place(*address) != PointerTarget::Unknown
                    || self.state.values[*address].divergence != Divergence::Subgroup
                {
                    self.of_memory(id, *address, visit);
                }
            }
            Op::Call(call) => self.of_call(id, block, call, own, visit),
            Op::Extract { vector, lane } => match self.model.lanes.source(id) {
                Some(source) => self.visit_operand(source, own, Some(id), block, visit),
                None => {
                    self.of_use(*vector, Some(id), block, visit);
                    self.of_use(*lane, Some(id), block, visit);
                }
            },
            // Threads that execute an operation convergently have the same token.
            Op::Token(_) => {}
            op => {
                if let Op::Unknown { what, .. } = op
                    && (self.environment.assumed == UnknownAssumption::Nothing
                        || matches!(what, Unknown::Variable(_)))
                {
                    let fact = Fact::divergent(Confidence::Possible);
                    visit(Reason::Source(DivergenceSource::UnknownVariable).into(), fact);
                }
                let difference = self.model.unknown_numbers.difference(op);
                op.operands(|&operand| match difference {
                    Some((_, subtracted)) if subtracted == operand => {
                        self.visit_operand(operand, own, Some(id), block, &mut |contribution, fact| {
                            visit(contribution, fact.at_most(Confidence::Possible));
                        });
                    }
                    _ => self.visit_operand(operand, own, Some(id), block, visit),
                });
            }
        }
    }

    pub(super) fn used(&self, value: ValueId, user: Option<ValueId>, block: BlockId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_use(value, user, block, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Returns the number that the function returns at every `return`.
    fn number(&self) -> Option<i128> {
        let mut returned = self.function.blocks.iter().filter_map(|block| match block.terminator {
            Terminator::Return(value) => Some(value),
            _ => None,
        });
        let number = |value: Option<ValueId>| ids::number(self.function, value?, self.environment.summary);
        let first = number(returned.next()?)?;
        returned.all(|value| number(value) == Some(first)).then_some(first)
    }

    /// Returns the affine form of the result in ids, if the function has only one `return`.
    fn counted(&self) -> Option<AffineResult> {
        let mut returned =
            self.function.blocks.iter_enumerated().filter_map(|(block, it)| match it.terminator {
                Terminator::Return(value) => Some((block, value)),
                _ => None,
            });
        let (Some((block, Some(value))), None) = (returned.next(), returned.next()) else { return None };
        let form = self.model.ids.of_result(value)?;
        let mut base = Fact::UNIFORM;
        self.visit_operand(value, Some(Divergence::None), None, block, &mut |_, fact| _ = base.add(fact));
        Some(AffineResult { form, base })
    }

    /// Returns the memory that the returned pointer points to.
    fn leads(&self) -> Option<ReturnedPointer> {
        match self.model.memory.returned_object(self.function)? {
            Root::Parameter(number) => Some(ReturnedPointer::IntoParameter(number)),
            Root::Behind(parameter, at) => {
                Some(ReturnedPointer::ThroughStoredPointer(self.behind(parameter, Some(at))))
            }
            _ => None,
        }
    }

    fn behind(&self, parameter: u32, at: Option<i64>) -> StoredPointer {
        let value = self.function.parameters[parameter as usize].value;
        let pointee = self.function.values[value].ty.as_pointer().map(|pointer| pointer.pointee);
        StoredPointer { parameter, seen_as: pointee.unwrap_or(Ty::UNKNOWN), offset: at }
    }

    /// Returns the byte ranges that facts of the function name in addition to its parameters.
    pub fn inputs(&self) -> ParameterRanges {
        ParameterRanges {
            parameters: self.function.parameters.len(),
            ranges: self.model.parts.inputs.clone().into(),
        }
    }

    /// Returns the memory that the function may write through pointers stored in the targets of its parameters. The
    /// order does not depend on names.
    fn writes_after(&self) -> Box<[StoredPointer]> {
        let own = self.model.accesses.roots.iter().filter_map(|root| match root {
            Root::Behind(number, at) => Some((*number, Some(*at))),
            _ => None,
        });
        let mut all: Vec<(u32, Option<i64>)> =
            own.chain(self.model.accesses.behind.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|(parameter, at)| self.behind(parameter, at)).collect()
    }

    /// Returns the facts of the function that its callers use.
    pub fn summary(&self) -> Summary {
        let mut result = Fact::UNIFORM;
        let mut returns = 0;
        let mut control = Fact::UNIFORM;
        for (id, block) in self.function.blocks.iter_enumerated() {
            if let Terminator::Return(Some(value)) = block.terminator {
                returns += 1;
                result.add(self.used(value, None, id));
                control.add(self.state.control[id]);
            }
        }
        if returns > 1 {
            result.add(control);
        }
        let behind = (0..).zip(&self.state.writes).map(|(number, known)| match known {
            Some(fact) => (ParameterWrites::anywhere(*fact), 0),
            None => self.parameter_writes(number),
        });
        let (writes, overwrites): (Vec<ParameterWrites>, Vec<u64>) = behind.unzip();
        let sure = overwrites.iter().rposition(|&bytes| bytes > 0).map_or(0, |last| last + 1);
        Summary {
            result,
            inputs: self.inputs(),
            writes: writes.into(),
            overwrites: overwrites[..sure].into(),
            escapes: self.model.memory.escaping,
            writes_shared: self.model.accesses.unknown,
            writes_after: self.writes_after(),
            writes_variables: super::sorted(self.model.accesses.roots.iter().filter_map(|root| match root {
                Root::Global(name) => Some(*name),
                _ => None,
            })),
            // Computing it needs the table of barriers, which only the crate that calls this analysis has.
            barrier_writes: None,
            number: self.number(),
            multiple: multiples::of_result(self.function, self.environment.summary),
            affine_result: self.counted(),
            formula: formula::of_result(self.function, self.environment.summary).map(Arc::new),
            returned_pointer: self.leads(),
        }
    }
}
