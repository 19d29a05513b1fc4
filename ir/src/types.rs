//! Types, interned: a type is a number, and two types are equal iff they mean the same.
//!
//! Types are values without places: a record *is* its tag and members, so that units which declare the same records share
//! everything that is computed from them. Inside its own definition a record is named by its tag only
//! ([`Record::definition`] is None): whoever needs its members looks the tag up. That keeps types free of cycles.
//!
//! Qualifiers stand where C uses them: `const` and `volatile` with the pointer to what is qualified, or with the variable.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use tangle_base::{Access, AddressSpace, Namespace, Symbol};

/// A vector has at most so many lanes: the lanes of two are numbered by a byte.
pub const MAX_LANES: u8 = 128;

/// An interned type. Lives as long as the process. The number says nothing about order, and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// Depends on a name or a header that is not there. Compatible with everything, so that nothing follows from it.
    Unknown,
    /// No value.
    Void,
    /// A truth value: 0 or 1.
    Bool,
    /// A number without fraction.
    Integer(Integer),
    /// A number of IEEE 754.
    Float(Float),
    /// 2 to [`MAX_LANES`] integers or floats: in OpenCL C 2, 3, 4, 8 or 16, and any number by an attribute.
    Vector {
        /// An integer or float.
        element: Ty,
        /// 2 to [`MAX_LANES`].
        lanes: u8,
    },
    /// An address.
    Pointer(Pointer),
    /// Elements one behind the other.
    Array {
        /// Of each element.
        element: Ty,
        /// None: not known here.
        length: Option<u64>,
    },
    /// What is called.
    Function(Box<FunctionTy>),
    /// A struct or union.
    Record(Box<Record>),
    /// C11's `_Atomic(T)`; `atomic_int` and the like.
    Atomic(Ty),
    /// `T (^)(…)`: the type is the function's.
    BlockPointer(Ty),
    /// A handle of the language.
    Opaque(Opaque),
    /// A convergence token. Only in `flow`; no program can write it.
    Token,
}

/// The integer types, by OpenCL C's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Integer {
    /// 8 bits, signed.
    Char,
    /// 8 bits.
    UChar,
    /// 16 bits, signed.
    Short,
    /// 16 bits.
    UShort,
    /// 32 bits, signed.
    Int,
    /// 32 bits.
    UInt,
    /// 64 bits, signed.
    Long,
    /// 64 bits.
    ULong,
    /// 128 bits, signed.
    Int128,
    /// 128 bits.
    UInt128,
}

impl Integer {
    /// Every integer type, the narrow ones first.
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

    /// The width: 8 to 128.
    pub fn bits(self) -> u32 {
        match self {
            Integer::Char | Integer::UChar => 8,
            Integer::Short | Integer::UShort => 16,
            Integer::Int | Integer::UInt => 32,
            Integer::Long | Integer::ULong => 64,
            Integer::Int128 | Integer::UInt128 => 128,
        }
    }

    /// Whether negative numbers are among its values.
    pub fn signed(self) -> bool {
        matches!(self, Integer::Char | Integer::Short | Integer::Int | Integer::Long | Integer::Int128)
    }

    /// The type of the same width, signed or not.
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

    /// The name that OpenCL C gives it.
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

/// The floating types.
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
    /// Every floating type, the narrow ones first.
    pub const ALL: [Float; 3] = [Float::Half, Float::Single, Float::Double];

    /// The width: 16, 32 or 64.
    pub fn bits(self) -> u32 {
        match self {
            Float::Half => 16,
            Float::Single => 32,
            Float::Double => 64,
        }
    }

    /// The name that OpenCL C gives it.
    pub fn name(self) -> &'static str {
        match self {
            Float::Half => "half",
            Float::Single => "float",
            Float::Double => "double",
        }
    }
}

