//! The type rules of operations: the operands and the result must agree.
//!
//! Two types **agree** if a value of one type is accepted where the other is required. They are equal, or both are
//! pointers into the same memory, or one of them is unknown. No operation depends on the pointee of a pointer or its
//! qualifiers. `_Atomic(T)` counts as `T` here.

use crate::flow::regions::token_of;
use crate::flow::typing::{compared, lane};
use crate::flow::{Callee, Function, Op, Passing, Terminator, Unknown, ValueId};
use crate::types::{Integer, Opaque, Ty, TyKind, VectorAbi};
use crate::value::{Arithmetic, Constant, Conversion, UnaryOp};

/// The class of a type, as far as operations distinguish types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueClass {
    Bool,
    Integer,
    Float,
    /// An address, a block pointer, or a handle of the language.
    Pointer,
    /// The unknown type.
    Unknown,
    /// A type that no operation accepts: a record, an array, a function, a token, `void`.
    Other,
}

fn without_atomic(ty: Ty) -> Ty {
    let mut ty = ty;
    while let TyKind::Atomic(of) = ty.kind() {
        ty = *of;
    }
    ty
}

/// Returns the class of the lanes of a type, and the number of lanes.
fn class(ty: Ty) -> (ValueClass, u8) {
    let ty = without_atomic(ty);
    let (scalar, lanes) = ty.as_vector().unwrap_or((ty, 1));
    let class = match scalar.kind() {
        TyKind::Bool => ValueClass::Bool,
        TyKind::Integer(_) => ValueClass::Integer,
        TyKind::Float(_) => ValueClass::Float,
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => ValueClass::Pointer,
        TyKind::Unknown => ValueClass::Unknown,
        _ => ValueClass::Other,
    };
    (class, lanes)
}

fn types_match(left: Ty, right: Ty) -> bool {
    let (left, right) = (without_atomic(left), without_atomic(right));
    match (left.as_pointer(), right.as_pointer()) {
        (Some(left), Some(right)) => left.space == right.space,
        _ => left == right || left.is_unknown() || right.is_unknown(),
    }
}

/// Returns whether a value of the type can be in memory, or be an operand.
fn is_value(ty: Ty) -> bool {
    class(ty).0 != ValueClass::Other
}

fn is_pointer(ty: Ty) -> bool {
    matches!(without_atomic(ty).kind(), TyKind::Pointer(_) | TyKind::Unknown)
}

fn is_integer(ty: Ty) -> bool {
    matches!(class(ty), (ValueClass::Bool | ValueClass::Integer | ValueClass::Unknown, 1))
}

/// Returns the smallest and the largest number of a type. An unsigned number of 128 bits is stored as its bits, so it
/// has the range of `i128`.
fn range(ty: Ty) -> Option<(i128, i128)> {
    let integer = match without_atomic(ty).kind() {
        TyKind::Bool => return Some((0, 1)),
        TyKind::Integer(Integer::Int128 | Integer::UInt128) => return Some((i128::MIN, i128::MAX)),
        TyKind::Integer(integer) => *integer,
        _ => return None,
    };
    let bits = integer.bits();
    Some(match integer.signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    })
}

pub(super) fn constants(_: &Function, op: &Op, ty: Ty) -> bool {
    match op {
        Op::Constant(constant) => is_constant(constant, ty),
        _ => true,
    }
}

/// The recursion ends because vectors do not nest.
fn is_constant(constant: &Constant, ty: Ty) -> bool {
    let ty = without_atomic(ty);
    match (constant, class(ty)) {
        (_, (ValueClass::Unknown, _)) | (Constant::Zero | Constant::Undefined, _) => true,
        (Constant::Integer(number), (ValueClass::Bool | ValueClass::Integer, 1)) => {
            range(ty).is_some_and(|(least, most)| (least..=most).contains(number))
        }
        // An address, or a handle that is made from a number.
        (Constant::Integer(_), (ValueClass::Pointer, 1)) => true,
        (Constant::Float(_), (ValueClass::Float, 1)) => true,
        (Constant::Vector(lanes), _) => ty.as_vector().is_some_and(|(element, count)| {
            lanes.len() == usize::from(count) && lanes.iter().all(|lane| is_constant(lane, element))
        }),
        _ => false,
    }
}

pub(super) fn phis(function: &Function, op: &Op, ty: Ty) -> bool {
    match op {
        Op::Phi(incoming) => {
            incoming.iter().all(|&(_, operand)| types_match(function.values[operand].ty, ty))
        }
        _ => true,
    }
}

pub(super) fn arithmetic(function: &Function, op: &Op, ty: Ty) -> bool {
    let is_one = |operand: ValueId| types_match(function.values[operand].ty, ty);
    let of_numbers = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div, Arithmetic::Rem];
    let (fit, of_bits) = match op {
        Op::Unary { op, operand } => (is_one(*operand), *op == UnaryOp::Complement),
        Op::Binary { op, left, right } => (is_one(*left) && is_one(*right), !of_numbers.contains(op)),
        _ => return true,
    };
    fit && match class(ty).0 {
        ValueClass::Bool | ValueClass::Integer | ValueClass::Unknown => true,
        ValueClass::Float => !of_bits,
        ValueClass::Pointer | ValueClass::Other => false,
    }
}

