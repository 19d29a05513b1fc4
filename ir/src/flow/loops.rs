//! The loops of the source and their blocks: debug data of a flow graph.
//!
//! **Source loop**: a loop statement, or a *goto cycle*. A goto cycle extends from a label to the last jump back to it.
//! Only jumps count that threads reach from the label without leaving the smallest statement that contains both. A
//! source loop is a range of blocks, because blocks are numbered by the order of their beginnings in the source. Jumps
//! back to one label with the same extent ([`JumpTarget`]) make one goto cycle. A jump with a larger extent makes another
//! goto cycle around it, and each of its iterations enters the inner one anew. **Beginning**: the block with which each
//! iteration begins: the condition of a `while` or `for`, the body of a `do`, the label of a goto cycle.
//!
//! Overlapping ranges are lengthened until they nest. Of two overlapping goto cycles, the one that ends last contains
//! the other one. A goto cycle that overlaps a loop statement contains the whole loop statement. So threads that jump
//! into a goto cycle or loop enter all source loops around their label.
//!
//! ```c
//! A:                   // A to `goto A`
//!   while (p[i]) {     // inside A, because `goto A` leads from its body to before it
//!     i++;
//! B:                   // B to `goto B`: contains A, because it ends last
//!     if (p[i] == 1) goto A;
//!   }
//!   if (i < n) goto B;
//! ```

use index_vec::{IndexVec, define_index_type, index_vec};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::ssa::remove_unreachable;
use super::{BlockId, BlockKind, Function, JumpTarget, LoopStart, NonCyclicBackJump, StmtRange};
use crate::nest::{CallId, Convergence, StmtId, StmtTree};

define_index_type! {
    /// A source loop of one function.
    pub struct LoopId = u32;
}

/// A source loop. Inserted blocks, which only redirect threads, are in no range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLoop {
    /// The loop statement, or the label.
    pub stmt: StmtId,
    /// The jumps of a goto cycle. None for a loop statement.
    pub jumps: Option<BackJumps>,
    /// The innermost source loop around this one.
    pub parent: Option<LoopId>,
    /// One past the last source loop inside this one.
    pub end: LoopId,
    /// The first block of the range.
    pub first: BlockId,
    /// The block with which each iteration begins.
    pub beginning: BlockId,
    /// The block through which threads reach the beginning: the beginning itself, or an inserted block
    /// ([`heads`](super::heads)).
    pub head: BlockId,
    /// Whether some threads enter past the head, so that no cycle of the graph has the same iterations.
    pub is_entered_past_head: bool,
}

/// The jumps back to a label that threads reach from the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackJumps {
    /// The statements, in order. The tangles that two or more of them bring from one iteration are *siblings*
    /// (`docs/semantics.md` §3.1).
    pub jumps: Box<[StmtId]>,
    /// The block of the last jump.
    pub block: BlockId,
    /// The smallest statement that contains the label and the jump. It is the same for all the jumps.
    pub extent: StmtRange,
}

impl SourceLoop {
    /// Returns whether a jump from `at` to `label` begins the next iteration of this goto cycle.
    pub fn is_jump_back(&self, at: StmtId, label: StmtId) -> bool {
        let is_jump = |jumps: &BackJumps| jumps.jumps.binary_search(&at).is_ok();
        self.stmt == label && self.jumps.as_ref().is_some_and(is_jump)
    }
}

impl Function {
    /// Returns the source loops around a block, from the inside out.
    pub fn loops_around(&self, block: BlockId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.blocks[block].source_loop, |&it| self.loops[it].parent)
    }

    /// Returns whether a block is in a source loop.
    pub fn is_within(&self, block: BlockId, source_loop: LoopId) -> bool {
        let inside = source_loop..self.loops[source_loop].end;
        self.blocks[block].source_loop.is_some_and(|it| inside.contains(&it))
    }

    /// Returns the innermost source loop around all of the given blocks.
    pub fn loop_around_all(&self, blocks: &[BlockId]) -> Option<LoopId> {
        let (&first, others) = blocks.split_first()?;
        self.loops_around(first).find(|&it| others.iter().all(|&other| self.is_within(other, it)))
    }
}

/// A range of blocks that will become a source loop.
struct LoopRange {
    stmt: StmtId,
    jumps: Option<BackJumps>,
    first: BlockId,
    beginning: BlockId,
    last: BlockId,
    /// Blocks of the range that are in no iteration: threads jump to them from outside, and cannot reach the beginning
    /// from there.
    apart: FxHashSet<BlockId>,
}

impl LoopRange {
    fn new(stmt: StmtId, first: BlockId, last: BlockId) -> LoopRange {
        LoopRange { stmt, jumps: None, first, beginning: first, last, apart: FxHashSet::default() }
    }

