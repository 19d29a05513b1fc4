//! `assumed-from-name`: undefined functions, constants and macros to which a convention for names applies
//! (`dialect::Conventions`), and undefined namespaces that are taken for a namespace of the language.

use crate::rule::{Check, Entry};
use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::{UnknownWord, WordRole};
use tangle_ir::uniformity::ImpliedMeaning;

use crate::file::FileFacts;
use crate::item_context::{ItemContext, finding, with_macros};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::check::TypeProblemKind;
use tangle_hir::scope::{ScopedItem, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Convention, Vocabulary};
use tangle_syntax::items::{Located, Locator, parse};
use tangle_syntax::source::Settings;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "assumed-from-name",
        severity: Severity::Note,
        on: true,
        summary: "an undefined name that is taken for the size of a sub-group, a rounding function, a namespace or a keyword",
        page: include_str!("../pages/assumed-from-name.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

/// Reports once each undefined name to which a convention applies.
fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    if file.is_cpp() {
        file.all.iter().for_each(|subject| of_macros(subject, &mut told, found));
    }
    file.in_trouble.iter().for_each(|item| of_names(file.db, file.settings, item, &mut told, found));
}

fn of_names(
    db: &dyn Db,
    settings: Settings,
    item: &ScopedItem,
    told: &mut FxHashSet<Symbol>,
    found: &mut Vec<Diagnostic>,
) {
    let builtins = settings.builtins(db);
    let tokens = item.scoped.item(db).tokens(db).0.tokens().len();
    let locator = Locator::new(db, &item.chunk, item.first, tokens);
    for problem in &typed(db, item.scoped).problems {
        let (name, called) = match problem.kind {
            TypeProblemKind::UnknownName(name) => (name, false),
            TypeProblemKind::UndeclaredFunction(name) => (name, true),
            TypeProblemKind::AssumedName { name, called } => (name, called),
            TypeProblemKind::AssumedNamespace { name, whole } => {
                if told.insert(name) {
                    let message =
                        format!("`{name}` is undefined; it is taken for the namespace of `{whole}`");
                    let help = "if this is wrong, declare the namespace, or include its header".to_owned();
                    found.push(note(db, name, message, help, &locator.locate(problem.span)));
                }
                continue;
            }
            _ => continue,
        };
        if builtins.get(name).is_some() {
            continue;
        }
        let Some(convention) = builtins.conventions().of(name) else { continue };
        let Some(implied) = implied(convention, called, settings.dialect(db).vocabulary()) else { continue };
        if !told.insert(name) {
            continue;
        }
        let help = match convention.is_of_project() {
            true => "if this is wrong, remove its convention from `tangle.toml`".to_owned(),
            false => format!("if this is wrong, remove the convention `{}` in `tangle.toml`", convention.id),
        };
        found.push(note(db, name, from_its_name(name, &implied), help, &locator.locate(problem.span)));
    }
}

/// Reports the macros of an item whose names imply the keyword of kernels.
fn of_macros(subject: &ItemContext, told: &mut FxHashSet<Symbol>, found: &mut Vec<Diagnostic>) {
    for UnknownWord { name, role: taken } in &parse(subject.db, subject.item).unknown_words {
        if *taken == WordRole::Kernel && told.insert(name.text) {
            let help = format!("if this is wrong, define it with `-D {}=…`", name.text);
            let located = subject.locator.locate(name.span);
            let message = from_its_name(name.text, "the keyword of kernels");
            found.push(note(subject.db, name.text, message, help, &located));
        }
    }
}

/// Returns the message about a name that implies something.
fn from_its_name(name: Symbol, implied: &str) -> String {
    format!("`{name}` is undefined; its name implies {implied}")
}

/// Returns the note on a name.
fn note(db: &dyn Db, name: Symbol, message: String, help: String, located: &Located) -> Diagnostic {
    let mut note = finding(db, &RULE.rule, located, message);
    note.assumes.push(note.place.clone());
    with_macros(db, note.with_help(help).for_undeclared_name(name.as_str()), located)
}

/// Returns the property that the name of a function (`called`) or constant implies. `None` if the convention does not
/// apply.
fn implied(convention: &Convention, called: bool, vocabulary: &Vocabulary) -> Option<String> {
    match convention.implied()? {
        ImpliedMeaning::SubGroupSize => Some(format!("the size of a {}", vocabulary.subgroup)),
        ImpliedMeaning::Multiple if called => Some("a multiple of the second argument".to_owned()),
        ImpliedMeaning::Multiple => None,
    }
}
