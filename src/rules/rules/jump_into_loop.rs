//! `jump-into-loop`: a `goto` or `case` that enters a loop without passing its header.

use crate::file::FileFacts;
use crate::item_context::{ItemContext, finding, place, with_macros};
use crate::quote::label_text;
use crate::rule::{Check, Entry, Evidence};
use tangle_analysis::tangle::patterns::{JumpIntoLoop, patterns_of};
use tangle_analysis::tangle::print::{label_span, statement_head};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::bodies;
use tangle_hir::body::{Body, StmtKind};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "jump-into-loop",
        severity: Severity::Warning,
        on: false,
        summary: "a `goto` or `case` that enters a loop without passing its header",
        page: include_str!("../pages/jump-into-loop.md"),
    },
    required: &[],
    evidence: Some(Evidence::TwoReadings),
    check: Check::Items(check),
};

fn check(_: &FileFacts, subject: &ItemContext, found: &mut Vec<Diagnostic>) {
    for (body, patterns) in &patterns_of(subject.db, subject.item).0 {
        let body = &bodies(subject.db, subject.item).0[*body];
        found.extend(patterns.into_loops.iter().map(|entry| describe(subject, body, entry)));
    }
}

fn describe(
    subject: &ItemContext,
    body: &Body,
    &JumpIntoLoop { jump, target, entered }: &JumpIntoLoop,
) -> Diagnostic {
    let db = subject.db;
    let at = |span| place(db, &subject.locator.locate(span).at);
    let label = label_text(subject, body, target);
    let threads = subject.item.dialect(db).vocabulary().threads();
    let (head, arrives) = (statement_head(body, jump), label_span(body, target));
    // Each label of a `switch` is an entry of its own; for a `goto`, the jump is the statement to change.
    let of_switch = matches!(body.stmts[jump].kind, StmtKind::Switch { .. });
    let located = subject.locator.locate(if of_switch { arrives } else { head });
    let message = match of_switch {
        true => {
            format!("`{label}` is inside a loop: the `switch` enters the loop without passing its header")
        }
        false => format!("this `goto {label}` enters a loop without passing its header"),
    };
    let mut diagnostic = finding(db, &RULE.rule, &located, message).in_function(body.name.text.as_str());
    diagnostic = match of_switch {
        true => diagnostic.with_related(at(head), format!("{threads} jump from here")),
        false => diagnostic.with_related(at(arrives), format!("{threads} arrive here, at `{label}`")),
    };
    diagnostic = diagnostic.with_related(at(statement_head(body, entered)), "the loop that is entered");
    with_macros(db, diagnostic, &located).with_help(format!(
        "let all {threads} enter the loop at its header, and select the start inside the loop"
    ))
}
