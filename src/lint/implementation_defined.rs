//! `implementation-defined-convergence`: a convergent operation where threads meet that nothing brings together.
//!
//! One finding for an operation, however many jumps lead there. It names the operation, tells how the threads come, points at
//! each jump and label, and at the place where all are together again (SEMANTICS §5).

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;

use super::check::{Subject, doubtful_calls, finding, place, with_macros};
use super::words::{label_text, spelled, statement_head};
use crate::diagnostic::Diagnostic;
use crate::hir::bodies;
use crate::hir::body::{Body, Call, StmtId};
use crate::program::{Called, targets};
use crate::tangle::print::label_span;
use crate::tangle::{Arrival, Doubt, JumpKind, Model, Tangles, tangles_of};

pub(super) const RULE: &str = "implementation-defined-convergence";

/// Ways to arrive that the message names. Generated code has thousands, at each of thousands of operations: the others are counted.
const NAMED_ARRIVALS: usize = 4;

/// Ways to arrive whose places are shown.
const SHOWN_ARRIVALS: usize = 4;

/// Functions named on the way from one that is called to its convergent operation.
const NAMED_CALLEES: usize = 8;

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    for &(index, call) in doubtful_calls(subject.db, subject.item, subject.model) {
        let body = &bodies(subject.db, subject.item).0[index];
        let targets = targets(subject.db, subject.scoped, index);
        let tangles = &tangles_of(subject.db, subject.item, subject.model).0[index];
        let facts = &tangles.calls[call];
        if let (Some(called), Some(doubt)) = (subject.convergent.call(targets[call]), facts.doubt) {
            let doubt = &tangles.doubts[doubt];
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
    let words = Words { body, subject, tangles, doubt };
    let operation = match called {
        Called::Operation(name, _) => format!("`{name}`"),
        Called::Function(key) => format!("`{key}`, which contains a convergent operation,"),
        Called::Pointer => format!("the call through the pointer `{}`", spelled(subject, call.span)),
    };
    let located = subject.locator.locate(call.span);
    let message = format!(
        "convergence of {operation} is implementation-defined: {} may or may not take part together",
        words.arrivals()
    );
    let mut diagnostic = finding(db, RULE, &located, message)
        .in_function(body.name.text.as_str())
        .with_label("who takes part here depends on the compiler");
    for (span, text) in words.labels() {
        let at = subject.locator.locate(span).at;
        diagnostic = diagnostic.with_related(place(db, &at), text);
    }
    let end = body.stmts[doubt.rejoins].span.end;
    let at = subject.locator.locate(Span::new(end - 1, end)).at;
    let rejoins = match doubt.rejoins == Body::ROOT {
        true => "they are together again only when the function ends",
        false => "from here on they are together again",
    };
    diagnostic = diagnostic.with_related(place(db, &at), rejoins);
    diagnostic = with_macros(db, diagnostic, &located);
    if let Called::Function(key) = called {
        let mut way = subject.convergent.way(key);
        let named: Vec<String> =
            way.by_ref().take(NAMED_CALLEES).map(|callee| format!("`{callee}`")).collect();
        if !named.is_empty() {
            let more = if way.next().is_some() { ", and so on" } else { "" };
            let named = named.join(", which calls ");
            diagnostic = diagnostic.with_help(format!("`{key}` is convergent: it calls {named}{more}"));
        }
    }
    diagnostic.with_help(advice(tangles, doubt))
}

fn advice(tangles: &Tangles, doubt: &Doubt) -> &'static str {
    let any = |test: fn(&Arrival) -> bool| tangles.arrivals(doubt).any(|arrival| test(&arrival));
    if any(|arrival| matches!(arrival, Arrival::Cycle { .. })) {
        "write the backward `goto` as a loop: threads that leave a loop by its condition or by `break` come together"
    } else if any(|arrival| matches!(arrival, Arrival::Jump { kind: JumpKind::Goto, .. })) {
        "write the jump as `if`, `break` or `continue`, after which threads come together, or move the operation out of its reach"
    } else {
        "end each `case` with `break`, or move the operation behind the `switch`, where threads come together"
    }
}

