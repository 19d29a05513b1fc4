//! What single operations and branches mean for races, without their numbers.

use rustc_hash::FxHashSet;

use super::inputs::{BuiltinCall, KernelInputs};
use crate::flow::dominators::Dominators;
use crate::flow::{BlockId, Callee, Function, Op, ValueId};
use crate::operation::{AtomicOp, Operation};

/// Returns the blocks that follow on a side of a branch, without edges back to it.
pub(super) fn following(
    function: &Function,
    dominators: &Dominators,
    side: BlockId,
    branch: BlockId,
) -> FxHashSet<BlockId> {
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut todo = vec![side];
    while let Some(block) = todo.pop() {
        if block == branch || !seen.insert(block) {
            continue;
        }
        let successors = function.blocks[block].terminator.successors();
        todo.extend(successors.into_iter().filter(|&next| !dominators.dominates(next, block)));
    }
    seen
}

/// Whether an address points into a variable of the function.
pub(super) fn is_private(function: &Function, mut address: ValueId) -> bool {
    loop {
        match &function.values[address].op {
            Op::Element { base, .. } | Op::Field { base, .. } => address = *base,
            Op::Convert { operand, .. } => address = *operand,
            op => return matches!(op, Op::Slot(_)),
        }
    }
}

/// Whether a call of a builtin or an unknown function is relevant: it takes part in an operation of several threads.
pub(super) fn is_relevant_builtin(inputs: &KernelInputs, callee: &Callee) -> bool {
    match (inputs.builtin)(callee) {
        Some(builtin) => builtin.convergent,
        None => !matches!(callee, Callee::CompilerBuiltin { .. }),
    }
}

/// Whether a call of a builtin has no effect other than its result.
pub(super) fn is_pure_builtin(inputs: &KernelInputs, callee: &Callee) -> bool {
    let Some(builtin) = (inputs.builtin)(callee) else {
        return matches!(callee, Callee::CompilerBuiltin { .. });
    };
    match builtin.operation {
        Operation::Index(_)
        | Operation::Size(_)
        | Operation::Argument
        | Operation::Bits
        | Operation::Mask(_)
        | Operation::Math(_)
        | Operation::Convert { .. }
        | Operation::Vector
        | Operation::Fence(_)
        | Operation::Print
        | Operation::Nothing => true,
        Operation::Collective(collective) => !collective.orders_memory,
        _ => false,
    }
}

/// Whether a builtin orders all accesses before all later ones, or may do so. Barriers depend on their arguments, too.
pub(super) fn orders_all(builtin: &BuiltinCall) -> bool {
    match builtin.operation {
        Operation::Collective(collective) => collective.orders_memory,
        // It may take a lock, or wait for a value.
        Operation::Atomic(atomic) => matches!(
            atomic.op,
            AtomicOp::CompareExchange
                | AtomicOp::Compare
                | AtomicOp::Exchange
                | AtomicOp::TestAndSet
                | AtomicOp::Load
        ),
        Operation::AsyncCopy { .. }
        | Operation::AwaitCopies
        | Operation::LoadVector
        | Operation::StoreVector => true,
        Operation::Other => builtin.convergent,
        _ => false,
    }
}
