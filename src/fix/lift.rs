//! Moves a barrier from the end of a branch to the place after the `if`, where all threads reconverge.
//!
//! ```text
//! if (n > 3) { f(); barrier(1); }             if (n > 3) { f(); }
//!                                             barrier(1);
//! ```
//!
//! Offered if the branch is uniform in the work-group: the barrier then also runs where the branch is not taken, and
//! all work-items reach it. Also offered if both branches end with the same barrier: it then runs as often as before.
//! If the `if` is divergent, the program is undefined before the change and defined after it. The titles distinguish
//! the cases.

use std::ops::Range;

use tangle_grammar::ast::Span;
use tangle_ir::key::UnresolvedCallee;

use super::edits::{Edits, indent, is_empty, line_end, line_of};
use super::guard::{Exits, Guard};
use super::harm::Effect;
use super::{Rewrite, Site, shortened};
use tangle_analysis::program::ConvergentCallee;
use tangle_diagnostic::Applicability;
use tangle_hir::body::{Callee, StmtId, StmtKind};
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_syntax::dialect::{BuiltinKind, Scope};
use tangle_syntax::items::spans;

/// The maximum length of a condition that is repeated for each part of a branch, in bytes.
const LONGEST_CONDITION: usize = 40;

/// Changes the barrier at a site, which is at the end of a branch.
pub(super) fn at(site: &Site) -> Option<Rewrite> {
    let (body, text) = (site.body, &*site.text);
    let at = site;
    let (branch, barrier) = around(at)?;
    let stmts = &body.body.stmts;
    let StmtKind::If { then, otherwise, .. } = stmts[branch].kind else { return None };
    // The barrier becomes the next statement of the block around the `if`.
    if !matches!(stmts[stmts[branch].parent?].kind, StmtKind::Compound(_)) {
        return None;
    }
    let own = written(at, stmts[barrier].span)?;
    let said = text.get(own.clone())?;
    let ends = [Some(then), otherwise].into_iter().flatten().filter_map(|branch| at_end(at, branch));
    let other = ends.into_iter().find(|&other| other != barrier);
    let other = other.and_then(|other| Some((other, written(at, stmts[other].span)?)));
    let other = other.filter(|(_, range)| text.get(range.clone()) == Some(said));
    // A local variable of the branch is not visible after it.
    let locals = at.item().references().iter().any(|reference| {
        let here = stmts[barrier].span;
        here.start <= reference.name.span.start
            && reference.name.span.end <= here.end
            && matches!(reference.target, Entity::Local(_))
    });
    if locals {
        return None;
    }
    let condition = at.item().condition(body.body, branch)?;
    let together = body.tangles.stmts[branch].doubt.is_none() && at.item().agree(body, condition);
    let what = said.trim_end_matches(';').trim_end();
    let (what, condition) = (shortened(what.to_owned()), shortened(at.item().text(condition)));
    let (title, applicability, mends) = match (&other, together) {
        (Some(_), true) => (
            format!("Lift `{what}` out of both branches (keeps the meaning of the program)"),
            Applicability::Safe,
            false,
        ),
        (Some(_), false) => (
            format!(
                "Lift `{what}` out of both branches (changes the program: all {} wait at the same barrier)",
                at.item().vocabulary().threads()
            ),
            Applicability::Unsafe,
            true,
        ),
        // In a function that is not a kernel, some threads of the work-group may be missing.
        (None, true) if body.body.kernel => {
            let value = if body.body.contains(then, barrier) { "false" } else { "true" };
            (
                format!(
                    "Lift `{what}` out of the `if` (changes the program: the barrier also runs if `{condition}` is {value})"
                ),
                Applicability::Unsafe,
                false,
            )
        }
        (None, _) => return None,
    };
    let mut edits = Edits::default();
    let end = at.item().plain_end(stmts[branch].span)?.end;
    for (gone, gone_text) in std::iter::once((barrier, own.clone())).chain(other.clone()) {
        let alone = !matches!(stmts[stmts[gone].parent?].kind, StmtKind::Compound(_));
        let (range, left) = removed(text, &gone_text, alone);
        edits.replace(range, left);
    }
    let start = at.item().bytes(stmts[branch].span)?.start;
    let behind = format!("{}{}{said}", line_end(text, start), indent(text, start));
    edits.insert(end, behind);
    Some(Rewrite { title, edits, applicability, fixes_mistake: mends, adds_threads: false })
}

