//! Reads of shared memory that barriers separate from all writes.
//!
//! **Agreed** read: a load, copy or call that reads shared memory at a uniform address. No operation may write this
//! memory between the last work-group barrier before the read and the next one after it. Work-items that read it
//! between the same two barriers get the same value, or race, which is undefined behaviour. So the value is uniform in
//! the work-group. **Unprotected** load: a path without a barrier connects the load with a write of the same memory, in
//! either direction. A load is also unprotected if other work-items may reach a write without a barrier, after they
//! diverged from the reading work-items at a branch with no barrier between branch and load.
//!
//! ```c
//! if (get_local_id(0) == 0) go = n--;
//! barrier(CLK_LOCAL_MEM_FENCE);
//! int again = go;                     // agreed: a barrier before it …
//! barrier(CLK_LOCAL_MEM_FENCE);       // … and after it
//! ```
//!
//! The analysis distinguishes objects, and bytes at known offsets in them. A read through a pointer parameter is agreed
//! only if a barrier of the function comes first. A write of the caller after the call races with the read, unless the
//! caller waits first. A parameter in `local` or `global` space is shared, so such a read is not agreed. For one in
//! `generic` space the caller decides: a call is **raced** if it reads memory after its last barrier, and the caller
//! writes this memory before the next one.
//!
//! Agreed reads depend on branches and addresses, and these depend on the values that are read. So all candidates are
//! first assumed to be agreed. Then the wrong ones are dropped, until all are right. Each time, the verdicts are
//! propagated from the start: the value of an agreed read may differ between work-groups, but that of another read may
//! depend only on the caller, so verdicts do not only grow. The result is sound because a read of a thread depends only
//! on its earlier actions: consider the first read that yields different values. All assumptions about earlier reads
//! hold, so the reasons why this read was found to be agreed hold too.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_grammar::ast::AddressSpace;

use super::accesses::{Access, reach};
use super::address::{self, may_point_into};
use super::analysis::{Analysis, SharedReads};
use super::context::AnalysisInputs;
use super::graph::Graph;
use super::paths::{Direction, Paths, Reached};
use super::place::{PointerTarget, Root};
use super::waits::{unseparated_writes, waits_at};
use super::{Fact, Parameters};

use crate::flow::cycles::CycleId;
use crate::flow::shape::GraphAnalysis;
use crate::flow::{BlockId, Call, Function, Op, Passing, ValueId};
use tangle_syntax::dialect::{Builtin, Builtins, Scope};

/// The maximum number of propagations to find the agreed reads. If more are needed, no further read is agreed.
const ROUNDS: usize = 8;

/// Analyses a function and finds its agreed reads. The reads in `known` are agreed, too. Calls `then` with the result.
pub fn analyse<R>(
    function: &Function,
    inputs: &AnalysisInputs,
    known: &FxHashSet<ValueId>,
    then: impl FnOnce(&Analysis) -> R,
) -> R {
    let graph = Arc::new(Graph::of(function, GraphAnalysis::of(function)));
    inputs.run(|environment| {
        let reads = SharedReads { agreed: known.clone(), raced: FxHashMap::default() };
        let mut analysis = Analysis::with_graph(function, graph, environment, reads);
        find_agreed(&mut analysis, inputs, known);
        then(&analysis)
    })
}

