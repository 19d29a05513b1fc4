//! Function bodies after name resolution and type checking: every expression has a type, every conversion is a node.
//!
//! The statements have the same numbers as in [`Body`](super::body::Body); this module adds the expressions that they
//! evaluate. An expression is a **place** (in memory or in a register variable: an lvalue of C) or a value.
//! Only [`ExprKind::Load`] and [`ExprKind::Decay`] make a value from a place, so this tree has no implicit conversions.
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

use tangle_ir::key::{DeclaringScope, FunctionKey, UnresolvedCallee};
pub use tangle_ir::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};
use tangle_syntax::dialect::AssemblyOutput;

define_index_type! {
    /// An expression of one body. An operand has a smaller number than the expression that uses it.
    pub struct ExprId = u32;
}
define_index_type! {
    /// A parameter or variable of one body.
    pub struct VarId = u32;
}

/// A body of an item, with the types of its expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedBody {
    /// The key by which calls refer to the function.
    pub key: FunctionKey,
    /// The type of the function: see [`TyKind::Function`](super::types::TyKind::Function).
    pub ty: Ty,
    /// The parameters in order, then the other variables.
    pub vars: IndexVec<VarId, Var>,
    pub exprs: IndexVec<ExprId, Expr>,
    /// The evaluated expressions of each statement of the body.
    pub stmts: IndexVec<StmtId, StmtExprs>,
}

impl TypedBody {
    /// Returns the approximate size in memory, without the lists inside of expressions.
    pub fn bytes(&self) -> usize {
        size_of::<TypedBody>()
            + self.vars.len() * size_of::<Var>()
            + self.exprs.len() * size_of::<Expr>()
            + self.stmts.len() * size_of::<StmtExprs>()
    }

    /// Returns the key of a lambda or block literal: its number among the bodies of the item, and the function around
    /// it.
    pub fn key_of_literal(around: FunctionKey, number: usize) -> FunctionKey {
        let literal = u32::try_from(number).expect("an item has fewer than 2^32 literals");
        let owner = DeclaringScope::Function { name: around.name, literal };
        FunctionKey { owner, name: Symbol::EMPTY, ..around }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// None: an unnamed parameter, or an object without a name, as of a compound literal.
    pub name: Option<Name>,
    pub ty: Ty,
    pub storage: Storage,
    pub space: AddressSpace,
    pub constant: bool,
    pub volatile: bool,
    /// Whether it points to the object of a method: `this`.
    pub is_object: bool,
    /// The location of the declaration.
    pub span: Span,
}

/// How a literal accesses a captured variable. A variable that is not private outlives the call: the literal uses the
/// variable itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// It has a copy of the value.
    Copy,
    /// It uses the variable of the function around it. A lambda that only reads the variable has a copy: a call passes
    /// the value that the variable has then.
    Reference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    Parameter,
    /// A captured variable of the function around a literal.
    Captured(Capture),
    /// Private to a thread, with the lifetime of its block.
    Automatic,
    /// In `local` memory: one for each work-group, not initialised.
    Local,
    /// `static`, or in `constant` memory: one for the whole program.
    Static(Option<Data>),
    /// `extern` at block scope: the variable of that name at file scope.
    Extern(Symbol),
}

/// The expressions that a statement evaluates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StmtExprs {
    #[default]
    Nothing,
    /// The condition of `if`, `switch`, `while` or `do`: a value of scalar type.
    Condition(ExprId),
    For {
        condition: Option<ExprId>,
        step: Option<ExprId>,
    },
    Return(Option<ExprId>),
    Expression(ExprId),
    Declaration(Box<[Local]>),
    /// The labelled values from `low` to `high`, both included, in the type of the `switch` condition.
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
        /// The variables that it reads.
        inputs: Box<[ExprId]>,
        /// Calls of builtins: its instructions and registers that the dialect has rows for.
        operations: Box<[ExprId]>,
        /// The source of the outputs.
        output: AssemblyOutput,
    },
}

/// A local variable at its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    pub var: VarId,
    /// None: initially undefined. Always None for [`Storage`] other than [`Storage::Automatic`].
    pub initializer: Option<Initializer>,
}

/// The initialiser of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initializer {
    /// Whether parts without an entry are set to zero.
    pub zero: bool,
    /// In evaluation order: the path to a part of the variable, and a value that has exactly the type of that part. The
    /// empty path means the whole variable.
    pub entries: Box<[(Box<[SubobjectStep]>, ExprId)]>,
}

/// One step into an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubobjectStep {
    /// The index of a field of a record.
    Field(u32),
    Element(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    /// The type of the value, or of the object in the place.
    pub ty: Ty,
    pub span: Span,
}

