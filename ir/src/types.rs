//! Interned types. A type is a number, and two types are equal if and only if their numbers are.
//!
//! Types do not contain source locations. A record type consists of its tag and members, so units that declare the same
//! records share all results that depend on them. Inside its own definition, a record is represented by its tag alone
//! ([`Record::definition`] is None), and code that needs the members looks up the tag. Types therefore have no cycles.
//!
//! Qualifiers are stored where C applies them: `const` and `volatile` of a pointee are in the pointer type, and those
//! of a variable are stored with the variable.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use tangle_base::{Access, AddressSpace, Namespace, Symbol};

/// The maximum number of lanes of a vector. A `u8` can then number the lanes of two vectors.
pub const MAX_LANES: u8 = 128;

/// An interned type, valid until the process ends. The order of the numbers has no meaning and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// The structure of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// A type that depends on an undeclared name or a missing header. It is compatible with every type, so that it
    /// causes no further errors.
    Unknown,
    /// `void`: no value.
    Void,
    /// A truth value: 0 or 1.
    Bool,
    /// An integer type.
    Integer(Integer),
    /// An IEEE 754 floating-point type.
    Float(Float),
    /// 2 to [`MAX_LANES`] integers or floats. OpenCL C has 2, 3, 4, 8 and 16 lanes; an attribute allows other numbers.
    Vector {
        /// The type of each lane: an integer or float.
        element: Ty,
        /// The number of lanes: 2 to [`MAX_LANES`].
        lanes: u8,
        /// The rules for its layout and its name in symbols.
        abi: VectorAbi,
    },
    /// A pointer, or a reference of C++.
    Pointer(Pointer),
    /// An array: elements at consecutive addresses.
    Array {
        /// The type of each element.
        element: Ty,
        /// The number of elements. None if it is not known.
        length: Option<u64>,
    },
    /// A function type.
    Function(Box<FunctionTy>),
    /// A struct or union.
    Record(Box<Record>),
    /// An atomic type: C11's `_Atomic(T)`, or `atomic_int` and similar types.
    Atomic(Ty),
    /// A pointer to a block, `T (^)(…)`, with the type of the function.
    BlockPointer(Ty),
    /// A handle type of the language.
    Opaque(Opaque),
    /// A parameter of a function template, by its number. It occurs only in the types by which templates are
    /// distinguished and their arguments deduced; no value has it.
    Parameter(u32),
    /// A convergence token. It occurs only in flow graphs; source code cannot name it.
    Token,
}

/// The integer types, named as in OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Integer {
    /// Signed, 8 bits.
    Char,
    /// Unsigned, 8 bits.
    UChar,
    /// Signed, 16 bits.
    Short,
    /// Unsigned, 16 bits.
    UShort,
    /// Signed, 32 bits.
    Int,
    /// Unsigned, 32 bits.
    UInt,
    /// Signed, 64 bits.
    Long,
    /// Unsigned, 64 bits.
    ULong,
    /// Signed, 128 bits.
    Int128,
    /// Unsigned, 128 bits.
    UInt128,
}

impl Integer {
    /// All integer types, from narrow to wide.
    pub const ALL: [Integer; 10] = [
        Integer::Char,
        Integer::UChar,
        Integer::Short,
        Integer::UShort,
        Integer::Int,
        Integer::UInt,
        Integer::Long,
        Integer::ULong,
        Integer::Int128,
        Integer::UInt128,
    ];

    /// Returns the width in bits: 8 to 128.
    pub fn bits(self) -> u32 {
        match self {
            Integer::Char | Integer::UChar => 8,
            Integer::Short | Integer::UShort => 16,
            Integer::Int | Integer::UInt => 32,
            Integer::Long | Integer::ULong => 64,
            Integer::Int128 | Integer::UInt128 => 128,
        }
    }

    /// Returns whether the type is signed.
    pub fn signed(self) -> bool {
        matches!(self, Integer::Char | Integer::Short | Integer::Int | Integer::Long | Integer::Int128)
    }

    /// Returns the value of the type that equals a number modulo 2 to the width.
    pub fn wrap(self, value: i128) -> i128 {
        let bits = self.bits();
        if bits >= 128 {
            return value;
        }
        let mask = (1i128 << bits) - 1;
        let low = value & mask;
        if self.signed() && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
    }

