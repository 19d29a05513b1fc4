//! `divergent-barrier`: a barrier or collective of a work-group, cluster or grid that not all of its threads reach.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use crate::divergence::barriers::Barrier;
use crate::divergence::one_cause;
use crate::divergence::told::Facts;
use crate::divergence::unreached::Unreached;
use crate::needs::Need;
use crate::needs::Operations::OfGroup;
use crate::rule::{Check, Entry};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-barrier",
        severity: Severity::Error,
        on: true,
        summary: "a work-group barrier or collective that not all work-items reach",
        page: include_str!("../pages/divergent-barrier.md"),
    },
    needs: &[Need::Unreached(OfGroup)],
    check: Check::Functions(check),
};

fn check(facts: &Facts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter().filter(|barrier| barrier.left.is_none());
    found.extend(findings(facts, barriers, &RULE.rule));
}

/// Returns the findings of a rule about barriers that not all threads reach.
pub(crate) fn findings<'b>(
    facts: &Facts,
    barriers: impl Iterator<Item = &'b Barrier>,
    rule: &'static Rule,
) -> Vec<Diagnostic> {
    let unreached: Vec<Unreached> = barriers
        .map(|Barrier { function, operation, name, scope, blame, left }| Unreached {
            rule,
            firm_severity: *left,
            early: left.is_some(),
            id: *function,
            operation,
            blame,
            scope: *scope,
            runs: *name,
        })
        .collect();
    one_cause::findings(facts, &unreached, |it| it.help(facts.context))
}
