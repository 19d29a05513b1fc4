//! Shared memory that barriers keep apart: between two of them it is only read, or only written.
//!
//! **Agreed** read: a load, a copy or a call that reads at an address that is the same for all, of memory that nothing writes between the last work-group
//! barrier before it and the next one behind it. Work-items that read it between the same two barriers get the same, or race, which is undefined. What is
//! read so is uniform in the work-group. **Unprotected** load: a write of what it reads is ahead of it or behind it, with no barrier on the way; or
//! work-items that part from those who read, at a branch with no barrier between it and the load, may come to a write with no barrier on the
//! way.
//!
//! ```c
//! if (get_local_id(0) == 0) go = n--;
//! barrier(CLK_LOCAL_MEM_FENCE);
//! int again = go;                     // agreed: a barrier before it …
//! barrier(CLK_LOCAL_MEM_FENCE);       // … and behind it
//! ```
//!
//! What is told apart: objects, and bytes in them whose places are known. A function that reads what it is given through a pointer agrees if a barrier of its own
//! comes first; what callers write behind it races with the read, unless they wait: that they do is taken for granted where nothing says that it is shared.
//!
//! Whether a read is agreed depends on branches and addresses, and these on what is read. All reads that may be agreed are taken for it first; those that
//! then are not are dropped, until none is. That is right because what a thread reads depends only on what it did before: of the first read that yields
//! different values, everything before it was as it was taken to be.

use std::cell::RefCell;
use std::rc::Rc;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_grammar::ast::AddressSpace;

use super::Fact;
use super::accesses::{Access, reach};
use super::address::{self, may_lead_into};
use super::analysis::{Analysis, Uniformity};
use super::context::Surroundings;
use super::graph::Graph;
use super::memory::{Place, Root};
use super::waits::{waits_at, written_by_call};
use super::ways::{Direction, Reached, Ways};

use crate::flow::cycles::CycleId;
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Call, Function, Op, Passing, ValueId};
use tangle_syntax::dialect::{Builtin, Builtins, Scope};

/// How often the analysis runs to find out which reads are agreed. What is not found by then is not agreed.
const ROUNDS: usize = 8;

/// The facts of a function, given its surroundings, to which the agreed reads are added. Those that are agreed there already stay so.
pub fn analyse(function: &Function, surroundings: &mut Surroundings) -> Uniformity {
    let graph = Rc::new(Graph::of(function, Shape::of(function)));
    let of_call = |call: &Call| surroundings.summary(&call.callee)?.waits;
    if function.values.iter().any(|value| waits_at(&value.op, surroundings.builtins, of_call)) {
        let ways = &Between::of(function, &|value| {
            waits_at(&function.values[value].op, surroundings.builtins, of_call)
        });
        let known = surroundings.agreed.clone();
        let (mut asked, uniformity) = surroundings.run(|environment| {
            let analysis = Analysis::with_graph(function, graph.clone(), environment);
            (asked(&analysis), analysis.result())
        });
        if asked.is_empty() {
            return uniformity;
        }
        for _ in 0..ROUNDS {
            surroundings.agreed = known.iter().copied().chain(asked.iter().map(|it| it.by)).collect();
            let (agreed, uniformity) = surroundings.run(|environment| {
                let analysis = Analysis::with_graph(function, graph.clone(), environment);
                let is_agreed = |it: &Asked| it.is_agreed(ways, &analysis, surroundings);
                let agreed: Vec<bool> = asked.iter().map(is_agreed).collect();
                (agreed, analysis.result())
            });
            if agreed.iter().all(|&it| it) {
                return uniformity;
            }
            let mut agreed = agreed.into_iter();
            asked.retain(|_| agreed.next().is_some_and(|it| it));
        }
        surroundings.agreed = known;
    }
    surroundings.run(|environment| Analysis::with_graph(function, graph, environment).result())
}

/// An operation that reads in shared memory what may differ if nothing is agreed.
struct Asked {
    by: ValueId,
    /// Which of its accesses those are.
    reads: SmallVec<[usize; 1]>,
}

