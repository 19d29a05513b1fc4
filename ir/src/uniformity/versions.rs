//! The contents of private memory as memory versions: SSA form for alias partitions.
//!
//! **Memory version** of a partition: its contents after an operation has written it, after a join of paths that wrote
//! it differently, or at the entry of the function. A write that covers its partition makes a version without a
//! predecessor. Any other write keeps some contents of the version before it. **Seen**: the version that an operation
//! reads.
//!
//! ```c
//! int v = get_local_id(0);    // %v.1, of this write
//! int *p = &v;
//! if (n) *p = 1;              // %v.2, of this write
//!                             // %v.3, a join of %v.2 and %v.1
//! use(v);                     // sees %v.3
//! ```
//!
//! Joins are placed in the iterated dominance frontier of the blocks that write a partition, at blocks where it is read
//! before it is covered. One walk over the dominator tree then finds the version that each operation sees, as in
//! [`ssa`](crate::flow::ssa).

use std::ops::Range;

use index_vec::{IndexVec, define_index_type, index_vec};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::accesses::{Access, Accesses};
use super::graph::Graph;
use super::memory::Memory;
use super::partitions::{PartitionId, Partitions};
use crate::flow::{BlockId, Function, Op, Terminator, Value, ValueId};

define_index_type! {
    /// A memory version of an alias partition of one function.
    pub struct VersionId = u32;
}

/// The origin of a memory version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VersionOrigin {
    /// The entry of the function.
    Entry,
    /// A write by this operation.
    Write(ValueId),
    /// A join of paths at the start of this block.
    Join(BlockId),
}

/// The limit on copies between a store and a load of its value.
const MAX_COPIES: usize = 8;

/// A memory version, as chains of causes name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VersionRef {
    /// The version.
    pub version: VersionId,
    /// Its origin.
    pub made: VersionOrigin,
}

/// A memory version: the contents of a partition.
#[derive(Debug)]
pub struct Version {
    /// The partition.
    pub part: PartitionId,
    /// Its origin.
    pub made: VersionOrigin,
    /// The versions whose contents it keeps. For a write that does not cover the partition: the version before it. For
    /// a join: the version at the end of each incoming edge.
    pub before: SmallVec<[VersionId; 2]>,
    /// For a join, the blocks where these edges begin.
    pub edges: SmallVec<[BlockId; 2]>,
}

/// The versions that are read at one point, in the order of their partitions.
pub type SeenVersions = Box<[(PartitionId, VersionId)]>;

/// The memory versions of a function.
pub struct Versions {
    /// All versions. Those of the entry come first, in the order of partitions.
    pub all: IndexVec<VersionId, Version>,
    /// The versions that each operation makes.
    made: FxHashMap<ValueId, Range<usize>>,
    /// The joins of each block.
    joins: IndexVec<BlockId, Vec<VersionId>>,
    /// The versions that each operation reads, in the order of partitions.
    seen: FxHashMap<ValueId, SeenVersions>,
    /// For each `return`, the contents that callers find in the targets of pointers that they passed.
    returned: Vec<(BlockId, SeenVersions)>,
}

/// The use of a partition by an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    /// The operation may write some of it.
    Write,
    /// The operation writes all of it.
    Cover,
}

/// The uses of partitions by an operation, or by a `return`. Reads come first.
struct Step {
    /// The operation. `None`: a `return`.
    by: Option<ValueId>,
    uses: Vec<(PartitionId, Use)>,
}

impl Versions {
    /// Computes the memory versions of a function with this graph.
    pub fn of(
        function: &Function,
        graph: &Graph,
        memory: &Memory,
        parts: &Partitions,
        accesses: &Accesses,
    ) -> Versions {
        let entry = (0..parts.count).map(|part| Version {
            part: PartitionId::new(part),
            made: VersionOrigin::Entry,
            before: SmallVec::new(),
            edges: SmallVec::new(),
        });
        let mut versions = Versions {
            all: entry.collect(),
            made: FxHashMap::default(),
            joins: index_vec![Vec::new(); function.blocks.len()],
            seen: FxHashMap::default(),
            returned: Vec::new(),
        };
        if parts.count > 0 {
            let steps = steps(function, memory, parts, accesses);
            versions.place_joins(graph, parts.count, &steps);
            versions.number(function, graph, parts, &steps);
        }
        versions
    }

