//! Function bodies after name resolution and type checking: every expression has its type, every conversion is a node.
//!
//! Statements are those of [`Body`](super::body::Body), under the same numbers; this adds what they evaluate. An expression is a
//! **place** (something in memory, or a register variable: what C calls an lvalue) or a value. A place becomes a value only
//! through [`ExprKind::Load`] or [`ExprKind::Decay`], so that whoever reads this tree never asks what C would convert.
//!
//! ```c
//! float f(global int *p) { return p[1] * 2.0f; }
//! // Return: Binary(Mul, Convert(IntToFloat, Load(Deref(Offset(Load(Variable p), 1)))), 2.0f)
//! ```

use index_vec::{IndexVec, define_index_type};
use tangle_grammar::ast::{AddressSpace, Name, Span};
use tangle_grammar::symbol::Symbol;

use super::body::{CallId, StmtId};
use super::types::Ty;

use tangle_ir::key::{FunctionKey, Named, Owner};
pub use tangle_ir::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};

define_index_type! {
    /// An expression of one body. Operands have smaller numbers than what they are operands of.
    pub struct ExprId = u32;
}
define_index_type! {
    /// A parameter or variable of one body.
    pub struct VarId = u32;
}

/// A body of an item with the types of all that it evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedBody {
    /// By what calls name the function.
    pub key: FunctionKey,
    /// The type of the function: see [`TyKind::Function`](super::types::TyKind::Function).
    pub ty: Ty,
    /// The parameters first, in order.
    pub vars: IndexVec<VarId, Var>,
    pub exprs: IndexVec<ExprId, Expr>,
    /// For each statement of the body, what it evaluates.
    pub stmts: IndexVec<StmtId, Evaluated>,
}

impl TypedBody {
    /// The key of a lambda or block literal: its number in the item, and the function around it.
    pub fn key_of_literal(around: FunctionKey, number: usize) -> FunctionKey {
        let literal = u32::try_from(number).expect("an item has fewer than 2^32 literals");
        let owner = Owner::Function { name: around.name, literal };
        FunctionKey { owner, name: Symbol::EMPTY, overload: around.overload }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// None: a parameter without a name, or the object behind a compound literal.
    pub name: Option<Name>,
    pub ty: Ty,
    pub storage: Storage,
    pub space: AddressSpace,
    pub constant: bool,
    pub volatile: bool,
    /// Whether it points to the object of a method: `this`.
    pub is_object: bool,
    /// Where it is declared.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    Parameter,
    /// A variable of the function around a block literal: the block has a copy of what it held where the literal stands, or, of what lives
    /// longer than the call, the variable itself.
    Captured,
    /// Private to a thread, alive in its block.
    Automatic,
    /// In `local` memory: one for each work-group, not initialised.
    Local,
    /// `static`, or in `constant` memory: one for the whole program.
    Static(Option<Data>),
    /// `extern` at block scope: the variable of that name at file scope.
    Extern(Symbol),
}

/// What a statement evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Evaluated {
    #[default]
    Nothing,
    /// Of `if`, `switch`, `while`, `do`: the condition, a value of scalar type.
    Condition(ExprId),
    For {
        condition: Option<ExprId>,
        step: Option<ExprId>,
    },
    Return(Option<ExprId>),
    Expression(ExprId),
    Declaration(Box<[Local]>),
    /// The labelled range, both ends included: converted to the type of the `switch` condition.
    Case {
        low: i128,
        high: i128,
    },
    /// The target of a computed `goto`: a pointer.
    Goto(ExprId),
    /// Inline assembly.
    Assembly {
        /// The variables that it writes.
        outputs: Box<[ExprId]>,
        /// Those that it reads.
        inputs: Box<[ExprId]>,
        /// Calls of what the language knows of its instructions and registers.
        operations: Box<[ExprId]>,
        /// What it writes is what its one operation yields.
        alone: bool,
    },
}

/// A local variable where its declaration is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    pub var: VarId,
    /// None: begins undefined. Always None for [`Storage`] other than [`Storage::Automatic`].
    pub initializer: Option<Initializer>,
}

/// How a variable begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initializer {
    /// What no entry names begins as zero.
    pub zero: bool,
    /// In the order of evaluation: where in the variable, and a value of exactly the type that stands there. An empty path is the
    /// variable itself.
    pub entries: Box<[(Box<[Step]>, ExprId)]>,
}

/// One step into an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The number of a record's field.
    Field(u32),
    Element(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    /// Of a place: the type of what stands there.
    pub ty: Ty,
    pub span: Span,
}

