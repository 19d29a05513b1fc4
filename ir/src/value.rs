//! Constants, and what operations do to values: shared by typed bodies and flow graphs.

use crate::key::Entity;
use crate::nest::StmtId;

/// How one value becomes another. The types are those of the operand and of the result; on vectors of equally many lanes, lane by
/// lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Between integers and `bool` → integer: truncates, or extends by the operand's sign.
    Integer,
    IntToFloat,
    /// Towards zero.
    FloatToInt,
    Float,
    /// Not equal to zero (or null): `bool`.
    ToBool,
    /// One scalar into every lane.
    Splat,
    PointerToInt,
    IntToPointer,
    /// To another pointee or address space.
    Pointer,
    /// The same bits: `as_T`.
    Bits,
    /// The value is dropped: `void`.
    Discard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Negate,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    And,
    Xor,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
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
    Vector(Box<[Constant]>),
}

impl Constant {
    pub fn float(value: f64) -> Constant {
        Constant::Float(value.to_bits())
    }
}

/// The value of a variable before the program runs. Of the variable's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    Constant(Constant),
    /// Fields of a struct, or elements of an array: what is missing at the end is zero.
    Aggregate(Box<[Data]>),
    /// A union, by the field that is set.
    Union {
        field: u32,
        data: Box<Data>,
    },
    /// A `char` array; what is missing at the end is zero.
    Bytes(Box<[u8]>),
    /// The address of a variable or function at file scope, and bytes beyond.
    Address {
        of: Entity,
        offset: i64,
    },
    /// The address of a string.
    StringAddress {
        bytes: Box<[u8]>,
        offset: i64,
    },
    /// The address of a label of the function that holds the variable.
    Label(StmtId),
}
