//! The points of a body that threads pass, and the edges between them, without jumps.
//!
//! **Point**: before a statement (*entry*), after it (*exit*), or where a loop evaluates its condition or its step.
//! Threads pass from point to point along *edges*. A `goto` or `switch` is not an edge but a
//! [`Jump`](super::streams::Jump), because its threads stay separate. `break`, `continue` and the end of a statement
//! are edges: their threads reconverge.
//!
//! ```c
//! while (c) {         // entry(while) -> condition -> entry(body) …
//!   if (d) continue;  // … entry(continue) -> condition
//!   a();              // … exit(a) -> exit(body) -> condition
//! }                   // condition -> exit(while)
//! ```
//!
//! A constant condition removes an edge. So the points of unreachable code are unreachable (`docs/semantics.md` §2).

use index_vec::{IndexVec, define_index_type};
use smallvec::SmallVec;

use tangle_hir::body::{Body, EvaluationTime, OperandId, StmtId, StmtKind};

define_index_type! {
    /// A position between two steps of the execution of a body.
    pub struct Point = u32;
}

/// The points of one statement.
#[derive(Clone, Copy, Debug)]
pub struct StmtPoints {
    pub entry: Point,
    pub exit: Point,
    /// After the expressions that the statement evaluates first. A `switch` or `goto` jumps from here.
    pub head: Point,
    /// Before the condition of a loop. For any other statement, its entry.
    pub condition: Point,
    /// After the condition, where the loop continues or ends.
    pub decision: Point,
    /// Where the next iteration of a loop begins: after the body and after `continue`. A `for` evaluates its step here.
    /// For a `do`, this is the condition.
    pub step: Point,
}

pub struct Points {
    /// The innermost statement that contains the point; None after the whole body. The exit of a statement is in its
    /// parent.
    pub scope: IndexVec<Point, Option<StmtId>>,
    /// For an exit, the statement that ends there.
    pub ends: IndexVec<Point, Option<StmtId>>,
    pub successors: IndexVec<Point, SmallVec<[Point; 2]>>,
    pub stmts: IndexVec<StmtId, StmtPoints>,
}

impl Points {
    pub fn of(body: &Body) -> Points {
        let mut points = Points {
            scope: IndexVec::new(),
            ends: IndexVec::new(),
            successors: IndexVec::new(),
            stmts: IndexVec::with_capacity(body.stmts.len()),
        };
        for (id, stmt) in body.stmts.iter_enumerated() {
            let entry = points.add(Some(id));
            let exit = points.add(stmt.parent);
            points.ends[exit] = Some(id);
            points.stmts.push(StmtPoints {
                entry,
                exit,
                head: entry,
                condition: entry,
                decision: entry,
                step: entry,
            });
        }
        for id in body.stmts.indices() {
            points.own_points(body, id);
        }
        for id in body.stmts.indices() {
            points.connect(body, id);
        }
        points
    }

    /// Whether the point is in `outer`.
    pub fn within(&self, body: &Body, point: Point, outer: StmtId) -> bool {
        self.scope[point].is_some_and(|scope| body.contains(outer, scope))
    }

    fn add(&mut self, scope: Option<StmtId>) -> Point {
        self.ends.push(None);
        self.successors.push(SmallVec::new());
        self.scope.push(scope)
    }

    fn edge(&mut self, from: Point, to: Point) {
        self.successors[from].push(to);
    }

