//! `preprocessor-note`: what a `#warning` says, an `#error` that asks for a setting, and directives that nobody knows.

use super::check::{finding as at, place, with_macros};
use super::words::listed;
use tangle_diagnostic::Diagnostic;
use tangle_syntax::db::Db;
use tangle_syntax::items::Located;
use tangle_syntax::preprocess::Problem;

/// How many places a finding has.
const PLACES: usize = 8;

pub(super) fn finding(db: &dyn Db, problem: &Problem, located: &Located) -> Diagnostic {
    let mut note = at(db, "preprocessor-note", located, problem.message());
    note.help.extend(problem.help());
    with_macros(db, note, located)
}

/// One note for each file with `#error`s that are reached for want of a setting.
pub(super) fn wanted(db: &dyn Db, problems: &[(&Problem, Located)], found: &mut Vec<Diagnostic>) {
    let same_file = |(_, a): &(&Problem, Located), (_, b): &(&Problem, Located)| a.at.file == b.at.file;
    for problems in problems.chunk_by(same_file) {
        let [(first, located), others @ ..] = problems else { continue };
        let mut names: Vec<String> = Vec::new();
        for name in problems.iter().flat_map(|(problem, _)| problem.wanted()) {
            let name = format!("`{name}`");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let message = match others.len() {
            0 => first.message(),
            more => {
                let are = if names.len() == 1 { "is" } else { "are" };
                let names = listed(&names, "and");
                format!("{} `#error` directives ask for settings: {names} {are} not defined", more + 1)
            }
        };
        let mut note = at(db, "preprocessor-note", located, message);
        for (problem, located) in others.iter().take(PLACES) {
            note = note.with_related(place(db, &located.at), problem.message());
        }
        note.help.extend(first.help());
        found.push(with_macros(db, note, located));
    }
}