impl Expr {
    /// Marks an unknown call as uniform: its result is the same for all threads. For the condition of `if constexpr`.
    pub fn assume_uniform(&mut self) {
        if let ExprKind::Unknown { what: Unknown::Call { constant, .. }, .. } = &mut self.kind {
            *constant = true;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// Partly unknown (`docs/semantics.md` §9). Evaluates its operands in order, and is as divergent as its operands.
    Unknown {
        what: Unknown,
        operands: Box<[ExprId]>,
    },

    // Places.
    Variable(VarId),
    /// A variable at file scope.
    Global(Symbol),
    /// The object that the operand, a pointer, points to.
    Deref(ExprId),
    /// A field of a record. The record is a place, or a value if it is the result of a call.
    Field {
        base: ExprId,
        field: u32,
    },
    /// Lanes of a vector. A place if the vector is one and no lane is repeated. A single lane has the element type.
    Lanes {
        base: ExprId,
        lanes: Box<[u8]>,
    },
    /// `v[i]` on a vector. A place if the vector is one.
    Lane {
        base: ExprId,
        index: ExprId,
    },
    /// An array of `char` in `constant` memory, including the zero byte at its end.
    String(Box<[u8]>),
    /// `(T){ … }`: initialises the variable when it is evaluated. The result is the place of the variable.
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
    /// The value in a place. A record is copied.
    Load(ExprId),
    /// A pointer to the first element of an array. The operand is a place.
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
    /// `!x`: for a scalar, `int` (0 or 1); for a vector, integers as wide as its lanes (0 or -1).
    Not(ExprId),
    /// Both operands have the type of the result. The right operand of a shift may have any integer type; the count is
    /// taken modulo the width, as in OpenCL C.
    Binary {
        op: Arithmetic,
        left: ExprId,
        right: ExprId,
    },
    /// Both operands have one type: arithmetic, vector or pointer. The result type is as for [`ExprKind::Not`].
    Compare {
        op: Comparison,
        left: ExprId,
        right: ExprId,
    },
    /// `&&`, `||` on scalars, with type `int`. The right operand is evaluated only if the left one does not decide.
    Logical {
        and: bool,
        left: ExprId,
        right: ExprId,
    },
    /// `&&`, `||` on vectors, lane by lane. Both operands are evaluated. Result lanes are 0 or -1.
    LogicalLanes {
        and: bool,
        left: ExprId,
        right: ExprId,
    },
    /// `pointer + index`, or `pointer - index` if `negative`, in elements. The index has any integer type.
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
    /// Stores the value. The result is the stored value. Records are copied.
    Assign {
        place: ExprId,
        value: ExprId,
    },
    /// `place = (T)((compute)place op value)`. For pointers `op` is `Add` or `Sub`, `compute` the pointer's type, and
    /// `value` an integer.
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
    /// The condition is a scalar. Both branches have the type of the result, which may be `void`.
    Conditional {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// GNU's `a ?: b`. `value` is evaluated once, and is tested after its conversion to the type of the result.
    Elvis {
        value: ExprId,
        otherwise: ExprId,
    },
    /// `c ? a : b` on vectors: selects by the top bit of each lane of the condition. Both branches are evaluated.
    ConditionalLanes {
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    Comma {
        left: ExprId,
        right: ExprId,
    },
    /// Arguments have the parameter types. Arguments of record type are values. `call`: None if it has no number.
    Call {
        callee: Callee,
        arguments: Box<[ExprId]>,
        call: Option<CallId>,
    },
    /// `(float4)(a, b.xy, c)`: scalars and vectors whose lanes, in order, are the lanes of the result.
    Vector(Box<[ExprId]>),
    /// GNU's `({ … })`. `value`: whether its last statement is an expression, which gives the result.
    Statement {
        body: StmtId,
        value: bool,
    },
    /// `^{ … }`: its body is one of the bodies of the item.
    Block,
}

/// The known facts about a partly unknown expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// An undeclared name. A place private to the thread if the body stores to it or takes its address; otherwise a
    /// constant of the build.
    Name(Symbol),
    /// A constant that depends on template arguments, by its text: `N`, `sizeof(T)`, `T::value`. Not a place.
    Dependent(Symbol),
    /// An element of the first operand, or its target if it is a pointer. A place if the operand is one. The other
    /// operands select the part.
    ElementOrTarget,
    /// The member with this name of the operand. A place if the operand is one.
    Member(Symbol),
    /// The address of the operand. The operand is a place or a part of one.
    Address,
    /// The result of an operator or a conversion.
    Value,
    /// The result of an arithmetic operator on two operands.
    Arithmetic(Arithmetic),
    /// The result of a comparison of two operands.
    Compare(Comparison),
    /// Stores a new value in the first operand and returns it. The new value is the result of this operator on the
    /// first two operands; a missing second operand is 1. None: an operator of a class, whose result depends on all
    /// operands.
    Update(Option<Arithmetic>),
    /// A call of an undeclared or ambiguous function. If `named` is None, the first operand is a pointer to the callee.
    /// The other operands are arguments. `constant`: the source requires a result that is the same for all threads.
    /// `template`: the text of the callee if it has template arguments; empty if they have no text.
    Call { named: Option<UnresolvedCallee>, call: Option<CallId>, constant: bool, template: Option<Symbol> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function that the unit declares.
    Function { key: FunctionKey, ty: Ty },
    /// A resolved builtin of the dialect. `ty` is the type of the overload: it determines the mangled name and the
    /// result type.
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
    /// `static`: not visible in other modules.
    pub internal: bool,
    /// `extern` without an initialiser: another module defines it.
    pub external: bool,
    pub initializer: Option<Data>,
}
