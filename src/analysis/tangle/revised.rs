//! The model `revised`: convergence is defined except in irreducible loops and goto cycles (`docs/semantics.md` §4).
//!
//! **Irreducible loop**: an iteration statement with a label inside, to which a `goto` or `switch` outside jumps.
//! **Goto cycle**: the statements from a label to a `goto` that jumps back to it, in source order. In both, convergence
//! is implementation-defined at each statement. The substatements of such a statement *inherit* its doubt. Convergence
//! is also implementation-defined at a statement marked `noconvergent`. Inside, the usual rules hold for the threads
//! that began the statement together, and the doubt is inherited.
//!
//! ```c
//! again: a();           // in the goto cycle: implementation-defined
//! if (c) { b(); goto again; } // the `if` too; `b()` inherits its doubt
//! d();                  // defined: an exit reconverges
//! ```

use std::cmp::Reverse;

use index_vec::{IndexVec, index_vec};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::ancestors::Ancestors;
use super::points::{Point, Points};
use super::sets::Set;
use super::streams::{Element, Jump, JumpId, JumpKind, Streams};
use super::{DoubtId, ImplementationDefined, TangleFacts, Tangles};
use tangle_hir::body::{Body, EvaluationTime, OperandId, StmtId, StmtKind};

pub fn revised(body: &Body, points: &Points, ancestors: &Ancestors, streams: &Streams) -> Tangles {
    let mut doubts: IndexSet<ImplementationDefined, FxBuildHasher> = IndexSet::default();
    let causes = causes(body, points, ancestors, streams);
    let inherited = inherited(body, &causes);
    let mut of_stmt: IndexVec<StmtId, Option<DoubtId>> = index_vec![None; body.stmts.len()];
    for stmt in body.stmts.indices() {
        if let Some(cause) = &causes[stmt] {
            let doubt = cause.describe(body, ancestors, streams, inherited[stmt]);
            of_stmt[stmt] = Some(DoubtId::new(doubts.insert_full(doubt).0));
        }
    }
    let facts = |point: Point, doubt: Option<DoubtId>| {
        let reachable = streams.reached(point);
        TangleFacts { candidates: Box::default(), reachable, doubt: doubt.filter(|_| reachable) }
    };
    let evaluated = |stmt: StmtId, role: EvaluationTime, operand: Option<OperandId>| {
        if operand.is_some_and(|operand| !body.operands[operand].reachable) {
            return TangleFacts::default();
        }
        let own = points.stmts[stmt];
        match role {
            EvaluationTime::Entry => facts(own.entry, of_stmt[stmt]),
            // The condition and the step are part of the cycle of the loop, so they have the doubt of its body.
            EvaluationTime::LoopCondition => facts(own.condition, of_stmt[loop_body(body, stmt)]),
            EvaluationTime::LoopStep => facts(own.step, of_stmt[loop_body(body, stmt)]),
        }
    };
    Tangles {
        candidates: IndexVec::new(),
        stmts: body.stmts.indices().map(|stmt| facts(points.stmts[stmt].entry, of_stmt[stmt])).collect(),
        calls: body.calls.iter().map(|call| evaluated(call.stmt, call.role, call.operand)).collect(),
        operands: body
            .operands
            .iter_enumerated()
            .map(|(id, operand)| evaluated(operand.stmt, operand.role, Some(id)))
            .collect(),
        doubts: doubts.into_iter().collect(),
        // An exit from a loop reconverges.
        jumps: streams.jumps.iter().map(|jump| Jump { leaves: None, ..jump.clone() }).collect(),
    }
}

fn loop_body(body: &Body, stmt: StmtId) -> StmtId {
    match body.stmts[stmt].kind {
        StmtKind::While { body, .. } | StmtKind::Do { body, .. } | StmtKind::For { body, .. } => body,
        _ => stmt,
    }
}

/// The cause for which the convergence of a statement is implementation-defined.
#[derive(Clone, Default)]
struct RevisedCause {
    /// The jumps into irreducible loops around the statement, and the jumps of the goto cycles that contain it.
    jumps: Vec<JumpId>,
    /// The innermost enclosing statement, or this one, that is marked `noconvergent`.
    marked: Option<StmtId>,
    /// The statement after which threads reconverge: an irreducible loop, the last part of a goto cycle, or the
    /// outermost marked statement.
    rejoins: Option<StmtId>,
    /// Whether there are more jumps than are stored.
    cut: bool,
}

/// The maximum number of jumps that are stored for one loop or statement. More jumps do not change the verdict.
const MAX_JUMPS: usize = 64;

impl RevisedCause {
    fn add(&mut self, body: &Body, jump: JumpId, rejoins: StmtId) {
        if self.jumps.last() != Some(&jump) {
            match self.jumps.len() < MAX_JUMPS {
                true => self.jumps.push(jump),
                false => self.cut = true,
            }
        }
        self.extend_to(body, rejoins);
    }

