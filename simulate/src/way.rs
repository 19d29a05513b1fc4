//! Where a thread is in the source of a function, and by which jumps it came: what the strategies of the source compare.
//!
//! **Iterations** of an instance: for each loop of the source around it (`tangle_ir::flow::loops`), how often the thread has begun an iteration since
//! it came in. **Mark**: what keeps threads apart that are in the same iterations: the jump that brought a thread, with the iterations of the
//! loops that it left by it, up to the end of the jump's extent; the iteration in which it left a goto cycle, up to the end of the smallest
//! statement that holds the cycle; of a goto cycle that several jumps close, which of them it took, in order (`docs/semantics.md` §2, §3). What comes
//! round in a goto cycle has the marks with which it came in. An extent may end in the middle of a block: for an operation, the
//! marks count whose extent holds its statement.
//!
//! ```text
//! L:                                   iterations of what follows: L 0, 1, 2 …
//!   if (a) { op(); return; }           of `op`: (L 0), (L 1), …
//!   if (b) goto L;
//! op();                                no loop is around it; marks: left L in iteration 0, 1, 2 …
//! ```
//!
//! Instances of one operation are of one tangle iff iterations and marks are the same. Iterations and place together order what a thread does: it never
//! comes back to less ([`Way::cmp`]), so of threads that wait those that stand first wait for nobody.
//!
//! The way is read off the edges of the flow graph. A block whose only purpose is to lead on (`Block::detour`) is no place in the source.

use std::cmp::Ordering;
use std::hash::BuildHasher;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use tangle_ir::flow::{BlockId, Extent, Function, Jump, Landing, LoopId};
use tangle_ir::nest::StmtId;

use crate::order::Order;

/// A reason to keep threads apart, by its number in [`Marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mark(pub u32);

/// What a mark stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Reason {
    /// With the iterations of the loops that the jump left, and a hash of the marks that it carried.
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
    /// Came round in a goto cycle by this jump, after others: the hash of their mark, or 0. With the
    /// iterations of the loops that it left.
    Round {
        by: StmtId,
        left: SmallVec<[(LoopId, u32); 2]>,
        after: u64,
    },
}

/// The marks of an execution.
#[derive(Default)]
pub(crate) struct Marks {
    numbers: FxHashMap<(usize, Reason), Mark>,
    hashes: Vec<u64>,
}

impl Marks {
    /// About what one mark takes, in bytes.
    pub const BYTES: u64 = 2 * size_of::<(usize, Reason, Mark)>() as u64;

    fn of(&mut self, function: usize, reason: Reason) -> Mark {
        let next = Mark(self.numbers.len() as u32);
        let of = (function, reason);
        let hash = FxBuildHasher.hash_one(&of);
        *self.numbers.entry(of).or_insert_with(|| {
            self.hashes.push(hash);
            next
        })
    }

