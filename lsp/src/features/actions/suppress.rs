//! Adds a comment that suppresses a finding, with a reason for the user to fill in; and removes an unused suppression.

use std::ops::Range;

use tangle::syntax::spans;
use tower_lsp::lsp_types::{CodeAction, CodeActionKind, Diagnostic, TextEdit};

use super::{edit, indent, line_end, line_of};
use crate::features::written;
use crate::snapshot::View;

pub fn suppress(view: &View, diagnostic: &Diagnostic, rule: &str) -> CodeAction {
    let start = view.offset(diagnostic.range.start);
    let line = line_of(view, start);
    let comment = format!("// tangle: allow({rule}): TODO say why");
    let (at, new_text) = match code_end(view, &line) {
        Some(end) => (end..line.end, format!(" {comment}")),
        None => {
            let line = whole_line(view, line);
            let own = indent(view, line.start);
            (line.start..line.start, format!("{own}{comment}{}", line_end(view, line.start)))
        }
    };
    CodeAction {
        title: format!("Suppress `{rule}` here, with a reason"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit(view, vec![TextEdit { range: view.range(&at), new_text }])),
        ..CodeAction::default()
    }
}

/// Removes an unused rule from a suppression; the whole comment, if it names no other rule.
pub fn unneeded(view: &View, diagnostic: &Diagnostic) -> Option<CodeAction> {
    let (text, range) = (view.text().text(), &diagnostic.range);
    let name = view.offset(range.start)..view.offset(range.end);
    let comment = written::comment_at(view, name.start)?;
    let list = comment.start + text[comment.clone()].find("allow(")? + "allow(".len()
        ..name.end + text[name.end..comment.end].find(')')?;
    let rules = text.get(list.start..list.end)?;
    // The other rules of the comment may be in use.
    let gone = match rules.split_once(',') {
        None if rules.trim() != &text[name.clone()] => return None,
        None => {
            let line = line_of(view, comment.start);
            let before = line.start + text[line.start..comment.start].trim_end().len();
            let rest = text.get(comment.end..line.end)?.trim().is_empty();
            match before == line.start && rest {
                true => line.start..(line.end + line_end(view, comment.end).len()).min(text.len()),
                false if rest => before..comment.end,
                false => comment,
            }
        }
        Some(_) => {
            let behind = text[name.end..list.end].find(|c: char| c != ',' && !c.is_whitespace());
            let before = text[list.start..name.start].trim_end_matches([',', ' ', '\t']).len();
            match behind {
                Some(behind) => name.start..name.end + behind,
                None => list.start + before..name.end,
            }
        }
    };
    let edits = vec![TextEdit { range: view.range(&gone), new_text: String::new() }];
    Some(CodeAction {
        title: format!("Remove the suppression of `{}`", text.get(name)?),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit(view, edits)),
        ..CodeAction::default()
    })
}

/// The end of the code of a line, if a comment fits after it: there is no other comment, and the line is not continued.
fn code_end(view: &View, line: &Range<usize>) -> Option<usize> {
    let spans = spans(view.db, view.file);
    let last = spans.get(spans.token_at(line.end)?);
    let behind = view.text().text().get(last.end..line.end)?;
    (line.start < last.end && behind.trim().is_empty()).then_some(last.end)
}

/// The nearest line, from this one upwards, that does not begin inside a comment, a literal or a continued line.
fn whole_line(view: &View, mut line: Range<usize>) -> Range<usize> {
    let text = view.text().text();
    while line.start > 0 {
        let before = line_of(view, line.start - 1);
        if !text[before.clone()].ends_with('\\') && !written::is_inside(view, line.start) {
            break;
        }
        line = before;
    }
    line
}
