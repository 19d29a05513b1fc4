//! The result types of operations, as far as their operands determine them.
//!
//! **Deciding operand**: the operand of an operation whose type determines the type of the result. The text form of a
//! graph omits types that follow from the deciding operand. The builder gives these types to new operations, and the
//! verifier checks operations against them.
//!
//! ```text
//! %1 = add %x, 1                // the type of %x
//! %2 = lt %x, %y                // bool; for vectors, integers as wide as their lanes
//! %3 = element float %p, %i     // the type of %p if it points to floats; otherwise such a pointer in the same memory
//! ```

use super::{Call, Callee, Function, Op, Passing, ValueId};
use crate::layout::layout;
use crate::types::{Float, FunctionTy, Integer, Ty, TyKind};
use crate::value::Conversion;
use tangle_base::AddressSpace;

/// The origin of the type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeOrigin {
    /// The operation always has this type.
    Fixed(Ty),
    /// The type follows from the type of this operand, by [`from`].
    Operand(ValueId),
    /// The operation states it: a phi, a load, a call, an unknown, most conversions, a read of a variable, a value in
    /// no block.
    Explicit,
}

/// Returns the origin of the type of an operation's result.
pub(crate) fn source(op: &Op) -> TypeOrigin {
    match op {
        Op::Parameter(_)
        | Op::Constant(_)
        | Op::Slot(_)
        | Op::Global(_)
        | Op::Function(_)
        | Op::String(_)
        | Op::Phi(_)
        | Op::Get(_)
        | Op::Load { .. }
        | Op::Unknown { .. }
        | Op::Call(_) => TypeOrigin::Explicit,
        Op::Convert { conversion: Conversion::ToBool, .. } => TypeOrigin::Fixed(Ty::BOOL),
        Op::Convert { .. } => TypeOrigin::Explicit,
        Op::Set(..) | Op::Store { .. } | Op::Copy { .. } | Op::Clear { .. } => TypeOrigin::Fixed(Ty::VOID),
        Op::Token(_) => TypeOrigin::Fixed(Ty::TOKEN),
        Op::Unary { operand, .. } => TypeOrigin::Operand(*operand),
        Op::Binary { left, .. } | Op::Compare { left, .. } | Op::Shuffle { left, .. } => {
            TypeOrigin::Operand(*left)
        }
        Op::Select { then, .. } => TypeOrigin::Operand(*then),
        Op::Extract { vector, .. } | Op::Insert { vector, .. } => TypeOrigin::Operand(*vector),
        Op::Element { base, .. } | Op::Field { base, .. } => TypeOrigin::Operand(*base),
    }
}

/// Returns the type of a result, given the type of the deciding operand. Unknown if the operation does not accept this
/// operand type.
pub(crate) fn from(op: &Op, operand: Ty) -> Ty {
    match op {
        Op::Compare { .. } => compared(operand),
        Op::Extract { .. } => lane(operand),
        Op::Shuffle { lanes, .. } => match (operand.as_vector(), u8::try_from(lanes.len())) {
            (Some((element, _)), Ok(count)) if count > 0 => operand.similar_vector(element, count),
            _ => Ty::UNKNOWN,
        },
        Op::Element { element, .. } => match operand.as_pointer() {
            Some(pointer) if pointer.pointee == *element => operand,
            Some(pointer) => Ty::pointer(*element, pointer.space),
            None => Ty::UNKNOWN,
        },
        Op::Field { record, field, .. } => {
            let definition = record.as_record().and_then(|record| record.definition.as_ref());
            let field = definition.and_then(|definition| definition.fields.get(*field as usize));
            match (operand.as_pointer(), field) {
                (Some(pointer), Some(field)) => Ty::pointer(field.ty, pointer.space),
                _ => Ty::UNKNOWN,
            }
        }
        _ => operand,
    }
}

/// Returns the type of the result of comparing two values of a type.
pub(crate) fn compared(ty: Ty) -> Ty {
    let Some((element, lanes)) = ty.as_vector() else { return Ty::BOOL };
    let integer = match element.kind() {
        TyKind::Integer(integer) => integer.with_sign(true),
        TyKind::Float(Float::Half) => Integer::Short,
        TyKind::Float(Float::Single) => Integer::Int,
        TyKind::Float(Float::Double) => Integer::Long,
        _ => Integer::Char,
    };
    ty.similar_vector(Ty::integer(integer), lanes)
}

