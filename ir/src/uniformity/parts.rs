//! The parts of private memory that are told apart.
//!
//! **Object**: a slot, or what a pointer parameter leads to. **Part** of an object: a cell that is accessed by its name, or all the rest. An access
//! **touches** a part if it may read or write something of it, and **covers** it if it surely writes all of it.
//!
//! ```c
//! int a[8];
//! a[0] = n;        // covers the part `a[0]`
//! a[i] = lid;      // touches that part, and the rest
//! ```
//!
//! Not followed are slots that escape, what kernels get pointers to, and parameters whose pointers escape. Two pointer parameters may lead to one object:
//! what is written through one of them may be written behind another. If that were too much to look at, they are one object.

use std::ops::Range;

use index_vec::{IndexVec, define_index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::accesses::{Accesses, Extent};
use super::memory::{Cell, Memory, Place, Root, element_of, object_of};
use crate::flow::{Function, Passing, SlotId};
use crate::layout::{layout, record_layout};
use crate::types::{Ty, TyKind};

define_index_type! {
    /// A part of the private memory of one function.
    pub struct PartId = u32;
}

/// Records with more fields are not told apart by field.
const FIELDS: usize = 64;

/// So many elements behind a parameter get a name because a call writes them.
const ELEMENTS: u64 = 16;

/// For one object: cells times accesses that touch more than one of them. With more, its cells are not told apart.
const TOUCHED: usize = 1 << 14;

/// Parts behind pointer parameters times operations that may write all of them. With more, they are one object.
const ALIASED: usize = 1 << 12;

/// An object whose parts are told apart.
#[derive(Debug)]
struct Object {
    /// What is there, or the first of what is there.
    ty: Ty,
    /// There is no more of it.
    bounded: bool,
    /// In bytes. None: not known, or there is more behind it.
    size: Option<u64>,
    /// The type and size of elements.
    element: Option<(Ty, Option<u64>)>,
    /// The cells with a name, in order. Behind them comes the rest, if there is more.
    named: Vec<Cell>,
    parts: Range<usize>,
}

/// The parts of the private memory of a function.
pub struct Parts {
    slots: IndexVec<SlotId, Option<Object>>,
    /// What parameters lead to, by number.
    parameters: FxHashMap<u32, Object>,
    /// Where the parts begin to which callers give something, with the number of the parameter, in order.
    given: Vec<(Range<usize>, u32)>,
    /// What the function returns, if that is a record.
    result: Range<usize>,
    /// The parts to which callers pass pointers.
    aliased: Range<usize>,
    /// Whether these are one object.
    pub are_one: bool,
    /// How many there are.
    pub count: usize,
}

impl Parts {
    /// The parts of a function.
    pub fn of(function: &Function, memory: &Memory, accesses: &Accesses) -> Parts {
        let mut touched: FxHashMap<Root, (FxHashSet<Cell>, usize)> = FxHashMap::default();
        for access in &accesses.all {
            let Place::Known(root @ (Root::Slot(_) | Root::Parameter(_)), cell) =
                memory.place(access.address)
            else {
                continue;
            };
            let (cells, whole) = touched.entry(root).or_default();
            match named_by(function, root, cell, access.extent) {
                Some(cell) => _ = cells.insert(cell),
                None => *whole += 1,
            }
            cells.extend(surely_written(function, root, cell, access.extent));
        }
        let mut count = 0;
        let mut object = |root: Root, bounded: bool| {
            let (cells, whole) = touched.remove(&root).unwrap_or_default();
            let object = Object::of(function, root, bounded, cells, whole, count);
            count = object.parts.end;
            object
        };
        let slots = function.slots.indices();
        let slots =
            slots.map(|slot| (!memory.escaped[slot]).then(|| object(Root::Slot(slot), true))).collect();
        let mut parameters: FxHashMap<u32, Object> = FxHashMap::default();
        let mut result = 0..0;
        for (number, parameter) in (0..).zip(&function.parameters) {
            if matches!(parameter.passing, Passing::Copy | Passing::Result) {
                let object = object(Root::Parameter(number), true);
                if parameter.passing == Passing::Result {
                    result = object.parts.clone();
                }
                parameters.insert(number, object);
            }
        }
        let mut followed: Vec<u32> = Vec::new();
        for (number, parameter) in (0..).zip(&function.parameters) {
            let space = function.values[parameter.value].ty.as_pointer().map(|it| it.space);
            let is_private = matches!(space, Some(AddressSpace::Private | AddressSpace::Generic));
            let is_followed = is_private && !function.kernel && !memory.escaping.contains(number as usize);
            if is_followed && parameter.passing == Passing::Value {
                followed.push(number);
            }
        }
        let begin = count;
        for &number in &followed {
            let root = Root::Parameter(number);
            let (cells, whole) = touched.remove(&root).unwrap_or_default();
            let object = Object::of(function, root, false, cells, whole, count);
            count = object.parts.end;
            parameters.insert(number, object);
        }
        let through_parameters = |address| match memory.place(address) {
            Place::Known(Root::Parameter(number), _) => followed.binary_search(&number).is_ok(),
            _ => false,
        };
        let writes = accesses.all.iter().filter(|it| it.writes && through_parameters(it.address)).count()
            + accesses.unknown_writers.len();
        let are_one = followed.len() > 1 && (count - begin).saturating_mul(writes) > ALIASED;
        if are_one {
            count = begin + 1;
            for number in &followed {
                if let Some(object) = parameters.get_mut(number) {
                    (object.named, object.parts) = (Vec::new(), begin..count);
                }
            }
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
        Parts { slots, parameters, given, result, aliased: begin..count, are_one, count }
    }

    fn object(&self, root: Root) -> Option<&Object> {
        match root {
            Root::Slot(slot) => self.slots[slot].as_ref(),
            Root::Parameter(number) => self.parameters.get(&number),
            Root::Global(_) | Root::Constant | Root::Unknown => None,
        }
    }

    /// The parts of an object. None: it is not followed.
    pub fn of_object(&self, root: Root) -> Option<Range<usize>> {
        Some(self.object(root)?.parts.clone())
    }

    /// The parts that callers look at when the function has returned.
    pub fn returned(&self) -> impl Iterator<Item = PartId> + use<> {
        self.result.clone().chain(self.aliased.clone()).map(PartId::new)
    }

    /// The parts to which callers pass pointers: whoever does not know where he writes may write there.
    pub fn aliased(&self) -> Range<usize> {
        self.aliased.clone()
    }

    /// The parameters by which callers give something to a part.
    pub fn given_to(&self, part: PartId) -> impl Iterator<Item = u32> {
        let begin = self.given.partition_point(|(parts, _)| parts.end <= part.index());
        let of_part = self.given[begin..].iter().take_while(move |(parts, _)| parts.contains(&part.index()));
        of_part.map(|&(_, number)| number)
    }

    /// Whether what is written at a place may get into a part.
    pub fn may_reach(&self, place: Place, extent: Extent, part: PartId) -> bool {
        let is_direct = self.touched(place, extent).is_some_and(|touched| touched.contains(&part.index()));
        is_direct || (self.aliased.contains(&part.index()) && self.is_aliased(place))
    }

    /// Whether a place may be among the parts to which callers pass pointers.
    fn is_aliased(&self, place: Place) -> bool {
        match place {
            Place::Known(root @ Root::Parameter(_), _) => {
                self.of_object(root).is_some_and(|parts| self.aliased.contains(&parts.start))
            }
            Place::Known(..) => false,
            Place::Unknown => true,
        }
    }

    /// The parts that an access touches. None: it is no access to an object that is followed.
    pub fn touched(&self, place: Place, extent: Extent) -> Option<Range<usize>> {
        let Place::Known(root, cell) = place else { return None };
        let object = self.object(root)?;
        Some(match object.cell(cell, extent) {
            Some(cell) => {
                let part = object.part(cell);
                part..part + 1
            }
            None => object.parts.clone(),
        })
    }

    /// Whether a write covers a part that it touches.
    pub fn covers(&self, place: Place, extent: Extent, part: PartId) -> bool {
        let Place::Known(root, cell) = place else { return false };
        self.object(root).is_some_and(|object| object.covers(cell, extent, object.named_at(part)))
    }

    /// The part of another object of the same type that corresponds to a part.
    pub fn counterpart(&self, of: PartId, from: Root, to: Root) -> Option<PartId> {
        let (from, to) = (self.object(from)?, self.object(to)?);
        let cell = from.named_at(of)?;
        let same = from.ty == to.ty && from.parts.contains(&of.index());
        let found = to.named.binary_search(&cell).ok().filter(|_| same)?;
        Some(PartId::new(to.parts.start + found))
    }

    /// How many bytes from its begin on are in parts of an object of which all fulfil a condition.
    pub fn leading(&self, root: Root, holds: impl Fn(PartId) -> bool) -> u64 {
        let Some(object) = self.object(root) else { return 0 };
        let holds = |cell: Cell| {
            object.named.binary_search(&cell).is_ok_and(|at| holds(PartId::new(object.parts.start + at)))
        };
        if let TyKind::Record(record) = object.ty.kind() {
            let fields = record.definition.as_ref().map_or(0, |definition| definition.fields.len() as u32);
            let all = fields > 0 && (0..fields).all(|field| holds(Cell::Field(field)));
            return layout(object.ty).filter(|_| all).map_or(0, |layout| layout.size);
        }
        let Some((_, Some(size))) = object.element else { return 0 };
        let count = (0..).take_while(|&number| holds(Cell::Element(number))).count() as u64;
        size.saturating_mul(count)
    }
}

/// The cell that an access gives a name.
fn named_by(function: &Function, root: Root, cell: Cell, extent: Extent) -> Option<Cell> {
    if let Cell::Field(_) = cell {
        return Some(cell);
    }
    let element = element_of(function, root)?;
    let number = match (cell, extent) {
        (Cell::Element(number), _) => number,
        (Cell::Start, Extent::Of(ty)) if is_one(ty, element, object_of(function, root)?) => 0,
        _ => return None,
    };
    let length = match (root, object_of(function, root)?.kind()) {
        (Root::Slot(_), TyKind::Array { length: Some(length), .. }) => i128::from(*length),
        (Root::Slot(_), TyKind::Vector { lanes, .. }) => i128::from(*lanes),
        _ => i128::MAX,
    };
    (0..length).contains(&number).then_some(Cell::Element(number))
}

/// The first elements behind a parameter, if a call surely writes them: how many there are is not known.
fn surely_written(
    function: &Function,
    root: Root,
    cell: Cell,
    extent: Extent,
) -> impl Iterator<Item = Cell> + use<> {
    let count = match (root, cell, extent) {
        (Root::Parameter(_), Cell::Start, Extent::Around { sure: 1.. }) => {
            let size = element_of(function, root).and_then(layout).map_or(0, |layout| layout.size);
            extent.sure().checked_div(size).unwrap_or(0).min(ELEMENTS)
        }
        _ => 0,
    };
    (0..i128::from(count)).map(Cell::Element)
}

/// Whether an access of a type at the begin of an object concerns its first element alone.
fn is_one(ty: Ty, element: Ty, object: Ty) -> bool {
    let fits = || Some(layout(ty)?.size <= layout(element)?.size);
    ty == element || (ty != object && fits() == Some(true))
}

impl Object {
    fn of(
        function: &Function,
        root: Root,
        bounded: bool,
        cells: FxHashSet<Cell>,
        whole: usize,
        begin: usize,
    ) -> Object {
        let ty = object_of(function, root).unwrap_or(Ty::UNKNOWN);
        let size = if bounded { layout(ty).map(|layout| layout.size) } else { None };
        let element = element_of(function, root).map(|ty| (ty, layout(ty).map(|layout| layout.size)));
        let mut named: Vec<Cell> = match ty.kind() {
            TyKind::Record(record) if !record.union => {
                let fields = record.definition.as_ref().map_or(0, |definition| definition.fields.len());
                let fields = if fields <= FIELDS { fields as u32 } else { 0 };
                (0..fields).map(Cell::Field).collect()
            }
            _ => cells.into_iter().collect(),
        };
        named.sort_unstable();
        if named.len().saturating_mul(whole) > TOUCHED {
            named.clear();
        }
        let all = match ty.kind() {
            _ if !bounded => None,
            TyKind::Record(record) if !record.union => {
                record.definition.as_ref().map(|definition| definition.fields.len() as u64)
            }
            TyKind::Array { length, .. } => *length,
            TyKind::Vector { lanes, .. } => Some((*lanes).into()),
            _ => None,
        };
        let rest = all.is_none_or(|all| all == 0 || (named.len() as u64) < all);
        let count = named.len() + usize::from(rest);
        Object { ty, bounded, size, element, named, parts: begin..begin + count }
    }

    /// The part with a name, or the rest.
    fn part(&self, cell: Cell) -> usize {
        self.parts.start
            + self.named.binary_search(&cell).unwrap_or(self.named.len()).min(self.parts.len() - 1)
    }

    /// The name of a part. None: it is the rest.
    fn named_at(&self, part: PartId) -> Option<Cell> {
        self.named.get(part.index().checked_sub(self.parts.start)?).copied()
    }

    fn size_of(&self, cell: Cell) -> Option<u64> {
        match cell {
            Cell::Field(field) => {
                let field = self.ty.as_record()?.definition.as_ref()?.fields.get(field as usize)?;
                Some(layout(field.ty)?.size)
            }
            Cell::Element(_) => self.element?.1,
            Cell::Start | Cell::Any => None,
        }
    }

    fn type_of(&self, cell: Cell) -> Option<Ty> {
        match cell {
            Cell::Field(field) => {
                Some(self.ty.as_record()?.definition.as_ref()?.fields.get(field as usize)?.ty)
            }
            Cell::Element(_) => Some(self.element?.0),
            Cell::Start | Cell::Any => None,
        }
    }

    /// The only cell that an access touches. None: there may be others.
    fn cell(&self, cell: Cell, extent: Extent) -> Option<Cell> {
        match (cell, extent) {
            // Pointers to fields do not leave them.
            (Cell::Field(_), Extent::Around { .. }) => Some(cell),
            (Cell::Field(_) | Cell::Element(_), Extent::Of(ty)) => {
                let fits = || Some(extent.size()? <= self.size_of(cell)?);
                (self.type_of(cell) == Some(ty) || fits() == Some(true)).then_some(cell)
            }
            (Cell::Start, Extent::Of(ty)) => is_one(ty, self.element?.0, self.ty).then_some(Cell::Element(0)),
            _ => None,
        }
    }

    /// Whether a write surely writes all of the cell with a name, or of the rest.
    fn covers(&self, at: Cell, extent: Extent, named: Option<Cell>) -> bool {
        let sure = extent.sure();
        let reaches = |end: Option<u64>| end.is_some_and(|end| sure >= end);
        let is_object = at == Cell::Start && extent == Extent::Of(self.ty);
        if self.bounded && (reaches(self.size) || is_object) {
            return true;
        }
        let Some(named) = named else { return false };
        if self.cell(at, extent) == Some(named) {
            let is_cell = matches!(extent, Extent::Of(ty) if self.type_of(named) == Some(ty));
            return is_cell || reaches(self.size_of(named));
        }
        match (at, named) {
            (Cell::Start, Cell::Field(field)) => {
                let layout = self.ty.as_record().and_then(record_layout);
                let offset = layout.and_then(|layout| Some(layout.fields.get(field as usize)?.offset));
                reaches(offset.and_then(|offset| offset.checked_add(self.size_of(named)?)))
            }
            (Cell::Start | Cell::Element(_), Cell::Element(number)) => {
                let first = if let Cell::Element(first) = at { first } else { 0 };
                // The address of an element may lead into it; only for a call it is known to be its begin.
                let is_begin = at == Cell::Start || matches!(extent, Extent::Around { .. });
                let steps = number.checked_sub(first).and_then(|steps| steps.checked_add(1));
                let count = steps.and_then(|steps| u64::try_from(steps).ok()).filter(|&count| count > 0);
                let end = count.and_then(|count| count.checked_mul(self.size_of(named)?));
                is_begin && reaches(end)
            }
            _ => false,
        }
    }
}