impl Asked {
    /// Whether all reads are agreed, as far as the analysis knows addresses and branches.
    fn is_agreed(&self, ways: &Between, analysis: &Analysis, surroundings: &Surroundings) -> bool {
        self.reads.iter().all(|&at| {
            let read = &analysis.accesses(self.by)[at];
            shared_root(analysis, read.address).is_some_and(|root| {
                is_same_address(analysis, read.address)
                    && (Reading { ways, analysis, surroundings, read, root }).is_protected()
            })
        })
    }
}

/// The operations whose reads may be agreed.
fn asked(analysis: &Analysis) -> Vec<Asked> {
    let of = |by: ValueId| {
        // Who writes volatile memory that is not the work-group's own need not be one of its threads.
        if matches!(&analysis.function.values[by].op, Op::Load { address, volatile: true, .. } if !is_local(analysis, *address))
        {
            return None;
        }
        let reads = analysis.accesses(by).iter().enumerate();
        let reads = reads.filter(|(_, it)| !it.writes && may_differ(analysis, it)).map(|(at, _)| at);
        let reads: SmallVec<[usize; 1]> = reads.collect();
        let is_shared = |&at: &usize| shared_root(analysis, analysis.accesses(by)[at].address).is_some();
        (!reads.is_empty() && reads.iter().all(is_shared)).then_some(Asked { by, reads })
    };
    analysis.function.values.indices().filter_map(of).collect()
}

/// Whether what is read in memory that others see may differ in a work-group. Callers may have written there, each thread something else.
fn may_differ(analysis: &Analysis, read: &Access) -> bool {
    if matches!(analysis.memory().place(read.address), Place::Known(Root::Slot(_) | Root::Constant, _)) {
        return false;
    }
    let is_volatile = matches!(analysis.function.values[read.by].op, Op::Load { volatile: true, .. });
    let fact = analysis.read(read.by, read.address);
    is_volatile || fact.divergence.within(Scope::Workgroup) || fact.is_of_memory()
}

/// Whether an address leads into memory of the work-group.
fn is_local(analysis: &Analysis, address: ValueId) -> bool {
    let pointer = analysis.function.values[address].ty.as_pointer();
    pointer.is_some_and(|pointer| pointer.space == AddressSpace::Local)
}

fn is_same_address(analysis: &Analysis, address: ValueId) -> bool {
    let fact = &analysis.values[address];
    !fact.divergence.within(Scope::Workgroup) && !fact.is_of_memory()
}

/// The object that an address leads into, if threads of a work-group share it, or may do so: of what a pointer leads to that a function is given only its
/// callers know.
fn shared_root(analysis: &Analysis, address: ValueId) -> Option<Root> {
    let function = analysis.function;
    let Place::Known(root, _) = analysis.memory().place(address) else { return None };
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

/// Whether something is the same for all of a work-group, whatever the function is given.
fn is_same(fact: &Fact) -> bool {
    !fact.divergence.within(Scope::Workgroup) && !fact.is_open()
}

/// The ways between the barriers of a function.
struct Between<'a> {
    /// With all operations that wait or may write.
    all: Ways<'a>,
    /// With those that wait.
    waiting: Ways<'a>,
    waits: IndexVec<ValueId, bool>,
    /// Where threads come to from the end of a block, or come from before its beginning.
    known: RefCell<FxHashMap<(Direction, BlockId), Rc<Reached>>>,
}

