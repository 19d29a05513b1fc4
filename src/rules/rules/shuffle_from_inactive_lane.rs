//! `shuffle-from-inactive-lane`: a shuffle reads a lane that is not in the mask, or that may have left the kernel.

use crate::divergence::facts::SharedFacts;
use crate::divergence::masks::{InactiveRead, Inactivity};
use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry, Evidence};
use crate::wording::lanes;
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "shuffle-from-inactive-lane",
        severity: Severity::Error,
        on: true,
        summary: "a shuffle that reads a lane outside of its mask, or one that may have left",
        page: include_str!("../pages/shuffle-from-inactive-lane.md"),
    },
    required: &[Interest::Unreached(OfSubgroup), Interest::PartialMask],
    evidence: Some(Evidence::UndefinedResult),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    found.extend(facts.masks.inactive.iter().map(|it| describe(facts, it)));
}

fn describe(facts: &SharedFacts, it: &InactiveRead) -> Diagnostic {
    let context = facts.context;
    let known = context.known(it.function);
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(&it.operation));
    let (reader, source) = it.lanes;
    let this = match it.operation.function {
        Some(_) => format!("this call of `{}`, which runs `{}`,", it.operation.name, it.name),
        None => format!("this `{}`", it.name),
    };
    let (message, label, help) = match &it.inactivity {
        Inactivity::NotInMask { mask, .. } => (
            format!("{this} reads lane {source}, which is not in the mask {}", lanes::mask(*mask)),
            format!("lane {reader} reads lane {source}, whose value is undefined"),
            format!("name lane {source} in the mask, or read a lane of the mask"),
        ),
        Inactivity::Left(_) => (
            format!("{this} reads lanes that can have left the kernel"),
            format!("lane {reader} reads lane {source}, whose value is undefined if it has left"),
            "guard the work with the condition instead of leaving, and let all lanes take part".to_owned(),
        ),
    };
    let mut diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(label);
    if !matches!(it.inactivity, Inactivity::NotInMask { surely: true, .. }) {
        diagnostic.severity = Severity::Warning;
    }
    if let Inactivity::Left(span) = it.inactivity {
        let at = subject.locator.locate(span).at;
        diagnostic = diagnostic.with_related(place(context.db, &at), "lanes leave here");
    }
    with_macros(context.db, diagnostic, &located).with_help(help)
}
