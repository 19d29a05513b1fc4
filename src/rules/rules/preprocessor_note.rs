//! `preprocessor-note`: a `#warning`, an `#error` that asks for a setting, or an unsupported directive.

use crate::file::{At, FileFacts};
use crate::item_context::{finding, place, with_macros};
use crate::quote::join_list;
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::db::Db;
use tangle_syntax::preprocess::Problem;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "preprocessor-note",
        severity: Severity::Note,
        on: true,
        summary: "a `#warning`, an `#error` that asks for a setting, or an unsupported directive",
        page: include_str!("../pages/preprocessor-note.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

/// The maximum number of further locations of a finding.
const PLACES: usize = 8;

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    for At { what, located, .. } in file.problems.iter().filter(|problem| problem.what.is_benign()) {
        let mut note = finding(file.db, &RULE.rule, located, what.message());
        note.help.extend(what.help());
        found.push(with_macros(file.db, note, located));
    }
    wanted(file.db, &file.wanted, found);
}

/// Adds one note for each file with `#error`s that are active because a setting is undefined.
fn wanted(db: &dyn Db, problems: &[At<Problem>], found: &mut Vec<Diagnostic>) {
    let same_file = |a: &At<Problem>, b: &At<Problem>| a.located.at.file == b.located.at.file;
    for problems in problems.chunk_by(same_file) {
        let [At { what: first, located, .. }, others @ ..] = problems else { continue };
        let mut names: Vec<String> = Vec::new();
        for name in problems.iter().flat_map(|problem| problem.what.wanted()) {
            let name = format!("`{name}`");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let message = match others.len() {
            0 => first.message(),
            more => {
                let are = if names.len() == 1 { "is" } else { "are" };
                let names = join_list(&names, "and");
                format!("{} `#error` directives ask for settings: {names} {are} not defined", more + 1)
            }
        };
        let mut note = finding(db, &RULE.rule, located, message);
        for At { what: problem, located, .. } in others.iter().take(PLACES) {
            note = note.with_related(place(db, &located.at), problem.message());
        }
        note.help.extend(first.help());
        found.push(with_macros(db, note, located));
    }
}
