//! The syntax tree of one top-level item: plain values in arenas.
//!
//! Nodes refer to each other by typed index, so a tree of any depth is dropped, compared and traversed without
//! recursion. The parser makes children before their parents: **a child's index is smaller than its parent's** in the
//! same arena. So a loop over an arena in order is a bottom-up traversal, and a loop in reverse order a top-down one.
//!
//! Locations are [`Span`]s of token indices within the item. The source locations of these tokens are stored
//! separately, so an item that moves in its file keeps an equal tree.

use la_arena::{Arena, Idx};

pub use tangle_base::{Access, AddressSpace, Span};

use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::Token;

/// A name at one occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pub text: Symbol,
    pub span: Span,
}

pub type ExprId = Idx<Expr>;
pub type StmtId = Idx<Stmt>;
pub type DeclId = Idx<Decl>;
/// A written type: specifiers and a declarator without a name.
pub type TypeId = Idx<TypeName>;

/// One parsed item: its declarations and their nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ast {
    pub exprs: Arena<Expr>,
    pub stmts: Arena<Stmt>,
    /// Declarations at every depth: file scope, block scope, parameters, members.
    pub decls: Arena<Decl>,
    pub types: Arena<TypeName>,
    /// The declarations at file scope: usually one, none after a syntax error.
    pub items: Vec<DeclId>,
    /// Using declarations, using directives and namespace aliases, in the item or in its blocks.
    pub usings: Vec<Using>,
}

/// A declaration that makes names of another scope visible.
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
    /// Frees the unused capacity of the arenas: a tree is kept for a long time and does not grow any more.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.exprs.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.decls.shrink_to_fit();
        self.types.shrink_to_fit();
        self.items.shrink_to_fit();
        self.usings.shrink_to_fit();
    }

    /// Returns the approximate size in memory, without the lists inside of nodes.
    pub fn bytes(&self) -> usize {
        size_of::<Ast>()
            + self.exprs.len() * size_of::<Expr>()
            + self.stmts.len() * size_of::<Stmt>()
            + self.decls.len() * size_of::<Decl>()
            + self.types.len() * size_of::<TypeName>()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// The source here has a syntax error.
    Error,
    Name(Symbol),
    Number(Symbol),
    Character(Symbol),
    /// Adjacent string literals.
    String(Box<[Symbol]>),
    Paren(ExprId),
    /// The condition of `if constexpr`: a constant expression, even if it contains calls.
    ConstantExpr(ExprId),
    Call {
        callee: ExprId,
        arguments: Box<[ExprId]>,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `base.name` or `base->name`: a member, or a swizzle of a vector.
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
    /// A cast. In OpenCL's vector literal `(float4)(a, b)` the operand is a parenthesised comma expression.
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
    /// An undeclared name that expands to an unknown number of arguments.
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

    // C++ only:
    /// A qualified name, or a name with template arguments: `cub::WarpReduce<T>::Sum`. A plain name is a
    /// [`ExprKind::Name`].
    Path(Box<Path>),
    /// `base.name<…>`, `base->T::name`: a member with a qualified name or with template arguments.
    MemberPath {
        base: ExprId,
        arrow: bool,
        path: Box<Path>,
    },
    /// `T(a, b)`, `T{a, b}`: a value of a type, constructed from arguments.
    Construct {
        ty: TypeId,
        arguments: Box<[ExprId]>,
    },
    /// `{a, b}` in the position of a value: an argument, a returned or an assigned value.
    Braces(Initializer),
    This,
    Lambda(Box<Lambda>),
    /// `pattern...`: the expansion of a pattern for each element of a pack.
    Expansion(ExprId),
    /// `(… op pack)`: a fold over the elements of a pack.
    Fold {
        operands: Box<[ExprId]>,
    },
    /// The initial value of the variable of a range-`for`: an element of the range.
    Element {
        range: ExprId,
    },
    /// `kernel<<<grid, block>>>(a, b)`.
    Launch {
        callee: ExprId,
        configuration: Box<[ExprId]>,
        arguments: Box<[ExprId]>,
    },
    /// An expression that evaluates its operands and is not analysed further: `new T(a)`, `delete p`, `throw x`,
    /// `noexcept(x)`, a requirement.
    Opaque {
        what: UnsupportedConstruct,
        operands: Box<[ExprId]>,
    },
}

/// A name with its qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Whether it begins with `::`.
    pub global: bool,
    /// The last segment is the name itself. Empty only in a path that is the qualifier `::` alone.
    pub segments: Box<[Segment]>,
}

