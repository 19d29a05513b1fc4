//! Propagates divergence through one function until nothing changes.
//!
//! **Contribution**: one reason why a value may differ between threads, with what it adds to the verdict. A verdict is the join of its
//! contributions, and the contributions are what [`cause`](super::cause) follows back; so no verdict is without a cause. Thousands of branches
//! may be reasons of the same kind for thousands of values: they are one contribution ([`Branches`]).
//!
//! ```text
//! %c = lt %i, %n          contributes %i, %n
//! branch %c, then, end    %c is divergent: then is reached by some
//! end: %x = phi […]       contributes its operands and, end being a join, the branch
//! ```
//!
//! Rounds over the blocks in reverse post-order: facts only grow, in few steps, and most functions need two rounds. The joins of a
//! branch are looked for when the branch is first found divergent, or dependent on a parameter.

use std::cell::RefCell;
use std::rc::Rc;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::cause::{Distances, Question};
use super::graph::{Graph, Labels, is_branch};
use super::memory::{Cell, Memory, Place, Root};
use super::{Divergence, Fact, Parameters, Summary};
use crate::flow::cycles::CycleId;
use crate::flow::shape::Shape;
use crate::flow::{
    BlockId, Call, Callee, Function, Op, Passing, SlotId, Terminator, Unknown, Value, ValueId,
};
use crate::types::{Opaque, Ty, TyKind};
use crate::value::Constant;

/// What a function is analysed under.
pub struct Environment<'a> {
    /// What is known of a builtin of the language. None: it is none, or it is not known.
    pub builtin: &'a dyn Fn(&Callee) -> Option<Effect>,
    /// Of a function of the module; none if it is not there.
    pub summary: &'a dyn Fn(&Callee) -> Option<Summary>,
    /// How divergent the user says that a value is at most.
    pub limit: &'a dyn Fn(ValueId, &Value) -> Option<Divergence>,
    /// Nothing is taken for granted of what is not known: it may differ between any two threads. For who has to be certain.
    pub doubts: bool,
}

/// What a builtin of the language does, as far as uniformity depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// How divergent its result is, whatever it is given. [`Divergence::None`]: as divergent as its arguments.
    pub result: Divergence,
    /// Whether the result also differs where the arguments do.
    pub of_arguments: bool,
    /// It changes memory so that each thread sees another value.
    pub atomic: bool,
    /// The result also depends on the memory, or the image, that it is given.
    pub loads: bool,
}

/// Why a value may differ between threads. Where it is any of several branches, they are told as one ([`Branches`]): there may be thousands
/// of them, for each of thousands of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contribution {
    /// One reason.
    Reason(Reason),
    /// All of some branches.
    Branches(Branches),
}

/// Branches at which threads part, each of which is a reason. Those of a cycle are often asked for with those of all cycles around it; so some
/// consist of their [own](Analysis::own_branches) and of [further](Analysis::further_branches) ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branches {
    /// Of which the block is a join.
    Joined(BlockId),
    /// Whose joins take too many steps to find: threads are taken to meet wherever paths do.
    JoinedAnywhere,
    /// At which threads leave the cycle.
    Leaving(CycleId),
    /// At which threads leave the cycle or one around it.
    LeavingAny(CycleId),
    /// Because of which the cycle, or one around it, is not m-converged.
    Unconverging(CycleId),
}

impl From<Reason> for Contribution {
    fn from(reason: Reason) -> Contribution {
        Contribution::Reason(reason)
    }
}

impl Branches {
    /// The reason that one of the branches is.
    pub fn reason(self, branch: BlockId) -> Reason {
        match self {
            Branches::Joined(_) | Branches::JoinedAnywhere => Reason::Join(branch),
            Branches::Leaving(_) | Branches::LeavingAny(_) => Reason::Temporal(branch),
            Branches::Unconverging(_) => Reason::NotConverged(branch),
        }
    }
}

/// One reason why a value may differ between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// An operand, at the place where it is defined.
    Operand(ValueId),
    /// Threads that parted at the branch of the block meet here.
    Join(BlockId),
    /// Threads bring the value out of a cycle in different iterations, since the branch of the block is divergent.
    Temporal(BlockId),
    /// In an irreducible cycle that threads, parted at the branch of the block, enter or go through in different ways.
    NotConverged(BlockId),
    /// What this operation wrote to the memory that is read.
    Stored(ValueId),
    /// Which threads wrote to the memory that is read depends on the branch of the block.
    StoredUnder(BlockId),
    /// What the function is passed.
    Parameter(u32),
    /// What a parameter points to.
    Pointee(u32),
    /// The operation itself.
    Source(Source),
    /// Its result in the callee.
    Callee,
}

