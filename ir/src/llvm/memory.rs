//! Memory: loads, stores, copies, addresses.
//!
//! A `bool` is a byte in memory. A vector of 3 lanes of OpenCL C is read and written as one of 4 with an undefined last
//! lane, so that one access is enough.

use std::rc::Rc;

use super::constant::is_sampler;
use super::convert::width;
use super::function::FunctionWriter;
use super::operation::{LaneKind, mask, number};
use super::types::Reason;
use crate::flow::{Op, ValueId};
use crate::layout::record_layout;
use crate::types::{Ty, TyKind, VectorAbi};
use crate::value::{Constant, Data};

impl FunctionWriter<'_, '_> {
    pub fn load(&mut self, id: ValueId, address: ValueId, volatile: bool, align: u32) -> Result<(), Reason> {
        let ty = self.function.values[id].ty;
        let volatile = if volatile { "volatile " } else { "" };
        if is_sampler(ty)
            && let Some(bits) = self.sampler_bits(address)
        {
            let text = self.ty(id)?;
            let sampler = self.sampler(&bits, false)?;
            self.define(id, format_args!("freeze {text} {sampler}"));
            return Ok(());
        }
        let from = self.typed(address)?;
        let text = self.ty(id)?;
        match plain(ty).kind() {
            TyKind::Bool => {
                let byte = self.temporary("byte", format_args!("load {volatile}i8, {from}, align {align}"));
                self.define(id, format_args!("trunc i8 {byte} to i1"));
            }
            TyKind::Vector { element, lanes: 3, abi: VectorAbi::OpenCl } => {
                let element = self.module.types.value(*element)?;
                let wide = self
                    .temporary("wide", format_args!("load {volatile}<4 x {element}>, {from}, align {align}"));
                let mask = mask((0..3).map(Some));
                self.define(
                    id,
                    format_args!("shufflevector <4 x {element}> {wide}, <4 x {element}> poison, {mask}"),
                );
            }
            _ => self.define(id, format_args!("load {volatile}{text}, {from}, align {align}")),
        }
        Ok(())
    }

    /// Returns the bits of a sampler that is a variable of the module.
    fn sampler_bits(&self, address: ValueId) -> Option<String> {
        let Op::Global(name) = &self.function.values[address].op else { return None };
        match self.module.globals.get(name)?.initializer.as_ref()? {
            Data::Constant(Constant::Integer(bits)) => Some(bits.to_string()),
            Data::Constant(Constant::Zero) => Some("0".to_owned()),
            _ => None,
        }
    }

    pub fn store(
        &mut self,
        address: ValueId,
        value: ValueId,
        volatile: bool,
        align: u32,
    ) -> Result<(), Reason> {
        let ty = self.function.values[value].ty;
        let volatile = if volatile { "volatile " } else { "" };
        let to = self.typed(address)?;
        let what = match plain(ty).kind() {
            TyKind::Bool => {
                let value = self.typed(value)?;
                let byte = self.temporary("byte", format_args!("zext {value} to i8"));
                format!("i8 {byte}")
            }
            TyKind::Vector { element, lanes: 3, abi: VectorAbi::OpenCl } => {
                let wide = self.resized(*element, &self.operand(value), 3, 4)?;
                format!("<4 x {}> {wide}", self.module.types.value(*element)?)
            }
            _ => self.typed(value)?,
        };
        self.line(format_args!("store {volatile}{what}, {to}, align {align}"));
        Ok(())
    }

    pub fn copy(&mut self, to: ValueId, from: ValueId, ty: Ty) -> Result<(), Reason> {
        let (to_ty, from_ty) = (self.ty(to)?, self.ty(from)?);
        let natural = self.module.types.align(ty);
        let to = (&*to_ty, &*self.operand(to), self.aligned(to, natural));
        let from = (&*from_ty, &*self.operand(from), self.aligned(from, natural));
        let text = self.copy_text(ty, to, from)?;
        self.line(format_args!("{text}"));
        Ok(())
    }

