//! `unknown-name`: an undeclared name.

use super::type_error::{help, message, problems};
use crate::file::{FileFacts, ReportedTypeProblem, TypeProblemRule};
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::check::TypeProblemKind as Kind;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "unknown-name",
        severity: Severity::Note,
        on: true,
        summary: "an undeclared name",
        page: include_str!("../pages/unknown-name.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    for ReportedTypeProblem { kind, located, .. } in problems(file, TypeProblemRule::UnknownName) {
        let Kind::UnknownName(name) = kind else { continue };
        let mut note = finding(file.db, &RULE.rule, located, message(kind));
        note.help.extend(help(file.db, file.settings, kind));
        found.push(with_macros(file.db, note.for_undeclared_name(name.as_str()), located));
    }
}
