//! The blame for a finding in words: what the chain in its own function says, and what the caller that decides passes.
//!
//! The words for a chain are those of [`cause`]; here they are put together over the calls between.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::{Context, Known};
use crate::diagnostic::{Diagnostic, Place, Severity, counted};
use crate::dialect::Scope;
use crate::flow::{Callee, Op};
use crate::lint::check::place;
use crate::lint::words::as_written;
use crate::program::DefinitionId;
use crate::uniformity::blame::{Blame, calls};
use crate::uniformity::cause::Link;
use crate::wording::cause::{self, Assumption, Said};
use crate::wording::headline::{LONGEST, fitting};

/// Calls on the way to a finding whose places are shown.
const SHOWN_CALLS: usize = 8;

/// A headline that ends with what a blame comes down to: `` it depends on `i`, which derives from `get_local_id(0)` ``. Of several beginnings the
/// first one with which it fits into a line.
pub fn headline(context: &Context, id: DefinitionId, blame: &Blame, before: &[String]) -> String {
    let whole = |before: &String| {
        let room = LONGEST.saturating_sub(before.chars().count());
        format!("{before}{}", phrase(context, id, blame, room))
    };
    fitting(before.iter().map(whole), LONGEST)
}

fn phrase(context: &Context, id: DefinitionId, blame: &Blame, room: usize) -> String {
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
        None => own.phrase(room),
        Some(&(caller, call)) => {
            let it = context.known(caller);
            let mut passed = said(context, it, &blame.passed);
            passed.origin = inside.or(passed.origin);
            let name = match &it.function.values[call].op {
                Op::Call(call) => call.callee.name().map_or("?", |name| name.as_str()),
                _ => "?",
            };
            own.phrase_through(passed, &it.described(), name, room)
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
        finding = finding.with_related(at, message);
    }
    let shown = blame.calls.len().min(SHOWN_CALLS);
    for &(caller, call) in &blame.calls[..shown] {
        let it = context.known(caller);
        let span = it.function.values[call].span;
        let at = context.subject(it).locator.locate(span).at;
        finding = finding.with_related(place(context.db, &at), format!("{} calls it here", it.described()));
    }
    let left_out = blame.calls.len() - shown;
    if left_out > 0 {
        let calls = counted(left_out, "more call");
        finding = finding.with_help(format!("it is reached through {calls}, which are not shown"));
    }
    finding = with_assumptions(context, context.known(id), &blame.chain, finding);
    if let Some(&(caller, _)) = blame.calls.last() {
        let caller = context.known(caller);
        for (at, message) in places(context, caller, &blame.passed, scope) {
            finding = finding.with_related(at, message);
        }
        finding = with_assumptions(context, caller, &blame.passed, finding);
    }
    for (callee, chain) in &blame.inside {
        let callee = context.known(*callee);
        for (at, message) in places(context, callee, chain, scope) {
            finding = finding.with_related(at, message);
        }
        finding = with_assumptions(context, callee, chain, finding);
    }
    finding
}

/// Adds what is taken for granted of unknown things on a chain.
fn with_assumptions(context: &Context, known: &Known, chain: &[Link], mut finding: Diagnostic) -> Diagnostic {
    let locator = context.subject(known).locator;
    let unknown = || &**known.unknown.get_or_init(|| unknown_functions(known));
    for Assumption { span, message, decides } in cause::assumptions(known.function, chain, &unknown) {
        finding = finding.with_assumption(place(context.db, &locator.locate(span).at), message);
        // An error is provably one.
        if decides {
            finding.severity = finding.severity.min(Severity::Warning);
        }
    }
    finding
}

/// The functions that a function calls and of which nothing is known, each with its first call.
fn unknown_functions(known: &Known) -> Vec<(Symbol, Span)> {
    let environment = known.analysis.environment;
    let is_unknown = |callee: &Callee| match callee {
        Callee::Function { .. } | Callee::Unknown { .. } => {
            (environment.summary)(callee).is_none() && (environment.builtin)(callee).is_none()
        }
        Callee::Builtin { .. } | Callee::Compiler { .. } | Callee::Pointer { .. } => false,
    };
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    let calls = calls(known.function).filter_map(|(_, value, call)| {
        let name = call.callee.name().filter(|&name| seen.insert(name))?;
        is_unknown(&call.callee).then_some((name, known.function.values[value].span))
    });
    calls.collect()
}

/// What a chain in a function says in a few words.
fn said(context: &Context, known: &Known, chain: &[Link]) -> Said {
    let subject = context.subject(known);
    Said::of(known.function, &|span| as_written(&subject, span), chain)
}

/// The places of a chain, with what is said there, each once.
fn places(context: &Context, known: &Known, chain: &[Link], scope: Scope) -> Vec<(Place, String)> {
    let locator = context.subject(known).locator;
    let mut places: Vec<(Place, String)> = Vec::new();
    for (span, message) in cause::places(known.function, chain, scope) {
        let at = place(context.db, &locator.locate(span).at);
        let said = (at, message);
        if span.start < span.end && !places.contains(&said) {
            places.push(said);
        }
    }
    places
}