pub(super) fn comparison(function: &Function, op: &Op, ty: Ty) -> bool {
    let Op::Compare { left, right, .. } = op else { return true };
    let (left, right) = (function.values[*left].ty, function.values[*right].ty);
    let yields = match without_atomic(left).as_vector() {
        Some(_) => ty == compared(without_atomic(left)),
        None => is_integer(ty),
    };
    types_match(left, right) && is_value(left) && yields
}

pub(super) fn conversion(function: &Function, op: &Op, ty: Ty) -> bool {
    match op {
        Op::Convert { conversion, operand } => converts(*conversion, function.values[*operand].ty, ty),
        _ => true,
    }
}

fn converts(conversion: Conversion, from: Ty, to: Ty) -> bool {
    let ((from_class, from_lanes), (to_class, to_lanes)) = (class(from), class(to));
    if from_class == ValueClass::Unknown || to_class == ValueClass::Unknown {
        return true;
    }
    let is_number = |class: ValueClass| matches!(class, ValueClass::Bool | ValueClass::Integer);
    let fits = match conversion {
        Conversion::Integer => is_number(from_class) && is_number(to_class),
        Conversion::IntToFloat => is_number(from_class) && to_class == ValueClass::Float,
        Conversion::FloatToInt => from_class == ValueClass::Float && is_number(to_class),
        Conversion::Float => from_class == ValueClass::Float && to_class == ValueClass::Float,
        Conversion::ToBool => from_class != ValueClass::Other && to_class == ValueClass::Bool,
        Conversion::PointerToInt => from_class == ValueClass::Pointer && is_number(to_class),
        Conversion::IntToPointer => is_number(from_class) && to_class == ValueClass::Pointer,
        Conversion::Pointer => from_class == ValueClass::Pointer && to_class == ValueClass::Pointer,
        Conversion::Splat => {
            return from_lanes == 1
                && without_atomic(to).as_vector().is_some_and(|(element, _)| types_match(element, from));
        }
        // A sampler is made from an integer that encodes its properties.
        Conversion::Bits if matches!(to.kind(), TyKind::Opaque(Opaque::Sampler)) => {
            return from_class == ValueClass::Integer;
        }
        Conversion::Bits => return bits(from).is_some() && bits(from) == bits(to),
        Conversion::Discard => return to.is_void(),
    };
    fits && from_lanes == to_lanes
}

/// Returns the number of bits of a value: the size of its type in memory.
fn bits(ty: Ty) -> Option<u32> {
    let ty = without_atomic(ty);
    let (scalar, lanes) = ty.as_vector().unwrap_or((ty, 1));
    let of_lane = match scalar.kind() {
        TyKind::Integer(integer) => integer.bits(),
        TyKind::Float(float) => float.bits(),
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => 64,
        TyKind::Bool => 8,
        _ => return None,
    };
    let is_padded = lanes == 3 && ty.vector_abi() == VectorAbi::OpenCl;
    Some(of_lane * if is_padded { 4 } else { u32::from(lanes) })
}

pub(super) fn select(function: &Function, op: &Op, ty: Ty) -> bool {
    let Op::Select { condition, then, otherwise } = op else { return true };
    let (of_condition, lanes) = class(function.values[*condition].ty);
    let decides = match of_condition {
        ValueClass::Bool | ValueClass::Unknown => lanes == 1 || lanes == class(ty).1,
        ValueClass::Integer => lanes > 1 && lanes == class(ty).1,
        _ => false,
    };
    decides && types_match(function.values[*then].ty, ty) && types_match(function.values[*otherwise].ty, ty)
}

pub(super) fn lanes(function: &Function, op: &Op, ty: Ty) -> bool {
    let of = |value: &ValueId| function.values[*value].ty;
    match op {
        Op::Extract { vector, lane: number } => {
            of(vector).as_vector().is_some() && types_match(lane(of(vector)), ty) && is_integer(of(number))
        }
        Op::Insert { vector, lane: number, value } => {
            ty.as_vector().is_some()
                && of(vector) == ty
                && is_integer(of(number))
                && types_match(of(value), lane(ty))
        }
        Op::Shuffle { left, right, lanes } => {
            let Some((element, count)) = of(left).as_vector() else { return false };
            let are_there = lanes.iter().flatten().all(|&lane| u32::from(lane) < 2 * u32::from(count));
            let yields =
                ty.lanes().is_some_and(|(of, count)| of == element && usize::from(count) == lanes.len());
            of(right) == of(left) && are_there && yields
        }
        _ => true,
    }
}

