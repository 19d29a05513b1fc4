//! `unknown-name`: an undeclared name.

use super::type_error::{help, message, problems};
use crate::file::{About, File, OfTypes};
use crate::rule::{Check, Entry};
use crate::subject::{finding, with_macros};
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
    needs: &[],
    check: Check::Files(check),
};

fn check(file: &File, found: &mut Vec<Diagnostic>) {
    for OfTypes { kind, located, .. } in problems(file, About::UnknownName) {
        let Kind::UnknownName(name) = kind else { continue };
        let mut note = finding(file.db, &RULE.rule, located, message(kind));
        note.help.extend(help(file.db, file.settings, kind));
        found.push(with_macros(file.db, note.on_undeclared(name.as_str()), located));
    }
}