/// A pointer type, with what it says of what is pointed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// What is pointed to, without its qualifiers.
    pub pointee: Ty,
    /// The memory that it points into.
    pub space: AddressSpace,
    /// Of the pointee.
    pub constant: bool,
    /// Of the pointee.
    pub volatile: bool,
    /// Of the pointer itself: a promise about aliases, never part of compatibility.
    pub restrict: bool,
    /// It is a reference of C++: written without a star, and with `&`.
    pub reference: bool,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionTy {
    /// What it returns; `void`: nothing.
    pub result: Ty,
    /// After adjustment: arrays and functions are pointers here.
    pub parameters: Box<[Ty]>,
    /// Further arguments of any type may follow.
    pub variadic: bool,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its fields share their memory.
    pub union: bool,
    /// Its tag; for a record without one, the typedef that names it.
    pub tag: Option<Class>,
    /// None: declared but not defined here, or this is a mention of the record inside itself.
    pub definition: Option<Definition>,
}

/// The identity of a struct, union or class. Interned as a number. The order of the numbers has no meaning and differs between runs.
///
/// ```cpp
/// namespace ops {
/// template <class T, int N> struct sum { … };    // `ops::sum`
/// template <class T> struct sum<T, 1> { … };     // `ops::sum<_, 1>`
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(u32);

#[derive(Clone, PartialEq, Eq, Hash)]
struct ClassParts {
    namespace: Namespace,
    name: Symbol,
    arguments: Box<[TemplateArgument]>,
}

/// An argument of a specialisation of a class template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemplateArgument {
    /// A parameter of the specialisation: any argument matches.
    Any,
    /// This number.
    Number(i128),
    /// This type.
    Type(Ty),
    /// An expression or type with parameters or undeclared names.
    Other,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(Classes::default);

#[derive(Default)]
struct Classes {
    numbers: DashMap<&'static ClassParts, Class, FxBuildHasher>,
    parts: boxcar::Vec<&'static ClassParts>,
}

impl Class {
    /// The class of a name in a namespace. With arguments, a specialisation.
    pub fn new(namespace: Namespace, name: Symbol, arguments: Box<[TemplateArgument]>) -> Class {
        let parts = ClassParts { namespace, name, arguments };
        if let Some(known) = CLASSES.numbers.get(&parts) {
            return *known;
        }
        let parts: &'static ClassParts = Box::leak(Box::new(parts));
        // If another thread was first, its number is used.
        *CLASSES.numbers.entry(parts).or_insert_with(|| {
            Class(u32::try_from(CLASSES.parts.push(parts)).expect("fewer than 2^32 classes"))
        })
    }

    /// The record of a tag in the global namespace, as all records of C are.
    pub fn plain(tag: Symbol) -> Class {
        Class::new(Namespace::GLOBAL, tag, Box::default())
    }

    fn parts(self) -> &'static ClassParts {
        CLASSES.parts[self.0 as usize]
    }

    /// Its namespace.
    pub fn namespace(self) -> Namespace {
        self.parts().namespace
    }

    /// Its own name.
    pub fn name(self) -> Symbol {
        self.parts().name
    }

    /// The arguments of a specialisation. Empty for a template and for a class that is no template.
    pub fn arguments(self) -> &'static [TemplateArgument] {
        &self.parts().arguments
    }

    /// The name in messages, without its namespace: `sum<_, 1>`.
    pub fn label(self) -> String {
        let arguments: Vec<String> = self.arguments().iter().map(TemplateArgument::to_string).collect();
        match &arguments[..] {
            [] => self.name().to_string(),
            all => format!("{}<{}>", self.name(), all.join(", ")),
        }
    }

    /// The template of a specialisation; otherwise the class itself.
    pub fn template(self) -> Class {
        match self.arguments() {
            [] => self,
            _ => Class::new(self.namespace(), self.name(), Box::default()),
        }
    }
}

/// `ops::sum<_, 1>`: `_` is a parameter, and `?` an unknown argument.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outer in self.namespace().path() {
            write!(f, "{outer}::")?;
        }
        f.write_str(&self.label())
    }
}

impl fmt::Debug for Class {
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
            TemplateArgument::Other => f.write_str("?"),
        }
    }
}