    /// Returns the signed or unsigned type of the same width.
    pub fn with_sign(self, signed: bool) -> Integer {
        match (self, signed) {
            (Integer::Char | Integer::UChar, true) => Integer::Char,
            (Integer::Char | Integer::UChar, false) => Integer::UChar,
            (Integer::Short | Integer::UShort, true) => Integer::Short,
            (Integer::Short | Integer::UShort, false) => Integer::UShort,
            (Integer::Int | Integer::UInt, true) => Integer::Int,
            (Integer::Int | Integer::UInt, false) => Integer::UInt,
            (Integer::Long | Integer::ULong, true) => Integer::Long,
            (Integer::Long | Integer::ULong, false) => Integer::ULong,
            (Integer::Int128 | Integer::UInt128, true) => Integer::Int128,
            (Integer::Int128 | Integer::UInt128, false) => Integer::UInt128,
        }
    }

    /// Returns the name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Integer::Char => "char",
            Integer::UChar => "uchar",
            Integer::Short => "short",
            Integer::UShort => "ushort",
            Integer::Int => "int",
            Integer::UInt => "uint",
            Integer::Long => "long",
            Integer::ULong => "ulong",
            Integer::Int128 => "__int128",
            Integer::UInt128 => "unsigned __int128",
        }
    }
}

/// The floating-point types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Float {
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Float {
    /// All floating-point types, from narrow to wide.
    pub const ALL: [Float; 3] = [Float::Half, Float::Single, Float::Double];

    /// Returns the width in bits: 16, 32 or 64.
    pub fn bits(self) -> u32 {
        match self {
            Float::Half => 16,
            Float::Single => 32,
            Float::Double => 64,
        }
    }

    /// Returns the name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Float::Half => "half",
            Float::Single => "float",
            Float::Double => "double",
        }
    }
}

/// A pointer type, with the qualifiers of the pointee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The type of the pointee, without its qualifiers.
    pub pointee: Ty,
    /// The address space of the pointee.
    pub space: AddressSpace,
    /// Whether the pointee is `const`.
    pub constant: bool,
    /// Whether the pointee is `volatile`.
    pub volatile: bool,
    /// Whether the pointer itself is `restrict`: a promise about aliases that does not affect compatibility.
    pub restrict: bool,
    /// Whether this is a reference of C++: used without a star, and declared with `&`.
    pub reference: bool,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionTy {
    /// The result type, possibly `void`.
    pub result: Ty,
    /// The parameter types after adjustment: arrays and functions have become pointers.
    pub parameters: Box<[Ty]>,
    /// Whether further arguments of any type may follow.
    pub variadic: bool,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Whether the record is a union: its fields share their memory.
    pub union: bool,
    /// The tag. For a record without a tag, the name of its typedef.
    pub tag: Option<RecordName>,
    /// The fields and attributes. None if the record is only declared, and where it occurs inside its own definition.
    pub definition: Option<Definition>,
}

/// The identity of a struct, union or class, interned. The order of the numbers has no meaning and varies between runs.
///
/// ```cpp
/// namespace ops {
/// template <class T, int N> struct sum { … };    // `ops::sum`
/// template <class T> struct sum<T, 1> { … };     // `ops::sum<_, 1>`
/// }
/// ops::sum<float, 8> s;                          // `ops::sum<float, 8>`: an instance
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordName(u32);

#[derive(Clone, PartialEq, Eq, Hash)]
struct ClassParts {
    namespace: Namespace,
    name: Symbol,
    arguments: Box<[TemplateArgument]>,
}

/// An argument of a specialisation or an instance of a class template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemplateArgument {
    /// A parameter of the specialisation: it matches any argument.
    Any,
    /// A number, matched exactly.
    Number(i128),
    /// A type, matched exactly. Records in it have no definition.
    Type(Ty),
    /// A parameter that is a value, by its number. It occurs where [`TyKind::Parameter`] does: in the types by which
    /// templates are distinguished and their arguments deduced.
    Parameter(u32),
    /// An expression or type that contains parameters or undeclared names.
    Other,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::default);

#[derive(Default)]
struct Classes {
    numbers: DashMap<&'static ClassParts, RecordName, FxBuildHasher>,
    parts: boxcar::Vec<&'static ClassParts>,
}