    /// Returns the alignment of an address whose type promises `natural`. It may be less in a packed record.
    pub fn aligned(&self, address: ValueId, natural: u32) -> u32 {
        let (mut at, mut align) = (address, natural);
        loop {
            match &self.function.values[at].op {
                Op::Field { base, record, field } => {
                    let Some(placed) = record_layout(*record) else { return align };
                    let offset = placed.fields.get(*field as usize).map_or(0, |field| field.offset);
                    align = align.min(placed.layout.align).min(1 << offset.trailing_zeros().min(16));
                    at = *base;
                }
                Op::Element { base, element, .. } => {
                    align = align.min(self.module.types.align(*element));
                    at = *base;
                }
                _ => return align,
            }
        }
    }

    /// Returns the call that copies an object. `to` and `from` are triples of pointer type, address and alignment.
    pub fn copy_text(
        &mut self,
        ty: Ty,
        to: (&str, &str, u32),
        from: (&str, &str, u32),
    ) -> Result<String, Reason> {
        let size = self.module.types.memory(ty)?.size;
        let name = format!("llvm.memcpy.{}.{}.i64", suffix(to.0), suffix(from.0));
        self.module.declare_intrinsic(&name, "void", &[to.0, from.0, "i64", "i1"]);
        Ok(format!(
            "call void @{name}({} align {} {}, {} align {} {}, i64 {size}, i1 false)",
            to.0, to.2, to.1, from.0, from.2, from.1
        ))
    }

    pub fn clear(&mut self, address: ValueId, ty: Ty) -> Result<(), Reason> {
        let size = self.module.types.memory(ty)?.size;
        let align = self.aligned(address, self.module.types.align(ty));
        let (pointer, address) = (self.ty(address)?, self.operand(address));
        let name = format!("llvm.memset.{}.i64", suffix(&pointer));
        self.module.declare_intrinsic(&name, "void", &[&pointer, "i8", "i64", "i1"]);
        self.line(format_args!(
            "call void @{name}({pointer} align {align} {address}, i8 0, i64 {size}, i1 false)"
        ));
        Ok(())
    }

    pub fn element(&mut self, id: ValueId, base: ValueId, index: ValueId, element: Ty) -> Result<(), Reason> {
        let memory = self.module.types.memory(element)?.text;
        let base = self.typed(base)?;
        let index = self.index(index)?;
        self.define(id, format_args!("getelementptr inbounds {memory}, {base}, {index}"));
        Ok(())
    }

    /// Returns an index with its type. LLVM sign-extends an index, but in C the type of the index decides.
    fn index(&mut self, index: ValueId) -> Result<String, Reason> {
        let ty = self.function.values[index].ty;
        if let Op::Constant(Constant::Integer(number)) = &self.function.values[index].op {
            return Ok(format!("i64 {}", *number as i64));
        }
        let value = self.typed(index)?;
        if number(ty) == LaneKind::Unsigned && width(ty) < 64 {
            let wide = self.temporary("index", format_args!("zext {value} to i64"));
            return Ok(format!("i64 {wide}"));
        }
        Ok(value)
    }

    pub fn field(&mut self, id: ValueId, base: ValueId, record: Ty, field: u32) -> Result<(), Reason> {
        let record = self.module.types.record(record)?;
        let base = self.typed(base)?;
        match record.indices.get(field as usize).copied().flatten() {
            Some(index) => {
                let text: Rc<str> = record.memory.text.clone();
                self.define(id, format_args!("getelementptr inbounds {text}, {base}, i32 0, i32 {index}"));
            }
            None => {
                let offset = record.layout.fields.get(field as usize).map(|place| place.offset);
                let offset = offset.ok_or("a record has no such field")?;
                self.define(id, format_args!("getelementptr inbounds i8, {base}, i64 {offset}"));
            }
        }
        Ok(())
    }
}

/// Returns a type without `_Atomic`, which only affects the choice of operations.
fn plain(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::Atomic(inner) => *inner,
        _ => ty,
    }
}

/// Returns the suffix for a pointer type in the name of an intrinsic.
pub(super) fn suffix(pointer: &str) -> String {
    let number = pointer.trim_start_matches("ptr addrspace(").trim_end_matches(')');
    if number == pointer { "p0".to_owned() } else { format!("p{number}") }
}
