//! Conversions.

use super::constant::is_sampler;
use super::function::FunctionWriter;
use super::operation::{LaneKind, number};
use super::types::Reason;
use crate::flow::ValueId;
use crate::types::{Ty, TyKind};
use crate::value::Conversion;

impl FunctionWriter<'_, '_> {
    pub fn convert(&mut self, id: ValueId, conversion: Conversion, operand: ValueId) -> Result<(), Reason> {
        let from = self.function.values[operand].ty;
        let to = self.function.values[id].ty;
        let value = self.typed(operand)?;
        let text = self.ty(id)?;
        if is_sampler(to) && matches!(from.kind(), TyKind::Integer(_)) {
            let bits = self.operand(operand);
            let sampler = self.sampler(&bits, false)?;
            self.define(id, format_args!("freeze {text} {sampler}"));
            return Ok(());
        }
        let instruction = match conversion {
            Conversion::Integer | Conversion::ToBool if is_bool(to) => return self.is_not_zero(id, operand),
            Conversion::Integer | Conversion::ToBool => match width(from).cmp(&width(to)) {
                std::cmp::Ordering::Greater => "trunc",
                _ if number(from) == LaneKind::Signed => "sext",
                _ => "zext",
            },
            Conversion::IntToFloat if number(from) == LaneKind::Signed => "sitofp",
            Conversion::IntToFloat => "uitofp",
            Conversion::FloatToInt if is_bool(to) => return self.is_not_zero(id, operand),
            Conversion::FloatToInt if number(to) == LaneKind::Signed => "fptosi",
            Conversion::FloatToInt => "fptoui",
            Conversion::Float if width(from) > width(to) => "fptrunc",
            Conversion::Float => "fpext",
            Conversion::Splat => return self.splat(id, operand),
            Conversion::PointerToInt => "ptrtoint",
            Conversion::IntToPointer if number(from) == LaneKind::Signed && width(from) < 64 => {
                let wide = self.temporary("wide", format_args!("sext {value} to i64"));
                self.define(id, format_args!("inttoptr i64 {wide} to {text}"));
                return Ok(());
            }
            Conversion::IntToPointer => "inttoptr",
            Conversion::Pointer => "addrspacecast",
            Conversion::Bits => return self.bits(id, operand),
            Conversion::Discard => return Ok(()),
        };
        self.define(id, format_args!("{instruction} {value} to {text}"));
        Ok(())
    }

    /// Writes a comparison with zero: not equal.
    fn is_not_zero(&mut self, id: ValueId, operand: ValueId) -> Result<(), Reason> {
        let ty = self.function.values[operand].ty;
        let value = self.typed(operand)?;
        let zero = self.module.constant(ty, &crate::value::Constant::Zero)?;
        let predicate = if number(ty) == LaneKind::Float { "fcmp une" } else { "icmp ne" };
        self.define(id, format_args!("{predicate} {value}, {zero}"));
        Ok(())
    }

    fn splat(&mut self, id: ValueId, operand: ValueId) -> Result<(), Reason> {
        let text = self.ty(id)?;
        let lanes = self.function.values[id].ty.as_vector().map_or(1, |(_, lanes)| lanes);
        let value = self.typed(operand)?;
        let first = self.temporary("first", format_args!("insertelement {text} poison, {value}, i64 0"));
        self.define(
            id,
            format_args!("shufflevector {text} {first}, {text} poison, <{lanes} x i32> zeroinitializer"),
        );
        Ok(())
    }

    /// Writes a conversion that keeps the bits. A vector of 3 lanes is converted as one of 4.
    fn bits(&mut self, id: ValueId, operand: ValueId) -> Result<(), Reason> {
        let (from, to) = (self.function.values[operand].ty, self.function.values[id].ty);
        let value = self.typed(operand)?;
        let text = self.ty(id)?;
        let of_pointers = |ty| number(ty) == LaneKind::Pointer;
        if of_pointers(from) || of_pointers(to) {
            let instruction = match (of_pointers(from), of_pointers(to)) {
                (true, true) => "addrspacecast",
                (true, false) => "ptrtoint",
                _ => "inttoptr",
            };
            self.define(id, format_args!("{instruction} {value} to {text}"));
            return Ok(());
        }
        if bit_size(from) == bit_size(to) {
            self.define(id, format_args!("bitcast {value} to {text}"));
            return Ok(());
        }
        let mut wide = value;
        if let Some((element, 3)) = from.as_vector() {
            let lanes = self.resized(element, &self.operand(operand), 3, 4)?;
            wide = format!("<4 x {}> {lanes}", self.module.types.value(element)?);
        }
        let Some((element, 3)) = to.as_vector() else {
            self.define(id, format_args!("bitcast {wide} to {text}"));
            return Ok(());
        };
        let element = self.module.types.value(element)?;
        let all = self.temporary("bits", format_args!("bitcast {wide} to <4 x {element}>"));
        let mask = super::operation::mask((0..3).map(Some));
        self.define(id, format_args!("shufflevector <4 x {element}> {all}, <4 x {element}> poison, {mask}"));
        Ok(())
    }
}

/// Returns the number of bits of a lane.
pub(super) fn width(ty: Ty) -> u32 {
    match ty.kind() {
        TyKind::Bool => 1,
        TyKind::Integer(integer) => integer.bits(),
        TyKind::Float(float) => float.bits(),
        TyKind::Vector { element, .. } => width(*element),
        TyKind::Atomic(inner) => width(*inner),
        _ => 64,
    }
}

/// Returns the number of bits of all lanes.
fn bit_size(ty: Ty) -> u32 {
    width(ty) * ty.as_vector().map_or(1, |(_, lanes)| u32::from(lanes))
}

fn is_bool(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Vector { element, .. } | TyKind::Atomic(element) => is_bool(*element),
        TyKind::Bool => true,
        _ => false,
    }
}
