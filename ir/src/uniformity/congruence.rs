//! Operations that compute the same value.
//!
//! **Pure**: an operation whose result depends only on its operands. **Congruent**: two values that are the same pure
//! operation on congruent operands, or one and the same value. A thread that has executed both since it last executed
//! their operands has the same value in both.
//!
//! ```text
//! then:      %1 = add %n, 1
//! otherwise: %2 = add %n, 1               congruent to %1
//! end: %x = phi [then: %1], [otherwise: %2]   the same for all threads, whichever way they came
//! ```
//!
//! Congruence is decided when it is asked for, by comparing the operations: most questions end at the first one.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use crate::flow::{Function, Op, ValueId};

/// The limit on operations between a compared value and the values that it is computed from.
const MAX_DEPTH: usize = 8;

/// Whether two values are congruent.
pub(super) fn are_congruent(function: &Function, a: ValueId, b: ValueId) -> bool {
    compare(function, a, b, MAX_DEPTH)
}

/// Returns a hash that congruent values share.
pub(super) fn hash_of(function: &Function, value: ValueId) -> u64 {
    let mut hasher = FxHasher::default();
    hash(function, value, MAX_DEPTH, &mut hasher);
    hasher.finish()
}

/// Visits the values that a value is computed from by pure operations. Leaves are not visited. Returns false if there
/// are too many operations in between.
pub(super) fn roots(function: &Function, value: ValueId, visit: &mut dyn FnMut(ValueId)) -> bool {
    roots_within(function, value, MAX_DEPTH, visit)
}

fn roots_within(function: &Function, value: ValueId, depth: usize, visit: &mut dyn FnMut(ValueId)) -> bool {
    let op = &function.values[value].op;
    if op.is_leaf() {
        return true;
    }
    if !function.is_pure(value) {
        visit(value);
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    operands(op).into_iter().all(|operand| roots_within(function, operand, depth, visit))
}

fn operands(op: &Op) -> SmallVec<[ValueId; 3]> {
    let mut operands = SmallVec::new();
    op.operands(|&operand| operands.push(operand));
    operands
}

fn compare(function: &Function, a: ValueId, b: ValueId, depth: usize) -> bool {
    if a == b {
        return true;
    }
    let (first, second) = (&function.values[a], &function.values[b]);
    if first.ty != second.ty {
        return false;
    }
    if first.op.is_leaf() || second.op.is_leaf() {
        return first.op == second.op;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    if !function.is_pure(a)
        || !function.is_pure(b)
        || std::mem::discriminant(&first.op) != std::mem::discriminant(&second.op)
    {
        return false;
    }
    let (own, others) = (operands(&first.op), operands(&second.op));
    own.len() == others.len()
        && is_same_operator(&first.op, &second.op)
        && own.iter().zip(&others).all(|(&a, &b)| compare(function, a, b, depth))
}

/// Whether two pure operations are the same apart from their operands.
fn is_same_operator(a: &Op, b: &Op) -> bool {
    let without_operands = |op: &Op| {
        let mut op = op.clone();
        op.operands_mut(|operand| *operand = ValueId::new(0));
        op
    };
    without_operands(a) == without_operands(b)
}

fn hash(function: &Function, value: ValueId, depth: usize, hasher: &mut FxHasher) {
    let op = &function.values[value].op;
    std::mem::discriminant(op).hash(hasher);
    match depth.checked_sub(1) {
        Some(depth) if function.is_pure(value) => {
            operands(op).into_iter().for_each(|operand| hash(function, operand, depth, hasher));
        }
        _ => match op {
            Op::Parameter(number) => number.hash(hasher),
            Op::Constant(constant) => constant.hash(hasher),
            Op::Slot(slot) => slot.hash(hasher),
            Op::Global(name) => name.hash(hasher),
            Op::Function(key) => key.hash(hasher),
            Op::String(bytes) => bytes.hash(hasher),
            _ => value.hash(hasher),
        },
    }
}