/// Finds the agreed reads of a function and the verdicts that hold with them.
fn find_agreed(analysis: &mut Analysis, inputs: &AnalysisInputs, known: &FxHashSet<ValueId>) {
    let function = analysis.function;
    let of_call = |call: &Call| inputs.summary(&call.callee)?.barrier_writes;
    if !function.values.iter().any(|value| waits_at(&value.op, inputs.builtins, of_call)) {
        return;
    }
    let ways =
        &BarrierPaths::of(function, &|value| waits_at(&function.values[value].op, inputs.builtins, of_call));
    let mut asked = asked(analysis);
    let raced = raced(ways, analysis, inputs);
    let reads = |asked: &[ReadCandidate]| SharedReads {
        agreed: known.iter().copied().chain(asked.iter().map(|it| it.by)).collect(),
        raced: raced.clone(),
    };
    if asked.is_empty() {
        if !raced.is_empty() {
            analysis.assume(reads(&asked));
        }
        return;
    }
    for _ in 0..ROUNDS {
        analysis.assume(reads(&asked));
        let is_agreed = |it: &ReadCandidate| it.is_agreed(ways, analysis, inputs);
        let agreed: Vec<bool> = asked.iter().map(is_agreed).collect();
        if agreed.iter().all(|&it| it) {
            return;
        }
        let mut agreed = agreed.into_iter();
        asked.retain(|_| agreed.next().is_some_and(|it| it));
    }
    analysis.assume(reads(&[]));
}

/// An operation that reads shared memory, and whose reads are divergent unless they are agreed.
struct ReadCandidate {
    by: ValueId,
    /// The indices of these reads among the accesses of the operation.
    reads: SmallVec<[usize; 1]>,
}

impl ReadCandidate {
    /// Whether all reads are agreed, given the verdicts of the analysis on addresses and branches.
    fn is_agreed(&self, ways: &BarrierPaths, analysis: &Analysis, inputs: &AnalysisInputs) -> bool {
        self.reads.iter().all(|&at| {
            let read = &analysis.accesses(self.by)[at];
            shared_root(analysis, read.address).is_some_and(|root| {
                is_same_address(analysis, read.address)
                    && (SharedRead { ways, analysis, inputs, read, root }).is_protected()
            })
        })
    }
}

/// Returns the operations whose reads may be agreed.
fn asked(analysis: &Analysis) -> Vec<ReadCandidate> {
    let of = |by: ValueId| {
        // Volatile memory outside `local` space may be written by threads of other work-groups or by the host.
        if matches!(&analysis.function.values[by].op, Op::Load { address, volatile: true, .. } if !is_local(analysis, *address))
        {
            return None;
        }
        let reads = analysis.accesses(by).iter().enumerate();
        let reads = reads.filter(|(_, it)| !it.writes && may_differ(analysis, it)).map(|(at, _)| at);
        let reads: SmallVec<[usize; 1]> = reads.collect();
        let is_shared = |&at: &usize| shared_root(analysis, analysis.accesses(by)[at].address).is_some();
        (!reads.is_empty() && reads.iter().all(is_shared)).then_some(ReadCandidate { by, reads })
    };
    analysis.function.values.indices().filter_map(of).collect()
}

/// Returns the calls that read memory through a parameter after their last barrier, while the function may write this
/// memory before its next one. Each has the first such argument.
fn raced(ways: &BarrierPaths, analysis: &Analysis, inputs: &AnalysisInputs) -> FxHashMap<ValueId, ValueId> {
    let mut found = FxHashMap::default();
    for (id, value) in analysis.function.values.iter_enumerated() {
        let Op::Call(call) = &value.op else { continue };
        let after = inputs.summary(&call.callee).and_then(|summary| summary.barrier_writes);
        let Some(after) = after.filter(|after| after.reads_after_last != Parameters::NONE) else { continue };
        let reads = analysis.accesses(id).iter().filter(|it| after.reads_after_last.contains(it.argument));
        let is_raced = |read: &&Access| {
            let PointerTarget::Object(root, _) = analysis.memory().place(read.address) else { return false };
            if matches!(root, Root::Slot(_) | Root::Constant) {
                return false;
            }
            let read = SharedRead { ways, analysis, inputs, read, root };
            let writes = |id: ValueId| read.is_written_by(Direction::Forward, id);
            let stops = |id: ValueId| ways.waits[id] && !writes(id);
            ways.all.find(Direction::Forward, id, &|_| true, &stops, &writes).is_some()
        };
        if let Some(read) = reads.into_iter().find(is_raced) {
            found.insert(id, read.address);
        }
    }
    found
}

