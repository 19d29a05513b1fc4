//! The blame for a finding in words: the chain in its own function, and the value that the deciding caller passes.
//!
//! The words for a chain are those of [`cause`]; this module joins them over the calls between.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::{Context, Known};
use crate::subject::place;
use crate::wording::cause::{Assumption, Said, Speaker, Text, undeclared};
use crate::wording::headline::fitting;
use crate::words::as_written;
use tangle_analysis::flow::{Callee, Op};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::blame::{Blame, calls};
use tangle_analysis::uniformity::cause::{Link, ends_at_unknown_function};
use tangle_diagnostic::{Diagnostic, Place, Severity, counted};
use tangle_syntax::dialect::Scope;

/// Calls between a blamed caller and a finding whose places are shown.
const SHOWN_CALLS: usize = 8;

/// A headline that ends with the blame as a phrase: `` the condition depends on `i`, which derives from `get_local_id(0)` ``. The fullest
/// phrase that fits into a line with one of several beginnings.
pub fn headline(context: &Context, id: DefinitionId, blame: &Blame, before: &[String]) -> String {
    let phrases = phrases(context, id, blame);
    let with_each = |phrase: String| before.iter().map(move |before| format!("{before}{phrase}"));
    fitting(phrases.into_iter().flat_map(with_each))
}

/// The blame in a few words, fuller phrases first.
fn phrases(context: &Context, id: DefinitionId, blame: &Blame) -> Vec<String> {
    let known = context.known(id);
    let mut own = said(context, known, &blame.chain);
    let inside = blame.inside.last().and_then(|(callee, chain)| {
        let said = said(context, context.known(*callee), chain);
        said.origin.or(said.head)
    });
    if blame.calls.is_empty() && inside.is_some() {
        own.origin = inside.clone();
    }
    match blame.calls.last() {
        None => own.phrases(),
        Some(&(caller, _)) => {
            let it = context.known(caller);
            let mut passed = said(context, it, &blame.passed);
            passed.origin = inside.or(passed.origin);
            own.phrases_through(passed, &it.described())
        }
    }
}

/// Adds the places of a blame to a finding.
pub fn with_places(
    context: &Context,
    id: DefinitionId,
    blame: &Blame,
    scope: Scope,
    mut finding: Diagnostic,
) -> Diagnostic {
    for (at, message) in places(context, context.known(id), &blame.chain, scope) {
        finding = finding.with_step(at, message);
    }
    let shown = blame.calls.len().min(SHOWN_CALLS);
    for &(caller, call) in &blame.calls[..shown] {
        let it = context.known(caller);
        let span = it.function.values[call].span;
        let at = context.subject(it).locator.locate(span).at;
        let callee = match &it.function.values[call].op {
            Op::Call(call) => call.callee.name().map(|name| format!("`{name}`")),
            _ => None,
        };
        let callee = callee.as_deref().unwrap_or("the function");
        let message = format!("{} calls {callee} here", it.described());
        finding = finding.with_step(place(context.db, &at), message);
    }
    let left_out = blame.calls.len() - shown;
    if left_out > 0 {
        let calls = counted(left_out, "more call");
        finding = finding.with_help(format!("the chain of calls continues: {calls} not shown"));
    }
    finding = with_assumptions(context, context.known(id), &blame.chain, finding);
    finding = with_unknown_calls(context, id, &blame.chain, scope, finding);
    if let Some(&(at, _)) = blame.calls.last() {
        let caller = context.known(at);
        for (at, message) in places(context, caller, &blame.passed, scope) {
            finding = finding.with_step(at, message);
        }
        finding = with_assumptions(context, caller, &blame.passed, finding);
        finding = with_unknown_calls(context, at, &blame.passed, scope, finding);
    }
    for (callee, chain) in &blame.inside {
        let callee = context.known(*callee);
        for (at, message) in places(context, callee, chain, scope) {
            finding = finding.with_step(at, message);
        }
        finding = with_assumptions(context, callee, chain, finding);
    }
    finding
}

