//! Graphs of calls that are convergent or not: `%c` is a condition, `%n` a number, and `op` a convergent operation.

use tangle_analysis::flow::builder::Builder;
use tangle_analysis::flow::{BlockId, Call, Callee, Function, Op, Value, ValueId};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_hir::types::{FunctionTy, Ty, TyKind};

pub const NOWHERE: Span = Span { start: 0, end: 0 };

/// A function with the parameters, and an empty entry.
pub fn empty(name: &str) -> Builder {
    let mut builder = Builder::new(name, Ty::VOID);
    builder.parameter("c", Ty::BOOL);
    builder.parameter("n", Ty::INT);
    builder
}

/// The value of `%c`.
pub fn condition() -> ValueId {
    ValueId::new(0)
}

/// The value of `%n`.
pub fn number() -> ValueId {
    ValueId::new(1)
}

pub fn call(callee: &str, convergent: bool, token: Option<ValueId>) -> Call {
    let ty = FunctionTy { result: Ty::VOID, parameters: Box::default(), variadic: false };
    let ty = Ty::new(TyKind::Function(Box::new(ty)));
    let callee = Callee::Builtin { name: Symbol::intern(callee), ty };
    Call { callee, arguments: Vec::new(), call: None, convergent, token }
}

/// Puts an operation at the end of a block, whether it belongs there or not.
pub fn push(function: &mut Function, block: BlockId, op: Op) -> ValueId {
    let ty = if matches!(op, Op::Token(_)) { Ty::TOKEN } else { Ty::VOID };
    let value = function.values.push(Value { op, ty, name: None, span: NOWHERE });
    function.blocks[block].values.push(value);
    value
}

/// Reads a function `f()`, which gets the parameters.
pub fn parse(text: &str) -> Function {
    let text = text.replacen("f()", "f(%c: bool, %n: int)", 1);
    tangle_ir::text::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
