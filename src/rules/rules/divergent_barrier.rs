//! `divergent-barrier`: a barrier or collective of a work-group or cluster that not all of its threads reach.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use crate::divergence::barriers::UnreachedBarrier;
use crate::divergence::facts::SharedFacts;
use crate::divergence::group_by_branch;
use crate::divergence::unreached::Unreached;
use crate::interests::Interest;
use crate::interests::OperationClass::OfGroup;
use crate::rule::{Check, Entry, Evidence};
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-barrier",
        severity: Severity::Error,
        on: true,
        summary: "a work-group barrier or collective that not all work-items reach",
        page: include_str!("../pages/divergent-barrier.md"),
    },
    required: &[Interest::Unreached(OfGroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter();
    let barriers = barriers.filter(|it| it.exited_severity.is_none() && it.scope != Scope::Grid);
    found.extend(findings(facts, barriers, &RULE.rule));
}

/// Returns the findings of a rule about barriers that not all threads reach.
pub(crate) fn findings<'b>(
    facts: &SharedFacts,
    barriers: impl Iterator<Item = &'b UnreachedBarrier>,
    rule: &'static Rule,
) -> Vec<Diagnostic> {
    let unreached: Vec<Unreached> = barriers
        .map(|UnreachedBarrier { function, operation, name, scope, blame, exited_severity: left }| {
            Unreached {
                rule,
                firm_severity: *left,
                early: left.is_some(),
                id: *function,
                operation,
                blame,
                scope: *scope,
                runs: *name,
                named: None,
            }
        })
        .collect();
    group_by_branch::findings(facts, &unreached, |it| it.help(facts.context))
}
