//! `activemask-as-mask`: the code takes the lanes of `__activemask()` for more than they are.

use crate::divergence::facts::SharedFacts;
use crate::divergence::masks::{ActiveMaskMistake, ActiveMaskUse};
use crate::interests::Interest;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "activemask-as-mask",
        severity: Severity::Warning,
        on: true,
        summary: "a result of `__activemask()` that assumes a fixed set of lanes",
        page: include_str!("../pages/activemask-as-mask.md"),
    },
    required: &[Interest::ActiveMask],
    evidence: None,
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    found.extend(facts.masks.active.iter().map(|it| describe(facts, it)));
}

fn describe(facts: &SharedFacts, it: &ActiveMaskUse) -> Diagnostic {
    let context = facts.context;
    let known = context.known(it.function);
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(&it.operation));
    let name = it.operation.name;
    let (message, label, help) = match &it.mistake {
        ActiveMaskMistake::UnrelatedLane(_, source) => (
            format!("this `{name}` reads a lane that can be missing in the mask of `{}`", source.name),
            "the value of a lane that is not in the mask is undefined",
            "compute the mask with `__ballot_sync` before lanes diverge, or read a lane of the mask: `__ffs(mask) - 1`",
        ),
        ActiveMaskMistake::FixedLanes(_) => (
            format!(
                "lanes that arrive late are missing in `{name}`, but one fixed lane stores the result for all"
            ),
            "only the lanes that happen to execute this together are in the mask",
            "compute the mask with `__ballot_sync` before lanes diverge, or let a lane of the mask store: `__ffs(mask) - 1`",
        ),
    };
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(label.to_owned());
    let diagnostic = match &it.mistake {
        ActiveMaskMistake::UnrelatedLane(function, source) => {
            let of = context.known(*function);
            let at = context.subject(of).locator.locate(of.span(source)).at;
            let is_here = at == located.at;
            let text = "only the lanes that happen to execute this together are in the mask";
            match is_here {
                true => diagnostic,
                false => diagnostic.with_related(place(context.db, &at), text.to_owned()),
            }
        }
        ActiveMaskMistake::FixedLanes(span) => {
            let at = subject.locator.locate(*span).at;
            diagnostic.with_related(place(context.db, &at), "the number of the thread chooses who stores")
        }
    };
    with_macros(context.db, diagnostic, &located).with_help(help.to_owned())
}
