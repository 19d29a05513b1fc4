//! Graphs with calls that are convergent or not: `%c` is a condition, `%n` a number, and `op` a convergent operation.

use tangle_analysis::flow::builder::Builder;
use tangle_analysis::flow::{BlockId, Call, Callee, Function, Op, Value, ValueId};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_hir::types::{FunctionTy, Ty, TyKind};

pub const NOWHERE: Span = Span { start: 0, end: 0 };

/// Returns the builder of a function with the parameters `%c` and `%n`, and an empty entry block.
pub fn empty(name: &str) -> Builder {
    let mut builder = Builder::new(name, Ty::VOID);
    builder.parameter("c", Ty::BOOL);
    builder.parameter("n", Ty::INT);
    builder
}

/// Returns the value of `%c`.
pub fn condition() -> ValueId {
    ValueId::new(0)
}

/// Returns the value of `%n`.
pub fn number() -> ValueId {
    ValueId::new(1)
}

pub fn call(callee: &str, convergent: bool, token: Option<ValueId>) -> Call {
    let ty = FunctionTy { result: Ty::VOID, parameters: Box::default(), variadic: false };
    let ty = Ty::new(TyKind::Function(Box::new(ty)));
    let callee = Callee::Builtin { name: Symbol::intern(callee), ty };
    Call { callee, arguments: Vec::new(), call: None, convergent, token }
}

/// Appends an operation to a block, even at an invalid place.
pub fn push(function: &mut Function, block: BlockId, op: Op) -> ValueId {
    let ty = if matches!(op, Op::Token(_)) { Ty::TOKEN } else { Ty::VOID };
    let value = function.values.push(Value { op, ty, name: None, span: NOWHERE });
    function.blocks[block].values.push(value);
    value
}

/// Reads a function `f()`, to which it adds the parameters `%c` and `%n`.
pub fn parse(text: &str) -> Function {
    let text = text.replacen("f()", "f(%c: bool, %n: int)", 1);
    tangle_ir::text::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
