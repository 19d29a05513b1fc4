//! Code actions for a finding, or for the code at the cursor. The title says whether the meaning of the program
//! changes.

mod suppress;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::json;
use tangle_diagnostic::{Applicability, Edit, Fix};
use tangle_fix::{self as fix, Rewrite};
use tangle_rules as lint;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, NumberOrString,
    Range as LspRange, TextEdit, WorkspaceEdit,
};

use crate::diagnostics;
use crate::features::{compare, witness};
use crate::snapshot::View;

/// The command of this server that shows the page of a rule.
pub const EXPLAIN: &str = "tangle.server.explain";

pub fn code_actions(
    view: &View,
    range: LspRange,
    context: &CodeActionContext,
) -> Option<Vec<CodeActionOrCommand>> {
    let mut actions = Vec::new();
    for diagnostic in &context.diagnostics {
        let Some(NumberOrString::String(code)) = &diagnostic.code else { continue };
        let Some(rule) = lint::rule(code).filter(|_| diagnostic.source.as_deref() == Some("tangle")) else {
            continue;
        };
        actions.extend(fixes(view, diagnostic, rule.id));
        match rule.id == diagnostics::UNUSED {
            true => actions.extend(suppress::unneeded(view, diagnostic)),
            false => actions.extend(suppress::suppress(view, diagnostic, rule.id)),
        }
        actions.push(explain(diagnostic, rule.id));
        actions.extend(confirm(view, diagnostic, rule.id));
    }
    if view.is_changed() {
        let title = "Compare with the saved version".to_owned();
        let arguments = Some(vec![json!({ "uri": view.document.uri, "position": range.start })]);
        actions.push(CodeAction {
            title: title.clone(),
            kind: Some(CodeActionKind::SOURCE),
            command: Some(Command { title, command: compare::COMMAND.into(), arguments }),
            ..CodeAction::default()
        });
    }
    let mut positions = vec![range.start, range.end];
    positions.dedup();
    for position in positions.into_iter().filter(|_| !is_literal(view)) {
        for rewrite in fix::at(view.reading(), view.offset(position)) {
            let Rewrite { title, edits, fixes_mistake: mends, .. } = rewrite;
            let kind = if mends { CodeActionKind::QUICKFIX } else { CodeActionKind::REFACTOR_REWRITE };
            // Both ends of a selection can be in the same statement, and a rewrite may also be a fix.
            if actions.iter().all(|action| action.title != title) {
                let edit = edit(view, shown(view, &edits.in_file(view.file.path(view.db))));
                actions.push(CodeAction {
                    title,
                    kind: Some(kind),
                    edit: Some(edit),
                    ..CodeAction::default()
                });
            }
        }
    }
    let wanted = |action: &CodeAction| {
        let Some(kind) = &action.kind else { return true };
        let asked = |only: &CodeActionKind| {
            let rest = kind.as_str().strip_prefix(only.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || only.as_str().is_empty())
        };
        context.only.as_ref().is_none_or(|only| only.iter().any(asked))
    };
    Some(actions.into_iter().filter(wanted).map(CodeActionOrCommand::CodeAction).collect())
}

fn edit(view: &View, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = HashMap::from([(view.document.uri.clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

fn explain(diagnostic: &Diagnostic, rule: &str) -> CodeAction {
    let title = format!("Explain `{rule}`");
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        command: Some(Command { title, command: EXPLAIN.into(), arguments: Some(vec![json!(rule)]) }),
        ..CodeAction::default()
    }
}

/// Returns the action that searches an execution with the finding. `None` if no execution can show it.
fn confirm(view: &View, diagnostic: &Diagnostic, rule: &str) -> Option<CodeAction> {
    lint::evidence(rule)?;
    let title = format!("Show an execution that confirms `{rule}`");
    let place = json!({ "uri": view.document.uri, "position": diagnostic.range.start, "rule": rule });
    Some(CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        command: Some(Command { title, command: witness::COMMAND.into(), arguments: Some(vec![place]) }),
        ..CodeAction::default()
    })
}

/// Returns whether the code is in a string literal of the document. Its lines have quotes, which fixes would not write.
fn is_literal(view: &View) -> bool {
    *view.file.text(view.db) != *view.text().text()
}

/// Returns the fixes of a finding. The first one is preferred if it is safe.
fn fixes(view: &View, diagnostic: &Diagnostic, rule: &str) -> Vec<CodeAction> {
    if view.root != view.file || is_literal(view) {
        return Vec::new();
    }
    let is_it = |finding: &&tangle_diagnostic::Diagnostic| {
        finding.rule == rule && view.range(&finding.place.range) == diagnostic.range
    };
    let found = diagnostics::findings(view);
    let Some(finding) = found.iter().find(is_it) else { return Vec::new() };
    let mut budget = fix::Budget::OF_A_FILE;
    let own = finding.fixes.iter().cloned();
    let all = own.chain(fix::of_finding(view.db, view.reading(), finding, &mut budget));
    let action = |(number, fix): (usize, Fix)| CodeAction {
        title: fix.title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit(view, shown(view, &fix.edits))),
        is_preferred: (number == 0 && fix.applicability == Applicability::Safe).then_some(true),
        ..CodeAction::default()
    };
    all.enumerate().map(action).collect()
}

/// Converts edits of the document to the protocol.
fn shown(view: &View, edits: &[Edit]) -> Vec<TextEdit> {
    let edit = |edit: &Edit| TextEdit { range: view.range(&edit.place.range), new_text: edit.text.clone() };
    edits.iter().map(edit).collect()
}

/// Returns the byte range of the line at an offset, without its end.
fn line_of(view: &View, offset: usize) -> Range<usize> {
    view.text().line_range(view.text().position(offset).line)
}

/// Returns the line ending of the line at an offset.
fn line_end<'a>(view: &View<'a>, offset: usize) -> &'a str {
    let end = view.text().text()[offset..].find('\n').map(|at| offset + at);
    match end.is_some_and(|end| view.text().text()[..end].ends_with('\r')) {
        true => "\r\n",
        false => "\n",
    }
}
