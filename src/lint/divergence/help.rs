//! What may be done about an operation that threads do not all reach. It follows from where the branch stands at which they diverge.
//!
//! ```c
//! if (i < n) barrier(1);                       // around it: move it out
//! for (int k = i; k < n; k++) barrier(1);      // the end of a loop around it: all go round equally often
//! if (i >= n) return;  barrier(1);             // before it: who leaves there stays
//! ```

use tangle_grammar::ast::Span;

use crate::hir::body::{Body, StmtId, StmtKind};

/// Help for an operation in a statement of a body.
pub fn help(body: &Body, operation: StmtId, branch: Span) -> &'static str {
    let holds = |outer: Span, inner: Span| outer.start <= inner.start && inner.end <= outer.end;
    let stmts = &body.stmts;
    let mut around = std::iter::successors(Some(operation), |&stmt| stmts[stmt].parent);
    let Some(common) = around.find(|&stmt| holds(stmts[stmt].span, branch)) else { return AROUND };
    let is_in = |part: StmtId| holds(stmts[part].span, branch);
    match &stmts[common].kind {
        StmtKind::If { then, otherwise, .. } if !is_in(*then) && !otherwise.is_some_and(is_in) => AROUND,
        StmtKind::Switch { body, .. } if !is_in(*body) => AROUND,
        StmtKind::While { body, .. } | StmtKind::Do { body, .. } | StmtKind::For { body, .. }
            if !is_in(*body) =>
        {
            LOOP
        }
        StmtKind::Expression | StmtKind::Declaration | StmtKind::Return => AROUND,
        _ => BEFORE,
    }
}

const AROUND: &str = "move it out of the branch, or branch on what is the same for all of them";
const LOOP: &str =
    "let all of them go round equally often, and guard inside of the loop what only some have to do";
const BEFORE: &str = "let those who leave at the branch stay, and guard what they must not do";