impl Known<'_, '_> {
    /// The unknown functions that it calls, each with its first call.
    pub(super) fn unknown_functions(&self) -> &[(Option<Symbol>, Span)] {
        self.unknown.get_or_init(|| unknown_functions(self))
    }
}

/// Adds the assumptions about unknown things on a chain.
fn with_assumptions(context: &Context, known: &Known, chain: &[Link], mut finding: Diagnostic) -> Diagnostic {
    let subject = context.subject(known);
    let unknown = || known.unknown_functions();
    let text = |span| as_written(&subject, span);
    let undeclared = known.undeclared.get_or_init(|| undeclared(known.function));
    let assumptions = speaker(context, known, &text).assumptions(chain, &unknown, undeclared);
    for Assumption { span, message, decides } in assumptions {
        finding = finding.with_assumption(place(context.db, &subject.locator.locate(span).at), message);
        // An error holds without assumptions.
        if decides {
            finding.severity = finding.severity.min(Severity::Warning);
        }
    }
    finding
}

/// Adds that a finding rests on results of unknown functions, if it does and its chain does not show it. Then it is no error.
fn with_unknown_calls(
    context: &Context,
    id: DefinitionId,
    chain: &[Link],
    scope: Scope,
    mut finding: Diagnostic,
) -> Diagnostic {
    let Some(first) = chain.first().filter(|_| finding.severity == Severity::Error) else { return finding };
    if ends_at_unknown_function(chain) {
        return finding;
    }
    let known = context.known(id);
    let subject = context.subject(known);
    let text = |span| as_written(&subject, span);
    let speaker = speaker(context, known, &text);
    for call in context.rests_on_calls(id, first.subject, scope) {
        finding.severity = Severity::Warning;
        let at = place(context.db, &subject.locator.locate(known.function.values[call].span).at);
        finding = finding.with_assumption(at, speaker.unknown_result(call));
    }
    finding
}

/// The unknown functions that a function calls, each with its first call. A lambda has no name.
fn unknown_functions(known: &Known) -> Vec<(Option<Symbol>, Span)> {
    let environment = known.analysis.environment;
    let is_unknown = |callee: &Callee| match callee {
        Callee::Function { .. } | Callee::Unknown { .. } => {
            (environment.summary)(callee).is_none() && (environment.builtin)(callee).is_none()
        }
        Callee::Builtin { .. } | Callee::Compiler { .. } | Callee::Pointer { .. } => false,
    };
    let mut seen: FxHashSet<Option<Symbol>> = FxHashSet::default();
    let calls = calls(known.function).filter_map(|(_, value, call)| {
        let name = call.callee.name();
        let is_new = call.callee.is_named() && is_unknown(&call.callee) && seen.insert(name);
        is_new.then_some((name, known.function.values[value].span))
    });
    calls.collect()
}

/// A chain in a function in a few words.
fn said(context: &Context, known: &Known, chain: &[Link]) -> Said {
    let subject = context.subject(known);
    Said::of(speaker(context, known, &|span| as_written(&subject, span)), chain)
}

fn speaker<'a>(context: &Context, known: &'a Known, text: Text<'a>) -> Speaker<'a> {
    Speaker { vocabulary: context.vocabulary(), function: known.function, text }
}

/// The places of a chain with their labels, each once.
fn places(context: &Context, known: &Known, chain: &[Link], scope: Scope) -> Vec<(Place, String)> {
    let subject = context.subject(known);
    let locator = &subject.locator;
    let text = |span| as_written(&subject, span);
    let mut places: Vec<(Place, String)> = Vec::new();
    for (span, message) in speaker(context, known, &text).places(chain, scope) {
        let at = place(context.db, &locator.locate(span).at);
        let said = (at, message);
        if span.start < span.end && !places.contains(&said) {
            places.push(said);
        }
    }
    places
}
