//! Errors in the types of an item, as facts. The crate `rules` writes the messages.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::types::Ty;

/// A type error and its location in the item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeProblem {
    pub span: Span,
    pub kind: TypeProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblemKind {
    // Declarations.
    /// `int float x`, `unsigned half`: specifiers that do not form a type.
    Specifiers,
    /// `struct s` where `s` is a union or an enumeration, and similar mismatches.
    TagKind(Symbol),
    /// A bit-field whose type is not an integer.
    BitField {
        ty: Ty,
    },
    /// A pointer parameter of a kernel that does not point to global, local or constant memory.
    KernelPointer {
        ty: Ty,
    },
    /// A kernel parameter whose type has no equivalent on the host. `name`: its name in the source, if it has one.
    KernelParameter {
        name: Option<Symbol>,
        ty: Ty,
    },
    /// A kernel parameter that is a pointer to a pointer, or an aggregate with pointers. Some language versions permit
    /// it.
    KernelPointers {
        ty: Ty,
    },
    /// A kernel parameter whose type contains `half`. Some devices permit it.
    KernelHalf {
        ty: Ty,
    },
    /// A kernel that does not return `void`.
    KernelResult {
        ty: Ty,
    },
    /// A `static` kernel, which is not visible outside of its file.
    StaticKernel,
    /// A member whose type is allowed only for variables and parameters.
    Member {
        ty: Ty,
    },
    /// More `*` and `[]` than the limit.
    DeclaratorTooLong,

    // Expressions.
    /// An undeclared name. Expressions that use it are partly unknown.
    UnknownName(Symbol),
    /// An undeclared name in C++, where headers may be missing. The conventions of the language cover it.
    AssumedName {
        name: Symbol,
        called: bool,
    },
    /// An undeclared namespace, assumed to be the namespace of the language that contains the name `whole`.
    AssumedNamespace {
        name: Symbol,
        whole: Symbol,
    },
    /// A call of an undeclared function.
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
    /// A name that does not select lanes of this vector.
    Swizzle {
        name: Symbol,
        of: Ty,
    },
    /// An incomplete type whose members or size are needed.
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
    /// A value that cannot be converted to the required type.
    Convert {
        from: Ty,
        to: Ty,
        what: ConversionContext,
    },
    /// A conversion between pointers to address spaces that do not overlap.
    Space {
        from: Ty,
        to: Ty,
        what: ConversionContext,
    },
    /// The left side of an assignment is a value, an array or a function.
    NotAPlace,
    /// The left side of an assignment is `const`, or in `constant` memory.
    Constant {
        ty: Ty,
    },
    /// `&` on something without an address: a bit-field, lanes of a vector, a value.
    NoAddress,
    NotAFunction {
        ty: Ty,
    },
    /// A type as an argument of a function that needs a value.
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
    /// A condition of `if`, `?:` or a loop that is not a scalar.
    Condition {
        ty: Ty,
    },
    /// The operand of a `switch` is not an integer.
    SwitchCondition {
        ty: Ty,
    },
    /// The condition of `?:` is a float or a vector of floats.
    FloatCondition {
        ty: Ty,
    },
    /// A vector literal for `ty` with a wrong number of lanes: `lanes` is the number in the source.
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
    /// A width of a bit-field that is not a constant from 0 to `limit`.
    BitWidth {
        limit: u32,
    },
    DuplicateCase {
        value: i128,
    },
    /// A `return` with a value in a `void` function (`value` is true), or without a value in another function.
    Return {
        expected: Ty,
        value: bool,
    },
    Shuffle,
    /// `__builtin_convertvector` on anything but two vector types with the same number of lanes.
    ConvertLanes {
        from: Ty,
        to: Ty,
    },
    NoMatchingType {
        ty: Ty,
    },
}

/// The purpose of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionContext {
    Assign,
    Initialise,
    /// The argument with this index, from 0.
    Argument(usize),
    Return,
    Cast,
    Operand,
}