/// What makes a value divergent of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A builtin whose result differs between threads, such as `get_local_id`.
    Builtin,
    /// An atomic operation: each thread sees another value.
    Atomic,
    /// Memory that other threads may write.
    SharedMemory(AddressSpace),
    /// Private memory that something else knows the address of.
    EscapedMemory,
    /// `volatile`.
    Volatile,
    /// A function that is called through a pointer, or that is not known and is told nothing from which its result could follow.
    UnknownFunction,
    /// A variable of the thread that nothing declares.
    UnknownVariable,
    /// What is in an image or a pipe.
    Image,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniformity {
    /// For each value, as seen by threads that execute its operation convergently.
    pub values: IndexVec<ValueId, Fact>,
    /// For each block, whether threads that entered the function together reach it together.
    pub control: IndexVec<BlockId, Fact>,
    /// For each block with a branch, whether threads part there.
    pub branches: IndexVec<BlockId, Fact>,
    /// The blocks with a branch that decides whether and where a thread leaves some cycle, by number.
    pub exits: Box<[BlockId]>,
    /// What its callers have to know.
    pub summary: Summary,
}

/// The state of the analysis, which afterwards also gives the contributions of each verdict.
pub struct Analysis<'a> {
    /// The function.
    pub function: &'a Function,
    /// Its graph, with what follows from it.
    pub graph: Rc<Graph>,
    memory: Memory,
    /// What the function is analysed under.
    pub environment: &'a Environment<'a>,
    /// For each value, whether threads that execute it together get the same.
    pub values: IndexVec<ValueId, Fact>,
    /// For each block, whether threads that entered the function together reach it together.
    pub control: IndexVec<BlockId, Fact>,
    /// For each block with a branch, whether threads part there.
    pub branches: IndexVec<BlockId, Fact>,
    /// For each block, the branches of which it is a join.
    joined: IndexVec<BlockId, Vec<BlockId>>,
    /// For each cycle, the branches that make it not m-converged.
    unconverged: IndexVec<CycleId, Vec<BlockId>>,
    /// Branches whose joins may be anywhere.
    anywhere: Vec<BlockId>,
    searched: IndexVec<BlockId, bool>,
    /// Room for the walks that look for joins.
    labels: Labels,
    /// What makes threads leave each cycle in different iterations.
    temporal: IndexVec<CycleId, Fact>,
    /// The join of the facts of the branches in `joined`.
    join_facts: IndexVec<BlockId, Fact>,
    /// The join of the facts of the branches in `anywhere`.
    anywhere_fact: Fact,
    /// For each cycle, the join of the facts of branches because of which it, or a cycle around it, is not m-converged. None: there are no such
    /// branches.
    unconverged_around: IndexVec<CycleId, Option<Fact>>,
    /// What is written to each cell under its own name.
    cells: FxHashMap<(SlotId, Cell), Fact>,
    /// What is written anywhere in each slot.
    slots: IndexVec<SlotId, Fact>,
    /// The operations that write each slot.
    writers: FxHashMap<SlotId, Vec<(Cell, ValueId)>>,
    /// What each operation writes of slots.
    targets: FxHashMap<ValueId, Vec<(SlotId, Cell)>>,
    written: Written,
    /// What is written through each pointer parameter.
    writes: Vec<Option<Fact>>,
    /// The facts are final: of what is written to memory, each writer is wanted, not all joined.
    explaining: bool,
    /// What [`cause`](super::cause) found, for each question that it was asked.
    pub(super) distances: RefCell<FxHashMap<Question, Rc<Distances>>>,
}

/// Shared memory that the function writes.
#[derive(Default)]
struct Written {
    roots: FxHashSet<Root>,
    /// Through pointers of which it is not known where they point, by address space.
    unknown: bool,
}

