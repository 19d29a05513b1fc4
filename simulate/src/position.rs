//! The position of a thread in the source of a function, and the jumps by which it arrived. The strategies of the
//! source compare both.
//!
//! **Iterations** of an instance: for each source loop around it (`tangle_ir::flow::loops`), the number of iterations
//! that the thread has begun since it entered the loop. **Mark**: a reason to separate threads that are in the same
//! iterations (`docs/semantics.md` §2, §3). There are three kinds:
//!
//! - the jump by which a thread arrived, with the iterations of the loops that this jump left. It lasts to the end of
//!   the extent of the jump.
//! - the iteration of a goto cycle that a thread left. It lasts to the end of the smallest statement that contains the
//!   cycle.
//! - in a goto cycle with several jumps back, the sequence of jumps that a thread took.
//!
//! In the next iteration of a goto cycle, a thread has the marks with which it entered the cycle. An extent may end in
//! the middle of a block. An operation therefore has only the marks whose extent contains its statement.
//!
//! ```text
//! L:                                   iterations of the statements after it: L 0, 1, 2 …
//!   if (a) { op(); return; }           of `op`: (L 0), (L 1), …
//!   if (b) goto L;
//! op();                                in no loop; marks: left L in iteration 0, 1, 2 …
//! ```
//!
//! Instances of one operation belong to one tangle iff their iterations and marks are equal. Iterations and position
//! order the steps of a thread, which never moves backwards in this order ([`SourcePosition::cmp`]). So the first of the waiting
//! threads waits for no other thread.
//!
//! The path is derived from the edges of the flow graph. A detour block (`Block::is_inserted`) is not a position in the
//! source.

use std::cmp::Ordering;
use std::hash::BuildHasher;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use tangle_ir::flow::{BlockId, Function, Jump, JumpTarget, LoopId, StmtRange};
use tangle_ir::nest::StmtId;

use crate::order::BlockOrder;

/// A reason to separate threads, by its number in [`Marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark(pub u32);

/// The data that a mark represents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum MarkData {
    /// A jump, the iterations of the loops that it left, and a hash of the marks that the thread had.
    Jumped {
        from: StmtId,
        to: StmtId,
        left: SmallVec<[(LoopId, u32); 2]>,
        carried: u64,
    },
    Left {
        goto_cycle: LoopId,
        iteration: u32,
    },
    /// An iteration of a goto cycle begun by the jump `by`: with the iterations of the inner loops that it left, and
    /// the hash of the previous mark of this kind, or 0.
    Round {
        by: StmtId,
        left: SmallVec<[(LoopId, u32); 2]>,
        after: u64,
    },
}

/// The marks of an execution.
#[derive(Default)]
pub(crate) struct Marks {
    numbers: FxHashMap<(usize, MarkData), Mark>,
    hashes: Vec<u64>,
}

impl Marks {
    /// Approximate size of one mark, in bytes.
    pub const BYTES: u64 = 2 * size_of::<(usize, MarkData, Mark)>() as u64;

    fn of(&mut self, function: usize, reason: MarkData) -> Mark {
        let next = Mark(self.numbers.len() as u32);
        let of = (function, reason);
        let hash = FxBuildHasher.hash_one(&of);
        *self.numbers.entry(of).or_insert_with(|| {
            self.hashes.push(hash);
            next
        })
    }

