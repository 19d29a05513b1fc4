//! Size, alignment and field offsets of types in memory, in bytes.
//!
//! One layout for all targets: pointers take 8 bytes in every address space, and whoever emits code for a target with smaller ones
//! pads. A 3-lane vector has the size of one with 4 lanes (OpenCL C 3.0, 6.1.5). Bit-fields follow the System V rules: a
//! field begins in the current unit of its type if it fits there, and at the next unit otherwise.

use super::types::{Opaque, Record, Ty, TyKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub size: u64,
    /// A power of two.
    pub align: u32,
}

/// Where a field of a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// Of the field; of a bit-field, of the unit (of the field's type) that holds it.
    pub offset: u64,
    /// Of a bit-field: its first bit, counted from the lowest of the unit.
    pub bit: u32,
}

/// The layout of a record with its fields, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    pub layout: Layout,
    pub fields: Box<[FieldLayout]>,
}

/// Types nest no deeper than the parser lets brackets nest, but typedefs can build on one another without end.
const MAX_DEPTH: u32 = 200;

/// None: the type is incomplete, not known, no object type, or larger than memory.
pub fn layout(ty: Ty) -> Option<Layout> {
    layout_at(ty, 0)
}

/// None if the layout of the record has no answer: see [`layout`].
pub fn record_layout(record: &Record) -> Option<RecordLayout> {
    record_at(record, 0)
}

fn layout_at(ty: Ty, depth: u32) -> Option<Layout> {
    if depth > MAX_DEPTH {
        return None;
    }
    let of_size = |size: u64| Layout { size, align: size as u32 };
    Some(match ty.kind() {
        TyKind::Unknown | TyKind::Void | TyKind::Function(_) | TyKind::Token => return None,
        TyKind::Bool => of_size(1),
        TyKind::Integer(integer) => of_size(u64::from(integer.bits() / 8)),
        TyKind::Float(float) => of_size(u64::from(float.bits() / 8)),
        TyKind::Vector { element, lanes } => {
            let lanes = if *lanes == 3 { 4 } else { u64::from(*lanes) };
            of_size(layout_at(*element, depth + 1)?.size * lanes)
        }
        TyKind::Pointer(_) | TyKind::BlockPointer(_) => of_size(8),
        TyKind::Array { element, length } => {
            let element = layout_at(*element, depth + 1)?;
            let size = element.size.checked_mul((*length)?)?;
            Layout { size: (size <= i64::MAX as u64).then_some(size)?, align: element.align }
        }
        TyKind::Record(record) => record_at(record, depth)?.layout,
        TyKind::Atomic(inner) => layout_at(*inner, depth + 1)?,
        TyKind::Opaque(Opaque::VaList) => Layout { size: 24, align: 8 },
        TyKind::Opaque(_) => of_size(8),
    })
}

fn record_at(record: &Record, depth: u32) -> Option<RecordLayout> {
    let definition = record.definition.as_ref()?;
    let mut fields = Vec::with_capacity(definition.fields.len());
    // The end of what is laid out so far, in bits.
    let mut end: u64 = 0;
    let mut size: u64 = 0;
    let mut align: u32 = 1;
    for field in &definition.fields {
        // A last array without a length takes no room.
        let own = match field.ty.kind() {
            TyKind::Array { element, length: None } => {
                Layout { size: 0, align: layout_at(*element, depth + 1)?.align }
            }
            _ => layout_at(field.ty, depth + 1)?,
        };
        let natural = if definition.packed { 1 } else { own.align };
        let field_align = natural.max(field.align.unwrap_or(1));
        if record.union {
            end = 0;
        }
        let placed = match field.bits {
            Some(0) => {
                end = end.next_multiple_of(u64::from(own.align) * 8);
                FieldLayout { offset: end / 8, bit: 0 }
            }
            Some(bits) => {
                let unit = own.size * 8;
                let crosses = end / unit != (end + u64::from(bits) - 1) / unit;
                if crosses && !definition.packed {
                    end = end.next_multiple_of(unit);
                }
                let start = end / unit * unit;
                let placed = FieldLayout { offset: start / 8, bit: (end - start) as u32 };
                end += u64::from(bits);
                if field.name.is_some() {
                    align = align.max(field_align);
                }
                placed
            }
            None => {
                let start =
                    end.next_multiple_of(8).div_euclid(8).checked_next_multiple_of(field_align.into())?;
                end = start.checked_add(own.size)?.checked_mul(8)?;
                align = align.max(field_align);
                FieldLayout { offset: start, bit: 0 }
            }
        };
        fields.push(placed);
        size = size.max(end.div_ceil(8));
    }
    let align = align.max(definition.align.unwrap_or(1));
    let size = size.checked_next_multiple_of(align.into())?;
    Some(RecordLayout { layout: Layout { size, align }, fields: fields.into() })
}
