//! The targets of pointers ([`place`](super::place)), and the objects whose addresses escape.
//!
//! **Escapes**: private memory whose address becomes known to code that is not tracked; such code may write it.
//!
//! ```c
//! pair a[4];
//! a[1].x = n;      // points into `a`, at byte 8
//! keep(&a[2]);     // escapes, if `keep` stores the pointer
//! ```
//!
//! A pointer that is read back from a variable points where one of the pointers points that the function has stored
//! there (the module `stored`).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use tangle_base::AddressSpace;
use tangle_base::Symbol;

use super::place::{
    ByteRange, Cell, ObjectSetId, PointerTarget, Root, UNKNOWN_SIZE, is_of_function, is_same_record, size_of,
};
use super::stored::{self, Holders};
use super::{Parameters, ReturnedPointer, StoredPointer, Summary};
use crate::flow::{Call, Callee, Function, Op, ParameterRole, Passing, SlotId, Terminator, Unknown, ValueId};
use crate::layout::{layout, record_layout};
use crate::types::{Ty, TyKind};
use crate::value::{Constant, Conversion};

/// The limit on objects in a set. With more, the target is unknown.
const MAX_OBJECTS: usize = 4;

/// The targets of the pointers of a function.
pub struct Memory {
    places: IndexVec<ValueId, Option<PointerTarget>>,
    /// For each slot, whether its address escapes.
    pub escaped: IndexVec<SlotId, bool>,
    /// Pointer parameters that escape.
    pub escaping: Parameters,
    /// Variables of the module whose addresses escape.
    escaped_variables: FxHashSet<Symbol>,
    /// The types of the module variables that the function names.
    variables: FxHashMap<Symbol, Ty>,
    /// Parameters that point to objects whose stored pointers the function never changes.
    holders: Parameters,
    /// Slots that hold such an object: a copy of the argument for the parameter with this number, of an unknown type.
    copies: FxHashMap<SlotId, u32>,
    /// The variables whose pointers are known.
    holders_of_pointers: Holders,
    /// The sets of objects, without duplicates.
    choices: Vec<SmallVec<[Root; MAX_OBJECTS]>>,
}

impl Memory {
    /// Finds the targets of the pointers of a function. `summary` returns the summaries of its callees.
    pub fn of(function: &Function, summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>) -> Memory {
        let (holders, copies) = holders(function, summary);
        let mut memory = Memory {
            places: index_vec![None; function.values.len()],
            escaped: index_vec![false; function.slots.len()],
            escaping: Parameters::default(),
            escaped_variables: FxHashSet::default(),
            variables: variables(function),
            holders,
            copies,
            holders_of_pointers: Holders::of(function, summary),
            choices: Vec::new(),
        };
        memory.find(function, summary);
        memory.escapes(function, summary);
        memory
    }

    /// Returns the target of a pointer.
    pub fn place(&self, value: ValueId) -> PointerTarget {
        self.places[value].unwrap_or(PointerTarget::Unknown)
    }

    /// Returns the objects that a place may be in. `None` if it may be any.
    pub fn roots(&self, place: PointerTarget) -> Option<SmallVec<[Root; MAX_OBJECTS]>> {
        match place {
            PointerTarget::Object(root, _) => Some(SmallVec::from_iter([root])),
            PointerTarget::OneOf(choice) => Some(self.choices[choice.index()].clone()),
            PointerTarget::Unknown => None,
        }
    }

    /// Returns a place that covers both.
    fn join(&mut self, a: PointerTarget, b: PointerTarget) -> PointerTarget {
        if let (PointerTarget::Object(a, x), PointerTarget::Object(b, y)) = (a, b)
            && a == b
        {
            return PointerTarget::Object(a, x.join(y));
        }
        let (Some(mut all), Some(others)) = (self.roots(a), self.roots(b)) else {
            return PointerTarget::Unknown;
        };
        for root in others {
            if !all.contains(&root) {
                all.push(root);
            }
        }
        let is_own = |root: &Root| matches!(root, Root::Slot(_));
        if all.len() > MAX_OBJECTS || all.iter().any(is_own) {
            return PointerTarget::Unknown;
        }
        all.sort_unstable();
        let known = self.choices.iter().position(|it| *it == all);
        let number = known.unwrap_or_else(|| {
            self.choices.push(all);
            self.choices.len() - 1
        });
        PointerTarget::OneOf(ObjectSetId::new(number))
    }