/// Whether a read of memory that other threads can access may give different values in a work-group. This includes
/// verdicts that depend on the caller: its threads may have written different values.
fn may_differ(analysis: &Analysis, read: &Access) -> bool {
    if matches!(
        analysis.memory().place(read.address),
        PointerTarget::Object(Root::Slot(_) | Root::Constant, _)
    ) {
        return false;
    }
    let is_volatile = matches!(analysis.function.values[read.by].op, Op::Load { volatile: true, .. });
    let fact = analysis.read(read.by, read.address);
    is_volatile || fact.divergence.within(Scope::Workgroup) || fact.depends_on_pointees()
}

/// Whether an address is in `local` space.
fn is_local(analysis: &Analysis, address: ValueId) -> bool {
    let pointer = analysis.function.values[address].ty.as_pointer();
    pointer.is_some_and(|pointer| pointer.space == AddressSpace::Local)
}

/// Whether the threads of a work-group compute the same address, whatever memory other threads share with them. If the
/// address depends on memory that is private in some caller, the value that is read depends on it, too.
fn is_same_address(analysis: &Analysis, address: ValueId) -> bool {
    let fact = &analysis.state.values[address];
    !fact.divergence.within(Scope::Workgroup) && !fact.depends_on_shared_pointees()
}

/// Returns the object that an address points into, if threads of a work-group may share it. For the target of a pointer
/// parameter in `generic` space, only the callers know.
fn shared_root(analysis: &Analysis, address: ValueId) -> Option<Root> {
    let function = analysis.function;
    let PointerTarget::Object(root, _) = analysis.memory().place(address) else { return None };
    let space = match root {
        Root::Parameter(number) => {
            let value = function.parameters.get(number as usize)?.value;
            function.values[value].ty.as_pointer()?.space
        }
        Root::Global(_) => return Some(root),
        Root::Behind(..) => AddressSpace::Generic,
        Root::Slot(_) | Root::Constant | Root::Unknown => return None,
    };
    match space {
        AddressSpace::Local | AddressSpace::Global => Some(root),
        AddressSpace::Generic => analysis.is_written(root).then_some(root),
        _ => None,
    }
}

/// Whether a fact is uniform in the work-group for any arguments of the function.
fn is_same(fact: &Fact) -> bool {
    !fact.divergence.within(Scope::Workgroup) && !fact.depends_on_caller()
}

/// The paths between the barriers of a function.
struct BarrierPaths<'a> {
    /// The paths with all operations that wait or may write.
    all: Paths<'a>,
    /// The paths with the operations that wait.
    waiting: Paths<'a>,
    waits: IndexVec<ValueId, bool>,
    /// The results of searches from the end of a block, or backwards from its beginning.
    known: RefCell<FxHashMap<(Direction, BlockId), Rc<Reached>>>,
}

impl<'a> BarrierPaths<'a> {
    fn of(function: &'a Function, waits: &dyn Fn(ValueId) -> bool) -> BarrierPaths<'a> {
        let waits: IndexVec<ValueId, bool> = function.values.indices().map(waits).collect();
        let may_write = |id: ValueId| {
            let op = &function.values[id].op;
            matches!(op, Op::Store { .. } | Op::Clear { .. } | Op::Copy { .. } | Op::Call(_))
        };
        BarrierPaths {
            all: Paths::among(function, &|id| waits[id] || may_write(id)),
            waiting: Paths::among(function, &|id| waits[id]),
            waits,
            known: RefCell::default(),
        }
    }

    /// Searches from an operation up to the operations that wait.
    fn reached(&self, direction: Direction, from: ValueId) -> Rc<Reached> {
        let walk = || Rc::new(self.waiting.reached(direction, from, &|_| true));
        let Some(block) = self.waiting.passes(direction, from) else { return walk() };
        self.known.borrow_mut().entry((direction, block)).or_insert_with(walk).clone()
    }
}

/// A read of shared memory at a uniform address.
struct SharedRead<'a> {
    ways: &'a BarrierPaths<'a>,
    analysis: &'a Analysis<'a>,
    inputs: &'a AnalysisInputs<'a>,
    read: &'a Access,
    root: Root,
}

