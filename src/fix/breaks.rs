//! Adds a `break` before a `case` that threads also reach by fall-through.

use super::edits::{Edits, indent, line_end, line_of};
use super::{Rewrite, Site};
use tangle_analysis::tangle::print::label_span;
use tangle_diagnostic::Applicability;
use tangle_hir::body::{Body, StmtId, StmtKind};

pub(super) fn at(site: &Site) -> Option<Rewrite> {
    let (at, body, text) = (&site.at, site.body, &*site.text);
    let stmts = &body.body.stmts;
    let mut label = at.stmt(body);
    // The labelled statement is a child of its label. Later statements of the same arm are siblings of the label.
    let label = loop {
        let stmt = label?;
        if matches!(stmts[stmt].kind, StmtKind::Case(_) | StmtKind::Default(_)) {
            break stmt;
        }
        label = before_in_arm(body.body, stmt).or(stmts[stmt].parent);
    };
    // Some threads reach the label by a jump, and others by fall-through.
    if body.tangles.stmts[label].candidates.len() < 2 || !leaves_its_switch(body.body, label) {
        return None;
    }
    let before = before_in_arm(body.body, label)?;
    let span = label_span(body.body, label);
    // If a macro contains the label, it may also contain other text before the label.
    let start = at.item.plain(span)?.start;
    let name = at.item.text(span);
    let name = name.trim_end_matches([' ', ':']).to_owned();
    let mut edits = Edits::default();
    let line = line_of(text, start);
    match text[line.start..start].trim().is_empty() {
        true => {
            let last = at.item.bytes(stmts[innermost_label(body.body, before)].span)?;
            let own = indent(text, last.start);
            let label = indent(text, start);
            // Uses the indentation of the previous statement, unless that is on the line of its label.
            let own = if own == label { format!("{label}  ") } else { own.to_owned() };
            edits.insert(line.start, format!("{own}break;{}", line_end(text, start)));
        }
        false => edits.insert(start, "break; "),
    }
    let title = format!("Add `break;` before `{name}` (changes the program: removes the fall-through)");
    Some(Rewrite {
        title,
        edits,
        applicability: Applicability::Unsafe,
        fixes_mistake: true,
        adds_threads: false,
    })
}

/// The labelled statement without its labels.
fn innermost_label(body: &Body, mut stmt: StmtId) -> StmtId {
    while let StmtKind::Case(inner) | StmtKind::Default(inner) | StmtKind::Label(inner) =
        body.stmts[stmt].kind
    {
        stmt = inner;
    }
    stmt
}

/// The statement before another one in the same block.
fn before_in_arm(body: &Body, stmt: StmtId) -> Option<StmtId> {
    let StmtKind::Compound(children) = &body.stmts[body.stmts[stmt].parent?].kind else { return None };
    let at = children.iter().position(|&child| child == stmt)?;
    children.get(at.checked_sub(1)?).copied()
}

/// Whether a `break` before a label leaves the `switch` of the label, and not a loop inside it.
fn leaves_its_switch(body: &Body, label: StmtId) -> bool {
    let mut around = body.stmts[label].parent;
    while let Some(stmt) = around {
        match &body.stmts[stmt].kind {
            StmtKind::Switch { labels, .. } => return labels.contains(&label),
            kind if kind.is_loop() => return false,
            _ => around = body.stmts[stmt].parent,
        }
    }
    false
}
