//! The layout of values in memory: sizes, alignments and offsets.
//!
//! The rules are from the System V ABI, which clang follows for x86_64 and SPIR. Pointers have 8 bytes in every
//! address space. Each language has its own rules for vectors: see [`VectorAbi`].
//!
//! **Bit-fields** follow each other without gaps. A bit-field that would cross the end of a unit of its type, counted
//! from the start of the record, begins at the next unit; under `#pragma pack` it does not. **Access unit**: the bytes
//! that an access to a bit-field reads and writes. It is the smallest integer that contains the bits, so that a write
//! touches as little as possible of adjacent fields.
//!
//! ```c
//! struct s { char c; int a : 4, b : 10; long d; };  // c: byte 0; a: bits 8..12; b: bits 12..22; d: byte 8
//! ```

use std::sync::{Arc, LazyLock};

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

use crate::types::{Field, Integer, Opaque, Record, Ty, TyKind, VectorAbi};

/// The maximum size of an object, in bytes.
pub const MAX_SIZE: u64 = i64::MAX as u64;

const POINTER: Layout = Layout { size: 8, align: 8 };

/// The size and alignment of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The size in bytes: a multiple of the alignment.
    pub size: u64,
    /// The alignment in bytes: a power of two.
    pub align: u32,
}

impl Layout {
    fn scalar(size: u32) -> Layout {
        Layout { size: u64::from(size), align: size }
    }
}

/// The layout of a record and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// The layout of the whole record.
    pub layout: Layout,
    /// The layout of each field, in order.
    pub fields: Box<[FieldLayout]>,
}

/// The position of a field in a record. A bit-field begins at bit `bit` of the integer `unit` at `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// The offset in bytes from the start of the record: of the field, or of the access unit of a bit-field.
    pub offset: u64,
    /// The alignment of an access to the field, in bytes, if the record is aligned.
    pub align: u32,
    /// The first bit of a bit-field, counted from the lowest bit of the access unit. 0 for other fields.
    pub bit: u32,
    /// The access unit of a bit-field, an unsigned integer type. The signedness of the value is that of the field's
    /// type. None for other fields, for an empty bit-field, and for a packed bit-field that no integer inside the
    /// record contains.
    pub unit: Option<Ty>,
}

/// The layouts of records, each computed once.
static RECORDS: LazyLock<DashMap<Ty, Option<Arc<RecordLayout>>, FxBuildHasher>> =
    LazyLock::new(DashMap::default);

/// Returns the size and alignment of a type. None if the type has no size, if its size is unknown, or if it exceeds
/// [`MAX_SIZE`].
pub fn layout(ty: Ty) -> Option<Layout> {
    let mut count: u64 = 1;
    let mut ty = ty;
    let element = loop {
        match ty.kind() {
            TyKind::Array { element, length } => {
                count = count.checked_mul((*length)?)?;
                ty = *element;
            }
            _ => break single(ty)?,
        }
    };
    let size = element.size.checked_mul(count).filter(|&size| size <= MAX_SIZE)?;
    Some(Layout { size, ..element })
}

/// Returns the layout of a type that is not an array.
fn single(ty: Ty) -> Option<Layout> {
    Some(match ty.kind() {
        TyKind::Bool => Layout::scalar(1),
        TyKind::Integer(integer) => Layout::scalar(integer.bits() / 8),
        TyKind::Float(float) => Layout::scalar(float.bits() / 8),
        TyKind::Vector { element, lanes, abi } => {
            let lane = u32::try_from(single(*element)?.size).ok()?;
            let size = lane.checked_mul(u32::from(*lanes))?;
            let align = if lanes.is_power_of_two() { size } else { lane };
            match abi {
                VectorAbi::OpenCl => Layout::scalar(size.checked_next_power_of_two()?),
                VectorAbi::Cuda => Layout { size: size.into(), align: align.min(16) },
                VectorAbi::Hip => Layout { size: size.into(), align },
            }
        }
        TyKind::Opaque(Opaque::VaList) => Layout { size: 24, align: 8 },
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => POINTER,
        TyKind::Atomic(of) => {
            let of = stacker::maybe_grow(64 * 1024, 1024 * 1024, || layout(*of))?;
            // An atomic object of up to 16 bytes is padded and aligned, so that one instruction can access it.
            match of.size.checked_next_power_of_two() {
                Some(size @ 1..=16) if of.size > 0 => Layout { size, align: of.align.max(size as u32) },
                _ => of,
            }
        }
        TyKind::Record(_) => record_layout(ty)?.layout,
        TyKind::Unknown
        | TyKind::Void
        | TyKind::Array { .. }
        | TyKind::Function(_)
        | TyKind::Parameter(_)
        | TyKind::Token => {
            return None;
        }
    })
}

/// Returns the layout of a record and its fields. None if the type is no record, if the layout is unknown, or if the
/// record exceeds [`MAX_SIZE`].
pub fn record_layout(ty: Ty) -> Option<Arc<RecordLayout>> {
    if let Some(known) = RECORDS.get(&ty) {
        return known.clone();
    }
    let record = ty.as_record()?;
    let layout = stacker::maybe_grow(64 * 1024, 1024 * 1024, || LayoutBuilder::all(record)).map(Arc::new);
    RECORDS.insert(ty, layout.clone());
    layout
}

