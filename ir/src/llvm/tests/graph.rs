//! Helpers that build parts of functions and modules.

use tangle_base::{AddressSpace, Symbol};

use crate::flow::builder::Builder;
use crate::flow::*;
use crate::types::*;
use crate::value::Data;

pub fn kernel(name: &str) -> Builder {
    let mut builder = Builder::new(name, Ty::VOID);
    builder.function().kernel = true;
    builder
}

/// Adds an operation whose value belongs to a variable of the source.
pub fn named(builder: &mut Builder, name: &str, op: Op, ty: Ty) -> ValueId {
    let value = builder.op(op, ty);
    builder.name(value, name);
    value
}

/// Adds a block, and continues in it.
pub fn begin(builder: &mut Builder, name: &str) -> BlockId {
    let block = builder.block(name);
    builder.at(block);
    block
}

/// Adds a call of a function of the compiler.
pub fn compiler(builder: &mut Builder, name: &str, result: Ty, arguments: &[ValueId]) -> ValueId {
    let parameters: Vec<Ty> = arguments.iter().map(|value| builder.ty(*value)).collect();
    let callee = Callee::CompilerBuiltin { name: Symbol::intern(name), ty: function(result, &parameters) };
    builder.call(callee, arguments)
}

/// Adds a `return` at the end, and returns the function.
pub fn done(mut builder: Builder) -> Function {
    builder.ret(None);
    builder.finish()
}

pub fn function(result: Ty, parameters: &[Ty]) -> Ty {
    Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters: parameters.into(), variadic: false })))
}

pub fn builtin(name: &str, result: Ty, parameters: &[Ty]) -> Callee {
    Callee::Builtin { name: Symbol::intern(name), ty: function(result, parameters) }
}

pub fn global_pointer(ty: Ty) -> Ty {
    Ty::pointer(ty, AddressSpace::Global)
}

pub fn field(name: &str, ty: Ty) -> Field {
    let name = Some(Symbol::intern(name));
    Field { name, ty, bits: None, constant: false, volatile: false, packed: false, align: None }
}

pub fn record(tag: &str, union: bool, packed: bool, fields: &[Field]) -> Ty {
    let definition = Definition { fields: fields.into(), packed, pack: None, align: None };
    Ty::new(TyKind::Record(Box::new(Record {
        union,
        tag: Some(RecordName::plain(Symbol::intern(tag))),
        definition: Some(definition),
    })))
}

pub fn module(functions: Vec<Function>, globals: Vec<Global>) -> Module {
    Module { file: "dir/k.cl".to_owned(), functions, globals }
}

pub fn global(name: &str, ty: Ty, space: AddressSpace, initializer: Option<Data>) -> Global {
    let constant = space == AddressSpace::Constant;
    Global { name: Symbol::intern(name), ty, space, constant, internal: false, external: false, initializer }
}
