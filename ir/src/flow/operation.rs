//! What yields a value: the operations, and what they are made of.
//!
//! **Leaf**: an operation that stands in no block, since its value is there from the beginning. **Operands**: the values that an operation
//! is made of. What is known of one operation, such as the type that it must have or how it is written, is beside what asks for it.
//!
//! ```text
//! %n: int                           // Parameter(0), a leaf
//! %1 = ne %n, 0                     // Compare: its operands are %n and a Constant
//! %2 = call barrier(uint 1) with %0 // Call, of a Builtin; the token is an operand, too
//! ```

use tangle_base::Symbol;

use super::{BlockId, Passing, SlotId, ValueId, VariableId};
use crate::key::{FunctionKey, Named};
use crate::nest::CallId;
use crate::types::Ty;
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

/// What yields a value.
///
/// `Parameter`, `Constant`, `Slot`, `Global`, `Function` and `String` stand in no block: they are there from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The argument for the parameter of this number.
    Parameter(u32),
    /// A constant of the value's type.
    Constant(Constant),
    /// The address of a slot.
    Slot(SlotId),
    /// The address of a variable of the module, by its name there.
    Global(Symbol),
    /// The address of a function.
    Function(FunctionKey),
    /// The address of a string in `constant` memory, its zero byte included.
    String(Box<[u8]>),

    /// One operand for each predecessor; one that leads here twice stands twice, as in [`Function::predecessors`](super::Function::predecessors).
    Phi(Vec<(BlockId, ValueId)>),
    /// The variable's value. Not in SSA form.
    Get(VariableId),
    /// Not in SSA form.
    Set(VariableId, ValueId),

    /// On integers and floats, and vectors of them.
    Unary {
        /// What is done.
        op: UnaryOp,
        /// Of the type of the result.
        operand: ValueId,
    },
    /// Operands have the type of the result. A shift's count is below the width.
    Binary {
        /// What is done.
        op: Arithmetic,
        /// Of the type of the result.
        left: ValueId,
        /// Of the type of the result.
        right: ValueId,
    },
    /// `bool` of scalars and pointers; of vectors integers as wide as the lanes, 0 or -1.
    Compare {
        /// What is asked.
        op: Comparison,
        /// A scalar, vector or pointer.
        left: ValueId,
        /// Of the type of the left one.
        right: ValueId,
    },
    /// Types are those of the operand and of the result. `Integer` also takes `bool` operands; never `Discard`.
    Convert {
        /// How.
        conversion: Conversion,
        /// What is converted.
        operand: ValueId,
    },
    /// The condition is a `bool`, or a vector of integers whose lanes choose by their top bit.
    Select {
        /// A `bool`, or for a vector a lane for each lane.
        condition: ValueId,
        /// The value where the condition holds.
        then: ValueId,
        /// The value where it does not.
        otherwise: ValueId,
    },
    /// One lane of a vector; any integer is the number.
    Extract {
        /// Of vector type.
        vector: ValueId,
        /// Any integer.
        lane: ValueId,
    },
    /// The vector with one lane replaced.
    Insert {
        /// Of vector type.
        vector: ValueId,
        /// Any integer.
        lane: ValueId,
        /// Of the type of a lane.
        value: ValueId,
    },
    /// Lanes of two vectors of the same type: those of the second follow those of the first. None: undefined.
    Shuffle {
        /// The vector with the first numbers.
        left: ValueId,
        /// The vector whose lanes follow.
        right: ValueId,
        /// The number of each lane of the result among the lanes of both.
        lanes: Box<[Option<u8>]>,
    },

    /// Alignment in bytes.
    Load {
        /// Of pointer type.
        address: ValueId,
        /// The access must stay as it is.
        volatile: bool,
        /// In bytes; a power of two.
        align: u32,
    },
    /// Writes a value into memory.
    Store {
        /// Of pointer type.
        address: ValueId,
        /// What is written.
        value: ValueId,
        /// The access must stay as it is.
        volatile: bool,
        /// In bytes; a power of two.
        align: u32,
    },
    /// Copies an object of type `ty`.
    Copy {
        /// Of pointer type.
        to: ValueId,
        /// Of pointer type.
        from: ValueId,
        /// Of the object.
        ty: Ty,
    },
    /// Fills an object of type `ty` with zero bytes.
    Clear {
        /// Of pointer type.
        address: ValueId,
        /// Of the object.
        ty: Ty,
    },
    /// `base` plus `index` elements of type `element`. The index is any integer, extended by its sign.
    Element {
        /// Of pointer type.
        base: ValueId,
        /// In elements.
        index: ValueId,
        /// Its size is that of a step.
        element: Ty,
    },
    /// The address of a field of a record at `base`.
    Field {
        /// Of pointer type.
        base: ValueId,
        /// A struct or union whose fields are known.
        record: Ty,
        /// The number of the field in the definition of the record.
        field: u32,
    },

    /// A call. Its type is that of the result.
    Call(Call),
    /// What is not known. Every analysis goes on with it (`docs/semantics.md` §9); only emission refuses it.
    Unknown {
        /// What it is.
        what: Unknown,
        /// What it is made of, in the order of evaluation: it is as divergent as they are. Of [`Unknown::Place`] the first is a pointer.
        operands: Box<[ValueId]>,
    },
    /// A convergence-control intrinsic: the value is a token.
    Token(Token),
}

