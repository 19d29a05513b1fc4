//! Facts next to the code: inlay hints where threads diverge and where convergence is implementation-defined, on wish the
//! tangles of branches, loops and labels, and a code lens on each kernel.
//!
//! ```c
//! if (gid >= n) [divergent]
//!   goto out;
//! barrier(1);
//! out: [implementation-defined]
//! ```

use std::ops::Range;

use super::witness::is_executable;
use serde_json::json;
use tangle_analysis::program::ConvergentCallee;
use tangle_analysis::tangle::{TangleFacts, print};
use tangle_diagnostic::counted;
use tangle_grammar::ast::Span;
use tangle_hir::body::StmtKind;
use tangle_rules::wording::tangles as tangle_texts;
use tower_lsp::lsp_types::{
    CodeLens, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Range as LspRange,
};

use super::position::{BodyLookup, ItemAt};
use super::uniform::{self, Verdicts};
use super::{compare, witness};
use crate::diagnostics;
use crate::snapshot::View;

/// The maximum number of candidates that a hint names.
const MAX_NAMED: usize = 3;

/// Returns the hints in a range.
pub fn inlay_hints(view: &View, range: LspRange) -> Option<Vec<InlayHint>> {
    if !view.analysis.options.inlay_hints.enable {
        return Some(Vec::new());
    }
    let shown = view.offset(range.start)..view.offset(range.end);
    let mut hints = Vec::new();
    for item in ItemAt::all(*view).filter(|item| !item.is_host()) {
        for body in item.bodies() {
            let Some(bytes) = item.bytes(body.body.span) else { continue };
            if bytes.end < shown.start || shown.end < bytes.start {
                continue;
            }
            of_body(&item, body, &mut hints);
            if let Some(verdicts) = Verdicts::of(&item, body) {
                branches(&item, body, &verdicts, &mut hints);
            }
        }
    }
    hints.retain(|hint| range.start <= hint.position && hint.position <= range.end);
    Some(hints)
}

fn of_body(item: &ItemAt, body: BodyLookup, hints: &mut Vec<InlayHint>) {
    let stmts = &body.body.stmts;
    let mut add = |span: Span, facts: &TangleFacts| {
        let Some(bytes) = item.bytes(span) else { return };
        if facts.candidates.is_empty() {
            return;
        }
        let label = match item.view.analysis.options.inlay_hints.tangles {
            true => tangle_names(item, body, facts),
            false if begins_in_doubt(item, body, facts) => "implementation-defined".to_owned(),
            false => return,
        };
        let source = item.source(body.body);
        let reported = facts
            .candidates
            .iter()
            .take(MAX_NAMED)
            .map(|&id| tangle_texts::describe(item.vocabulary(), body.body, body.tangles, id, &source));
        let names = facts
            .candidates
            .iter()
            .zip(reported)
            .map(|(&id, words)| format!("{}: {words}", print::name(body.tangles, id)));
        let decides = begins_in_doubt(item, body, facts).then(|| {
            format!("The compiler decides which {} are together here:", item.vocabulary().threads())
        });
        let tooltip: Vec<String> = decides.into_iter().chain(names).collect();
        hints.push(InlayHint {
            position: item.view.position(bytes.end),
            label: InlayHintLabel::String(label),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(tooltip.join("\n"))),
            padding_left: Some(true),
            padding_right: Some(true),
            data: None,
        });
    };
    for (id, stmt) in stmts.iter_enumerated() {
        // A hint is at the beginning of the branch or body, after its `{` if it has one.
        let mut begins = |inner: tangle_hir::body::StmtId| {
            let span = stmts[inner].span;
            let block = matches!(stmts[inner].kind, StmtKind::Compound(_));
            let place = match (block, span.start.checked_sub(1)) {
                (true, _) => Span::new(span.start, span.start + 1),
                (false, Some(before)) => Span::new(before, span.start),
                (false, None) => span,
            };
            add(place, &body.tangles.stmts[inner]);
        };
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                begins(*then);
                // An `else if` has hints at its own branches.
                if let Some(otherwise) =
                    otherwise.filter(|&stmt| !matches!(stmts[stmt].kind, StmtKind::If { .. }))
                {
                    begins(otherwise);
                }
            }
            StmtKind::While { body: inner, .. }
            | StmtKind::Do { body: inner, .. }
            | StmtKind::For { body: inner, .. } => {
                begins(*inner);
            }
            StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_) => {
                add(print::label_span(body.body, id), &body.tangles.stmts[id]);
            }
            _ => {}
        }
    }
}