pub(super) fn memory(function: &Function, op: &Op, ty: Ty) -> bool {
    let at = |address: &ValueId| is_pointer(function.values[*address].ty);
    match op {
        Op::Load { address, align, .. } => at(address) && align.is_power_of_two() && is_value(ty),
        Op::Store { address, value, align, .. } => {
            at(address) && align.is_power_of_two() && is_value(function.values[*value].ty)
        }
        Op::Copy { to, from, ty } => at(to) && at(from) && is_object(*ty),
        Op::Clear { address, ty } => at(address) && is_object(*ty),
        _ => true,
    }
}

/// Returns whether an object of the type can be in memory.
fn is_object(ty: Ty) -> bool {
    !matches!(ty.kind(), TyKind::Void | TyKind::Token | TyKind::Function(_))
}

pub(super) fn addresses(function: &Function, op: &Op, ty: Ty) -> bool {
    let same_memory = |base: &ValueId| {
        let base = function.values[*base].ty;
        is_pointer(base) && is_pointer(ty) && types_match(base, ty)
    };
    match op {
        Op::Element { base, index, element } => {
            is_integer(function.values[*index].ty) && is_object(*element) && same_memory(base)
        }
        Op::Field { base, record, field } => {
            let definition = record.as_record().and_then(|record| record.definition.as_ref());
            definition.is_some_and(|it| (*field as usize) < it.fields.len()) && same_memory(base)
        }
        Op::Unknown { what: Unknown::Address, operands } => operands.first().is_some_and(same_memory),
        Op::Unknown { what: Unknown::Member(_), operands } if is_pointer(ty) => {
            operands.first().is_some_and(same_memory)
        }
        _ => true,
    }
}

pub(super) fn calls(function: &Function, op: &Op, ty: Ty) -> bool {
    let Op::Call(call) = op else { return true };
    let Some(callee) = call.callee.ty().as_function() else { return false };
    if let Callee::Pointer { address, .. } = call.callee
        && !matches!(class(function.values[address].ty).0, ValueClass::Pointer | ValueClass::Unknown)
    {
        return false;
    }
    let (mut arguments, mut result) = (Vec::new(), ty);
    for (number, &(argument, passing)) in call.arguments.iter().enumerate() {
        let ty = function.values[argument].ty;
        match (passing, ty.as_pointer().map(|pointer| pointer.pointee)) {
            (Passing::Value, _) => arguments.push(ty),
            (Passing::Copy, Some(of)) => arguments.push(of),
            (Passing::Result, Some(of)) if number == 0 && result.is_void() => result = of,
            (Passing::Copy | Passing::Result, _) => return false,
        }
    }
    let enough = match callee.variadic {
        true => arguments.len() >= callee.parameters.len(),
        false => arguments.len() == callee.parameters.len(),
    };
    let are_taken =
        arguments.iter().zip(&callee.parameters).all(|(&given, &asked)| types_match(given, asked));
    enough && are_taken && types_match(result, callee.result)
}

pub(super) fn ends(function: &Function, terminator: &Terminator) -> bool {
    let passes_result = function.parameters.iter().any(|parameter| parameter.passing == Passing::Result);
    match terminator {
        Terminator::Branch { condition, .. } => types_match(function.values[*condition].ty, Ty::BOOL),
        Terminator::Switch { value, cases, .. } => are_cases(function.values[*value].ty, cases),
        Terminator::Return(Some(value)) => {
            !passes_result && types_match(function.values[*value].ty, function.result)
        }
        Terminator::Return(None) => passes_result || function.result.is_void(),
        Terminator::Jump(_) | Terminator::Unreachable => true,
    }
}

/// Returns whether case ranges are in the range of the type, not empty, and disjoint.
fn are_cases<T>(ty: Ty, cases: &[(i128, i128, T)]) -> bool {
    let whole = ty.is_unknown().then_some((i128::MIN, i128::MAX));
    let Some((least, most)) = range(ty).or(whole) else { return false };
    let mut sorted: Vec<(i128, i128)> = cases.iter().map(|&(low, high, _)| (low, high)).collect();
    sorted.sort_unstable();
    sorted.iter().all(|&(low, high)| least <= low && low <= high && high <= most)
        && sorted.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

pub(super) fn results(_: &Function, op: &Op, ty: Ty) -> bool {
    match op {
        Op::Token(_) => ty == Ty::TOKEN,
        Op::Set(..) | Op::Store { .. } | Op::Copy { .. } | Op::Clear { .. } => ty.is_void(),
        Op::Call(_) | Op::Convert { conversion: Conversion::Discard, .. } => ty != Ty::TOKEN,
        Op::Unknown { what: Unknown::Statement | Unknown::Assembly, .. } => ty.is_void(),
        _ => ty != Ty::TOKEN && !ty.is_void(),
    }
}

/// Returns whether tokens are operands only where they control a call or are the parent of a heart.
pub(super) fn token_operand(function: &Function, op: &Op, _: Ty) -> bool {
    let mut fits = true;
    op.operands(|&operand| {
        fits &= (function.values[operand].ty == Ty::TOKEN) == (token_of(op) == Some(operand));
    });
    fits
}
