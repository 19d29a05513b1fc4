//! The syntax tree of one top-level item: plain values in arenas.
//!
//! Nodes refer to each other by typed index, so that a tree of any depth is dropped, compared and walked without
//! recursion. The parser makes children before their parents: **a child's index is smaller than its parent's**
//! in the same arena, so a loop over an arena in order is a bottom-up walk, and in reverse a top-down one.
//!
//! Places are [`Span`]s of token indices within the item; where those tokens were written is kept elsewhere, so that
//! moving an item changes nothing here.

use la_arena::{Arena, Idx};

pub use tangle_base::{Access, AddressSpace, Span};

use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::Token;

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pub text: Symbol,
    pub span: Span,
}

pub type ExprId = Idx<Expr>;
pub type StmtId = Idx<Stmt>;
pub type DeclId = Idx<Decl>;
/// A type as written: specifiers and a declarator without a name.
pub type TypeId = Idx<TypeName>;

/// One parsed item: its declarations, and the nodes that they are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ast {
    pub exprs: Arena<Expr>,
    pub stmts: Arena<Stmt>,
    /// Declarations of every depth: file scope, block scope, parameters, members.
    pub decls: Arena<Decl>,
    pub types: Arena<TypeName>,
    /// What the item declares at file scope (usually one; none after a syntax error).
    pub items: Vec<DeclId>,
    /// What makes names of other scopes known, in the item or in blocks of it.
    pub usings: Vec<Using>,
}

/// What makes names of another scope known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Using {
    /// `using cub::BlockReduce;`
    Name(Path),
    /// `using namespace cooperative_groups;`
    Namespace(Path),
    /// `namespace cg = cooperative_groups;`
    Alias { name: Name, of: Path },
}

impl Ast {
    /// Gives back what the arenas grew by and do not need: a tree is kept for long, and never grows again.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.exprs.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.decls.shrink_to_fit();
        self.types.shrink_to_fit();
        self.items.shrink_to_fit();
        self.usings.shrink_to_fit();
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// Stands where the source could not be understood.
    Error,
    Name(Symbol),
    Number(Symbol),
    Character(Symbol),
    /// Adjacent string literals.
    String(Box<[Symbol]>),
    Paren(ExprId),
    /// The condition of `if constexpr`: a constant, whatever it calls.
    ConstantExpr(ExprId),
    Call {
        callee: ExprId,
        arguments: Box<[ExprId]>,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `base.name`, or `base->name`: a member, or a swizzle of a vector.
    Member {
        base: ExprId,
        arrow: bool,
        name: Name,
    },
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    /// `left = right`, or `left op= right`.
    Assign {
        op: Option<BinaryOp>,
        left: ExprId,
        right: ExprId,
    },
    /// `condition ? then : otherwise`; `then` is missing in GNU's `a ?: b`.
    Conditional {
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
    },
    Comma {
        left: ExprId,
        right: ExprId,
    },
    /// Also OpenCL's vector literal `(float4)(a, b)`: there the operand is a parenthesised comma expression.
    Cast {
        ty: TypeId,
        operand: ExprId,
    },
    CompoundLiteral {
        ty: TypeId,
        initializer: Initializer,
    },
    SizeofExpr(ExprId),
    SizeofType(TypeId),
    AlignofType(TypeId),
    /// A type as an argument: `vec_step(float4)`.
    Type(TypeId),
    /// A name that nothing declares, where it stands for arguments of which it is not known how many they are.
    Arguments(ExprId),
    AlignofExpr(ExprId),
    /// `__builtin_offsetof(type, designator)`.
    Offsetof {
        ty: TypeId,
        member: ExprId,
    },
    /// `__builtin_astype(expr, type)`.
    Astype {
        operand: ExprId,
        ty: TypeId,
    },
    VaArg {
        list: ExprId,
        ty: TypeId,
    },
    /// `_Generic(control, type: expr, default: expr)`; `None` is `default`.
    Generic {
        control: ExprId,
        arms: Box<[(Option<TypeId>, ExprId)]>,
    },
    /// GNU's `({ … })`.
    Statement(StmtId),
    /// GNU's `&&label`.
    LabelAddress(Name),
    /// Clang's `^(parameters) { … }`.
    Block {
        ty: Option<TypeId>,
        parameters: Box<[DeclId]>,
        body: StmtId,
    },

    // What C++ adds.
    /// A qualified name, or one with template arguments: `cub::WarpReduce<T>::Sum`. A plain name is a [`ExprKind::Name`].
    Path(Box<Path>),
    /// `base.name<…>`, `base->T::name`: a member whose name is no plain one.
    MemberPath {
        base: ExprId,
        arrow: bool,
        path: Box<Path>,
    },
    /// `T(a, b)`, `T{a, b}`: a value of a type, made of values.
    Construct {
        ty: TypeId,
        arguments: Box<[ExprId]>,
    },
    /// `{a, b}` where a value stands: an argument, what is returned or assigned.
    Braces(Initializer),
    This,
    Lambda(Box<Lambda>),
    /// `pattern...`: for each element of a pack.
    Expansion(ExprId),
    /// `(… op pack)`: what each element of a pack makes of the one before.
    Fold {
        operands: Box<[ExprId]>,
    },
    /// What the variable of a range-`for` begins with: an element of the range.
    Element {
        range: ExprId,
    },
    /// `kernel<<<grid, block>>>(a, b)`.
    Launch {
        callee: ExprId,
        configuration: Box<[ExprId]>,
        arguments: Box<[ExprId]>,
    },
    /// What evaluates its operands, and of which no more is understood: `new T(a)`, `delete p`, `throw x`, `noexcept(x)`, a requirement.
    Opaque {
        what: Construct,
        operands: Box<[ExprId]>,
    },
}

/// A name with what qualifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Begins with `::`.
    pub global: bool,
    /// The last is the name itself. Empty only where a path qualifies a name by nothing but `::`.
    pub segments: Box<[Segment]>,
}