impl Path {
    /// The last segment: the name without its qualifiers. Panics if the path is the qualifier `::`.
    pub fn last(&self) -> &Segment {
        self.segments.last().expect("a path that is a name must have a segment")
    }

    /// The names that qualify the last segment, from the outermost.
    pub fn qualifier(&self) -> Vec<Symbol> {
        let outside = self.segments.split_last().map_or(&[][..], |(_, outside)| outside);
        outside.iter().map(|segment| segment.name.text).collect()
    }
}

/// A part of a qualified name. The name of an operator is `operator+`, the name of a destructor `~T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub name: Name,
    /// `None` if the source has no template arguments here; `<>` is an empty list.
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
    /// The capture-default. `[&]` is `Some(true)`, `[=]` is `Some(false)`: the body captures all other names that it
    /// uses, by reference or by value.
    pub capture_default: Option<bool>,
    pub captures: Box<[Capture]>,
    pub parameters: Box<[DeclId]>,
    pub body: StmtId,
}

/// One capture of a lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The captured name; `this` is also a name here.
    pub name: Name,
    pub by_reference: bool,
    /// `[x = e]`.
    pub initializer: Option<ExprId>,
}

/// The name of an unsupported construct, such as `try` or `coroutine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnsupportedConstruct(pub &'static str);

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

impl UnaryOp {
    /// Returns the spelling, as in the name of a function that a class defines for it. `None` for `&`, which every object
    /// has, and for the operators that classes cannot define.
    pub fn spelling(self) -> Option<&'static str> {
        Some(match self {
            UnaryOp::Plus => "+",
            UnaryOp::Minus => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Deref => "*",
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => "++",
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => "--",
            UnaryOp::AddressOf | UnaryOp::Real | UnaryOp::Imag | UnaryOp::Extension => return None,
        })
    }
}

impl BinaryOp {
    /// Returns the spelling.
    pub fn spelling(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
    /// `__attribute__((…))` before the statement.
    pub attributes: Box<[Attribute]>,
    /// `#pragma unroll` and other pragmas before the statement.
    pub pragmas: Box<[Symbol]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// The source here has a syntax error.
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

    // C++ only: `if (T x = e)` and `if (init; c)` become a compound of a declaration and an `if`.
    /// `for (init; T x : range) body`.
    RangeFor {
        /// A declaration or expression statement, or `Empty`.
        init: StmtId,
        range: ExprId,
        /// A compound: the declaration of the variable, and the written body. Each iteration initialises the variable
        /// with an [`ExprKind::Element`].
        body: StmtId,
    },
    /// A statement with an unsupported construct. The rest of the function is still analysed.
    Opaque(UnsupportedConstruct),
}

/// The text of inline assembly, and the names in its operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// The string literals of the assembly text, with their spelling in the source, in order.
    pub text: Box<[Name]>,
    /// The names in output operands.
    pub outputs: Box<[Name]>,
    /// The names in input operands.
    pub inputs: Box<[Name]>,
    /// All operands, outputs first: the instructions number them in this order.
    pub operands: Box<[AssemblyOperand]>,
    /// The names of members in both, after `.` or `->`.
    pub members: Box<[Name]>,
    /// The labels of an `asm goto`.
    pub labels: Box<[Name]>,
}

/// An operand of inline assembly: a single token, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssemblyOperand {
    /// `"r"(mask)`
    Name(Name),
    /// `"n"(0xff)`
    Number(Name),
    /// `"r"(p[i])`
    Other,
}

/// `__attribute__((name(arguments)))`: one attribute of the list. Arguments stay tokens, because each attribute has
/// its own grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: Name,
    pub arguments: Box<[Token]>,
}

/// One declared entity: a variable, function, parameter, member, typedef, or a `struct`, `union` or `enum` without a
/// declarator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    /// `None` for an unnamed parameter or bit-field, and for a `struct S { … };` without a declarator.
    pub name: Option<Name>,
    pub specifiers: std::sync::Arc<Specifiers>,
    /// The derivation from the specified type, from the name outwards: `int *a[3]` is `[Array, Pointer]`.
    pub declarator: Box<[DeclaratorStep]>,
    /// The attributes after the declarator.
    pub attributes: Box<[Attribute]>,
    pub initializer: Option<Initializer>,
    pub bit_width: Option<ExprId>,
    /// The body of a function definition.
    pub body: Option<StmtId>,
    /// The parts that only C++ has; `None` in most declarations.
    pub more: Option<Box<CppDecl>>,
    pub span: Span,
}

