//! `caller-not-in-mask`: in divergent control flow, a lane executes an operation whose mask does not name it.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use super::wrong_mask_constant::describe;
use crate::divergence::facts::SharedFacts;
use crate::interests::Interest;
use crate::rule::{Check, Entry, Evidence};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "caller-not-in-mask",
        severity: Severity::Error,
        on: true,
        summary: "a lane that executes an operation in a branch, and is not in its mask",
        page: include_str!("../pages/caller-not-in-mask.md"),
    },
    required: &[Interest::PartialMask],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let own = facts.masks.unnamed.iter().filter(|it| !it.all_reach);
    found.extend(own.map(|it| describe(facts.context, it, &RULE.rule)));
}
