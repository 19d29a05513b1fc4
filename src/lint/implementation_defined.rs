//! `implementation-defined-convergence`: a convergent operation that threads reach on paths that need not reconverge.
//!
//! One finding for an operation, whatever the number of jumps. It names the operation and the paths, and points at
//! each jump and label, and at the place where all threads reconverge (`docs/semantics.md`, section 5).

use tangle_grammar::ast::Span;

use super::check::{Subject, finding, place, with_macros};
use super::words::{label_text, spelled};
use crate::diagnostic::Diagnostic;
use crate::hir::bodies;
use crate::hir::body::{Body, Call};
use crate::program::{Called, targets};
use crate::tangle::{Doubt, Tangles, doubtful_calls, tangles_of};
use crate::wording::arrivals::Arrivals;
use crate::wording::headline::fitting;

pub(super) const RULE: &str = "implementation-defined-convergence";

/// Functions that are named between a callee and its convergent operation.
const NAMED_CALLEES: usize = 8;

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    for &(index, call) in doubtful_calls(subject.db, subject.item, subject.model) {
        let body = &bodies(subject.db, subject.item).0[index];
        let targets = targets(subject.db, subject.scoped, index);
        let tangles = &tangles_of(subject.db, subject.item, subject.model).0[index];
        let facts = &tangles.calls[call];
        if let (Some(called), Some(doubt)) = (subject.convergent.call(targets[call]), facts.doubt) {
            let doubt = &tangles.doubts[doubt];
            if doubt.is_asked_for() {
                continue;
            }
            found.push(describe(subject, body, &body.calls[call], called, tangles, doubt));
        }
    }
}

fn describe(
    subject: &Subject,
    body: &Body,
    call: &Call,
    called: Called,
    tangles: &Tangles,
    doubt: &Doubt,
) -> Diagnostic {
    let db = subject.db;
    let label = |stmt| label_text(subject, body, stmt);
    let vocabulary = subject.item.dialect(db).vocabulary();
    let threads = vocabulary.threads();
    let words = Arrivals { vocabulary, body, tangles, doubt, model: subject.model, label: &label };
    let operation = match called {
        Called::Operation(name, _) => format!("`{name}`"),
        Called::Function(key) => format!("`{key}`"),
        Called::Pointer => format!("the call through `{}`", spelled(subject, call.span)),
    };
    let located = subject.locator.locate(call.span);
    let message = fitting([
        format!("{operation} has implementation-defined convergence: {}", words.how(false)),
        format!("{operation} has implementation-defined convergence: {}", words.how(true)),
        format!("{operation} has implementation-defined convergence: several paths meet here"),
        format!("{operation} has implementation-defined convergence"),
    ]);
    let mut diagnostic = finding(db, RULE, &located, message)
        .in_function(body.name.text.as_str())
        .with_label(format!("the compiler decides which {threads} take part together"));
    for (span, text) in words.places() {
        let at = subject.locator.locate(span).at;
        diagnostic = diagnostic.with_related(place(db, &at), text);
    }
    let end = body.stmts[doubt.rejoins].span.end;
    let at = subject.locator.locate(Span::new(end - 1, end)).at;
    let rejoins = match doubt.rejoins == Body::ROOT {
        true => format!("{threads} reconverge only at the end of the function"),
        false => format!("{threads} reconverge here"),
    };
    diagnostic = diagnostic.with_related(place(db, &at), rejoins);
    diagnostic = with_macros(db, diagnostic, &located);
    if let Called::Function(key) = called {
        let mut chain = subject.convergent.way(key);
        let named: Vec<String> =
            chain.by_ref().take(NAMED_CALLEES).map(|callee| format!("`{callee}`")).collect();
        if !named.is_empty() {
            let more = if chain.next().is_some() { ", and so on" } else { "" };
            let named = named.join(", which calls ");
            let at = place(db, &located.at);
            diagnostic = diagnostic.with_related(at, format!("`{key}` calls {named}{more}"));
        }
    }
    diagnostic.with_help(words.advice(&operation))
}
