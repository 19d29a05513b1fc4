//! `unused-suppression`: a comment for `tangle` that has no effect.

use super::rule;
use super::suppression::{ALL, Allowed, Mistake};
use tangle_diagnostic::{Diagnostic, Place};
use tangle_hir::{assertions, launch_comments};

pub const RULE: &str = "unused-suppression";

pub(super) fn finding(allowed: &Allowed) -> Diagnostic {
    let message = match allowed.rule {
        ALL => "unused suppression: no finding here".to_owned(),
        rule => format!("unused suppression: no finding of `{rule}` here"),
    };
    let mut finding =
        at(allowed.at.clone(), message).with_help("remove it: otherwise it would hide a later finding");
    finding.about = Some(allowed.rule);
    finding
}

pub(super) fn mistake(Mistake { at: place, message, help }: Mistake) -> Diagnostic {
    at(place, message).with_help(help)
}

/// Why a comment that says `uniform` asserts nothing, and what to write instead.
pub(super) fn no_assertion(mistake: &assertions::Mistake) -> (String, String) {
    let (message, help) = match mistake {
        assertions::Mistake::NoScope => (
            "`uniform` needs a scope".to_owned(),
            "write `uniform(workgroup)`, `uniform(subgroup)` or `uniform(grid)`",
        ),
        assertions::Mistake::UnknownScope(name) => {
            (format!("unknown scope `{name}`"), "write `workgroup`, `subgroup` or `grid`")
        }
        assertions::Mistake::NothingDeclared(None) => (
            "no function, parameter or local variable is declared at this `uniform` comment".to_owned(),
            "move the comment to the line of a declaration, or to the line before it",
        ),
        assertions::Mistake::NothingDeclared(Some(name)) => (
            format!("no parameter or local variable `{name}` is declared here"),
            "correct the name, or move the comment to the line of the declaration",
        ),
    };
    (message, help.to_owned())
}

/// Why a comment that says `launch` has no effect, or not its full effect, and what to write instead.
pub(super) fn no_launch(mistake: &launch_comments::Mistake) -> (String, String) {
    use launch_comments::{Key, Mistake};
    match mistake {
        Mistake::NoFact => {
            ("`launch` needs a size".into(), "write a size, as in `launch(local_size = 64)`".into())
        }
        Mistake::UnknownKey(name) => {
            let [first @ .., last] = Key::ALL.map(|key| format!("`{}`", key.name()));
            (format!("unknown key `{name}`"), format!("write {} or {last}", first.join(", ")))
        }
        Mistake::NoSize(Key::LocalSize) => (
            "`local_size` must be a number of at least 1, or a list of one to three such numbers".into(),
            "write `local_size = 64` or `local_size = [16, 16]`".into(),
        ),
        Mistake::NoSize(key) => {
            let name = key.name();
            (format!("`{name}` must be a number of at least 1"), format!("write `{name} = 32`"))
        }
        Mistake::Again(key) => {
            (format!("`{}` is already given for this kernel", key.name()), "remove one of the two".into())
        }
        Mistake::NoKernel => (
            "no kernel is defined after this `launch` comment".into(),
            "move the comment to the definition of a kernel".into(),
        ),
        Mistake::Overruled(key) => (
            format!("the attribute of the kernel gives another `{}`, and takes precedence", key.name()),
            "remove the size from the comment, or correct the attribute".into(),
        ),
    }
}

fn at(place: Place, message: String) -> Diagnostic {
    let rule = rule(RULE).expect("a rule of the registry");
    Diagnostic::new(rule.id, rule.severity, place, message)
}
