//! Where pointers point, and which private memory is known exactly.
//!
//! **Root** of a pointer: the object that it points into. **Cell**: a part of a private object that has its own name: a field of
//! a record, an element of an array with a constant index, a lane of a vector. **Escapes**: private memory whose address becomes known to what we do
//! not follow; anyone may write it.
//!
//! ```c
//! int a[4];        // a slot with a cell for each element
//! a[0] = lid;      // the cell 0 is divergent
//! a[1] = n;        // the cell 1 is not
//! a[i] = n;        // all cells
//! keep(&a[2]);     // escapes, if `keep` stores the pointer
//! ```

use index_vec::{IndexVec, index_vec};
use tangle_base::AddressSpace;
use tangle_base::Symbol;

use super::{Parameters, Summary};
use crate::flow::{Callee, Function, Op, Passing, SlotId, Unknown, ValueId};
use crate::layout::layout;
use crate::types::{Ty, TyKind};
use crate::value::{Constant, Conversion};

/// The object that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// Private memory of the function.
    Slot(SlotId),
    /// What the parameter with this number points to.
    Parameter(u32),
    /// A variable of the module.
    Global(Symbol),
    /// Memory that never changes.
    Constant,
    /// What an unknown value points to: memory that nothing else leads to.
    Unknown,
}

/// A part of a private object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// The address of the object itself.
    Start,
    /// The field of this number, and what is in it.
    Field(u32),
    /// The element, or lane, of this number, and what is in it.
    Element(i128),
    /// Somewhere in it.
    Any,
}

/// What a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A part of an object.
    Known(Root, Cell),
    /// Anywhere.
    Unknown,
}

/// What is known of the pointers of a function.
pub struct Memory {
    places: IndexVec<ValueId, Option<Place>>,
    /// For each slot, whether its address is known to others.
    pub escaped: IndexVec<SlotId, bool>,
    /// Pointer parameters that escape.
    pub escaping: Parameters,
}

impl Memory {
    /// Follows the pointers of a function. `summary`: of the functions that it calls.
    pub fn of(function: &Function, summary: &dyn Fn(&Callee) -> Option<Summary>) -> Memory {
        let mut memory = Memory {
            places: index_vec![None; function.values.len()],
            escaped: index_vec![false; function.slots.len()],
            escaping: Parameters::default(),
        };
        memory.find(function);
        memory.escapes(function, summary);
        memory
    }

    /// Where a pointer points.
    pub fn place(&self, value: ValueId) -> Place {
        self.places[value].unwrap_or(Place::Unknown)
    }

