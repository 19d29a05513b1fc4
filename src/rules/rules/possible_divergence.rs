//! `possible-divergence`: an operation that not all threads reach if an assumption holds.
//!
//! Other rules about divergence make these findings: see [`confidence`](crate::divergence::confidence).

use tangle_diagnostic::{Rule, Severity};

use crate::rule::{Check, Entry};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "possible-divergence",
        severity: Severity::Note,
        on: true,
        summary: "an operation that not all work-items reach, if an assumption about unknown code holds",
        page: include_str!("../pages/possible-divergence.md"),
    },
    required: &[],
    evidence: None,
    check: Check::ByConfidence,
};
