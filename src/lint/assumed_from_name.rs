//! `assumed-from-name`: undefined functions, constants and namespaces to which a convention for names applies (`dialect::Conventions`).

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::{Taken, UnknownWord};
use tangle_ir::uniformity::Implied;

use super::check::{Subject, finding, with_macros};
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::dialect::{Convention, Vocabulary};
use crate::hir::check::TypeProblemKind;
use crate::hir::scope::{ScopedItem, typed};
use crate::source::Settings;
use crate::syntax::{Located, Locator, parse};

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
        let (name, kind) = match problem.kind {
            TypeProblemKind::UnknownName(name) => (name, Kind::Constant),
            TypeProblemKind::UndeclaredFunction(name) => (name, Kind::Function),
            TypeProblemKind::AssumedName { name, called } => {
                (name, if called { Kind::Function } else { Kind::Constant })
            }
            TypeProblemKind::AssumedNamespace(name) => (name, Kind::Namespace),
            _ => continue,
        };
        if builtins.get(name).is_some() {
            continue;
        }
        let convention = match kind {
            Kind::Constant | Kind::Function => builtins.conventions().of(name),
            Kind::Namespace => builtins.conventions().of_namespace(name),
        };
        let Some(convention) = convention else { continue };
        let Some(assumption) = assumption(convention, kind, settings.dialect(db).vocabulary()) else {
            continue;
        };
        if !told.insert(name) {
            continue;
        }
        let help = match kind {
            Kind::Constant | Kind::Function => {
                format!("if this is wrong, remove the convention `{}` in `tangle.toml`", convention.id)
            }
            Kind::Namespace => "if this is wrong, declare the namespace, or include its header".to_owned(),
        };
        found.push(note(db, name, &assumption, help, &locator.locate(problem.span)));
    }
}

/// Reports the macros of an item that stand for the keyword of kernels by their names, each once.
pub(super) fn check_macros(subject: &Subject, told: &mut FxHashSet<Symbol>, found: &mut Vec<Diagnostic>) {
    for UnknownWord { name, taken } in &parse(subject.db, subject.item).0.unknown_words {
        if *taken == Taken::Kernel && told.insert(name.text) {
            let help = format!("if this is wrong, define it with `-D {}=…`", name.text);
            let located = subject.locator.locate(name.span);
            found.push(note(subject.db, name.text, "the keyword of kernels", help, &located));
        }
    }
}

/// The note on a name.
fn note(db: &dyn Db, name: Symbol, assumption: &str, help: String, located: &Located) -> Diagnostic {
    let message = format!("`{name}` is undefined; its name implies {assumption}");
    let mut note = finding(db, RULE, located, message);
    note.assumes.push(note.place.clone());
    with_macros(db, note.with_help(help).on_undeclared(name.as_str()), located)
}

/// What an undefined name is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Constant,
    Function,
    Namespace,
}

/// The assumption about a name. None: the convention does not apply.
fn assumption(convention: &Convention, kind: Kind, vocabulary: &Vocabulary) -> Option<String> {
    if let Some(namespace) = convention.namespace() {
        return Some(format!("the namespace `{namespace}`"));
    }
    match convention.implied()? {
        Implied::SubGroupSize => Some(format!("the size of a {}", vocabulary.subgroup)),
        Implied::Multiple if kind == Kind::Function => Some("a multiple of the second argument".to_owned()),
        Implied::Multiple => None,
    }
}
