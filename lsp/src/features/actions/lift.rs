//! Moves a barrier from the end of a branch to the place after the `if`, where all threads reconverge.
//!
//! ```text
//! if (n > 3) { f(); barrier(1); }             if (n > 3) { f(); }
//!                                             barrier(1);
//! ```
//!
//! Offered if the branch is uniform in the work-group: the barrier then also runs where the branch is not taken, and
//! all work-items reach it. Also offered if both branches end with the same barrier: it then runs as often as before.
//! If the `if` is divergent, the program is undefined before the change and defined after it. The titles say which case
//! it is.

use std::ops::Range;

use tangle::dialect::{Kind, Scope};
use tangle::hir::body::{Callee, StmtId, StmtKind};
use tangle::hir::resolve::Target;
use tangle::program::Called;
use tangle::syntax::spans;
use tangle::wording::tangles::Source;
use tangle_grammar::ast::Span;
use tower_lsp::lsp_types::{CodeAction, CodeActionKind};

use super::{Edits, indent, line_end, line_of, rewrite};
use crate::features::at::{At, BodyAt, shortened};
use crate::features::uniform;

pub fn lifted(at: &At, body: BodyAt) -> Option<CodeAction> {
    let (branch, barrier) = around(at, body)?;
    let stmts = &body.body.stmts;
    let StmtKind::If { then, otherwise, .. } = stmts[branch].kind else { return None };
    // The barrier becomes the next statement of the block around the `if`.
    if !matches!(stmts[stmts[branch].parent?].kind, StmtKind::Compound(_)) {
        return None;
    }
    let view = &at.view;
    let text = view.text().text();
    let own = written(at, stmts[barrier].span)?;
    let said = text.get(own.clone())?;
    let ends = [Some(then), otherwise].into_iter().flatten().filter_map(|branch| at_end(at, body, branch));
    let other = ends.into_iter().find(|&other| other != barrier);
    let other = other.and_then(|other| Some((other, written(at, stmts[other].span)?)));
    let other = other.filter(|(_, range)| text.get(range.clone()) == Some(said));
    // A local variable of the branch is not visible after it.
    let locals = at.item.references().iter().any(|reference| {
        let here = stmts[barrier].span;
        here.start <= reference.name.span.start
            && reference.name.span.end <= here.end
            && matches!(reference.target, Target::Local(_))
    });
    if locals {
        return None;
    }
    let condition = at.item.source(body.body).condition(branch)?;
    let together = body.tangles.stmts[branch].doubt.is_none() && uniform::agree(&at.item, body, condition);
    let what = said.trim_end_matches(';').trim_end();
    let (what, condition) = (shortened(what.to_owned()), at.item.text(condition));
    let (title, kind) = match (&other, together) {
        (Some(_), true) => (
            format!("Lift `{what}` out of both branches (keeps the meaning of the program)"),
            CodeActionKind::REFACTOR_REWRITE,
        ),
        (Some(_), false) => (
            format!(
                "Lift `{what}` out of both branches (changes the program: all {} wait at the same barrier)",
                at.item.vocabulary().threads()
            ),
            CodeActionKind::QUICKFIX,
        ),
        // In a function that is not a kernel, some threads of the work-group can be missing.
        (None, true) if body.body.kernel => {
            let value = if body.body.contains(then, barrier) { "false" } else { "true" };
            (
                format!(
                    "Lift `{what}` out of the `if` (changes the program: the barrier also runs if `{condition}` is {value})"
                ),
                CodeActionKind::REFACTOR_REWRITE,
            )
        }
        (None, _) => return None,
    };
    let mut edits = Edits::default();
    let end = at.item.plain_end(stmts[branch].span)?.end;
    for (gone, text) in std::iter::once((barrier, own.clone())).chain(other.clone()) {
        let alone = !matches!(stmts[stmts[gone].parent?].kind, StmtKind::Compound(_));
        let (range, left) = removed(at, &text, alone);
        edits.replace(range, left);
    }
    let start = at.item.bytes(stmts[branch].span)?.start;
    let behind = format!("{}{}{said}", line_end(view, start), indent(view, start));
    edits.insert(end, behind);
    Some(rewrite(at, title, kind, edits))
}

/// The `if` around the barrier at the cursor, which ends one of its branches.
fn around(at: &At, body: BodyAt) -> Option<(StmtId, StmtId)> {
    let stmts = &body.body.stmts;
    let barrier = at.stmt(body)?;
    let parent = stmts[barrier].parent?;
    let (branch, around) = match stmts[parent].kind {
        StmtKind::Compound(_) => (parent, stmts[parent].parent?),
        _ => (barrier, parent),
    };
    let ends = matches!(stmts[around].kind, StmtKind::If { .. }) && at_end(at, body, branch) == Some(barrier);
    ends.then_some((around, barrier))
}

/// The barrier that a branch ends with.
fn at_end(at: &At, body: BodyAt, branch: StmtId) -> Option<StmtId> {
    let last = match &body.body.stmts[branch].kind {
        StmtKind::Compound(children) => *children.last()?,
        _ => branch,
    };
    is_barrier(at, body, last).then_some(last)
}

/// Whether a statement is nothing but the call of a barrier of the work-group.
fn is_barrier(at: &At, body: BodyAt, stmt: StmtId) -> bool {
    let own = &body.body.stmts[stmt];
    let mut calls = body.body.calls.iter_enumerated().filter(|(_, call)| call.stmt == stmt);
    let (Some((id, call)), None) = (calls.next(), calls.next()) else { return false };
    let Callee::Named(name) = call.callee else { return false };
    let of_group = matches!(at.item.operations(body).call(id), Some(Called::Operation(_, Scope::Workgroup)));
    let table = at.view.analysis.settings.builtins(at.view.db);
    matches!(own.kind, StmtKind::Expression)
        && of_group
        && call.operand.is_none()
        && call.span.start == own.span.start
        && table.get(name).is_some_and(|row| row.kind == Some(Kind::Barrier))
}

/// The text of a statement. It can be the use of a macro that expands to this statement only.
fn written(at: &At, span: Span) -> Option<Range<usize>> {
    let view = &at.view;
    let (start, end) = (at.item.bytes(span)?.start, at.item.plain_end(span)?.end);
    let (spans, file) = (spans(view.db, view.file), view.file.id(view.db));
    let first = spans.token_at(start)?;
    let own = (first..spans.len() as u32).take_while(|&token| spans.get(token).start < end);
    let inside = |token: u32| span.start <= token && token < span.end;
    let all = |token: u32| at.item.placed.tokens_from(file, token).into_iter().all(inside);
    own.into_iter().all(all).then_some(start..end)
}

/// The range to remove for a statement, with its line if the statement is alone there; and the replacement.
fn removed(at: &At, stmt: &Range<usize>, alone: bool) -> (Range<usize>, &'static str) {
    let text = at.view.text().text();
    if alone {
        return (stmt.clone(), "{}");
    }
    let line = line_of(&at.view, stmt.start);
    let first = text[line.start..stmt.start].trim().is_empty();
    let rest = text.get(stmt.end..line.end).unwrap_or_default();
    match (first, rest.trim().is_empty()) {
        (true, true) => {
            let next = line.end + line_end(&at.view, stmt.end).len();
            (line.start..next.min(text.len()), "")
        }
        // The text after it moves to its place.
        (true, false) => (stmt.start..stmt.end + rest.len() - rest.trim_start().len(), ""),
        (false, _) => (line.start + text[line.start..stmt.start].trim_end().len()..stmt.end, ""),
    }
}