impl RecordName {
    /// Returns the class with a name in a namespace; with arguments, a specialisation or an instance.
    pub fn new(namespace: Namespace, name: Symbol, arguments: Box<[TemplateArgument]>) -> RecordName {
        let parts = ClassParts { namespace, name, arguments };
        if let Some(known) = CLASSES.numbers.get(&parts) {
            return *known;
        }
        let parts: &'static ClassParts = Box::leak(Box::new(parts));
        // If another thread was first, use its number.
        *CLASSES.numbers.entry(parts).or_insert_with(|| {
            RecordName(u32::try_from(CLASSES.parts.push(parts)).expect("fewer than 2^32 classes"))
        })
    }

    /// Returns the record with a tag in the global namespace. All records of C are there.
    pub fn plain(tag: Symbol) -> RecordName {
        RecordName::new(Namespace::GLOBAL, tag, Box::default())
    }

    fn parts(self) -> &'static ClassParts {
        CLASSES.parts[self.0 as usize]
    }

    /// Returns the namespace.
    pub fn namespace(self) -> Namespace {
        self.parts().namespace
    }

    /// Returns the name without namespace and arguments.
    pub fn name(self) -> Symbol {
        self.parts().name
    }

    /// Returns the arguments of a specialisation or an instance. Empty for a template and for a class that is not a
    /// template.
    pub fn arguments(self) -> &'static [TemplateArgument] {
        &self.parts().arguments
    }

    /// Returns the name for messages, without the namespace: `sum<_, 1>`.
    pub fn label(self) -> String {
        let arguments: Vec<String> = self.arguments().iter().map(TemplateArgument::to_string).collect();
        match &arguments[..] {
            [] => self.name().to_string(),
            all => format!("{}<{}>", self.name(), all.join(", ")),
        }
    }

    /// Returns the template of a specialisation or an instance, or the class itself.
    pub fn template(self) -> RecordName {
        match self.arguments() {
            [] => self,
            _ => RecordName::new(self.namespace(), self.name(), Box::default()),
        }
    }
}

/// Writes the full name, such as `ops::sum<_, 1>`: `_` is a parameter, and `?` an unknown argument.
impl fmt::Display for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outer in self.namespace().path() {
            write!(f, "{outer}::")?;
        }
        f.write_str(&self.label())
    }
}

impl fmt::Debug for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Class({self})")
    }
}

impl fmt::Display for TemplateArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateArgument::Any => f.write_str("_"),
            TemplateArgument::Number(number) => write!(f, "{number}"),
            TemplateArgument::Type(ty) => write!(f, "{ty}"),
            TemplateArgument::Parameter(number) => write!(f, "{}", Ty::new(TyKind::Parameter(*number))),
            TemplateArgument::Other => f.write_str("?"),
        }
    }
}

/// The contents of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The fields in source order.
    pub fields: Box<[Field]>,
    /// Whether the record is packed: the types of its fields do not require any alignment.
    pub packed: bool,
    /// The limit of `#pragma pack`: the maximum alignment of the fields, in bytes.
    pub pack: Option<u32>,
    /// The value of `__attribute__((aligned(n)))`, in bytes.
    pub align: Option<u32>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// None for an anonymous struct or union, whose members are accessed directly, and for an unnamed bit-field.
    pub name: Option<Symbol>,
    /// The type, without qualifiers.
    pub ty: Ty,
    /// The width of a bit-field, in bits.
    pub bits: Option<u32>,
    /// Whether the field is declared `const`.
    pub constant: bool,
    /// Whether the field is declared `volatile`.
    pub volatile: bool,
    /// Whether the field is packed: its type does not require any alignment.
    pub packed: bool,
    /// The value of `__attribute__((aligned(n)))`, in bytes.
    pub align: Option<u32>,
}

/// The language whose rules a vector follows: for its [layout](crate::layout) and for its name in symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VectorAbi {
    /// OpenCL C, and the vector attributes of compilers: a vector is aligned to its size, and a vector of 3 lanes has
    /// the size of one with 4 lanes.
    #[default]
    OpenCl,
    /// CUDA (`vector_types.h`): a record of its lanes. 2 or 4 lanes are aligned to their size, but at most to 16 bytes;
    /// 3 lanes are aligned as one lane.
    Cuda,
    /// HIP (`amd_hip_vector_types.h`): as in CUDA, but without the limit of 16 bytes.
    Hip,
}

