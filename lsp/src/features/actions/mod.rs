//! Code actions for a finding, or for the code at the cursor. The title says whether the meaning of the program
//! changes.

mod breaks;
mod jumps;
mod lift;
mod suppress;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::json;
use tangle::lint;
use tangle_grammar::ast::Span;
use tower_lsp::lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, NumberOrString,
    Range as LspRange, TextEdit, WorkspaceEdit,
};

use super::at::{At, ItemAt};
use crate::diagnostics;
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
        match rule.id == diagnostics::UNUSED {
            true => actions.extend(suppress::unneeded(view, diagnostic)),
            false => actions.push(suppress::suppress(view, diagnostic, rule.id)),
        }
        actions.push(explain(diagnostic, rule.id));
    }
    let mut positions = vec![range.start, range.end];
    positions.dedup();
    for position in positions {
        let Some(at) = At::find(*view, position) else { continue };
        let Some(body) = at.body() else { continue };
        let found = breaks::missing_break(&at, body)
            .into_iter()
            .chain(jumps::structured(&at, body))
            .chain(lift::lifted(&at, body));
        for action in found {
            // Both ends of a selection can be in the same statement.
            if !actions.contains(&action) {
                actions.push(action);
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

/// An action that does nothing but edit this document.
fn rewrite(at: &At, title: String, kind: CodeActionKind, edits: Edits) -> CodeAction {
    CodeAction {
        title,
        kind: Some(kind),
        edit: Some(edit(&at.view, edits.finish(&at.view))),
        ..CodeAction::default()
    }
}

/// Replacements of bytes of the document, which do not overlap.
#[derive(Default)]
struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// The edits as the protocol has them, in the order of the text: of those at one place the first goes in first.
    fn finish(mut self, view: &View) -> Vec<TextEdit> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let edit =
            |(range, new_text): (Range<usize>, String)| TextEdit { range: view.range(&range), new_text };
        self.0.into_iter().map(edit).collect()
    }
}

/// The bytes of the line that holds an offset, without its end.
fn line_of(view: &View, offset: usize) -> Range<usize> {
    view.text().line_range(view.text().position(offset).line)
}

/// The indentation of the line that holds an offset.
fn indent<'a>(view: &View<'a>, offset: usize) -> &'a str {
    let line = &view.text().text()[line_of(view, offset)];
    &line[..line.len() - line.trim_start().len()]
}

/// How lines end here: as the line does that holds an offset.
fn line_end<'a>(view: &View<'a>, offset: usize) -> &'a str {
    let end = view.text().text()[offset..].find('\n').map(|at| offset + at);
    match end.is_some_and(|end| view.text().text()[..end].ends_with('\r')) {
        true => "\r\n",
        false => "\n",
    }
}

impl ItemAt<'_> {
    /// The bytes of a span. `None` if any of its tokens is in another file, or comes from a macro.
    fn plain(&self, span: Span) -> Option<Range<usize>> {
        let locator = self.placed.locator(self.view.db);
        let written = |token| {
            let located = locator.locate(Span::new(token, token + 1));
            located.macros.is_empty() && located.at.file == self.view.file
        };
        if span.start >= span.end || !(span.start..span.end).all(written) {
            return None;
        }
        self.bytes(span)
    }

    /// The same for the last token of a span.
    fn plain_end(&self, span: Span) -> Option<Range<usize>> {
        self.plain(Span::new(span.end.checked_sub(1)?, span.end))
    }
}