impl SharedRead<'_> {
    /// Whether a barrier separates the read from each operation that may write the same memory.
    fn is_protected(&self) -> bool {
        let SharedRead { ways, analysis, read, .. } = *self;
        let function = ways.all.function;
        // A caller may write directly before the call, and so may threads that diverge in the caller. Writes directly
        // after the call race with this read, unless a barrier comes first. So do writes of the next call of the
        // function.
        let after = ways.reached(Direction::Backward, read.by);
        if !function.kernel && after.reached_boundary {
            return false;
        }
        // For a parameter in `local` or `global` space, we do not assume that the caller waits after the call.
        if !function.kernel
            && self.is_through_shared_parameter()
            && ways.reached(Direction::Forward, read.by).reached_boundary
        {
            return false;
        }
        // The order of writes and reads inside a call is unknown here.
        if analysis.accesses(read.by).iter().any(|it| it.writes && self.may_alias_root(it)) {
            return false;
        }
        let everywhere = |_: BlockId| true;
        let found = |direction| {
            let writes = |id: ValueId| {
                let is_harmless = direction == Direction::Backward && self.is_uniform_store(id);
                !is_harmless && self.is_written_by(direction, id)
            };
            // A call may write before it waits.
            let stops = |id: ValueId| ways.waits[id] && !writes(id);
            ways.all.find(direction, read.by, &everywhere, &stops, &writes).is_some()
        };
        if found(Direction::Forward) || found(Direction::Backward) {
            return false;
        }
        let parting = after.blocks.iter().copied().filter(|&block| !is_same(&analysis.state.branches[block]));
        let writes = |id: ValueId| self.is_written_by(Direction::Forward, id);
        let stops = |id: ValueId| ways.waits[id] && !writes(id);
        ways.all.find_from_ends(parting, &stops, &writes).is_none()
    }

    /// Whether an operation may write the memory that is read. For a call that waits: before its first barrier or after
    /// its last one, depending on the direction.
    fn is_written_by(&self, direction: Direction, id: ValueId) -> bool {
        let mut writes = self.analysis.accesses(id).iter().filter(|it| it.writes);
        match &self.analysis.function.values[id].op {
            Op::Call(call) => match self.inputs.summary(&call.callee) {
                Some(summary) => {
                    let written = unseparated_writes(summary, direction);
                    let is_result = |it: &Access| call.arguments[it.argument].1 == Passing::Result;
                    let is_reported = |it: &Access| written.parameters.contains(it.argument) || is_result(it);
                    written.shared && !self.is_unaliased_variable()
                        || writes.any(|it| is_reported(it) && self.may_overlap(it))
                }
                None => writes.any(|it| self.may_alias_root(it) && self.may_overlap(it)),
            },
            _ => writes.any(|it| self.may_overlap(it)),
        }
    }

    /// Whether an operation before the read stores a uniform value to the same place, and all threads reach it. Then
    /// every thread that reads has stored the value before.
    fn is_uniform_store(&self, id: ValueId) -> bool {
        let Op::Store { address, value, volatile: false, .. } = self.analysis.function.values[id].op else {
            return false;
        };
        let block = self.analysis.model.graph.home[id];
        let memory = self.analysis.memory();
        memory.place(address) == memory.place(self.read.address)
            && is_same_address(self.analysis, address)
            && is_same(&self.analysis.state.values[value])
            && block.is_some_and(|block| is_same(&self.analysis.state.control[block]))
    }

    /// Whether the memory that is read is a variable of this function whose address does not escape.
    fn is_unaliased_variable(&self) -> bool {
        matches!(self.root, Root::Global(name) if self.analysis.memory().is_unaliased_variable(name))
    }

    /// Whether the read is through a parameter in `local` or `global` space, so that threads share its target.
    fn is_through_shared_parameter(&self) -> bool {
        matches!(self.space(), Some(AddressSpace::Local | AddressSpace::Global))
    }

    /// Returns the address space of the pointer parameter whose target is read. None for any other object.
    fn space(&self) -> Option<AddressSpace> {
        let function = self.analysis.function;
        let Root::Parameter(number) = self.root else { return None };
        let value = function.parameters.get(number as usize)?.value;
        Some(function.values[value].ty.as_pointer()?.space)
    }

    /// Whether the read is through a parameter in `global` space. There, offsets do not separate reads from writes.
    fn is_global(&self) -> bool {
        self.space() == Some(AddressSpace::Global)
    }

    fn may_alias_root(&self, write: &Access) -> bool {
        let memory = self.analysis.memory();
        memory.roots(memory.place(write.address)).is_some_and(|roots| roots.contains(&self.root))
    }

    /// Whether a write may change the bytes that are read.
    fn may_overlap(&self, write: &Access) -> bool {
        let memory = self.analysis.memory();
        let (PointerTarget::Object(_, from), to) =
            (memory.place(self.read.address), memory.place(write.address))
        else {
            return true;
        };
        match to {
            PointerTarget::Object(root, _) if root != self.root => false,
            PointerTarget::Object(_, to)
                if from.is_in_other_field(to) && self.analysis.stays_in_one_object(write) =>
            {
                false
            }
            // Other work-groups execute the write too, at other offsets.
            PointerTarget::Object(..) if self.is_global() => true,
            PointerTarget::Object(_, to) => match (reach(from, self.read.extent), reach(to, write.extent)) {
                (Some(read), Some(written)) if from.seen_as == to.seen_as => read.overlaps(written),
                _ => {
                    let region = |address| address::region(self.analysis, address);
                    match (region(self.read.address), region(write.address)) {
                        (Some(read), Some(written)) => read == written,
                        _ => true,
                    }
                }
            },
            PointerTarget::OneOf(_) => self.may_alias_root(write),
            PointerTarget::Unknown => {
                !self.is_unaliased_variable()
                    && may_point_into(self.analysis.function, write.address, self.read.address)
            }
        }
    }
}

