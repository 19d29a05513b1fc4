//! The widths of shuffles.

use tangle_analysis::flow::{Function, Op, ValueId};
use tangle_ir::operation::{CollectiveOp, Operation, Outside};
use tangle_ir::value::{Constant, Conversion};
use tangle_syntax::dialect::Builtins;

/// Returns the width that a shuffle divides the warp into, if the call passes a constant.
pub(crate) fn constant_width(builtins: &Builtins, function: &Function, value: ValueId) -> Option<i128> {
    let Op::Call(call) = &function.values[value].op else { return None };
    let Operation::Collective(collective) = builtins.operation(call.callee.row()?)? else { return None };
    let CollectiveOp::Shuffle { outside: Outside::Segments { size }, .. } = collective.op else {
        return None;
    };
    let mut width = call.arguments.get(usize::from(size))?.0;
    while let Op::Convert { conversion: Conversion::Integer, operand } = function.values[width].op {
        width = operand;
    }
    match function.values[width].op {
        Op::Constant(Constant::Integer(width)) => Some(width),
        Op::Constant(Constant::Zero) => Some(0),
        _ => None,
    }
}
