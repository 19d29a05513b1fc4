//! The contents of memory, and the verdicts on operations that read them.
//!
//! Private memory is tracked in program order, one [memory version](crate::uniformity::versions) after the other: on
//! each path, a read yields the last written contents. For other memory, the analysis only knows whether the function
//! writes it at all. If it does, each thread may read a different value.
//!
//! ```c
//! int a[2];                    // private
//! a[0] = get_local_id(0);      // a version of `a[0]`
//! if (n < i) a[1] = n;         // a version of `a[1]`, joined with the one before: threads diverge at the branch
//! a[0] = n;                    // another version of `a[0]`, which replaces the first one
//! int x = a[0] + p[0] + q[0];  // `p` is not written, so it is uniform; `q` is written
//! q[i] = x;
//! ```

use std::ops::Range;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tangle_base::AddressSpace;

use super::{Analysis, BranchSet, BuiltinEffect, Contribution, DivergenceSource, Reason};
use crate::flow::{BlockId, Call, Op, ParameterRole, ValueId};
use crate::types::Ty;
use crate::uniformity::accesses::{Access, Extent};
use crate::uniformity::partitions::PartitionId;
use crate::uniformity::place::{PointerTarget, Root};
use crate::uniformity::versions::{VersionId, VersionOrigin, VersionRef, within};
use crate::uniformity::{Confidence, Divergence, Fact, ParameterRange, ParameterWrites};

/// Threads of one subgroup may differ if an alias or unknown code is as assumed.
const POSSIBLY_DIVERGENT: Fact = Fact::divergent(Confidence::Possible);

