//! Jumps that no thread of a group takes without the others: they leave nothing to the implementation.
//!
//! **Settled** doubt: every jump that raises it is taken by all threads of the group or by none. So they never part, and where tangles meet
//! in form, one set of threads comes in fact (`docs/semantics.md` §5). What is not known settles nothing, although elsewhere it is taken to be the same for
//! all.
//!
//! ```c
//! kernel void k(int n) {
//!   if (n) goto on;      // n is the same for all
//!   n = 1;
//! on:
//!   barrier(1);          // two candidate tangles, a settled doubt
//! }
//! ```

use std::cell::LazyCell;

use rustc_hash::FxHashMap;

use super::Fact;
use super::passed::Passed;
use super::unit::{Facts, UnitFacts};
use crate::flow::{BlockId, Function, Terminator};
use crate::program::{FunctionId, targets};
use crate::tangle::{Arrival, Doubt, DoubtId, Model, Tangles, doubtful_calls, tangles_of};
use tangle_hir::body::{Body, CallId, StmtId, StmtKind};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// The calls of a function whose convergence is implementation-defined in form, and whose doubts are settled for the groups that wait in
/// them, in order.
#[salsa::tracked]
pub fn settled_calls<'db>(db: &'db dyn Db, id: FunctionId<'db>, model: Model) -> Box<[CallId]> {
    with_jumps(db, id, model, |facts, tangles, jumps| {
        let at = facts.functions().of_id(id)?;
        let definition = facts.functions().get(at);
        let scoped = definition.item.scoped;
        let number = definition.body as usize;
        let own = doubtful_calls(db, scoped.item(db), model).iter().filter(|(body, _)| *body == number);
        let targets = targets(db, scoped, number);
        let mut judged: FxHashMap<(DoubtId, Scope), bool> = FxHashMap::default();
        let mut is_settled = |call: CallId| {
            let scope = facts.runs_by(targets[call])?.scope()?;
            let doubt = tangles.calls[call].doubt?;
            let settled = judged.entry((doubt, scope));
            Some(*settled.or_insert_with(|| jumps.settle(tangles, &tangles.doubts[doubt], scope)))
        };
        Some(own.map(|&(_, call)| call).filter(|&call| is_settled(call) == Some(true)).collect())
    })
    .unwrap_or_default()
}

/// The doubts of a function that are settled for work-groups, in order.
#[salsa::tracked]
pub fn settled_doubts<'db>(db: &'db dyn Db, id: FunctionId<'db>, model: Model) -> Box<[DoubtId]> {
    with_jumps(db, id, model, |_, tangles, jumps| {
        let doubts = tangles.doubts.iter_enumerated();
        let settled = doubts.filter(|(_, doubt)| jumps.settle(tangles, doubt, Scope::Workgroup));
        Some(settled.map(|(doubt, _)| doubt).collect())
    })
    .unwrap_or_default()
}

/// Calls `ask` with the jumps of a function. None: there is nothing to ask.
fn with_jumps<'db, R>(
    db: &'db dyn Db,
    id: FunctionId<'db>,
    model: Model,
    ask: impl FnOnce(&UnitFacts<'db>, &Tangles, &mut Jumps) -> Option<R>,
) -> Option<R> {
    let facts = UnitFacts::of(db, id.file(db), id.settings(db));
    let at = facts.functions().of_id(id)?;
    let definition = facts.functions().get(at);
    let tangles = &tangles_of(db, definition.item.scoped.item(db), model).0[definition.body as usize];
    if tangles.doubts.is_empty() {
        return None;
    }
    let passed = || facts.passed(at);
    let known = facts.facts(at)?;
    // That a doubt is settled is told by silence, and so nothing may be taken for granted.
    let doubting = facts.doubting(at);
    let known = Facts { uniformity: doubting.as_ref().unwrap_or(known.uniformity), ..known };
    let above = LazyCell::new(|| facts.is_known_above(at));
    let is_known_above = || *above;
    ask(&facts, tangles, &mut Jumps::of(known, definition.body(db), model, &passed, &is_known_above))
}

/// What is known of the jumps of a function: thousands of operations may be in doubt for the same ones.
struct Jumps<'a, 'db> {
    facts: Facts<'a>,
    body: &'a Body,
    model: Model,
    /// What the function is passed: most jumps do not depend on it.
    passed: &'a dyn Fn() -> &'db Passed,
    /// Whether nothing that it is passed was taken for granted.
    is_known_above: &'a dyn Fn() -> bool,
    /// The block that ends with each jump.
    blocks: FxHashMap<StmtId, Option<BlockId>>,
    /// Whether all threads of a group come to the end of a block together and go the same way there.
    agreed: FxHashMap<(BlockId, Scope), bool>,
}

impl<'a, 'db> Jumps<'a, 'db> {
    fn of(
        facts: Facts<'a>,
        body: &'a Body,
        model: Model,
        passed: &'a dyn Fn() -> &'db Passed,
        is_known_above: &'a dyn Fn() -> bool,
    ) -> Jumps<'a, 'db> {
        Jumps {
            facts,
            body,
            model,
            passed,
            is_known_above,
            blocks: FxHashMap::default(),
            agreed: FxHashMap::default(),
        }
    }

    /// Whether they settle a doubt for groups of a scope.
    fn settle(&mut self, tangles: &Tangles, doubt: &Doubt, scope: Scope) -> bool {
        // Of jumps that are not known it is not known who takes them.
        if doubt.is_cut() {
            return false;
        }
        // Who leaves a loop by a jump does so together with the others only if all stay for the same number of iterations. In the revision
        // each doubt is one about iterations: of a loop that is jumped into, also if nobody enters it in another way, or of a goto cycle.
        let mut iterates = self.model == Model::Revised;
        let mut jumps = false;
        for arrival in tangles.arrivals(doubt) {
            iterates |= matches!(arrival, Arrival::Cycle { .. } | Arrival::Jump { leaves: Some(_), .. });
            match arrival {
                Arrival::InSequence => {}
                // It is left open also for those who come together.
                Arrival::Marked(_) => return false,
                Arrival::Jump { source, .. } | Arrival::Cycle { source, .. } => {
                    jumps = true;
                    let (function, body) = (self.facts.function, self.body);
                    let block =
                        *self.blocks.entry(source).or_insert_with(|| block_of(function, body, source));
                    if !block.is_some_and(|block| self.together(block, scope)) {
                        return false;
                    }
                }
            }
        }
        let exits = &self.facts.uniformity.exits;
        jumps && (!iterates || exits.iter().all(|&exit| self.together(exit, scope)))
    }

    fn together(&mut self, block: BlockId, scope: Scope) -> bool {
        let (uniformity, passed, is_known_above) = (self.facts.uniformity, self.passed, self.is_known_above);
        let agree = |fact: Fact| {
            !fact.divergence.within(scope)
                && (!fact.is_open() || (is_known_above() && passed().agree(fact, scope)))
        };
        *self
            .agreed
            .entry((block, scope))
            .or_insert_with(|| agree(uniformity.control[block]) && agree(uniformity.branches[block]))
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
