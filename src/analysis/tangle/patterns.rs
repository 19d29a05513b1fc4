//! Patterns of jumps that make convergence implementation-defined, with or without a convergent operation nearby.
//!
//! **Jump into a loop**: a `goto`, or the jump of a `switch` to a label, whose target is in a loop that does not
//! contain the jump. **Fall-through**: a `case` or `default` that is reached by the jump and also from the previous
//! statement.
//!
//! ```c
//! switch (n) {
//! case 0:
//!   do {
//!     a();
//! case 1:         // in a loop inside the `switch`, and reached by fall-through
//!     b();
//!   } while (n--);
//! }
//! ```
//!
//! See `docs/semantics.md` §2 (*Distinct until*) and `thread-convergence.rst`, *Divergent Jumps*.

use index_vec::{IndexVec, index_vec};

use super::ancestors::Ancestors;
use super::points::{Point, Points};
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId, Stmt, StmtId, StmtKind};
use tangle_syntax::db::Db;
use tangle_syntax::items::Item;

/// A jump that enters a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpIntoLoop {
    /// The `goto`, or the `switch`.
    pub jump: StmtId,
    /// The label.
    pub target: StmtId,
    /// The outermost loop that it enters.
    pub entered: StmtId,
}

/// The patterns of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    /// In source order of the jumps. The jumps of one `switch` are in the order of its labels.
    pub into_loops: Vec<JumpIntoLoop>,
    /// The labels reached by fall-through, each with its `switch`. Of stacked labels, only the first is listed.
    pub fall_through: Vec<(StmtId, StmtId)>,
}

impl Patterns {
    pub fn is_empty(&self) -> bool {
        self.into_loops.is_empty() && self.fall_through.is_empty()
    }
}

/// Finds the patterns in the bodies of an item. Bodies without a pattern are omitted.
#[salsa::tracked]
pub fn patterns_of<'db>(db: &'db dyn Db, item: Item<'db>) -> PatternsOf {
    let found = bodies(db, item).0.iter().enumerate().map(|(index, body)| (index, patterns(body)));
    PatternsOf(found.filter(|(_, patterns)| !patterns.is_empty()).collect())
}

/// The value of [`patterns_of`]: the patterns with the number of their body.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct PatternsOf(pub Box<[(usize, Patterns)]>);

fn patterns(body: &Body) -> Patterns {
    let mut found = Patterns::default();
    let jumps = |stmt: &Stmt| !targets(&stmt.kind).is_empty();
    if !body.stmts.iter().any(jumps) {
        return found;
    }
    let ancestors = Ancestors::of(body);
    let points = Points::of(body);
    let reached = reached(body, &points);
    let mut fallen: IndexVec<StmtId, bool> = index_vec![false; body.stmts.len()];
    for from in points.successors.indices().filter(|&from| reached[from]) {
        for &to in &points.successors[from] {
            // The edge from a label to its substatement is not a fall-through, even if that is another label.
            let through =
                points.scope[from].filter(|&stmt| is_label(body, stmt) && points.stmts[stmt].entry == from);
            if let Some(stmt) = points.scope[to]
                && points.stmts[stmt].entry == to
                && through.is_none()
            {
                fallen[stmt] = true;
            }
        }
    }
    for (jump, stmt) in body.stmts.iter_enumerated() {
        if !reached[points.stmts[jump].entry] {
            continue;
        }
        for &target in targets(&stmt.kind) {
            if let Some(entered) = ancestors.loops_without(body, target, jump).last() {
                found.into_loops.push(JumpIntoLoop { jump, target, entered });
            }
            if matches!(stmt.kind, StmtKind::Switch { .. }) && fallen[target] {
                found.fall_through.push((target, jump));
            }
        }
    }
    found
}

fn is_label(body: &Body, stmt: StmtId) -> bool {
    matches!(body.stmts[stmt].kind, StmtKind::Case(_) | StmtKind::Default(_) | StmtKind::Label(_))
}

/// Returns the labels to which a statement may jump.
fn targets(kind: &StmtKind) -> &[StmtId] {
    match kind {
        StmtKind::Goto(Some(target)) => std::slice::from_ref(target),
        StmtKind::ComputedGoto(targets)
        | StmtKind::Asm(targets)
        | StmtKind::Switch { labels: targets, .. } => targets,
        _ => &[],
    }
}

/// Finds the reachable points.
fn reached(body: &Body, points: &Points) -> IndexVec<Point, bool> {
    let mut reached: IndexVec<Point, bool> = index_vec![false; points.successors.len()];
    let mut todo = vec![points.stmts[Body::ROOT].entry];
    while let Some(point) = todo.pop() {
        if !std::mem::replace(&mut reached[point], true) {
            todo.extend(next(body, points, point));
        }
    }
    reached
}

/// Returns the successors of a point, by edges and by jumps.
fn next<'a>(body: &'a Body, points: &'a Points, from: Point) -> impl Iterator<Item = Point> + 'a {
    let jumps = points.scope[from].filter(|&stmt| points.stmts[stmt].head == from);
    let targets = jumps.map_or(&[][..], |stmt| targets(&body.stmts[stmt].kind));
    let targets = targets.iter().map(|&target| points.stmts[target].entry);
    points.successors[from].iter().copied().chain(targets)
}

/// Returns, for each label of a `switch`, the first of `calls` that threads can reach from it inside the `switch`.
pub fn first_call_from_labels(
    body: &Body,
    switch: StmtId,
    labels: &[StmtId],
    calls: impl Iterator<Item = CallId>,
) -> Vec<Option<CallId>> {
    let points = Points::of(body);
    let inside = |point: Point| {
        points.scope[point].is_some_and(|scope| scope != switch && body.contains(switch, scope))
    };
    let mut before: IndexVec<Point, Vec<Point>> = index_vec![Vec::new(); points.successors.len()];
    for from in points.successors.indices().filter(|&from| inside(from)) {
        next(body, &points, from).filter(|&to| inside(to)).for_each(|to| before[to].push(from));
    }
    // Search backwards from the calls, in their order, so that each point is visited once.
    let mut after: IndexVec<Point, Option<CallId>> = index_vec![None; points.successors.len()];
    for call in calls {
        let own = points.stmts[body.calls[call].stmt];
        let mut todo: Vec<Point> =
            [own.head, own.condition].into_iter().filter(|&point| inside(point)).collect();
        while let Some(point) = todo.pop() {
            if after[point].is_none() {
                after[point] = Some(call);
                todo.extend(&before[point]);
            }
        }
    }
    labels.iter().map(|&label| after[points.stmts[label].entry]).collect()
}