    /// A hash that identifies a mark, independent of the order of the threads that get marks.
    pub fn hash(&self, mark: Mark) -> u64 {
        self.hashes[mark.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// A mark of a thread, its kind, and the statements for which it counts.
#[derive(Clone, Debug)]
struct ActiveMark {
    mark: Mark,
    reason: MarkKind,
    extent: StmtRange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkKind {
    Jump(StmtId),
    Cycle(LoopId),
    Round(LoopId),
}

/// The path of one thread through one function.
#[derive(Clone, Debug)]
pub(crate) struct SourcePosition {
    /// The position: the last block that is not a detour.
    at: BlockId,
    iterations: IndexVec<LoopId, u32>,
    marks: SmallVec<[ActiveMark; 2]>,
    /// The goto cycles that the thread is in, each with the marks that the thread had when it entered.
    inside: Vec<(LoopId, SmallVec<[ActiveMark; 2]>)>,
    /// The number of the case by which the thread left the position, if the block ends with a `switch` and a jump of
    /// the source.
    taken: Option<u32>,
}

impl SourcePosition {
    /// A path that starts at the entry of the function.
    pub fn new(function: &Function) -> SourcePosition {
        SourcePosition {
            at: Function::ENTRY,
            iterations: index_vec![0; function.loops.len()],
            marks: SmallVec::new(),
            inside: Vec::new(),
            taken: None,
        }
    }

    /// The iterations of the source loops around the position, from the inside out.
    pub fn iterations(&self, function: &Function) -> impl Iterator<Item = u32> {
        function.loops_around(self.at).map(|it| self.iterations[it])
    }

    /// The marks that count for a statement of the block at the position, the oldest first.
    pub fn marks(&self, stmt: StmtId) -> impl Iterator<Item = Mark> {
        self.marks.iter().filter(move |borne| borne.extent.contains(stmt)).map(|borne| borne.mark)
    }

    /// Records the case of the `switch` by which the thread leaves a block. `None` for the default, or without a
    /// `switch`.
    pub fn take(&mut self, function: &Function, from: BlockId, case: Option<u32>) {
        if function.blocks[from].jump.is_some() {
            self.taken = case;
        }
    }

    /// The block at the position.
    pub fn place(&self) -> BlockId {
        self.at
    }

    /// Moves to the block `to`.
    pub fn go(&mut self, (number, function): (usize, &Function), to: BlockId, known: &mut Marks) {
        let blocks = &function.blocks;
        if blocks[to].is_inserted {
            return;
        }
        let from = std::mem::replace(&mut self.at, to);
        if function.loops.is_empty() && blocks[from].jump.is_none() && self.marks.is_empty() {
            return;
        }
        let stmt = blocks[to].stmt;
        let jump = blocks[from].jump.as_ref().filter(|_| blocks[to].after.is_none());
        let landing = jump.and_then(|jump| Some((jump.at, self.landing(jump, stmt)?)));
        self.taken = None;
        if let Some((at, _)) = landing {
            // Drop marks whose extent ends before the jump, in the same block.
            self.marks.retain(|borne| borne.extent.contains(at));
        }
        let again = self.next_iteration_of(function, from, to, landing);
        let round = again
            .zip(landing)
            .and_then(|(again, (at, _))| self.round((number, function), again, (at, from), known));

        let jumped = landing.filter(|_| again.is_none()).map(|landing| {
            let left = function.loops_around(from).filter(|&it| !function.is_within(to, it));
            let left = left.map(|it| (it, self.iterations[it])).collect();
            let hashes: SmallVec<[u64; 4]> = self.marks.iter().map(|borne| known.hash(borne.mark)).collect();
            (landing, left, if hashes.is_empty() { 0 } else { FxBuildHasher.hash_one(&hashes) })
        });
        if let Some(again) = again
            && let Some((_, brought)) = self.inside.iter().find(|(it, _)| *it == again)
        {
            self.marks.clone_from(brought);
        }
        self.marks.retain(|borne| borne.extent.contains(stmt));
        for (_, marks) in &mut self.inside {
            marks.retain(|borne| borne.extent.contains(stmt));
        }
        self.leave_goto_cycles((number, function), from, to, known);
        // A new iteration of a loop enters its inner loops anew, even for threads that were in them.
        let is_inside_again = |it: LoopId| again.is_some_and(|again| again < it);
        let comes_in = |it: LoopId| !function.is_within(from, it) || is_inside_again(it);
        for it in function.loops_around(to).filter(|&it| comes_in(it)) {
            self.iterations[it] = 0;
            self.inside.retain(|(inside, _)| *inside != it);
        }
        if let Some(again) = again {
            self.iterations[again] += 1;
        }
        self.marks.extend(round);
        if let Some(((at, JumpTarget { label, distinct_until: extent, .. }), left, carried)) = jumped {
            self.marks.retain(|borne| borne.reason != MarkKind::Jump(at));
            let mark = known.of(number, MarkData::Jumped { from: at, to: label, left, carried });
            self.marks.push(ActiveMark { mark, reason: MarkKind::Jump(at), extent });
        }
        for it in function.loops_around(to) {
            if is_between(function, it, to) && !self.inside.iter().any(|(inside, _)| *inside == it) {
                self.inside.push((it, self.marks.clone()));
            }
        }
    }

    /// The label that the thread jumped to: a label of the statement, or one that is stacked on it. `None` if the jump
    /// did not lead to the statement.
    fn landing(&self, jump: &Jump, stmt: StmtId) -> Option<JumpTarget> {
        match &*jump.labels {
            [only] => (only.label == stmt).then_some(*only),
            labels => {
                let taken = labels.iter().find(|landing| landing.case == self.taken);
                taken.or_else(|| jump.to(stmt)).copied()
            }
        }
    }

    /// The mark for another iteration of a goto cycle. `None` if the cycle has only one jump back and the jump leaves
    /// no inner loop.
    fn round(
        &self,
        (number, function): (usize, &Function),
        again: LoopId,
        (by, from): (StmtId, BlockId),
        known: &mut Marks,
    ) -> Option<ActiveMark> {
        let jumps = function.loops[again].jumps.as_ref()?;
        let left = function.loops_around(from).take_while(|&it| it != again);
        let left = left.filter(|&it| !function.is_within(function.loops[again].beginning, it));
        let left: SmallVec<[(LoopId, u32); 2]> = left.map(|it| (it, self.iterations[it])).collect();
        if jumps.jumps.len() < 2 && left.is_empty() {
            return None;
        }
        let reason = MarkKind::Round(again);
        let before = self.marks.iter().find(|borne| borne.reason == reason);
        let after = before.map_or(0, |borne| known.hash(borne.mark));
        let mark = known.of(number, MarkData::Round { by, left, after });
        Some(ActiveMark { mark, reason, extent: jumps.extent })
    }

    /// The loop whose next iteration begins with the edge from `from` to `to`.
    fn next_iteration_of(
        &self,
        function: &Function,
        from: BlockId,
        to: BlockId,
        landing: Option<(StmtId, JumpTarget)>,
    ) -> Option<LoopId> {
        function.loops_around(to).find(|&it| {
            let source_loop = &function.loops[it];
            let comes_round = match source_loop.jumps {
                Some(_) => landing.is_some_and(|(at, landing)| source_loop.is_jump_back(at, landing.label)),
                None => function.is_within(from, it),
            };
            source_loop.beginning == to && comes_round
        })
    }

    /// Marks a thread that leaves a goto cycle with its iteration. Removes this mark from a thread that returns to the
    /// cycle.
    fn leave_goto_cycles(
        &mut self,
        (number, function): (usize, &Function),
        from: BlockId,
        to: BlockId,
        known: &mut Marks,
    ) {
        let cycles: SmallVec<[LoopId; 4]> = function.loops_around(from).collect();
        for it in cycles.into_iter().rev() {
            let Some(jumps) = &function.loops[it].jumps else { continue };
            if is_between(function, it, from) && !is_between(function, it, to) {
                self.inside.retain(|(inside, _)| *inside != it);
                self.marks.retain(|borne| borne.reason != MarkKind::Cycle(it));
                let iteration = self.iterations[it];
                // In the first iteration there is no mark: these threads stay with threads that never entered the
                // cycle, unless a jump mark separates them.
                if iteration > 0 && jumps.extent.contains(function.blocks[to].stmt) {
                    let mark = known.of(number, MarkData::Left { goto_cycle: it, iteration });
                    self.marks.push(ActiveMark { mark, reason: MarkKind::Cycle(it), extent: jumps.extent });
                }
            }
        }
        for it in function.loops_around(to).filter(|&it| is_between(function, it, to)) {
            self.marks.retain(|borne| borne.reason != MarkKind::Cycle(it));
        }
    }

    /// Compares two positions in one function: by the iterations of their common loops, from the outside in, and then
    /// by the order of the function.
    pub fn cmp(&self, other: &SourcePosition, function: &Function, order: &BlockOrder) -> Ordering {
        let loops = |way: &SourcePosition| {
            let mut around: SmallVec<[LoopId; 8]> = function.loops_around(way.at).collect();
            around.reverse();
            around
        };
        let (mine, theirs) = (loops(self), loops(other));
        let first = |around: &[LoopId], level: usize, at: BlockId| {
            around.get(level).map_or_else(|| order.of_block(at), |&it| order.of_loop(it))
        };
        for level in 0..=mine.len().max(theirs.len()) {
            match (mine.get(level), theirs.get(level)) {
                (Some(a), Some(b)) if a == b => {
                    let order = self.iterations[*a].cmp(&other.iterations[*b]);
                    if order != Ordering::Equal {
                        return order;
                    }
                }
                _ => return first(&mine, level, self.at).cmp(&first(&theirs, level, other.at)),
            }
        }
        Ordering::Equal
    }
}

/// Whether a block is in the range of a goto cycle: from its first block to the last jump back.
fn is_between(function: &Function, goto_cycle: LoopId, block: BlockId) -> bool {
    let source_loop = &function.loops[goto_cycle];
    source_loop.jumps.as_ref().is_some_and(|jumps| (source_loop.first..=jumps.block).contains(&block))
}