    /// Returns the parameter that an address points to. For a value of an unknown type: the parameter that it is a copy
    /// of.
    pub fn given(&self, function: &Function, value: ValueId) -> Option<u32> {
        let of_slot = |address: ValueId| match self.place(address) {
            PointerTarget::Object(Root::Slot(slot), _) => self.copies.get(&slot).copied(),
            _ => None,
        };
        match (self.place(value), &function.values[value].op) {
            (PointerTarget::Object(Root::Parameter(number), _), _) | (_, &Op::Parameter(number)) => {
                Some(number)
            }
            (_, Op::Load { address, .. }) => of_slot(*address),
            _ => of_slot(value),
        }
    }

    /// Whether byte offsets from `address`, counted in the layout of `seen_as`, are offsets in the object that it
    /// points into.
    pub fn has_same_layout(&self, function: &Function, address: ValueId, seen_as: Ty) -> bool {
        if layout(seen_as).is_some() {
            return true;
        }
        let ty = function.values[address].ty;
        if ty.as_pointer().is_none() {
            return ty.is_unknown() && seen_as.is_unknown();
        }
        // A method may name its class before the fields of the class are defined.
        let pointee = ty.as_pointer().map(|pointer| pointer.pointee);
        if pointee.is_some_and(|of| is_same_record(of, seen_as) && layout(of).is_some()) {
            return true;
        }
        let PointerTarget::Object(root, cell) = self.place(address) else { return false };
        let object = cell.seen_as.or_else(|| self.object_of(function, root));
        let is_object = |object: Ty| is_same_record(object, seen_as);
        cell.is_start() && object.is_some_and(is_object)
    }

    /// Whether no unknown pointer points to this variable of the module: it is declared in this function, and its
    /// address does not escape. The name of such a variable is `function.name`.
    pub fn is_unaliased_variable(&self, variable: Symbol) -> bool {
        is_of_function(variable) && !self.escaped_variables.contains(&variable)
    }

