//! What is in memory: which operations write it, and what that makes of those who read it.
//!
//! Private memory is followed by cell: what is read there is what was written there, by whom, and under which branches. Of other memory it is known
//! only whether the function writes it at all: then each thread may read something else. **Writer** of a slot: an operation that
//! brings something into it. **Target** of an operation: a cell that it writes.
//!
//! ```c
//! int a[2];                    // a slot
//! a[0] = get_local_id(0);      // a writer; its target is the cell 0
//! if (n < i) a[1] = n;         // another: what is in the cell 1 also depends on the branch
//! int x = a[1] + p[0] + q[0];  // `p` is not written, and the same for all; `q` is
//! q[i] = x;
//! ```

use rustc_hash::FxHashSet;
use tangle_base::AddressSpace;

use super::{Analysis, Branches, Contribution, Reason, Source};
use crate::flow::{BlockId, Callee, Op, Passing, SlotId, ValueId};
use crate::uniformity::memory::{Cell, Place, Root};
use crate::uniformity::{Divergence, Fact};

/// Shared memory that the function writes.
#[derive(Default)]
pub(super) struct Written {
    pub roots: FxHashSet<Root>,
    /// Through pointers of which it is not known where they point, by address space.
    pub unknown: bool,
}

impl Analysis<'_> {
    /// Which operations write where: that does not depend on facts.
    pub(super) fn find_writers(&mut self) {
        for block in &self.function.blocks {
            for &id in &block.values {
                let mut targets: Vec<(ValueId, bool)> = Vec::new();
                match &self.function.values[id].op {
                    Op::Store { address, .. } | Op::Clear { address, .. } => targets.push((*address, false)),
                    Op::Copy { to, .. } => targets.push((*to, false)),
                    Op::Call(call) => {
                        let summary = (self.environment.summary)(&call.callee);
                        if summary.as_ref().is_some_and(|summary| summary.writes_shared)
                            || (summary.is_none() && matches!(call.callee, Callee::Pointer { .. }))
                        {
                            self.written.unknown = true;
                        }
                        for (number, (argument, passing)) in call.arguments.iter().enumerate() {
                            let ty = self.function.values[*argument].ty;
                            let Some(pointer) = ty.as_pointer() else { continue };
                            let writes = match &summary {
                                Some(summary) => summary.writes_through(number).is_some(),
                                None => match passing {
                                    Passing::Value => {
                                        !is_const_parameter(&call.callee, number, pointer.constant)
                                    }
                                    Passing::Copy => false,
                                    Passing::Result => true,
                                },
                            };
                            if writes {
                                targets.push((*argument, true));
                            }
                        }
                    }
                    _ => {}
                }
                for (address, whole) in targets {
                    match self.memory.place(address) {
                        Place::Known(Root::Slot(slot), cell) => {
                            let cell = if whole { Cell::Any } else { cell };
                            self.writers.entry(slot).or_default().push((cell, id));
                            self.targets.entry(id).or_default().push((slot, cell));
                        }
                        Place::Known(root, _) => _ = self.written.roots.insert(root),
                        Place::Unknown => self.written.unknown = true,
                    }
                }
            }
        }
    }

    /// Puts what an operation writes into the cells of slots.
    pub(super) fn fill(&mut self, id: ValueId, block: BlockId) -> bool {
        let Some(targets) = self.targets.get(&id) else { return false };
        let mut changed = false;
        for (slot, cell) in targets.clone() {
            let wanted = |place| matches!(place, Place::Known(Root::Slot(it), _) if it == slot);
            let fact = self.written_by(id, block, wanted).join(self.control[block]);
            changed |= self.cells.entry((slot, cell)).or_default().add(fact);
            changed |= self.slots[slot].add(fact);
        }
        changed
    }

    /// What an operation writes through the parameters of the function.
    pub(super) fn writes_of(&mut self, id: ValueId, block: BlockId) -> bool {
        let mut addresses: Vec<ValueId> = Vec::new();
        match &self.function.values[id].op {
            Op::Store { address, .. } | Op::Clear { address, .. } => addresses.push(*address),
            Op::Copy { to, .. } => addresses.push(*to),
            Op::Call(call) => addresses.extend(call.arguments.iter().map(|(argument, _)| *argument)),
            _ => return false,
        }
        let mut changed = false;
        for address in addresses {
            let Place::Known(root @ Root::Parameter(number), _) = self.memory.place(address) else {
                continue;
            };
            if !self.written.roots.contains(&root) {
                continue;
            }
            let mut fact =
                self.written_by(id, block, |place| matches!(place, Place::Known(it, _) if it == root));
            fact.add(self.control[block]);
            if let Some(known) = self.writes.get_mut(number as usize) {
                changed |= known.is_none() | known.get_or_insert(fact).add(fact);
            }
        }
        changed
    }

    /// What makes memory differ between threads that read it at one address.
    pub(super) fn of_memory(&self, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        self.of_memory_by(address, self.explaining, visit);
    }

    /// The same, writer by writer or all writers as one.
    pub(super) fn of_memory_by(
        &self,
        address: ValueId,
        by_writer: bool,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let ty = self.function.values[address].ty;
        let space = ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        match self.memory.place(address) {
            Place::Known(Root::Constant, _) => {}
            Place::Known(Root::Slot(slot), cell) => {
                if self.memory.escaped[slot] {
                    visit(Reason::Source(Source::EscapedMemory).into(), Fact::DIVERGENT);
                }
                let writers = self.writers.get(&slot).map_or(&[][..], |writers| writers);
                if by_writer {
                    let here = writers.iter().filter(|(written, _)| overlap(cell, *written));
                    here.for_each(|&(_, writer)| self.of_write(writer, slot, visit));
                } else if let Some(&(_, writer)) = writers.first() {
                    let of = |cell: Cell| self.cells.get(&(slot, cell)).copied().unwrap_or_default();
                    let fact = match cell {
                        Cell::Start | Cell::Any => self.slots[slot],
                        cell => of(cell).join(of(Cell::Any)).join(of(Cell::Start)),
                    };
                    visit(Reason::Stored(writer).into(), fact);
                }
            }
            Place::Known(root @ Root::Parameter(number), _) => {
                let private = space == AddressSpace::Private;
                if !self.function.kernel {
                    visit(Reason::Pointee(number).into(), Fact::pointee(number as usize));
                }
                let written = self.written.roots.contains(&root) || self.written.unknown;
                match (written, private) {
                    (true, false) => {
                        visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT)
                    }
                    (true, true) => {
                        let fact = self.writes.get(number as usize).copied().flatten();
                        visit(Reason::Pointee(number).into(), fact.unwrap_or(Fact::DIVERGENT));
                    }
                    _ => {}
                }
            }
            Place::Known(root @ Root::Global(_), _) => {
                if self.written.roots.contains(&root) || self.written.unknown || space != AddressSpace::Local
                {
                    visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT);
                }
            }
            // Nothing but an unknown pointer leads there, and that says how divergent it is.
            Place::Known(root @ Root::Unknown, _) => {
                if self.written.roots.contains(&root) {
                    visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT);
                }
            }
            Place::Unknown => visit(Reason::Source(Source::SharedMemory(space)).into(), Fact::DIVERGENT),
        }
    }

    /// The verdict on what is read at an address, that of the address apart.
    pub fn read(&self, address: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        // Not by writer: one may copy what another wrote, who copied what the first did.
        self.of_memory_by(address, false, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// What an operation brings into private memory.
    fn of_write(&self, writer: ValueId, slot: SlotId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let Some(block) = self.graph.home[writer] else { return };
        let (controllers, cycles) = self.of_control(block);
        for &branch in controllers {
            visit(Reason::StoredUnder(branch).into(), self.branches[branch].join(self.control[branch]));
        }
        let mut cycles: Vec<Branches> = cycles.collect();
        while let Some(leaving) = cycles.pop() {
            for &branch in self.own_branches(leaving) {
                visit(Reason::StoredUnder(branch).into(), self.branches[branch]);
            }
            cycles.extend(self.further_branches(leaving));
        }
        let fact = self.written_by(
            writer,
            block,
            |place| matches!(place, Place::Known(Root::Slot(it), _) if it == slot),
        );
        visit(Reason::Stored(writer).into(), fact);
    }

    /// The verdict on what an operation writes to the places that are asked for, its control apart.
    fn written_by(&self, writer: ValueId, block: BlockId, wanted: impl Fn(Place) -> bool) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_convergence(block, &mut |_, contribution| _ = fact.add(contribution));
        match &self.function.values[writer].op {
            Op::Store { address, value, .. } => {
                fact.add(self.used(*address, Some(writer), block));
                fact.add(self.used(*value, Some(writer), block));
            }
            Op::Copy { to, from, .. } => {
                fact.add(self.used(*to, Some(writer), block));
                fact.add(self.used(*from, Some(writer), block));
                fact.add(self.read(*from));
            }
            Op::Clear { address, .. } => _ = fact.add(self.used(*address, Some(writer), block)),
            Op::Call(call) => {
                let summary = (self.environment.summary)(&call.callee);
                for (number, (argument, _)) in call.arguments.iter().enumerate() {
                    if self.function.values[*argument].ty.as_pointer().is_none()
                        || !wanted(self.memory.place(*argument))
                    {
                        continue;
                    }
                    match &summary {
                        Some(summary) => {
                            if let Some(written) = summary.writes_through(number) {
                                let value = |number: usize| {
                                    let argument = call.arguments.get(number);
                                    argument
                                        .map_or(Fact::UNIFORM, |(it, _)| self.used(*it, Some(writer), block))
                                };
                                let pointee = |number: usize| {
                                    let argument = call.arguments.get(number);
                                    argument.map_or(Fact::UNIFORM, |(it, _)| self.read(*it))
                                };
                                fact.add(written.applied(value, pointee));
                            }
                        }
                        None if self.is_unknown(call) => {
                            self.of_unknown(writer, block, call, &mut |_, it| _ = fact.add(it));
                        }
                        None => {
                            let own = match self.builtin(&call.callee).map(|builtin| builtin.result) {
                                Some(Divergence::None) | None => Fact::UNIFORM,
                                Some(_) => Fact::DIVERGENT,
                            };
                            fact.add(own);
                            self.of_arguments(writer, block, call, &mut |_, it| _ = fact.add(it));
                        }
                    }
                }
            }
            _ => {}
        }
        fact
    }

    /// What makes that differ which an operation writes, its control apart.
    pub fn of_stored(&self, writer: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let Some(block) = self.graph.home[writer] else { return };
        self.of_convergence(block, visit);
        match &self.function.values[writer].op {
            Op::Copy { to, from, .. } => {
                self.of_use(*to, Some(writer), block, visit);
                self.of_use(*from, Some(writer), block, visit);
                self.of_memory(*from, visit);
            }
            Op::Call(call) if self.is_unknown(call) => self.of_unknown(writer, block, call, visit),
            Op::Call(call) => {
                let whole = self.written_by(writer, block, |_| true);
                if whole.divergence != Divergence::None {
                    let reason = match self.builtin(&call.callee) {
                        Some(_) => Reason::Source(Source::Builtin),
                        None => Reason::Callee,
                    };
                    visit(reason.into(), Fact::of(whole.divergence));
                }
                self.of_arguments(writer, block, call, visit);
            }
            op => op.operands(|operand| self.of_use(*operand, Some(writer), block, visit)),
        }
    }
}

fn overlap(read: Cell, written: Cell) -> bool {
    match (read, written) {
        (Cell::Start | Cell::Any, _) | (_, Cell::Start | Cell::Any) => true,
        (read, written) => read == written,
    }
}

/// Whether a function that is not known by its body promises not to write what an argument points to.
fn is_const_parameter(callee: &Callee, number: usize, passed: bool) -> bool {
    let ty = callee.ty();
    let parameter = ty.as_function().and_then(|ty| ty.parameters.get(number));
    parameter.map_or(passed, |ty| ty.as_pointer().is_some_and(|pointer| pointer.constant))
}
