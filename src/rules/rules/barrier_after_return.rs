//! `barrier-after-return`: a barrier that only threads miss that returned early, where the language says what happens.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use super::divergent_barrier::finding;
use crate::divergence::told::Facts;
use crate::rule::{Check, Entry};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "barrier-after-return",
        severity: Severity::Note,
        on: true,
        summary: "a barrier after a divergent `return`: work-items that returned early do not take part",
        page: include_str!("../pages/barrier-after-return.md"),
    },
    needs: &[],
    check: Check::Functions(check),
};

fn check(facts: &Facts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter().filter(|barrier| barrier.left.is_some());
    found.extend(barriers.map(|barrier| finding(facts.context, barrier, &RULE.rule)));
}
