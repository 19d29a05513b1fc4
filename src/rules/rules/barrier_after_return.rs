//! `barrier-after-return`: a barrier that all threads reach except threads that returned early, if the barrier does not
//! wait for exited threads.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use super::divergent_barrier::findings;
use crate::divergence::facts::SharedFacts;
use crate::rule::{Check, Entry};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "barrier-after-return",
        severity: Severity::Note,
        on: true,
        summary: "a barrier after a divergent `return`: work-items that returned early do not take part",
        page: include_str!("../pages/barrier-after-return.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter().filter(|barrier| barrier.exited_severity.is_some());
    found.extend(findings(facts, barriers, &RULE.rule));
}
