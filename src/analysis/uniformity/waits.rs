//! Functions that wait: a call of such a function separates accesses of its caller as a barrier does.
//!
//! A function **waits** if on every path through it, some operation waits for the whole work-group. No barrier
//! separates its writes before its first barrier from the accesses of the caller before the call. The same holds for
//! its writes after its last barrier and the accesses after the call.
//!
//! ```c
//! void store(local int *p, int v) {
//!   p[get_local_id(0)] = v;           // before
//!   barrier(CLK_LOCAL_MEM_FENCE);
//! }
//! kernel void k(local int *p) {
//!   int old = p[0];                   // unprotected: the call writes before it waits
//!   store(p, old + 1);
//!   int now = p[0];                   // agreed, if a barrier comes before the next write
//! }
//! ```

use super::Waits;
use super::address::{may_lead_anywhere, root};
use super::barriers::is_barrier;
use super::context::Surroundings;
use super::memory::{Memory, Place, Root};
use super::ways::{Direction, Ways};
use super::{Parameters, Summary, Writes};
use crate::flow::{Call, Function, Op, ValueId};
use tangle_syntax::dialect::Builtins;

/// Returns, if a function waits, the writes that no barrier separates from its caller. None if it does not wait.
pub fn waits(function: &Function, surroundings: &Surroundings) -> Option<Waits> {
    let waits = |id: ValueId| {
        waits_at(&function.values[id].op, surroundings.builtins, |call| {
            surroundings.summary(&call.callee).and_then(|it| it.waits)
        })
    };
    if !function.values.indices().any(waits) {
        return None;
    }
    let memory = Memory::of(function, &|callee| surroundings.summary(callee).cloned());
    let ways = Ways::of(function);
    let found = |direction| {
        let (met, passes) = ways.met(direction, &waits);
        let writes = met.into_iter().map(|id| writes((function, &memory), id, direction, surroundings));
        (!passes).then(|| writes.fold(Writes::default(), Writes::union))
    };
    Some(Waits { before: found(Direction::Ahead)?, behind: found(Direction::Behind)? })
}

/// Whether an operation waits for the whole work-group.
pub fn waits_at(op: &Op, builtins: &Builtins, of_call: impl Fn(&Call) -> Option<Waits>) -> bool {
    match op {
        Op::Call(call) => is_barrier(op, builtins) || of_call(call).is_some(),
        _ => false,
    }
}

/// Returns the writes of a call that a search in `direction` meets before a barrier. Forwards, these are the writes
/// before its first barrier; backwards, the writes after its last one. If the call does not wait, returns all its
/// writes.
pub fn written_by_call(summary: &Summary, direction: Direction) -> Writes {
    match (summary.waits, direction) {
        (Some(waits), Direction::Ahead) => waits.before,
        (Some(waits), Direction::Behind) => waits.behind,
        (None, _) => {
            let parameters = (0..summary.writes.len()).filter(|&it| summary.writes_through(it).is_some());
            let parameters = parameters.map(Parameters::one).fold(Parameters::NONE, Parameters::union);
            let shared = summary.writes_shared
                || !summary.writes_behind.is_empty()
                || !summary.writes_variables.is_empty();
            Writes { parameters, shared }
        }
    }
}

/// Returns the memory that an operation may write, from the point of view of callers of its function.
fn writes(
    (function, memory): (&Function, &Memory),
    id: ValueId,
    direction: Direction,
    surroundings: &Surroundings,
) -> Writes {
    let is_own = |address: ValueId| matches!(memory.place(address), Place::Known(Root::Global(name), _) if memory.is_known_by_name_only(name));
    let through = |address: ValueId| match root(function, address).map(|root| &function.values[root].op) {
        _ if is_own(address) => Writes::default(),
        Some(&Op::Parameter(number)) => {
            Writes { parameters: Parameters::one(number as usize), shared: false }
        }
        _ => Writes { parameters: Parameters::NONE, shared: may_lead_anywhere(function, address) },
    };
    match &function.values[id].op {
        Op::Store { address, .. } | Op::Clear { address, .. } | Op::Copy { to: address, .. } => {
            through(*address)
        }
        Op::Call(call) => match surroundings.summary(&call.callee) {
            Some(summary) => {
                let written = written_by_call(summary, direction);
                let arguments = call.arguments.iter().enumerate();
                let arguments = arguments.filter(|(number, _)| written.parameters.contains(*number));
                let own = Writes { parameters: Parameters::NONE, shared: written.shared };
                arguments.map(|(_, &(argument, _))| through(argument)).fold(own, Writes::union)
            }
            None => {
                let pointers = call.arguments.iter().map(|&(argument, _)| argument);
                let pointers = pointers.filter(|&it| function.values[it].ty.as_pointer().is_some());
                pointers.map(through).fold(Writes::default(), Writes::union)
            }
        },
        _ => Writes::default(),
    }
}
