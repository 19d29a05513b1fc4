//! Functions and modules made by hand.

use index_vec::index_vec;
use tangle_base::Symbol;
use tangle_base::{AddressSpace, Span};

use crate::flow::*;
use crate::key::FunctionKey;
use crate::types::*;
use crate::value::{Arithmetic, Constant, Conversion, Data};

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A function with one open block.
pub struct Graph(pub Function);

impl Graph {
    pub fn new(name: &str, result: Ty) -> Graph {
        let key = FunctionKey::plain(Symbol::intern(name));
        Graph(Function { blocks: index_vec![Block::named("entry")], ..Function::new(key, result) })
    }

    pub fn kernel(name: &str) -> Graph {
        let mut graph = Graph::new(name, Ty::VOID);
        graph.0.kernel = true;
        graph
    }

    pub fn value(&mut self, op: Op, ty: Ty) -> ValueId {
        let start = self.0.values.len() as u32;
        self.0.values.push(Value { op, ty, name: None, span: Span::new(start, start + 1) })
    }

    pub fn passed(&mut self, name: &str, ty: Ty, passing: Passing) -> ValueId {
        let number = self.0.parameters.len() as u32;
        let address = Ty::pointer(ty, AddressSpace::Private);
        let value = self.value(Op::Parameter(number), if passing == Passing::Value { ty } else { address });
        let name = (!name.is_empty()).then(|| Symbol::intern(name));
        self.0.parameters.push(Parameter { name, ty, passing, value, span: NOWHERE });
        value
    }

    pub fn parameter(&mut self, name: &str, ty: Ty) -> ValueId {
        self.passed(name, ty, Passing::Value)
    }

    pub fn constant(&mut self, ty: Ty, value: i128) -> ValueId {
        self.value(Op::Constant(Constant::Integer(value)), ty)
    }

    pub fn slot(&mut self, name: &str, ty: Ty) -> ValueId {
        let slot = self.0.slots.push(Slot { name: Some(Symbol::intern(name)), ty, span: NOWHERE });
        self.value(Op::Slot(slot), Ty::pointer(ty, AddressSpace::Private))
    }

    pub fn block(&mut self, name: &'static str) -> BlockId {
        self.0.blocks.push(Block::named(name))
    }

    /// An operation at the end of the last block.
    pub fn op(&mut self, ty: Ty, op: Op) -> ValueId {
        let value = self.value(op, ty);
        self.0.blocks.last_mut().unwrap().values.push(value);
        value
    }

    pub fn named(&mut self, name: &str, ty: Ty, op: Op) -> ValueId {
        let value = self.op(ty, op);
        self.0.values[value].name = Some(Symbol::intern(name));
        value
    }

    pub fn binary(&mut self, ty: Ty, op: Arithmetic, left: ValueId, right: ValueId) -> ValueId {
        self.op(ty, Op::Binary { op, left, right })
    }

    pub fn convert(&mut self, to: Ty, conversion: Conversion, operand: ValueId) -> ValueId {
        self.op(to, Op::Convert { conversion, operand })
    }

    pub fn load(&mut self, ty: Ty, address: ValueId) -> ValueId {
        self.op(ty, Op::Load { address, volatile: false, align: crate::layout::layout(ty).unwrap().align })
    }

    pub fn store(&mut self, value: ValueId, address: ValueId) {
        let align = crate::layout::layout(self.0.values[value].ty).unwrap().align;
        self.op(Ty::VOID, Op::Store { address, value, volatile: false, align });
    }

    pub fn call(&mut self, callee: Callee, result: Ty, arguments: &[ValueId]) -> ValueId {
        let arguments = arguments.iter().map(|value| (*value, Passing::Value)).collect();
        self.op(result, Op::Call(Call { callee, arguments, call: None, convergent: false, token: None }))
    }

    pub fn compiler(&mut self, name: &str, result: Ty, arguments: &[ValueId]) -> ValueId {
        let parameters: Vec<Ty> = arguments.iter().map(|value| self.0.values[*value].ty).collect();
        let callee = Callee::Compiler { name: Symbol::intern(name), ty: function(result, &parameters) };
        self.call(callee, result, arguments)
    }

    pub fn end(&mut self, terminator: Terminator) {
        self.0.blocks.last_mut().unwrap().terminator = terminator;
    }

    pub fn done(mut self) -> Function {
        self.end(Terminator::Return(None));
        self.0
    }
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
        tag: Some(Symbol::intern(tag)),
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
