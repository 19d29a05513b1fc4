//! What can be done about a finding, or about the code at the cursor. A title says so where the meaning of the program changes.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::json;
use tangle::hir::body::{Body, StmtId, StmtKind};
use tangle::lint;
use tangle::tangle::print::label_span;
use tangle_grammar::ast::{self, Span};
use tower_lsp::lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, NumberOrString,
    Range as LspRange, TextEdit, WorkspaceEdit,
};

use super::at::{At, BodyAt, ItemAt};
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
        actions.push(suppress(view, diagnostic, rule.id));
        actions.push(explain(diagnostic, rule.id));
    }
    for position in [range.start, range.end] {
        let Some(at) = At::find(*view, position) else { continue };
        let Some(body) = at.body() else { continue };
        actions.extend(missing_break(&at, body));
        actions.extend(structured(&at, body));
        if !actions.is_empty() {
            break;
        }
    }
    let wanted = |action: &CodeAction| {
        let Some(kind) = &action.kind else { return true };
        context
            .only
            .as_ref()
            .is_none_or(|only| only.iter().any(|only| kind.as_str().starts_with(only.as_str())))
    };
    Some(actions.into_iter().filter(wanted).map(CodeActionOrCommand::CodeAction).collect())
}

fn edit(view: &View, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = HashMap::from([(view.document.uri.clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// A comment that takes the finding for known. Its reason is for the user to write.
fn suppress(view: &View, diagnostic: &Diagnostic, rule: &str) -> CodeAction {
    let text = view.text();
    let line = text.line_range(diagnostic.range.start.line as usize + 1);
    let own = &text.text()[line.clone()];
    let comment = format!("// tangle: allow({rule}): TODO say why");
    // Behind the code, unless something there would swallow it.
    let free =
        !own.contains("//") && !own.contains("/*") && !own.contains("*/") && !own.trim_end().ends_with('\\');
    let (at, new_text) = match free {
        true => {
            let end = line.start + own.trim_end().len();
            (end..line.end, format!(" {comment}"))
        }
        false => {
            let indent = &own[..own.len() - own.trim_start().len()];
            (line.start..line.start, format!("{indent}{comment}\n"))
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

/// The indentation of the line that holds an offset.
fn indent<'a>(view: &View<'a>, offset: usize) -> &'a str {
    let text = view.text();
    let line = &text.text()[text.line_range(text.position(offset).line)];
    &line[..line.len() - line.trim_start().len()]
}

/// At a `case` that others fall into: a `break` before it.
fn missing_break(at: &At, body: BodyAt) -> Option<CodeAction> {
    let stmts = &body.body.stmts;
    let mut label = at.stmt(body);
    // The label is around what it labels; what follows in its arm stands beside it.
    let label = loop {
        let stmt = label?;
        if matches!(stmts[stmt].kind, StmtKind::Case(_) | StmtKind::Default(_)) {
            break stmt;
        }
        label = before_in_arm(body.body, stmt).or(stmts[stmt].parent);
    };
    // Threads that jumped here, and others that ran on to here.
    if body.tangles.stmts[label].candidates.len() < 2 || !follows(body.body, label) {
        return None;
    }
    let start = at.item.bytes(label_span(body.body, label))?.start;
    let text = at.item.text(label_span(body.body, label));
    let name = text.trim_end_matches([' ', ':']);
    let new_text = format!("  break;\n{}", indent(&at.view, start));
    let range = at.view.range(&(start..start));
    Some(CodeAction {
        title: format!("Add `break;` before `{name}` (the program changes: nothing falls through any more)"),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(edit(&at.view, vec![TextEdit { range, new_text }])),
        ..CodeAction::default()
    })
}

/// The statement before one in the same block.
fn before_in_arm(body: &Body, stmt: StmtId) -> Option<StmtId> {
    let StmtKind::Compound(children) = &body.stmts[body.stmts[stmt].parent?].kind else { return None };
    let at = children.iter().position(|&child| child == stmt)?;
    children.get(at.checked_sub(1)?).copied()
}

/// Whether something stands before a label in its block.
fn follows(body: &Body, label: StmtId) -> bool {
    before_in_arm(body, label).is_some()
}

/// A jump `if (c) goto out;` over what stands before `out:` in the same block.
struct Skip {
    stmt: StmtId,
    /// Before the `goto`, in the branch: kept.
    keeps: Option<Range<usize>>,
    condition: Span,
}

/// Forward `goto`s to a label of the same block as nested `if`s: the same program, whose threads come together at the label.
///
/// Proved by form: every jump to the label is the end of an `if` without `else` in the block of the label, before it; between the first
/// of them and the label nothing is declared in that block, and nobody jumps into it from outside; nothing comes from a macro.
fn structured(at: &At, body: BodyAt) -> Option<CodeAction> {
    let stmts = &body.body.stmts;
    let mut next = at.stmt(body);
    let target = loop {
        let stmt = next?;
        match &stmts[stmt].kind {
            StmtKind::Goto(Some(target)) => break *target,
            StmtKind::Label(_) => break stmt,
            StmtKind::If { then, .. } => {
                if let Some(target) = goto_at_end(body.body, *then) {
                    break target;
                }
                next = stmts[stmt].parent;
            }
            _ => next = stmts[stmt].parent,
        }
    };
    let block = stmts[target].parent?;
    let StmtKind::Compound(children) = &stmts[block].kind else { return None };
    let end = children.iter().position(|&child| child == target)?;
    let skips: Vec<(usize, Skip)> = children[..end]
        .iter()
        .enumerate()
        .filter_map(|(number, &child)| Some((number, skip(&at.item, body.body, child, target)?)))
        .collect();
    let first = skips.first()?.0;
    let jumps = stmts.iter().filter(|stmt| jumps_to(&stmt.kind, target)).count();
    let declares =
        children[first..end].iter().any(|&child| matches!(stmts[child].kind, StmtKind::Declaration));
    let labelled = |stmt: &StmtId| {
        matches!(stmts[*stmt].kind, StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_))
    };
    let between = children[first].index()..target.index();
    let entered = between.clone().map(StmtId::from).any(|stmt| labelled(&stmt));
    let address_taken =
        stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::ComputedGoto(_) | StmtKind::Asm(_)));
    if jumps != skips.len() || declares || entered || address_taken || !labelled_by_name(stmts, target) {
        return None;
    }
    let label = at.item.bytes(label_span(body.body, target))?;
    let name = at.item.text(label_span(body.body, target));
    let edits = rewrite(at, body, &skips, label)?;
    Some(CodeAction {
        title: format!(
            "Write the jumps to `{}` as `if` (the program stays the same)",
            name.trim_end_matches([' ', ':'])
        ),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        edit: Some(edit(&at.view, edits)),
        ..CodeAction::default()
    })
}

fn labelled_by_name(stmts: &index_vec::IndexVec<StmtId, tangle::hir::body::Stmt>, target: StmtId) -> bool {
    matches!(stmts[target].kind, StmtKind::Label(_))
}

fn jumps_to(kind: &StmtKind, target: StmtId) -> bool {
    match kind {
        StmtKind::Goto(to) => *to == Some(target),
        StmtKind::ComputedGoto(to) | StmtKind::Asm(to) => to.contains(&target),
        _ => false,
    }
}

/// Where the `goto` at the end of a branch leads.
fn goto_at_end(body: &Body, branch: StmtId) -> Option<StmtId> {
    match &body.stmts[branch].kind {
        StmtKind::Goto(target) => *target,
        StmtKind::Compound(children) => match body.stmts[*children.last()?].kind {
            StmtKind::Goto(target) => target,
            _ => None,
        },
        _ => None,
    }
}

fn skip(item: &ItemAt, body: &Body, stmt: StmtId, target: StmtId) -> Option<Skip> {
    let StmtKind::If { then, otherwise: None, .. } = body.stmts[stmt].kind else { return None };
    if goto_at_end(body, then)? != target {
        return None;
    }
    let ast::StmtKind::If { condition, .. } = item.ast().stmts[body.stmts[stmt].syntax].kind else {
        return None;
    };
    let keeps = match &body.stmts[then].kind {
        StmtKind::Compound(children) if children.len() > 1 => {
            let first = item.bytes(body.stmts[children[0]].span)?;
            let last = item.bytes(body.stmts[children[children.len() - 2]].span)?;
            Some(first.start..last.end)
        }
        _ => None,
    };
    // All of it must be written here, token by token.
    let span = body.stmts[stmt].span;
    let locator = item.placed.locator(item.view.db);
    let plain =
        (span.start..span.end).all(|token| locator.locate(Span::new(token, token + 1)).macros.is_empty());
    plain.then_some(Skip { stmt, keeps, condition: item.ast().exprs[condition].span })
}

fn rewrite(at: &At, body: BodyAt, skips: &[(usize, Skip)], label: Range<usize>) -> Option<Vec<TextEdit>> {
    let text = at.view.text().text();
    let mut edits = Vec::new();
    for (_, skip) in skips {
        let whole = at.item.bytes(body.body.stmts[skip.stmt].span)?;
        let condition = text.get(at.item.bytes(skip.condition)?)?;
        let new_text = match &skip.keeps {
            Some(kept) => format!("if ({condition}) {{ {} }} else {{", text.get(kept.clone())?),
            None => format!("if (!({condition})) {{"),
        };
        edits.push(TextEdit { range: at.view.range(&whole), new_text });
    }
    // The label goes, and with it the space up to what it labels; the line that it may stand on alone is that of the braces.
    let behind = label.end + text[label.end..].len() - text[label.end..].trim_start().len();
    let line = at.view.text().line_range(at.view.text().position(label.start).line).start;
    let alone = text[line..label.start].trim().is_empty();
    let indent = indent(&at.view, at.item.bytes(body.body.stmts[skips[0].1.stmt].span)?.start);
    let closing = "}".repeat(skips.len());
    let (start, new_text) = match alone {
        true => (line, format!("{indent}{closing}\n{indent}")),
        false => (label.start, format!("{closing} ")),
    };
    edits.push(TextEdit { range: at.view.range(&(start..behind)), new_text });
    Some(edits)
}