    fn spans(&self, block: BlockId) -> bool {
        (self.first..=self.last).contains(&block)
    }

    fn contains_iteration_block(&self, block: BlockId) -> bool {
        self.spans(block) && !self.apart.contains(&block)
    }
}

/// Returns the calls for which the source does not define the set of threads that execute them together. Each has the
/// innermost statement that is marked so. See [`Function::opportunistic`].
fn opportunistic(nest: &StmtTree) -> Box<[(CallId, StmtId)]> {
    let whole = (nest.declared == Some(Convergence::NotConvergent)).then_some(StmtTree::ROOT);
    let open = nest.is_noconvergent();
    let of_call = |stmt: StmtId| open.get(stmt).copied().flatten().or(whole);
    nest.calls.iter_enumerated().filter_map(|(call, &stmt)| Some((call, of_call(stmt)?))).collect()
}

/// Finds the source loops of a function. Its blocks must be numbered by the order of their beginnings in the source,
/// and it must not be in SSA form. If it may have loops, unreachable blocks are removed: their jumps make no loop.
pub fn find(function: &mut Function, nest: &StmtTree) {
    function.noconvergent_calls = opportunistic(nest);
    function.calls.clone_from(&nest.calls);
    let may_begin = |kind: BlockKind| kind.begins().is_some();
    if !function.blocks.iter().any(|block| may_begin(block.kind)) {
        return;
    }
    remove_unreachable(function);
    let mut ranges = statements(function, nest);
    let (goto_cycles, entering) = goto_cycles(function, &ranges);
    function.non_cyclic_back_jumps = entering.into();
    if !goto_cycles.is_empty() {
        ranges.extend(goto_cycles);
        if !make_nested(&mut ranges) {
            ranges.retain(|range| range.jumps.is_none());
        }
    }
    ranges.sort_unstable_by_key(order);
    find_blocks_outside_iterations(function, &mut ranges);
    number(function, ranges);
}

/// Numbers the source loops from the outside in, and sets the innermost source loop of each block.
fn number(function: &mut Function, ranges: Vec<LoopRange>) {
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(ranges.len());
    let mut within: IndexVec<BlockId, Option<usize>> = index_vec![None; function.blocks.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for id in function.blocks.indices() {
        while open.pop_if(|it| ranges[*it].last < id).is_some() {}
        while ranges.get(next).is_some_and(|range| range.first == id) {
            parents.push(
                open.iter()
                    .rev()
                    .copied()
                    .find(|&it| ranges[it].contains_iteration_block(ranges[next].beginning)),
            );
            open.push(next);
            next += 1;
        }
        within[id] = open.iter().rev().copied().find(|&it| ranges[it].contains_iteration_block(id));
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); ranges.len()];
    let mut todo: Vec<usize> = Vec::new();
    for (range, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(range),
            None => todo.push(range),
        }
    }
    let mut ranges: Vec<Option<LoopRange>> = ranges.into_iter().map(Some).collect();
    let mut loops: IndexVec<LoopId, SourceLoop> = IndexVec::with_capacity(ranges.len());
    let mut numbers: Vec<Option<LoopId>> = vec![None; ranges.len()];
    while let Some(at) = todo.pop() {
        let Some(LoopRange { stmt, jumps, first, beginning, .. }) = ranges[at].take() else { continue };
        let parent = parents[at].and_then(|it| numbers[it]);
        let (head, end) = (beginning, loops.next_idx() + 1usize);
        let is_entered_past_head = false;
        let found = SourceLoop { stmt, jumps, parent, end, first, beginning, head, is_entered_past_head };
        numbers[at] = Some(loops.push(found));
        todo.append(&mut children[at]);
    }
    for id in loops.indices().rev() {
        if let Some(parent) = loops[id].parent {
            loops[parent].end = loops[parent].end.max(loops[id].end);
        }
    }
    for (block, within) in function.blocks.iter_mut().zip(within) {
        block.source_loop = within.and_then(|it| numbers[it]);
    }
    function.loops = loops;
}