impl Path {
    /// The name without what qualifies it, of a path that is a name.
    pub fn last(&self) -> &Segment {
        self.segments.last().expect("a path is never empty")
    }

    /// The names that qualify the last one, from the outermost.
    pub fn qualifier(&self) -> Vec<Symbol> {
        let outside = self.segments.split_last().map_or(&[][..], |(_, outside)| outside);
        outside.iter().map(|segment| segment.name.text).collect()
    }
}

/// A part of a qualified name. An operator is called `operator+`, a destructor `~T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub name: Name,
    /// None: no template arguments are written; `<>` gives an empty list.
    pub arguments: Option<Box<[TemplateArgument]>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateArgument {
    Type(TypeId),
    Value(ExprId),
}

/// `[captures](parameters) { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// `[&]` or `[=]`: what else the body names is captured. By reference, if true.
    pub others: Option<bool>,
    pub captures: Box<[Capture]>,
    pub parameters: Box<[DeclId]>,
    pub body: StmtId,
}

/// One of the names between the brackets of a lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// `this` is a name here.
    pub name: Name,
    pub by_reference: bool,
    /// `[x = e]`.
    pub initializer: Option<ExprId>,
}

/// A construct of a language that is read and not understood, by what people call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Construct(pub &'static str);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    Real,
    Imag,
    Extension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// `__attribute__((…))` written before the statement.
    pub attributes: Box<[Attribute]>,
    /// `#pragma unroll` and the like, written before the statement.
    pub pragmas: Box<[Symbol]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Stands where the source could not be understood.
    Error,
    Compound(Box<[StmtId]>),
    /// A declaration; `int a, b;` is one statement with two declarations.
    Declaration(Box<[DeclId]>),
    Expression(ExprId),
    Empty,
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    Switch {
        condition: ExprId,
        body: StmtId,
    },
    While {
        condition: ExprId,
        body: StmtId,
    },
    Do {
        body: StmtId,
        condition: ExprId,
    },
    /// `init` is a declaration or expression statement, or `Empty`.
    For {
        init: StmtId,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Goto(Name),
    /// GNU's `goto *expr;`.
    ComputedGoto(ExprId),
    Continue,
    Break,
    Return(Option<ExprId>),
    Label {
        name: Name,
        statement: StmtId,
    },
    /// `case low:`, or GNU's `case low ... high:`.
    Case {
        low: ExprId,
        high: Option<ExprId>,
        statement: StmtId,
    },
    Default {
        statement: StmtId,
    },
    /// Inline assembly: `asm … (…)`.
    Asm(Assembly),

    // What C++ adds. `if (T x = e)` and `if (init; c)` are a compound of a declaration and an `if`.
    /// `for (init; T x : range) body`.
    RangeFor {
        /// A declaration or expression statement, or `Empty`.
        init: StmtId,
        range: ExprId,
        /// A compound: the declaration of the variable, which begins anew in each iteration with an [`ExprKind::Element`], and what is written
        /// behind the parentheses.
        body: StmtId,
    },
    /// A statement of a construct that is not understood: the rest of the function is.
    Opaque(Construct),
}

/// What inline assembly says, and the names that it mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The string literals of its text, as they are written, in order.
    pub text: Box<[Name]>,
    /// Those in the operands that it writes.
    pub outputs: Box<[Name]>,
    /// Those in the operands that it reads.
    pub inputs: Box<[Name]>,
    /// Those of members in both, behind `.` or `->`.
    pub members: Box<[Name]>,
    /// The labels of an `asm goto`.
    pub labels: Box<[Name]>,
}

/// `__attribute__((name(arguments)))`, one of the list. Arguments stay tokens: each attribute has a grammar of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: Name,
    pub arguments: Box<[Token]>,
}

/// One declared entity: a variable, function, parameter, member, typedef or a bare struct/union/enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// None: an unnamed parameter or bit-field, or a bare `struct S { … };`.
    pub name: Option<Name>,
    pub specifiers: std::sync::Arc<Specifiers>,
    /// What the declarator makes of the specified type, from the name outwards: `int *a[3]` is `[Array, Pointer]`.
    pub declarator: Box<[Derived]>,
    /// Attributes written behind the declarator.
    pub attributes: Box<[Attribute]>,
    pub initializer: Option<Initializer>,
    pub bit_width: Option<ExprId>,
    /// A function definition's body.
    pub body: Option<StmtId>,
    /// What C++ may add; None for most.
    pub more: Option<Box<More>>,
    pub span: Span,
}

