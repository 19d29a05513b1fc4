//! Jumps that no thread of a group takes without the others: they leave nothing to the implementation.
//!
//! **Settled** doubt: every jump that raises it is taken by all threads of the group or by none. So they never part, and where tangles meet
//! in form, one set of threads comes in fact (SEMANTICS §5).
//!
//! ```c
//! kernel void k(int n) {
//!   if (n) goto on;      // n is the same for all
//!   n = 1;
//! on:
//!   barrier(1);          // two candidate tangles, a settled doubt
//! }
//! ```

use rustc_hash::FxHashSet;

use super::Fact;
use super::analysis::Analysis;
use super::cause::Subject;
use crate::flow::{BlockId, Function, Terminator};
use crate::hir::body::{Body, StmtId, StmtKind};
use crate::tangle::{Arrival, Doubt};

/// Whether a doubt is settled. `agree` says whether the threads of the group agree on something of which this is the fact.
pub fn is_settled(
    analysis: &Analysis,
    body: &Body,
    doubt: &Doubt,
    agree: &dyn Fn(Subject, Fact) -> bool,
) -> bool {
    let together = |block: BlockId| {
        agree(Subject::Control(block), analysis.control[block])
            && agree(Subject::Branch(block), analysis.branches[block])
    };
    let sources: FxHashSet<StmtId> = doubt
        .arrivals
        .iter()
        .filter_map(|arrival| match *arrival {
            Arrival::InSequence => None,
            Arrival::Jump { source, .. } | Arrival::Cycle { source, .. } => Some(source),
        })
        .collect();
    // Who leaves a loop by a jump does so together with the others only if all stay for the same number of iterations.
    let iterates = doubt
        .arrivals
        .iter()
        .any(|it| matches!(it, Arrival::Cycle { .. } | Arrival::Jump { leaves: Some(_), .. }));
    if iterates && !analysis.graph.exit_branches.iter().flatten().all(|&exit| together(exit)) {
        return false;
    }
    let jumps_together = |&jump: &StmtId| block_of(analysis.function, body, jump).is_some_and(together);
    !sources.is_empty() && sources.iter().all(jumps_together)
}

/// The block that ends with a jump.
fn block_of(function: &Function, body: &Body, jump: StmtId) -> Option<BlockId> {
    let own = body.stmts[jump].span;
    let is_switch = matches!(body.stmts[jump].kind, StmtKind::Switch { .. });
    let blocks = function.blocks.iter_enumerated();
    let ends = blocks.filter(|(_, block)| {
        let kind = match block.terminator {
            Terminator::Switch { .. } => true,
            Terminator::Jump(_) => !is_switch,
            _ => false,
        };
        kind && own.start <= block.end.start && block.end.end <= own.end
    });
    // Of nested switches the outermost begins first.
    ends.min_by_key(|(_, block)| block.end.start).map(|(id, _)| id)
}