/// Types of OpenCL C whose representation is not visible to programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// `image2d_t` and the other image types, by name.
    Image {
        /// The name of the type.
        name: Symbol,
        /// How a kernel accesses the image.
        access: Access,
    },
    /// A pipe: a queue of packets between kernels.
    Pipe {
        /// The type of a packet.
        packet: Ty,
        /// How a kernel accesses the pipe.
        access: Access,
    },
    /// `sampler_t`.
    Sampler,
    /// `event_t`.
    Event,
    /// `clk_event_t`.
    ClkEvent,
    /// `queue_t`.
    Queue,
    /// `reserve_id_t`.
    ReserveId,
    /// `ndrange_t`.
    NdRange,
    /// `va_list`.
    VaList,
}

struct Interner {
    numbers: DashMap<&'static TyKind, u32, FxBuildHasher>,
    kinds: boxcar::Vec<&'static TyKind>,
}

static INTERNER: LazyLock<Interner> = LazyLock::new(|| {
    let interner = Interner { numbers: DashMap::default(), kinds: boxcar::Vec::new() };
    for (number, kind) in FIXED.into_iter().enumerate() {
        assert_eq!(interner.intern(kind) as usize, number, "fixed types come first");
    }
    interner
});

impl Interner {
    fn intern(&self, kind: TyKind) -> u32 {
        if let Some(number) = self.numbers.get(&kind) {
            return *number;
        }
        let kind: &'static TyKind = Box::leak(Box::new(kind));
        // If another thread was first, use its number.
        *self
            .numbers
            .entry(kind)
            .or_insert_with(|| u32::try_from(self.kinds.push(kind)).expect("fewer than 2^32 types"))
    }
}

/// The types with fixed numbers, in the order of the constants of [`Ty`].
const FIXED: [TyKind; 17] = [
    TyKind::Unknown,
    TyKind::Void,
    TyKind::Bool,
    TyKind::Integer(Integer::Char),
    TyKind::Integer(Integer::UChar),
    TyKind::Integer(Integer::Short),
    TyKind::Integer(Integer::UShort),
    TyKind::Integer(Integer::Int),
    TyKind::Integer(Integer::UInt),
    TyKind::Integer(Integer::Long),
    TyKind::Integer(Integer::ULong),
    TyKind::Integer(Integer::Int128),
    TyKind::Integer(Integer::UInt128),
    TyKind::Float(Float::Half),
    TyKind::Float(Float::Single),
    TyKind::Float(Float::Double),
    TyKind::Token,
];

impl Ty {
    /// See [`TyKind::Unknown`].
    pub const UNKNOWN: Ty = Ty(0);
    /// See [`TyKind::Void`].
    pub const VOID: Ty = Ty(1);
    /// See [`TyKind::Bool`].
    pub const BOOL: Ty = Ty(2);
    /// `char`, signed.
    pub const CHAR: Ty = Ty(3);
    /// `uchar`.
    pub const UCHAR: Ty = Ty(4);
    /// `short`.
    pub const SHORT: Ty = Ty(5);
    /// `ushort`.
    pub const USHORT: Ty = Ty(6);
    /// `int`.
    pub const INT: Ty = Ty(7);
    /// `uint`.
    pub const UINT: Ty = Ty(8);
    /// `long`, 64 bits.
    pub const LONG: Ty = Ty(9);
    /// `ulong`, 64 bits.
    pub const ULONG: Ty = Ty(10);
    /// `half`.
    pub const HALF: Ty = Ty(13);
    /// `float`.
    pub const FLOAT: Ty = Ty(14);
    /// `double`.
    pub const DOUBLE: Ty = Ty(15);
    /// See [`TyKind::Token`].
    pub const TOKEN: Ty = Ty(16);
    /// The type `size_t`: 64 bits wide on every target.
    pub const SIZE: Ty = Ty::ULONG;

    /// Returns the type with the given structure.
    pub fn new(kind: TyKind) -> Ty {
        Ty(INTERNER.intern(kind))
    }

