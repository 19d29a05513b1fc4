//! The subject of a finding: an item with the locations of its tokens.

use std::ops::Deref;

use tangle_analysis::program::{Convergent, Definition};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Rule};
use tangle_hir::scope::Scoped;
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, Located, Locator, TextRange};

/// The item that a finding is about.
pub(crate) struct Subject<'a> {
    pub db: &'a dyn Db,
    pub item: Item<'a>,
    /// The item with the meanings of its names in this unit.
    pub scoped: Scoped<'a>,
    pub locator: Locator<'a>,
}

impl<'a> Subject<'a> {
    pub fn of_definition(db: &'a dyn Db, definition: &'a Definition<'a>) -> Subject<'a> {
        let at = &definition.item;
        let item = at.scoped.item(db);
        let locator = Locator::new(db, &at.chunk, at.first, item.tokens(db).0.tokens().len());
        Subject { db, item, scoped: at.scoped, locator }
    }
}

/// An item as the rules about items see it.
pub(crate) struct ItemContext<'a> {
    pub subject: Subject<'a>,
    pub model: Model,
    pub convergent: &'a Convergent,
    /// Whether it is host code. Rules read only the macros of such an item.
    pub is_host: bool,
}

impl<'a> Deref for ItemContext<'a> {
    type Target = Subject<'a>;

    fn deref(&self) -> &Subject<'a> {
        &self.subject
    }
}

pub(crate) fn place(db: &dyn Db, at: &TextRange) -> Place {
    Place::new(at.file.path(db).clone(), at.range.clone())
}

/// Returns a finding of a rule at a location, with the severity of the rule.
pub(crate) fn finding(db: &dyn Db, rule: &Rule, located: &Located, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(rule.id, rule.severity, place(db, &located.at), message)
}

/// Adds a related note for each macro whose expansion contains the location of a finding.
pub(crate) fn with_macros(db: &dyn Db, mut finding: Diagnostic, located: &Located) -> Diagnostic {
    for (name, at) in &located.macros {
        finding = finding.with_related(place(db, at), format!("in the definition of macro `{name}`"));
    }
    finding
}
