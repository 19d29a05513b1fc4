//! The operations that read and write memory: where, and how many bytes.
//!
//! **Access**: an operation that reads or writes at an address. **Extent**: the accessed bytes. For a load, store or
//! copy, the extent is an object of a known type. For a call, it is anything in the object around the address. A
//! summary may say that the call surely writes the first of these bytes: on every path.
//!
//! ```c
//! a[1] = n;            // a write of an `int` at `a[1]`
//! t = s;               // a read of a record, and a write
//! tile(n, &x, &y);     // a write around `x` and one around `y`; the summary says which bytes are surely written
//! ```

use std::sync::Arc;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::Summary;
use super::memory::Memory;
use super::place::{ByteRange, Cell, PointerTarget, Root, size_of};
use crate::flow::{Call, Callee, Function, Op, Passing, ValueId};
use crate::key::UnresolvedCallee;
use crate::types::Ty;

/// The extent of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One object of this type, at the address.
    Of(Ty),
    /// Anything in the object that the address points into.
    Unbounded {
        /// The number of bytes from the address on that are written on every path.
        sure: u64,
    },
    /// These bytes, counted from the address.
    Range {
        /// The byte range.
        bytes: ByteRange,
        /// Whether they are written on every path.
        sure: bool,
    },
}

impl Extent {
    /// Returns the bytes that an access at offset `at` surely reads or writes. `None` if an offset overflows.
    pub fn sure(self, at: i64) -> Option<ByteRange> {
        match self {
            Extent::Of(ty) => ByteRange::from(at, size_of(ty)),
            Extent::Unbounded { sure } => ByteRange::from(at, i64::try_from(sure).unwrap_or(i64::MAX)),
            Extent::Range { bytes, sure } => {
                let count = if sure { bytes.end - bytes.begin } else { 0 };
                ByteRange::from(at.checked_add(bytes.begin)?, count)
            }
        }
    }
}

/// Returns the bytes that an access reads or writes at most. `None` if it may be any.
pub fn reach(cell: Cell, extent: Extent) -> Option<ByteRange> {
    match (cell.at, extent) {
        // An object of an unknown type may reach to the end of the whole object.
        (Some(_), Extent::Of(ty)) if cell.within.is_none() && ty.is_unknown() => None,
        (Some(at), Extent::Of(ty)) => ByteRange::from(at, size_of(ty)),
        (Some(at), Extent::Range { bytes, .. }) => {
            ByteRange::from(at.checked_add(bytes.begin)?, bytes.end - bytes.begin)
        }
        // We assume that a pointer to a field stays inside the field.
        _ => cell.within,
    }
}

/// A read or write of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The operation.
    pub by: ValueId,
    /// The address.
    pub address: ValueId,
    /// The bytes.
    pub extent: Extent,
    /// Whether it writes. Otherwise it reads.
    pub writes: bool,
    /// For a call, the number of the argument that is the address.
    pub argument: usize,
    /// For a write of a call, the index in the [byte ranges](super::ParameterWrites) that the callee writes through its
    /// parameter.
    pub part: usize,
}

/// The accesses of a function.
#[derive(Default)]
pub struct Accesses {
    /// All accesses, in the order of blocks and operations. For one operation, reads come first.
    pub all: Vec<Access>,
    by: FxHashMap<ValueId, Range<usize>>,
    /// Objects other than slots that are written.
    pub roots: FxHashSet<Root>,
    /// Memory that is written through a pointer at this byte offset in the target of a parameter. `None`: at any
    /// offset.
    pub behind: FxHashSet<(u32, Option<i64>)>,
    /// Whether something is written through a pointer with an unknown target.
    pub unknown: bool,
    /// Operations that may write private memory through pointers with unknown targets.
    pub unknown_writers: Vec<ValueId>,
    /// Calls that may write any memory that is not private to the function.
    pub unknown_calls: FxHashSet<ValueId>,
}