    /// Returns the structure of the type.
    pub fn kind(self) -> &'static TyKind {
        INTERNER.kinds[self.0 as usize]
    }

    /// Returns an integer type.
    pub fn integer(integer: Integer) -> Ty {
        Ty::new(TyKind::Integer(integer))
    }

    /// Returns a floating-point type.
    pub fn float(float: Float) -> Ty {
        Ty::new(TyKind::Float(float))
    }

    /// Returns a vector type of OpenCL C, or `element` itself for one lane.
    pub fn vector(element: Ty, lanes: u8) -> Ty {
        Ty::vector_of(VectorAbi::OpenCl, element, lanes)
    }

    /// Returns a vector type, or `element` itself for one lane.
    pub fn vector_of(abi: VectorAbi, element: Ty, lanes: u8) -> Ty {
        if lanes == 1 { element } else { Ty::new(TyKind::Vector { element, lanes, abi }) }
    }

    /// Returns a vector type with the rules of this vector, or `element` itself for one lane. A type that is not
    /// a vector follows the rules of OpenCL C.
    pub fn similar_vector(self, element: Ty, lanes: u8) -> Ty {
        Ty::vector_of(self.vector_abi(), element, lanes)
    }

    /// Returns the rules of a vector. Those of OpenCL C for any other type.
    pub fn vector_abi(self) -> VectorAbi {
        match self.kind() {
            TyKind::Vector { abi, .. } => *abi,
            _ => VectorAbi::OpenCl,
        }
    }

    /// Returns an array type. `length` is None if the number of elements is not known.
    pub fn array(element: Ty, length: Option<u64>) -> Ty {
        Ty::new(TyKind::Array { element, length })
    }

    /// Returns a pointer to a type without qualifiers.
    pub fn pointer(pointee: Ty, space: AddressSpace) -> Ty {
        let pointer =
            Pointer { pointee, space, constant: false, volatile: false, restrict: false, reference: false };
        Ty::new(TyKind::Pointer(pointer))
    }

    /// Returns the type of a C++ reference to a type without qualifiers: a pointer that always points to one object.
    pub fn reference(pointee: Ty, space: AddressSpace) -> Ty {
        let pointer =
            Pointer { pointee, space, constant: false, volatile: false, restrict: false, reference: true };
        Ty::new(TyKind::Pointer(pointer))
    }

    /// Returns whether this is the unknown type.
    pub fn is_unknown(self) -> bool {
        self == Ty::UNKNOWN
    }

    /// Returns whether this is an array whose number of elements is not known.
    pub fn is_array_of_unknown_length(self) -> bool {
        matches!(self.kind(), TyKind::Array { length: None, .. })
    }

    /// Returns whether this is `void`.
    pub fn is_void(self) -> bool {
        self == Ty::VOID
    }

    /// Returns the lane type and the number of lanes of a scalar (1 lane) or vector. None for any other type.
    pub fn lanes(self) -> Option<(Ty, u8)> {
        match self.kind() {
            TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_) => Some((self, 1)),
            TyKind::Vector { element, lanes, .. } => Some((*element, *lanes)),
            _ => None,
        }
    }

    /// Returns the lane type and the number of lanes of a vector. None for any other type.
    pub fn as_vector(self) -> Option<(Ty, u8)> {
        match self.kind() {
            TyKind::Vector { element, lanes, .. } => Some((*element, *lanes)),
            _ => None,
        }
    }

    /// Returns the integer type, or None if this is another type.
    pub fn as_integer(self) -> Option<Integer> {
        match self.kind() {
            TyKind::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// Returns the floating-point type, or None if this is another type.
    pub fn as_float(self) -> Option<Float> {
        match self.kind() {
            TyKind::Float(float) => Some(*float),
            _ => None,
        }
    }

    /// Returns the pointer type, or None if this is another type.
    pub fn as_pointer(self) -> Option<&'static Pointer> {
        match self.kind() {
            TyKind::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Returns the record type, or None if this is another type.
    pub fn as_record(self) -> Option<&'static Record> {
        match self.kind() {
            TyKind::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the function type, or None if this is another type.
    pub fn as_function(self) -> Option<&'static FunctionTy> {
        match self.kind() {
            TyKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Returns whether this is a scalar of the usual arithmetic conversions: `bool`, an integer or a float.
    pub fn is_arithmetic(self) -> bool {
        matches!(self.kind(), TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_))
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind())
    }
}