/// The `if` around the barrier at the cursor, if the barrier ends one of its branches; and the barrier.
fn around(at: &Site) -> Option<(StmtId, StmtId)> {
    let stmts = &at.body.body.stmts;
    let barrier = at.at.stmt(at.body)?;
    let parent = stmts[barrier].parent?;
    let (branch, around) = match stmts[parent].kind {
        StmtKind::Compound(_) => (parent, stmts[parent].parent?),
        _ => (barrier, parent),
    };
    let ends = matches!(stmts[around].kind, StmtKind::If { .. }) && at_end(at, branch) == Some(barrier);
    ends.then_some((around, barrier))
}

/// The barrier at the end of a branch.
fn at_end(at: &Site, branch: StmtId) -> Option<StmtId> {
    let last = match &at.body.body.stmts[branch].kind {
        StmtKind::Compound(children) => *children.last()?,
        _ => branch,
    };
    is_barrier(at, last).then_some(last)
}

/// Whether a statement is only a call of a work-group barrier.
fn is_barrier(at: &Site, stmt: StmtId) -> bool {
    let body = at.body;
    let own = &body.body.stmts[stmt];
    let mut calls = body.body.calls.iter_enumerated().filter(|(_, call)| call.stmt == stmt);
    let (Some((id, call)), None) = (calls.next(), calls.next()) else { return false };
    let Callee::Named(UnresolvedCallee::Function(name)) = call.callee else { return false };
    let of_group =
        matches!(at.item().operations(body).call(id), Some(ConvergentCallee::Operation(_, Scope::Workgroup)));
    let table = at.reading().settings.builtins(at.reading().db);
    matches!(own.kind, StmtKind::Expression)
        && of_group
        && call.operand.is_none()
        && call.span.start == own.span.start
        && table.get(name).is_some_and(|row| row.kind == Some(BuiltinKind::Barrier))
}

/// The byte range of a statement. It can be the use of a macro that expands to this statement only.
fn written(at: &Site, span: Span) -> Option<Range<usize>> {
    let view = at.reading();
    let (start, end) = (at.item().bytes(span)?.start, at.item().plain_end(span)?.end);
    let (spans, file) = (spans(view.db, view.file), view.file.id(view.db));
    let first = spans.token_at(start)?;
    let own = (first..spans.len() as u32).take_while(|&token| spans.get(token).start < end);
    let inside = |token: u32| span.start <= token && token < span.end;
    let all = |token: u32| at.item().placed.tokens_from(file, token).into_iter().all(inside);
    own.into_iter().all(all).then_some(start..end)
}

/// The range to remove for a statement, with its line if no other text is there, and the replacement.
fn removed(text: &str, stmt: &Range<usize>, alone: bool) -> (Range<usize>, &'static str) {
    if alone {
        return (stmt.clone(), "{}");
    }
    let line = line_of(text, stmt.start);
    let first = text[line.start..stmt.start].trim().is_empty();
    let rest = text.get(stmt.end..line.end).unwrap_or_default();
    match (first, rest.trim().is_empty()) {
        (true, true) => {
            let next = line.end + line_end(text, stmt.end).len();
            (line.start..next.min(text.len()), "")
        }
        // The text after it moves to its place.
        (true, false) => (stmt.start..stmt.end + rest.len() - rest.trim_start().len(), ""),
        (false, _) => (line.start + text[line.start..stmt.start].trim_end().len()..stmt.end, ""),
    }
}