/// Returns the type of one lane of a vector. Unknown for any other type.
pub(crate) fn lane(ty: Ty) -> Ty {
    ty.as_vector().map_or(Ty::UNKNOWN, |(element, _)| element)
}

/// Returns the conversion between two types, if the types alone determine it. `bits` and `splat` are never implied.
pub(crate) fn conversion(from: Ty, to: Ty) -> Option<Conversion> {
    if to.is_void() {
        return Some(Conversion::Discard);
    }
    let scalar = |ty: Ty| ty.lanes().map_or(ty, |(element, _)| element);
    let of = |ty: Ty| match scalar(ty).kind() {
        TyKind::Bool | TyKind::Integer(_) => Some(ConversionClass::Integer),
        TyKind::Float(_) => Some(ConversionClass::Float),
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => Some(ConversionClass::Pointer),
        _ => None,
    };
    Some(match (of(from)?, of(to)?) {
        (ConversionClass::Integer, ConversionClass::Integer) => Conversion::Integer,
        (ConversionClass::Integer, ConversionClass::Float) => Conversion::IntToFloat,
        (ConversionClass::Float, ConversionClass::Integer) => Conversion::FloatToInt,
        (ConversionClass::Float, ConversionClass::Float) => Conversion::Float,
        (ConversionClass::Pointer, ConversionClass::Integer) => Conversion::PointerToInt,
        (ConversionClass::Integer, ConversionClass::Pointer) => Conversion::IntToPointer,
        (ConversionClass::Pointer, ConversionClass::Pointer) => Conversion::Pointer,
        (ConversionClass::Float, ConversionClass::Pointer)
        | (ConversionClass::Pointer, ConversionClass::Float) => return None,
    })
}

/// A class of types that the same conversions apply to.
#[derive(Clone, Copy)]
enum ConversionClass {
    Integer,
    Float,
    Pointer,
}

/// Returns the type of a callee that its arguments imply: a function with exactly these parameters. For a call through
/// a pointer, the pointee.
pub(crate) fn callee(call: &Call, result: Ty, ty: impl Fn(ValueId) -> Ty) -> Ty {
    let pointee = |value: ValueId| ty(value).as_pointer().map_or(Ty::UNKNOWN, |pointer| pointer.pointee);
    if let Callee::Pointer { address, .. } = call.callee {
        return pointee(address);
    }
    let mut function = FunctionTy { result, parameters: Box::default(), variadic: false };
    let mut parameters = Vec::with_capacity(call.arguments.len());
    for &(value, passing) in &call.arguments {
        match passing {
            Passing::Value => parameters.push(ty(value)),
            Passing::Copy => parameters.push(pointee(value)),
            Passing::Result => function.result = pointee(value),
        }
    }
    function.parameters = parameters.into();
    Ty::new(TyKind::Function(Box::new(function)))
}

/// Returns the type of the callee if it differs from the type that the arguments imply.
pub(crate) fn said_callee(function: &Function, call: &Call, result: Ty) -> Option<Ty> {
    let reported = callee(call, result, |value| function.values[value].ty);
    Some(call.callee.ty()).filter(|&ty| ty != reported)
}

/// Returns the type of a result if it differs from the type that the operation and its operands imply.
pub(crate) fn said_result(function: &Function, value: ValueId) -> Option<Ty> {
    let value = &function.values[value];
    let reported = match source(&value.op) {
        TypeOrigin::Fixed(ty) => ty,
        TypeOrigin::Operand(operand) => from(&value.op, function.values[operand].ty),
        TypeOrigin::Explicit => match value.op {
            Op::Get(variable) => function.variables[variable].ty,
            _ => value.ty,
        },
    };
    Some(value.ty).filter(|&ty| ty != reported && !ty.is_void())
}

/// Returns the type of the address of a string, which is in `constant` memory.
pub(crate) fn string(bytes: &[u8]) -> Ty {
    Ty::pointer(Ty::array(Ty::CHAR, Some(bytes.len() as u64)), AddressSpace::Constant)
}

/// Returns the alignment of a load or store of a type, in bytes. None if the type has no layout.
pub(crate) fn natural_align(ty: Ty) -> Option<u32> {
    layout(ty).map(|layout| layout.align)
}