/// Adds the hint `divergent` after each condition where threads of a work-group diverge.
fn branches(item: &ItemAt, body: BodyLookup, verdicts: &Verdicts, hints: &mut Vec<InlayHint>) {
    let source = item.source(body.body);
    let vocabulary = item.vocabulary();
    let tooltip =
        format!("Not all {} of the {} take the same path here.", vocabulary.threads(), vocabulary.workgroup);
    for (id, stmt) in body.body.stmts.iter_enumerated() {
        let branch =
            matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Switch { .. }) || stmt.kind.is_loop();
        let Some(condition) = branch.then(|| tangle_texts::BodySource::condition(&source, id)).flatten()
        else {
            continue;
        };
        let Some(bytes) = item.bytes(condition).filter(|_| verdicts.parts(condition)) else { continue };
        hints.push(InlayHint {
            position: item.view.position(bytes.end),
            label: InlayHintLabel::String("divergent".into()),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(tooltip.clone())),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
}

/// Whether convergence becomes implementation-defined at a statement.
fn begins_in_doubt(item: &ItemAt, body: BodyLookup, facts: &TangleFacts) -> bool {
    facts
        .doubt
        .is_some_and(|doubt| !body.tangles.doubts[doubt].inherited && !uniform::is_settled(item, body, doubt))
}

/// Returns the names of candidates, with a question mark if their convergence is implementation-defined.
fn tangle_names(item: &ItemAt, body: BodyLookup, facts: &TangleFacts) -> String {
    let mut names: Vec<String> =
        facts.candidates.iter().take(MAX_NAMED).map(|&id| print::name(body.tangles, id)).collect();
    if facts.candidates.len() > MAX_NAMED {
        names.push("…".into());
    }
    let in_doubt = facts.doubt.is_some_and(|doubt| !uniform::is_settled(item, body, doubt));
    let mark = if in_doubt { "?" } else { "" };
    names.join(" ") + mark
}

/// Returns the lenses of each kernel: its convergent operations, its findings, and links to its flow graph and thread
/// table. Also the lenses of each function: the search for an execution with a finding, and the comparison of changed text.
pub fn code_lenses(view: &View) -> Option<Vec<CodeLens>> {
    if !view.analysis.options.code_lens.enable {
        return Some(Vec::new());
    }
    let findings = diagnostics::findings(view);
    let mut lenses = Vec::new();
    let changes = Changes::of(view);
    for item in ItemAt::all(*view) {
        for body in item.bodies().filter(|found| !found.body.block) {
            let (Some(range), Some(bytes)) = (item.range(body.body.name.span), item.bytes(item.extent(body)))
            else {
                continue;
            };
            let position = json!({ "uri": view.document.uri, "position": range.start });
            let mut add = |title: String, command: &str| {
                let command =
                    Command { title, command: command.into(), arguments: Some(vec![position.clone()]) };
                lenses.push(CodeLens { range, command: Some(command), data: None });
            };
            let own = findings.iter().filter(|finding| bytes.contains(&finding.place.range.start));
            if body.body.kernel {
                let operations = counted(operations(&item, body), "convergent operation");
                let findings = counted(own.clone().count(), "finding");
                add(format!("{operations}, {findings}"), "tangle.showTangleTree");
                add("show flow graph".into(), "tangle.showFlowGraph");
                add("show thread table".into(), "tangle.showThreadTable");
            }
            if own.clone().any(is_executable) {
                add("show confirming execution".into(), witness::COMMAND);
            }
            if changes.as_ref().is_some_and(|changes| changes.are_in(&bytes)) {
                add("compare with saved version".into(), compare::COMMAND);
            }
        }
    }
    Some(lenses)
}

/// The differences between the text of a document and the saved text.
struct Changes<'a> {
    text: &'a str,
    saved: &'a str,
    /// The range of the text that differs. Both are equal before and after it.
    range: Range<usize>,
}

impl<'a> Changes<'a> {
    /// Returns `None` if both are equal, or there is no saved text.
    fn of(view: &View<'a>) -> Option<Changes<'a>> {
        let (text, saved) = (view.document.text.text(), view.document.saved.as_ref()?.text());
        let same = |(a, b): &(u8, u8)| a == b;
        let start = text.bytes().zip(saved.bytes()).take_while(same).count();
        let most = text.len().min(saved.len()) - start;
        let rest = text.bytes().rev().zip(saved.bytes().rev()).take(most).take_while(same).count();
        (text != saved).then_some(Changes { text, saved, range: start..text.len() - rest })
    }

    /// Whether the text of a range is not in the saved text.
    fn are_in(&self, range: &Range<usize>) -> bool {
        let touches = self.range.start <= range.end && range.start <= self.range.end;
        touches && self.text.get(range.clone()).is_some_and(|text| !self.saved.contains(text))
    }
}

fn operations(item: &ItemAt, body: BodyLookup) -> usize {
    let operations = item.operations(body);
    let called = body.body.calls.indices().filter_map(|call| operations.call(call));
    called
        .filter(|called| {
            matches!(
                called,
                ConvergentCallee::Operation(..) | ConvergentCallee::Function(_) | ConvergentCallee::Pointer
            )
        })
        .count()
}