    fn find(&mut self, function: &Function, summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>) {
        for (id, value) in function.values.iter_enumerated() {
            self.places[id] = match &value.op {
                Op::Slot(slot) => Some(PointerTarget::Object(Root::Slot(*slot), Cell::START)),
                Op::Parameter(number) => of_parameter(*number, value.ty),
                Op::Global(name) => Some(match value.ty.as_pointer() {
                    Some(pointer) if pointer.space == AddressSpace::Constant => {
                        PointerTarget::Object(Root::Constant, Cell::ANY)
                    }
                    _ => PointerTarget::Object(Root::Global(*name), Cell::START),
                }),
                Op::String(_) => Some(PointerTarget::Object(Root::Constant, Cell::ANY)),
                // Nothing is written through a null pointer.
                Op::Constant(_) if value.ty.as_pointer().is_some() => {
                    Some(PointerTarget::Object(Root::Constant, Cell::ANY))
                }
                _ => None,
            };
        }
        // Pointers flow around loops. Places only grow, in a few steps.
        loop {
            let mut changed = false;
            for block in &function.blocks {
                for &id in &block.values {
                    let value = &function.values[id];
                    if value.ty.as_pointer().is_none() {
                        continue;
                    }
                    let found = match &value.op {
                        Op::Call(call) => self.returned(function, call, summary),
                        op => self.derived(function, op, value.ty),
                    };
                    let joined = match (self.places[id], found) {
                        (known, None) => known,
                        (None, found) => found,
                        (Some(known), Some(found)) => Some(self.join(known, found)),
                    };
                    changed |= std::mem::replace(&mut self.places[id], joined) != joined;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Returns a place that covers the targets of several pointers. Null pointers count only if all are null.
    fn one_of(
        &mut self,
        function: &Function,
        pointers: impl Iterator<Item = ValueId> + Clone,
    ) -> Option<PointerTarget> {
        let is_null = |it: &ValueId| matches!(function.values[*it].op, Op::Constant(_));
        let all_null = pointers.clone().all(|it| is_null(&it));
        self.joined(pointers.filter(|it| all_null || !is_null(it)))
    }

    /// Returns a place that covers the targets of several pointers.
    fn joined(&mut self, pointers: impl Iterator<Item = ValueId>) -> Option<PointerTarget> {
        let mut joined = None;
        for pointer in pointers {
            joined = match (joined, self.places[pointer]) {
                (Some(known), Some(place)) => Some(self.join(known, place)),
                (known, place) => known.or(place),
            };
        }
        joined
    }

    /// Returns the target of the pointer that is stored at a place. `None`: not known yet.
    fn stored_at(&mut self, function: &Function, place: PointerTarget) -> Option<PointerTarget> {
        let mut found: Vec<stored::StoredPointer> = Vec::new();
        let target = |value: ValueId| self.places[value];
        self.holders_of_pointers.read(function, place, &target, &mut |pointer| found.push(pointer));
        let mut joined = None;
        for pointer in found {
            let next = match pointer {
                stored::StoredPointer::Value(value) => self.places[value],
                stored::StoredPointer::At(place) => Some(match self.held(place, 0) {
                    Some(root) => PointerTarget::Object(root, Cell::START),
                    None => PointerTarget::Unknown,
                }),
                stored::StoredPointer::Unknown => Some(PointerTarget::Unknown),
            };
            joined = match (joined, next) {
                (Some(known), Some(next)) => Some(self.join(known, next)),
                (known, next) => known.or(next),
            };
        }
        joined
    }

    /// Whether no code that is not tracked reads a pointer that is stored at an address.
    fn is_closed(&self, address: ValueId) -> bool {
        let Some(PointerTarget::Object(root, _)) = self.places[address] else { return false };
        self.holders_of_pointers.is_closed(root, &|load| self.places[load])
    }

    fn derived(&mut self, function: &Function, op: &Op, ty: Ty) -> Option<PointerTarget> {
        if ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Constant) {
            return Some(PointerTarget::Object(Root::Constant, Cell::ANY));
        }
        match op {
            Op::Phi(incoming) => self.one_of(function, incoming.iter().map(|(_, value)| *value)),
            Op::Select { then, otherwise, .. } => self.one_of(function, [*then, *otherwise].into_iter()),
            Op::Convert { conversion: Conversion::Pointer, operand } => {
                let (root, cell) = match self.places[*operand]? {
                    PointerTarget::Object(root, cell) => (root, cell),
                    other => return Some(other),
                };
                // Byte offsets in an object of unknown size have no meaning in another type.
                let same = has_bytes(function.values[*operand].ty, ty);
                let pointee = ty.as_pointer().map(|pointer| pointer.pointee);
                Some(PointerTarget::Object(
                    root,
                    match cell.is_start() && !same {
                        true => Cell {
                            seen_as: pointee.filter(|_| self.object_of(function, root) != pointee),
                            ..Cell::START
                        },
                        false => {
                            let field = cell.field.filter(|_| same);
                            Cell { at: cell.at.filter(|_| same), field, ..cell }
                        }
                    },
                ))
            }
            Op::Field { base, field, record } => {
                let (root, cell) = match self.places[*base]? {
                    PointerTarget::Object(root, cell) => (root, cell),
                    other => return Some(other),
                };
                let object = cell.seen_as.or_else(|| self.object_of(function, root)).or(match root {
                    // The type of the object is unknown. The field access names it.
                    Root::Behind(..) => Some(*record),
                    _ => None,
                });
                let is_object =
                    cell.is_start() && object.is_some_and(|object| is_same_record(object, *record));
                let bytes =
                    field_of(*record, *field, is_object).or_else(|| field_inside(*record, *field, cell));
                let bytes = bytes
                    .zip(cell.at)
                    .and_then(|(it, at)| ByteRange::from(at.checked_add(it.begin)?, it.end - it.begin));
                let is_union = record.as_record().is_none_or(|record| record.union);
                let in_record = field_of(*record, *field, true).filter(|_| !is_union);
                let cell = Cell { field: in_record.map(|bytes| (*record, bytes)), ..cell };
                Some(PointerTarget::Object(
                    root,
                    match bytes {
                        Some(bytes) => Cell { at: Some(bytes.begin), within: Some(bytes), ..cell },
                        None => Cell { at: None, ..cell },
                    },
                ))
            }
            Op::Element { base, index, element } => {
                let (root, cell) = match self.places[*base]? {
                    PointerTarget::Object(root, cell) => (root, cell),
                    other => return Some(other),
                };
                let constant = match &function.values[*index].op {
                    Op::Constant(Constant::Integer(number)) => i64::try_from(*number).ok(),
                    Op::Constant(Constant::Zero) => Some(0),
                    _ => None,
                };
                let size = match layout(*element) {
                    Some(layout) => i64::try_from(layout.size).ok(),
                    None => Some(size_of(*element)).filter(|_| cell.at == Some(0) && cell.within.is_none()),
                };
                let steps = || match constant? {
                    0 => Some(0),
                    number => number.checked_mul(size?),
                };
                let at = cell.at.and_then(|at| at.checked_add(steps()?));
                Some(PointerTarget::Object(root, Cell { at, ..cell }))
            }
            Op::Unknown { what: Unknown::Member(name), operands } => {
                let [base] = **operands else { return Some(PointerTarget::Unknown) };
                if function.values[base].ty.as_pointer().is_none() {
                    // The base is not an address, so no other pointer points to the member.
                    return Some(PointerTarget::Object(Root::Unknown, Cell::ANY));
                }
                let (root, cell) = match self.places[base]? {
                    PointerTarget::Object(root, cell) => (root, cell),
                    other => return Some(other),
                };
                let bytes = member_of(*name).filter(|_| cell.is_start() && cell.seen_as.is_none());
                Some(PointerTarget::Object(
                    root,
                    match bytes {
                        Some(bytes) => Cell { at: Some(bytes.begin), within: Some(bytes), ..Cell::ANY },
                        None => Cell { at: None, ..cell },
                    },
                ))
            }
            Op::Unknown { what, operands } => {
                let is_pointer = |it: &ValueId| function.values[*it].ty.as_pointer().is_some();
                if !operands.iter().any(is_pointer) {
                    let held = match (what, &**operands) {
                        (Unknown::Value, [held]) | (Unknown::Address, [held, ..]) => {
                            self.behind(function, *held)
                        }
                        _ => None,
                    };
                    return Some(PointerTarget::Object(held.unwrap_or(Root::Unknown), Cell::ANY));
                }
                let pointers = operands.iter().copied().filter(is_pointer);
                Some(match self.joined(pointers)? {
                    PointerTarget::Object(root, _) => PointerTarget::Object(root, Cell::ANY),
                    other => other,
                })
            }
            Op::Load { address, .. } => match self.held_at(*address) {
                Some(root) => Some(PointerTarget::Object(root, Cell::START)),
                None => {
                    let place = self.places[*address]?;
                    self.stored_at(function, place)
                }
            },
            _ => Some(PointerTarget::Unknown),
        }
    }

    /// Returns the target of the pointer that a call returns.
    fn returned(
        &mut self,
        function: &Function,
        call: &Call,
        summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
    ) -> Option<PointerTarget> {
        let leads = summary(&call.callee).and_then(|summary| summary.returned_pointer);
        let argument = |number: u32| call.arguments.get(number as usize).map(|&(argument, _)| argument);
        let root = match leads {
            None => None,
            Some(ReturnedPointer::IntoParameter(number)) => match self.places[argument(number)?]? {
                PointerTarget::Object(root, _) => Some(root),
                other => return Some(other),
            },
            Some(ReturnedPointer::ThroughStoredPointer(StoredPointer { parameter, seen_as, offset: at })) => {
                let argument = argument(parameter)?;
                // If the layout of the object is unknown, all pointers in it count as one, at offset 0.
                let further = match self.has_same_layout(function, argument, seen_as) {
                    true => at?,
                    false => 0,
                };
                let place = self.places[argument]?;
                let root = self.held(place, further);
                if let (None, PointerTarget::Object(root, cell)) = (root, place) {
                    let at = cell.at.and_then(|at| at.checked_add(further));
                    let stored =
                        self.stored_at(function, PointerTarget::Object(root, Cell { at, ..Cell::ANY }))?;
                    return Some(match stored {
                        PointerTarget::Object(root, _) => PointerTarget::Object(root, Cell::ANY),
                        other => other,
                    });
                }
                root
            }
        };
        Some(root.map_or(PointerTarget::Unknown, |root| PointerTarget::Object(root, Cell::ANY)))
    }

    /// Returns the target of the pointer that is loaded from `address`, if that is in a parameter whose pointers never
    /// change.
    fn held_at(&self, address: ValueId) -> Option<Root> {
        self.held(self.places[address]?, 0)
    }

    /// Returns the target of the pointer that is stored `further` bytes after a place, if the place is in a parameter
    /// whose pointers never change.
    fn held(&self, place: PointerTarget, further: i64) -> Option<Root> {
        let PointerTarget::Object(root, Cell { at: Some(at), .. }) = place else { return None };
        let at = at.checked_add(further)?;
        match root {
            Root::Parameter(number) if self.holders.contains(number as usize) => {
                Some(Root::Behind(number, at))
            }
            Root::Slot(slot) => Some(Root::Behind(*self.copies.get(&slot)?, at)),
            _ => None,
        }
    }

    /// Returns the target of a value of an unknown type that is used as a pointer, if it is a member of a parameter.
    fn behind(&self, function: &Function, value: ValueId) -> Option<Root> {
        match &function.values[value].op {
            Op::Load { address, .. } => self.held_at(*address),
            Op::Unknown { what: Unknown::Member(name), operands } => {
                let [of] = **operands else { return None };
                let Op::Parameter(number) = function.values[of].op else { return None };
                Some(Root::Behind(number, member_of(*name)?.begin))
            }
            Op::Unknown { what: Unknown::Value, operands } => match **operands {
                [of] => self.behind(function, of),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether the target of a pointer is that of a parameter, and may be private memory of a caller.
    fn may_be_private(&self, function: &Function, pointer: ValueId) -> bool {
        let Some(PointerTarget::Object(Root::Parameter(number), _)) = self.places[pointer] else {
            return false;
        };
        let parameter = function.parameters.get(number as usize);
        let space = parameter.and_then(|it| function.values[it.value].ty.as_pointer()).map(|it| it.space);
        !function.kernel && !matches!(space, Some(AddressSpace::Local | AddressSpace::Global))
    }

    /// Returns the type of an object: a variable, or the target of a parameter. The target may be the first element of
    /// an array.
    fn object_of(&self, function: &Function, root: Root) -> Option<Ty> {
        match root {
            Root::Global(name) => self.variables.get(&name).copied(),
            _ => object_of(function, root),
        }
    }

    /// Returns the object that the function returns a pointer into at every `return`. `None` if there is no such object.
    pub fn returned_object(&self, function: &Function) -> Option<Root> {
        let mut returned = function.blocks.iter().filter_map(|block| match block.terminator {
            Terminator::Return(Some(value)) if function.values[value].ty.as_pointer().is_some() => {
                Some(self.place(value))
            }
            _ => None,
        });
        let root = |place: PointerTarget| match place {
            PointerTarget::Object(root, _) => Some(root),
            PointerTarget::OneOf(_) | PointerTarget::Unknown => None,
        };
        let first = root(returned.next()?)?;
        returned.all(|place| root(place) == Some(first)).then_some(first)
    }

    /// Finds the slots, parameters and variables whose addresses are used in a way that is not tracked.
    fn escapes(&mut self, function: &Function, summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>) {
        let mut lost = Vec::new();
        let returned = self.returned_object(function);
        for block in &function.blocks {
            for &id in &block.values {
                match &function.values[id].op {
                    Op::Load { .. }
                    | Op::Copy { .. }
                    | Op::Clear { .. }
                    | Op::Compare { .. }
                    | Op::Element { .. }
                    | Op::Field { .. }
                    | Op::Unknown { what: Unknown::Address | Unknown::Member(_), .. }
                    | Op::Convert { conversion: Conversion::Pointer | Conversion::ToBool, .. } => {}
                    Op::Store { address, value, .. } => {
                        if !self.is_closed(*address) {
                            lost.push(*value);
                        }
                    }
                    op @ (Op::Phi(_) | Op::Select { .. }) => match self.places[id] {
                        Some(PointerTarget::Unknown) => op.operands(|&operand| lost.push(operand)),
                        // Writes through it are not tracked.
                        Some(PointerTarget::OneOf(_)) => op.operands(|&operand| {
                            if self.may_be_private(function, operand) {
                                lost.push(operand);
                            }
                        }),
                        _ => {}
                    },
                    Op::Call(call) => {
                        let known = summary(&call.callee);
                        for (number, (argument, _)) in call.arguments.iter().enumerate() {
                            let kept = match &known {
                                Some(known) => known.lets_escape(number),
                                // An unknown function keeps no pointer (`docs/semantics.md` §9), but a function pointer
                                // may call any function.
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
            match block.terminator {
                // The caller knows where the result points: see [`Summary::returned_pointer`].
                Terminator::Return(Some(_)) if matches!(returned, Some(Root::Parameter(_))) => {}
                _ => lost.extend(block.terminator.operand()),
            }
        }
        for value in lost {
            if let Some(PointerTarget::Object(root, _)) = self.places[value] {
                match root {
                    Root::Slot(slot) => self.escaped[slot] = true,
                    Root::Parameter(number) => {
                        self.escaping = self.escaping.union(Parameters::one(number as usize));
                    }
                    Root::Global(name) => _ = self.escaped_variables.insert(name),
                    Root::Constant | Root::Unknown | Root::Behind(..) => {}
                }
            }
        }
    }
}

/// Returns the parameters that point to objects whose stored pointers the function does not change: copies, references,
/// and `this`. Any other pointer may point into a list whose elements point to each other. Also returns the slots that
/// hold a copy of a parameter of an unknown type and do not change.
fn holders(
    function: &Function,
    summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
) -> (Parameters, FxHashMap<SlotId, u32>) {
    let mut holders = Parameters::default();
    for (number, parameter) in function.parameters.iter().enumerate() {
        let pointer = function.values[parameter.value].ty.as_pointer();
        let is_reference =
            pointer.is_some_and(|pointer| pointer.reference || parameter.role == ParameterRole::Object);
        if is_reference || pointer.is_some() && parameter.passing == Passing::Copy {
            holders = holders.union(Parameters::one(number));
        }
    }
    let is_given = |value: ValueId| match function.values[value].op {
        Op::Parameter(number) if function.values[value].ty.is_unknown() => Some(number),
        _ => None,
    };
    let mut copies: FxHashMap<SlotId, u32> = FxHashMap::default();
    for value in &function.values {
        if let Op::Store { address, value, .. } = value.op
            && let (Op::Slot(slot), Some(number)) = (&function.values[address].op, is_given(value))
        {
            copies.insert(*slot, number);
        }
    }
    if holders == Parameters::default() && copies.is_empty() {
        return (holders, copies);
    }
    let root_of = |mut at: ValueId| loop {
        match &function.values[at].op {
            Op::Element { base, .. } | Op::Field { base, .. } => at = *base,
            Op::Unknown { what: Unknown::Address | Unknown::Member(_), operands } if !operands.is_empty() => {
                at = operands[0];
            }
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            Op::Parameter(number) => return Some(Root::Parameter(*number)),
            Op::Slot(slot) => return Some(Root::Slot(*slot)),
            _ => return None,
        }
    };
    let mut changed: FxHashSet<Root> = FxHashSet::default();
    let mut change = |address: ValueId| changed.extend(root_of(address));
    for value in &function.values {
        match &value.op {
            Op::Store { address, value, .. } => {
                let ty = function.values[*value].ty;
                let is_copy =
                    is_given(*value).is_some() && matches!(function.values[*address].op, Op::Slot(_));
                if (ty.as_pointer().is_some() || ty.is_unknown()) && !is_copy {
                    change(*address);
                }
            }
            Op::Copy { to: address, .. } | Op::Clear { address, .. } => change(*address),
            Op::Call(call) => {
                let Some(known) = summary(&call.callee) else { continue };
                for (number, &(argument, passing)) in call.arguments.iter().enumerate() {
                    if passing == Passing::Result || known.writes_through(number).is_some() {
                        change(argument);
                    }
                }
            }
            _ => {}
        }
    }
    copies.retain(|slot, _| !changed.contains(&Root::Slot(*slot)));
    let changed = changed.into_iter().filter_map(|root| match root {
        Root::Parameter(number) => Some(Parameters::one(number as usize)),
        _ => None,
    });
    (holders.without(changed.fold(Parameters::NONE, Parameters::union)), copies)
}

/// Returns the types of the module variables that a function names.
fn variables(function: &Function) -> FxHashMap<Symbol, Ty> {
    let named = function.values.iter().filter_map(|value| match value.op {
        Op::Global(name) => Some((name, value.ty.as_pointer()?.pointee)),
        _ => None,
    });
    named.collect()
}

fn of_parameter(number: u32, ty: Ty) -> Option<PointerTarget> {
    let pointer = ty.as_pointer()?;
    Some(match pointer.space {
        AddressSpace::Constant => PointerTarget::Object(Root::Constant, Cell::ANY),
        _ => PointerTarget::Object(Root::Parameter(number), Cell::START),
    })
}

/// Returns the type of an object: a slot, or the target of a parameter. The target may be the first element of an
/// array.
pub fn object_of(function: &Function, root: Root) -> Option<Ty> {
    match root {
        Root::Slot(slot) => Some(function.slots[slot].ty),
        Root::Parameter(number) => {
            let value = function.parameters.get(number as usize)?.value;
            Some(function.values[value].ty.as_pointer()?.pointee)
        }
        Root::Global(_) | Root::Constant | Root::Unknown | Root::Behind(..) => None,
    }
}

/// Returns the bytes of a field in its record. In a record without a layout, which has to be a whole object (`object`),
/// the number of the field determines its offset.
pub fn field_of(record: Ty, field: u32, object: bool) -> Option<ByteRange> {
    let of = record.as_record()?;
    if let Some(layout) = record_layout(record) {
        let ty = of.definition.as_ref()?.fields.get(field as usize)?.ty;
        let place = layout.fields.get(field as usize)?;
        return ByteRange::from(i64::try_from(place.offset).ok()?, size_of(place.unit.unwrap_or(ty)));
    }
    ByteRange::from(i64::from(field).checked_mul(UNKNOWN_SIZE)?, UNKNOWN_SIZE).filter(|_| object && !of.union)
}

/// The number of shares that the bytes of a field of unknown size are divided into.
const FIELD_SHARES: i64 = 1 << 8;

/// Returns the bytes of a field of a record without a layout that is itself a field. Each field of the inner record has
/// one share of the bytes of the outer field.
fn field_inside(record: Ty, field: u32, cell: Cell) -> Option<ByteRange> {
    let around = cell.within.filter(|around| cell.at == Some(around.begin))?;
    let share = (around.end - around.begin) / FIELD_SHARES;
    let has_room = share >= FIELD_SHARES && i64::from(field) < FIELD_SHARES;
    let has_room = has_room && !record.as_record()?.union && record_layout(record).is_none();
    has_room.then(|| ByteRange::from(i64::from(field) * share, share)).flatten()
}

/// Returns the bytes of a member in an object of an unknown type. The text of the name determines the offset, because
/// the number of a symbol depends on the thread that interned it first. Two names with the same offset count as one
/// member. `None` if the offset overflows.
fn member_of(name: Symbol) -> Option<ByteRange> {
    let mut hasher = FxHasher::default();
    name.as_str().hash(&mut hasher);
    let place = i64::try_from(hasher.finish() % MEMBER_OFFSETS).ok()?;
    ByteRange::from(place.checked_mul(UNKNOWN_SIZE)?, UNKNOWN_SIZE)
}

/// The number of offsets for members of an object of an unknown type.
const MEMBER_OFFSETS: u64 = (1 << 22) - 3;

/// Whether pointers to two types name the same bytes of an object. If one of the types has no known size, they do not,
/// unless the types are equal or an array and its element.
fn has_bytes(from: Ty, to: Ty) -> bool {
    let (Some(from), Some(to)) = (from.as_pointer(), to.as_pointer()) else { return false };
    let is_known = |mut ty: Ty| loop {
        match ty.kind() {
            TyKind::Array { element, .. } => ty = *element,
            TyKind::Record(_) | TyKind::Unknown => return layout(ty).is_some(),
            _ => return true,
        }
    };
    from.pointee == to.pointee
        || matches!(from.pointee.kind(), TyKind::Array { element, .. } if *element == to.pointee)
        || (is_known(from.pointee) && is_known(to.pointee))
}
