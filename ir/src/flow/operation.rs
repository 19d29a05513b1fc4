//! The operations, which compute values, and their parts.
//!
//! **Leaf**: a value that is in no block, because it exists from the beginning of the function. **Operands**: the
//! values that an operation uses. Properties of operations, such as the result type or the text form, are computed by
//! the modules that need them.
//!
//! ```text
//! %n: int                           // Parameter(0), a leaf
//! %1 = ne %n, 0                     // Compare: its operands are %n and a Constant
//! %2 = call barrier(uint 1) with %0 // Call of a Builtin; the token is an operand, too
//! ```

use tangle_base::Symbol;

use super::{BlockId, Passing, SlotId, ValueId, VariableId};
use crate::key::{FunctionKey, UnresolvedCallee};
use crate::nest::CallId;
use crate::types::Ty;
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

/// An operation, which computes a value.
///
/// `Parameter`, `Constant`, `Slot`, `Global`, `Function` and `String` are leaves: they are in no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The argument for the parameter with this number.
    Parameter(u32),
    /// A constant. Its type is that of the value.
    Constant(Constant),
    /// The address of a slot.
    Slot(SlotId),
    /// The address of a variable of the module, by its name in the module.
    Global(Symbol),
    /// The address of a function.
    Function(FunctionKey),
    /// The address of a string in `constant` memory, including its terminating zero.
    String(Box<[u8]>),

    /// A phi: one operand for each incoming edge. A predecessor with two edges occurs twice, as in
    /// [`Function::predecessors`](super::Function::predecessors).
    Phi(Vec<(BlockId, ValueId)>),
    /// Reads a variable. Not in SSA form.
    Get(VariableId),
    /// Writes a variable. Not in SSA form.
    Set(VariableId, ValueId),

    /// An operation on one integer or float, or on a vector of them.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand, of the result type.
        operand: ValueId,
    },
    /// An operation on two values of the result type. The count of a shift is below the width.
    Binary {
        /// The operator.
        op: Arithmetic,
        /// The left operand, of the result type.
        left: ValueId,
        /// The right operand, of the result type.
        right: ValueId,
    },
    /// A comparison. It yields a `bool` for scalars and pointers; for vectors, integers as wide as the lanes that are 0
    /// or -1.
    Compare {
        /// The relation.
        op: Comparison,
        /// A scalar, vector or pointer.
        left: ValueId,
        /// A value of the same type as `left`.
        right: ValueId,
    },
    /// A conversion from the operand's type to the result type. `Integer` also accepts `bool` operands. Never
    /// `Discard`.
    Convert {
        /// The kind of conversion.
        conversion: Conversion,
        /// The converted value.
        operand: ValueId,
    },
    /// Chooses one of two values. The condition is a `bool`, or a vector of integers whose top bits choose lane by
    /// lane.
    Select {
        /// A `bool`, or a vector with one lane for each lane of the result.
        condition: ValueId,
        /// The result where the condition holds.
        then: ValueId,
        /// The result where the condition does not hold.
        otherwise: ValueId,
    },
    /// One lane of a vector.
    Extract {
        /// The vector.
        vector: ValueId,
        /// The number of the lane: any integer type.
        lane: ValueId,
    },
    /// A copy of a vector with one lane replaced.
    Insert {
        /// The vector.
        vector: ValueId,
        /// The number of the lane: any integer type.
        lane: ValueId,
        /// The new value, of the lane type.
        value: ValueId,
    },
    /// A vector of lanes that are chosen from two vectors of the same type.
    Shuffle {
        /// The vector whose lanes are numbered first.
        left: ValueId,
        /// The vector whose lanes continue the numbering.
        right: ValueId,
        /// The number of the source lane for each lane of the result. None for an undefined lane.
        lanes: Box<[Option<u8>]>,
    },

    /// Reads a value from memory.
    Load {
        /// The address: a pointer.
        address: ValueId,
        /// Whether the access must not be changed or removed.
        volatile: bool,
        /// The alignment in bytes: a power of two.
        align: u32,
    },
    /// Writes a value to memory.
    Store {
        /// The address: a pointer.
        address: ValueId,
        /// The written value.
        value: ValueId,
        /// Whether the access must not be changed or removed.
        volatile: bool,
        /// The alignment in bytes: a power of two.
        align: u32,
    },
    /// Copies an object of type `ty`.
    Copy {
        /// The address of the destination.
        to: ValueId,
        /// The address of the source.
        from: ValueId,
        /// The type of the object.
        ty: Ty,
    },
    /// Fills an object of type `ty` with zero bytes.
    Clear {
        /// The address of the object.
        address: ValueId,
        /// The type of the object.
        ty: Ty,
    },
    /// The address `base` plus `index` times the size of `element`. The index has any integer type and is
    /// sign-extended.
    Element {
        /// The base address: a pointer.
        base: ValueId,
        /// The index, in elements.
        index: ValueId,
        /// The type of the elements.
        element: Ty,
    },
    /// The address of a field of the record at `base`.
    Field {
        /// The address of the record.
        base: ValueId,
        /// The struct or union type, with known fields.
        record: Ty,
        /// The number of the field in the definition of the record.
        field: u32,
    },

    /// A call. The type of the value is the result type.
    Call(Call),
    /// An unknown. Every analysis continues with an assumption about it (`docs/semantics.md` §9); only emission of LLVM
    /// IR rejects it.
    Unknown {
        /// The kind of unknown.
        what: Unknown,
        /// The values that it derives from, in the order of evaluation: it is as divergent as these values. The first
        /// operand of [`Unknown::Address`] is a pointer.
        operands: Box<[ValueId]>,
    },
    /// A convergence-control intrinsic. Its value is a token.
    Token(Token),
}