impl<'a> Between<'a> {
    fn of(function: &'a Function, waits: &dyn Fn(ValueId) -> bool) -> Between<'a> {
        let waits: IndexVec<ValueId, bool> = function.values.indices().map(waits).collect();
        let may_write = |id: ValueId| {
            let op = &function.values[id].op;
            matches!(op, Op::Store { .. } | Op::Clear { .. } | Op::Copy { .. } | Op::Call(_))
        };
        Between {
            all: Ways::among(function, &|id| waits[id] || may_write(id)),
            waiting: Ways::among(function, &|id| waits[id]),
            waits,
            known: RefCell::default(),
        }
    }

    /// Where threads may come to from an operation, or come from, without passing one that waits.
    fn reached(&self, direction: Direction, from: ValueId) -> Rc<Reached> {
        let walk = || Rc::new(self.waiting.reached(direction, from, &|_| true));
        let Some(block) = self.waiting.passes(direction, from) else { return walk() };
        self.known.borrow_mut().entry((direction, block)).or_insert_with(walk).clone()
    }
}

/// A read of shared memory at an address that is the same for all.
struct Reading<'a> {
    ways: &'a Between<'a>,
    analysis: &'a Analysis<'a>,
    surroundings: &'a Surroundings<'a>,
    read: &'a Access,
    root: Root,
}

impl Reading<'_> {
    /// Whether a barrier stands between the read and each operation that may write what it reads.
    fn is_protected(&self) -> bool {
        let Reading { ways, analysis, read, .. } = *self;
        let function = ways.all.function;
        // Who calls a function may write just before, and threads that part there meanwhile. What it writes just after races with this read, unless it
        // waits first; so does what the function writes if it runs once more.
        let behind = ways.reached(Direction::Behind, read.by);
        if !function.kernel && behind.outside {
            return false;
        }
        // Of what is said to be shared it is not taken for granted that callers wait.
        if !function.kernel && self.is_said_to_be_shared() && ways.reached(Direction::Ahead, read.by).outside
        {
            return false;
        }
        // How a call orders what it writes with what it reads is not known here.
        if analysis.accesses(read.by).iter().any(|it| it.writes && self.leads_into_root(it)) {
            return false;
        }
        let everywhere = |_: BlockId| true;
        let found = |direction| {
            let writes = |id: ValueId| {
                let is_harmless = direction == Direction::Behind && self.is_done_by_all(id);
                !is_harmless && self.is_written_by(direction, id)
            };
            // A call may write before it waits.
            let stops = |id: ValueId| ways.waits[id] && !writes(id);
            ways.all.find(direction, read.by, &everywhere, &stops, &writes).is_some()
        };
        if found(Direction::Ahead) || found(Direction::Behind) {
            return false;
        }
        let parting = behind.blocks.iter().copied().filter(|&block| !is_same(&analysis.branches[block]));
        let writes = |id: ValueId| self.is_written_by(Direction::Ahead, id);
        let stops = |id: ValueId| ways.waits[id] && !writes(id);
        ways.all.find_from_ends(parting, &stops, &writes).is_none()
    }

    /// Whether an operation may write what is read. Of a call that waits: on the side from which threads come to it.
    fn is_written_by(&self, direction: Direction, id: ValueId) -> bool {
        let mut writes = self.analysis.accesses(id).iter().filter(|it| it.writes);
        match &self.analysis.function.values[id].op {
            Op::Call(call) => match self.surroundings.summary(&call.callee) {
                Some(summary) => {
                    let written = written_by_call(summary, direction);
                    let is_result = |it: &Access| call.arguments[it.argument].1 == Passing::Result;
                    let is_told = |it: &Access| written.parameters.contains(it.argument) || is_result(it);
                    written.shared && !self.is_own() || writes.any(|it| is_told(it) && self.may_meet(it))
                }
                None => writes.any(|it| self.leads_into_root(it) && self.may_meet(it)),
            },
            _ => writes.any(|it| self.may_meet(it)),
        }
    }

    /// Whether an operation before the read stores the same for all where all come to it: whoever reads has stored it before.
    fn is_done_by_all(&self, id: ValueId) -> bool {
        let Op::Store { address, value, volatile: false, .. } = self.analysis.function.values[id].op else {
            return false;
        };
        let block = self.analysis.graph.home[id];
        let memory = self.analysis.memory();
        memory.place(address) == memory.place(self.read.address)
            && is_same_address(self.analysis, address)
            && is_same(&self.analysis.values[value])
            && block.is_some_and(|block| is_same(&self.analysis.control[block]))
    }

    /// Whether only the name of a variable of this function leads to what is read.
    fn is_own(&self) -> bool {
        matches!(self.root, Root::Global(name) if self.analysis.memory().is_known_by_name_only(name))
    }

    /// Whether a function says of what it is given that threads share it.
    fn is_said_to_be_shared(&self) -> bool {
        matches!(self.space(), Some(AddressSpace::Local | AddressSpace::Global))
    }

    /// The memory that the parameter leads to behind which it is read. None: it is another object.
    fn space(&self) -> Option<AddressSpace> {
        let function = self.analysis.function;
        let Root::Parameter(number) = self.root else { return None };
        let value = function.parameters.get(number as usize)?.value;
        Some(function.values[value].ty.as_pointer()?.space)
    }

    /// Whether what is read is in memory of the whole grid, of which no more is told apart than who leads there.
    fn is_global(&self) -> bool {
        self.space() == Some(AddressSpace::Global)
    }

    fn leads_into_root(&self, write: &Access) -> bool {
        let memory = self.analysis.memory();
        memory.roots(memory.place(write.address)).is_some_and(|roots| roots.contains(&self.root))
    }

    /// Whether a write may get into the bytes that are read.
    fn may_meet(&self, write: &Access) -> bool {
        let memory = self.analysis.memory();
        let (Place::Known(_, from), to) = (memory.place(self.read.address), memory.place(write.address))
        else {
            return true;
        };
        match to {
            Place::Known(root, _) if root != self.root => false,
            Place::Known(_, to) if from.is_in_other_field(to) && self.analysis.writes_one(write) => false,
            // Other work-groups write there, too, each at places of its own.
            Place::Known(..) if self.is_global() => true,
            Place::Known(_, to) => match (reach(from, self.read.extent), reach(to, write.extent)) {
                (Some(read), Some(written)) if from.seen_as == to.seen_as => read.meet(written),
                _ => {
                    let region = |address| address::region(self.analysis, address);
                    match (region(self.read.address), region(write.address)) {
                        (Some(read), Some(written)) => read == written,
                        _ => true,
                    }
                }
            },
            Place::Among(_) => self.leads_into_root(write),
            Place::Unknown => {
                !self.is_own() && may_lead_into(self.analysis.function, write.address, self.read.address)
            }
        }
    }
}

