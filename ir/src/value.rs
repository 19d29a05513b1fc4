//! Constants, and what operations do to values: shared by typed bodies and flow graphs.

use crate::key::Entity;
use crate::nest::StmtId;

/// How one value becomes another. The types are those of the operand and of the result; on vectors of equally many lanes, lane by
/// lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Between integers and `bool` → integer: truncates, or extends by the operand's sign.
    Integer,
    /// Rounds to the nearest, ties to even.
    IntToFloat,
    /// Towards zero.
    FloatToInt,
    /// Between floating types: rounds to the nearest, ties to even.
    Float,
    /// Not equal to zero (or null): `bool`.
    ToBool,
    /// One scalar into every lane.
    Splat,
    /// The address as a number.
    PointerToInt,
    /// A number as an address.
    IntToPointer,
    /// To another pointee or address space.
    Pointer,
    /// The same bits: `as_T`.
    Bits,
    /// The value is dropped: `void`.
    Discard,
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// The negative number.
    Negate,
    /// All bits turned; of `bool`, not.
    Complement,
}

/// An operation on two values of one type, which is the result's. Integers wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Times.
    Mul,
    /// Integers: towards zero.
    Div,
    /// What [`Div`](Arithmetic::Div) leaves, with the sign of the left operand.
    Rem,
    /// Plus.
    Add,
    /// Minus.
    Sub,
    /// To the left. Of integers.
    Shl,
    /// To the right; of signed integers with copies of the sign. Of integers.
    Shr,
    /// Both bits. Of integers.
    And,
    /// One of the bits, not both. Of integers.
    Xor,
    /// One of the bits, or both. Of integers.
    Or,
}

/// A question about two values of one type. Of a NaN only [`NotEqual`](Comparison::NotEqual) holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// A constant of scalar, pointer or vector type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// In the range of its type; of `bool` 0 or 1. A pointer's is an address.
    Integer(i128),
    /// The bits of an IEEE `double`: every `half` and `float` is one.
    Float(u64),
    /// Zero of any type.
    Zero,
    /// No particular value.
    Undefined,
    /// One for each lane.
    Vector(Box<[Constant]>),
}

impl Constant {
    /// A floating constant, by its value.
    pub fn float(value: f64) -> Constant {
        Constant::Float(value.to_bits())
    }
}

/// The value of a variable before the program runs. Of the variable's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// One number, address or vector.
    Constant(Constant),
    /// Fields of a struct, or elements of an array: what is missing at the end is zero.
    Aggregate(Box<[Data]>),
    /// A union, by the field that is set.
    Union {
        /// The number of the field.
        field: u32,
        /// What it is set to.
        data: Box<Data>,
    },
    /// A `char` array; what is missing at the end is zero.
    Bytes(Box<[u8]>),
    /// The address of a variable or function at file scope, and bytes beyond.
    Address {
        /// What is pointed to.
        of: Entity,
        /// In bytes.
        offset: i64,
    },
    /// The address of a string.
    StringAddress {
        /// The string, its zero byte included.
        bytes: Box<[u8]>,
        /// In bytes.
        offset: i64,
    },
    /// The address of a label of the function that holds the variable.
    Label(StmtId),
    /// Something that the source does not say: nothing is emitted for it.
    Unknown,
}