/// Visits the operands of an operation, by shared or mutable reference.
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
    /// Calls `visit` with each operand, including phi operands and tokens.
    pub fn operands(&self, mut visit: impl FnMut(&ValueId)) {
        visit_operands!(self, visit, iter)
    }

    /// Calls `visit` with each operand, to replace it.
    pub fn operands_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        visit_operands!(self, visit, iter_mut, mut)
    }

    /// Returns whether the value is in no block.
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

/// The kind of an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unknown {
    /// The value of an undefined name that is only read: a constant of the build, the same for all threads. No
    /// operands.
    Name(Symbol),
    /// A constant that depends on template arguments, by its text: `N`, `sizeof(T)`, `T::value`. It is the same for all
    /// threads. No operands.
    Dependent(Symbol),
    /// The value of an undeclared variable at the start of the function, private to the thread. No operands.
    Variable(Symbol),
    /// The result of an operation on unknown operands.
    Value,
    /// The result of an arithmetic operator if at least one operand has an unknown type.
    Arithmetic(Arithmetic),
    /// The result of a comparison if at least one operand has an unknown type.
    Compare(Comparison),
    /// An address inside the object that the first operand points to.
    Address,
    /// A member of an object of unknown type, by name: its address if the operand is the address of the object,
    /// otherwise its value.
    Member(Symbol),
    /// An unsupported statement. It has no result, and control is assumed to continue after it.
    Statement,
    /// Inline assembly. It has no result.
    Assembly,
}

impl Unknown {
    /// Returns the reason why a function with this unknown is not emitted, as a clause.
    pub fn reason(self) -> String {
        match self {
            Unknown::Name(name) => format!("`{name}` is not defined"),
            Unknown::Dependent(text) => format!("`{text}` depends on template arguments"),
            Unknown::Variable(name) => format!("`{name}` is not declared"),
            Unknown::Value | Unknown::Arithmetic(_) | Unknown::Compare(_) => {
                "the meaning of this expression is unknown".to_owned()
            }
            Unknown::Address => "the address of this expression is unknown".to_owned(),
            Unknown::Member(name) => format!("the type that has the member `{name}` is unknown"),
            Unknown::Statement => "this statement is not supported".to_owned(),
            Unknown::Assembly => "inline assembly is not supported".to_owned(),
        }
    }
}