/// Finds the blocks of loop statements that are in no iteration. An inner loop is among them as a whole or not at all.
fn find_blocks_outside_iterations(function: &Function, ranges: &mut [LoopRange]) {
    for at in entered_by_jumps(function, ranges) {
        let range = &ranges[at];
        let (mut after, mut before) = (FxHashSet::default(), FxHashMap::<BlockId, Vec<BlockId>>::default());
        for from in (range.first.index()..=range.last.index()).map(BlockId::new) {
            for to in function.blocks[from].terminator.successors() {
                before.entry(to).or_default().push(from);
            }
        }
        let mut todo = vec![range.beginning];
        while let Some(block) = todo.pop() {
            if range.spans(block) && after.insert(block) {
                todo.extend(function.blocks[block].terminator.successors());
            }
        }
        let mut coming = FxHashSet::default();
        let mut todo = vec![range.beginning];
        while let Some(block) = todo.pop() {
            if range.spans(block) && coming.insert(block) {
                todo.extend(before.get(&block).into_iter().flatten());
            }
        }
        let blocks = (range.first.index()..=range.last.index()).map(BlockId::new);
        let mut apart: FxHashSet<BlockId> =
            blocks.filter(|it| !after.contains(it) && !coming.contains(it)).collect();
        for inner in ranges[at + 1..].iter().take_while(|inner| inner.first <= range.last) {
            let blocks = || (inner.first.index()..=inner.last.index()).map(BlockId::new);
            if !blocks().all(|it| apart.contains(&it)) {
                blocks().for_each(|it| _ = apart.remove(&it));
            }
        }
        ranges[at].apart = apart;
    }
}