impl<'a> Analysis<'a> {
    /// Analyses a function that has the shape.
    pub fn of(function: &'a Function, shape: Shape, environment: &'a Environment<'a>) -> Analysis<'a> {
        Analysis::with_graph(function, Rc::new(Graph::of(function, shape)), environment)
    }

    /// Analyses a function that has the graph, which takes most of the time and may serve more than one analysis.
    pub fn with_graph(
        function: &'a Function,
        graph: Rc<Graph>,
        environment: &'a Environment<'a>,
    ) -> Analysis<'a> {
        let memory = Memory::of(function, environment.summary);
        let blocks = function.blocks.len();
        let cycles = graph.cycles.cycles.len();
        let mut analysis = Analysis {
            function,
            graph,
            memory,
            environment,
            values: index_vec![Fact::UNIFORM; function.values.len()],
            control: index_vec![Fact::UNIFORM; blocks],
            branches: index_vec![Fact::UNIFORM; blocks],
            joined: index_vec![Vec::new(); blocks],
            unconverged: index_vec![Vec::new(); cycles],
            anywhere: Vec::new(),
            searched: index_vec![false; blocks],
            labels: Labels::new(function),
            temporal: index_vec![Fact::UNIFORM; cycles],
            join_facts: index_vec![Fact::UNIFORM; blocks],
            anywhere_fact: Fact::UNIFORM,
            unconverged_around: index_vec![None; cycles],
            cells: FxHashMap::default(),
            slots: index_vec![Fact::UNIFORM; function.slots.len()],
            writers: FxHashMap::default(),
            targets: FxHashMap::default(),
            written: Written::default(),
            writes: vec![None; function.parameters.len()],
            explaining: false,
            distances: RefCell::default(),
        };
        analysis.find_writers();
        analysis.run();
        analysis.explaining = true;
        analysis
    }

    /// The verdicts, without the state that explains them.
    pub fn result(&self) -> Uniformity {
        let mut exits: Vec<BlockId> = self.graph.exit_branches.iter().flatten().copied().collect();
        exits.sort_unstable();
        exits.dedup();
        Uniformity {
            values: self.values.clone(),
            control: self.control.clone(),
            branches: self.branches.clone(),
            exits: exits.into(),
            summary: self.summary(),
        }
    }

