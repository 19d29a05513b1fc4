//! Which operations read and write memory, where, and how much of it.
//!
//! **Access**: an operation that reads or writes at an address. **Extent**: how much it reads or writes. That is an object of a known type, or,
//! for a call, whatever is around the address: of that only the first bytes may be sure.
//!
//! ```c
//! a[1] = n;            // a write of an `int` at `a[1]`
//! t = s;               // a read of a record, and a write
//! tile(n, &x, &y);     // a write around `x` and one around `y`; the summary of `tile` says how many bytes are surely written
//! ```

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::memory::{Memory, Place, Root, size_of};
use super::{Parameters, Summary};
use crate::flow::{Callee, Function, Op, Passing, ValueId};
use crate::types::Ty;

/// How much an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One object of this type, at the address.
    Of(Ty),
    /// Anything in the object that the address leads into.
    Around {
        /// So many bytes from the address on are surely written.
        sure: u64,
    },
}

impl Extent {
    /// How many bytes from the address on are surely read or written.
    pub fn sure(self) -> i64 {
        match self {
            Extent::Of(ty) => size_of(ty),
            Extent::Around { sure } => i64::try_from(sure).unwrap_or(i64::MAX),
        }
    }
}

/// What an operation reads or writes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The operation.
    pub by: ValueId,
    /// Where.
    pub address: ValueId,
    /// How much.
    pub extent: Extent,
    /// It writes. Otherwise it reads.
    pub writes: bool,
    /// Of a call, the number of the argument that is the address.
    pub argument: usize,
}

/// The accesses of a function.
#[derive(Default)]
pub struct Accesses {
    /// In the order of the blocks and their operations; of one operation, reads first.
    pub all: Vec<Access>,
    by: FxHashMap<ValueId, Range<usize>>,
    /// Objects that are written, other than slots.
    pub roots: FxHashSet<Root>,
    /// Something is written that pointers lead to which stand in what these parameters point to.
    pub behind: Parameters,
    /// Something is written through pointers of which it is not known where they point.
    pub unknown: bool,
    /// Operations that may write private memory through pointers of which it is not known where they point.
    pub unknown_writers: Vec<ValueId>,
    /// Calls that may write anything that is not private to their function.
    pub unknown_calls: FxHashSet<ValueId>,
}

impl Accesses {
    /// Finds the accesses of a function. `summary`: of the functions that it calls.
    pub fn of(
        function: &Function,
        memory: &Memory,
        summary: &dyn Fn(&Callee) -> Option<Summary>,
    ) -> Accesses {
        let mut accesses = Accesses::default();
        for block in &function.blocks {
            for &id in &block.values {
                accesses.add(function, memory, summary, id);
            }
        }
        accesses
    }

    /// The accesses of an operation.
    pub fn by(&self, operation: ValueId) -> &[Access] {
        self.by.get(&operation).map_or(&[], |range| &self.all[range.clone()])
    }

    fn add(
        &mut self,
        function: &Function,
        memory: &Memory,
        summary: &dyn Fn(&Callee) -> Option<Summary>,
        by: ValueId,
    ) {
        let value = &function.values[by];
        let begin = self.all.len();
        let mut add = |address, extent, writes, argument| {
            self.all.push(Access { by, address, extent, writes, argument });
        };
        let mut writes_unknown = false;
        match &value.op {
            Op::Load { address, .. } => add(*address, Extent::Of(value.ty), false, 0),
            Op::Store { address, value, .. } => {
                add(*address, Extent::Of(function.values[*value].ty), true, 0);
            }
            Op::Clear { address, ty } => add(*address, Extent::Of(*ty), true, 0),
            Op::Copy { to, from, ty } => {
                add(*from, Extent::Of(*ty), false, 0);
                add(*to, Extent::Of(*ty), true, 0);
            }
            Op::Call(call) => {
                let summary = summary(&call.callee);
                writes_unknown = match &summary {
                    Some(summary) => summary.writes_shared,
                    None => matches!(call.callee, Callee::Pointer { .. }),
                };
                let variables = summary.iter().flat_map(|summary| &summary.writes_variables);
                self.roots.extend(variables.map(|&name| Root::Global(name)));
                for (number, &(argument, _)) in call.arguments.iter().enumerate() {
                    if !summary.as_ref().is_some_and(|summary| summary.writes_behind.contains(number)) {
                        continue;
                    }
                    match memory.place(argument) {
                        Place::Known(Root::Parameter(own), _) => {
                            self.behind = self.behind.union(Parameters::one(own as usize));
                        }
                        _ => writes_unknown = true,
                    }
                }
                let pointers = call.arguments.iter().enumerate().filter_map(|(number, &(it, passing))| {
                    Some((number, it, passing, function.values[it].ty.as_pointer()?))
                });
                for (number, argument, passing, pointer) in pointers.clone() {
                    match passing {
                        Passing::Value => add(argument, Extent::Around { sure: 0 }, false, number),
                        Passing::Copy => add(argument, Extent::Of(pointer.pointee), false, number),
                        Passing::Result => {}
                    }
                }
                for (number, argument, passing, pointer) in pointers {
                    let (writes, sure) = match &summary {
                        Some(summary) => {
                            (summary.writes_through(number).is_some(), summary.overwrites(number))
                        }
                        None => (!is_const_parameter(&call.callee, number, pointer.constant), 0),
                    };
                    match passing {
                        Passing::Value if writes => {
                            add(argument, Extent::Around { sure }, true, number);
                        }
                        // The callee has its own copy.
                        Passing::Value | Passing::Copy => {}
                        Passing::Result => add(argument, Extent::Of(pointer.pointee), true, number),
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
                Place::Known(Root::Slot(_), _) => {}
                Place::Known(root, _) => _ = self.roots.insert(root),
                Place::Unknown => {
                    self.unknown = true;
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

/// Whether a function that is not known by its body promises not to write what an argument points to.
fn is_const_parameter(callee: &Callee, number: usize, passed: bool) -> bool {
    let ty = callee.ty();
    let parameter = ty.as_function().and_then(|ty| ty.parameters.get(number));
    parameter.map_or(passed, |ty| ty.as_pointer().is_some_and(|pointer| pointer.constant))
}