/// Puts the ways to arrive into words.
struct Words<'a> {
    body: &'a Body,
    subject: &'a Subject<'a>,
    tangles: &'a Tangles,
    doubt: &'a Doubt,
}

impl Words<'_> {
    /// Who arrives: what the first few ways say, and how many other jumps there are.
    fn arrivals(&self) -> String {
        let (mut phrases, mut named): (Vec<String>, FxHashSet<_>) = Default::default();
        let mut left_out: FxHashSet<(StmtId, StmtId)> = FxHashSet::default();
        for arrival in self.tangles.arrivals(self.doubt) {
            // Jumps to one label read the same: one phrase tells of all.
            let reads_as = match arrival {
                Arrival::InSequence => None,
                Arrival::Jump { target, leaves, .. } => Some((target, leaves.is_some(), false)),
                Arrival::Cycle { target, .. } => Some((target, true, true)),
            };
            if phrases.len() < NAMED_ARRIVALS {
                let phrase = self.arrival(&arrival);
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
                named.insert(reads_as);
            } else if let Arrival::Jump { source, target, .. } | Arrival::Cycle { source, target } = arrival
                && !named.contains(&reads_as)
            {
                // One jump may bring threads, and close a cycle that others leave.
                left_out.insert((source, target));
            }
        }
        let left_out = left_out.len();
        let at_least = if self.doubt.is_cut() { "at least " } else { "" };
        let mut text = "threads that ".to_owned();
        match (&mut phrases[..], left_out) {
            ([only], 0) => text += only,
            ([first @ .., last], 0) => {
                text += &first.join(", ");
                text += " and threads that ";
                text += last;
            }
            (all, 1) => text += &format!("{}, and threads from {at_least}one other jump", all.join(", ")),
            (all, more) => {
                text += &format!("{}, and threads from {at_least}{more} other jumps", all.join(", "))
            }
        }
        text
    }

    fn arrival(&self, arrival: &Arrival) -> String {
        match *arrival {
            Arrival::InSequence => "arrive without a jump".into(),
            Arrival::Jump { kind: JumpKind::Goto, target, leaves: None, .. } => {
                format!("arrive by `goto {}`", self.label(target))
            }
            Arrival::Jump { kind: JumpKind::Goto, target, leaves: Some(_), .. } => {
                format!("leave a loop by `goto {}` on different iterations", self.label(target))
            }
            Arrival::Jump { target, .. } => format!("jump to `{}`", self.label(target)),
            Arrival::Cycle { target, .. } if self.subject.model == Model::Revised => {
                format!("are on different iterations of the cycle of `goto {}`", self.label(target))
            }
            Arrival::Cycle { target, .. } => {
                format!("leave the cycle of `goto {}` on different iterations", self.label(target))
            }
        }
    }

    /// What each place has to do with it, jumps before labels.
    fn labels(&self) -> Vec<(Span, String)> {
        let mut labels: Vec<(Span, String)> = Vec::new();
        let mut add = |span: Span, text: String| {
            if !labels.iter().any(|(known, _)| *known == span) {
                labels.push((span, text));
            }
        };
        for arrival in self.tangles.arrivals(self.doubt).take(SHOWN_ARRIVALS) {
            match arrival {
                Arrival::InSequence => {}
                Arrival::Jump { kind: JumpKind::Goto, source, target, leaves } => {
                    let label = self.label(target);
                    add(statement_head(self.body, source), format!("threads jump from here to `{label}`"));
                    if let Some(left) = leaves {
                        add(statement_head(self.body, left), "on any iteration of this loop".into());
                    }
                    add(label_span(self.body, target), format!("and arrive here, at `{label}`"));
                }
                Arrival::Jump { source, target, .. } => {
                    add(statement_head(self.body, source), "threads jump from here".into());
                    add(label_span(self.body, target), format!("some to `{}`", self.label(target)));
                }
                Arrival::Cycle { source, target } => {
                    let label = self.label(target);
                    add(
                        statement_head(self.body, source),
                        format!("threads go round again by `goto {label}`"),
                    );
                    add(label_span(self.body, target), format!("from here, at `{label}`, on any iteration"));
                }
            }
        }
        labels
    }

    fn label(&self, stmt: StmtId) -> String {
        label_text(self.subject, self.body, stmt)
    }
}
