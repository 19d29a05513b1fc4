//! Lowers operations on values: arithmetic, conversions, vectors.

use super::Builder;
use crate::flow::{Op, ValueId};
use tangle_hir::typed::{Arithmetic, Constant, Conversion, ExprId};
use tangle_hir::types::{Ty, TyKind};

use tangle_grammar::ast::Span;

/// Returns the value of an integer constant.
pub(super) fn whole(op: &Op) -> Option<i128> {
    match op {
        Op::Constant(Constant::Integer(value)) => Some(*value),
        Op::Constant(Constant::Zero) => Some(0),
        _ => None,
    }
}

impl Builder<'_> {
    /// Adds a binary operation. The operands have the same type; the right operand of a shift may be any integer.
    pub(super) fn binary(&mut self, op: Arithmetic, left: ValueId, right: ValueId) -> ValueId {
        let ty = self.ty(left);
        let right = match op {
            Arithmetic::Shl | Arithmetic::Shr => self.shift_count(right, ty),
            _ => right,
        };
        self.push(Op::Binary { op, left, right }, ty)
    }

    /// Returns a shift count modulo the width of the shifted type `ty` (OpenCL C 3.0, 6.3.10).
    fn shift_count(&mut self, count: ValueId, ty: Ty) -> ValueId {
        let element = ty.lanes().map_or(ty, |(element, _)| element);
        let mask = i128::from(element.as_integer().map_or(32, |integer| integer.bits()) - 1);
        if let Op::Constant(constant) = &self.function.values[count].op
            && let Some(masked) = masked(constant, mask)
        {
            return self.constant(masked, ty);
        }
        let count = self.convert(Conversion::Integer, count, ty);
        let mask = self.splat_constant(Constant::Integer(mask), ty);
        self.push(Op::Binary { op: Arithmetic::And, left: count, right: mask }, ty)
    }

    /// Returns a scalar constant, or a vector with the constant in every lane.
    fn splat_constant(&mut self, constant: Constant, ty: Ty) -> ValueId {
        match ty.as_vector() {
            Some((_, lanes)) => self.constant(Constant::Vector(vec![constant; lanes.into()].into()), ty),
            None => self.constant(constant, ty),
        }
    }

    pub(super) fn convert(&mut self, conversion: Conversion, operand: ValueId, ty: Ty) -> ValueId {
        let from = self.ty(operand);
        if from == ty && !matches!(conversion, Conversion::Splat) {
            return operand;
        }
        // A conversion from or to an unknown type is unknown.
        if (from.is_unknown() || ty.is_unknown())
            && !matches!(conversion, Conversion::ToBool | Conversion::Splat)
        {
            return self.unknown([operand], ty);
        }
        let op = &self.function.values[operand].op;
        match conversion {
            // All pointers into one address space have the same type here: a load has a type of its own.
            Conversion::Pointer => {
                if let (Some(a), Some(b)) = (from.as_pointer(), ty.as_pointer())
                    && a.space == b.space
                {
                    return operand;
                }
            }
            Conversion::Splat => {
                if let Op::Constant(constant) = op {
                    let constant = constant.clone();
                    return self.splat_constant(constant, ty);
                }
            }
            Conversion::Integer => {
                if let (Some(value), Some(integer)) = (whole(op), ty.as_integer()) {
                    return self.integer(wrapped(value, integer.bits(), integer.signed()), ty);
                }
            }
            Conversion::ToBool => {
                if let Some(value) = whole(op) {
                    return self.integer((value != 0).into(), ty);
                }
            }
            _ => {}
        }
        self.push(Op::Convert { conversion, operand }, ty)
    }

    /// Converts an arithmetic value, or a vector of them, to another type with the same number of lanes.
    pub(super) fn arithmetic_as(&mut self, value: ValueId, ty: Ty) -> ValueId {
        let from = self.ty(value);
        let element = |ty: Ty| ty.lanes().map_or(ty, |(element, _)| element);
        let conversion = match (element(from).as_float(), element(ty).as_float()) {
            _ if from == ty => return value,
            _ if ty == Ty::BOOL => Conversion::ToBool,
            (Some(_), Some(_)) => Conversion::Float,
            (Some(_), None) => Conversion::FloatToInt,
            (None, Some(_)) => Conversion::IntToFloat,
            (None, None) => Conversion::Integer,
        };
        self.convert(conversion, value, ty)
    }

    /// Returns the result of `++` or `--`.
    pub(super) fn stepped(&mut self, old: ValueId, increment: bool) -> ValueId {
        let ty = self.ty(old);
        if ty.as_pointer().is_some() {
            let one = self.integer(1, Ty::LONG);
            return self.offset(old, one, !increment, ty);
        }
        let Some((element, _)) = ty.lanes() else {
            return self.unknown([old], ty);
        };
        if element == Ty::BOOL {
            let operand = self.convert(Conversion::Integer, old, Ty::INT);
            let one = self.integer(if increment { 1 } else { -1 }, Ty::INT);
            let sum = self.push(Op::Binary { op: Arithmetic::Add, left: operand, right: one }, Ty::INT);
            return self.convert(Conversion::ToBool, sum, Ty::BOOL);
        }
        let one = match element.as_float() {
            Some(_) => Constant::float(1.0),
            None => Constant::Integer(1),
        };
        let right = self.splat_constant(one, ty);
        let op = if increment { Arithmetic::Add } else { Arithmetic::Sub };
        self.push(Op::Binary { op, left: old, right }, ty)
    }

    /// Returns some lanes of a vector, by constant numbers.
    pub(super) fn swizzle(&mut self, vector: ValueId, lanes: &[u8], ty: Ty) -> ValueId {
        match lanes {
            &[lane] => {
                let lane = self.integer(lane.into(), Ty::INT);
                self.push(Op::Extract { vector, lane }, ty)
            }
            lanes => {
                let right = self.undefined(self.ty(vector));
                let lanes = lanes.iter().map(|&lane| Some(lane)).collect();
                self.push(Op::Shuffle { left: vector, right, lanes }, ty)
            }
        }
    }

    /// Returns the lanes of a vector whose numbers are in another vector. As in clang, they are taken modulo the number
    /// of lanes, rounded up to a power of two.
    pub(super) fn lanes_by_number(&mut self, vector: ValueId, numbers: ValueId) -> ValueId {
        let (ty, of_numbers) = (self.ty(vector), self.ty(numbers));
        let (Some((element, count)), Some((number, _))) = (ty.as_vector(), of_numbers.as_vector()) else {
            return vector;
        };
        let mask = i128::from(u32::from(count).next_power_of_two() - 1);
        let mask = self.splat_constant(Constant::Integer(mask), of_numbers);
        let numbers = self.push(Op::Binary { op: Arithmetic::And, left: numbers, right: mask }, of_numbers);
        let mut result = self.undefined(ty);
        for lane in 0..count {
            let at = self.integer(lane.into(), Ty::INT);
            let lane = self.push(Op::Extract { vector: numbers, lane: at }, number);
            let value = self.push(Op::Extract { vector, lane }, element);
            result = self.push(Op::Insert { vector: result, lane: at, value }, ty);
        }
        result
    }

    /// Replaces some lanes of a vector by a scalar, or by the lanes of another vector in order.
    pub(super) fn replace_lanes(&mut self, vector: ValueId, lanes: &[u8], value: ValueId) -> ValueId {
        let ty = self.ty(vector);
        if let &[lane] = lanes {
            let lane = self.integer(lane.into(), Ty::INT);
            return self.push(Op::Insert { vector, lane, value }, ty);
        }
        let count = ty.as_vector().map_or(1, |(_, count)| count);
        let part = |lane: u8| lanes.iter().position(|&replaced| replaced == lane).map(|at| at as u8);
        let wide = match self.ty(value) == ty {
            true => value,
            false => {
                let right = self.undefined(self.ty(value));
                let lanes = (0..count).map(part).collect();
                self.push(Op::Shuffle { left: value, right, lanes }, ty)
            }
        };
        let same = wide == value;
        let from = |lane: u8| match part(lane) {
            Some(at) => Some(count + if same { at } else { lane }),
            None => Some(lane),
        };
        self.push(Op::Shuffle { left: vector, right: wide, lanes: (0..count).map(from).collect() }, ty)
    }

    /// Builds a vector from scalars and vectors.
    pub(super) fn vector(&mut self, parts: &[ExprId], ty: Ty, span: Span) -> ValueId {
        let mut values = Vec::with_capacity(parts.len());
        for &part in parts {
            values.push(self.value(part));
        }
        self.span = span;
        let mut constants = Vec::new();
        for &value in &values {
            match (&self.function.values[value].op, self.ty(value).as_vector()) {
                (Op::Constant(Constant::Vector(lanes)), _) => constants.extend(lanes.iter().cloned()),
                (Op::Constant(constant), None) => constants.push(constant.clone()),
                _ => {}
            }
        }
        let Some((_, count)) = ty.as_vector() else {
            return self.unknown(values, ty);
        };
        if constants.len() == usize::from(count) {
            return self.constant(Constant::Vector(constants.into()), ty);
        }
        let mut vector = self.undefined(ty);
        let mut next: u8 = 0;
        for value in values {
            let lanes = self.ty(value).as_vector().map_or(1, |(_, lanes)| lanes);
            if next.checked_add(lanes).is_none_or(|end| end > count) {
                return self.unknown([vector, value], ty);
            }
            if lanes == count {
                return value;
            }
            let places: Vec<u8> = (next..next + lanes).collect();
            vector = self.replace_lanes(vector, &places, value);
            next += lanes;
        }
        vector
    }
}

/// Applies a mask to each lane of an integer constant. None if a lane is not an integer.
fn masked(constant: &Constant, mask: i128) -> Option<Constant> {
    match constant {
        Constant::Integer(value) => Some(Constant::Integer(value & mask)),
        Constant::Zero => Some(Constant::Zero),
        Constant::Vector(lanes) => {
            let lanes: Option<Vec<Constant>> = lanes.iter().map(|lane| masked(lane, mask)).collect();
            Some(Constant::Vector(lanes?.into()))
        }
        Constant::Float(_) | Constant::Undefined => None,
    }
}

/// Wraps an integer to `bits` bits.
fn wrapped(value: i128, bits: u32, signed: bool) -> i128 {
    if bits >= 128 {
        return value;
    }
    let low = value & ((1i128 << bits) - 1);
    match signed && low >> (bits - 1) & 1 == 1 {
        true => low - (1i128 << bits),
        false => low,
    }
}

/// Whether a type is a record. Its values are addresses.
pub(super) fn is_record(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Record(_))
}