/// What is in a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// In source order.
    pub fields: Box<[Field]>,
    /// No field is aligned.
    pub packed: bool,
    /// What `#pragma pack` says: no field is aligned to more bytes.
    pub pack: Option<u32>,
    /// `__attribute__((aligned(n)))`, in bytes.
    pub align: Option<u32>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// None: an anonymous struct or union, whose members are reached through it, or an unnamed bit-field.
    pub name: Option<Symbol>,
    /// Without qualifiers.
    pub ty: Ty,
    /// The width of a bit-field.
    pub bits: Option<u32>,
    /// Declared `const`.
    pub constant: bool,
    /// Declared `volatile`.
    pub volatile: bool,
    /// It is not aligned.
    pub packed: bool,
    /// `__attribute__((aligned(n)))`, in bytes.
    pub align: Option<u32>,
}

/// Types of OpenCL C that have values but no representation that a program could see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// `image2d_t` and its relatives, by name.
    Image {
        /// The name of the type.
        name: Symbol,
        /// What a kernel does with it.
        access: Access,
    },
    /// A queue of packets between kernels.
    Pipe {
        /// The type of a packet.
        packet: Ty,
        /// What a kernel does with it.
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
        // If another thread was first, its number is used.
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
    /// `size_t` is 64 bits wide on every target.
    pub const SIZE: Ty = Ty::ULONG;

    /// The type that is this.
    pub fn new(kind: TyKind) -> Ty {
        Ty(INTERNER.intern(kind))
    }

    /// What it is.
    pub fn kind(self) -> &'static TyKind {
        INTERNER.kinds[self.0 as usize]
    }

    /// An integer type.
    pub fn integer(integer: Integer) -> Ty {
        Ty::new(TyKind::Integer(integer))
    }

    /// A floating type.
    pub fn float(float: Float) -> Ty {
        Ty::new(TyKind::Float(float))
    }

    /// `element` itself for one lane.
    pub fn vector(element: Ty, lanes: u8) -> Ty {
        if lanes == 1 { element } else { Ty::new(TyKind::Vector { element, lanes }) }
    }

    /// An array type.
    pub fn array(element: Ty, length: Option<u64>) -> Ty {
        Ty::new(TyKind::Array { element, length })
    }

    /// A pointer to something without qualifiers.
    pub fn pointer(pointee: Ty, space: AddressSpace) -> Ty {
        let pointer =
            Pointer { pointee, space, constant: false, volatile: false, restrict: false, reference: false };
        Ty::new(TyKind::Pointer(pointer))
    }

    /// Whether nothing is known of it.
    pub fn is_unknown(self) -> bool {
        self == Ty::UNKNOWN
    }

    /// Whether it has no values.
    pub fn is_void(self) -> bool {
        self == Ty::VOID
    }

    /// The scalar type of a scalar's or vector's lanes, and how many there are (1 for a scalar). None for anything else.
    pub fn lanes(self) -> Option<(Ty, u8)> {
        match self.kind() {
            TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_) => Some((self, 1)),
            TyKind::Vector { element, lanes } => Some((*element, *lanes)),
            _ => None,
        }
    }

    /// The type of a vector's lanes, and how many there are. None for anything else.
    pub fn as_vector(self) -> Option<(Ty, u8)> {
        match self.kind() {
            TyKind::Vector { element, lanes } => Some((*element, *lanes)),
            _ => None,
        }
    }

    /// None: it is no integer type.
    pub fn as_integer(self) -> Option<Integer> {
        match self.kind() {
            TyKind::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// None: it is no floating type.
    pub fn as_float(self) -> Option<Float> {
        match self.kind() {
            TyKind::Float(float) => Some(*float),
            _ => None,
        }
    }

    /// None: it is no pointer type.
    pub fn as_pointer(self) -> Option<&'static Pointer> {
        match self.kind() {
            TyKind::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    /// None: it is no record type.
    pub fn as_record(self) -> Option<&'static Record> {
        match self.kind() {
            TyKind::Record(record) => Some(record),
            _ => None,
        }
    }

    /// None: it is no function type.
    pub fn as_function(self) -> Option<&'static FunctionTy> {
        match self.kind() {
            TyKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// A scalar in the sense of the usual arithmetic conversions: `bool`, an integer or a float.
    pub fn is_arithmetic(self) -> bool {
        matches!(self.kind(), TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_))
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind())
    }
}