/// Returns the loop statements that a jump from outside enters past their beginning.
fn entered_by_jumps(function: &Function, ranges: &[LoopRange]) -> Vec<usize> {
    let mut from: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
    for (id, block) in function.blocks.iter_enumerated().filter(|(_, block)| block.jump.is_some()) {
        block.terminator.successors().into_iter().for_each(|to| from.entry(to).or_default().push(id));
    }
    let mut entered = vec![false; ranges.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for id in function.blocks.indices() {
        while open.pop_if(|it| ranges[*it].last < id).is_some() {}
        while ranges.get(next).is_some_and(|range| range.first == id) {
            open.push(next);
            next += 1;
        }
        for &before in from.get(&id).into_iter().flatten() {
            let around = open.iter().rev().take_while(|&&it| !ranges[it].spans(before));
            around.filter(|&&it| ranges[it].beginning != id).for_each(|&it| entered[it] = true);
        }
    }
    (0..ranges.len()).filter(|&it| entered[it] && ranges[it].jumps.is_none()).collect()
}

/// The sort key of ranges: from the outside in.
fn order(range: &LoopRange) -> (BlockId, std::cmp::Reverse<BlockId>, BlockId) {
    (range.first, std::cmp::Reverse(range.last), range.beginning)
}

/// Returns the loop statements.
fn statements(function: &Function, nest: &StmtTree) -> Vec<LoopRange> {
    let mut ranges = Vec::new();
    let mut open: Vec<(StmtId, BlockId)> = Vec::new();
    let end = function.blocks.len();
    for (id, block) in function.blocks.iter_enumerated() {
        while let Some((stmt, beginning)) = open.pop_if(|(stmt, _)| !nest.contains(*stmt, block.stmt)) {
            let last = BlockId::new(id.index() - 1);
            ranges.push(LoopRange::new(stmt, beginning, last));
        }
        let stmt = match block.kind.begins() {
            Some(LoopStart::Statement) => Some(block.stmt),
            Some(LoopStart::Parent) => nest.stmts.get(block.stmt).and_then(|stmt| stmt.parent),
            None => None,
        };
        let is_loop = |stmt: &StmtId| nest.stmts.get(*stmt).is_some_and(|stmt| stmt.is_loop);
        open.extend(stmt.filter(is_loop).map(|stmt| (stmt, id)));
    }
    let last = BlockId::new(end.saturating_sub(1));
    ranges.extend(open.into_iter().map(|(stmt, beginning)| LoopRange::new(stmt, beginning, last)));
    ranges
}

/// The loop statements whose iterations begin with each block.
type Beginnings<'a> = FxHashMap<BlockId, Vec<&'a LoopRange>>;

/// Returns the goto cycles, and the jumps back that make none.
fn goto_cycles(function: &Function, statements: &[LoopRange]) -> (Vec<LoopRange>, Vec<NonCyclicBackJump>) {
    let mut loops = Beginnings::default();
    statements.iter().for_each(|range| loops.entry(range.beginning).or_default().push(range));
    let mut back: Vec<(BlockId, StmtId, JumpTarget)> = Vec::new();
    for (id, block) in function.blocks.iter_enumerated() {
        let Some(jump) = &block.jump else { continue };
        let landings = jump.labels.iter().filter(|landing| landing.label < jump.at);
        back.extend(landings.map(|&landing| (id, jump.at, landing)));
    }
    if back.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let labels = function.blocks.iter_enumerated().filter(|(_, block)| block.kind == BlockKind::Label);
    let labels: FxHashMap<StmtId, BlockId> = labels.map(|(id, block)| (block.stmt, id)).collect();
    let mut ranges: IndexMap<(BlockId, StmtRange), LoopRange, FxBuildHasher> = IndexMap::default();
    let mut entering = Vec::new();
    for (last, at, JumpTarget { label, distinct_until: extent, .. }) in back {
        let Some(&first) = labels.get(&label) else { continue };
        if !reaches_back_jump(function, &loops, first, last, extent) {
            entering.push(NonCyclicBackJump { first, last });
            continue;
        }
        let range = ranges.entry((first, extent)).or_insert_with(|| LoopRange::new(label, first, last));
        let known = range.jumps.take().map_or_else(Vec::new, |known| known.jumps.into_vec());
        let jumps = known.into_iter().chain([at]).collect();
        (range.jumps, range.last) = (Some(BackJumps { jumps, block: last, extent }), last);
    }
    if !entering.is_empty() {
        ranges.values_mut().for_each(|range| lengthen(function, &loops, range));
    }
    (ranges.into_values().collect(), entering)
}

/// Lengthens a goto cycle to all blocks on paths from the label to the last jump. A jump back that makes no cycle can
/// lead such a path to blocks before the label.
fn lengthen(function: &Function, loops: &Beginnings<'_>, range: &mut LoopRange) {
    let Some(BackJumps { block: jump, extent, .. }) = range.jumps else { return };
    let mut before: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut todo = vec![range.beginning];
    while let Some(block) = todo.pop() {
        if seen.insert(block) {
            for to in successors_in_extent(function, loops, block, range.beginning, extent) {
                before.entry(to).or_default().push(block);
                todo.push(to);
            }
        }
    }
    seen.clear();
    todo.push(jump);
    while let Some(block) = todo.pop() {
        if seen.insert(block) {
            range.first = range.first.min(block);
            todo.extend(before.get(&block).into_iter().flatten());
        }
    }
}

/// Returns whether threads reach a jump back to a label from the block of the label, without leaving the extent of the
/// jump. Threads that leave it reconverge with all threads that entered it, and come back only in the next iteration of
/// a loop around it.
fn reaches_back_jump(
    function: &Function,
    loops: &Beginnings<'_>,
    label: BlockId,
    jump: BlockId,
    extent: StmtRange,
) -> bool {
    let mut seen: IndexVec<BlockId, bool> = index_vec![false; function.blocks.len()];
    let mut todo = vec![label];
    while let Some(block) = todo.pop() {
        if block == jump {
            return true;
        }
        if !std::mem::replace(&mut seen[block], true) {
            todo.extend(successors_in_extent(function, loops, block, label, extent));
        }
    }
    false
}

/// Returns the successors of a block on a path from a label. Excludes edges that leave an extent other than by a `goto`
/// or `switch`, and edges that begin the next iteration of a loop statement around the extent.
fn successors_in_extent<'a>(
    function: &'a Function,
    loops: &'a Beginnings<'_>,
    from: BlockId,
    label: BlockId,
    extent: StmtRange,
) -> impl Iterator<Item = BlockId> + 'a {
    let block = &function.blocks[from];
    let is_inside = extent.contains(block.stmt);
    block.terminator.successors().into_iter().filter(move |to| {
        let jumps = block.jump.is_some() && function.blocks[*to].after.is_none();
        let begins_around = |range: &&LoopRange| range.spans(label) && !extent.contains(range.stmt);
        (jumps || !is_inside || extent.contains(function.blocks[*to].stmt))
            && !loops.get(to).is_some_and(|begin| begin.iter().any(begins_around))
    })
}

/// The maximum number of passes, more than any real source needs.
const MAX_PASSES: usize = 1000;

/// Lengthens goto cycles until each two ranges are nested or disjoint. Returns false if that takes too many passes.
fn make_nested(ranges: &mut [LoopRange]) -> bool {
    for _ in 0..MAX_PASSES {
        ranges.sort_unstable_by_key(order);
        let mut changed = false;
        let mut open: Vec<usize> = Vec::new();
        for at in 0..ranges.len() {
            let LoopRange { first, last, .. } = ranges[at];
            while open.pop_if(|it| ranges[*it].last < first).is_some() {}
            // In `open`, outer ranges end later than inner ones, so the ranges that end before `last` are at the end of
            // the list.
            let crossed = open.partition_point(|&it| ranges[it].last >= last);
            let mut place = open.len();
            if let Some(&outermost) = open.get(crossed) {
                changed = true;
                if ranges[at].jumps.is_some() {
                    ranges[at].first = ranges[outermost].first;
                    place = crossed;
                } else {
                    open[crossed..].iter().for_each(|&it| ranges[it].last = last);
                }
            }
            open.insert(place, at);
        }
        if !changed {
            return true;
        }
    }
    false
}
