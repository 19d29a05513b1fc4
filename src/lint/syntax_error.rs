//! `syntax-error`: what the parser could not follow, and what parses but means nothing.

use tangle_grammar::ast::Span;

use super::check::{Subject, finding, place, with_macros};
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::hir::bodies;
use crate::hir::body::{Body, Problem};
use crate::syntax::{Located, parse};

pub(super) const RULE: &str = "syntax-error";

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    let db = subject.db;
    for error in &parse(db, subject.item).0.errors {
        let located = subject.locator.locate(error.span);
        let mut diagnostic = finding(db, RULE, &located, &error.message);
        for (span, message) in &error.related {
            diagnostic = diagnostic.with_related(place(db, &subject.locator.locate(*span).at), message);
        }
        found.push(with_macros(db, diagnostic, &located));
    }
    for body in &bodies(db, subject.item).0 {
        for problem in &body.problems {
            found.push(of_body(subject, body, problem));
        }
    }
}

/// What is wrong at a place.
pub(super) fn at(db: &dyn Db, message: String, located: &Located) -> Diagnostic {
    with_macros(db, finding(db, RULE, located, message), located)
}

fn of_body(subject: &Subject, body: &Body, problem: &Problem) -> Diagnostic {
    let (span, message) = match problem {
        Problem::UndefinedLabel(name) => {
            (name.span, format!("`{}` has no label `{}` to jump to", body.name.text, name.text))
        }
        Problem::DuplicateLabel { again, .. } => (again.span, format!("a second label `{}`", again.text)),
        Problem::BreakOutside(span) => (*span, "`break` outside of a loop or `switch`".into()),
        Problem::ContinueOutside(span) => (*span, "`continue` outside of a loop".into()),
        Problem::ComputedGotos { first, gotos, labels } => (
            *first,
            format!(
                "`{}` has {gotos} computed `goto`s to {labels} labels, which are too many to follow",
                body.name.text
            ),
        ),
        Problem::CaseOutside(span) => (*span, "a `case` or `default` outside of a `switch`".into()),
        Problem::JumpIntoOpen { jump, .. } => {
            (*jump, "this jump leads into a statement that is marked `noconvergent`".into())
        }
    };
    let located = subject.locator.locate(span);
    let mut diagnostic = finding(subject.db, RULE, &located, message).in_function(body.name.text.as_str());
    if let Problem::DuplicateLabel { first, .. } = problem {
        let first = subject.locator.locate(first.span);
        diagnostic = diagnostic.with_related(place(subject.db, &first.at), "the first one");
    }
    if let Problem::JumpIntoOpen { open, .. } = problem {
        let begin = subject.locator.locate(Span::new(open.start, open.start + 1));
        diagnostic = diagnostic
            .with_related(place(subject.db, &begin.at), "this one: threads enter it at its beginning alone");
    }
    with_macros(subject.db, diagnostic, &located)
}

pub(super) fn of_preprocessor(
    db: &dyn Db,
    message: String,
    located: &Located,
    related: impl Iterator<Item = Located>,
) -> Diagnostic {
    let mut diagnostic = finding(db, RULE, located, message);
    for other in related {
        diagnostic = diagnostic.with_related(place(db, &other.at), "see here");
    }
    with_macros(db, diagnostic, located)
}
