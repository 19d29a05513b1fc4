//! `full-mask-in-divergent-flow`: an operation whose mask names lanes that do not reach it.

use crate::divergence::facts::SharedFacts;
use crate::divergence::group_by_branch;
use crate::divergence::masks::AbsentLanes;
use crate::divergence::unreached::{NamedLanes, Unreached};
use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::rule::{Check, Entry, Evidence};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "full-mask-in-divergent-flow",
        severity: Severity::Error,
        on: true,
        summary: "a mask that names lanes which do not reach the operation",
        page: include_str!("../pages/full-mask-in-divergent-flow.md"),
    },
    required: &[Interest::Unreached(OfSubgroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let absent: Vec<Unreached> = facts
        .masks
        .absent
        .iter()
        .filter(|it| !it.of_group_object)
        .map(|it| unreached(it, &RULE.rule))
        .collect();
    found.extend(group_by_branch::findings(facts, &absent, |it| {
        let mask =
            "or name only the lanes that reach it: compute the mask before the branch, with `__ballot_sync`";
        format!("{}; {mask}", it.help(facts.context))
    }));
}

/// Returns an operation that not all of its named lanes execute, as a rule reports it.
pub(crate) fn unreached<'f>(absent: &'f AbsentLanes, rule: &'static Rule) -> Unreached<'f> {
    Unreached {
        rule,
        firm_severity: Some(absent.severity()),
        early: absent.have_left,
        id: absent.function,
        operation: &absent.operation,
        blame: &absent.blame,
        scope: Scope::Subgroup,
        runs: absent.name,
        named: Some(NamedLanes {
            of_group_object: absent.of_group_object,
            named: absent.named,
            absent: absent.lanes,
        }),
    }
}
