//! The pointers that a function stores in its variables.
//!
//! **Holder**: a slot, or a variable of the module that only this kernel names, whose address is used only to read and
//! write it, here or in callees that only read it. So each pointer in it was stored by an operation of the function. A
//! pointer that is read from a holder points where one of the pointers points that are stored at the same position.
//! **Closed**: a holder that only operations of the function read, and where the target of each pointer that they read
//! is known. A pointer that is stored only there does not escape.
//!
//! ```c
//! __shared__ struct { int *m; int n; } v;   // a holder
//! if (threadIdx.x == 0) v.m = a;
//! __syncthreads();
//! v.m[3]                                    // points into the target of `a`
//! ```
//!
//! The order of the operations does not count, and threads may write a shared holder, so all stores are joined. A record
//! that is copied brings the pointers of the other holder along.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Summary;
use super::place::{Cell, PointerTarget, Root, is_of_function, size_of};
use crate::flow::{Callee, Function, Op, Passing, ValueId};
use crate::types::Ty;
use crate::value::Conversion;

/// The limit on copies from holder to holder that are followed for one read.
const MAX_COPIES: usize = 8;

/// The size of a pointer in bytes.
const POINTER_SIZE: i64 = 8;

/// A write to a holder.
#[derive(Clone, Copy, Debug)]
enum Write {
    /// A store of a value.
    Store { address: ValueId, value: ValueId },
    /// A copy of an object.
    Copy { to: ValueId, from: ValueId, ty: Ty },
}

/// The holders of a function, with the operations that write them.
#[derive(Debug, Default)]
pub(super) struct Holders {
    writes: FxHashMap<Root, Vec<Write>>,
    /// The loads of pointers.
    loads: FxHashMap<Root, Vec<ValueId>>,
    /// The variables that callees read, or that are copied to memory that is not a variable.
    leaks: FxHashSet<Root>,
    /// The variables that each variable is copied to.
    copies: FxHashMap<Root, Vec<Root>>,
}

impl Holders {
    /// Finds the holders of a function. `summary` returns the summaries of its callees.
    pub fn of(function: &Function, summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>) -> Holders {
        let mut holders = Holders::default();
        let is_pointer = |value: ValueId| function.values[value].ty.as_pointer().is_some();
        // A copy of an argument brings pointers along, too.
        let brings_pointers = |op: &Op| match op {
            Op::Store { address, value, .. } => is_pointer(*value) && root_of(function, *address).is_some(),
            Op::Copy { to, .. } => root_of(function, *to).is_some(),
            _ => false,
        };
        if !function.values.iter().any(|value| brings_pointers(&value.op)) {
            return holders;
        }
        // Variables whose address is used in another way.
        let mut others: FxHashSet<Root> = FxHashSet::default();
        for block in &function.blocks {
            for &id in &block.values {
                match &function.values[id].op {
                    Op::Load { address, .. } => {
                        if let (Some(root), true) = (root_of(function, *address), is_pointer(id)) {
                            holders.loads.entry(root).or_default().push(id);
                        }
                    }
                    &Op::Store { address, value, .. } => {
                        others.extend(root_of(function, value));
                        if let Some(root) = root_of(function, address) {
                            holders.writes.entry(root).or_default().push(Write::Store { address, value });
                        }
                    }
                    &Op::Copy { to, from, ty } => {
                        let (to_root, from_root) = (root_of(function, to), root_of(function, from));
                        if let Some(root) = to_root {
                            holders.writes.entry(root).or_default().push(Write::Copy { to, from, ty });
                        }
                        match (from_root, to_root) {
                            (Some(from), Some(to)) => holders.copies.entry(from).or_default().push(to),
                            (Some(from), None) => _ = holders.leaks.insert(from),
                            _ => {}
                        }
                    }
                    // A cleared pointer is null, so it has no target. `root_of` follows the others.
                    Op::Clear { .. }
                    | Op::Compare { .. }
                    | Op::Element { .. }
                    | Op::Field { .. }
                    | Op::Convert { conversion: Conversion::Pointer | Conversion::ToBool, .. } => {}
                    Op::Call(call) => {
                        let known = summary(&call.callee);
                        for (number, &(argument, passing)) in call.arguments.iter().enumerate() {
                            let Some(root) = root_of(function, argument) else { continue };
                            let is_read = match passing {
                                Passing::Copy => true,
                                Passing::Result => false,
                                Passing::Value => known.as_ref().is_some_and(|known| {
                                    known.writes_through(number).is_none() && !known.lets_escape(number)
                                }),
                            };
                            match is_read {
                                true => _ = holders.leaks.insert(root),
                                false => _ = others.insert(root),
                            }
                        }
                    }
                    op => op.operands(|&operand| others.extend(root_of(function, operand))),
                }
            }
            others.extend(block.terminator.operand().and_then(|value| root_of(function, value)));
        }
        holders.writes.retain(|root, _| !others.contains(root));
        holders
    }