/// A record while its fields are placed one after the other.
struct LayoutBuilder {
    union: bool,
    /// The first free bit.
    end: u128,
    /// The size so far, in bits.
    size: u128,
    align: u32,
}

impl LayoutBuilder {
    fn all(record: &Record) -> Option<RecordLayout> {
        let definition = record.definition.as_ref()?;
        let mut placing = LayoutBuilder { union: record.union, end: 0, size: 0, align: 1 };
        let mut placed: Vec<(u128, u32, Option<u32>)> = Vec::with_capacity(definition.fields.len());
        let last = definition.fields.len().wrapping_sub(1);
        for (index, field) in definition.fields.iter().enumerate() {
            let own = match field.ty.kind() {
                TyKind::Array { element, length: None } if index == last => {
                    Layout { size: 0, ..layout(*element)? }
                }
                _ => layout(field.ty)?,
            };
            let packed = definition.packed || field.packed;
            let natural = if packed { 1 } else { own.align };
            // `#pragma pack` takes precedence even over attributes of the field.
            let align = natural.max(field.align.unwrap_or(1)).min(definition.pack.unwrap_or(u32::MAX));
            let at = match field.bits {
                Some(width) => placing.bits(width, own, packed, definition.pack, field),
                None => placing.plain(own, align),
            };
            if placing.size > u128::from(MAX_SIZE) * 8 {
                return None;
            }
            placed.push((at, align, field.bits));
        }
        let align = placing.align.max(definition.align.unwrap_or(1));
        let size = placing.size.div_ceil(8).next_multiple_of(u128::from(align));
        let size = u64::try_from(size).ok().filter(|&size| size <= MAX_SIZE)?;
        let fields = placed.into_iter().map(|(at, own, bits)| match bits {
            Some(width @ 1..) => access(at, width, size, align),
            _ => Some(FieldLayout {
                offset: u64::try_from(at / 8).ok()?,
                align: own.min(align),
                bit: 0,
                unit: None,
            }),
        });
        Some(RecordLayout { layout: Layout { size, align }, fields: fields.collect::<Option<_>>()? })
    }

    fn plain(&mut self, own: Layout, align: u32) -> u128 {
        let at = if self.union { 0 } else { self.end.div_ceil(8).next_multiple_of(u128::from(align)) * 8 };
        self.grow(at, u128::from(own.size) * 8, align);
        at
    }

    /// Places a bit-field and returns its first bit. `pack` is the limit of `#pragma pack`, in bytes.
    fn bits(&mut self, width: u32, own: Layout, packed: bool, pack: Option<u32>, field: &Field) -> u128 {
        let asked = field.align.filter(|&asked| asked > 1);
        let unpacked = own.align.max(asked.unwrap_or(1));
        // A bit-field of width 0 keeps its alignment in a packed record: its only effect is to begin a new unit.
        let (align, step) = match (packed, asked) {
            _ if width == 0 => (unpacked, u128::from(unpacked) * 8),
            // A packed bit-field may begin at any bit.
            (true, None) => (1, 1),
            (true, Some(asked)) => (asked, u128::from(asked) * 8),
            (false, _) => (unpacked, u128::from(unpacked) * 8),
        };
        // Under `#pragma pack`, clang restores the alignment of a packed bit-field, limited by the pragma.
        let align = match pack.filter(|_| width != 0) {
            Some(pack) => pack.min(if packed { unpacked } else { align }),
            None => align,
        };
        let mut at = if self.union { 0 } else { self.end };
        if width == 0 || pack.is_none() && at % step + u128::from(width) > u128::from(own.size) * 8 {
            at = at.next_multiple_of(step);
        } else if let Some(asked) = asked.filter(|&asked| pack.is_none_or(|pack| asked <= pack)) {
            at = at.next_multiple_of(u128::from(asked) * 8);
        }
        self.grow(at, u128::from(width), if field.name.is_some() { align } else { 1 });
        at
    }

    fn grow(&mut self, at: u128, width: u128, align: u32) {
        self.end = at + width;
        // A size is a whole number of bytes.
        self.size = self.size.max(self.end.div_ceil(8) * 8);
        self.align = self.align.max(align);
    }
}

/// Returns the access unit of a bit-field that begins at bit `at` of its record, and the position in the unit.
fn access(at: u128, width: u32, size: u64, align: u32) -> Option<FieldLayout> {
    let units = [Integer::UChar, Integer::UShort, Integer::UInt, Integer::ULong, Integer::UInt128];
    let end = at + u128::from(width);
    let size = u128::from(size) * 8;
    let unit = units.iter().find_map(|unit| {
        let bits = u128::from(unit.bits());
        // Prefer an aligned unit, then one that begins at the first byte of the bits, then the last one of the record.
        let starts = [at / bits * bits, at / 8 * 8, size.saturating_sub(bits)];
        let holds = |&start: &u128| start <= at && end <= start + bits && start + bits <= size;
        starts.into_iter().find(holds).map(|start| (start, Some(*unit)))
    });
    let (start, unit) = unit.unwrap_or((at / 8 * 8, None));
    let offset = u64::try_from(start / 8).ok()?;
    let known = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) };
    Some(FieldLayout {
        offset,
        align: known.min(unit.map_or(1, |unit| unit.bits() / 8)),
        bit: u32::try_from(at - start).ok()?,
        unit: unit.map(Ty::integer),
    })
}

#[cfg(test)]
mod tests;
