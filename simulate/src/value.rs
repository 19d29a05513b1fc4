//! Values of an execution, and the results of operations on them.
//!
//! An **undefined** value represents any value: it is equal to every value, and results computed from it are undefined.
//! Integers, `bool` and pointers are exact, because an analysis may know that `x - x` is zero. Floats are stored as
//! `double`, and rounded to their type after each operation.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::FxHasher;
use tangle_ir::types::{Float, Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

use crate::keys::Key;

/// The value of an operation, parameter or memory access.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An undefined value: any value of the type.
    Undefined,
    /// An integer in the range of its type. `bool` is 0 or 1. Also the handles of images, events and similar objects.
    Int(i128),
    /// The bits of a `double`.
    Float(u64),
    /// An address.
    Pointer(Pointer),
    /// The value of each lane.
    Vector(Rc<[Value]>),
    /// A token: the dynamic instance of the operation that defined it.
    Token(Key),
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The object that the address points into.
    pub base: Base,
    /// The offset in the object, in bytes. It may be negative.
    pub offset: i64,
}

/// The object that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// No object: the offset is the address.
    Null,
    /// Private memory of the thread that holds the pointer: the depth of the call that owns the object, and the number
    /// of the object in that call. So the address of a variable is equal in all threads.
    Private(u32, u32),
    /// An object in `local` memory. Each work-group has its own copy at the same address.
    Local(u32),
    /// An object in `global` or `constant` memory.
    Global(u32),
    /// A function, by its number in the program.
    Function(u32),
}

/// The distance of offset 0 from the start of an object's address range: offsets may be negative.
const MIDDLE: i64 = 1 << 35;

impl Pointer {
    /// Converts a number to an address: the inverse of [`address`](Pointer::address).
    pub fn at(address: i64) -> Pointer {
        let number = |low: u32, bits: u32| (address as u64 >> low) as u32 & ((1 << bits) - 1);
        let base = match number(61, 3) {
            1 => Base::Private(number(53, 8), number(36, 17)),
            2 => Base::Local(number(36, 25)),
            3 => Base::Global(number(36, 25)),
            4 => Base::Function(number(36, 25)),
            _ => return Pointer { base: Base::Null, offset: address },
        };
        Pointer { base, offset: (address & (2 * MIDDLE - 1)) - MIDDLE }
    }

    /// Converts the address to a number. The address ranges of two objects are 64 GiB apart.
    pub fn address(self) -> i64 {
        let base = match self.base {
            Base::Null => return self.offset,
            Base::Private(depth, number) => 1 << 25 | u64::from(depth) << 17 | u64::from(number),
            Base::Local(number) => 2 << 25 | u64::from(number),
            Base::Global(number) => 3 << 25 | u64::from(number),
            Base::Function(number) => 4 << 25 | u64::from(number),
        };
        ((base << 36) as i64).wrapping_add(MIDDLE).wrapping_add(self.offset)
    }