    /// Returns the versions that an operation makes.
    pub fn made_by(&self, operation: ValueId) -> impl Iterator<Item = VersionId> + use<> {
        self.made.get(&operation).cloned().unwrap_or_default().map(VersionId::new)
    }

    /// Returns the joins at the start of a block.
    pub fn joins(&self, block: BlockId) -> &[VersionId] {
        &self.joins[block]
    }

    /// Returns the versions of the given partitions that an operation reads.
    pub fn seen(&self, by: ValueId, parts: Range<usize>) -> &[(PartitionId, VersionId)] {
        within(self.seen.get(&by).map_or(&[], |all| all), parts)
    }

    /// Returns, for each `return`, the versions of the partitions that callers can read.
    pub fn returned(&self) -> &[(BlockId, SeenVersions)] {
        &self.returned
    }

    /// Returns a version with its origin.
    pub fn held(&self, version: VersionId) -> VersionRef {
        VersionRef { version, made: self.all[version].made }
    }

    /// Returns the block that makes a version. `None` if it is that of the entry.
    pub fn home(&self, graph: &Graph, version: VersionId) -> Option<BlockId> {
        match self.all[version].made {
            VersionOrigin::Entry => None,
            VersionOrigin::Write(by) => graph.home[by],
            VersionOrigin::Join(block) => Some(block),
        }
    }

    /// Returns the value that a version holds, if a store covered its partition with the value.
    pub fn value(&self, function: &Function, version: VersionId) -> Option<ValueId> {
        let Version { made: VersionOrigin::Write(by), before, .. } = &self.all[version] else { return None };
        match function.values[*by].op {
            Op::Store { value, .. } if before.is_empty() => Some(value),
            _ => None,
        }
    }

    /// Returns the loads of variables whose value one store wrote, with the stored value. Copies of objects are followed.
    pub fn forwarded(
        &self,
        function: &Function,
        memory: &Memory,
        parts: &Partitions,
    ) -> FxHashMap<ValueId, ValueId> {
        let forwarded = self.seen.iter().filter_map(|(&load, seen)| {
            let Value { op: Op::Load { volatile: false, .. }, ty, .. } = &function.values[load] else {
                return None;
            };
            let [(_, version)] = **seen else { return None };
            let value = self.copied_value(function, memory, parts, version)?;
            (function.values[value].ty == *ty).then_some((load, value))
        });
        forwarded.collect()
    }

    /// Returns the value that a version holds, if a store covered its partition, or that of an object which was copied to
    /// it.
    pub fn copied_value(
        &self,
        function: &Function,
        memory: &Memory,
        parts: &Partitions,
        version: VersionId,
    ) -> Option<ValueId> {
        self.value(function, self.copied_version(function, memory, parts, version)?)
    }

    /// Returns a version, or the one that was copied to it. `None` if the copy did not write all of its partition.
    pub fn copied_version(
        &self,
        function: &Function,
        memory: &Memory,
        parts: &Partitions,
        mut version: VersionId,
    ) -> Option<VersionId> {
        for _ in 0..MAX_COPIES {
            let Version { made: VersionOrigin::Write(by), part, before, .. } = &self.all[version] else {
                break;
            };
            let Op::Copy { to, from, ty } = function.values[*by].op else { break };
            let source = parts.copied(*part, memory.place(to), memory.place(from), ty)?;
            let [(_, next)] = *self.seen(*by, source) else { return None };
            if !before.is_empty() {
                return None;
            }
            version = next;
        }
        Some(version)
    }

    /// Whether two versions surely have the same contents.
    pub fn are_same(&self, function: &Function, a: VersionId, b: VersionId) -> bool {
        a == b || self.value(function, a).is_some_and(|value| self.value(function, b) == Some(value))
    }