/// The parts of a C++ declaration that a C declaration cannot have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CppDecl {
    /// The parameter lists of `template <…>`, outermost first. A member of a class template can have two.
    pub templates: Box<[Box<[TemplateParameter]>]>,
    /// Whether `template <>` precedes it: an explicit specialisation.
    pub specialisation: bool,
    /// The qualifier of the declared name: `Tile<T>` in `void Tile<T>::load() {`.
    pub scope: Option<Path>,
    /// The template arguments of the declared name, for a specialization: `f<int>`.
    pub arguments: Option<Box<[TemplateArgument]>>,
    /// The trailing result type: `auto f() -> T`.
    pub result: Option<TypeId>,
    /// `explicit Tile(int n)`, `~Tile()`, `operator bool()`: a function without a written result type.
    pub special: Option<SpecialFunction>,
    /// The names of a structured binding: `auto [a, b] = …`. The declaration itself has no name.
    pub bindings: Box<[Name]>,
    /// The default argument of a parameter.
    pub default: Option<ExprId>,
    /// `T... pack`.
    pub pack: bool,
    /// The word in the place of a body: `= default` or `= delete`.
    pub of_compiler: Option<OfCompiler>,
    /// `friend`: the declaration is not a member of the class that contains it.
    pub friend: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFunction {
    Constructor,
    Destructor,
    /// `operator T()`.
    Conversion,
}

/// Whether the compiler writes a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfCompiler {
    /// `= default`: it constructs, copies or destroys an object member by member.
    Defaulted,
    /// `= delete`: nothing may call it.
    Deleted,
}

/// One parameter between the angle brackets of `template <…>`.
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
    /// `int N`, with its declaration.
    Value(DeclId),
    /// `template <…> class T`.
    Template,
}

/// A type without a declared name, as in casts and `sizeof`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    pub specifiers: std::sync::Arc<Specifiers>,
    pub declarator: Box<[DeclaratorStep]>,
    pub span: Span,
}

/// One step of the derivation from a name outwards to its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaratorStep {
    Pointer {
        qualifiers: Qualifiers,
    },
    /// Clang's `^`: pointer to a block.
    BlockPointer {
        qualifiers: Qualifiers,
    },
    /// `&`, or `&&` in C++.
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

/// The specifiers of a declaration: everything before its declarators.
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
    /// `constexpr`, `consteval` or `constinit`.
    Constexpr,
    /// `__host__`.
    Host,
    /// `__device__`.
    Device,
    /// `__shared__`: one copy for each work-group.
    Shared,
    /// `__constant__`.
    ConstantMemory,
    /// `__managed__`.
    Managed,
    /// `mutable`, `virtual`, `explicit`, `thread_local`: no analysis depends on them.
    Other,
}

/// Qualifiers, address spaces and access qualifiers. Each occurs at most once; their order is not stored.
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
    /// The name of a typedef, a builtin type such as `float4`, or an undeclared name that is parsed as a type.
    Named(Name),
    Record {
        union: bool,
        name: Option<Name>,
        members: Option<Box<[DeclId]>>,
        /// The `#pragma pack` in force at the `{` of the members.
        packing: Packing,
        /// The parts that only C++ has; `None` for most records.
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

/// The parts of a C++ class that a C record cannot have. Methods, constructors and static members are in the list of
/// members, in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    pub bases: Box<[TypeId]>,
    /// The template arguments of the name, for a specialization.
    pub arguments: Option<Box<[TemplateArgument]>>,
    /// The qualifier of the name.
    pub scope: Option<Path>,
}

/// The name of an enumerator, and its value if the source has one.
pub type Enumerator = (Name, Option<ExprId>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer {
    Expression(ExprId),
    List(Box<[(Box<[Designator]>, Initializer)]>),
    /// `T x(a, b);`: the arguments of a constructor.
    Arguments(Box<[ExprId]>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Designator {
    Member(Name),
    Index(ExprId),
    /// GNU's `[low ... high]`.
    Range(ExprId, ExprId),
}
