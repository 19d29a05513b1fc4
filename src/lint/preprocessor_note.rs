//! `preprocessor-note`: what a `#warning` says, an `#error` that asks for a setting, and directives that nobody knows.

use super::check::{finding as at, place, with_macros};
use super::words::listed;
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::preprocess::Problem;
use crate::syntax::Located;

/// How many places a finding has.
const PLACES: usize = 8;

pub(super) fn finding(db: &dyn Db, message: String, located: &Located) -> Diagnostic {
    with_macros(db, at(db, "preprocessor-note", located, message), located)
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
                format!("{} `#error`s ask for settings: nothing defines {}", more + 1, listed(&names, "and"))
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
