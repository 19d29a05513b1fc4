//! Uniform jumps: implementation-defined convergence that they cause cannot be observed.
//!
//! **Settled** doubt: each jump that causes it is taken by all threads of the group or by none. So the threads do not
//! diverge, and only one of the candidate tangles exists at run time (`docs/semantics.md` §5). A jump that depends on
//! an unknown settles no doubt, although other analyses assume that unknown names are uniform.
//!
//! ```c
//! kernel void k(int n) {
//!   if (n) goto on;      // n is the same for all
//!   n = 1;
//! on:
//!   barrier(1);          // two candidate tangles, a settled doubt
//! }
//! ```
//!
//! Threads that have exited the kernel before take no jump, so they do not matter ([`super::early_exits`]).

use std::cell::LazyCell;

use rustc_hash::FxHashMap;

use super::Fact;
use super::argument_summary::ArgumentSummary;
use super::unit::{FunctionFacts, UnitFacts};
use crate::flow::{BlockId, Function, Terminator};
use crate::program::{FunctionId, targets};
use crate::tangle::{Arrival, DoubtId, ImplementationDefined, Model, Tangles, doubtful_calls, tangles_of};
use tangle_hir::body::{Body, CallId, StmtId, StmtKind};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// Returns the calls of a function with a doubt that is settled for the group that waits in the call, in order.
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

/// Returns the doubts of a function that are settled for work-groups, in order.
#[salsa::tracked]
pub fn settled_doubts<'db>(db: &'db dyn Db, id: FunctionId<'db>, model: Model) -> Box<[DoubtId]> {
    with_jumps(db, id, model, |_, tangles, jumps| {
        let doubts = tangles.doubts.iter_enumerated();
        let settled = doubts.filter(|(_, doubt)| jumps.settle(tangles, doubt, Scope::Workgroup));
        Some(settled.map(|(doubt, _)| doubt).collect())
    })
    .unwrap_or_default()
}

/// Calls `ask` with the jumps of a function. None if the function has no doubts or no facts.
fn with_jumps<'db, R>(
    db: &'db dyn Db,
    id: FunctionId<'db>,
    model: Model,
    ask: impl FnOnce(&UnitFacts<'db>, &Tangles, &mut UniformJumps) -> Option<R>,
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
    // A settled doubt suppresses a warning, so it must not rest on an assumption.
    let doubting = facts.verdicts_without_assumptions(at);
    let known = FunctionFacts { uniformity: doubting.as_ref().unwrap_or(known.uniformity), ..known };
    let staying = LazyCell::new(|| facts.without_exited_or_assumptions(at));
    let without_exited = || {
        let (function, uniformity) = (*staying).as_ref()?;
        Some(FunctionFacts { function, uniformity })
    };
    let above = LazyCell::new(|| facts.callers_have_no_unknowns(at));
    let is_known_above = || *above;
    let mut jumps = UniformJumps {
        facts: known,
        without_exited: &without_exited,
        body: definition.body(db),
        model,
        passed: &passed,
        is_known_above: &is_known_above,
        blocks: FxHashMap::default(),
        agreed: FxHashMap::default(),
    };
    ask(&facts, tangles, &mut jumps)
}

/// The uniformity of the jumps of a function, cached: thousands of operations may have doubts with the same jumps.
struct UniformJumps<'a, 'db> {
    facts: FunctionFacts<'a>,
    /// Returns the facts of the function without its early exits. `None` if it has none.
    without_exited: &'a dyn Fn() -> Option<FunctionFacts<'a>>,
    body: &'a Body,
    model: Model,
    /// Returns the argument summary of the function. Computed on demand, because most jumps do not depend on it.
    passed: &'a dyn Fn() -> &'db ArgumentSummary,
    /// Whether no caller contains an unknown, so that the argument summary rests on no assumption.
    is_known_above: &'a dyn Fn() -> bool,
    /// The block that ends with each jump.
    blocks: FxHashMap<StmtId, Option<BlockId>>,
    /// Whether all threads of a group, or all that have not exited (`true`), reach the end of a block together and take
    /// the same path there.
    agreed: FxHashMap<(bool, BlockId, Scope), bool>,
}

