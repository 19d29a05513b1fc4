//! Constants, and the operators of operations: shared by typed bodies and flow graphs.

use crate::key::GlobalEntity;
use crate::nest::StmtId;

/// A conversion of a value to another type. The operand and the result have their own types. Vectors with the same
/// number of lanes are converted lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// From an integer or `bool` to an integer: truncates, or extends by the sign of the operand.
    Integer,
    /// From an integer or `bool` to a float: rounds to nearest, ties to even.
    IntToFloat,
    /// From a float to an integer: rounds towards zero.
    FloatToInt,
    /// Between floating-point types: rounds to nearest, ties to even.
    Float,
    /// To `bool`: 1 unless the operand is zero (or null).
    ToBool,
    /// From a scalar to a vector: copies the scalar into each lane.
    Splat,
    /// From an address to its number.
    PointerToInt,
    /// From a number to an address.
    IntToPointer,
    /// To a pointer with another pointee or address space.
    Pointer,
    /// To a type with the same bits: `as_T`.
    Bits,
    /// To `void`: discards the value.
    Discard,
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negates a number.
    Negate,
    /// Inverts all bits; for `bool`, logical not.
    Complement,
}

/// An operation on two values of one type; the result has that type, too. Integers wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Multiplication.
    Mul,
    /// Division; for integers, rounded towards zero.
    Div,
    /// The remainder of [`Div`](Arithmetic::Div), with the sign of the left operand.
    Rem,
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Left shift. Integers only.
    Shl,
    /// Right shift. Integers only; signed integers are filled with copies of the sign bit.
    Shr,
    /// Bitwise and. Integers only.
    And,
    /// Bitwise exclusive or. Integers only.
    Xor,
    /// Bitwise or. Integers only.
    Or,
}

/// A comparison of two values of one type. With a NaN, only [`NotEqual`](Comparison::NotEqual) holds.
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
    /// A number in the range of its type: for `bool` 0 or 1, for a pointer an address.
    Integer(i128),
    /// The bits of an IEEE `double`, which can represent every `half` and `float`.
    Float(u64),
    /// Zero, for any type.
    Zero,
    /// An undefined value.
    Undefined,
    /// A vector: one constant for each lane.
    Vector(Box<[Constant]>),
}

impl Constant {
    /// Returns the floating-point constant with the given value.
    pub fn float(value: f64) -> Constant {
        Constant::Float(value.to_bits())
    }
}

/// The initial value of a variable. It has the type of the variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Data {
    /// A number, address or vector.
    Constant(Constant),
    /// The fields of a struct or the elements of an array. Missing parts at the end are zero.
    Aggregate(Box<[Data]>),
    /// A union with one initialised field.
    Union {
        /// The number of the field.
        field: u32,
        /// The value of the field.
        data: Box<Data>,
    },
    /// A `char` array. Missing bytes at the end are zero.
    Bytes(Box<[u8]>),
    /// The address of a variable or function at file scope, plus an offset.
    Address {
        /// The variable or function.
        of: GlobalEntity,
        /// The offset in bytes.
        offset: i64,
    },
    /// The address of a string, plus an offset.
    StringAddress {
        /// The bytes of the string, including the terminating zero.
        bytes: Box<[u8]>,
        /// The offset in bytes.
        offset: i64,
    },
    /// The address of a label of the function that declares the variable.
    Label(StmtId),
    /// A value that the source does not determine. The LLVM emitter refuses it.
    Unknown,
}
