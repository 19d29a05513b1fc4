//! `implementation-defined-convergence`: a convergent operation that threads reach on paths that need not reconverge.
//!
//! Each operation has one finding, for any number of jumps. It names the operation and the paths. It shows each jump
//! and label, and the place where all threads reconverge (`docs/semantics.md`, section 5).
//!
//! If a mask names the threads of an operation, there is no finding. On architectures where these threads must also
//! reach one call together, the finding points at the mask (`docs/semantics.md`, section 10).

use crate::interests::Interest;
use crate::rule::{Check, Entry, Evidence};
use tangle_grammar::ast::Span;

use crate::file::FileFacts;
use crate::item_context::{ItemContext, finding, place, with_macros};
use crate::quote::{label_text, source_text, token_text};
use crate::wording::arrivals::Arrivals;
use crate::wording::cause::quoted;
use crate::wording::headline::fitting;
use tangle_analysis::program::{ConvergentCallee, targets};
use tangle_analysis::tangle::{ImplementationDefined, Tangles, doubtful_calls, tangles_of};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::bodies;
use tangle_hir::body::{Body, Call, CallId};
use tangle_hir::scope::typed_body;
use tangle_hir::typed::{ExprKind, Unknown};
use tangle_syntax::dialect::{Argument, MeetingPoint};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "implementation-defined-convergence",
        severity: Severity::Warning,
        on: true,
        summary: "a convergent operation that threads reach on paths that need not reconverge",
        page: include_str!("../pages/implementation-defined-convergence.md"),
    },
    required: &[Interest::Doubt],
    evidence: Some(Evidence::TwoReadings),
    check: Check::Items(check),
};

/// The maximum number of functions that are named between a callee and its convergent operation.
const NAMED_CALLEES: usize = 8;

fn check(file: &FileFacts, subject: &ItemContext, found: &mut Vec<Diagnostic>) {
    for &(index, call) in doubtful_calls(subject.db, subject.item, subject.model) {
        let body = &bodies(subject.db, subject.item).0[index];
        let targets = targets(subject.db, subject.scoped, index);
        let tangles = &tangles_of(subject.db, subject.item, subject.model).0[index];
        let facts = &tangles.calls[call];
        if let (Some(called), Some(doubt)) = (subject.convergent.implicit_call(targets[call]), facts.doubt) {
            let doubt = &tangles.doubts[doubt];
            if doubt.is_only_noconvergent() || file.settled.contains(&(subject.item, index, call)) {
                continue;
            }
            let mut diagnostic = describe(subject, body, &body.calls[call], called, tangles, doubt);
            if let Some((span, text)) = mask(subject, index, call, called) {
                let at = subject.locator.locate(span).at;
                diagnostic = diagnostic.with_related(place(subject.db, &at), text);
            }
            found.push(diagnostic);
        }
    }
}

/// Returns the mask of an operation whose threads must reach one call together, with a label. `number`: the number of
/// the body.
fn mask(
    subject: &ItemContext,
    number: usize,
    id: CallId,
    called: ConvergentCallee,
) -> Option<(Span, String)> {
    let ConvergentCallee::Operation(name, _) = called else { return None };
    let row = subject.convergent.builtin(name).filter(|row| row.masked)?;
    let dialect = subject.item.dialect(subject.db);
    let written = row.mask.and_then(|mask| argument(subject, number, id, mask));
    // A number in the text of assembly has the location of the instruction.
    let of_call = bodies(subject.db, subject.item).0[number].calls[id].span;
    let (span, mask) = match written.filter(|&span| span != of_call) {
        Some(span) => (span, format!("the mask {}", quoted(source_text(subject, span)))),
        // An operand of an instruction, or the default.
        None => (of_call, format!("the mask of `{name}`")),
    };
    let target = match dialect.masks() {
        Some(masks) => format!("before {}", masks.name),
        None if row.meets == MeetingPoint::Here && written.is_some() => format!("in {}", dialect.title()),
        // The architecture is unknown, or the call has no mask.
        None => return None,
    };
    let threads = dialect.vocabulary().threads();
    Some((
        span,
        format!("{mask} names the {threads} that take part; {target}, they must reach this call together"),
    ))
}

/// Returns the span of an argument of a call. `None` if the call does not have it, or if the types of the body are
/// unknown.
fn argument(subject: &ItemContext, number: usize, id: CallId, argument: Argument) -> Option<Span> {
    let typed = typed_body(subject.db, subject.scoped, number)?;
    let exprs = &typed.exprs;
    exprs.iter().find_map(|expr| {
        let arguments = match &expr.kind {
            ExprKind::Call { arguments, call: Some(call), .. } if *call == id => arguments,
            ExprKind::Unknown { what: Unknown::Call { call: Some(call), .. }, operands } if *call == id => {
                operands
            }
            _ => return None,
        };
        let span = exprs[*argument.of(arguments)?].span;
        (span.start < span.end).then_some(span)
    })
}

fn describe(
    subject: &ItemContext,
    body: &Body,
    call: &Call,
    called: ConvergentCallee,
    tangles: &Tangles,
    doubt: &ImplementationDefined,
) -> Diagnostic {
    let db = subject.db;
    let label = |stmt| label_text(subject, body, stmt);
    let vocabulary = subject.item.dialect(db).vocabulary();
    let threads = vocabulary.threads();
    let words = Arrivals { vocabulary, body, tangles, doubt, model: subject.model, label: &label };
    let operation = match called {
        ConvergentCallee::Operation(name, _) => format!("`{name}`"),
        ConvergentCallee::Function(key) => format!("`{key}`"),
        ConvergentCallee::Pointer => format!("the call through `{}`", token_text(subject, call.span)),
    };
    let located = subject.locator.locate(call.span);
    let message = fitting([
        format!("{operation} has implementation-defined convergence: {}", words.summary(false)),
        format!("{operation} has implementation-defined convergence: {}", words.summary(true)),
        format!("{operation} has implementation-defined convergence: several paths meet here"),
        format!("{operation} has implementation-defined convergence"),
    ]);
    let mut diagnostic = finding(db, &RULE.rule, &located, message)
        .in_function(body.name.text.as_str())
        .with_label(format!("the compiler decides which {threads} take part together"));
    for (span, text) in words.places() {
        let at = subject.locator.locate(span).at;
        diagnostic = diagnostic.with_related(place(db, &at), text);
    }
    let end = body.stmts[doubt.reconverges_after].span.end;
    let at = subject.locator.locate(Span::new(end - 1, end)).at;
    let rejoins = match doubt.reconverges_after == Body::ROOT {
        true => format!("{threads} reconverge only at the end of the function"),
        false => format!("{threads} reconverge here"),
    };
    diagnostic = diagnostic.with_related(place(db, &at), rejoins);
    diagnostic = with_macros(db, diagnostic, &located);
    if let ConvergentCallee::Function(key) = called {
        let mut chain = subject.convergent.implicit_call_path(key);
        let named: Vec<String> =
            chain.by_ref().take(NAMED_CALLEES).map(|callee| format!("`{callee}`")).collect();
        if !named.is_empty() {
            let more = if chain.next().is_some() { ", and so on" } else { "" };
            let named = named.join(", which calls ");
            let at = place(db, &located.at);
            diagnostic = diagnostic.with_related(at, format!("`{key}` calls {named}{more}"));
        }
    }
    diagnostic.with_help(words.help(&operation))
}