    /// A number that tells a mark from others, whatever the order in which threads come by theirs.
    pub fn hash(&self, mark: Mark) -> u64 {
        self.hashes[mark.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// A mark that a thread bears.
#[derive(Clone, Debug)]
struct Borne {
    mark: Mark,
    reason: Why,
    extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Jump(StmtId),
    Cycle(LoopId),
    Round(LoopId),
}

/// The way of one thread through one function.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The last block that is a place in the source.
    at: BlockId,
    iterations: IndexVec<LoopId, u32>,
    marks: SmallVec<[Borne; 2]>,
    /// The goto cycles that the thread is in, with the marks that it brought.
    inside: Vec<(LoopId, SmallVec<[Borne; 2]>)>,
    /// The number of the case by which it left the place, if it ends with a `switch` and a jump of the source.
    taken: Option<u32>,
}

impl Way {
    /// At the beginning of a function.
    pub fn new(function: &Function) -> Way {
        Way {
            at: Function::ENTRY,
            iterations: index_vec![0; function.loops.len()],
            marks: SmallVec::new(),
            inside: Vec::new(),
            taken: None,
        }
    }

    /// The iterations of the loops around the place, from the inside out.
    pub fn iterations(&self, function: &Function) -> impl Iterator<Item = u32> {
        function.loops_around(self.at).map(|it| self.iterations[it])
    }

    /// The marks that the thread bears in a statement of the block that is its place, in the order in which it got them.
    pub fn marks(&self, stmt: StmtId) -> impl Iterator<Item = Mark> {
        self.marks.iter().filter(move |borne| borne.extent.contains(stmt)).map(|borne| borne.mark)
    }

    /// Leaves a block by this case of the `switch` with which it ends, or else by none.
    pub fn take(&mut self, function: &Function, from: BlockId, case: Option<u32>) {
        if function.blocks[from].jump.is_some() {
            self.taken = case;
        }
    }

    /// The block that is the thread's place.
    pub fn place(&self) -> BlockId {
        self.at
    }

    /// Goes on to a block.
    pub fn go(&mut self, (number, function): (usize, &Function), to: BlockId, known: &mut Marks) {
        let blocks = &function.blocks;
        if blocks[to].detour {
            return;
        }
        let from = std::mem::replace(&mut self.at, to);
        if function.loops.is_empty() && blocks[from].jump.is_none() && self.marks.is_empty() {
            return;
        }
        let stmt = blocks[to].stmt;
        let jump = blocks[from].jump.as_ref().filter(|_| blocks[to].behind.is_none());
        let landing = jump.and_then(|jump| Some((jump.at, self.landing(jump, stmt)?)));
        self.taken = None;
        if let Some((at, _)) = landing {
            // What ended in the block that ends with the jump.
            self.marks.retain(|borne| borne.extent.contains(at));
        }
        let again = self.begins_anew(function, from, to, landing);
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
        // A loop inside of one that begins anew is entered anew, even by who was in it.
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
        if let Some(((at, Landing { label, extent, .. }), left, carried)) = jumped {
            self.marks.retain(|borne| borne.reason != Why::Jump(at));
            let mark = known.of(number, Reason::Jumped { from: at, to: label, left, carried });
            self.marks.push(Borne { mark, reason: Why::Jump(at), extent });
        }
        for it in function.loops_around(to) {
            if is_between(function, it, to) && !self.inside.iter().any(|(inside, _)| *inside == it) {
                self.inside.push((it, self.marks.clone()));
            }
        }
    }

    /// The label to which a jump led the thread, if one does that is at a statement or stacked upon it.
    fn landing(&self, jump: &Jump, stmt: StmtId) -> Option<Landing> {
        match &*jump.labels {
            [only] => (only.label == stmt).then_some(*only),
            labels => {
                let taken = labels.iter().find(|landing| landing.case == self.taken);
                taken.or_else(|| jump.to(stmt)).copied()
            }
        }
    }

    /// The mark for coming round in a goto cycle by a jump, if there are several, or if the jump leaves loops in the cycle.
    fn round(
        &self,
        (number, function): (usize, &Function),
        again: LoopId,
        (by, from): (StmtId, BlockId),
        known: &mut Marks,
    ) -> Option<Borne> {
        let jumps = function.loops[again].jumps.as_ref()?;
        let left = function.loops_around(from).take_while(|&it| it != again);
        let left = left.filter(|&it| !function.is_within(function.loops[again].beginning, it));
        let left: SmallVec<[(LoopId, u32); 2]> = left.map(|it| (it, self.iterations[it])).collect();
        if jumps.jumps.len() < 2 && left.is_empty() {
            return None;
        }
        let reason = Why::Round(again);
        let before = self.marks.iter().find(|borne| borne.reason == reason);
        let after = before.map_or(0, |borne| known.hash(borne.mark));
        let mark = known.of(number, Reason::Round { by, left, after });
        Some(Borne { mark, reason, extent: jumps.extent })
    }

    /// The loop whose next iteration begins with a step, if one does.
    fn begins_anew(
        &self,
        function: &Function,
        from: BlockId,
        to: BlockId,
        landing: Option<(StmtId, Landing)>,
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

    /// Who leaves a goto cycle is marked with its iteration; who comes back to it is not marked any more.
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
                self.marks.retain(|borne| borne.reason != Why::Cycle(it));
                let iteration = self.iterations[it];
                // Who leaves in the first iteration is with those who never came in, unless a jump brought them.
                if iteration > 0 && jumps.extent.contains(function.blocks[to].stmt) {
                    let mark = known.of(number, Reason::Left { goto_cycle: it, iteration });
                    self.marks.push(Borne { mark, reason: Why::Cycle(it), extent: jumps.extent });
                }
            }
        }
        for it in function.loops_around(to).filter(|&it| is_between(function, it, to)) {
            self.marks.retain(|borne| borne.reason != Why::Cycle(it));
        }
    }

    /// Which of two places in one function comes first: that in an earlier iteration, or earlier in the order of the function.
    pub fn cmp(&self, other: &Way, function: &Function, order: &Order) -> Ordering {
        let loops = |way: &Way| {
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

/// Whether a block stands between the label of a goto cycle, or what it is lengthened to, and the last jump back.
fn is_between(function: &Function, goto_cycle: LoopId, block: BlockId) -> bool {
    let source_loop = &function.loops[goto_cycle];
    source_loop.jumps.as_ref().is_some_and(|jumps| (source_loop.first..=jumps.block).contains(&block))
}
