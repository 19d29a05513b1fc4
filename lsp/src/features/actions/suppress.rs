//! Adds a comment that suppresses a finding, with a placeholder for the reason; and removes an unused suppression.

use tangle_rules::add_suppression::{NO_REASON, SuppressionEdit, add_suppression};
use tower_lsp::lsp_types::{CodeAction, CodeActionKind, Diagnostic, TextEdit};

use super::{edit, line_end, line_of};
use crate::features::text_kind;
use crate::snapshot::View;

/// Returns `None` if no comment can suppress the finding.
pub fn suppress(view: &View, diagnostic: &Diagnostic, rule: &str) -> Option<CodeAction> {
    let at = view.offset(diagnostic.range.start)..view.offset(diagnostic.range.end);
    let path = view.file.path(view.db);
    let SuppressionEdit { range, text: new_text } =
        add_suppression(path, view.text().text(), &at, &[rule], NO_REASON)?;
    Some(CodeAction {
        title: format!("Suppress `{rule}` here, with a reason"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit(view, vec![TextEdit { range: view.range(&range), new_text }])),
        ..CodeAction::default()
    })
}

/// Removes an unused rule from a suppression, or the whole comment if it names no other rule.
pub fn unneeded(view: &View, diagnostic: &Diagnostic) -> Option<CodeAction> {
    let (text, range) = (view.text().text(), &diagnostic.range);
    let name = view.offset(range.start)..view.offset(range.end);
    let comment = text_kind::comment_at(view, name.start)?;
    let list = comment.start + text[comment.clone()].find("allow(")? + "allow(".len()
        ..name.end + text[name.end..comment.end].find(')')?;
    let rules = text.get(list.start..list.end)?;
    // Remove the rule from the list, because the other rules of the comment may be used.
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
            let after = text[name.end..list.end].find(|c: char| c != ',' && !c.is_whitespace());
            let before = text[list.start..name.start].trim_end_matches([',', ' ', '\t']).len();
            match after {
                Some(after) => name.start..name.end + after,
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
