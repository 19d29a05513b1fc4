//! Where pointers point: objects, and positions in them.
//!
//! **Root** of a pointer: the object that it points into. **Cell**: the position in that object, in bytes from its
//! start, for any nesting of fields, elements and lanes.
//!
//! ```c
//! pair a[4];       // a slot of 32 bytes
//! a[0].y = lid;    // at byte 4
//! a[1].x = n;      // at byte 8
//! a[i].x = n;      // at an unknown byte
//! ```
//!
//! A type of unknown size counts as larger than every type of known size ([`size_of`]). So fields and elements of such
//! types have distinct positions too.

use index_vec::define_index_type;
use tangle_base::Symbol;

use crate::flow::SlotId;
use crate::layout::layout;
use crate::types::{Ty, TyKind};

define_index_type! {
    /// The index of a set of objects.
    pub struct ObjectSetId = u32;
}

/// The object that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// Private memory of the function.
    Slot(SlotId),
    /// The object that the parameter with this number points to.
    Parameter(u32),
    /// A variable of the module.
    Global(Symbol),
    /// Memory that never changes.
    Constant,
    /// The object that a pointer stored in the target of the parameter with this number points to. The pointer is at
    /// this byte offset, and the function never changes it. We assume that such pointers point to distinct memory, like
    /// pointer parameters, and not back into the objects that contain them.
    Behind(u32, i64),
    /// The target of an unknown value. We assume that no other pointer points to this memory.
    Unknown,
}

/// Bytes of an object, counted from its start. The range is half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    /// The first byte.
    pub begin: i64,
    /// The byte after the last one.
    pub end: i64,
}

impl ByteRange {
    /// Returns `count` bytes from `begin` on. `None` if the end overflows.
    pub fn from(begin: i64, count: i64) -> Option<ByteRange> {
        Some(ByteRange { begin, end: begin.checked_add(count)? })
    }

    /// Whether all of `others` are in this range.
    pub fn contains(self, others: ByteRange) -> bool {
        self.begin <= others.begin && others.end <= self.end
    }

    /// Whether the ranges overlap.
    pub fn overlaps(self, others: ByteRange) -> bool {
        self.begin < others.end && others.begin < self.end
    }
}

/// The position of a pointer in the object that it points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The byte offset. `None` if it is unknown.
    pub at: Option<i64>,
    /// The field that the pointer was created for. We assume that the pointer stays inside that field. `None`: no
    /// field.
    pub within: Option<ByteRange>,
    /// The type whose layout the byte offsets follow, if the pointer was converted and one of the two types has no
    /// known layout. `None`: the type of the object.
    pub seen_as: Option<Ty>,
    /// The record type and the bytes of the field in that record, wherever in the object the record is. Two pointers to
    /// records of one type point to the same record or to disjoint records. `None`: no field.
    pub field: Option<(Ty, ByteRange)>,
}

impl Cell {
    /// The start of the object.
    pub const START: Cell = Cell { at: Some(0), within: None, seen_as: None, field: None };
    /// An unknown position in the object.
    pub const ANY: Cell = Cell { at: None, within: None, seen_as: None, field: None };

    /// Whether it is the start of the object.
    pub fn is_start(self) -> bool {
        self.at == Some(0) && self.within.is_none()
    }

    /// Returns a cell that covers both.
    pub fn join(self, other: Cell) -> Cell {
        if self.seen_as != other.seen_as {
            return Cell::ANY;
        }
        Cell {
            seen_as: self.seen_as,
            at: self.at.filter(|_| self.at == other.at),
            within: self.within.filter(|_| self.within == other.within),
            field: self.field.filter(|_| self.field == other.field),
        }
    }

    /// Whether both cells are in fields of the same record type, but in different fields.
    pub fn is_in_other_field(self, other: Cell) -> bool {
        let fields = self.field.zip(other.field);
        fields.is_some_and(|((a, x), (b, y))| is_same_record(a, b) && !x.overlaps(y))
    }
}

/// The assumed size, in bytes, of a type of unknown size.
pub const UNKNOWN_SIZE: i64 = 1 << 40;

/// Returns the number of bytes of an object of a type that hold values. The padding after a vector of 3 lanes does not
/// count.
pub fn size_of(ty: Ty) -> i64 {
    let size = match ty.kind() {
        TyKind::Vector { element, lanes, .. } => layout(*element).map(|it| it.size * u64::from(*lanes)),
        _ => layout(ty).map(|layout| layout.size),
    };
    let unknown = || match ty.kind() {
        TyKind::Array { element, length: Some(length) } => {
            Some(size_of(*element).saturating_mul(i64::try_from(*length).ok()?))
        }
        TyKind::Record(record) if !record.union => {
            let fields = record.definition.as_ref().map_or(0, |definition| definition.fields.len());
            Some(UNKNOWN_SIZE.saturating_mul(i64::try_from(fields).ok()?))
        }
        _ => None,
    };
    match size {
        Some(size) => i64::try_from(size).unwrap_or(i64::MAX),
        None => unknown().map_or(UNKNOWN_SIZE, |size| size.max(UNKNOWN_SIZE)),
    }
}

/// The target of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerTarget {
    /// A position in one object.
    Object(Root, Cell),
    /// Anywhere in one of [several](super::memory::Memory::roots) objects. None of them is private memory of the function.
    OneOf(ObjectSetId),
    /// Anywhere.
    Unknown,
}

/// Whether two types are the same record. One of them may have been named before its definition was complete.
pub fn is_same_record(a: Ty, b: Ty) -> bool {
    a == b
        || a.as_record()
            .zip(b.as_record())
            .is_some_and(|(a, b)| a.tag.is_some() && a.tag == b.tag && a.union == b.union)
}

/// Whether a variable of the module is declared in a function: its name is `function.name`.
pub fn is_of_function(variable: Symbol) -> bool {
    variable.as_str().contains('.')
}