    fn extend_to(&mut self, body: &Body, rejoins: StmtId) {
        // The statement that ends last; of several with the same end, the outermost.
        let later = |&stmt: &StmtId| (body.stmts[stmt].end, Reverse(stmt));
        self.rejoins = self.rejoins.into_iter().chain([rejoins]).max_by_key(later);
    }

    fn describe(
        &self,
        body: &Body,
        ancestors: &Ancestors,
        streams: &Streams,
        inherited: bool,
    ) -> ImplementationDefined {
        let way = |&jump: &JumpId| {
            let Jump { source, target, cycle, .. } = streams.jumps[jump];
            if cycle && ancestors.loops_without(body, target, source).next().is_none() {
                Element::AfterCycle(jump)
            } else {
                Element::Jump(jump)
            }
        };
        let mut paths: Set = self.jumps.iter().map(|jump| way(jump).number(streams.jumps.len())).collect();
        if self.cut {
            paths.mark_truncated();
        }
        ImplementationDefined {
            arrivals: paths,
            marked: self.marked,
            reconverges_after: self.rejoins.unwrap_or(Body::ROOT),
            inherited,
        }
    }
}

fn causes(
    body: &Body,
    points: &Points,
    ancestors: &Ancestors,
    streams: &Streams,
) -> IndexVec<StmtId, Option<RevisedCause>> {
    let mut causes: IndexVec<StmtId, Option<RevisedCause>> = index_vec![None; body.stmts.len()];
    let mut entries: FxHashMap<StmtId, usize> = FxHashMap::default();
    for (id, jump) in streams.jumps.iter_enumerated() {
        if !streams.reached(points.stmts[jump.source].head) {
            continue;
        }
        // Every loop that the jump enters is irreducible. This includes loops in a `switch` that contain a `case`.
        for irreducible in ancestors.loops_without(body, jump.target, jump.source) {
            let entries = entries.entry(irreducible).or_default();
            *entries += 1;
            // One jump beyond the limit sets `cut`.
            if *entries > MAX_JUMPS + 1 {
                continue;
            }
            let held = loop_body(body, irreducible);
            for stmt in held.index()..body.stmts[held].end.index() {
                causes[StmtId::new(stmt)].get_or_insert_default().add(body, id, irreducible);
            }
        }
        // Only the order in the source counts, even if no thread can get from the label to the jump (§4 (b)).
        if jump.kind == JumpKind::Goto && jump.target <= jump.source {
            // The threads reconverge after the largest statement that contains the `goto` but not the label.
            let last = ancestors.largest_without(body, jump.source, jump.target);
            // The substatements of a statement that begins in the cycle inherit its doubt, even after the jump.
            let end = body.stmts[last].end.max(body.stmts[jump.target].end);
            for stmt in jump.target.index()..end.index() {
                causes[StmtId::new(stmt)].get_or_insert_default().add(body, id, last);
            }
        }
    }
    // The innermost and the outermost marked statement around each statement, the statement itself included.
    let mut marked: IndexVec<StmtId, Option<(StmtId, StmtId)>> = IndexVec::with_capacity(body.stmts.len());
    for (id, stmt) in body.stmts.iter_enumerated() {
        let around = stmt.parent.and_then(|parent| marked[parent]);
        let outermost = around.map_or(id, |(_, outermost)| outermost);
        let own = if stmt.noconvergent { Some((id, outermost)) } else { around };
        if let Some((innermost, outermost)) = own {
            let cause = causes[id].get_or_insert_default();
            cause.marked = Some(innermost);
            cause.extend_to(body, outermost);
        }
        marked.push(own);
    }
    causes
}

/// Returns, for each statement, whether its doubt comes from an enclosing statement other than blocks and labels.
fn inherited(body: &Body, causes: &IndexVec<StmtId, Option<RevisedCause>>) -> IndexVec<StmtId, bool> {
    let mut inherited = IndexVec::with_capacity(body.stmts.len());
    let by_jumps = |stmt: StmtId| causes[stmt].as_ref().is_some_and(|cause| !cause.jumps.is_empty());
    for (id, stmt) in body.stmts.iter_enumerated() {
        if !by_jumps(id) {
            // A marked statement has a doubt of its own, which its substatements inherit.
            inherited.push(causes[id].is_some() && !stmt.noconvergent);
            continue;
        }
        inherited.push(stmt.parent.is_some_and(|outer| match body.stmts[outer].kind {
            StmtKind::Compound(_) | StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_) => {
                by_jumps(outer) && inherited[outer]
            }
            _ => by_jumps(outer),
        }));
    }
    inherited
}