    fn run(&mut self) {
        for id in self.function.values.indices().filter(|&id| self.function.values[id].op.is_leaf()) {
            self.values[id] = self.limited(id, self.fact(id));
        }
        let order = self.graph.dominators.order().to_vec();
        loop {
            let mut changed = false;
            for &block in &order {
                changed |= self.block(block);
            }
            let anywhere = self.joined_by(&self.anywhere);
            changed |= self.anywhere_fact.add(anywhere);
            for cycle in self.graph.cycles.cycles.indices() {
                let temporal = self.joined_by(&self.graph.exit_branches[cycle]);
                changed |= self.temporal[cycle].add(temporal);
                let it = &self.graph.cycles.cycles[cycle];
                let own = &self.unconverged[cycle];
                let facts = [
                    (!own.is_empty()).then(|| self.joined_by(own)),
                    (!self.anywhere.is_empty() && !it.is_reducible()).then_some(self.anywhere_fact),
                    it.parent.and_then(|around| self.unconverged_around[around]),
                ];
                if let Some(fact) = facts.into_iter().flatten().reduce(Fact::join) {
                    changed |= self.unconverged_around[cycle].get_or_insert(Fact::UNIFORM).add(fact);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn block(&mut self, block: BlockId) -> bool {
        let mut changed = false;
        let mut control = self.control[block];
        for &branch in &self.graph.controllers[block] {
            control.add(self.branches[branch]);
            control.add(self.control[branch]);
        }
        // Who has left a cycle is not there in its next iteration, even where all come back to it; and behind the cycle, where a token
        // of it lives on, those meet who left in one iteration.
        for cycle in self.graph.cycles.around(block).chain(self.graph.extended(block)) {
            control.add(self.temporal[cycle]);
        }
        if let Some(cycle) = self.graph.cycles.innermost(block)
            && let Some(fact) = self.unconverged_around[cycle]
        {
            control.add(fact);
        }
        changed |= self.control[block].add(control);
        self.join_facts[block] = self.joined_by(&self.joined[block]);
        for &id in &self.function.blocks[block].values {
            let fact = self.limited(id, self.fact(id));
            changed |= self.values[id].add(fact);
            changed |= self.fill(id, block);
            changed |= self.writes_of(id, block);
        }
        if is_branch(self.function, block) {
            let mut fact = Fact::UNIFORM;
            self.of_branch(block, &mut |_, contribution| _ = fact.add(contribution));
            changed |= self.branches[block].add(fact);
            if !fact.is_uniform() && !std::mem::replace(&mut self.searched[block], true) {
                match self.graph.joins(self.function, block, &mut self.labels) {
                    Some(joins) => {
                        joins.blocks.into_iter().for_each(|join| self.joined[join].push(block));
                        joins.not_converged.into_iter().for_each(|cycle| self.unconverged[cycle].push(block));
                    }
                    None => self.anywhere.push(block),
                }
                changed = true;
            }
        }
        changed
    }

    fn joined_by(&self, branches: &[BlockId]) -> Fact {
        branches.iter().fold(Fact::UNIFORM, |fact, &branch| fact.join(self.branches[branch]))
    }

    /// Puts what an operation writes into the cells of slots.
    fn fill(&mut self, id: ValueId, block: BlockId) -> bool {
        let Some(targets) = self.targets.get(&id) else { return false };
        let mut changed = false;
        for (slot, cell) in targets.clone() {
            let wanted = |place| matches!(place, Place::Known(Root::Slot(it), _) if it == slot);
            let fact = self.written_by(id, block, wanted).join(self.control[block]);
            changed |= self.cells.entry((slot, cell)).or_default().add(fact);
            changed |= self.slots[slot].add(fact);
        }
        changed
    }

    /// The join of the contributions to a value.
    fn fact(&self, id: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_value(id, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    fn limited(&self, id: ValueId, mut fact: Fact) -> Fact {
        if let Some(limit) = (self.environment.limit)(id, &self.function.values[id]) {
            fact.divergence = fact.divergence.min(limit);
            // What the user says of a value holds whatever the caller passes. A caller's verdict of a larger group than that of
            // the assertion is not told apart from it.
            (fact.values, fact.pointees) = (Parameters::default(), Parameters::default());
        }
        fact
    }

    /// What threads read from a slot at one address, all of its cells together.
    pub fn slot(&self, slot: SlotId) -> Fact {
        if self.memory.escaped[slot] { Fact::DIVERGENT } else { self.slots[slot] }
    }

    /// Where a pointer points.
    pub fn place(&self, pointer: ValueId) -> Place {
        self.memory.place(pointer)
    }

    /// What makes threads part at the branch of a block.
    pub fn of_branch(&self, block: BlockId, visit: &mut dyn FnMut(Contribution, Fact)) {
        if let Some(operand) = self.function.blocks[block].terminator.operand() {
            self.of_use(operand, None, block, visit);
        }
        self.of_convergence(block, visit);
    }

    /// What keeps threads from a block: branches that decide whether it is reached, cycles that some have left, and irreducible cycles that
    /// need not bring them there together.
    pub fn of_control(&self, block: BlockId) -> (&[BlockId], impl Iterator<Item = Branches>) {
        let innermost = self.graph.cycles.innermost(block);
        let around = innermost.map(Branches::LeavingAny);
        let unconverged = innermost.filter(|&cycle| self.unconverged_around[cycle].is_some());
        let cycles = around.into_iter().chain(self.graph.extended(block).map(Branches::Leaving));
        (&self.graph.controllers[block], cycles.chain(unconverged.map(Branches::Unconverging)))
    }

    /// The branches that are told as one, without [further](Self::further_branches) ones.
    pub fn own_branches(&self, branches: Branches) -> &[BlockId] {
        match branches {
            Branches::Joined(block) => &self.joined[block],
            Branches::JoinedAnywhere => &self.anywhere,
            Branches::Leaving(cycle) | Branches::LeavingAny(cycle) => &self.graph.exit_branches[cycle],
            Branches::Unconverging(cycle) => &self.unconverged[cycle],
        }
    }

    /// Branches that belong to the branches as well.
    pub fn further_branches(&self, branches: Branches) -> impl Iterator<Item = Branches> + use<> {
        let cycles = &self.graph.cycles.cycles;
        let (around, anywhere) = match branches {
            Branches::LeavingAny(cycle) => (cycles[cycle].parent.map(Branches::LeavingAny), false),
            Branches::Unconverging(cycle) => {
                let anywhere = !cycles[cycle].is_reducible() && !self.anywhere.is_empty();
                (cycles[cycle].parent.map(Branches::Unconverging), anywhere)
            }
            Branches::Joined(_) | Branches::JoinedAnywhere | Branches::Leaving(_) => (None, false),
        };
        around.into_iter().chain(anywhere.then_some(Branches::JoinedAnywhere))
    }

    fn of_convergence(&self, block: BlockId, visit: &mut dyn FnMut(Contribution, Fact)) {
        if let Some(cycle) = self.graph.cycles.innermost(block)
            && let Some(fact) = self.unconverged_around[cycle]
        {
            visit(Contribution::Branches(Branches::Unconverging(cycle)), fact);
        }
    }

    /// What makes a value differ where it is used: by an operation, or by the terminator of a block.
    fn of_use(
        &self,
        value: ValueId,
        user: Option<ValueId>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        visit(Reason::Operand(value).into(), self.values[value]);
        for cycle in self.graph.left(value, user, block) {
            visit(Contribution::Branches(Branches::Leaving(cycle)), self.temporal[cycle]);
        }
    }

    /// All that makes a value differ between threads that execute its operation convergently.
    pub fn of_value(&self, id: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let value = &self.function.values[id];
        let Some(block) = self.graph.home[id] else {
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
                incoming.iter().for_each(|(_, operand)| self.of_use(*operand, Some(id), block, visit));
                if incoming.iter().any(|(_, operand)| *operand != incoming[0].1) {
                    visit(Contribution::Branches(Branches::Joined(block)), self.join_facts[block]);
                    visit(Contribution::Branches(Branches::JoinedAnywhere), self.anywhere_fact);
                }
            }
            Op::Load { address, volatile, .. } => {
                self.of_use(*address, Some(id), block, visit);
                if *volatile {
                    visit(Reason::Source(Source::Volatile).into(), Fact::DIVERGENT);
                }
                self.of_memory(*address, visit);
            }
            Op::Call(call) => self.of_call(id, block, call, visit),
            Op::Extract { vector, lane } => match self.lane(*vector, *lane) {
                Some(component) => self.of_use(component, Some(id), block, visit),
                None => {
                    self.of_use(*vector, Some(id), block, visit);
                    self.of_use(*lane, Some(id), block, visit);
                }
            },
            // What a token is, threads have together.
            Op::Token(_) => {}
            Op::Unknown { what, .. } if self.environment.doubts || matches!(what, Unknown::Variable(_)) => {
                visit(Reason::Source(Source::UnknownVariable).into(), Fact::DIVERGENT);
            }
            op => op.operands(|operand| self.of_use(*operand, Some(id), block, visit)),
        }
    }

    /// What was put into a lane of a vector, if both lanes are known: the other lanes may be as divergent as they like.
    fn lane(&self, mut vector: ValueId, wanted: ValueId) -> Option<ValueId> {
        let number = |id: ValueId| match &self.function.values[id].op {
            Op::Constant(Constant::Integer(number)) => Some(*number),
            Op::Constant(Constant::Zero) => Some(0),
            _ => None,
        };
        let wanted = number(wanted)?;
        while let Op::Insert { vector: rest, lane, value } = &self.function.values[vector].op {
            if number(*lane)? == wanted {
                return Some(*value);
            }
            vector = *rest;
        }
        None
    }

    fn of_call(&self, id: ValueId, block: BlockId, call: &Call, visit: &mut dyn FnMut(Contribution, Fact)) {
        if let Some(summary) = (self.environment.summary)(&call.callee) {
            if summary.result.divergence != Divergence::None {
                visit(Reason::Callee.into(), Fact::of(summary.result.divergence));
            }
            for (number, (argument, _)) in call.arguments.iter().enumerate() {
                if summary.result.values.contains(number) {
                    self.of_use(*argument, Some(id), block, visit);
                }
                if summary.result.pointees.contains(number) {
                    self.of_memory(*argument, visit);
                }
            }
            return;
        }
        match self.builtin(&call.callee) {
            Some(builtin) => self.of_builtin(id, block, call, builtin, visit),
            None if matches!(call.callee, Callee::Builtin { .. } | Callee::Compiler { .. }) => {
                self.of_arguments(id, block, call, visit);
            }
            None => self.of_unknown(id, block, call, visit),
        }
    }

    /// What makes that differ which a call yields or writes of which nothing is known (SEMANTICS §9): its arguments, with what they point to.
    fn of_unknown(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        if self.environment.doubts
            || matches!(call.callee, Callee::Pointer { .. })
            || !call.arguments.iter().any(|&(argument, _)| self.tells(argument))
        {
            visit(Reason::Source(Source::UnknownFunction).into(), Fact::DIVERGENT);
        }
        self.of_arguments(id, block, call, visit);
        for &(argument, _) in &call.arguments {
            if self.function.values[argument].ty.as_pointer().is_some() {
                self.of_memory_by(argument, false, visit);
            }
        }
    }

    /// Whether an argument tells a function something: constants do not, nor does memory into which nothing was put before.
    fn tells(&self, argument: ValueId) -> bool {
        match &self.function.values[argument].op {
            Op::Constant(_) | Op::String(_) | Op::Function(_) => return false,
            Op::Unknown { what: Unknown::Name(_), .. } => return false,
            _ => {}
        }
        match self.memory.place(argument) {
            Place::Known(Root::Slot(slot), _) => {
                let writers = self.writers.get(&slot).into_iter().flatten();
                let mut ops = writers.map(|&(_, writer)| &self.function.values[writer].op);
                ops.any(|op| !matches!(op, Op::Call(call) if self.is_unknown(call)))
            }
            _ => true,
        }
    }

    /// Whether nothing is known of what a call does.
    fn is_unknown(&self, call: &Call) -> bool {
        !is_of_dialect(&call.callee)
            && self.builtin(&call.callee).is_none()
            && (self.environment.summary)(&call.callee).is_none()
    }

    fn of_builtin(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        builtin: Effect,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let own = builtin.result;
        if own != Divergence::None {
            let source = if builtin.atomic { Source::Atomic } else { Source::Builtin };
            visit(Reason::Source(source).into(), Fact::of(own));
        }
        // A collective gives all its threads one result, whatever they bring.
        if builtin.of_arguments {
            self.of_arguments(id, block, call, visit);
        }
        if builtin.loads {
            for (argument, _) in &call.arguments {
                let ty = self.function.values[*argument].ty;
                if ty.as_pointer().is_some() {
                    self.of_memory(*argument, visit);
                } else if is_written_image(ty) {
                    visit(Reason::Source(Source::Image).into(), Fact::DIVERGENT);
                }
            }
        }
    }

    fn of_arguments(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        for (argument, _) in &call.arguments {
            self.of_use(*argument, Some(id), block, visit);
        }
    }

    fn builtin(&self, callee: &Callee) -> Option<Effect> {
        (self.environment.builtin)(callee)
    }

    /// What makes memory differ between threads that read it at one address.
    fn of_memory(&self, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        self.of_memory_by(address, self.explaining, visit);
    }

    /// The same, writer by writer or all writers as one.
    fn of_memory_by(&self, address: ValueId, by_writer: bool, visit: &mut dyn FnMut(Contribution, Fact)) {
        let ty = self.function.values[address].ty;
        let space = ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        match self.memory.place(address) {
            Place::Known(Root::Constant, _) => {}
            Place::Known(Root::Slot(slot), cell) => {
                if self.memory.escaped[slot] {
                    visit(Reason::Source(Source::EscapedMemory).into(), Fact::DIVERGENT);
                }
                let writers = self.writers.get(&slot).map_or(&[][..], |writers| writers);
                if by_writer {
                    let here = writers.iter().filter(|(written, _)| overlap(cell, *written));
                    here.for_each(|&(_, writer)| self.of_write(writer, slot, visit));
                } else if let Some(&(_, writer)) = writers.first() {
                    let of = |cell: Cell| self.cells.get(&(slot, cell)).copied().unwrap_or_default();
                    let fact = match cell {
                        Cell::Start | Cell::Any => self.slots[slot],
                        cell => of(cell).join(of(Cell::Any)).join(of(Cell::Start)),
                    };
                    visit(Reason::Stored(writer).into(), fact);
                }
            }
            Place::Known(root @ Root::Parameter(number), _) => {
                let private = space == AddressSpace::Private;
                if !self.function.kernel {
                    visit(Reason::Pointee(number).into(), Fact::pointee(number as usize));
                }
                let written = self.written.roots.contains(&root) || self.written.unknown;
                match (written, private) {
                    (true, false) => {
                        visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT)
                    }
                    (true, true) => {
                        let fact = self.writes.get(number as usize).copied().flatten();
                        visit(Reason::Pointee(number).into(), fact.unwrap_or(Fact::DIVERGENT));
                    }
                    _ => {}
                }
            }
            Place::Known(root @ Root::Global(_), _) => {
                if self.written.roots.contains(&root) || self.written.unknown || space != AddressSpace::Local
                {
                    visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT);
                }
            }
            // Nothing but an unknown pointer leads there, and that says how divergent it is.
            Place::Known(root @ Root::Unknown, _) => {
                if self.written.roots.contains(&root) {
                    visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT);
                }
            }
            Place::Unknown => visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT),
        }
    }

    /// What an operation brings into private memory.
    fn of_write(&self, writer: ValueId, slot: SlotId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let Some(block) = self.graph.home[writer] else { return };
        let (controllers, cycles) = self.of_control(block);
        for &branch in controllers {
            visit(Reason::StoredUnder(branch).into(), self.branches[branch].join(self.control[branch]));
        }
        let mut cycles: Vec<Branches> = cycles.collect();
        while let Some(leaving) = cycles.pop() {
            for &branch in self.own_branches(leaving) {
                visit(Reason::StoredUnder(branch).into(), self.branches[branch]);
            }
            cycles.extend(self.further_branches(leaving));
        }
        let fact = self.written_by(
            writer,
            block,
            |place| matches!(place, Place::Known(Root::Slot(it), _) if it == slot),
        );
        visit(Reason::Stored(writer).into(), fact);
    }

    /// The verdict on what an operation writes to the places that are asked for, its control apart.
    fn written_by(&self, writer: ValueId, block: BlockId, wanted: impl Fn(Place) -> bool) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_convergence(block, &mut |_, contribution| _ = fact.add(contribution));
        match &self.function.values[writer].op {
            Op::Store { address, value, .. } => {
                fact.add(self.used(*address, Some(writer), block));
                fact.add(self.used(*value, Some(writer), block));
            }
            Op::Copy { to, from, .. } => {
                fact.add(self.used(*to, Some(writer), block));
                fact.add(self.used(*from, Some(writer), block));
                fact.add(self.read(*from));
            }
            Op::Clear { address, .. } => _ = fact.add(self.used(*address, Some(writer), block)),
            Op::Call(call) => {
                let summary = (self.environment.summary)(&call.callee);
                for (number, (argument, _)) in call.arguments.iter().enumerate() {
                    if self.function.values[*argument].ty.as_pointer().is_none()
                        || !wanted(self.memory.place(*argument))
                    {
                        continue;
                    }
                    match &summary {
                        Some(summary) => {
                            if let Some(written) = summary.writes_through(number) {
                                let value = |number: usize| {
                                    let argument = call.arguments.get(number);
                                    argument
                                        .map_or(Fact::UNIFORM, |(it, _)| self.used(*it, Some(writer), block))
                                };
                                let pointee = |number: usize| {
                                    let argument = call.arguments.get(number);
                                    argument.map_or(Fact::UNIFORM, |(it, _)| self.read(*it))
                                };
                                fact.add(written.applied(value, pointee));
                            }
                        }
                        None if self.is_unknown(call) => {
                            self.of_unknown(writer, block, call, &mut |_, it| _ = fact.add(it));
                        }
                        None => {
                            let own = match self.builtin(&call.callee).map(|builtin| builtin.result) {
                                Some(Divergence::None) | None => Fact::UNIFORM,
                                Some(_) => Fact::DIVERGENT,
                            };
                            fact.add(own);
                            self.of_arguments(writer, block, call, &mut |_, it| _ = fact.add(it));
                        }
                    }
                }
            }
            _ => {}
        }
        fact
    }