    fn find(&mut self, function: &Function) {
        for (id, value) in function.values.iter_enumerated() {
            self.places[id] = match &value.op {
                Op::Slot(slot) => Some(Place::Known(Root::Slot(*slot), Cell::Start)),
                Op::Parameter(number) => of_parameter(*number, value.ty),
                Op::Global(name) => Some(match value.ty.as_pointer() {
                    Some(pointer) if pointer.space == AddressSpace::Constant => {
                        Place::Known(Root::Constant, Cell::Any)
                    }
                    _ => Place::Known(Root::Global(*name), Cell::Any),
                }),
                Op::String(_) => Some(Place::Known(Root::Constant, Cell::Any)),
                _ => None,
            };
        }
        // Pointers go around loops; what is found only grows, in two steps at most.
        loop {
            let mut changed = false;
            for block in &function.blocks {
                for &id in &block.values {
                    let value = &function.values[id];
                    if value.ty.as_pointer().is_none() {
                        continue;
                    }
                    let found = self.derived(function, &value.op, value.ty);
                    let joined = match (self.places[id], found) {
                        (known, None) => known,
                        (None, found) => found,
                        (Some(known), Some(found)) => Some(join(known, found)),
                    };
                    changed |= std::mem::replace(&mut self.places[id], joined) != joined;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn derived(&self, function: &Function, op: &Op, ty: Ty) -> Option<Place> {
        if ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Constant) {
            return Some(Place::Known(Root::Constant, Cell::Any));
        }
        match op {
            Op::Phi(incoming) => incoming.iter().filter_map(|(_, value)| self.places[*value]).reduce(join),
            Op::Select { then, otherwise, .. } => {
                [*then, *otherwise].into_iter().filter_map(|value| self.places[value]).reduce(join)
            }
            Op::Convert { conversion: Conversion::Pointer, operand } => {
                let Place::Known(root, cell) = self.places[*operand]? else { return Some(Place::Unknown) };
                let same = cell != Cell::Start || is_same_object(function.values[*operand].ty, ty);
                // Under another type, fields and elements are others.
                Some(Place::Known(root, if same { cell } else { Cell::Any }))
            }
            Op::Field { base, field, record } => {
                let Place::Known(root, cell) = self.places[*base]? else { return Some(Place::Unknown) };
                // Another record's field, or a member of a union, is another part.
                let own = object_of(function, root) == Some(*record)
                    && record.as_record().is_some_and(|record| !record.union);
                Some(Place::Known(
                    root,
                    match cell {
                        Cell::Start if own => Cell::Field(*field),
                        Cell::Start => Cell::Any,
                        _ => cell,
                    },
                ))
            }
            Op::Element { base, index, element } => {
                let Place::Known(root, cell) = self.places[*base]? else { return Some(Place::Unknown) };
                let constant = match &function.values[*index].op {
                    Op::Constant(Constant::Integer(number)) => Some(*number),
                    Op::Constant(Constant::Zero) => Some(0),
                    _ => None,
                };
                let own = element_of(function, root);
                Some(Place::Known(
                    root,
                    match (cell, constant) {
                        // Where a parameter points is where its first element is.
                        (Cell::Start, Some(0))
                            if matches!(root, Root::Parameter(_))
                                && object_of(function, root) == Some(*element) =>
                        {
                            Cell::Start
                        }
                        (Cell::Start, Some(number)) if own == Some(*element) => Cell::Element(number),
                        // One step inside of an element.
                        (Cell::Element(_), Some(number))
                            if own.is_some_and(|own| {
                                is_element(function, *base, own) && is_inside(*element, number, own)
                            }) =>
                        {
                            cell
                        }
                        // From one element to another, or further inside of an element: not told apart.
                        (Cell::Field(_), _) => cell,
                        _ => Cell::Any,
                    },
                ))
            }
            Op::Unknown { operands, .. } => {
                let mut pointers =
                    operands.iter().filter(|&&it| function.values[it].ty.as_pointer().is_some()).peekable();
                if pointers.peek().is_none() {
                    return Some(Place::Known(Root::Unknown, Cell::Any));
                }
                let place = pointers.filter_map(|&it| self.places[it]).reduce(join)?;
                Some(match place {
                    Place::Known(root, _) => Place::Known(root, Cell::Any),
                    Place::Unknown => Place::Unknown,
                })
            }
            _ => Some(Place::Unknown),
        }
    }

    /// The address of a slot or the value of a parameter is used in a way that is not followed.
    fn escapes(&mut self, function: &Function, summary: &dyn Fn(&Callee) -> Option<Summary>) {
        let mut lost = Vec::new();
        for block in &function.blocks {
            for &id in &block.values {
                match &function.values[id].op {
                    Op::Load { .. }
                    | Op::Copy { .. }
                    | Op::Clear { .. }
                    | Op::Compare { .. }
                    | Op::Element { .. }
                    | Op::Field { .. }
                    | Op::Unknown { what: Unknown::Place, .. }
                    | Op::Convert { conversion: Conversion::Pointer | Conversion::ToBool, .. } => {}
                    Op::Store { value, .. } => lost.push(*value),
                    op @ (Op::Phi(_) | Op::Select { .. }) => {
                        if self.places[id] == Some(Place::Unknown) {
                            op.operands(|&operand| lost.push(operand));
                        }
                    }
                    Op::Call(call) => {
                        let known = summary(&call.callee);
                        for (number, (argument, _)) in call.arguments.iter().enumerate() {
                            let kept = match &known {
                                Some(known) => known.keeps(number),
                                // What is not known keeps nothing (SEMANTICS §9), but a pointer may lead anywhere.
                                None => matches!(call.callee, Callee::Pointer { .. }),
                            };
                            if kept {
                                lost.push(*argument);
                            }
                        }
                    }
                    op => op.operands(|&operand| lost.push(operand)),
                }
            }
            if let Some(operand) = block.terminator.operand() {
                lost.push(operand);
            }
        }
        for value in lost {
            if let Some(Place::Known(root, _)) = self.places[value] {
                match root {
                    Root::Slot(slot) => self.escaped[slot] = true,
                    Root::Parameter(number) => {
                        self.escaping = self.escaping.union(Parameters::one(number as usize));
                    }
                    Root::Global(_) | Root::Constant | Root::Unknown => {}
                }
            }
        }
    }
}

fn of_parameter(number: u32, ty: Ty) -> Option<Place> {
    let pointer = ty.as_pointer()?;
    Some(match pointer.space {
        AddressSpace::Constant => Place::Known(Root::Constant, Cell::Any),
        AddressSpace::Private | AddressSpace::Generic => Place::Known(Root::Parameter(number), Cell::Start),
        _ => Place::Known(Root::Parameter(number), Cell::Any),
    })
}

/// The type of an object: of a slot, or of what a parameter points to. That may be the first of several.
pub fn object_of(function: &Function, root: Root) -> Option<Ty> {
    match root {
        Root::Slot(slot) => Some(function.slots[slot].ty),
        Root::Parameter(number) => {
            let value = function.parameters.get(number as usize)?.value;
            Some(function.values[value].ty.as_pointer()?.pointee)
        }
        Root::Global(_) | Root::Constant | Root::Unknown => None,
    }
}

/// The type of the elements, or lanes, of an object. What a parameter points to is followed by others of its kind.
pub fn element_of(function: &Function, root: Root) -> Option<Ty> {
    let object = object_of(function, root)?;
    let is_one_of_many = matches!(root, Root::Parameter(number)
        if function.parameters.get(number as usize).is_some_and(|it| it.passing == Passing::Value));
    match object.kind() {
        TyKind::Array { element, .. } => Some(*element),
        TyKind::Record(_) => None,
        _ if is_one_of_many => Some(object),
        TyKind::Vector { element, .. } => Some(*element),
        _ => None,
    }
}

/// Whether a pointer leads to the begin of an element of this type.
fn is_element(function: &Function, mut pointer: ValueId, of: Ty) -> bool {
    while let Op::Convert { conversion: Conversion::Pointer, operand } = function.values[pointer].op {
        pointer = operand;
    }
    matches!(function.values[pointer].op, Op::Element { element, .. } if element == of)
}

/// Whether a number of steps over something leads to another one that is inside of an element, too.
fn is_inside(step: Ty, number: i128, element: Ty) -> bool {
    let (Some(step), Some(all)) = (layout(step), layout(element)) else { return false };
    let end = number.checked_add(1).and_then(|count| count.checked_mul(step.size.into()));
    number >= 0 && end.is_some_and(|end| end <= all.size.into())
}

fn join(a: Place, b: Place) -> Place {
    match (a, b) {
        (Place::Known(a, x), Place::Known(b, y)) if a == b => {
            Place::Known(a, if x == y { x } else { Cell::Any })
        }
        _ => Place::Unknown,
    }
}

/// Whether a pointer to one type names the same parts as one to the other: an array and its first element, or nothing but
/// another address space.
fn is_same_object(from: Ty, to: Ty) -> bool {
    let (Some(from), Some(to)) = (from.as_pointer(), to.as_pointer()) else { return false };
    from.pointee == to.pointee
        || matches!(from.pointee.kind(), TyKind::Array { element, .. } if *element == to.pointee)
}
