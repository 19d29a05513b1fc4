//! `fallthrough-into-convergent`: a `case` before a convergent operation that threads reach both by fall-through and by
//! a jump.

use crate::rule::{Check, Entry, Evidence};
use rustc_hash::FxHashSet;

use crate::file::FileFacts;
use crate::item_context::{ItemContext, finding, place, with_macros};
use crate::quote::label_text;
use tangle_analysis::program::{CallTarget, ConvergentCallee, targets};
use tangle_analysis::tangle::patterns::{first_call_from_labels, patterns_of};
use tangle_analysis::tangle::print::{label_span, statement_head};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId, StmtId};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "fallthrough-into-convergent",
        severity: Severity::Warning,
        on: false,
        summary: "a `case` before a convergent operation that threads reach both by fall-through and by a jump",
        page: include_str!("../pages/fallthrough-into-convergent.md"),
    },
    required: &[],
    evidence: Some(Evidence::TwoReadings),
    check: Check::Items(check),
};

fn check(_: &FileFacts, subject: &ItemContext, found: &mut Vec<Diagnostic>) {
    for (number, patterns) in &patterns_of(subject.db, subject.item).0 {
        let body = &bodies(subject.db, subject.item).0[*number];
        let targets = targets(subject.db, subject.scoped, *number);
        let convergent = |call: &CallId| subject.convergent.call(targets[*call]).is_some();
        let calls: Vec<CallId> = body.calls.indices().filter(convergent).collect();
        if calls.is_empty() {
            continue;
        }
        let switches: FxHashSet<StmtId> = patterns.fall_through.iter().map(|&(_, switch)| switch).collect();
        for switch in switches {
            let own = patterns.fall_through.iter().filter(|&&(_, of)| of == switch);
            let labels: Vec<StmtId> = own.map(|&(label, _)| label).collect();
            let after = first_call_from_labels(body, switch, &labels, calls.iter().copied());
            for (label, call) in labels.into_iter().zip(after) {
                found.extend(call.map(|call| describe(subject, body, label, switch, (call, targets[call]))));
            }
        }
    }
}

fn describe(
    subject: &ItemContext,
    body: &Body,
    label: StmtId,
    switch: StmtId,
    (call, target): (CallId, CallTarget),
) -> Diagnostic {
    let db = subject.db;
    let at = |span| place(db, &subject.locator.locate(span).at);
    let name = label_text(subject, body, label);
    let call = &body.calls[call];
    let operation = match subject.convergent.call(target) {
        Some(ConvergentCallee::Operation(name, _)) => format!("`{name}`"),
        Some(ConvergentCallee::Function(key)) => format!("`{key}`"),
        Some(ConvergentCallee::Pointer) | None => "a call through a pointer".into(),
    };
    let located = subject.locator.locate(label_span(body, label));
    let threads = subject.item.dialect(db).vocabulary().threads();
    let message = format!("fall-through and a jump to `{name}` need not reconverge before {operation}");
    let diagnostic = finding(db, &RULE.rule, &located, message)
        .in_function(body.name.text.as_str())
        .with_related(at(statement_head(body, switch)), format!("{threads} jump from here to `{name}`"))
        .with_related(at(call.span), format!("the compiler decides which {threads} take part together"));
    with_macros(db, diagnostic, &located)
        .with_help(format!(
            "end the `case` before `{name}` with `break`, or move {operation} after the `switch`, where {threads} reconverge"
        ))
}