    /// What makes that differ which an operation writes, its control apart.
    pub fn of_stored(&self, writer: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let Some(block) = self.graph.home[writer] else { return };
        self.of_convergence(block, visit);
        match &self.function.values[writer].op {
            Op::Copy { to, from, .. } => {
                self.of_use(*to, Some(writer), block, visit);
                self.of_use(*from, Some(writer), block, visit);
                self.of_memory(*from, visit);
            }
            Op::Call(call) if self.is_unknown(call) => self.of_unknown(writer, block, call, visit),
            Op::Call(call) => {
                let whole = self.written_by(writer, block, |_| true);
                if whole.divergence != Divergence::None {
                    let reason = match self.builtin(&call.callee) {
                        Some(_) => Reason::Source(Source::Builtin),
                        None => Reason::Callee,
                    };
                    visit(reason.into(), Fact::of(whole.divergence));
                }
                self.of_arguments(writer, block, call, visit);
            }
            op => op.operands(|operand| self.of_use(*operand, Some(writer), block, visit)),
        }
    }

    fn used(&self, value: ValueId, user: Option<ValueId>, block: BlockId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_use(value, user, block, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// The verdict on what is read at an address, that of the address apart.
    pub fn read(&self, address: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        // Not by writer: one may copy what another wrote, who copied what the first did.
        self.of_memory_by(address, false, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Which operations write where: that does not depend on facts.
    fn find_writers(&mut self) {
        for block in &self.function.blocks {
            for &id in &block.values {
                let mut targets: Vec<(ValueId, bool)> = Vec::new();
                match &self.function.values[id].op {
                    Op::Store { address, .. } | Op::Clear { address, .. } => targets.push((*address, false)),
                    Op::Copy { to, .. } => targets.push((*to, false)),
                    Op::Call(call) => {
                        let summary = (self.environment.summary)(&call.callee);
                        if summary.as_ref().is_some_and(|summary| summary.writes_shared)
                            || (summary.is_none() && matches!(call.callee, Callee::Pointer { .. }))
                        {
                            self.written.unknown = true;
                        }
                        for (number, (argument, passing)) in call.arguments.iter().enumerate() {
                            let ty = self.function.values[*argument].ty;
                            let Some(pointer) = ty.as_pointer() else { continue };
                            let writes = match &summary {
                                Some(summary) => summary.writes_through(number).is_some(),
                                None => match passing {
                                    Passing::Value => {
                                        !is_const_parameter(&call.callee, number, pointer.constant)
                                    }
                                    Passing::Copy => false,
                                    Passing::Result => true,
                                },
                            };
                            if writes {
                                targets.push((*argument, true));
                            }
                        }
                    }
                    _ => {}
                }
                for (address, whole) in targets {
                    match self.memory.place(address) {
                        Place::Known(Root::Slot(slot), cell) => {
                            let cell = if whole { Cell::Any } else { cell };
                            self.writers.entry(slot).or_default().push((cell, id));
                            self.targets.entry(id).or_default().push((slot, cell));
                        }
                        Place::Known(root, _) => _ = self.written.roots.insert(root),
                        Place::Unknown => self.written.unknown = true,
                    }
                }
            }
        }
    }

    /// What an operation writes through the parameters of the function.
    fn writes_of(&mut self, id: ValueId, block: BlockId) -> bool {
        let mut addresses: Vec<ValueId> = Vec::new();
        match &self.function.values[id].op {
            Op::Store { address, .. } | Op::Clear { address, .. } => addresses.push(*address),
            Op::Copy { to, .. } => addresses.push(*to),
            Op::Call(call) => addresses.extend(call.arguments.iter().map(|(argument, _)| *argument)),
            _ => return false,
        }
        let mut changed = false;
        for address in addresses {
            let Place::Known(root @ Root::Parameter(number), _) = self.memory.place(address) else {
                continue;
            };
            if !self.written.roots.contains(&root) {
                continue;
            }
            let mut fact =
                self.written_by(id, block, |place| matches!(place, Place::Known(it, _) if it == root));
            fact.add(self.control[block]);
            if let Some(known) = self.writes.get_mut(number as usize) {
                changed |= known.is_none() | known.get_or_insert(fact).add(fact);
            }
        }
        changed
    }

    /// What callers of the function have to know of it.
    pub fn summary(&self) -> Summary {
        let mut result = Fact::UNIFORM;
        let mut returns = 0;
        let mut control = Fact::UNIFORM;
        for (id, block) in self.function.blocks.iter_enumerated() {
            if let Terminator::Return(Some(value)) = block.terminator {
                returns += 1;
                result.add(self.used(value, None, id));
                control.add(self.control[id]);
            }
        }
        if returns > 1 {
            result.add(control);
        }
        Summary {
            result,
            writes: self.writes.clone().into(),
            escapes: self.memory.escaping,
            writes_shared: self.written.unknown
                || self.written.roots.iter().any(|root| matches!(root, Root::Global(_))),
        }
    }
}

fn overlap(read: Cell, written: Cell) -> bool {
    match (read, written) {
        (Cell::Start | Cell::Any, _) | (_, Cell::Start | Cell::Any) => true,
        (read, written) => read == written,
    }
}

fn is_of_dialect(callee: &Callee) -> bool {
    matches!(callee, Callee::Builtin { .. } | Callee::Compiler { .. })
}

/// Whether a function that is not known by its body promises not to write what an argument points to.
fn is_const_parameter(callee: &Callee, number: usize, passed: bool) -> bool {
    let ty = callee.ty();
    let parameter = ty.as_function().and_then(|ty| ty.parameters.get(number));
    parameter.map_or(passed, |ty| ty.as_pointer().is_some_and(|pointer| pointer.constant))
}

/// An image that is not read only, or a pipe.
fn is_written_image(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Opaque(Opaque::Image { access, .. }) => *access != tangle_base::Access::ReadOnly,
        TyKind::Opaque(Opaque::Pipe { .. }) => true,
        _ => false,
    }
}