    /// Returns the address that is `bytes` bytes after this one.
    pub fn plus(self, bytes: i64) -> Pointer {
        Pointer { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

impl Value {
    /// Creates a floating-point value.
    pub fn float(value: f64) -> Value {
        Value::Float(value.to_bits())
    }

    pub(crate) fn null() -> Value {
        Value::Pointer(Pointer { base: Base::Null, offset: 0 })
    }

    /// Whether two values compare equal. An undefined value is equal to every value.
    pub fn may_equal(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Undefined, _) | (_, Value::Undefined) => true,
            (Value::Vector(a), Value::Vector(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.may_equal(b)),
            _ => self == other,
        }
    }

    /// The integer. `None` if the value is not an integer.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The address. `None` if the value is neither an address nor an integer.
    pub fn as_pointer(&self) -> Option<Pointer> {
        match self {
            Value::Pointer(pointer) => Some(*pointer),
            Value::Int(address) => Some(Pointer::at(*address as i64)),
            _ => None,
        }
    }

    /// The lanes of a vector. A scalar is repeated in `count` lanes.
    pub(crate) fn lanes(&self, count: usize) -> Vec<Value> {
        match self {
            Value::Vector(lanes) => lanes.to_vec(),
            other => vec![other.clone(); count],
        }
    }
}

/// A hash of `parts` that is the same in every execution.
pub(crate) fn hash_of(parts: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
}

/// A small value of a type, selected by `number`: integers from 0 to 8, floats from -2 to 6, null pointers.
pub(crate) fn small(ty: Ty, number: u64) -> Value {
    match ty.kind() {
        TyKind::Void => Value::Undefined,
        TyKind::Bool => Value::Int((number & 1).into()),
        TyKind::Float(_) => Value::float((number % 9) as f64 - 2.0),
        TyKind::Vector { element, lanes, .. } => Value::Vector(
            (0..u64::from(*lanes)).map(|lane| small(*element, hash_of(&(number, lane)))).collect(),
        ),
        TyKind::Pointer(_) => Value::null(),
        _ => Value::Int((number % 9).into()),
    }
}

/// The number as a value of a type; in each lane of a vector. Undefined for types without numbers.
pub(crate) fn splat(number: i32, ty: Ty) -> Value {
    match ty.kind() {
        TyKind::Bool => Value::Int((number != 0).into()),
        TyKind::Integer(_) => Value::Int(wrap(number.into(), ty)),
        TyKind::Float(_) => Value::float(number.into()),
        TyKind::Vector { element, lanes, .. } => {
            Value::Vector((0..*lanes).map(|_| splat(number, *element)).collect())
        }
        _ => Value::Undefined,
    }
}

pub(crate) fn wrap(value: i128, ty: Ty) -> i128 {
    // The most common types first.
    match ty {
        Ty::INT => return (value as i32).into(),
        Ty::UINT => return (value as u32).into(),
        Ty::LONG => return (value as i64).into(),
        Ty::ULONG => return (value as u64).into(),
        _ => {}
    }
    let (bits, signed) = match ty.kind() {
        TyKind::Bool => (1, false),
        TyKind::Integer(integer) => (integer.bits(), integer.signed()),
        _ => (64, true),
    };
    if bits >= 128 {
        return value;
    }
    let low = value & ((1i128 << bits) - 1);
    if signed && low >> (bits - 1) & 1 == 1 { low - (1i128 << bits) } else { low }
}

fn round(value: f64, ty: Ty) -> Value {
    let value = match ty.as_float() {
        Some(Float::Double) | None => value,
        Some(Float::Single) => f64::from(value as f32),
        Some(Float::Half) => half::f16::from_f64(value).to_f64(),
    };
    // All NaNs get the same bits, so that they are equal as values.
    Value::float(if value.is_nan() { f64::NAN } else { value })
}

pub(crate) fn constant(constant: &Constant, ty: Ty) -> Value {
    match constant {
        Constant::Undefined => Value::Undefined,
        Constant::Integer(value) if ty.as_pointer().is_some() => Value::Pointer(Pointer::at(*value as i64)),
        Constant::Integer(value) => Value::Int(*value),
        Constant::Float(bits) => Value::Float(*bits),
        Constant::Zero => zero(ty),
        Constant::Vector(lanes) => {
            let element = element(ty);
            Value::Vector(lanes.iter().map(|lane| self::constant(lane, element)).collect())
        }
    }
}

fn zero(ty: Ty) -> Value {
    match ty.kind() {
        TyKind::Float(_) => Value::float(0.0),
        TyKind::Vector { element, lanes, .. } => Value::Vector(vec![zero(*element); (*lanes).into()].into()),
        TyKind::Pointer(_) => Value::null(),
        _ => Value::Int(0),
    }
}

pub(crate) fn element(ty: Ty) -> Ty {
    ty.lanes().map_or(ty, |(element, _)| element)
}

/// Applies a scalar function to each lane of the operands.
fn each<const N: usize>(ty: Ty, operands: [&Value; N], scalar: impl Fn([&Value; N]) -> Value) -> Value {
    // Vectors are rare. The operands are at hand, so check them before the type.
    if !operands.iter().any(|operand| matches!(operand, Value::Vector(_))) {
        return match ty.as_vector() {
            Some((_, lanes)) => Value::Vector(vec![scalar(operands); lanes.into()].into()),
            None => scalar(operands),
        };
    }
    let lanes = ty.lanes().map_or(1, |(_, lanes)| usize::from(lanes));
    let lane = |lane: usize| {
        scalar(operands.map(|operand| match operand {
            Value::Vector(lanes) => lanes.get(lane).unwrap_or(&Value::Undefined),
            other => other,
        }))
    };
    Value::Vector((0..lanes).map(lane).collect())
}

pub(crate) fn unary(op: UnaryOp, operand: &Value, ty: Ty) -> Value {
    let of = element(ty);
    each(ty, [operand], |[operand]| match (op, operand) {
        (UnaryOp::Negate, Value::Int(value)) => Value::Int(wrap(value.wrapping_neg(), of)),
        (UnaryOp::Complement, Value::Int(value)) => Value::Int(wrap(!value, of)),
        (UnaryOp::Negate, Value::Float(bits)) => round(-f64::from_bits(*bits), of),
        _ => Value::Undefined,
    })
}

pub(crate) fn binary(op: Arithmetic, left: &Value, right: &Value, ty: Ty) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        return integers(op, *a, *b, ty);
    }
    let of = element(ty);
    each(ty, [left, right], |operands| match operands {
        [Value::Int(a), Value::Int(b)] => integers(op, *a, *b, of),
        [Value::Float(a), Value::Float(b)] => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            match op {
                Arithmetic::Mul => round(a * b, of),
                Arithmetic::Div => round(a / b, of),
                Arithmetic::Add => round(a + b, of),
                Arithmetic::Sub => round(a - b, of),
                _ => Value::Undefined,
            }
        }
        _ => Value::Undefined,
    })
}

