//! `syntax-error`: what the parser could not follow, and what parses but means nothing.

use tangle_grammar::ast::Span;

use super::check::{Subject, finding, place, with_macros};
use tangle_diagnostic::Diagnostic;
use tangle_hir::bodies;
use tangle_hir::body::{Body, Problem};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Located, parse};
use tangle_syntax::preprocess;

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
            (name.span, format!("undeclared label `{}` in `{}`", name.text, body.name.text))
        }
        Problem::DuplicateLabel { again, .. } => (again.span, format!("duplicate label `{}`", again.text)),
        Problem::BreakOutside(span) => (*span, "`break` outside of a loop or `switch`".into()),
        Problem::ContinueOutside(span) => (*span, "`continue` outside of a loop".into()),
        Problem::ComputedGotos { first, gotos, labels } => (
            *first,
            format!(
                "too many computed jumps in `{}`: {gotos} `goto`s to {labels} labels cannot be analysed",
                body.name.text
            ),
        ),
        Problem::CaseOutside(span) => (*span, "`case` or `default` outside of a `switch`".into()),
        Problem::JumpIntoOpen { jump, .. } => {
            (*jump, "this jump enters a statement that is marked `noconvergent`".into())
        }
    };
    let located = subject.locator.locate(span);
    let mut diagnostic = finding(subject.db, RULE, &located, message).in_function(body.name.text.as_str());
    diagnostic.help.extend(help(problem));
    if let Problem::DuplicateLabel { first, .. } = problem {
        let first = subject.locator.locate(first.span);
        diagnostic = diagnostic.with_related(place(subject.db, &first.at), "first defined here");
    }
    if let Problem::JumpIntoOpen { open, .. } = problem {
        let begin = subject.locator.locate(Span::new(open.start, open.start + 1));
        diagnostic = diagnostic
            .with_related(place(subject.db, &begin.at), "this statement can be entered only at its start");
    }
    with_macros(subject.db, diagnostic, &located)
}

/// What the user can do about a problem.
fn help(problem: &Problem) -> Option<String> {
    Some(match problem {
        Problem::UndefinedLabel(name) => {
            format!("add the label `{}:`, or jump to another label", name.text)
        }
        Problem::DuplicateLabel { .. } => "rename one of the labels".into(),
        Problem::BreakOutside(_) => "use `return` to leave the function".into(),
        Problem::ComputedGotos { .. } => "replace the computed `goto`s with a `switch`".into(),
        Problem::JumpIntoOpen { .. } => "move the label out of the marked statement".into(),
        Problem::ContinueOutside(_) | Problem::CaseOutside(_) => return None,
    })
}

pub(super) fn of_preprocessor(
    db: &dyn Db,
    problem: &preprocess::Problem,
    located: &Located,
    related: impl Iterator<Item = Located>,
) -> Diagnostic {
    let mut diagnostic = finding(db, RULE, located, problem.message());
    diagnostic.help.extend(problem.help());
    for other in related {
        diagnostic = diagnostic.with_related(place(db, &other.at), "the first `#else`");
    }
    with_macros(db, diagnostic, located)
}
