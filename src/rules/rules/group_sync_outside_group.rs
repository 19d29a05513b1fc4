//! `group-sync-outside-group`: an operation of a tile or of another group in a warp that not all threads of the group
//! reach.

use super::full_mask_in_divergent_flow::unreached;
use crate::divergence::facts::SharedFacts;
use crate::divergence::group_by_branch;
use crate::divergence::unreached::Unreached;
use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::rule::{Check, Entry, Evidence};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "group-sync-outside-group",
        severity: Severity::Error,
        on: true,
        summary: "an operation of a tile or coalesced group that not all of its threads reach",
        page: include_str!("../pages/group-sync-outside-group.md"),
    },
    required: &[Interest::Unreached(OfSubgroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let absent = facts.masks.absent.iter().filter(|it| it.of_group_object);
    let absent: Vec<Unreached> = absent.map(|it| unreached(it, &RULE.rule)).collect();
    found.extend(group_by_branch::findings(facts, &absent, |it| {
        let group = "or make a group of the threads in the branch there, with `coalesced_threads`";
        format!("{}; {group}", it.help(facts.context))
    }));
}