/// Moves the operations of a branch out of a divergent `if`.
///
/// ```text
/// if (i < n) {                 if (i < n) {
///   tile[l] = in[i];             tile[l] = in[i];
///   barrier(1);                }
///   out[i] = tile[l ^ 1];      barrier(1);
/// }                            if (i < n) {
///                                out[i] = tile[l ^ 1];
///                              }
/// ```
///
/// If inner loops or branches contain the operations, a flag guards each of the other statements.
pub(super) fn divergent(site: &Site, branch: StmtId) -> Option<Rewrite> {
    let stmts = &site.body.body.stmts;
    let StmtKind::If { then, otherwise, .. } = stmts[branch].kind else { return None };
    if !matches!(stmts[stmts[branch].parent?].kind, StmtKind::Compound(_)) {
        return None;
    }
    let guard = Guard::new(site, "is_inside", Exits::None)?;
    if !guard.has_operation(then) || otherwise.is_some_and(|otherwise| guard.has_operation(otherwise)) {
        return None;
    }
    let children = match &stmts[then].kind {
        StmtKind::Compound(children) => children.clone(),
        _ => vec![then],
    };
    let is_direct =
        |child: &StmtId| !guard.has_operation(*child) || matches!(stmts[*child].kind, StmtKind::Expression);
    let edits = match children.iter().all(is_direct) && otherwise.is_none() {
        true => split(site, branch, &children).or_else(|| guarded(site, branch)),
        false => guarded(site, branch),
    };
    let title = format!(
        "Move the operation out of the `if` (changes the program: all {} execute it)",
        site.item().vocabulary().threads()
    );
    Some(Rewrite {
        title,
        edits: edits?,
        applicability: Applicability::Unsafe,
        fixes_mistake: true,
        adds_threads: false,
    })
}

/// Makes one `if` for each part of the branch between operations.
fn split(site: &Site, branch: StmtId, children: &[StmtId]) -> Option<Edits> {
    let (item, text) = (site.item(), &*site.text);
    let stmts = &site.body.body.stmts;
    let StmtKind::If { then, .. } = stmts[branch].kind else { return None };
    let mut guard = Guard::new(site, "is_inside", Exits::None)?;
    let condition = item.condition(site.body.body, branch)?;
    let written = site.written(condition)?;
    let all = guard.bounds(&[branch])?;
    guard.has_no_directive(all.0..all.1)?;
    let (own, eol) = (indent(text, all.0).to_owned(), line_end(text, all.0));
    // A variable declared in one part is not visible in the next.
    let operations: Vec<StmtId> = children.iter().copied().filter(|&it| guard.has_operation(it)).collect();
    for &child in children.iter().filter(|&&it| matches!(stmts[it].kind, StmtKind::Declaration)) {
        let next = operations.iter().find(|&&it| it > child);
        if next.is_some_and(|&next| guard.is_used(child, guard.span(next).start)) {
            return None;
        }
    }
    let effect = guard.own_effect(branch);
    let only_operations = operations.len() == children.len();
    let is_stable =
        effect == Effect::None && !guard.is_changed(condition, branch) && written.len() <= LONGEST_CONDITION;
    let mut lines = Vec::new();
    let test = match is_stable || only_operations {
        true => written.to_owned(),
        false => {
            lines.push(guard.declaration(written));
            guard.flag.clone()
        }
    };
    if only_operations && effect > Effect::None {
        return None;
    }
    let (inner, is_braced) = match &stmts[then].kind {
        StmtKind::Compound(_) => {
            let open = item.plain_start(stmts[then].span)?.end;
            (open..item.plain_end(stmts[then].span)?.start, true)
        }
        _ => {
            let (start, end) = guard.bounds(&[then])?;
            (start..end, false)
        }
    };
    let mut at = inner.start;
    let part = |range: Range<usize>, has_statements: bool, lines: &mut Vec<String>| {
        let part = text[range].trim_matches(['\n', '\r']).trim_end();
        match (part.trim().is_empty(), has_statements) {
            (true, _) => {}
            (false, true) if part.contains('\n') || part.trim_start().len() < part.len() => {
                lines.push(format!("if ({test}) {{{eol}{part}{eol}{own}}}"));
            }
            (false, true) => lines.push(format!("if ({test}) {{ {} }}", part.trim())),
            // The part contains only comments.
            (false, false) => lines.push(part.trim().to_owned()),
        }
    };
    let mut before = 0;
    for &operation in &operations {
        guard.add_unguarded_effect(guard.own_effect(operation))?;
        let place = children.iter().position(|&it| it == operation)?;
        let (start, end) = guard.bounds(&[operation])?;
        let range = if is_braced { start..end } else { inner.clone() };
        part(at..range.start, place > before, &mut lines);
        // A comment on the line of the operation stays with it.
        let line = line_of(text, range.end);
        let rest = text.get(range.end..line.end.min(inner.end)).unwrap_or_default();
        let end = if is_empty(rest) { range.end + rest.len() } else { range.end };
        lines.push(text[range.start..end].trim_end().to_owned());
        (at, before) = (end, place + 1);
    }
    part(at..inner.end, children.len() > before, &mut lines);
    let mut edits = Edits::default();
    edits.replace(all.0..all.1, lines.join(&format!("{eol}{own}")));
    Some(edits)
}

