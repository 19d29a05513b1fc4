//! `unread-literal`: convergent operations in literals of another language that belong to no kernel that can be read.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::symbol::Symbol;

use tangle_diagnostic::{Diagnostic, Place, counted};
use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

const RULE: &str = "unread-literal";

/// How many places a finding has.
const PLACES: usize = 8;

/// One note for a file, if any of the names that literals of it call is that of a convergent operation. `called` has each with its place.
pub fn unread_literals(
    db: &dyn Db,
    settings: Settings,
    file: &Arc<str>,
    called: impl Iterator<Item = (String, Range<usize>)>,
) -> Option<Diagnostic> {
    let builtins = settings.builtins(db);
    let is_convergent = |name: &str| builtins.convergent(Symbol::intern(name)).is_some();
    let mut called: Vec<(String, Range<usize>)> = called.filter(|(name, _)| is_convergent(name)).collect();
    called.sort_by_key(|(_, range)| range.start);
    let rule = super::rule(RULE).expect("a rule of the registry");
    let place = |range: &Range<usize>| Place::new(file.clone(), range.clone());
    let ((name, first), others) = called.split_first()?;
    let message = match others.len() {
        0 => format!("`{name}` is called in a string literal that is not part of a readable kernel"),
        more => format!(
            "{} such as `{name}` are called in string literals that are not part of a readable kernel",
            counted(more + 1, "convergent operation")
        ),
    };
    let mut finding = Diagnostic::new(rule.id, rule.severity, place(first), message);
    for (name, range) in others.iter().take(PLACES) {
        finding = finding.with_related(place(range), format!("also `{name}`"));
    }
    Some(finding.with_help("let the program write its OpenCL source to a `.cl` file, and lint that file"))
}