    /// Adds the points of a statement besides entry and exit, and the edges through its statement expressions.
    fn own_points(&mut self, body: &Body, id: StmtId) {
        let stmt = &body.stmts[id];
        let mut own = self.stmts[id];
        if matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Do { .. } | StmtKind::For { .. }) {
            own.condition = self.add(Some(id));
            own.decision = self.nested(body, id, EvaluationTime::LoopCondition, own.condition);
            own.step = own.condition;
        }
        if matches!(stmt.kind, StmtKind::While { .. } | StmtKind::For { .. }) {
            own.step = self.add(Some(id));
            let stepped = self.nested(body, id, EvaluationTime::LoopStep, own.step);
            self.edge(stepped, own.condition);
        }
        own.head = self.nested(body, id, EvaluationTime::Entry, own.entry);
        self.stmts[id] = own;
    }

    /// Adds edges from `from` through the statement expressions that `id` evaluates in `role`. Returns the last point.
    fn nested(&mut self, body: &Body, id: StmtId, role: EvaluationTime, from: Point) -> Point {
        let mut at = from;
        for nested in body.stmts[id].nested.iter().filter(|nested| nested.role == role) {
            let after = self.add(Some(id));
            let inner = self.stmts[nested.stmt];
            let reachable = |operand: OperandId| body.operands[operand].reachable;
            if nested.operand.is_none_or(reachable) {
                self.edge(at, inner.entry);
            }
            if nested.operand.is_some() {
                self.edge(at, after);
            }
            self.edge(inner.exit, after);
            at = after;
        }
        at
    }

    fn connect(&mut self, body: &Body, id: StmtId) {
        let StmtPoints { entry, exit, head, condition, decision, step } = self.stmts[id];
        let of = |points: &Points, stmt: StmtId| points.stmts[stmt];
        match &body.stmts[id].kind {
            StmtKind::Compound(children) => {
                let mut at = head;
                for &child in children {
                    let child = of(self, child);
                    self.edge(at, child.entry);
                    at = child.exit;
                }
                self.edge(at, exit);
            }
            &StmtKind::Label(inner) | &StmtKind::Case(inner) | &StmtKind::Default(inner) => {
                let inner = of(self, inner);
                self.edge(entry, inner.entry);
                self.edge(inner.exit, exit);
            }
            &StmtKind::If { condition, then, otherwise } => {
                let then = of(self, then);
                if condition.may_hold() {
                    self.edge(head, then.entry);
                }
                self.edge(then.exit, exit);
                let otherwise = otherwise.map(|otherwise| of(self, otherwise));
                if condition.may_fail() {
                    self.edge(head, otherwise.map_or(exit, |otherwise| otherwise.entry));
                }
                if let Some(otherwise) = otherwise {
                    self.edge(otherwise.exit, exit);
                }
            }
            StmtKind::Switch { body: inner, labels } => {
                let has_default =
                    labels.iter().any(|&label| matches!(body.stmts[label].kind, StmtKind::Default(_)));
                if !has_default {
                    self.edge(head, exit);
                }
                let inner = of(self, *inner);
                self.edge(inner.exit, exit);
            }
            &StmtKind::While { condition: known, body: inner }
            | &StmtKind::Do { body: inner, condition: known }
            | &StmtKind::For { condition: known, body: inner, .. } => {
                let inner = of(self, inner);
                match body.stmts[id].kind {
                    StmtKind::Do { .. } => self.edge(head, inner.entry),
                    StmtKind::For { init, .. } => {
                        let init = of(self, init);
                        self.edge(head, init.entry);
                        self.edge(init.exit, condition);
                    }
                    _ => self.edge(head, condition),
                }
                self.edge(inner.exit, step);
                if known.may_hold() {
                    self.edge(decision, inner.entry);
                }
                if known.may_fail() {
                    self.edge(decision, exit);
                }
            }
            &StmtKind::Continue(Some(iteration)) => {
                let to = of(self, iteration).step;
                self.edge(head, to);
            }
            &StmtKind::Break(Some(left)) => {
                let to = of(self, left).exit;
                self.edge(head, to);
            }
            StmtKind::Return | StmtKind::Goto(Some(_)) => {}
            StmtKind::ComputedGoto(targets) if !targets.is_empty() => {}
            // A jump without a target is an error, which is reported elsewhere. We assume that control continues.
            StmtKind::Goto(None)
            | StmtKind::ComputedGoto(_)
            | StmtKind::Continue(None)
            | StmtKind::Break(None)
            | StmtKind::Asm(_)
            | StmtKind::Declaration
            | StmtKind::Expression
            | StmtKind::Empty
            | StmtKind::Error => self.edge(head, exit),
        }
    }
}
