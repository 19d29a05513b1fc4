//! The widths of shuffles, and the template arguments that a shuffle depends on.

use rustc_hash::FxHashSet;

use tangle_analysis::flow::{BlockId, Function, Op, Unknown, ValueId};
use tangle_analysis::uniformity::graph::Graph;
use tangle_base::Symbol;
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

/// Returns the template argument, or expression of template arguments, that alone decides whether a block executes. The
/// template may have no instantiation that contains the block.
pub(crate) fn deciding_template_argument(
    function: &Function,
    graph: &Graph,
    block: BlockId,
) -> Option<Symbol> {
    let mut seen = FxHashSet::from_iter([block]);
    let mut todo = vec![block];
    while let Some(block) = todo.pop() {
        for &branch in &graph.controllers[block] {
            let condition = function.blocks[branch].terminator.operand();
            if let Some(text) = condition.and_then(|condition| template_argument(function, condition)) {
                return Some(text);
            }
            if seen.insert(branch) {
                todo.push(branch);
            }
        }
    }
    None
}

/// Returns the first template argument that a value is computed from, if the rest are constants.
fn template_argument(function: &Function, value: ValueId) -> Option<Symbol> {
    /// Longer computations are not followed.
    const MAX_OPERATIONS: usize = 64;
    let mut found = None;
    let mut todo = vec![value];
    for _ in 0..MAX_OPERATIONS {
        let Some(value) = todo.pop() else { return found };
        match &function.values[value].op {
            Op::Constant(_) => {}
            Op::Unknown { what: Unknown::Dependent(text), .. } => found = found.or(Some(*text)),
            op @ (Op::Convert { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Unknown {
                what: Unknown::Arithmetic(_) | Unknown::Compare(_) | Unknown::Value, ..
            }) => {
                op.operands(|&operand| todo.push(operand));
            }
            _ => return None,
        }
    }
    None
}
