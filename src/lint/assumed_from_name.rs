//! `assumed-from-name`: undefined functions and constants to which a convention for names applies (`dialect::Conventions`).

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_ir::uniformity::Implied;

use super::check::{finding, with_macros};
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::dialect::{Convention, Vocabulary};
use crate::hir::check::TypeProblemKind;
use crate::hir::scope::{ScopedItem, typed};
use crate::source::Settings;
use crate::syntax::Locator;

const RULE: &str = "assumed-from-name";

/// Reports the undefined names of an item that a convention covers, each once: `told` has the names that were reported.
pub(super) fn check(
    db: &dyn Db,
    settings: Settings,
    item: &ScopedItem,
    told: &mut FxHashSet<Symbol>,
    found: &mut Vec<Diagnostic>,
) {
    let builtins = settings.builtins(db);
    let tokens = item.scoped.item(db).tokens(db).0.tokens().len();
    let locator = Locator::new(db, &item.chunk, item.first, tokens);
    for problem in &typed(db, item.scoped).0.problems {
        let (name, is_call) = match problem.kind {
            TypeProblemKind::UnknownName(name) | TypeProblemKind::AssumedName(name) => (name, false),
            TypeProblemKind::UndeclaredFunction(name) => (name, true),
            _ => continue,
        };
        if builtins.get(name).is_some() {
            continue;
        }
        let Some(convention) = builtins.conventions().of(name) else { continue };
        let Some(assumption) = assumption(convention, is_call, settings.dialect(db).vocabulary()) else {
            continue;
        };
        if !told.insert(name) {
            continue;
        }
        let located = locator.locate(problem.span);
        let message = format!("`{name}` is undefined; its name implies {assumption}");
        let mut note = finding(db, RULE, &located, message);
        note.assumes.push(note.place.clone());
        let help = format!("if this is wrong, remove the convention `{}` in `tangle.toml`", convention.id);
        found.push(with_macros(db, note.with_help(help).on_undeclared(name.as_str()), &located));
    }
}

/// The assumption about a name that is called, or is not. None: the convention does not apply.
fn assumption(convention: &Convention, is_call: bool, vocabulary: &Vocabulary) -> Option<String> {
    match convention.implied() {
        Implied::SubGroupSize => Some(format!("the size of a {}", vocabulary.subgroup)),
        Implied::Multiple if is_call => Some("a multiple of the second argument".to_owned()),
        Implied::Multiple => None,
    }
}