impl<'a> UniformJumps<'a, '_> {
    /// Whether the jumps of a doubt settle it for groups of a scope.
    fn settle(&mut self, tangles: &Tangles, doubt: &ImplementationDefined, scope: Scope) -> bool {
        self.settle_in(None, tangles, doubt, scope)
            // Threads that exited early take no jump.
            || (self.without_exited)()
                .is_some_and(|staying| self.settle_in(Some(staying), tangles, doubt, scope))
    }

    /// Whether the jumps settle a doubt. `staying`: the facts of the function without its early exits, if they count.
    fn settle_in(
        &mut self,
        staying: Option<FunctionFacts<'a>>,
        tangles: &Tangles,
        doubt: &ImplementationDefined,
        scope: Scope,
    ) -> bool {
        // The jumps beyond the limit may be divergent.
        if doubt.is_truncated() {
            return false;
        }
        // Threads leave a loop by a jump together only if all of them iterate it equally often. In the model `revised`,
        // every doubt is about iterations: of a goto cycle, or of a loop with a jump into it. The jump may be the only
        // entry of the loop.
        let mut iterates = self.model == Model::Revised;
        let mut jumps = false;
        for arrival in tangles.arrivals(doubt) {
            iterates |= matches!(arrival, Arrival::CycleExit { .. } | Arrival::Jump { leaves: Some(_), .. });
            match arrival {
                Arrival::InSequence => {}
                // Implementation-defined even for threads that arrive together.
                Arrival::Marked(_) => return false,
                Arrival::Jump { source, .. } | Arrival::CycleExit { source, .. } => {
                    jumps = true;
                    let (function, body) = (self.facts.function, self.body);
                    let block =
                        *self.blocks.entry(source).or_insert_with(|| block_of_jump(function, body, source));
                    if !block.is_some_and(|block| self.is_uniform_jump(staying, block, scope)) {
                        return false;
                    }
                }
            }
        }
        let exits = &staying.unwrap_or(self.facts).uniformity.exits;
        jumps && (!iterates || exits.iter().all(|&exit| self.is_uniform_jump(staying, exit, scope)))
    }

    fn is_uniform_jump(&mut self, staying: Option<FunctionFacts<'a>>, block: BlockId, scope: Scope) -> bool {
        let uniformity = staying.unwrap_or(self.facts).uniformity;
        let (passed, is_known_above) = (self.passed, self.is_known_above);
        let agree = |fact: Fact| {
            !fact.divergence.within(scope)
                && (!fact.depends_on_caller() || (is_known_above() && passed().is_uniform(fact, scope)))
        };
        *self
            .agreed
            .entry((staying.is_some(), block, scope))
            .or_insert_with(|| agree(uniformity.control[block]) && agree(uniformity.branches[block]))
    }
}

/// Finds the block that ends with a jump, a `return` or a `switch`.
pub fn block_of_jump(function: &Function, body: &Body, jump: StmtId) -> Option<BlockId> {
    let own = body.stmts[jump].span;
    let is_switch = matches!(body.stmts[jump].kind, StmtKind::Switch { .. });
    let blocks = function.blocks.iter_enumerated();
    let ends = blocks.filter(|(_, block)| {
        let kind = match block.terminator {
            Terminator::Switch { .. } => true,
            Terminator::Jump(_) | Terminator::Return(_) => !is_switch,
            _ => false,
        };
        kind && own.start <= block.end.start && block.end.end <= own.end
    });
    // Of several switches in the span, the jump is the outermost one, which begins first.
    ends.min_by_key(|(_, block)| block.end.start).map(|(id, _)| id)
}
