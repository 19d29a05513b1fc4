//! `unknown-type`: a name that stands where only a type can, although nothing declares it.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::check::{Subject, finding, with_macros};
use crate::diagnostic::Diagnostic;
use crate::syntax::parse;

/// Reports each name once for a unit; `reported` holds those that were.
pub(super) fn check(subject: &Subject, reported: &mut FxHashSet<Symbol>, found: &mut Vec<Diagnostic>) {
    for name in &parse(subject.db, subject.item).0.unknown_types {
        if reported.insert(name.text) {
            let located = subject.locator.locate(name.span);
            let message = format!("`{}` is declared nowhere; taken for a type", name.text);
            found.push(with_macros(
                subject.db,
                finding(subject.db, "unknown-type", &located, message),
                &located,
            ));
        }
    }
}
