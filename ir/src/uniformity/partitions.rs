//! Alias partitions of private memory.
//!
//! **Object**: a slot, or the target of a pointer parameter. **Partition** (part) of an object: bytes that no access
//! splits, or the rest of the object. An access **touches** a partition if it may read or write some of it, and
//! **covers** it if it surely writes all of it.
//!
//! ```c
//! int4 a[2];       // the partitions are a[0].x, a[0].yzw and a[1]
//! a[0].x = n;      // covers the first
//! a[1] = t;        // covers the last
//! a[i] = lid;      // touches all
//! ```
//!
//! Fields of records are separate partitions even if they are not accessed. Objects of one record type are split at the
//! same offsets, so that a copy maps each partition to its counterpart. Padding between fields belongs to no partition.
//!
//! Not tracked: slots that escape, targets of kernel parameters, and targets of parameters that escape. Two pointer
//! parameters may point to one object, so a write through one of them may write the target of another. If that makes
//! too many pairs, all these targets are one object. We assume that no other pointer aliases `*this` or the target of a
//! reference. Another reference may alias it if both have the same type, or if one of the types is a record or unknown.
//! The variables that a lambda captures are distinct.

use std::ops::Range;

use index_vec::{IndexVec, define_index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::ParameterRange;
use super::accesses::{Accesses, Extent, reach};
use super::memory::{Memory, field_of, object_of};
use super::place::{ByteRange, Cell, PointerTarget, Root, size_of};
use crate::flow::{Function, ParameterRole, Passing, SlotId};
use crate::layout::layout;
use crate::types::{Ty, TyKind};

define_index_type! {
    /// An alias partition of the private memory of one function.
    pub struct PartitionId = u32;
}

/// The limit on fields of a record, including fields of fields. A record with more is not split by field.
const FIELDS: usize = 64;

/// The limit on touched partitions of one object: the sum over all accesses that touch more than one. Above it, the
/// object is not split.
const TOUCHED: usize = 1 << 14;

/// The limit on partitions of targets of parameters that facts of the function name.
const INPUTS: usize = 40;

/// The limit on partitions of pointer targets times operations that may write all of them. Above it, the targets are
/// one object.
const ALIASED: usize = 1 << 12;

/// An object that is split into partitions.
#[derive(Debug)]
struct Object {
    /// Its size in bytes. `None`: memory before and after the accessed bytes belongs to it.
    size: Option<i64>,
    /// The bytes of each partition except the rest, in order.
    bytes: Vec<ByteRange>,
    /// Its partitions. If there is a rest, it is the last one.
    parts: Range<usize>,
    /// Whether it is a single object of an unknown type.
    is_unknown: bool,
}

/// The accesses of an object, and the offsets where its partitions begin and end.
#[derive(Default)]
struct SplitPoints {
    accesses: Vec<(Cell, Extent)>,
    places: FxHashSet<i64>,
}

/// The target of a reference that callers pass.
#[derive(Debug)]
struct Referred {
    parts: Range<usize>,
    ty: Ty,
    /// Whether it is a variable that a lambda captures. Captured variables are distinct.
    is_captured: bool,
}

/// The alias partitions of the private memory of a function.
pub struct Partitions {
    slots: IndexVec<SlotId, Option<Object>>,
    /// The targets of parameters, by number.
    parameters: FxHashMap<u32, Object>,
    /// Partitions whose initial contents come from callers, with the number of the parameter, in order.
    given: Vec<(Range<usize>, u32)>,
    /// The partitions that facts of the function name.
    pub inputs: Vec<ParameterRange>,
    /// The index in `inputs`, by partition.
    input_of: FxHashMap<usize, usize>,
    /// The partitions of the result, if the function returns a record.
    result: Range<usize>,
    /// The partitions of the targets of pointers and references that callers pass.
    passed: Range<usize>,
    /// The partitions in `passed` that are targets of pointers.
    aliased: Range<usize>,
    /// The partitions in `passed` that are targets of references.
    referred: Vec<Referred>,
    /// Whether the targets of pointers are one object.
    pub targets_are_merged: bool,
    /// The number of partitions.
    pub count: usize,
}

impl Partitions {
    /// Computes the partitions of a function.
    pub fn of(function: &Function, memory: &Memory, accesses: &Accesses) -> Partitions {
        let mut touched: FxHashMap<Root, SplitPoints> = FxHashMap::default();
        // The offsets in records, by type.
        let mut alike: FxHashMap<Ty, FxHashSet<i64>> = FxHashMap::default();
        for access in &accesses.all {
            let PointerTarget::Object(root @ (Root::Slot(_) | Root::Parameter(_)), cell) =
                memory.place(access.address)
            else {
                continue;
            };
            let cell = in_own_bytes(cell);
            let marks = touched.entry(root).or_default();
            marks.accesses.push((cell, access.extent));
            let exact = cell.at.and_then(|at| access.extent.sure(at));
            let part = match access.extent {
                Extent::Range { .. } => reach(cell, access.extent),
                _ => None,
            };
            let places = [exact, cell.within, part].into_iter().flatten().flat_map(|it| [it.begin, it.end]);
            marks.places.extend(places.clone());
            if let Some(ty) = object_of(function, root).filter(|ty| ty.as_record().is_some()) {
                alike.entry(ty).or_default().extend(places);
            }
        }
        let mut count = 0;
        let mut object = |root: Root, bounded: bool, count: &mut usize| {
            let ty = object_of(function, root).unwrap_or(Ty::UNKNOWN);
            let mut marks = touched.remove(&root).unwrap_or_default();
            marks.places.extend(alike.get(&ty).into_iter().flatten());
            let object = Object::of(ty, bounded, marks, *count);
            *count = object.parts.end;
            object
        };
        let slots = function.slots.indices();
        let slots = slots
            .map(|slot| (!memory.escaped[slot]).then(|| object(Root::Slot(slot), true, &mut count)))
            .collect();
        let mut parameters: FxHashMap<u32, Object> = FxHashMap::default();
        let mut result = 0..0;
        for (number, parameter) in (0..).zip(&function.parameters) {
            if matches!(parameter.passing, Passing::Copy | Passing::Result) {
                let object = object(Root::Parameter(number), true, &mut count);
                if parameter.passing == Passing::Result {
                    result = object.parts.clone();
                }
                parameters.insert(number, object);
            }
        }
        let mut followed: Vec<u32> = Vec::new();
        let mut references: Vec<(u32, Ty, bool)> = Vec::new();
        for (number, parameter) in (0..).zip(&function.parameters) {
            // We assume that nothing writes the target of a reference to a constant while the function runs.
            let pointer = function.values[parameter.value].ty.as_pointer();
            let is_kept = pointer.is_some_and(|pointer| pointer.reference && pointer.constant);
            if is_kept && !function.kernel && parameter.passing == Passing::Value {
                parameters.insert(number, object(Root::Parameter(number), false, &mut count));
                continue;
            }
            let space = function.values[parameter.value].ty.as_pointer().map(|it| it.space);
            let is_private = matches!(space, Some(AddressSpace::Private | AddressSpace::Generic));
            let is_followed = is_private && !function.kernel && !memory.escaping.contains(number as usize);
            if is_followed && parameter.passing == Passing::Value {
                match pointer.filter(|pointer| pointer.reference || parameter.role == ParameterRole::Object) {
                    Some(reference) => {
                        let is_captured = parameter.role == ParameterRole::Captured;
                        references.push((number, reference.pointee, is_captured));
                    }
                    None => followed.push(number),
                }
            }
        }
        let begin = count;
        for &number in &followed {
            parameters.insert(number, object(Root::Parameter(number), false, &mut count));
        }
        let through_parameters = |address| match memory.place(address) {
            PointerTarget::Object(Root::Parameter(number), _) => followed.binary_search(&number).is_ok(),
            _ => false,
        };
        let writes = accesses.all.iter().filter(|it| it.writes && through_parameters(it.address)).count()
            + accesses.unknown_writers.len();
        let are_one = followed.len() > 1 && (count - begin).saturating_mul(writes) > ALIASED;
        if are_one {
            count = begin + 1;
            for number in &followed {
                if let Some(object) = parameters.get_mut(number) {
                    (object.bytes, object.parts) = (Vec::new(), begin..count);
                }
            }
        }
        let aliased = begin..count;
        let mut referred = Vec::new();
        for (number, ty, is_captured) in references {
            let object = object(Root::Parameter(number), false, &mut count);
            referred.push(Referred { parts: object.parts.clone(), ty, is_captured });
            parameters.insert(number, object);
        }
        let mut given: Vec<(Range<usize>, u32)> = Vec::new();
        for (number, parameter) in (0..).zip(&function.parameters) {
            if let Some(object) = parameters.get(&number)
                && parameter.passing != Passing::Result
            {
                given.push((object.parts.clone(), number));
            }
        }
        given.sort_unstable_by_key(|(parts, number)| (parts.start, *number));
        let mut inputs = Vec::new();
        let mut input_of: FxHashMap<usize, usize> = FxHashMap::default();
        for (parts, number) in given.iter().filter(|_| !function.kernel) {
            let object = &parameters[number];
            let seen_as = object_of(function, Root::Parameter(*number)).unwrap_or(Ty::UNKNOWN);
            if object.bytes.len() < 2 || inputs.len() + object.bytes.len() > INPUTS {
                continue;
            }
            for (part, &bytes) in parts.clone().zip(&object.bytes) {
                input_of.insert(part, inputs.len());
                inputs.push(ParameterRange { parameter: *number, seen_as, bytes });
            }
        }
        Partitions {
            slots,
            parameters,
            given,
            inputs,
            input_of,
            result,
            passed: begin..count,
            aliased,
            referred,
            targets_are_merged: are_one,
            count,
        }
    }

    fn object(&self, root: Root) -> Option<&Object> {
        match root {
            Root::Slot(slot) => self.slots[slot].as_ref(),
            Root::Parameter(number) => self.parameters.get(&number),
            Root::Global(_) | Root::Constant | Root::Unknown | Root::Behind(..) => None,
        }
    }

    /// Returns the partitions of an object. `None` if it is not tracked.
    pub fn of_object(&self, root: Root) -> Option<Range<usize>> {
        Some(self.object(root)?.parts.clone())
    }

    /// Returns the partitions whose contents callers can read after the function returns.
    pub fn returned(&self) -> impl Iterator<Item = PartitionId> + use<> {
        self.result.clone().chain(self.passed.clone()).map(PartitionId::new)
    }

    /// Returns the partitions of the targets of pointers. A write through an unknown pointer may write them.
    pub fn aliased(&self) -> Range<usize> {
        self.aliased.clone()
    }

    /// Returns the parameters by which callers provide the initial contents of a partition.
    pub fn initialising_parameters(&self, part: PartitionId) -> impl Iterator<Item = u32> {
        let begin = self.given.partition_point(|(parts, _)| parts.end <= part.index());
        let of_part = self.given[begin..].iter().take_while(move |(parts, _)| parts.contains(&part.index()));
        of_part.map(|&(_, number)| number)
    }

    /// Returns the index of a partition in `inputs`. `None`: facts name its initial contents by the parameter.
    pub fn input_of(&self, part: PartitionId) -> Option<usize> {
        self.input_of.get(&part.index()).copied()
    }

    /// Returns the bytes of a partition of an object. `None` if it is the rest.
    pub fn bytes_of(&self, root: Root, part: PartitionId) -> Option<ByteRange> {
        self.object(root)?.bytes_of(part)
    }

    /// Whether a write at a place may write a partition.
    pub fn may_reach(&self, place: PointerTarget, extent: Extent, part: PartitionId) -> bool {
        let is_direct = self.touched(place, extent).is_some_and(|touched| touched.contains(&part.index()));
        is_direct || self.others(place).any(|other| other == part)
    }

    /// Returns the partitions that may alias a place because callers may pass another pointer or reference to its
    /// object.
    pub fn others(&self, place: PointerTarget) -> impl Iterator<Item = PartitionId> {
        let own = match place {
            PointerTarget::Object(root @ Root::Parameter(_), _) => self.of_object(root),
            PointerTarget::Object(..) => None,
            PointerTarget::OneOf(_) | PointerTarget::Unknown => Some(0..0),
        };
        let reference = own.as_ref().and_then(|own| self.referred.iter().find(|other| other.parts == *own));
        let pointers = match &own {
            Some(own) if reference.is_none() && (own.is_empty() || self.aliased.contains(&own.start)) => {
                self.aliased.clone()
            }
            _ => 0..0,
        };
        let related = self.referred.iter().filter(move |other| {
            reference.is_some_and(|own| {
                let types = [own.ty, other.ty];
                let is_alike = own.ty == other.ty
                    || types.into_iter().any(|ty| ty.as_record().is_some() || ty.is_unknown());
                is_alike && !(own.is_captured && other.is_captured)
            })
        });
        let all = pointers.chain(related.flat_map(|other| other.parts.clone()));
        let own = own.unwrap_or_default();
        all.filter(move |part| !own.contains(part)).map(PartitionId::new)
    }

    /// Returns the partitions that an access touches. `None` if its object is not tracked.
    pub fn touched(&self, place: PointerTarget, extent: Extent) -> Option<Range<usize>> {
        let PointerTarget::Object(root, cell) = place else { return None };
        let (object, cell) = (self.object(root)?, in_own_bytes(cell));
        Some(reach(cell, extent).and_then(|bytes| object.at(bytes)).unwrap_or(object.parts.clone()))
    }

    /// Whether a write covers a partition that it touches.
    pub fn covers(&self, place: PointerTarget, extent: Extent, part: PartitionId) -> bool {
        let PointerTarget::Object(root, cell) = place else { return false };
        self.object(root).is_some_and(|object| object.is_covered(in_own_bytes(cell), extent, part))
    }

    /// Returns the partitions of the source of a copy whose contents it copies into `part`, a partition of its target.
    pub fn copied(
        &self,
        part: PartitionId,
        to: PointerTarget,
        from: PointerTarget,
        ty: Ty,
    ) -> Option<Range<usize>> {
        let (PointerTarget::Object(to, at), PointerTarget::Object(from, begin)) = (to, from) else {
            return None;
        };
        let (at, begin) = (in_own_bytes(at).at?, in_own_bytes(begin).at?);
        let bytes = self.object(to)?.bytes_of(part)?;
        ByteRange::from(at, size_of(ty)).filter(|all| all.contains(bytes))?;
        let shift = begin.checked_sub(at)?;
        self.object(from)?.at(ByteRange::from(bytes.begin.checked_add(shift)?, bytes.end - bytes.begin)?)
    }

    /// Returns how many bytes at the start of an object are in partitions that fulfil a condition.
    pub fn leading(&self, root: Root, holds: impl Fn(PartitionId) -> bool) -> u64 {
        let Some(object) = self.object(root) else { return 0 };
        let begins = object.bytes.first().is_some_and(|first| first.begin <= 0);
        let parts = object.parts.clone().map(PartitionId::new).zip(&object.bytes);
        let leading =
            parts.skip_while(|(_, bytes)| bytes.end <= 0).take_while(|(part, _)| begins && holds(*part));
        leading.last().map_or(0, |(_, bytes)| bytes.end.unsigned_abs())
    }
}

/// Returns a cell whose offset follows the layout of the object's own type: unknown, if it follows that of another
/// type.
fn in_own_bytes(cell: Cell) -> Cell {
    if cell.seen_as.is_some() { Cell::ANY } else { cell }
}

impl Object {
    fn of(ty: Ty, bounded: bool, marks: SplitPoints, begin: usize) -> Object {
        // Members of an object of an unknown type have offsets beyond its assumed size.
        let size = (bounded && !ty.is_unknown()).then(|| size_of(ty));
        let mut fields = Vec::new();
        if ty.as_record().is_none_or(|record| record.union) || !collect_scalars(ty, 0, &mut fields) {
            fields.clear();
        }
        fields.sort_unstable();
        let mut places: Vec<i64> = marks.places.into_iter().collect();
        places.extend(fields.iter().flat_map(|it| [it.begin, it.end]));
        places.extend(size.into_iter().flat_map(|size| [0, size]));
        places.retain(|&place| size.is_none_or(|size| (0..=size).contains(&place)));
        places.sort_unstable();
        places.dedup();
        let all = ByteRange { begin: 0, end: if fields.is_empty() { 0 } else { size_of(ty) } };
        let is_padding =
            |bytes: ByteRange| all.contains(bytes) && !fields.iter().any(|field| field.overlaps(bytes));
        let bytes = places.windows(2).map(|it| ByteRange { begin: it[0], end: it[1] });
        let bytes: Vec<ByteRange> = bytes.filter(|&it| !is_padding(it)).collect();
        let mut object = Object { size, parts: begin..begin, bytes, is_unknown: bounded && ty.is_unknown() };
        object.count();
        let touched = marks.accesses.iter().map(|&(cell, extent)| {
            let parts = reach(cell, extent).and_then(|bytes| object.at(bytes));
            parts.map_or(object.parts.len(), |parts| parts.len())
        });
        if touched.filter(|&count| count > 1).sum::<usize>() > TOUCHED {
            object.bytes.clear();
            object.count();
        }
        object
    }

    fn count(&mut self) {
        let rest = self.size.is_none() || self.bytes.is_empty();
        self.parts.end = self.parts.start + self.bytes.len() + usize::from(rest);
    }

    /// Returns the partitions that contain some bytes. `None` if it may be any.
    fn at(&self, bytes: ByteRange) -> Option<Range<usize>> {
        let all = ByteRange { begin: self.bytes.first()?.begin, end: self.bytes.last()?.end };
        let begin = self.bytes.partition_point(|it| it.end <= bytes.begin);
        let end = self.bytes.partition_point(|it| it.begin < bytes.end);
        let is_inside = match self.size {
            Some(size) => ByteRange { begin: 0, end: size }.contains(bytes),
            None => all.contains(bytes),
        };
        (begin < end && is_inside).then(|| self.parts.start + begin..self.parts.start + end)
    }

    /// Returns the bytes of a partition. `None` if it is the rest.
    fn bytes_of(&self, part: PartitionId) -> Option<ByteRange> {
        self.bytes.get(part.index().checked_sub(self.parts.start)?).copied()
    }

    /// Whether a write surely writes all of a partition.
    fn is_covered(&self, cell: Cell, extent: Extent, part: PartitionId) -> bool {
        if self.is_unknown && cell.is_start() && matches!(extent, Extent::Of(ty) if ty.is_unknown()) {
            return true;
        }
        let Some(written) = cell.at.and_then(|at| extent.sure(at)) else { return false };
        let end = cell.within.map_or(written.end, |field| field.end.min(written.end));
        let written = ByteRange { end, ..written };
        let all = || Some(ByteRange { begin: 0, end: self.size? });
        self.bytes_of(part).or_else(all).is_some_and(|bytes| written.contains(bytes))
    }
}

/// Collects the byte ranges of a type that hold values, from offset `at` on: fields, fields of fields, and each type
/// that is not a record. Returns false if there are too many, or if an offset is unknown.
fn collect_scalars(ty: Ty, at: i64, leaves: &mut Vec<ByteRange>) -> bool {
    if leaves.len() > FIELDS {
        return false;
    }
    match ty.kind() {
        TyKind::Record(record) => {
            let fields = record.definition.as_ref().map_or(&[][..], |definition| &definition.fields);
            (0..).zip(fields).all(|(number, field)| {
                let place = field_of(ty, number, at == 0);
                let begin = place.and_then(|place| at.checked_add(place.begin));
                let is_bits = place.is_some_and(|place| place.end - place.begin != size_of(field.ty));
                match (begin, is_bits) {
                    (Some(begin), false) => collect_scalars(field.ty, begin, leaves),
                    (Some(begin), true) => {
                        leaves
                            .extend(place.and_then(|place| ByteRange::from(begin, place.end - place.begin)));
                        true
                    }
                    (None, _) => false,
                }
            })
        }
        TyKind::Array { element, length: Some(length) } if element.as_record().is_some() => {
            let size = layout(*element).and_then(|layout| i64::try_from(layout.size).ok());
            (0..*length).all(|number| {
                let step = size.and_then(|size| size.checked_mul(i64::try_from(number).ok()?));
                let begin = step.and_then(|step| at.checked_add(step));
                begin.is_some_and(|begin| collect_scalars(*element, begin, leaves))
            })
        }
        _ => {
            leaves.extend(ByteRange::from(at, size_of(ty)));
            true
        }
    }
}
