//! Threads that exited the kernel: derives the kernel without early exits, to find barriers that miss only such
//! threads.
//!
//! There are three reasons why a thread does not take part in an operation (`docs/semantics.md` §10). It has **exited**
//! the kernel, it is **elsewhere**, or a mask excludes it. Some languages guarantee that a barrier does not wait for
//! threads that exited.
//!
//! **Leaving** branch: a branch with a side that is only a path out of the kernel. The side is inside the statement of
//! the branch, ends in a `return`, and does not wait. Some threads may get from this side to the other one if they have
//! no visible effects on it: from the left operand in `if (a && b) return;`, for example. A barrier after a leaving
//! branch misses threads that exited. A barrier on one side of a branch misses threads that are elsewhere, even if they
//! exit later.
//!
//! ```c
//! __global__ void k(int *p, int n) {
//!   if (threadIdx.x >= n) return;        // a leaving branch
//!   p[threadIdx.x] = 0;
//!   __syncthreads();                     // the missing threads have exited
//!   if (p[0]) __syncthreads();           // the missing threads are elsewhere
//! }
//! ```
//!
//! **Staying** function: the function without the exits of its leaving branches. If all threads reach an operation in
//! the staying function, then only threads that exited are missing at this operation in the original function.

use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Function, Op, Terminator, ValueId};
use tangle_hir::body::{Body, StmtId, StmtKind};

/// Returns the staying function of a kernel. None for other functions, or without a leaving branch. `waits`: whether an
/// operation waits for the whole work-group. `reached`: a block that the staying function contains, although it may be on
/// a side that leads out. The threads on that side can execute operations of their sub-group before they exit.
pub fn without_early_exits(
    function: &Function,
    body: &Body,
    waits: &dyn Fn(ValueId) -> bool,
    reached: Option<BlockId>,
) -> Option<Function> {
    if !function.kernel {
        return None;
    }
    let early_exits = ExitBranches { function, body, waits, reached };
    let leaving: Vec<(BlockId, BlockId)> = function
        .blocks
        .indices()
        .filter_map(|block| Some((block, early_exits.continuing_target(block)?)))
        .collect();
    if leaving.is_empty() {
        return None;
    }
    let mut staying = function.clone();
    for (block, stays) in leaving {
        staying.blocks[block].terminator = Terminator::Jump(stays);
    }
    Some(staying)
}

struct ExitBranches<'a> {
    function: &'a Function,
    body: &'a Body,
    waits: &'a dyn Fn(ValueId) -> bool,
    reached: Option<BlockId>,
}

impl ExitBranches<'_> {
    /// Returns the target of the threads that do not exit at the end of a block. None if it does not end with a leaving
    /// branch.
    fn continuing_target(&self, block: BlockId) -> Option<BlockId> {
        let Terminator::Branch { then, otherwise, .. } = self.function.blocks[block].terminator else {
            return None;
        };
        match (self.leads_out(then, otherwise), self.leads_out(otherwise, then)) {
            (true, _) => Some(otherwise),
            (false, true) => Some(then),
            (false, false) => None,
        }
    }

    /// Whether a side of a branch leads out of the function. Its threads may also get to the other side, without
    /// effects.
    fn leads_out(&self, side: BlockId, other: BlockId) -> bool {
        let blocks = &self.function.blocks;
        let Some(around) = self.statement_of(side) else { return false };
        let mut seen: FxHashSet<BlockId> = FxHashSet::from_iter([side]);
        let mut todo = vec![side];
        while let Some(at) = todo.pop() {
            let block = &blocks[at];
            let is_inside = block.after != Some(around) && self.body.contains(around, block.stmt);
            let is_reached = self.reached == Some(at);
            if at == other
                || !is_inside
                || is_reached
                || block.values.iter().any(|&value| (self.waits)(value))
            {
                return false;
            }
            let successors = block.terminator.successors().into_iter();
            todo.extend(successors.filter(|&to| to != other && seen.insert(to)));
        }
        // An endless loop is not an exit.
        let leaves = seen.iter().any(|&at| matches!(blocks[at].terminator, Terminator::Return(_)));
        leaves && self.rejoins_without_effects(&seen, other)
    }

    /// Whether the threads that get from `region` to the block `other` have no effects that are visible there.
    fn rejoins_without_effects(&self, region: &FxHashSet<BlockId>, other: BlockId) -> bool {
        let blocks = &self.function.blocks;
        let mut returning: FxHashSet<BlockId> = FxHashSet::default();
        loop {
            let leads_back = |at: &&BlockId| {
                let mut successors = blocks[**at].terminator.successors().into_iter();
                !returning.contains(*at) && successors.any(|to| to == other || returning.contains(&to))
            };
            let more: Vec<BlockId> = region.iter().filter(leads_back).copied().collect();
            if more.is_empty() {
                break;
            }
            returning.extend(more);
        }
        let is = |block: BlockId, what: fn(&Op) -> bool| {
            blocks[block].values.iter().any(|&value| what(&self.function.values[value].op))
        };
        returning.is_empty()
            || !is(other, |op| matches!(op, Op::Phi(_)))
                && !returning.iter().any(|&block| {
                    is(block, |op| {
                        matches!(op, Op::Store { .. } | Op::Copy { .. } | Op::Clear { .. } | Op::Call(_))
                    })
                })
    }

    /// Returns the `if` whose condition decides whether a block is reached. The block is the beginning of a branch of
    /// the `if`, or of an operand in its condition.
    fn statement_of(&self, side: BlockId) -> Option<StmtId> {
        let block = &self.function.blocks[side];
        if block.after.is_some() {
            return None;
        }
        let stmts = &self.body.stmts;
        let is_held = |outer: &StmtId| match stmts[*outer].kind {
            StmtKind::If { then, otherwise, .. } => then == block.stmt || otherwise == Some(block.stmt),
            _ => false,
        };
        let itself = matches!(stmts[block.stmt].kind, StmtKind::If { .. }).then_some(block.stmt);
        stmts[block.stmt].parent.filter(is_held).or(itself)
    }
}
