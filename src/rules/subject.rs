//! What the words of a finding are made from: an item with the places of its tokens.

use tangle_analysis::program::Convergent;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Rule};
use tangle_hir::scope::Scoped;
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, Located, Locator, TextRange};

/// What a rule sees of one item.
pub(crate) struct Subject<'a> {
    pub db: &'a dyn Db,
    pub item: Item<'a>,
    /// The item with what its names mean in this unit.
    pub scoped: Scoped<'a>,
    pub model: Model,
    pub convergent: &'a Convergent,
    pub locator: Locator<'a>,
    /// It is of the host: only its macros matter.
    pub is_host: bool,
}

pub(crate) fn place(db: &dyn Db, at: &TextRange) -> Place {
    Place::new(at.file.path(db).clone(), at.range.clone())
}

/// A finding of a rule at a place.
pub(crate) fn finding(db: &dyn Db, rule: &Rule, located: &Located, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(rule.id, rule.severity, place(db, &located.at), message)
}

/// Adds the definitions of the macros that a finding came through.
pub(crate) fn with_macros(db: &dyn Db, mut finding: Diagnostic, located: &Located) -> Diagnostic {
    for (name, at) in &located.macros {
        finding = finding.with_related(place(db, at), format!("in the definition of macro `{name}`"));
    }
    finding
}