/// A call of a function or builtin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The called function.
    pub callee: Callee,
    /// The arguments, as the callee's parameters require: values, or addresses for [`Passing::Copy`] and
    /// [`Passing::Result`]. The latter comes first.
    pub arguments: Vec<(ValueId, Passing)>,
    /// The call in the source body. None if no call in the source corresponds to it, as in the expansion of a builtin.
    pub call: Option<CallId>,
    /// Whether the call is convergent: it matters which threads execute it together. Set when tokens are placed.
    pub convergent: bool,
    /// The token that controls the call, if it is convergent and tokens are placed.
    pub token: Option<ValueId>,
}

/// The called function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function that this or another module defines. The type is the declared type.
    Function {
        /// The key of the function in the program.
        key: FunctionKey,
        /// The function type.
        ty: Ty,
    },
    /// A builtin of the dialect. Its name is mangled with the types of its parameters.
    Builtin {
        /// The name in the language.
        name: Symbol,
        /// The function type.
        ty: Ty,
    },
    /// A builtin of the compiler, `__builtin_…`.
    CompilerBuiltin {
        /// The name, including `__builtin_`.
        name: Symbol,
        /// The function type.
        ty: Ty,
    },
    /// The function that a pointer points to.
    Pointer {
        /// The pointer.
        address: ValueId,
        /// The function type.
        ty: Ty,
    },
    /// An undeclared function, or a function that overload resolution cannot choose.
    Unknown {
        /// The name in the source. None if no function is named: the call represents the output of inline assembly, or
        /// the value that an operator reads from an atomic object.
        named: Option<UnresolvedCallee>,
        /// The function type that the arguments imply.
        ty: Ty,
    },
}

impl Callee {
    /// Whether it is a function of the language or of the compiler.
    pub fn is_of_dialect(&self) -> bool {
        matches!(self, Callee::Builtin { .. } | Callee::CompilerBuiltin { .. })
    }

    /// Returns the name for messages. None if the callee has no name.
    pub fn name(&self) -> Option<Symbol> {
        match self {
            Callee::Function { key, .. } => Some(key.name).filter(|&name| name != Symbol::EMPTY),
            Callee::Builtin { name, .. } | Callee::CompilerBuiltin { name, .. } => Some(*name),
            Callee::Unknown { named, .. } => named.and_then(UnresolvedCallee::name),
            Callee::Pointer { .. } => None,
        }
    }

    /// Returns whether the source names the function, or the functions that it may be.
    pub fn is_named(&self) -> bool {
        match self {
            Callee::Function { .. } | Callee::Builtin { .. } | Callee::CompilerBuiltin { .. } => true,
            Callee::Unknown { named, .. } => named.is_some(),
            Callee::Pointer { .. } => false,
        }
    }

    /// Returns the name under which a row of a table can describe the callee. None for methods and for callees without
    /// a name.
    pub fn row(&self) -> Option<Symbol> {
        match self {
            Callee::Function { key, .. } => key.row(),
            Callee::Builtin { name, .. } | Callee::CompilerBuiltin { name, .. } => Some(*name),
            Callee::Unknown { named, .. } => named.and_then(UnresolvedCallee::table_name),
            Callee::Pointer { .. } => None,
        }
    }

    /// Returns the key of the callee if it is a function of the program.
    pub fn key(&self) -> Option<FunctionKey> {
        match self {
            Callee::Function { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// Returns the function type of the callee.
    pub fn ty(&self) -> Ty {
        let (Callee::Function { ty, .. }
        | Callee::Builtin { ty, .. }
        | Callee::CompilerBuiltin { ty, .. }
        | Callee::Pointer { ty, .. }
        | Callee::Unknown { ty, .. }) = self;
        *ty
    }

    /// Returns the function type of the callee, to change it.
    pub fn ty_mut(&mut self) -> &mut Ty {
        let (Callee::Function { ty, .. }
        | Callee::Builtin { ty, .. }
        | Callee::CompilerBuiltin { ty, .. }
        | Callee::Pointer { ty, .. }
        | Callee::Unknown { ty, .. }) = self;
        ty
    }
}

/// The convergence-control intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The threads that entered the function together (`llvm.experimental.convergence.entry`).
    Entry,
    /// The heart of a cycle, with its parent: the token around the cycle (`llvm.experimental.convergence.loop`).
    Loop(ValueId),
    /// Any set of threads that the implementation brings here together (`llvm.experimental.convergence.anchor`).
    Anchor,
}