impl Analysis<'_> {
    /// Updates the verdicts on the joins at the start of a block. Returns whether one changed.
    pub(super) fn join_versions(&mut self, block: BlockId) -> bool {
        let mut changed = false;
        for at in 0..self.model.versions.joins(block).len() {
            let version = self.model.versions.joins(block)[at];
            let mut fact = Fact::UNIFORM;
            self.of_version(version, &mut |_, contribution| _ = fact.add(contribution));
            changed |= self.state_mut().held[version].add(fact);
        }
        changed
    }

    /// Updates the verdicts on the versions that an operation makes. Returns whether one changed.
    pub(super) fn fill(&mut self, id: ValueId, block: BlockId) -> bool {
        let mut made = self.model.versions.made_by(id).peekable();
        if made.peek().is_none() {
            return false;
        }
        // The verdict on the contents that a call writes at one address is the same for all partitions.
        let of_access = |access: &Access| {
            let mut fact = Fact::UNIFORM;
            if access.writes {
                self.of_write(access, None, block, &mut |_, contribution| _ = fact.add(contribution));
            }
            fact
        };
        let of_call: Option<Vec<Fact>> = match self.function.values[id].op {
            Op::Call(_) => Some(self.model.accesses.by(id).iter().map(of_access).collect()),
            _ => None,
        };
        let mut changed = false;
        for version in made {
            let mut fact = Fact::UNIFORM;
            let mut add = |_: Contribution, contribution: Fact| _ = fact.add(contribution);
            match &of_call {
                None => self.of_version(version, &mut add),
                Some(facts) => {
                    let part = self.model.versions.all[version].part;
                    self.of_kept(version, block, &mut add);
                    for (access, &written) in self.reaching(id, part, facts) {
                        self.of_target(version, access, block, &mut add);
                        add(Reason::Callee.into(), written);
                    }
                }
            }
            changed |= self.state_mut().held[version].add(fact);
        }
        changed
    }

    /// Returns the writes of an operation that may write a partition. Each is paired with the item of `with` for its
    /// access.
    fn reaching<T>(
        &self,
        id: ValueId,
        part: PartitionId,
        with: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = (&Access, T)> {
        self.model.accesses.by(id).iter().zip(with).filter(move |(access, _)| {
            let place = self.model.memory.place(access.address);
            access.writes && self.model.parts.may_reach(place, access.extent, part)
        })
    }

    /// Visits the contributions to the contents of a memory version.
    pub fn of_version(&self, version: VersionId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let it = &self.model.versions.all[version];
        match it.made {
            VersionOrigin::Entry => {
                let input = self.model.parts.input_of(it.part).map(|at| self.function.parameters.len() + at);
                for number in
                    self.model.parts.initialising_parameters(it.part).filter(|_| !self.function.kernel)
                {
                    visit(Reason::Pointee(number).into(), Fact::pointee(input.unwrap_or(number as usize)));
                }
            }
            VersionOrigin::Write(by) => {
                let Some(block) = self.model.graph.home[by] else { return };
                self.of_kept(version, block, visit);
                for (access, ()) in self.reaching(by, it.part, std::iter::repeat(())) {
                    self.of_target(version, access, block, visit);
                    self.of_write(access, Some(it.part), block, visit);
                }
            }
            VersionOrigin::Join(block) => {
                self.of_convergence(block, visit);
                let mut before = it.before.clone();
                before.sort_unstable();
                before.dedup();
                before.iter().for_each(|&before| self.of_held(before, Reason::Held, Some(0), block, visit));
                let edges = it.edges.iter().copied().zip(it.before.iter().copied());
                self.of_join(block, edges, |a, b| self.model.versions.are_same(self.function, a, b), visit);
            }
        }
    }

    /// Visits the contributions to the contents that a write keeps from the version before, or that an unknown call may
    /// write.
    fn of_kept(&self, version: VersionId, block: BlockId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let it = &self.model.versions.all[version];
        let VersionOrigin::Write(by) = it.made else { return };
        self.of_convergence(block, visit);
        for &before in &it.before {
            self.of_held(before, Reason::Kept, Some(self.model.graph.position(by)), block, visit);
        }
        if self.model.accesses.unknown_calls.contains(&by)
            && self.model.parts.aliased().contains(&it.part.index())
        {
            visit(Reason::Source(DivergenceSource::EscapedMemory).into(), POSSIBLY_DIVERGENT);
        }
    }

    /// Visits the contributions to the address of a write, unless the write covers the partition.
    fn of_target(
        &self,
        version: VersionId,
        access: &Access,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        if !self.model.versions.all[version].before.is_empty() {
            self.of_use(access.address, Some(access.by), block, visit);
        }
    }

    /// Visits a version as a contribution at index `at` of a block, with the cycles that it has left there.
    fn of_held(
        &self,
        version: VersionId,
        reason: fn(VersionRef) -> Reason,
        at: Option<u32>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        visit(reason(self.model.versions.held(version)).into(), self.state.held[version]);
        self.of_left(version, at, block, visit);
    }

    fn of_left(
        &self,
        version: VersionId,
        at: Option<u32>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        for cycle in
            self.model.graph.left_from(self.model.versions.home(&self.model.graph, version), at, block)
        {
            visit(Contribution::Branches(BranchSet::Leaving(cycle)), self.state.temporal[cycle]);
        }
    }

    /// Visits the contributions to the contents that an operation writes at an address. For a copy with a given `part`,
    /// only the contents that are copied into that partition count.
    fn of_write(
        &self,
        access: &Access,
        part: Option<PartitionId>,
        block: BlockId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let by = access.by;
        match &self.function.values[by].op {
            Op::Store { value, .. } => self.of_use(*value, Some(by), block, visit),
            Op::Copy { to, from, ty } => {
                self.of_use(*from, Some(by), block, visit);
                let (to, from_place) = (self.model.memory.place(*to), self.model.memory.place(*from));
                match part.and_then(|part| self.model.parts.copied(part, to, from_place, *ty)) {
                    Some(parts) => self.of_parts(by, block, parts, visit),
                    None => self.of_memory(by, *from, visit),
                }
            }
            Op::Call(call) => self.of_call_write(access, block, call, visit),
            _ => {}
        }
    }

    /// The same for a call.
    fn of_call_write(
        &self,
        access: &Access,
        block: BlockId,
        call: &Call,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let by = access.by;
        if let Some(summary) = (self.environment.summary)(&call.callee) {
            let written = summary.writes.get(access.argument).and_then(|it| it.ranges.get(access.part));
            if let Some(&(_, written)) = written {
                self.of_callee(by, block, call, (&summary.inputs, written), visit);
            }
        } else if self.is_unknown(call) {
            self.of_unknown(by, block, call, visit);
        } else {
            let builtin = self.builtin(&call.callee);
            if let Some(BuiltinEffect { alike: (arguments, divergence), .. }) = builtin
                && arguments.contains(access.argument)
            {
                return visit(Reason::Source(DivergenceSource::Builtin).into(), Fact::of(divergence));
            }
            let own = builtin.map_or(Divergence::None, |builtin| builtin.result);
            if own != Divergence::None {
                visit(Reason::Source(DivergenceSource::Builtin).into(), Fact::DIVERGENT);
            }
            self.of_arguments(by, block, call, visit);
        }
    }

    /// Updates the verdicts on contents that an operation writes through parameters whose targets are not tracked.
    /// Returns whether one changed.
    pub(super) fn writes_of(&mut self, id: ValueId, block: BlockId) -> bool {
        let mut changed = false;
        for at in 0..self.model.accesses.by(id).len() {
            let access = self.model.accesses.by(id)[at];
            let roots = self.model.memory.roots(self.model.memory.place(access.address)).unwrap_or_default();
            let parameters: SmallVec<[u32; 2]> = roots
                .into_iter()
                .filter(|&root| access.writes && self.model.parts.of_object(root).is_none())
                .filter_map(|root| match root {
                    Root::Parameter(number) => Some(number),
                    _ => None,
                })
                .collect();
            if parameters.is_empty() {
                continue;
            }
            let mut fact = self.state.control[block];
            let mut add = |_: Contribution, contribution: Fact| _ = fact.add(contribution);
            self.of_convergence(block, &mut add);
            self.of_use(access.address, Some(id), block, &mut add);
            self.of_write(&access, None, block, &mut add);
            for number in parameters {
                if let Some(known) = self.state_mut().writes.get_mut(number as usize) {
                    changed |= known.is_none() | known.get_or_insert(fact).add(fact);
                }
            }
        }
        changed
    }

    /// Returns the contents that the function writes to the tracked target of a parameter, and the number of bytes from
    /// its start that it surely writes. Writes through other parameters are not included: a caller that passes one
    /// address twice joins both.
    pub(super) fn parameter_writes(&self, number: u32) -> (ParameterWrites, u64) {
        let root = Root::Parameter(number);
        let Some(parts) =
            self.model.parts.of_object(root).filter(|_| self.model.accesses.roots.contains(&root))
        else {
            return (ParameterWrites::default(), 0);
        };
        let value = self.function.parameters[number as usize].value;
        let pointee = self.function.values[value].ty.as_pointer().map(|pointer| pointer.pointee);
        let mut written = ParameterWrites { seen_as: pointee.unwrap_or(Ty::UNKNOWN), ranges: Vec::new() };
        let mut kept: FxHashSet<PartitionId> = FxHashSet::default();
        for part in parts.map(PartitionId::new) {
            let (fact, is_kept) = self.contents_on_return(root, part);
            if is_kept {
                kept.insert(part);
            }
            if let Some(fact) = fact {
                written.add(self.model.parts.bytes_of(root, part), fact);
            }
        }
        let is_overwritten = |part: PartitionId| !kept.contains(&part);
        let sure = match self.model.versions.returned().is_empty() {
            true => 0,
            false => self.model.parts.leading(root, is_overwritten),
        };
        (written, sure)
    }

    /// Returns the verdict on the contents that the function leaves in a partition of the target of a parameter. `None`
    /// if it does not write there through that parameter. Also returns whether the initial contents may remain.
    fn contents_on_return(&self, root: Root, part: PartitionId) -> (Option<Fact>, bool) {
        let is_direct = |by: ValueId| {
            let mut writes = self.model.accesses.by(by).iter().filter(|access| access.writes);
            writes
                .any(|it| matches!(self.model.memory.place(it.address), PointerTarget::Object(it, _) if it == root))
        };
        // Skips the versions that writes through other pointers made.
        let own = |mut version: VersionId| loop {
            match &self.model.versions.all[version] {
                it if it.before.len() == 1
                    && matches!(it.made, VersionOrigin::Write(by) if !is_direct(by)) =>
                {
                    version = it.before[0];
                }
                _ => return version,
            }
        };
        let mut fact = Fact::UNIFORM;
        let mut add = |_: Contribution, contribution: Fact| _ = fact.add(contribution);
        let (mut is_written, mut is_kept) = (false, false);
        let mut seen: FxHashSet<VersionId> = FxHashSet::default();
        let mut todo: Vec<VersionId> = Vec::new();
        let only = part.index()..part.index() + 1;
        let returned = self.model.versions.returned();
        let control =
            returned.iter().map(|(block, _)| self.state.control[*block]).fold(Fact::UNIFORM, Fact::join);
        for (block, versions) in returned {
            let first = returned.first().map_or(&[][..], |(_, first)| within(first, only.clone()));
            for (&(_, version), &(_, first)) in within(versions, only.clone()).iter().zip(first) {
                let (version, first) = (own(version), own(first));
                self.of_left(version, None, *block, &mut add);
                if !self.model.versions.are_same(self.function, version, first) {
                    add(Reason::Callee.into(), control);
                }
                todo.push(version);
            }
        }
        while let Some(version) = todo.pop() {
            if !seen.insert(version) {
                continue;
            }
            let it = &self.model.versions.all[version];
            match it.made {
                VersionOrigin::Entry => is_kept = true,
                VersionOrigin::Write(by) => {
                    is_written = true;
                    let Some(block) = self.model.graph.home[by] else { continue };
                    self.of_convergence(block, &mut add);
                    for (access, ()) in self.reaching(by, it.part, std::iter::repeat(())) {
                        self.of_target(version, access, block, &mut add);
                        self.of_write(access, Some(it.part), block, &mut add);
                    }
                    for &before in &it.before {
                        let before = own(before);
                        self.of_left(before, Some(self.model.graph.position(by)), block, &mut add);
                        todo.push(before);
                    }
                }
                VersionOrigin::Join(block) => {
                    self.of_convergence(block, &mut add);
                    let before: SmallVec<[VersionId; 2]> =
                        it.before.iter().map(|&before| own(before)).collect();
                    for &before in &before {
                        self.of_left(before, Some(0), block, &mut add);
                        todo.push(before);
                    }
                    let edges = it.edges.iter().copied().zip(before);
                    self.of_join(
                        block,
                        edges,
                        |a, b| self.model.versions.are_same(self.function, a, b),
                        &mut add,
                    );
                }
            }
        }
        (is_written.then_some(fact), is_kept)
    }

    /// Visits the versions of some partitions that an operation reads.
    fn of_parts(
        &self,
        reader: ValueId,
        block: BlockId,
        parts: Range<usize>,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        for &(_, version) in self.model.versions.seen(reader, parts) {
            self.of_held(version, Reason::Held, Some(self.model.graph.position(reader)), block, visit);
        }
    }

    /// Visits the contributions to the contents of memory, for threads that read it at the same address in one
    /// operation.
    pub fn of_memory(&self, reader: ValueId, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let ty = self.function.values[address].ty;
        let space = ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        let shared = Reason::Source(DivergenceSource::SharedMemory(space));
        let place = self.model.memory.place(address);
        if self.state.reads.agreed.contains(&reader)
            && !matches!(place, PointerTarget::Object(Root::Slot(_) | Root::Constant, _))
            && !self.may_be_private_and_escapes(place)
        {
            visit(shared.into(), Fact::of(Divergence::Grid).at_most(Confidence::Likely));
            self.of_agreed_if_private(reader, address, visit);
            return;
        }
        let accesses = self.model.accesses.by(reader);
        let access = accesses.iter().find(|access| access.address == address && !access.writes);
        if let (Some(block), Some(access)) = (self.model.graph.home[reader], access)
            && let Some(parts) = self.model.parts.touched(place, access.extent)
        {
            self.of_tracked(reader, block, (address, parts), visit);
            return;
        }
        match self.model.memory.roots(place) {
            Some(roots) => roots.into_iter().for_each(|root| self.of_root(root, address, visit)),
            None => visit(shared.into(), POSSIBLY_DIVERGENT),
        }
    }

    /// Visits the contributions to tracked contents. In `generic` space, the memory may be shared: then the threads read
    /// one value, and whether it differs depends on the order of their writes.
    fn of_tracked(
        &self,
        reader: ValueId,
        block: BlockId,
        (address, parts): (ValueId, Range<usize>),
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let PointerTarget::Object(root @ Root::Parameter(_), _) = self.model.memory.place(address) else {
            return self.of_parts(reader, block, parts, visit);
        };
        let may_be_shared = self.declared(root) == AddressSpace::Generic;
        self.of_parts(reader, block, parts, &mut |contribution, fact| {
            visit(contribution, if may_be_shared { fact.in_shared_memory() } else { fact });
        });
        if self.is_written(root) {
            self.of_sharing(address, visit);
        }
    }

    /// Visits the contributions to contents that are read anywhere in an object that is not tracked.
    fn of_root(&self, root: Root, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let ty = self.function.values[address].ty;
        let space = ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        let shared = Reason::Source(DivergenceSource::SharedMemory(space));
        match root {
            Root::Constant => {}
            Root::Slot(_) => {
                visit(Reason::Source(DivergenceSource::EscapedMemory).into(), POSSIBLY_DIVERGENT);
            }
            Root::Parameter(number) | Root::Behind(number, _) => {
                if !self.function.kernel {
                    visit(Reason::Pointee(number).into(), Fact::pointee(number as usize));
                }
                if self.is_written_at(root, address) {
                    self.of_sharing(address, visit);
                }
            }
            Root::Global(_) => {
                if self.is_written(root) || space != AddressSpace::Local {
                    visit(shared.into(), Fact::divergent(self.confidence_of_sharing(address)));
                }
            }
            // Only the unknown pointer points there, and the verdict on that pointer is a contribution already.
            Root::Unknown => {
                if self.model.accesses.roots.contains(&root) {
                    visit(shared.into(), POSSIBLY_DIVERGENT);
                }
            }
        }
    }

    /// Whether a place is in the target of a parameter that may be private memory of a caller, and whose contents are
    /// not tracked, because the pointer escapes. A barrier does not make private memory uniform.
    fn may_be_private_and_escapes(&self, place: PointerTarget) -> bool {
        let PointerTarget::Object(root @ Root::Parameter(number), _) = place else { return false };
        let may_be_private = !self.function.kernel && self.declared(root) == AddressSpace::Generic;
        may_be_private && self.model.memory.escaping.contains(number as usize)
    }

    /// Visits the contributions to a read that is uniform by barriers if the memory is shared. In `generic` space, the
    /// memory may be private: only callers know.
    fn of_agreed_if_private(
        &self,
        reader: ValueId,
        address: ValueId,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let place = self.model.memory.place(address);
        let PointerTarget::Object(root @ Root::Parameter(number), _) = place else { return };
        let mut reads = self.model.accesses.by(reader).iter().filter(|access| !access.writes);
        let access = reads.find(|access| access.address == address);
        let (Some(block), Some(access), AddressSpace::Generic) =
            (self.model.graph.home[reader], access, self.declared(root))
        else {
            return;
        };
        if let Some(parts) = self.model.parts.touched(place, access.extent) {
            let mut held = Fact::UNIFORM;
            self.of_parts(reader, block, parts, &mut |_, contribution| _ = held.add(contribution));
            if !held.is_uniform() {
                visit(Reason::Pointee(number).into(), Fact::private(number as usize));
            }
        }
    }

    /// Visits the contributions to a byte range that a callee reads from the target of an argument.
    pub fn of_input(
        &self,
        reader: ValueId,
        address: ValueId,
        input: &ParameterRange,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let place = self.model.memory.place(address);
        let extent = Extent::Range { bytes: input.bytes, sure: false };
        let is_alike = self.model.memory.has_same_layout(self.function, address, input.seen_as);
        match self.model.parts.touched(place, extent).zip(self.model.graph.home[reader]) {
            Some((parts, block)) if is_alike && !self.state.reads.agreed.contains(&reader) => {
                self.of_tracked(reader, block, (address, parts), visit);
            }
            _ => self.of_memory(reader, address, visit),
        }
    }

    /// Returns the verdict on a byte range that a callee reads from the target of an argument.
    pub fn read_input(&self, reader: ValueId, address: ValueId, input: &ParameterRange) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_input(reader, address, input, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Whether the function or its callees may write an object that is not its private memory.
    pub fn is_written(&self, root: Root) -> bool {
        self.model.accesses.roots.contains(&root) || self.is_written_by_others(root)
    }

    /// Whether callees may write an object through pointers stored in the targets of their arguments, or any operation
    /// may write it through an unknown pointer.
    fn is_written_by_others(&self, root: Root) -> bool {
        let behind = match root {
            Root::Behind(number, at) => {
                let behind = &self.model.accesses.behind;
                behind.contains(&(number, Some(at))) || behind.contains(&(number, None))
            }
            _ => false,
        };
        let is_reached = match root {
            Root::Global(name) => !self.model.memory.is_unaliased_variable(name),
            Root::Behind(..) => false,
            _ => !self.is_assumed_unaliased(root),
        };
        behind || self.model.accesses.unknown && is_reached
    }

    /// Whether the function may write the memory that is read at an address in an object. A write to another field of a
    /// record does not count.
    fn is_written_at(&self, root: Root, address: ValueId) -> bool {
        self.is_written(root)
            && (self.is_written_by_others(root) || !self.is_written_in_other_fields_only(root, address))
    }

    /// Whether all writes of the function to an object are to other fields than the one at an address.
    fn is_written_in_other_fields_only(&self, root: Root, address: ValueId) -> bool {
        let PointerTarget::Object(_, read) = self.model.memory.place(address) else { return false };
        let is_apart = |write: &Access| match self.model.memory.place(write.address) {
            PointerTarget::Object(other, cell) => {
                other != root || self.stays_in_one_object(write) && cell.is_in_other_field(read)
            }
            PointerTarget::OneOf(_) => {
                let roots = self.model.memory.roots(self.model.memory.place(write.address));
                roots.is_some_and(|roots| !roots.contains(&root))
            }
            // `is_written_by_others` decides for unknown pointers, by the object.
            PointerTarget::Unknown => true,
        };
        read.field.is_some() && self.model.accesses.all.iter().filter(|access| access.writes).all(is_apart)
    }

    /// Whether a write stays inside one object of the type that it writes.
    pub fn stays_in_one_object(&self, write: &Access) -> bool {
        match &self.function.values[write.by].op {
            Op::Call(call) => self.builtin(&call.callee).is_some_and(|builtin| builtin.atomic),
            _ => matches!(write.extent, Extent::Of(_)),
        }
    }

    /// Whether we assume that unknown pointers do not point to the target of a parameter: it is a pointer to `const`, a
    /// reference or `this`, or a parameter of a kernel that does not escape.
    fn is_assumed_unaliased(&self, root: Root) -> bool {
        let Root::Parameter(number) = root else { return false };
        if self.function.kernel && !self.model.memory.escaping.contains(number as usize) {
            return true;
        }
        let Some(parameter) = self.function.parameters.get(number as usize) else { return false };
        let pointer = self.function.values[parameter.value].ty.as_pointer();
        pointer.is_some_and(|it| it.constant || it.reference || parameter.role == ParameterRole::Object)
    }

    /// Visits the contribution of memory that is written: other threads may write it, too.
    pub fn of_sharing(&self, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let ty = self.function.values[address].ty;
        let space = ty.as_pointer().map_or(AddressSpace::Generic, |pointer| pointer.space);
        let place = self.model.memory.place(address);
        let source = match place {
            PointerTarget::Object(Root::Constant, _) => return,
            PointerTarget::Object(root @ (Root::Slot(_) | Root::Parameter(_)), _) => {
                let is_followed = self.model.parts.of_object(root).is_some();
                match (root, self.declared(root)) {
                    (Root::Parameter(number), AddressSpace::Generic) if is_followed => {
                        visit(Reason::Pointee(number).into(), Fact::shared(number as usize));
                        return;
                    }
                    _ if is_followed => return,
                    (_, AddressSpace::Private) => DivergenceSource::EscapedMemory,
                    (_, declared) => DivergenceSource::SharedMemory(declared),
                }
            }
            _ => DivergenceSource::SharedMemory(space),
        };
        let confidence = match source {
            DivergenceSource::SharedMemory(_) => self.confidence_of_sharing(address),
            _ => Confidence::Possible,
        };
        visit(Reason::Source(source).into(), Fact::divergent(confidence));
    }

    /// Returns the confidence that other threads write the memory at an address: whether a write of this object is
    /// known, or only an unknown pointer or other code may write it.
    fn confidence_of_sharing(&self, address: ValueId) -> Confidence {
        let is_known = |root: Root| {
            self.model.accesses.roots.contains(&root) && !self.is_written_in_other_fields_only(root, address)
        };
        let roots = self.model.memory.roots(self.model.memory.place(address));
        match roots.is_some_and(|roots| !roots.is_empty() && roots.into_iter().all(is_known)) {
            true => Confidence::Likely,
            false => Confidence::Possible,
        }
    }

    /// Visits the contribution of the target of an address if it is private memory with unknown contents.
    pub fn of_privacy(&self, address: ValueId, visit: &mut dyn FnMut(Contribution, Fact)) {
        let PointerTarget::Object(root, _) = self.model.memory.place(address) else { return };
        match (root, self.declared(root)) {
            (Root::Parameter(number), AddressSpace::Generic) => {
                visit(Reason::Pointee(number).into(), Fact::private(number as usize));
            }
            (Root::Slot(_) | Root::Parameter(_), AddressSpace::Private) => {
                visit(Reason::Source(DivergenceSource::EscapedMemory).into(), POSSIBLY_DIVERGENT);
            }
            _ => {}
        }
    }

    /// Returns the verdict on the target of an address if it is private memory with unknown contents.
    pub fn privacy(&self, address: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_privacy(address, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Returns the address space of an object, as declared.
    fn declared(&self, root: Root) -> AddressSpace {
        match root {
            Root::Slot(_) => AddressSpace::Private,
            Root::Parameter(number) => {
                let parameter = self.function.parameters.get(number as usize);
                let pointer = parameter.and_then(|it| self.function.values[it.value].ty.as_pointer());
                pointer.map_or(AddressSpace::Generic, |pointer| pointer.space)
            }
            Root::Behind(..) => AddressSpace::Global,
            Root::Global(_) | Root::Constant | Root::Unknown => AddressSpace::Generic,
        }
    }

    /// Whether the target of an address is private to the thread.
    pub(super) fn is_private(&self, address: ValueId) -> bool {
        match self.model.memory.place(address) {
            PointerTarget::Object(root, _) => {
                self.model.parts.of_object(root).is_some() && self.declared(root) == AddressSpace::Private
            }
            PointerTarget::OneOf(_) | PointerTarget::Unknown => false,
        }
    }

    /// Returns the verdict on the contents that an operation reads at an address, without the verdict on the address.
    pub fn read(&self, reader: ValueId, address: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_memory(reader, address, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }

    /// Returns the versions that an operation reads at an address of private memory, or in a byte range of its target,
    /// each with its verdict.
    pub fn held_at(
        &self,
        reader: ValueId,
        address: ValueId,
        input: Option<&ParameterRange>,
    ) -> impl Iterator<Item = (VersionRef, Fact)> {
        let accesses = self.model.accesses.by(reader);
        let access = accesses.iter().find(|access| access.address == address && !access.writes);
        let place = self.model.memory.place(address);
        let is_alike =
            |it: &&ParameterRange| self.model.memory.has_same_layout(self.function, address, it.seen_as);
        let part = input.filter(is_alike).map(|it| Extent::Range { bytes: it.bytes, sure: false });
        let extent = part.or(access.map(|access| access.extent));
        let parts = extent.and_then(|extent| self.model.parts.touched(place, extent)).unwrap_or_default();
        let seen = self.model.versions.seen(reader, parts).iter();
        seen.map(|&(_, version)| (self.model.versions.held(version), self.state.held[version]))
    }

    /// Returns the parameters of its callee through which a call may write a version.
    pub fn written_through(&self, version: VersionId) -> impl Iterator<Item = u32> {
        let it = &self.model.versions.all[version];
        let by = match it.made {
            VersionOrigin::Write(by) => Some(by),
            VersionOrigin::Entry | VersionOrigin::Join(_) => None,
        };
        let accesses = by.into_iter().flat_map(|by| self.reaching(by, it.part, std::iter::repeat(())));
        accesses.map(|(access, ())| access.argument as u32)
    }

    /// Returns the versions that the function leaves in the target of a pointer parameter at each `return`, with their
    /// verdicts.
    pub fn versions_on_return(&self, number: u32) -> impl Iterator<Item = (VersionRef, Fact)> {
        let parts = self.model.parts.of_object(Root::Parameter(number)).unwrap_or_default();
        let returned = self.model.versions.returned().iter();
        let left = returned.flat_map(move |(_, versions)| within(versions, parts.clone()));
        left.map(|&(_, version)| (self.model.versions.held(version), self.state.held[version]))
    }

    /// Returns the verdict on memory that a call may write at an address, because other threads may write it, too.
    pub fn sharing(&self, address: ValueId) -> Fact {
        let mut fact = Fact::UNIFORM;
        self.of_sharing(address, &mut |_, contribution| _ = fact.add(contribution));
        fact
    }
}