    /// Whether no code that is not tracked reads a pointer that is stored in a variable. `target` returns the target of
    /// a load.
    pub fn is_closed(&self, root: Root, target: &dyn Fn(ValueId) -> Option<PointerTarget>) -> bool {
        let mut seen: FxHashSet<Root> = FxHashSet::default();
        let mut todo = vec![root];
        while let Some(root) = todo.pop() {
            if !seen.insert(root) {
                continue;
            }
            let is_known = |load: &ValueId| matches!(target(*load), Some(PointerTarget::Object(..)) | None);
            if !self.writes.contains_key(&root)
                || self.leaks.contains(&root)
                || !self.loads.get(&root).into_iter().flatten().all(is_known)
            {
                return false;
            }
            todo.extend(self.copies.get(&root).into_iter().flatten());
        }
        true
    }
}

/// A pointer that may be read from a holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredPointer {
    /// This value.
    Value(ValueId),
    /// The pointer at this place, which is in no holder. A copy brings it.
    At(PointerTarget),
    /// Any pointer.
    Unknown,
}

impl Holders {
    /// Visits the pointers that may be read at a place. `target` returns the target of a pointer, `None` if it is not
    /// known yet, while targets are searched. Null pointers are omitted: they have no target.
    pub fn read(
        &self,
        function: &Function,
        place: PointerTarget,
        target: &dyn Fn(ValueId) -> Option<PointerTarget>,
        visit: &mut dyn FnMut(StoredPointer),
    ) {
        self.read_within(function, place, target, MAX_COPIES, visit);
    }

    fn read_within(
        &self,
        function: &Function,
        place: PointerTarget,
        target: &dyn Fn(ValueId) -> Option<PointerTarget>,
        copies: usize,
        visit: &mut dyn FnMut(StoredPointer),
    ) {
        let (root, read) = match place {
            PointerTarget::Object(root, read) => (root, read),
            PointerTarget::OneOf(_) | PointerTarget::Unknown => return visit(StoredPointer::Unknown),
        };
        let Some(writes) = self.writes.get(&root) else { return visit(StoredPointer::At(place)) };
        for write in writes {
            match *write {
                Write::Store { address, value } => {
                    let Some(PointerTarget::Object(_, cell)) = target(address) else { continue };
                    let size = size_of(function.values[value].ty);
                    if !may_overlap((cell, size), read)
                        || matches!(function.values[value].op, Op::Constant(_))
                    {
                        continue;
                    }
                    visit(match function.values[value].ty.as_pointer() {
                        Some(_) => StoredPointer::Value(value),
                        // The bits of a pointer, or a value of an unknown type.
                        None => StoredPointer::Unknown,
                    });
                }
                Write::Copy { to, from, ty } => {
                    let (Some(to), Some(from)) = (target(to), target(from)) else { continue };
                    match (copied(read, (to, from, ty)), copies.checked_sub(1)) {
                        (Copied::From(place), Some(copies)) => {
                            self.read_within(function, place, target, copies, visit);
                        }
                        (Copied::Elsewhere, _) => {}
                        (Copied::Unknown, _) | (_, None) => visit(StoredPointer::Unknown),
                    }
                }
            }
        }
    }
}

/// Where the contents of a cell come from, if a copy writes them.
enum Copied {
    From(PointerTarget),
    /// The copy writes other bytes.
    Elsewhere,
    Unknown,
}

fn copied(read: Cell, (to, from, ty): (PointerTarget, PointerTarget, Ty)) -> Copied {
    let (PointerTarget::Object(_, to), PointerTarget::Object(root, from)) = (to, from) else {
        return Copied::Unknown;
    };
    let is_alike = to.seen_as == read.seen_as && from.seen_as.is_none();
    let (Some(at), Some(start), Some(other), true) = (read.at, to.at, from.at, is_alike) else {
        return Copied::Unknown;
    };
    match at.checked_sub(start) {
        Some(further) if further < 0 || further >= size_of(ty) => Copied::Elsewhere,
        Some(further) => {
            Copied::From(PointerTarget::Object(root, Cell { at: other.checked_add(further), ..Cell::ANY }))
        }
        None => Copied::Unknown,
    }
}

/// Whether a value of `size` bytes at one cell of an object may overlap a pointer at another one.
fn may_overlap((a, size): (Cell, i64), b: Cell) -> bool {
    if a.seen_as != b.seen_as {
        return true;
    }
    let is_outside = |at: Option<i64>, other: Cell| {
        let range = other.within.filter(|_| other.at.is_none());
        at.zip(range).is_some_and(|(at, range)| at < range.begin || at >= range.end)
    };
    let differ =
        a.at.zip(b.at)
            .is_some_and(|(a, b)| a.saturating_add(size) <= b || b.saturating_add(POINTER_SIZE) <= a);
    let apart = a.within.zip(b.within).is_some_and(|(a, b)| !a.overlaps(b));
    !(differ || apart || is_outside(a.at, b) || is_outside(b.at, a) || a.is_in_other_field(b))
}

/// Returns the variable of the function that an address points into, as the address is computed.
fn root_of(function: &Function, mut at: ValueId) -> Option<Root> {
    loop {
        match &function.values[at].op {
            Op::Element { base, .. } | Op::Field { base, .. } => at = *base,
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            Op::Slot(slot) => return Some(Root::Slot(*slot)),
            // In any other function, another call may have stored a pointer.
            Op::Global(name) if function.kernel && is_of_function(*name) => {
                return Some(Root::Global(*name));
            }
            _ => return None,
        }
    }
}
