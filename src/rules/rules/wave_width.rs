//! `wave-width`: a mask of 64 lanes in 32 bits.

use crate::divergence::facts::SharedFacts;
use crate::interests::Interest;
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "wave-width",
        severity: Severity::Warning,
        on: true,
        summary: "a mask of 64 lanes in a number of 32 bits",
        page: include_str!("../pages/wave-width.md"),
    },
    required: &[Interest::LaneMask],
    evidence: None,
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let context = facts.context;
    for narrow in &facts.masks.narrow {
        let known = context.known(narrow.function);
        let located = context.subject(known).locator.locate(narrow.span);
        let group = &context.vocabulary().subgroup;
        let (message, help) = match narrow.source {
            Some(name) => (
                format!("32 bits keep only half of the mask that `{name}` yields: a {group} has 64 lanes"),
                "use a type of 64 bits, such as `unsigned long long`, and `__popcll` or `__ffsll` for its bits",
            ),
            None => (
                format!("1 is shifted by the number of a lane in 32 bits, but a {group} has 64 lanes"),
                "shift `1ull` instead",
            ),
        };
        let diagnostic = finding(context.db, &RULE.rule, &located, message)
            .in_function(known.name())
            .in_instantiation(known.instantiation());
        found.push(with_macros(context.db, diagnostic, &located).with_help(help.to_owned()));
    }
}
