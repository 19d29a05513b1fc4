//! Where the parts of a value stand in memory: sizes, alignments, offsets.
//!
//! The rules are those of the System V ABI, which clang follows for x86_64 and SPIR alike; pointers have 8 bytes in every address
//! space. A vector is aligned to its size, and one of 3 lanes is as large as one of 4.
//!
//! **Bit-fields** follow each other bit by bit; one that would not fit into the units of its type, counted from the start of the
//! record, begins the next unit; under `#pragma pack` none does. **Access unit**: the bytes that are read and written to reach a bit-field. It is the
//! smallest integer that holds the bits, so that no more of a neighbour than must be is written with it.
//!
//! ```c
//! struct s { char c; int a : 4, b : 10; long d; };  // c: byte 0; a: bits 8..12; b: bits 12..22; d: byte 8
//! ```

use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

use crate::types::{Field, Integer, Opaque, Record, Ty, TyKind};

/// No object is larger.
pub const MAX_SIZE: u64 = i64::MAX as u64;

const POINTER: Layout = Layout { size: 8, align: 8 };

/// How much memory a type takes, and where it may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// In bytes; a multiple of the alignment.
    pub size: u64,
    /// In bytes; a power of two.
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
    /// Of the record as a whole.
    pub layout: Layout,
    /// One for each field, in order.
    pub fields: Box<[FieldLayout]>,
}

/// Where a field of a record stands. The first bit of a bit-field is bit `bit` of the integer `unit` at `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// In bytes from the start of the record; of a bit-field, of its access unit.
    pub offset: u64,
    /// The alignment that an access can rely on where the record is aligned.
    pub align: u32,
    /// Of a bit-field: its first bit, counted from the lowest of the access unit.
    pub bit: u32,
    /// Of a bit-field: the access unit, an unsigned integer. The sign of the value is that of the field's type. None if the
    /// bit-field is empty; or if it is packed across so many bytes that no integer inside the record holds them.
    pub unit: Option<Ty>,
}

/// The layouts of records: each is computed once, however often records mention each other.
static RECORDS: LazyLock<DashMap<Ty, Option<Layout>, FxBuildHasher>> = LazyLock::new(DashMap::default);

/// The size and alignment of a type. None: it has none, or they are not known, or no memory is so large.
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

/// The layout of anything but an array.
fn single(ty: Ty) -> Option<Layout> {
    Some(match ty.kind() {
        TyKind::Bool => Layout::scalar(1),
        TyKind::Integer(integer) => Layout::scalar(integer.bits() / 8),
        TyKind::Float(float) => Layout::scalar(float.bits() / 8),
        TyKind::Vector { element, lanes } => {
            let lane = single(*element)?.size;
            Layout::scalar(
                u32::try_from(lane).ok()?.checked_mul(u32::from(*lanes))?.checked_next_power_of_two()?,
            )
        }
        TyKind::Opaque(Opaque::VaList) => Layout { size: 24, align: 8 },
        TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(_) => POINTER,
        TyKind::Atomic(of) => {
            let of = stacker::maybe_grow(64 * 1024, 1024 * 1024, || layout(*of))?;
            // What one instruction may access is aligned for it.
            match of.size.checked_next_power_of_two() {
                Some(size @ 1..=16) if of.size > 0 => Layout { size, align: of.align.max(size as u32) },
                _ => of,
            }
        }
        TyKind::Record(record) => {
            if let Some(known) = RECORDS.get(&ty) {
                return *known;
            }
            let layout = record_layout(record).map(|record| record.layout);
            RECORDS.insert(ty, layout);
            layout?
        }
        TyKind::Unknown | TyKind::Void | TyKind::Array { .. } | TyKind::Function(_) | TyKind::Token => {
            return None;
        }
    })
}

/// Where the fields of a record stand. None for a record whose layout is not known.
pub fn record_layout(record: &Record) -> Option<RecordLayout> {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || Placing::all(record))
}

/// A record while its fields are placed.
struct Placing {
    union: bool,
    /// Where the next field may begin, in bits.
    end: u128,
    /// The size so far, in bits.
    size: u128,
    align: u32,
}

impl Placing {
    fn all(record: &Record) -> Option<RecordLayout> {
        let definition = record.definition.as_ref()?;
        let mut placing = Placing { union: record.union, end: 0, size: 0, align: 1 };
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
            // `#pragma pack` overrules even what attributes of the field ask for.
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

    /// `pack`: what `#pragma pack` says.
    fn bits(&mut self, width: u32, own: Layout, packed: bool, pack: Option<u32>, field: &Field) -> u128 {
        let asked = field.align.filter(|&asked| asked > 1);
        let unpacked = own.align.max(asked.unwrap_or(1));
        // An empty bit-field keeps its alignment where the record is packed: moving on is all that it does.
        let (align, step) = match (packed, asked) {
            _ if width == 0 => (unpacked, u128::from(unpacked) * 8),
            // A packed bit-field begins at any bit.
            (true, None) => (1, 1),
            (true, Some(asked)) => (asked, u128::from(asked) * 8),
            (false, _) => (unpacked, u128::from(unpacked) * 8),
        };
        // Under `#pragma pack`, clang gives a packed bit-field its own alignment again, as far as the pragma lets it.
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
        // Bytes are the least that a size can say.
        self.size = self.size.max(self.end.div_ceil(8) * 8);
        self.align = self.align.max(align);
    }
}

/// How to reach a bit-field at a bit of its record.
fn access(at: u128, width: u32, size: u64, align: u32) -> Option<FieldLayout> {
    let units = [Integer::UChar, Integer::UShort, Integer::UInt, Integer::ULong, Integer::UInt128];
    let end = at + u128::from(width);
    let size = u128::from(size) * 8;
    let unit = units.iter().find_map(|unit| {
        let bits = u128::from(unit.bits());
        // Where the unit is aligned; else from the first byte of the bits on, or up to the end of the record.
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
