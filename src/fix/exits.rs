//! Puts the statements after an early exit under a condition, so that all threads reach the operations among them.
//!
//! ```text
//! if (i >= n) return;          const bool is_active = i < n;
//! tile[l] = in[i];             if (is_active) tile[l] = in[i];
//! barrier(1);                  barrier(1);
//! out[i] = tile[l ^ 1];        if (is_active) out[i] = tile[l ^ 1];
//! ```
//!
//! The same applies to `continue` in the body of a loop. The change is safe if the additional threads execute only
//! barriers. A thread that would have exited computes no results. If all threads of a group would have exited, the
//! group computes no results.

use super::guard::{Exits, Guard};
use super::harm::Effect;
use super::{Rewrite, Site};
use tangle_diagnostic::Applicability;
use tangle_hir::body::{Body, StmtId, StmtKind};

/// Changes the `if` that contains the exit.
pub(super) fn guarded(site: &Site, branch: StmtId) -> Option<Rewrite> {
    let stmts = &site.body.body.stmts;
    let parent = stmts[branch].parent?;
    let StmtKind::Compound(children) = &stmts[parent].kind else { return None };
    let (exits, keyword) = match stmts[parent].parent {
        None if parent == Body::ROOT => (Exits::Return, "return"),
        Some(around) if stmts[around].kind.is_loop() => (Exits::Continue(around), "continue"),
        _ => return None,
    };
    let mut guard = Guard::new(site, "is_active", exits)?;
    guard.exit(branch)?;
    guard.is_all_active(parent, guard.span(branch).start)?;
    let at = children.iter().position(|&child| child == branch)?;
    guard.statements(&children[at + 1..])?;
    guard.declare_by_exit(branch)?;
    let what = format!("Guard the work with `{}` instead of the early `{keyword}`", guard.flag);
    let threads = site.item().vocabulary().threads();
    let (title, applicability) = match guard.effect < Effect::Exchanges {
        true => (format!("{what} (keeps the meaning of the program)"), Applicability::Safe),
        false => (
            format!("{what} (changes the program: all {threads} take part in the operations)"),
            Applicability::Unsafe,
        ),
    };
    Some(Rewrite { title, edits: guard.edits, applicability, fixes_mistake: true, adds_threads: true })
}