/// The operands of an operation, by reference of the kind that the caller has.
macro_rules! visit_operands {
    ($op:expr, $visit:ident, $iter:ident $(, $mutable:tt)?) => {
        match $op {
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_)
            | Op::Get(_)
            | Op::Token(Token::Entry | Token::Anchor) => {}
            Op::Phi(incoming) => incoming.$iter().for_each(|(_, value)| $visit(value)),
            Op::Set(_, value) | Op::Token(Token::Loop(value)) => $visit(value),
            Op::Unary { operand, .. } | Op::Convert { operand, .. } => $visit(operand),
            Op::Binary { left, right, .. }
            | Op::Compare { left, right, .. }
            | Op::Shuffle { left, right, .. } => {
                $visit(left);
                $visit(right);
            }
            Op::Select { condition, then, otherwise } => {
                $visit(condition);
                $visit(then);
                $visit(otherwise);
            }
            Op::Extract { vector, lane } => {
                $visit(vector);
                $visit(lane);
            }
            Op::Insert { vector, lane, value } => {
                $visit(vector);
                $visit(lane);
                $visit(value);
            }
            Op::Load { address, .. } | Op::Clear { address, .. } => $visit(address),
            Op::Store { address, value, .. } => {
                $visit(address);
                $visit(value);
            }
            Op::Copy { to, from, .. } => {
                $visit(to);
                $visit(from);
            }
            Op::Element { base, index, .. } => {
                $visit(base);
                $visit(index);
            }
            Op::Field { base, .. } => $visit(base),
            Op::Unknown { operands, .. } => operands.$iter().for_each($visit),
            Op::Call(call) => {
                if let Callee::Pointer { address, .. } = & $($mutable)? call.callee {
                    $visit(address);
                }
                call.arguments.$iter().for_each(|(argument, _)| $visit(argument));
                call.token.$iter().for_each($visit);
            }
        }
    };
}

impl Op {
    /// Calls `visit` with each operand, phi operands and tokens included.
    pub fn operands(&self, mut visit: impl FnMut(&ValueId)) {
        visit_operands!(self, visit, iter)
    }

    /// Calls `visit` with each operand, to replace it.
    pub fn operands_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        visit_operands!(self, visit, iter_mut, mut)
    }

    /// Whether it stands in no block.
    pub fn is_leaf(&self) -> bool {
        matches!(
            self,
            Op::Parameter(_)
                | Op::Constant(_)
                | Op::Slot(_)
                | Op::Global(_)
                | Op::Function(_)
                | Op::String(_)
        )
    }
}

/// What an operation is of which not all is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// What a name stands for that nothing defines and nothing changes: a constant of the build, the same for all threads. No operands.
    Name(Symbol),
    /// What a variable that nothing declares holds when the function begins: it is the thread's own. No operands.
    Variable(Symbol),
    /// What an operation on something unknown yields.
    Value,
    /// What an arithmetic operator yields for two operands of which at least one has an unknown type.
    Arithmetic(Arithmetic),
    /// The same for a comparison.
    Compare(Comparison),
    /// An address somewhere in what the first operand points to.
    Place,
    /// The member of this name of something of which it is not known what it has: its address, if the operand is the address of that, or else its value.
    Member(Symbol),
    /// A statement that is not understood: it yields nothing, and is taken to run on.
    Statement,
    /// Inline assembly: it yields nothing.
    Assembly,
}

