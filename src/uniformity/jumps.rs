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

use rustc_hash::FxHashMap;

use super::Fact;
use super::analysis::Analysis;
use super::cause::Subject;
use crate::dialect::Scope;
use crate::flow::{BlockId, Function, Terminator};
use crate::hir::body::{Body, StmtId, StmtKind};
use crate::tangle::{Arrival, Doubt, Tangles};

/// Whether the threads of a group of a scope agree on something of which this is the fact.
pub type Agree<'a> = &'a dyn Fn(Scope, Subject, Fact) -> bool;

/// What is known of the jumps of a function: thousands of operations may be in doubt for the same ones.
pub struct Jumps<'a> {
    analysis: &'a Analysis<'a>,
    body: &'a Body,
    agree: Agree<'a>,
    /// The block that ends with each jump.
    blocks: FxHashMap<StmtId, Option<BlockId>>,
    /// Whether all threads of a group come to the end of a block together and go the same way there.
    agreed: FxHashMap<(BlockId, Scope), bool>,
}

impl<'a> Jumps<'a> {
    pub fn of(analysis: &'a Analysis<'a>, body: &'a Body, agree: Agree<'a>) -> Jumps<'a> {
        Jumps { analysis, body, agree, blocks: FxHashMap::default(), agreed: FxHashMap::default() }
    }

    /// Whether a doubt is settled for groups of a scope.
    pub fn are_settled(&mut self, tangles: &Tangles, doubt: &Doubt, scope: Scope) -> bool {
        // Of jumps that are not known it is not known who takes them.
        if doubt.is_cut() {
            return false;
        }
        // Who leaves a loop by a jump does so together with the others only if all stay for the same number of iterations.
        let mut iterates = false;
        let mut jumps = false;
        for arrival in tangles.arrivals(doubt) {
            iterates |= matches!(arrival, Arrival::Cycle { .. } | Arrival::Jump { leaves: Some(_), .. });
            match arrival {
                Arrival::InSequence => {}
                Arrival::Jump { source, .. } | Arrival::Cycle { source, .. } => {
                    jumps = true;
                    let (function, body) = (self.analysis.function, self.body);
                    let block =
                        *self.blocks.entry(source).or_insert_with(|| block_of(function, body, source));
                    if !block.is_some_and(|block| self.together(block, scope)) {
                        return false;
                    }
                }
            }
        }
        let exits = &self.analysis.graph.exit_branches;
        jumps && (!iterates || exits.iter().flatten().all(|&exit| self.together(exit, scope)))
    }

    fn together(&mut self, block: BlockId, scope: Scope) -> bool {
        let (analysis, agree) = (self.analysis, self.agree);
        *self.agreed.entry((block, scope)).or_insert_with(|| {
            agree(scope, Subject::Control(block), analysis.control[block])
                && agree(scope, Subject::Branch(block), analysis.branches[block])
        })
    }
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