    /// Places joins in the iterated dominance frontier of the writers of each partition, where it is read before it is
    /// covered.
    fn place_joins(&mut self, graph: &Graph, parts: usize, steps: &IndexVec<BlockId, Vec<Step>>) {
        let mut read: IndexVec<PartitionId, Vec<BlockId>> = index_vec![Vec::new(); parts];
        let mut written: IndexVec<PartitionId, Vec<BlockId>> = index_vec![Vec::new(); parts];
        let mut covered: IndexVec<PartitionId, Vec<BlockId>> = index_vec![Vec::new(); parts];
        for (block, steps) in steps.iter_enumerated() {
            for (part, how) in steps.iter().flat_map(|step| step.uses.iter().copied()) {
                let is_covered = covered[part].last() == Some(&block);
                if how != Use::Cover && !is_covered && read[part].last() != Some(&block) {
                    read[part].push(block);
                }
                if how != Use::Read && written[part].last() != Some(&block) {
                    written[part].push(block);
                }
                if how == Use::Cover && !is_covered {
                    covered[part].push(block);
                }
            }
        }
        let blocks = steps.len();
        let frontiers = graph.dominators.frontiers(graph.predecessors());
        // Each entry is the partition for which the block was last marked, so that no table is cleared between
        // partitions.
        let none = PartitionId::new(parts);
        let mut live: IndexVec<BlockId, PartitionId> = index_vec![none; blocks];
        let mut ends: IndexVec<BlockId, PartitionId> = index_vec![none; blocks];
        let mut placed: IndexVec<BlockId, PartitionId> = index_vec![none; blocks];
        for part in read.indices() {
            if written[part].is_empty() || read[part].is_empty() {
                continue;
            }
            covered[part].iter().for_each(|&block| ends[block] = part);
            let mut todo = std::mem::take(&mut read[part]);
            while let Some(block) = todo.pop() {
                if std::mem::replace(&mut live[block], part) != part {
                    let before = graph.predecessors()[block].iter().copied();
                    todo.extend(before.filter(|&before| ends[before] != part));
                }
            }
            let mut todo = std::mem::take(&mut written[part]);
            while let Some(block) = todo.pop() {
                for &join in &frontiers[block] {
                    if live[join] == part && std::mem::replace(&mut placed[join], part) != part {
                        let made = VersionOrigin::Join(join);
                        let (before, edges) = (SmallVec::new(), SmallVec::new());
                        let version = self.all.push(Version { part, made, before, edges });
                        self.joins[join].push(version);
                        todo.push(join);
                    }
                }
            }
        }
    }

    /// Makes the versions of writes and finds the version that each operation sees, along the dominator tree.
    fn number(
        &mut self,
        function: &Function,
        graph: &Graph,
        parts: &Partitions,
        steps: &IndexVec<BlockId, Vec<Step>>,
    ) {
        enum Walk {
            Enter(BlockId),
            /// Restores the versions that were current before the block.
            Leave(usize),
        }
        let children = graph.dominators.children();
        let mut current: IndexVec<PartitionId, VersionId> = (0..parts.count).map(VersionId::new).collect();
        let mut undo: Vec<(PartitionId, VersionId)> = Vec::new();
        let mut walk = vec![Walk::Enter(Function::ENTRY)];
        while let Some(next) = walk.pop() {
            let block = match next {
                Walk::Enter(block) => block,
                Walk::Leave(mark) => {
                    undo.drain(mark..).rev().for_each(|(part, version)| current[part] = version);
                    continue;
                }
            };
            walk.push(Walk::Leave(undo.len()));
            walk.extend(children[block].iter().rev().map(|&child| Walk::Enter(child)));
            let mut set = |current: &mut IndexVec<PartitionId, VersionId>, part: PartitionId, version| {
                undo.push((part, std::mem::replace(&mut current[part], version)));
            };
            for &join in &self.joins[block] {
                set(&mut current, self.all[join].part, join);
            }
            for step in &steps[block] {
                let reads = step.uses.iter().filter(|(_, how)| *how == Use::Read);
                let seen: Box<[(PartitionId, VersionId)]> =
                    reads.map(|&(part, _)| (part, current[part])).collect();
                let Some(by) = step.by else {
                    self.returned.push((block, seen));
                    continue;
                };
                if !seen.is_empty() {
                    self.seen.insert(by, seen);
                }
                let begin = self.all.len();
                for &(part, how) in step.uses.iter().filter(|(_, how)| *how != Use::Read) {
                    let before = (how == Use::Write).then_some(current[part]).into_iter().collect();
                    let (made, edges) = (VersionOrigin::Write(by), SmallVec::new());
                    let version = self.all.push(Version { part, made, before, edges });
                    set(&mut current, part, version);
                }
                if begin < self.all.len() {
                    self.made.insert(by, begin..self.all.len());
                }
            }
            for successor in function.blocks[block].terminator.successors() {
                for &join in &self.joins[successor] {
                    let version = current[self.all[join].part];
                    self.all[join].before.push(version);
                    self.all[join].edges.push(block);
                }
            }
        }
    }
}