impl Unknown {
    /// A sentence that says what is not known.
    pub fn reason(self) -> String {
        match self {
            Unknown::Name(name) => format!("`{name}` is not defined"),
            Unknown::Variable(name) => format!("`{name}` is not declared"),
            Unknown::Value | Unknown::Arithmetic(_) | Unknown::Compare(_) => {
                "the meaning of this expression is unknown".to_owned()
            }
            Unknown::Place => "the address of this expression is unknown".to_owned(),
            Unknown::Member(name) => format!("the type that has the member `{name}` is unknown"),
            Unknown::Statement => "this statement is not supported".to_owned(),
            Unknown::Assembly => "inline assembly is not supported".to_owned(),
        }
    }
}

/// A call of a function or builtin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Values, and addresses for [`Passing::Copy`] and [`Passing::Result`] (which comes first), as the callee's parameters say.
    pub arguments: Vec<(ValueId, Passing)>,
    /// The call in the body. None: it stands in no body, such as what a builtin expands to.
    pub call: Option<CallId>,
    /// The threads that execute it together matter. Known once tokens are placed.
    pub convergent: bool,
    /// The token that controls it, if it is convergent and tokens are placed.
    pub token: Option<ValueId>,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the module, or one that another module defines. The type is the declared one.
    Function {
        /// By what the program knows it.
        key: FunctionKey,
        /// A function type.
        ty: Ty,
    },
    /// A builtin of the dialect; its name is mangled with the types of its parameters.
    Builtin {
        /// The name in the language.
        name: Symbol,
        /// A function type.
        ty: Ty,
    },
    /// `__builtin_…`
    Compiler {
        /// The name, `__builtin_` included.
        name: Symbol,
        /// A function type.
        ty: Ty,
    },
    /// What a pointer points to.
    Pointer {
        /// Of pointer type.
        address: ValueId,
        /// A function type.
        ty: Ty,
    },
    /// What nothing declares, or what the arguments do not choose among the functions of a name.
    Unknown {
        /// None: no function of the source, but what inline assembly writes, or what an atomic operator finds.
        named: Option<Named>,
        /// A function type: that of the arguments.
        ty: Ty,
    },
}

impl Callee {
    /// What people call it. None: it has no name.
    pub fn name(&self) -> Option<Symbol> {
        match self {
            Callee::Function { key, .. } => Some(key.name).filter(|&name| name != Symbol::EMPTY),
            Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => Some(*name),
            Callee::Unknown { named, .. } => named.and_then(Named::name),
            Callee::Pointer { .. } => None,
        }
    }

    /// Whether the source says which function is meant, or which functions may be.
    pub fn is_named(&self) -> bool {
        match self {
            Callee::Function { .. } | Callee::Builtin { .. } | Callee::Compiler { .. } => true,
            Callee::Unknown { named, .. } => named.is_some(),
            Callee::Pointer { .. } => false,
        }
    }

    /// The name by which a row of a table may describe it. None: it is a method, or has no name.
    pub fn row(&self) -> Option<Symbol> {
        match self {
            Callee::Function { key, .. } => key.row(),
            Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => Some(*name),
            Callee::Unknown { named, .. } => named.and_then(Named::row),
            Callee::Pointer { .. } => None,
        }
    }

    /// The function that is called, if it is one of the program.
    pub fn key(&self) -> Option<FunctionKey> {
        match self {
            Callee::Function { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// The type of the function that is called.
    pub fn ty(&self) -> Ty {
        let (Callee::Function { ty, .. }
        | Callee::Builtin { ty, .. }
        | Callee::Compiler { ty, .. }
        | Callee::Pointer { ty, .. }
        | Callee::Unknown { ty, .. }) = self;
        *ty
    }

    /// The type of the function that is called, to change it.
    pub fn ty_mut(&mut self) -> &mut Ty {
        let (Callee::Function { ty, .. }
        | Callee::Builtin { ty, .. }
        | Callee::Compiler { ty, .. }
        | Callee::Pointer { ty, .. }
        | Callee::Unknown { ty, .. }) = self;
        ty
    }
}

/// The convergence-control intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// All threads that entered the function together (`llvm.experimental.convergence.entry`).
    Entry,
    /// The heart of a cycle, with the token of what is around it.
    Loop(ValueId),
    /// Any threads that happen to be here together (`llvm.experimental.convergence.anchor`).
    Anchor,
}