/// What a declaration of C++ may have beyond one of C.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct More {
    /// `template <…>`, the innermost last: a member of a class template may have two.
    pub templates: Box<[Box<[TemplateParameter]>]>,
    /// What qualifies the declared name: `Tile<T>` in `void Tile<T>::load() {`.
    pub scope: Option<Path>,
    /// The template arguments of the declared name: a specialization, `f<int>`.
    pub arguments: Option<Box<[TemplateArgument]>>,
    /// `auto f() -> T`.
    pub result: Option<TypeId>,
    /// `explicit Tile(int n)`, `~Tile()`, `operator bool()`: no result is written.
    pub special: Option<Special>,
    /// The names of a structured binding: `auto [a, b] = …`. The declaration itself has no name.
    pub bindings: Box<[Name]>,
    /// A default argument, of a parameter.
    pub default: Option<ExprId>,
    /// `T... pack`.
    pub pack: bool,
    /// `= delete`.
    pub deleted: bool,
    /// `friend`: not of the class that holds it.
    pub friend: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Constructor,
    Destructor,
    /// `operator T()`.
    Conversion,
}

/// What stands between the brackets of `template <…>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateParameter {
    pub name: Option<Name>,
    pub kind: TemplateParameterKind,
    /// `typename... T`.
    pub pack: bool,
    pub default: Option<TemplateArgument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateParameterKind {
    /// `typename T`.
    Type,
    /// `int N`: the declaration.
    Value(DeclId),
    /// `template <…> class T`.
    Template,
}

/// A type without a declared name, as in casts and `sizeof`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    pub specifiers: std::sync::Arc<Specifiers>,
    pub declarator: Box<[Derived]>,
    pub span: Span,
}

/// One step from a name outwards to its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derived {
    Pointer {
        qualifiers: Qualifiers,
    },
    /// Clang's `^`: pointer to a block.
    BlockPointer {
        qualifiers: Qualifiers,
    },
    /// `&`, and `&&` of C++.
    Reference {
        rvalue: bool,
    },
    Array {
        size: Option<ExprId>,
    },
    Function {
        parameters: Box<[DeclId]>,
        variadic: bool,
    },
}

/// All that stands before the declarators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Specifiers {
    pub storage: Vec<Storage>,
    pub qualifiers: Qualifiers,
    pub types: Vec<TypeSpecifier>,
    pub attributes: Vec<Attribute>,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    Inline,
    Noreturn,
    Kernel,
    /// `constexpr`, and its relatives of C++20.
    Constexpr,
    /// `__host__`.
    Host,
    /// `__device__`.
    Device,
    /// `__shared__`: one for each work-group.
    Shared,
    /// `__constant__`.
    ConstantMemory,
    /// `__managed__`.
    Managed,
    /// `mutable`, `virtual`, `explicit`, `thread_local`: nothing that matters here depends on them.
    Other,
}

/// Qualifiers, address spaces and access qualifiers: each at most once, whatever their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    pub constant_value: bool,
    pub volatile: bool,
    pub restrict: bool,
    pub atomic: bool,
    pub space: Option<AddressSpace>,
    pub access: Option<Access>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeSpecifier {
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    Signed,
    Unsigned,
    Complex,
    Pipe,
    /// A typedef's name, a builtin type such as `float4`, or a name taken as a type although nothing declares it.
    Named(Name),
    Record {
        union: bool,
        name: Option<Name>,
        members: Option<Box<[DeclId]>>,
        /// What `#pragma pack` says where the members begin.
        packing: Packing,
        /// What C++ may add; None for most.
        class: Option<Box<Class>>,
    },
    Enum {
        name: Option<Name>,
        enumerators: Option<Box<[Enumerator]>>,
    },
    TypeofExpr(ExprId),
    TypeofType(TypeId),
    Atomic(TypeId),
    /// A qualified name, or one with template arguments: `cub::BlockReduce<T, 128>::TempStorage`.
    Path(Box<Path>),
    /// `auto` of C++, `decltype(auto)`.
    Auto,
}

/// What a record of C++ may have beyond one of C. Methods, constructors and static members are among its members, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    pub bases: Box<[TypeId]>,
    /// The template arguments of its name: a specialization.
    pub arguments: Option<Box<[TemplateArgument]>>,
    /// What qualifies its name.
    pub scope: Option<Path>,
}

/// A name of an `enum`, and the value that it is given.
pub type Enumerator = (Name, Option<ExprId>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer {
    Expression(ExprId),
    List(Box<[(Box<[Designator]>, Initializer)]>),
    /// `T x(a, b);`: arguments of a constructor.
    Arguments(Box<[ExprId]>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Designator {
    Member(Name),
    Index(ExprId),
    /// GNU's `[low ... high]`.
    Range(ExprId, ExprId),
}
