//! What is wrong with the types of an item: facts, which `lint` puts into words.

use tangle_grammar::ast::{AddressSpace, Span};
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
    ConflictingSpecifiers,
    /// `const x;`: no word of the declaration is a type.
    MissingType,
    /// `long double`, `_Complex`: types of C that OpenCL C does not have.
    UnsupportedType(&'static str),
    /// `global local int x`, also through a typedef.
    ConflictingSpaces(AddressSpace, AddressSpace),
    /// A member of a record that names an address space.
    MemberSpace(AddressSpace),
    /// A variable at file scope in `local` or `private` memory.
    FileScopeSpace(AddressSpace),
    /// `enum e x;` although nothing declares the enumeration.
    UndeclaredEnum(Symbol),
    /// `struct s` where `s` is a union or an enumeration, and the like.
    TagOfOtherKind(Symbol),
    TagRedefined(Symbol),
    EnumeratorNotConstant(Symbol),
    DuplicateMember(Symbol),
    /// A member, element or parameter whose size is not known.
    IncompleteType(Ty),
    ArraySizeNotConstant,
    /// Negative, or more bytes than there are addresses.
    ArraySize(i128),
    ArrayOfFunctions,
    /// A function that returns an array or a function.
    FunctionReturns(Ty),
    BitFieldType(Ty),
    BitFieldNotConstant,
    BitFieldWidth {
        width: i128,
        ty: Ty,
    },
    /// `ext_vector_type`, `vector_size` on something that is no integer or float.
    VectorElement(Ty),
    /// A number of lanes that no vector has.
    VectorLanes,
    /// `_Atomic` of something that cannot be read in one piece.
    AtomicOf(Ty),
    /// A pointer parameter of a kernel must say where it points: `global`, `local` or `constant`.
    KernelPointerSpace(Ty),
    /// A type that no kernel can be given.
    KernelParameter(Ty),
    /// A kernel that returns something.
    KernelResult(Ty),
    DeclaratorTooLong,
}
