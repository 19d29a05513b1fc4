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

use super::WritesAroundBarriers;
use super::address::{may_point_to_shared, root};
use super::barriers::is_barrier;
use super::context::AnalysisInputs;
use super::memory::Memory;
use super::paths::{Direction, Paths};
use super::place::{PointerTarget, Root};
use super::{Parameters, Summary, Writes};
use crate::flow::{Call, Function, Op, Value, ValueId};
use tangle_grammar::ast::AddressSpace;
use tangle_syntax::dialect::Builtins;

/// Returns, if a function waits, the writes that no barrier separates from its caller. None if it does not wait.
pub fn waits(function: &Function, memory: &Memory, inputs: &AnalysisInputs) -> Option<WritesAroundBarriers> {
    let waits = |id: ValueId| {
        waits_at(&function.values[id].op, inputs.builtins, |call| {
            inputs.summary(&call.callee).and_then(|it| it.barrier_writes)
        })
    };
    if !function.values.indices().any(waits) {
        return None;
    }
    let ways = Paths::of(function);
    let (last, _) = ways.reached_from_ends(Direction::Backward, &waits);
    let reads = last.into_iter().map(|id| reads(function, id, inputs));
    let found = |direction| {
        let (met, passes) = ways.reached_from_ends(direction, &waits);
        let writes = met.into_iter().map(|id| writes((function, memory), id, direction, inputs));
        (!passes).then(|| writes.fold(Writes::default(), Writes::union))
    };
    Some(WritesAroundBarriers {
        before_first: found(Direction::Forward)?,
        after_last: found(Direction::Backward)?,
        reads_after_last: reads.fold(Parameters::NONE, Parameters::union),
    })
}

/// Returns the parameters in `generic` space whose targets an operation reads. If the operation is a call that waits,
/// only reads after its last barrier count.
fn reads(function: &Function, id: ValueId, inputs: &AnalysisInputs) -> Parameters {
    let through = |address: ValueId| match root(function, address).map(|root| &function.values[root]) {
        Some(Value { op: Op::Parameter(number), ty, .. })
            if ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Generic) =>
        {
            Parameters::one(*number as usize)
        }
        _ => Parameters::NONE,
    };
    match &function.values[id].op {
        Op::Load { address, .. } | Op::Copy { from: address, .. } => through(*address),
        Op::Call(call) => {
            let after = inputs.summary(&call.callee).and_then(|summary| summary.barrier_writes);
            let arguments = call.arguments.iter().enumerate();
            let arguments = arguments
                .filter(|(number, _)| after.is_some_and(|after| after.reads_after_last.contains(*number)));
            arguments.map(|(_, &(argument, _))| through(argument)).fold(Parameters::NONE, Parameters::union)
        }
        _ => Parameters::NONE,
    }
}

/// Whether an operation waits for the whole work-group.
pub fn waits_at(
    op: &Op,
    builtins: &Builtins,
    of_call: impl Fn(&Call) -> Option<WritesAroundBarriers>,
) -> bool {
    match op {
        Op::Call(call) => is_barrier(op, builtins) || of_call(call).is_some(),
        _ => false,
    }
}

/// Returns the writes of a call that a search in `direction` meets before a barrier. Forwards, these are the writes
/// before its first barrier; backwards, the writes after its last one. If the call does not wait, returns all its
/// writes.
pub fn unseparated_writes(summary: &Summary, direction: Direction) -> Writes {
    match (summary.barrier_writes, direction) {
        (Some(waits), Direction::Forward) => waits.before_first,
        (Some(waits), Direction::Backward) => waits.after_last,
        (None, _) => {
            let parameters = (0..summary.writes.len()).filter(|&it| summary.writes_through(it).is_some());
            let parameters = parameters.map(Parameters::one).fold(Parameters::NONE, Parameters::union);
            let shared = summary.writes_shared
                || !summary.writes_after.is_empty()
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
    inputs: &AnalysisInputs,
) -> Writes {
    let is_own = |address: ValueId| matches!(memory.place(address), PointerTarget::Object(Root::Global(name), _) if memory.is_unaliased_variable(name));
    let through = |address: ValueId| match root(function, address).map(|root| &function.values[root].op) {
        _ if is_own(address) => Writes::default(),
        Some(&Op::Parameter(number)) => {
            Writes { parameters: Parameters::one(number as usize), shared: false }
        }
        _ => Writes { parameters: Parameters::NONE, shared: may_point_to_shared(function, address) },
    };
    match &function.values[id].op {
        Op::Store { address, .. } | Op::Clear { address, .. } | Op::Copy { to: address, .. } => {
            through(*address)
        }
        Op::Call(call) => match inputs.summary(&call.callee) {
            Some(summary) => {
                let written = unseparated_writes(summary, direction);
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
