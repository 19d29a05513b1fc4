//! `divergent-grid-sync`: a barrier of the whole grid that not all of its threads reach.

use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::Scope;

use super::divergent_barrier::findings;
use crate::divergence::facts::SharedFacts;
use crate::interests::Interest;
use crate::interests::OperationClass::OfGroup;
use crate::rule::{Check, Entry, Evidence};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-grid-sync",
        severity: Severity::Error,
        on: true,
        summary: "a barrier of the grid that not all of its threads reach",
        page: include_str!("../pages/divergent-grid-sync.md"),
    },
    required: &[Interest::Unreached(OfGroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter();
    let barriers = barriers.filter(|it| it.exited_severity.is_none() && it.scope == Scope::Grid);
    found.extend(findings(facts, barriers, &RULE.rule));
}
