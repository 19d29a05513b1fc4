//! `unused-suppression`: a comment for `tangle` that has no effect.

use super::rule;
use super::suppression::{Allowed, Mistake};
use crate::diagnostic::{Diagnostic, Place};

pub(super) const RULE: &str = "unused-suppression";

pub(super) fn finding(allowed: &Allowed) -> Diagnostic {
    let message = format!("nothing here is a finding of `{}`", allowed.rule);
    let mut finding =
        at(allowed.at.clone(), message).with_help("take it away: it would hide what comes later");
    finding.about = Some(allowed.rule);
    finding
}

pub(super) fn mistake(Mistake { at: place, message }: Mistake) -> Diagnostic {
    at(place, message)
}

fn at(place: Place, message: String) -> Diagnostic {
    let rule = rule(RULE).expect("a rule of the registry");
    Diagnostic::new(rule.id, rule.severity, place, message)
}
