//! `jump-into-loop`: a `goto` or a `case` that enters a loop past its header.

use super::check::{Subject, finding, place, with_macros};
use super::words::label_text;
use crate::diagnostic::Diagnostic;
use crate::hir::bodies;
use crate::hir::body::{Body, StmtKind};
use crate::tangle::patterns::{IntoLoop, patterns_of};
use crate::tangle::print::{label_span, statement_head};

const RULE: &str = "jump-into-loop";

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    for (body, patterns) in &patterns_of(subject.db, subject.item).0 {
        let body = &bodies(subject.db, subject.item).0[*body];
        found.extend(patterns.into_loops.iter().map(|entry| describe(subject, body, entry)));
    }
}

fn describe(subject: &Subject, body: &Body, &IntoLoop { jump, target, entered }: &IntoLoop) -> Diagnostic {
    let db = subject.db;
    let at = |span| place(db, &subject.locator.locate(span).at);
    let label = label_text(subject, body, target);
    let (head, arrives) = (statement_head(body, jump), label_span(body, target));
    // Each label of a `switch` is a door of its own; of a `goto`, the jump is what can be written otherwise.
    let of_switch = matches!(body.stmts[jump].kind, StmtKind::Switch { .. });
    let located = subject.locator.locate(if of_switch { arrives } else { head });
    let message = match of_switch {
        true => format!(
            "`{label}` lies in a loop inside its `switch`: the jump to it enters the loop past its header"
        ),
        false => format!("the jump to `{label}` enters a loop past its header"),
    };
    let mut diagnostic = finding(db, RULE, &located, message).in_function(body.name.text.as_str());
    diagnostic = match of_switch {
        true => diagnostic.with_related(at(head), "threads jump from here"),
        false => diagnostic.with_related(at(arrives), format!("threads arrive here, at `{label}`")),
    };
    diagnostic =
        diagnostic.with_related(at(statement_head(body, entered)), "this is the loop that is entered");
    with_macros(db, diagnostic, &located)
        .with_help("let all threads enter the loop by its header, and choose inside where they begin")
}
