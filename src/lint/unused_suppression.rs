//! `unused-suppression`: a comment for `tangle` that has no effect.

use super::rule;
use super::suppression::{Allowed, Mistake};
use crate::diagnostic::{Diagnostic, Place};
use crate::hir::{assertions, launch_comments};

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

/// Why a comment that says `uniform` asserts nothing, in words.
pub(super) fn no_assertion(mistake: &assertions::Mistake) -> String {
    match mistake {
        assertions::Mistake::NoScope => {
            "`uniform` needs a scope: write `uniform(workgroup)`, `uniform(subgroup)` or `uniform(grid)`"
                .into()
        }
        assertions::Mistake::UnknownScope(name) => {
            format!("`{name}` is no scope: write `workgroup`, `subgroup` or `grid`")
        }
        assertions::Mistake::NothingDeclared(None) => {
            "`uniform` is about no function, parameter or local variable here".into()
        }
        assertions::Mistake::NothingDeclared(Some(name)) => {
            format!("no parameter or local variable `{name}` is declared here")
        }
    }
}

/// Why a comment that says `launch` says nothing, or not all that it seems to, in words.
pub(super) fn no_launch(mistake: &launch_comments::Mistake) -> String {
    use launch_comments::{Key, Mistake};
    match mistake {
        Mistake::NoFact => "`launch` needs a size: write `launch(local_size = 64)`".into(),
        Mistake::UnknownKey(name) => {
            let known = Key::ALL.map(|key| format!("`{}`", key.name())).join(", ");
            format!("nothing of a launch is called `{name}`: there are {known}")
        }
        Mistake::NoSize(Key::LocalSize) => {
            "`local_size` is a number from 1 on, or one to three of them in brackets".into()
        }
        Mistake::NoSize(key) => format!("`{}` is a number from 1 on", key.name()),
        Mistake::Again(key) => format!("`{}` is said before", key.name()),
        Mistake::NoKernel => "`launch` stands before no kernel that is defined here".into(),
        Mistake::Overruled(key) => {
            format!("the attribute of the kernel says another `{}`, and holds", key.name())
        }
    }
}

fn at(place: Place, message: String) -> Diagnostic {
    let rule = rule(RULE).expect("a rule of the registry");
    Diagnostic::new(rule.id, rule.severity, place, message)
}