/// Whether an operation is a call of a barrier of at least the work-group.
pub fn is_barrier(op: &Op, builtins: &Builtins) -> bool {
    let Op::Call(call) = op else { return false };
    call.callee.row().and_then(|name| builtins.get(name)).is_some_and(is_barrier_row)
}

/// Whether a builtin waits for at least the work-group.
pub fn is_barrier_row(builtin: &Builtin) -> bool {
    builtin.convergent && builtin.waits && builtin.scope >= Scope::Workgroup
}

/// A store in a cycle to the address of a load in the cycle, without a barrier between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unprotected {
    pub store: ValueId,
    /// Whether the store comes before the load. Otherwise it follows.
    pub before: bool,
}

/// Finds a store in a cycle that no barrier separates from a load in it. None if there is no such store.
pub fn unprotected(
    analysis: &Analysis,
    ways: &Paths,
    builtins: &Builtins,
    cycle: CycleId,
    load: ValueId,
) -> Option<Unprotected> {
    let function = ways.function;
    let Op::Load { address, .. } = function.values[load].op else { return None };
    let inside = |block: BlockId| analysis.model.graph.cycles.contains(cycle, block);
    let of_call = |call: &Call| (analysis.environment.summary)(&call.callee)?.barrier_writes;
    let waits = |id: ValueId| waits_at(&function.values[id].op, builtins, of_call);
    let writes = |id: ValueId| match function.values[id].op {
        Op::Store { address: to, .. } => address::is_same_address(function, address, to),
        _ => false,
    };
    let found = |direction| {
        let store = ways.find(direction, load, &inside, &waits, &writes)?;
        Some(Unprotected { store, before: direction == Direction::Backward })
    };
    found(Direction::Forward).or_else(|| found(Direction::Backward))
}