/// Whether an operation is one for which all of the work-group wait.
pub fn is_barrier(op: &Op, builtins: &Builtins) -> bool {
    let Op::Call(call) = op else { return false };
    call.callee.row().and_then(|name| builtins.get(name)).is_some_and(is_barrier_row)
}

/// Whether all of the work-group wait in a builtin.
pub fn is_barrier_row(builtin: &Builtin) -> bool {
    builtin.convergent && builtin.waits && builtin.scope >= Scope::Workgroup
}

/// An unprotected write in a cycle of what a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unprotected {
    pub store: ValueId,
    /// It comes before the load. Otherwise it follows.
    pub before: bool,
}

/// The write in a cycle that no barrier keeps apart from a load in it. None: there is none.
pub fn unprotected(
    analysis: &Analysis,
    ways: &Ways,
    builtins: &Builtins,
    cycle: CycleId,
    load: ValueId,
) -> Option<Unprotected> {
    let function = ways.function;
    let Op::Load { address, .. } = function.values[load].op else { return None };
    let inside = |block: BlockId| analysis.graph.cycles.contains(cycle, block);
    let of_call = |call: &Call| (analysis.environment.summary)(&call.callee)?.waits;
    let waits = |id: ValueId| waits_at(&function.values[id].op, builtins, of_call);
    let writes = |id: ValueId| match function.values[id].op {
        Op::Store { address: to, .. } => address::is_same_address(function, address, to),
        _ => false,
    };
    let found = |direction| {
        let store = ways.find(direction, load, &inside, &waits, &writes)?;
        Some(Unprotected { store, before: direction == Direction::Behind })
    };
    found(Direction::Ahead).or_else(|| found(Direction::Behind))
}
