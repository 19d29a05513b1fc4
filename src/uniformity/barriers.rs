//! Shared memory that barriers keep apart: between two of them it is only read, or only written.
//!
//! **Agreed** load: a read at an address that is the same for all, of memory that nothing writes between the last work-group barrier before
//! it and the next one behind it. Work-items that read it between the same two barriers get the same, or race, which is undefined. An agreed
//! load is uniform in the work-group. **Unprotected** load: a write of what it reads is ahead of it or behind it, with no barrier on the way; or
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
//! That a load is agreed may make further addresses the same for all, and so further loads agreed: a few rounds of the analysis, of which
//! nearly always the first finds nothing and is the last.

use std::rc::Rc;

use tangle_grammar::ast::AddressSpace;

use super::Fact;
use super::address::{is_same_address, may_lead_into, root};
use super::analysis::{Analysis, Uniformity};
use super::context::Surroundings;
use super::graph::Graph;
use super::memory::{Place, Root};
use super::waits::{waits_at, written_by_call};
use super::ways::{Direction, Ways};

use crate::dialect::{Builtin, Builtins, Scope};
use crate::flow::cycles::CycleId;
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Call, Function, Op, Passing, ValueId};

/// How often what is agreed may make further addresses known to be the same.
const ROUNDS: usize = 4;

/// The facts of a function, given its surroundings, to which the agreed loads are added.
pub fn analyse(function: &Function, surroundings: &mut Surroundings) -> Uniformity {
    let graph = Rc::new(Graph::of(function, Shape::of(function)));
    let of_call = |call: &Call| surroundings.summary(&call.callee)?.waits;
    if function.values.iter().any(|value| waits_at(&value.op, surroundings.builtins, of_call)) {
        let ways = Ways::of(function);
        for _ in 0..ROUNDS {
            let (news, uniformity) = surroundings.run(|environment| {
                let analysis = Analysis::with_graph(function, graph.clone(), environment);
                (newly_agreed(&ways, &analysis, surroundings), analysis.result())
            });
            if news.is_empty() {
                return uniformity;
            }
            surroundings.agreed.extend(news);
        }
    }
    surroundings.run(|environment| Analysis::with_graph(function, graph, environment).result())
}

/// The loads that are agreed, as far as the analysis knows addresses and branches, without those of which it knew before.
fn newly_agreed(ways: &Ways, analysis: &Analysis, surroundings: &Surroundings) -> Vec<ValueId> {
    let mut news = Vec::new();
    for (id, value) in analysis.function.values.iter_enumerated() {
        let Op::Load { address, volatile: false, .. } = value.op else { continue };
        // Callers may have written there, each thread something else.
        let may_differ =
            analysis.values[id].divergence.within(Scope::Workgroup) || analysis.values[id].is_of_memory();
        let of_address = &analysis.values[address];
        let is_same_address = !of_address.divergence.within(Scope::Workgroup) && !of_address.is_of_memory();
        let root = root(analysis.function, address);
        let space = root.and_then(|root| Some(analysis.function.values[root].ty.as_pointer()?.space));
        let is_shared = matches!(space, Some(AddressSpace::Local | AddressSpace::Global));
        let is_asked = may_differ && is_shared && is_same_address;
        if is_asked && is_protected(ways, analysis, id, address, surroundings) {
            news.push(id);
        }
    }
    news
}

/// Whether something is the same for all of a work-group, whatever the function is given.
fn is_same(fact: &Fact) -> bool {
    !fact.divergence.within(Scope::Workgroup) && !fact.is_open()
}

/// Whether a barrier stands between a load and each operation that may write what it reads.
fn is_protected(
    ways: &Ways,
    analysis: &Analysis,
    load: ValueId,
    address: ValueId,
    surroundings: &Surroundings,
) -> bool {
    let function = ways.function;
    let Some(read) = root(function, address) else { return false };
    // A variable of this function that only its name leads to.
    let is_own = match function.values[read].op {
        Op::Global(name) => analysis.memory().is_known_by_name_only(name),
        _ => false,
    };
    let leads_into = |address: ValueId| match analysis.memory().place(address) {
        Place::Known(Root::Parameter(number), _) => function.values[read].op == Op::Parameter(number),
        Place::Known(Root::Global(name), _) => function.values[read].op == Op::Global(name),
        Place::Known(..) => false,
        Place::Unknown => !is_own && may_lead_into(function, address, read),
    };
    let writes = |direction: Direction, id: ValueId| match &function.values[id].op {
        Op::Store { address, .. } | Op::Clear { address, .. } | Op::Copy { to: address, .. } => {
            leads_into(*address)
        }
        Op::Call(call) => match surroundings.summary(&call.callee) {
            Some(summary) => {
                let written = written_by_call(summary, direction);
                let mut arguments = call.arguments.iter().enumerate();
                let through = |(number, &(it, _)): (usize, &(ValueId, Passing))| {
                    written.parameters.contains(number) && leads_into(it)
                };
                written.shared && !is_own || arguments.any(through)
            }
            None => call.arguments.iter().any(|(it, _)| root(function, *it) == Some(read)),
        },
        _ => false,
    };
    let waits = |id: ValueId| {
        let of_call = |call: &Call| surroundings.summary(&call.callee)?.waits;
        waits_at(&function.values[id].op, surroundings.builtins, of_call)
    };
    // Who calls a function may write just before or after, and threads that part there meanwhile.
    let behind = ways.reached(Direction::Behind, load, &waits);
    let is_open = || behind.outside || ways.reached(Direction::Ahead, load, &waits).outside;
    match function.kernel {
        true => {}
        // Callers have no name for it. They may run the function once more: its write races with this read, unless a barrier stands between.
        false if is_own => {
            if behind.outside {
                return false;
            }
        }
        false => {
            if is_open() {
                return false;
            }
        }
    }
    let everywhere = |_: BlockId| true;
    let found = |direction| {
        let writes = |id: ValueId| writes(direction, id);
        // A call may write before it waits.
        let stops = |id: ValueId| waits(id) && !writes(id);
        ways.find(direction, load, &everywhere, &stops, &writes).is_some()
    };
    if found(Direction::Ahead) || found(Direction::Behind) {
        return false;
    }
    let parting = behind.blocks.into_iter().filter(|&block| !is_same(&analysis.branches[block]));
    let writes = |id: ValueId| writes(Direction::Ahead, id);
    let stops = |id: ValueId| waits(id) && !writes(id);
    ways.find_from_ends(parting, &stops, &writes).is_none()
}

/// Whether an operation is one for which all of the work-group wait.
pub fn is_barrier(op: &Op, builtins: &Builtins) -> bool {
    let Op::Call(call) = op else { return false };
    call.callee.name().and_then(|name| builtins.get(name)).is_some_and(is_barrier_row)
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
        Op::Store { address: to, .. } => is_same_address(function, address, to),
        _ => false,
    };
    let found = |direction| {
        let store = ways.find(direction, load, &inside, &waits, &writes)?;
        Some(Unprotected { store, before: direction == Direction::Behind })
    };
    found(Direction::Ahead).or_else(|| found(Direction::Behind))
}
