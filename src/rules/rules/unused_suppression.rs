//! `unused-suppression`: a `tangle:` comment without an effect.

use crate::comments::{ALL, AllowedRule, CommentError, Comments, UNUSED_SUPPRESSION, is_analysed};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Place, Rule, Severity};
use tangle_hir::{assertions, launch_comments};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: UNUSED_SUPPRESSION,
        severity: Severity::Warning,
        on: true,
        summary: "a `tangle:` comment that has no effect",
        page: include_str!("../pages/unused-suppression.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Comments(check),
};

fn check(comments: &mut Comments, found: &mut Vec<Diagnostic>) {
    let db = comments.db;
    let mut own: Vec<Diagnostic> = comments.mistakes.iter().map(of_mistake).collect();
    own.extend(comments.assertions.iter().map(|(mistake, (file, range))| {
        let (message, help) = no_assertion(mistake);
        at(Place::new(file.path(db).clone(), range.clone()), message).with_help(help)
    }));
    own.extend(comments.launches.iter().map(|(mistake, (file, range))| {
        let (message, help) = no_launch(mistake);
        at(Place::new(file.path(db).clone(), range.clone()), message).with_help(help)
    }));
    let is_idle = |allowed: &&AllowedRule| !allowed.used && allowed.scope.rule != UNUSED_SUPPRESSION;
    let idle = comments.allowed.iter().filter(is_idle).filter(|it| is_analysed(db, &comments.segments, it));
    own.extend(idle.map(unused));
    // A comment can suppress the finding that another comment is unused.
    comments.mark(&mut own);
    found.extend(own);
    let of_comments = |allowed: &&AllowedRule| !allowed.used && allowed.scope.rule == UNUSED_SUPPRESSION;
    found.extend(comments.allowed.iter().filter(of_comments).map(unused));
}

fn unused(allowed: &AllowedRule) -> Diagnostic {
    let message = match allowed.scope.rule {
        ALL => "unused suppression: no finding here".to_owned(),
        rule => format!("unused suppression: no finding of `{rule}` here"),
    };
    let mut finding =
        at(allowed.at.clone(), message).with_help("remove it: otherwise it would hide a later finding");
    finding.about = Some(allowed.scope.rule);
    finding
}

fn of_mistake(CommentError { at: place, message, help }: &CommentError) -> Diagnostic {
    at(place.clone(), message.clone()).with_help(help.clone())
}

/// Returns the message and the help for a `uniform` comment that asserts nothing.
fn no_assertion(mistake: &assertions::Mistake) -> (String, String) {
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

/// Returns the message and the help for a `launch` comment without an effect, or without its full effect.
fn no_launch(mistake: &launch_comments::Mistake) -> (String, String) {
    use launch_comments::{LaunchKey, Mistake};
    match mistake {
        Mistake::NoFact => {
            ("`launch` needs a size".into(), "write a size, as in `launch(local_size = 64)`".into())
        }
        Mistake::UnknownKey(name) => {
            let [first @ .., last] = LaunchKey::ALL.map(|key| format!("`{}`", key.name()));
            (format!("unknown key `{name}`"), format!("write {} or {last}", first.join(", ")))
        }
        Mistake::NoSize(LaunchKey::LocalSize) => (
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
    Diagnostic::new(RULE.rule.id, RULE.rule.severity, place, message)
}