/// Replaces the `if` by a flag, and guards each statement.
fn guarded(site: &Site, branch: StmtId) -> Option<Edits> {
    let (item, text) = (site.item(), &*site.text);
    let stmts = &site.body.body.stmts;
    let StmtKind::If { then, otherwise, .. } = stmts[branch].kind else { return None };
    let mut guard = Guard::new(site, "is_inside", Exits::None)?;
    let condition = item.condition(site.body.body, branch)?;
    let written = site.written(condition)?;
    guard.is_all_active(branch, guard.span(branch).start)?;
    guard.branch(then)?;
    let start = item.plain_start(stmts[branch].span)?.start;
    let inner = item.plain_start(stmts[then].span)?.start;
    let own = format!("{}{}", line_end(text, start), indent(text, start));
    let declaration = guard.declaration(written);
    if otherwise.is_none() && can_drop_braces(site, then) {
        let close = item.plain_end(stmts[then].span)?;
        let open = item.plain_start(stmts[then].span)?.end;
        let mut edits = Edits::default();
        let statements = shifted(&guard.edits.made(text, open..close.start)?, indent(text, start));
        edits.replace(start..close.end, format!("{declaration}{}", statements.trim_end()));
        return Some(edits);
    }
    guard.edits.replace(start..inner, format!("{declaration}{own}"));
    if let Some(otherwise) = otherwise {
        let end = item.plain_end(stmts[then].span)?.end;
        let word = item.plain(Span::new(stmts[then].span.end, stmts[then].span.end + 1))?;
        if text.get(word.clone())? != "else" {
            return None;
        }
        item.plain_start(stmts[otherwise].span)?;
        let flag = format!("if (!{})", guard.flag);
        guard.edits.replace(end..word.end, format!("{own}{flag}"));
    }
    Some(guard.edits)
}

/// Whether the statements of a block can be outside of it: its braces are on separate lines, and its names are not used
/// elsewhere.
fn can_drop_braces(site: &Site, block: StmtId) -> bool {
    let (item, stmts) = (site.item(), &site.body.body.stmts);
    let StmtKind::Compound(children) = &stmts[block].kind else { return false };
    let (Some(open), Some(close)) = (item.plain_start(stmts[block].span), item.plain_end(stmts[block].span))
    else {
        return false;
    };
    let is_in = |span: Span, at: u32| span.start <= at && at < span.end;
    let references = item.references();
    let declares = |child: &&StmtId| matches!(stmts[**child].kind, StmtKind::Declaration);
    let mut declared = children.iter().filter(declares).flat_map(|&child| {
        let own = references.iter().filter(move |it| is_in(stmts[child].span, it.name.span.start));
        own.filter(|it| matches!(it.role, ReferenceKind::Declaration | ReferenceKind::Definition))
            .map(|it| it.name.text)
    });
    let all = site.body.body.span;
    let is_used_outside = |name| {
        references.iter().any(|it| {
            let at = it.name.span.start;
            it.name.text == name && is_in(all, at) && !is_in(stmts[block].span, at)
        })
    };
    let text = &*site.text;
    let after = line_of(text, open.end);
    let before = line_of(text, close.start);
    is_empty(&text[open.end..after.end.max(open.end)])
        && text[before.start..close.start].trim().is_empty()
        && !declared.any(is_used_outside)
}

/// Changes the indentation of all lines but the first, so that the next non-empty line is indented by `own`.
fn shifted(lines: &str, own: &str) -> String {
    let mut texts = lines.split_inclusive('\n');
    let mut shifted = texts.next().unwrap_or_default().to_owned();
    let inner =
        lines.split('\n').skip(1).find(|line| !line.trim().is_empty()).map_or("", |line| indent(line, 0));
    for line in texts {
        match line.strip_prefix(inner) {
            Some(rest) if !rest.trim().is_empty() => shifted.extend([own, rest]),
            _ => shifted += line,
        }
    }
    shifted
}
