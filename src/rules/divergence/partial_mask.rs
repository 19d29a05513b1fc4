//! Calls that pass a mask which may not name all lanes of the warp.

use tangle_analysis::flow::{Function, Op, ValueId};
use tangle_ir::value::Constant;
use tangle_syntax::dialect::Builtin;

/// Whether a call of a builtin passes a mask that does not name all lanes by its text alone.
pub(crate) fn has_partial_mask(function: &Function, value: ValueId, row: &Builtin) -> bool {
    let Op::Call(call) = &function.values[value].op else { return false };
    let Some((mask, _)) = row.mask.and_then(|mask| mask.of(&call.arguments)) else { return false };
    !matches!(&function.values[*mask].op, Op::Constant(Constant::Integer(mask)) if is_full(*mask))
}

/// Whether a mask names the lanes of a warp, of 32 or 64 lanes.
fn is_full(mask: i128) -> bool {
    mask == -1 || mask == i128::from(u32::MAX) || mask == i128::from(u64::MAX)
}
