//! What is wrong with the types of an item: facts, which `lint` puts into words.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::types::Ty;

/// A place in an item, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeProblem {
    pub span: Span,
    pub kind: TypeProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblemKind {
    // Declarations.
    /// `int float x`, `unsigned half`: words that make no type together.
    Specifiers,
    /// `struct s` where `s` is a union or an enumeration, and the like.
    TagKind(Symbol),
    /// A bit-field of something that is no integer.
    BitField {
        ty: Ty,
    },
    /// A pointer parameter of a kernel that does not say where it points.
    KernelPointer {
        ty: Ty,
    },
    /// A parameter of a kernel whose type a host cannot have: by the name that is written, if one is.
    KernelParameter {
        name: Option<Symbol>,
        ty: Ty,
    },
    /// The same, of a type that leads to pointers: there are versions of the language in which it is right.
    KernelPointers {
        ty: Ty,
    },
    /// The same, of a type that has a `half` in it: there are devices for which it is right.
    KernelHalf {
        ty: Ty,
    },
    /// A kernel with a result.
    KernelResult {
        ty: Ty,
    },
    /// A kernel that nothing outside of its file sees.
    StaticKernel,
    /// A member of a type that only variables and parameters have.
    Member {
        ty: Ty,
    },
    /// More `*` and `[]` than anyone reads.
    DeclaratorTooLong,

    // Expressions.
    /// Nothing declares the name: what depends on it is not known.
    UnknownName(Symbol),
    /// The same in C++, where headers may be missing; the conventions of the language imply something of the name.
    AssumedName {
        name: Symbol,
        called: bool,
    },
    /// An undeclared namespace, taken for the namespace of the language that has the name `whole`.
    AssumedNamespace {
        name: Symbol,
        whole: Symbol,
    },
    /// Nothing declares what is called.
    UndeclaredFunction(Symbol),
    UnknownMember {
        name: Symbol,
        of: Ty,
    },
    /// `.` or `->` on something without members.
    NoMembers {
        of: Ty,
    },
    /// `p.x` for `p->x`, or the reverse.
    WrongArrow {
        of: Ty,
        arrow: bool,
    },
    /// Not the name of lanes of this vector.
    Swizzle {
        name: Symbol,
        of: Ty,
    },
    /// The members or the size of the type are needed, and it has none.
    Incomplete {
        ty: Ty,
    },
    Operand {
        op: &'static str,
        operand: Ty,
    },
    Operands {
        op: &'static str,
        left: Ty,
        right: Ty,
    },
    /// A value that does not convert.
    Convert {
        from: Ty,
        to: Ty,
        what: Use,
    },
    /// Address spaces that do not overlap.
    Space {
        from: Ty,
        to: Ty,
        what: Use,
    },
    /// The left side of an assignment is no place in memory.
    NotAPlace,
    /// The left side of an assignment is `const`, or in `constant` memory.
    Constant {
        ty: Ty,
    },
    /// The address of something that has none: a bit-field, lanes of a vector, a value.
    NoAddress,
    NotAFunction {
        ty: Ty,
    },
    /// A type where a function needs a value.
    TypeAsValue {
        ty: Ty,
    },
    ArgumentCount {
        callee: Option<Symbol>,
        expected: usize,
        found: usize,
        variadic: bool,
    },
    NoOverload {
        name: Symbol,
        arguments: Box<[Ty]>,
        candidates: Box<[Ty]>,
    },
    Ambiguous {
        name: Symbol,
        arguments: Box<[Ty]>,
        candidates: Box<[Ty]>,
    },
    /// A condition of `if`, `?:`, … that is no scalar.
    Condition {
        ty: Ty,
    },
    /// The operand of a `switch` that is no integer.
    SwitchCondition {
        ty: Ty,
    },
    /// The condition of `?:` has floats.
    FloatCondition {
        ty: Ty,
    },
    /// The lanes given and those of the vector.
    VectorLiteral {
        ty: Ty,
        lanes: u32,
    },
    /// A designator that does not fit the type.
    Designator {
        ty: Ty,
    },
    NotConstant,
    NegativeLength,
    /// The width of a bit-field, at most `limit`.
    BitWidth {
        limit: u32,
    },
    DuplicateCase {
        value: i128,
    },
    /// A `return` with or without a value, against the function's type.
    Return {
        expected: Ty,
        value: bool,
    },
    Shuffle,
    /// `__builtin_convertvector` between other types than vectors of equally many lanes.
    ConvertLanes {
        from: Ty,
        to: Ty,
    },
    NoMatchingType {
        ty: Ty,
    },
}

/// What a value is converted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Assign,
    Initialise,
    /// The argument with this number, from 0.
    Argument(usize),
    Return,
    Cast,
    Operand,
}
