//! The text of the cause of a finding (a [`CauseAcrossCalls`]): the chain in its own function, and the argument that the deciding
//! caller passes.
//!
//! [`cause`] provides the text of a chain. This module joins the texts across calls.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::{DivergenceContext, FunctionFacts};
use crate::item_context::place;
use crate::quote::source_text;
use crate::wording::cause::{Assumption, CausePhrase, Text, TextContext, undeclared};
use crate::wording::headline::fitting;
use tangle_analysis::flow::{Callee, Op};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::Link;
use tangle_analysis::uniformity::causes::{CauseAcrossCalls, calls};
use tangle_diagnostic::{Diagnostic, Place, counted};
use tangle_syntax::dialect::Scope;

/// The maximum number of calls whose locations are shown, on the path from the deciding caller to a finding.
const SHOWN_CALLS: usize = 8;

/// Returns a headline that ends with the cause as a phrase:
/// `` the condition depends on `i`, which derives from `get_local_id(0)` ``. It has the most detailed phrase that fits
/// into a line with one of several beginnings.
pub fn headline(
    context: &DivergenceContext,
    id: DefinitionId,
    blame: &CauseAcrossCalls,
    before: &[String],
) -> String {
    let phrases = phrases(context, id, blame);
    let with_each = |phrase: String| before.iter().map(move |before| format!("{before}{phrase}"));
    fitting(phrases.into_iter().flat_map(with_each))
}

/// Returns the cause as phrases, the most detailed first.
fn phrases(context: &DivergenceContext, id: DefinitionId, blame: &CauseAcrossCalls) -> Vec<String> {
    let known = context.known(id);
    let mut own = cause_phrase(context, known, &blame.chain);
    let inside = blame.callee_chains.last().and_then(|(callee, chain)| {
        let said = cause_phrase(context, context.known(*callee), chain);
        said.origin.or(said.head)
    });
    if blame.calls.is_empty() && inside.is_some() {
        own.origin = inside.clone();
    }
    match blame.calls.last() {
        None => own.phrases(),
        Some(&(caller, _)) => {
            let it = context.known(caller);
            let mut passed = cause_phrase(context, it, &blame.argument_chain);
            passed.origin = inside.or(passed.origin);
            own.phrases_with_caller(passed, &it.described())
        }
    }
}

/// Adds the locations and assumptions of a cause to its finding.
pub fn with_places(
    context: &DivergenceContext,
    id: DefinitionId,
    blame: &CauseAcrossCalls,
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
    if let Some(&(caller, _)) = blame.calls.last() {
        let caller = context.known(caller);
        for (at, message) in places(context, caller, &blame.argument_chain, scope) {
            finding = finding.with_step(at, message);
        }
        finding = with_assumptions(context, caller, &blame.argument_chain, finding);
    }
    for (callee, chain) in &blame.callee_chains {
        let callee = context.known(*callee);
        for (at, message) in places(context, callee, chain, scope) {
            finding = finding.with_step(at, message);
        }
        finding = with_assumptions(context, callee, chain, finding);
    }
    finding
}

/// Whether a cause rests on assumptions about unknown names and functions.
pub fn rests_on_assumptions(context: &DivergenceContext, id: DefinitionId, blame: &CauseAcrossCalls) -> bool {
    let rests = |at: DefinitionId, chain: &[Link]| {
        assumptions(context, context.known(at), chain).iter().any(|it| it.affects_finding)
    };
    let caller = blame.calls.last().map(|&(caller, _)| (caller, &*blame.argument_chain));
    let inside = blame.callee_chains.iter().map(|(callee, chain)| (*callee, &**chain));
    [(id, &*blame.chain)].into_iter().chain(caller).chain(inside).any(|(at, chain)| rests(at, chain))
}

impl FunctionFacts<'_, '_> {
    /// Returns the unknown functions that it calls, each with the first call.
    pub(super) fn unknown_functions(&self) -> &[(Option<Symbol>, Span)] {
        self.unknown.get_or_init(|| unknown_functions(self))
    }
}

/// Adds the assumptions about unknowns on a chain.
fn with_assumptions(
    context: &DivergenceContext,
    known: &FunctionFacts,
    chain: &[Link],
    mut finding: Diagnostic,
) -> Diagnostic {
    let subject = context.subject(known);
    for Assumption { span, message, .. } in assumptions(context, known, chain) {
        finding = finding.with_assumption(place(context.db, &subject.locator.locate(span).at), message);
    }
    finding
}

/// Returns the assumptions about unknowns on a chain.
fn assumptions(context: &DivergenceContext, known: &FunctionFacts, chain: &[Link]) -> Vec<Assumption> {
    let subject = context.subject(known);
    let unknown = || known.unknown_functions();
    let text = |span| source_text(&subject, span);
    let undeclared = known.undeclared.get_or_init(|| undeclared(known.function));
    text_context(context, known, &text).assumptions(chain, &unknown, undeclared)
}

/// Returns the unknown functions that a function calls, each with the first call. The name is `None` for a lambda.
fn unknown_functions(known: &FunctionFacts) -> Vec<(Option<Symbol>, Span)> {
    let environment = known.analysis.environment;
    let is_unknown = |callee: &Callee| match callee {
        Callee::Function { .. } | Callee::Unknown { .. } => {
            (environment.summary)(callee).is_none() && (environment.builtin)(callee).is_none()
        }
        Callee::Builtin { .. } | Callee::CompilerBuiltin { .. } | Callee::Pointer { .. } => false,
    };
    let mut seen: FxHashSet<Option<Symbol>> = FxHashSet::default();
    let calls = calls(known.function).filter_map(|(_, value, call)| {
        let name = call.callee.name();
        let is_new = call.callee.is_named() && is_unknown(&call.callee) && seen.insert(name);
        is_new.then_some((name, known.function.values[value].span))
    });
    calls.collect()
}

/// Returns a short text for a chain in a function.
fn cause_phrase(context: &DivergenceContext, known: &FunctionFacts, chain: &[Link]) -> CausePhrase {
    let subject = context.subject(known);
    CausePhrase::of(text_context(context, known, &|span| source_text(&subject, span)), chain)
}

fn text_context<'a>(
    context: &DivergenceContext,
    known: &'a FunctionFacts,
    text: Text<'a>,
) -> TextContext<'a> {
    TextContext { vocabulary: context.vocabulary(), function: known.function, text }
}

/// Returns the locations of a chain with their labels, each once.
fn places(
    context: &DivergenceContext,
    known: &FunctionFacts,
    chain: &[Link],
    scope: Scope,
) -> Vec<(Place, String)> {
    let subject = context.subject(known);
    let locator = &subject.locator;
    let text = |span| source_text(&subject, span);
    let mut places: Vec<(Place, String)> = Vec::new();
    for (span, message) in text_context(context, known, &text).places(chain, scope) {
        let at = place(context.db, &locator.locate(span).at);
        let said = (at, message);
        if span.start < span.end && !places.contains(&said) {
            places.push(said);
        }
    }
    places
}
