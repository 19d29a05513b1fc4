//! `undeclared-function`: a call to an undeclared function.

use tangle_grammar::symbol::Symbol;

use super::type_error::{help, message, problems};
use crate::file::{FileFacts, ReportedTypeProblem, TypeProblemRule};
use crate::item_context::{finding, with_macros};
use crate::names::KnownFunctions;
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Applicability, Diagnostic, Edit, Fix, Place, Rule, Severity};
use tangle_hir::check::TypeProblemKind as Kind;
use tangle_syntax::db::Db;
use tangle_syntax::items::Located;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "undeclared-function",
        severity: Severity::Warning,
        on: true,
        summary: "a call to an undeclared function",
        page: include_str!("../pages/undeclared-function.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    let known = KnownFunctions::of(file.db, file.source, file.settings);
    for ReportedTypeProblem { kind, located, .. } in problems(file, TypeProblemRule::UndeclaredFunction) {
        let Kind::UndeclaredFunction(name) = kind else { continue };
        let mut plain = finding(file.db, &RULE.rule, located, message(kind));
        plain.help.extend(help(file.db, file.settings, kind));
        let weighed =
            finding_for_call(file.db, &known, *name, located, plain.for_undeclared_name(name.as_str()));
        found.push(with_macros(file.db, weighed, located));
    }
}

/// Returns the finding for a call: a warning that suggests a known name, if one is near, or else `told` as a note.
fn finding_for_call(
    db: &dyn Db,
    known: &KnownFunctions,
    name: Symbol,
    located: &Located,
    told: Diagnostic,
) -> Diagnostic {
    let Some(meant) = known.nearest(name) else { return Diagnostic { severity: Severity::Note, ..told } };
    let message = format!("call to undeclared function `{name}`; did you mean `{meant}`?");
    let help = format!("call `{meant}`, or declare `{name}`");
    let found = finding(db, &RULE.rule, located, message).with_help(help);
    // The name may be in the definition of a macro, so an edit here would not replace it.
    if !located.macros.is_empty() {
        return found;
    }
    let place = Place::new(located.at.file.path(db).clone(), located.at.range.clone());
    let edits = vec![Edit { place, text: meant.as_str().to_owned() }];
    found.with_fix(Fix {
        title: format!("Replace with `{meant}`"),
        applicability: Applicability::Safe,
        edits,
    })
}
