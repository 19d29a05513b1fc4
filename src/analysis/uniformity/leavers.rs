//! Threads that leave the kernel: what would be if those who returned did not count.
//!
//! Three ways not to take part are kept apart (`docs/semantics.md` §10): a thread has **left** the kernel, is **elsewhere**, or is absent from a mask. Some languages
//! promise that a barrier does not wait for who left.
//!
//! **Leaving** branch: one of whose sides is a way out of the kernel: what it reaches is inside the statement of the branch, ends in a `return`, and waits
//! for nobody. Some threads may come back from it to the other side, as from the left operand in `if (a && b) return;`, if that shows in nothing but their
//! coming. A barrier behind such a branch lacks those who left; a barrier on one side of a branch lacks those who are elsewhere, whether they leave later or
//! not.
//!
//! ```c
//! __global__ void k(int *p, int n) {
//!   if (threadIdx.x >= n) return;        // a leaving branch
//!   p[threadIdx.x] = 0;
//!   __syncthreads();                     // who is not here has left
//!   if (p[0]) __syncthreads();           // who is not here is elsewhere
//! }
//! ```
//!
//! **Staying** function: the same without the ways out of its leaving branches. Where all threads reach an operation in it, only those who left lack in the
//! function as it is.

use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Function, Op, Terminator, ValueId};
use tangle_hir::body::{Body, StmtId, StmtKind};

/// The staying function of a kernel. None: none of its branches is a leaving one. `waits`: whether threads wait for others at an operation.
pub fn staying(function: &Function, body: &Body, waits: &dyn Fn(ValueId) -> bool) -> Option<Function> {
    if !function.kernel {
        return None;
    }
    let leavers = Leavers { function, body, waits };
    let leaving: Vec<(BlockId, BlockId)> =
        function.blocks.indices().filter_map(|block| Some((block, leavers.stays(block)?))).collect();
    if leaving.is_empty() {
        return None;
    }
    let mut staying = function.clone();
    for (block, stays) in leaving {
        staying.blocks[block].terminator = Terminator::Jump(stays);
    }
    Some(staying)
}

struct Leavers<'a> {
    function: &'a Function,
    body: &'a Body,
    waits: &'a dyn Fn(ValueId) -> bool,
}

impl Leavers<'_> {
    /// Where those go at the end of a block who do not leave, if it ends in a leaving branch.
    fn stays(&self, block: BlockId) -> Option<BlockId> {
        let Terminator::Branch { then, otherwise, .. } = self.function.blocks[block].terminator else {
            return None;
        };
        match (self.leads_out(then, otherwise), self.leads_out(otherwise, then)) {
            (true, _) => Some(otherwise),
            (false, true) => Some(then),
            (false, false) => None,
        }
    }

    /// Whether one side of a branch is a way out, from which threads come back at most to the other side.
    fn leads_out(&self, side: BlockId, other: BlockId) -> bool {
        let blocks = &self.function.blocks;
        let Some(around) = self.statement_of(side) else { return false };
        let mut seen: FxHashSet<BlockId> = FxHashSet::from_iter([side]);
        let mut todo = vec![side];
        while let Some(at) = todo.pop() {
            let block = &blocks[at];
            let is_inside = block.behind != Some(around) && self.body.contains(around, block.stmt);
            if at == other || !is_inside || block.values.iter().any(|&value| (self.waits)(value)) {
                return false;
            }
            let successors = block.terminator.successors().into_iter();
            todo.extend(successors.filter(|&to| to != other && seen.insert(to)));
        }
        // An endless loop leads nowhere.
        let leaves = seen.iter().any(|&at| matches!(blocks[at].terminator, Terminator::Return(_)));
        leaves && self.come_back_unseen(&seen, other)
    }

    /// Whether those who come back from some blocks to another one did nothing that could be seen there.
    fn come_back_unseen(&self, region: &FxHashSet<BlockId>, other: BlockId) -> bool {
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

    /// The `if` whose condition decides if threads come to a block, which is the beginning of a statement that it holds, or of an operand in the condition.
    fn statement_of(&self, side: BlockId) -> Option<StmtId> {
        let block = &self.function.blocks[side];
        if block.behind.is_some() {
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