impl Expr {
    /// Says that a call of which nothing is known yields the same for all threads: it stands in the condition of `if constexpr`.
    pub fn make_constant(&mut self) {
        if let ExprKind::Unknown { what: Unknown::Call { constant, .. }, .. } = &mut self.kind {
            *constant = true;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// Of which not all is known (`docs/semantics.md` §9). Evaluates its operands in order, and is as divergent as they are.
    Unknown {
        what: Unknown,
        operands: Box<[ExprId]>,
    },

    // Places.
    Variable(VarId),
    /// A variable at file scope.
    Global(Symbol),
    /// The operand is a pointer.
    Deref(ExprId),
    /// A field of a record, which is a place; or a value, if it is a call's result.
    Field {
        base: ExprId,
        field: u32,
    },
    /// Lanes of a vector: a place if the vector is one and no lane stands twice. One lane has the element's type.
    Lanes {
        base: ExprId,
        lanes: Box<[u8]>,
    },
    /// `v[i]` on a vector: a place if the vector is one.
    Lane {
        base: ExprId,
        index: ExprId,
    },
    /// An array of `char` in `constant` memory, its zero byte included.
    String(Box<[u8]>),
    /// `(T){ … }`: the variable is initialised here, and is the place.
    Compound {
        var: VarId,
        initializer: Initializer,
    },

    // Values.
    Constant(Constant),
    /// A function as a pointer to itself.
    Function(FunctionKey),
    /// A label as a pointer.
    Label(StmtId),
    /// The value at a place. Of a record, too: it is copied then.
    Load(ExprId),
    /// Pointer to the first element of an array, which is a place.
    Decay(ExprId),
    AddressOf(ExprId),
    Convert {
        conversion: Conversion,
        operand: ExprId,
    },
    /// On integers and floats, and vectors of them: `-x`, `~x`. The operand has the type of the result.
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    /// `!x`: `int` of a scalar (0 or 1), integers as wide as the lanes of a vector (0 or -1).
    Not(ExprId),
    /// Operands are alike and have the type of the result; a shift's right operand may be any integer (its count is taken
    /// modulo the width, as OpenCL C has it).
    Binary {
        op: Arithmetic,
        left: ExprId,
        right: ExprId,
    },
    /// Operands are alike: arithmetic, vectors or pointers. `int` of scalars, integers as wide as the lanes of vectors.
    Compare {
        op: Comparison,
        left: ExprId,
        right: ExprId,
    },
    /// `&&`, `||` on scalars: the right operand may not be evaluated. `int`.
    Logical {
        and: bool,
        left: ExprId,
        right: ExprId,
    },
    /// `&&`, `||` on vectors, lane by lane: both are evaluated. Lanes are 0 or -1.
    LogicalLanes {
        and: bool,
        left: ExprId,
        right: ExprId,
    },
    /// `pointer + index`, or `- index`: in elements. The index is any integer.
    Offset {
        pointer: ExprId,
        index: ExprId,
        negative: bool,
    },
    /// `left - right`, in elements: `long`.
    Difference {
        left: ExprId,
        right: ExprId,
    },
    /// Stores, and has the value stored; records are copied.
    Assign {
        place: ExprId,
        value: ExprId,
    },
    /// `place = (T)((compute)place op value)`. For pointers `op` is `Add` or `Sub`, `compute` the pointer's type, and `value` an integer.
    CompoundAssign {
        place: ExprId,
        op: Arithmetic,
        compute: Ty,
        value: ExprId,
    },
    /// `++x`, `x--` on scalars, vectors and pointers.
    Step {
        place: ExprId,
        increment: bool,
        prefix: bool,
    },
    /// The condition is a scalar. Branches have the type of the result, `void` included.
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// GNU's `a ?: b`: `value` is evaluated once; its conversion to the result is `then`'s (same type: none is needed).
    Elvis {
        value: ExprId,
        otherwise: ExprId,
    },
    /// `c ? a : b` on vectors: by the top bit of each lane of the condition; both are evaluated.
    ConditionalLanes {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Comma {
        left: ExprId,
        right: ExprId,
    },
    /// Arguments are converted. Arguments of record type are values. `call` is None where the body does not number it.
    Call {
        callee: Callee,
        arguments: Box<[ExprId]>,
        call: Option<CallId>,
    },
    /// `(float4)(a, b.xy, c)`: scalars and vectors whose lanes are, together, those of the result.
    Vector(Box<[ExprId]>),
    /// GNU's `({ … })`: the value of its last statement, if that is an expression.
    Statement {
        body: StmtId,
        value: bool,
    },
    /// `^{ … }`: its body is one of the item's own.
    Block,
}

/// What an expression is of which not all is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// A name that nothing declares. A place of the thread's own if the body stores there or takes its address, or else a constant of the build.
    Name(Symbol),
    /// A value that a template is given, of this name: a constant of the build, and no place.
    Given(Symbol),
    /// A part of the first operand: an element, or what it points to. A place if that is one; further operands say which part.
    Part,
    /// The member of this name of the operand. A place if that is one.
    Member(Symbol),
    /// The address of the operand, which is a place or a part of one.
    Address,
    /// What an operator or a conversion yields.
    Value,
    /// What an arithmetic operator yields for two operands.
    Arithmetic(Arithmetic),
    /// What a comparison yields for two operands.
    Compare(Comparison),
    /// Stores, into the first operand, something that is made of all of them, and has that value: the result of this operator on the first
    /// operand and the second one, or 1 if there is no second one. None: an operator of a class.
    Update(Option<Arithmetic>),
    /// A call of what nothing declares, or of one of several functions. If nothing names it, the first operand is a pointer to what is called; the
    /// others are arguments. `constant`: what it yields is the same for all threads, as the source says.
    Call { named: Option<Named>, call: Option<CallId>, constant: bool },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function that the unit declares.
    Function { key: FunctionKey, ty: Ty },
    /// A builtin of the dialect, resolved: the types that its name is mangled with, and the type of this call.
    Builtin { name: Symbol, ty: Ty },
    /// `__builtin_…`: a function of the compiler.
    Compiler { name: Symbol, ty: Ty },
    /// A pointer to a function, or a block.
    Pointer(ExprId),
}

/// A variable at file scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: Name,
    pub ty: Ty,
    pub space: AddressSpace,
    pub constant: bool,
    /// `static`: no other module sees it.
    pub internal: bool,
    /// `extern` without an initialiser: another module defines it.
    pub external: bool,
    pub initializer: Option<Data>,
}
