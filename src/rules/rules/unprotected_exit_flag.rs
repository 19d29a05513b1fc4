//! `unprotected-exit-flag`: the exit of a loop with a barrier depends on a flag in shared memory, and no barrier
//! separates a read of the flag from a write.

use crate::interests::Interest;
use crate::interests::OperationClass::OfGroup;
use crate::rule::{Check, Entry, Evidence};

use crate::divergence::facts::SharedFacts;
use crate::divergence::{DivergenceContext, FunctionFacts};
use crate::item_context::{finding, place, with_macros};
use crate::quote::source_text;
use crate::wording::cause::quoted;
use tangle_analysis::flow::ValueId;
use tangle_analysis::uniformity::barriers::Unprotected;
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "unprotected-exit-flag",
        severity: Severity::Warning,
        on: true,
        summary: "a loop whose exit flag is read and written without a barrier in between",
        page: include_str!("../pages/unprotected-exit-flag.md"),
    },
    required: &[Interest::Unreached(OfGroup)],
    evidence: Some(Evidence::Race),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let context = facts.context;
    let flags = facts.flags.iter();
    found.extend(flags.map(|flag| describe(context, context.known(flag.function), flag.load, flag.write)));
}

fn describe(
    context: &DivergenceContext,
    known: &FunctionFacts,
    load: ValueId,
    write: Unprotected,
) -> Diagnostic {
    let function = known.function;
    let subject = context.subject(known);
    let located = subject.locator.locate(function.values[load].span);
    let flag = quoted(source_text(&subject, function.values[load].span));
    let order = match write.before {
        true => "written and then read",
        false => "read and then written",
    };
    let message = format!("the exit flag {flag} is {order} without a barrier in between");
    let vocabulary = context.vocabulary();
    let (threads, barrier) = (vocabulary.threads(), &vocabulary.barrier);
    let at = place(context.db, &subject.locator.locate(function.values[write.store].span).at);
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!(
            "{threads} can read different values here: some leave the loop, the others wait at a barrier"
        ))
        .with_related(
            at,
            format!("a faster {} can write the flag here before a slower one reads it", vocabulary.thread),
        );
    let diagnostic = with_macros(context.db, diagnostic, &located);
    diagnostic.with_help(format!(
        "read {flag} into a variable, call `{barrier}`, and only then write the flag again"
    ))
}