fn integers(op: Arithmetic, a: i128, b: i128, ty: Ty) -> Value {
    let result = match op {
        Arithmetic::Mul => a.wrapping_mul(b),
        Arithmetic::Add => a.wrapping_add(b),
        Arithmetic::Sub => a.wrapping_sub(b),
        Arithmetic::And => a & b,
        Arithmetic::Or => a | b,
        Arithmetic::Xor => a ^ b,
        Arithmetic::Div | Arithmetic::Rem if b == 0 => return Value::Undefined,
        Arithmetic::Div => a.wrapping_div(b),
        Arithmetic::Rem => a.wrapping_rem(b),
        Arithmetic::Shl => a.wrapping_shl((b & 127) as u32),
        Arithmetic::Shr => a >> (b & 127).min(127),
    };
    Value::Int(wrap(result, ty))
}

/// Compares two values. `of` is the type of the operands, and `ty` the type of the result.
pub(crate) fn compare(op: Comparison, left: &Value, right: &Value, of: Ty, ty: Ty) -> Value {
    let truth = if ty == Ty::BOOL || ty.as_vector().is_none() { 1 } else { -1 };
    let order = |operands: [&Value; 2]| {
        let order = match (operands[0], operands[1]) {
            (Value::Undefined, _) | (_, Value::Undefined) => return Value::Undefined,
            (Value::Float(a), Value::Float(b)) => f64::from_bits(*a).partial_cmp(&f64::from_bits(*b)),
            (a, b) => number(a).partial_cmp(&number(b)),
        };
        let holds = match op {
            Comparison::Less => order.is_some_and(|it| it.is_lt()),
            Comparison::Greater => order.is_some_and(|it| it.is_gt()),
            Comparison::LessEqual => order.is_some_and(|it| it.is_le()),
            Comparison::GreaterEqual => order.is_some_and(|it| it.is_ge()),
            Comparison::Equal => order.is_some_and(|it| it.is_eq()),
            Comparison::NotEqual => order.is_none_or(|it| it.is_ne()),
        };
        Value::Int(if holds { truth } else { 0 })
    };
    match (left, right) {
        (Value::Int(_), Value::Int(_)) => order([left, right]),
        _ => each(of, [left, right], order),
    }
}

/// The number of an integer, or of a pointer as an address. 0 for all other values.
pub(crate) fn number(value: &Value) -> i128 {
    match value {
        Value::Int(value) => *value,
        Value::Pointer(pointer) => (pointer.address() as u64).into(),
        _ => 0,
    }
}

pub(crate) fn convert(conversion: Conversion, operand: &Value, from: Ty, ty: Ty) -> Value {
    if *operand == Value::Undefined {
        return Value::Undefined;
    }
    let to = element(ty);
    match conversion {
        Conversion::Splat => {
            Value::Vector(vec![operand.clone(); ty.lanes().map_or(1, |(_, n)| n.into())].into())
        }
        Conversion::Pointer => operand.clone(),
        Conversion::PointerToInt => Value::Int(wrap(number(operand), ty)),
        Conversion::IntToPointer => Value::Pointer(Pointer::at(number(operand) as i64)),
        Conversion::Discard => Value::Undefined,
        Conversion::Bits => crate::memory::same_bits(operand, from, ty),
        Conversion::Integer
        | Conversion::IntToFloat
        | Conversion::FloatToInt
        | Conversion::Float
        | Conversion::ToBool => each(ty, [operand], |[operand]| match (conversion, operand) {
            (_, Value::Undefined) => Value::Undefined,
            (Conversion::ToBool, Value::Float(bits)) => Value::Int((f64::from_bits(*bits) != 0.0).into()),
            (Conversion::ToBool, other) => Value::Int((number(other) != 0).into()),
            (Conversion::Integer, Value::Int(value)) => Value::Int(wrap(*value, to)),
            (Conversion::IntToFloat, Value::Int(value)) => round(*value as f64, to),
            (Conversion::FloatToInt, Value::Float(bits)) => {
                Value::Int(wrap(f64::from_bits(*bits) as i128, to))
            }
            (Conversion::Float, Value::Float(bits)) => round(f64::from_bits(*bits), to),
            // The conversion of an opaque handle, or of an address instead of a number, has no value that a program can
            // rely on.
            _ => Value::Undefined,
        }),
    }
}

pub(crate) fn select(condition: &Value, then: &Value, otherwise: &Value, ty: Ty) -> Value {
    match condition {
        Value::Undefined => Value::Undefined,
        Value::Vector(_) => each(ty, [condition, then, otherwise], |operands| match operands[0] {
            Value::Int(condition) if *condition < 0 => operands[1].clone(),
            Value::Int(_) => operands[2].clone(),
            _ => Value::Undefined,
        }),
        condition if number(condition) != 0 => then.clone(),
        _ => otherwise.clone(),
    }
}