/// Returns the versions of the given partitions, from a slice in the order of partitions.
pub fn within(versions: &[(PartitionId, VersionId)], parts: Range<usize>) -> &[(PartitionId, VersionId)] {
    let begin = versions.partition_point(|(part, _)| part.index() < parts.start);
    let end = versions.partition_point(|(part, _)| part.index() < parts.end);
    &versions[begin..end]
}

/// Returns the uses of partitions in each block.
fn steps(
    function: &Function,
    memory: &Memory,
    parts: &Partitions,
    accesses: &Accesses,
) -> IndexVec<BlockId, Vec<Step>> {
    let of_operations = accesses.all.chunk_by(|a, b| a.by == b.by);
    let mut known: FxHashMap<ValueId, Vec<(PartitionId, Use)>> =
        of_operations.map(|accesses| (accesses[0].by, uses(memory, parts, accesses))).collect();
    for &by in &accesses.unknown_writers {
        let uses = known.entry(by).or_default();
        uses.extend(parts.aliased().map(|part| (PartitionId::new(part), Use::Write)));
        merge(uses);
    }
    let of_block = |block: &crate::flow::Block| {
        let mut steps: Vec<Step> = Vec::new();
        for &by in &block.values {
            if let Some(uses) = known.remove(&by).filter(|uses| !uses.is_empty()) {
                steps.push(Step { by: Some(by), uses });
            }
        }
        if let Terminator::Return(_) = block.terminator {
            let uses = parts.returned().map(|part| (part, Use::Read)).collect();
            steps.push(Step { by: None, uses });
        }
        steps
    };
    function.blocks.iter().map(of_block).collect()
}

/// Returns the uses of partitions by an operation.
fn uses(memory: &Memory, parts: &Partitions, accesses: &[Access]) -> Vec<(PartitionId, Use)> {
    let mut uses: Vec<(PartitionId, Use)> = Vec::new();
    for access in accesses {
        let place = memory.place(access.address);
        let Some(touched) = parts.touched(place, access.extent) else { continue };
        if access.writes {
            uses.extend(parts.others(place).map(|part| (part, Use::Write)));
        }
        uses.extend(touched.map(PartitionId::new).map(|part| {
            let how = match access.writes {
                false => Use::Read,
                true if parts.covers(place, access.extent, part) => Use::Cover,
                true => Use::Write,
            };
            (part, how)
        }));
    }
    merge(&mut uses);
    uses
}

/// Keeps at most one read and one write of each partition: reads first, then by partition. A covering write wins.
fn merge(uses: &mut Vec<(PartitionId, Use)>) {
    uses.sort_by_key(|&(part, how)| (how != Use::Read, part, how != Use::Cover));
    uses.dedup_by_key(|&mut (part, how)| (how != Use::Read, part));
}