impl Accesses {
    /// Finds the accesses of a function. `summary` returns the summaries of its callees.
    pub fn of(
        function: &Function,
        memory: &Memory,
        summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
    ) -> Accesses {
        let mut accesses = Accesses::default();
        let asked = query_methods(function);
        for block in &function.blocks {
            for &id in &block.values {
                accesses.add(function, memory, summary, &asked, id);
            }
        }
        accesses
    }

    /// Returns the accesses of an operation.
    pub fn by(&self, operation: ValueId) -> &[Access] {
        self.by.get(&operation).map_or(&[], |range| &self.all[range.clone()])
    }

    fn add(
        &mut self,
        function: &Function,
        memory: &Memory,
        summary: &dyn Fn(&Callee) -> Option<Arc<Summary>>,
        asked: &FxHashSet<ValueId>,
        by: ValueId,
    ) {
        let value = &function.values[by];
        let begin = self.all.len();
        let mut add = |address, extent, writes, argument, part| {
            self.all.push(Access { by, address, extent, writes, argument, part });
        };

        let mut writes_unknown = false;
        match &value.op {
            Op::Load { address, .. } => add(*address, Extent::Of(value.ty), false, 0, 0),
            Op::Store { address, value, .. } => {
                add(*address, Extent::Of(function.values[*value].ty), true, 0, 0);
            }
            Op::Clear { address, ty } => add(*address, Extent::Of(*ty), true, 0, 0),
            Op::Copy { to, from, ty } => {
                add(*from, Extent::Of(*ty), false, 0, 0);
                add(*to, Extent::Of(*ty), true, 0, 0);
            }
            Op::Call(call) => {
                let summary = summary(&call.callee);
                writes_unknown = match &summary {
                    Some(summary) => summary.writes_shared,
                    None => matches!(call.callee, Callee::Pointer { .. }),
                };
                let variables = summary.iter().flat_map(|summary| &summary.writes_variables);
                self.roots.extend(variables.map(|&name| Root::Global(name)));
                for behind in summary.iter().flat_map(|summary| &summary.writes_after) {
                    let Some(&(argument, _)) = call.arguments.get(behind.parameter as usize) else {
                        continue;
                    };
                    match memory.given(function, argument) {
                        Some(own) => {
                            let is_alike = memory.has_same_layout(function, argument, behind.seen_as);
                            self.behind.insert((own, behind.offset.filter(|_| is_alike)));
                        }
                        None => writes_unknown = true,
                    }
                }
                let pointers = call.arguments.iter().enumerate().filter_map(|(number, &(it, passing))| {
                    Some((number, it, passing, function.values[it].ty.as_pointer()?))
                });
                for (number, argument, passing, pointer) in pointers.clone() {
                    match passing {
                        Passing::Value => add(argument, Extent::Unbounded { sure: 0 }, false, number, 0),
                        Passing::Copy => add(argument, Extent::Of(pointer.pointee), false, number, 0),
                        Passing::Result => {}
                    }
                }
                for (number, argument, passing, pointer) in pointers {
                    let (writes, sure) = match &summary {
                        Some(summary) => {
                            let sure = summary.definite_writes(number);
                            if let (Passing::Value, Some(written)) = (passing, summary.writes.get(number)) {
                                let is_alike = memory.has_same_layout(function, argument, written.seen_as);
                                for (part, &(bytes, _)) in written.ranges.iter().enumerate() {
                                    let of_part = |bytes: ByteRange| Extent::Range {
                                        bytes,
                                        sure: u64::try_from(bytes.end).is_ok_and(|end| end <= sure),
                                    };
                                    let extent = bytes.filter(|_| is_alike).map(of_part);
                                    let sure = if is_alike { sure } else { 0 };
                                    let extent = extent.unwrap_or(Extent::Unbounded { sure });
                                    add(argument, extent, true, number, part);
                                }
                            }
                            (false, 0)
                        }
                        None => {
                            let is_kept = number == 0 && asked.contains(&by);
                            (!is_kept && !is_const_parameter(&call.callee, number, pointer.constant), 0)
                        }
                    };
                    match passing {
                        Passing::Value if writes => {
                            add(argument, Extent::Unbounded { sure }, true, number, 0);
                        }
                        // The callee writes only its own copy.
                        Passing::Value | Passing::Copy => {}
                        Passing::Result => {
                            let whole = Extent::Of(pointer.pointee);
                            let written = summary.as_ref().and_then(|summary| summary.writes.get(number));
                            let Some(written) = written.filter(|written| !written.ranges.is_empty()) else {
                                add(argument, whole, true, number, 0);
                                continue;
                            };
                            let is_alike = memory.has_same_layout(function, argument, written.seen_as);
                            // A part that the callee does not write has no value.
                            for (part, &(bytes, _)) in written.ranges.iter().enumerate() {
                                let bytes = bytes.filter(|_| is_alike);
                                let extent = bytes.map_or(whole, |bytes| Extent::Range { bytes, sure: true });
                                add(argument, extent, true, number, part);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        if writes_unknown {
            self.unknown = true;
            self.unknown_calls.insert(by);
        }
        if begin < self.all.len() {
            self.by.insert(by, begin..self.all.len());
        }
        for access in self.all[begin..].iter().filter(|access| access.writes) {
            match memory.place(access.address) {
                PointerTarget::Object(Root::Slot(_), _) => {}
                PointerTarget::Object(root, _) => _ = self.roots.insert(root),
                place @ (PointerTarget::OneOf(_) | PointerTarget::Unknown) => {
                    match memory.roots(place) {
                        Some(roots) => self.roots.extend(roots),
                        None => self.unknown = true,
                    }
                    let space = function.values[access.address].ty.as_pointer().map(|it| it.space);
                    writes_unknown |=
                        matches!(space, Some(AddressSpace::Private | AddressSpace::Generic) | None);
                }
            }
        }
        if writes_unknown {
            self.unknown_writers.push(by);
        }
    }
}

/// Returns the method calls that we assume not to change their object: its type is unknown, the other arguments are
/// constants, and the result is used. Such a call queries a property, for example a size.
fn query_methods(function: &Function) -> FxHashSet<ValueId> {
    let is_asked = |op: &Op| {
        let Op::Call(Call { callee: Callee::Unknown { named: Some(named), .. }, arguments, .. }) = op else {
            return false;
        };
        if !matches!(
            named,
            UnresolvedCallee::Method(_)
                | UnresolvedCallee::OneOf { of_object: true, .. }
                | UnresolvedCallee::Undeclared { of_object: true, .. }
        ) {
            return false;
        }
        let mut given = arguments.iter().skip(1);
        let is_constant = |&(it, _): &(ValueId, Passing)| matches!(function.values[it].op, Op::Constant(_));
        given.all(is_constant)
    };
    let all = function.values.iter_enumerated().filter(|(_, value)| is_asked(&value.op));
    let mut asked: FxHashSet<ValueId> = all.map(|(id, _)| id).collect();
    if !asked.is_empty() {
        let mut used: FxHashSet<ValueId> = FxHashSet::default();
        for block in &function.blocks {
            for &id in &block.values {
                function.values[id].op.operands(|&operand| _ = used.insert(operand));
            }
            used.extend(block.terminator.operand());
        }
        asked.retain(|id| used.contains(id));
    }
    asked
}

/// Whether the type of a function without a summary promises not to write the target of an argument. Without a type of
/// the parameter, `passed` decides: whether the pointer argument itself is to `const`.
fn is_const_parameter(callee: &Callee, number: usize, passed: bool) -> bool {
    let ty = callee.ty();
    let parameter = ty.as_function().and_then(|ty| ty.parameters.get(number));
    parameter.map_or(passed, |ty| ty.as_pointer().is_some_and(|pointer| pointer.constant))
}
