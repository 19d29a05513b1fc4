//! The numbers that are computed from results of unknown functions, or from undeclared variables.
//!
//! **Unknown number**: the result of an unknown function whose arguments carry no information, an undeclared variable, or
//! a number that arithmetic computes from one. It may contain an id of the thread. So an id that is subtracted from it
//! may cancel, and the difference is at most *possibly* divergent because of that id:
//!
//! ```c
//! for (int i = first_index(); i - get_local_id(0) < n; i += step())
//!   barrier(1);    // uniform if `first_index` returns a global id
//! ```

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::Environment;
use super::memory::Memory;
use super::place::{PointerTarget, Root};
use super::{Confidence, Divergence, Summary};
use crate::flow::{Callee, Function, Op, SlotId, Unknown, ValueId};
use crate::value::Arithmetic;

/// The unknown numbers of a function.
#[derive(Debug, Default)]
pub(in crate::uniformity) struct UnknownNumbers(FxHashSet<ValueId>);

impl UnknownNumbers {
    /// Finds the unknown numbers of a function: from their sources through arithmetic, until nothing changes.
    pub(super) fn of(
        function: &Function,
        (memory, filled): (&Memory, &IndexVec<SlotId, bool>),
        forwarded: &FxHashMap<ValueId, ValueId>,
        environment: &Environment,
    ) -> UnknownNumbers {
        let is_source = |op: &Op| match op {
            Op::Unknown { what: Unknown::Variable(_), .. } => true,
            Op::Call(call) => match (environment.summary)(&call.callee) {
                Some(summary) => is_unknown_result(&summary),
                None => {
                    let tells = || {
                        call.arguments
                            .iter()
                            .any(|&(it, _)| carries_information(function, (memory, filled), it))
                    };
                    environment.is_unknown(call)
                        && (matches!(call.callee, Callee::Pointer { .. }) || !tells())
                }
            },
            _ => false,
        };
        let sources = function.values.iter_enumerated().filter(|(_, value)| is_source(&value.op));
        let mut found: FxHashSet<ValueId> = sources.map(|(id, _)| id).collect();
        let mut changed = !found.is_empty();
        while changed {
            changed = false;
            for (id, value) in function.values.iter_enumerated() {
                let mut is_computed = false;
                let mut add = |operand: ValueId| is_computed |= found.contains(&operand);
                match &value.op {
                    Op::Load { .. } => forwarded.get(&id).copied().into_iter().for_each(add),
                    op if is_arithmetic(op) => op.operands(|operand| add(*operand)),
                    _ => {}
                }
                changed |= is_computed && found.insert(id);
            }
        }
        UnknownNumbers(found)
    }

    /// Returns the operands of an operation that subtracts from an unknown number. `None` for other operations.
    pub fn difference(&self, op: &Op) -> Option<(ValueId, ValueId)> {
        let (left, right) = match op {
            Op::Binary { op: Arithmetic::Sub, left, right } => (*left, *right),
            Op::Unknown { what: Unknown::Arithmetic(Arithmetic::Sub), operands } => match **operands {
                [left, right] => (left, right),
                _ => return None,
            },
            _ => return None,
        };
        self.0.contains(&left).then_some((left, right))
    }
}

/// Whether an argument carries information for an unknown function. Constants do not. Nor does the address of a slot that
/// only unknown calls write.
pub(in crate::uniformity) fn carries_information(
    function: &Function,
    (memory, filled): (&Memory, &IndexVec<SlotId, bool>),
    argument: ValueId,
) -> bool {
    match &function.values[argument].op {
        Op::Constant(_) | Op::String(_) | Op::Function(_) => return false,
        Op::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. } => return false,
        _ => {}
    }
    match memory.place(argument) {
        PointerTarget::Object(Root::Slot(slot), _) => filled[slot],
        _ => true,
    }
}

/// Whether a function returns an unknown number: its result is divergent only because of an assumption.
fn is_unknown_result(summary: &Summary) -> bool {
    let result = summary.result;
    result.divergence != Divergence::None && result.divergence_at(Confidence::Likely) == Divergence::None
}

/// Whether an operation computes a number from its operands, or selects one of them.
fn is_arithmetic(op: &Op) -> bool {
    match op {
        Op::Binary { .. } | Op::Unary { .. } | Op::Convert { .. } | Op::Phi(_) | Op::Select { .. } => true,
        Op::Unknown { what, .. } => matches!(what, Unknown::Arithmetic(_) | Unknown::Value),
        _ => false,
    }
}
