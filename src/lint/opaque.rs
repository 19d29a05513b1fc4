//! `opaque-statement` and `opaque-item`: what is read over, since the language has constructs that are not understood. The rest is analysed.

use super::check::{Subject, finding, with_macros};
use crate::diagnostic::Diagnostic;
use crate::syntax::parse;

const STATEMENT: &str = "opaque-statement";
const ITEM: &str = "opaque-item";

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    let parse = &parse(subject.db, subject.item).0;
    for (span, construct) in &parse.opaque {
        let located = subject.locator.locate(*span);
        let (rule, what) = match parse.ast.items.is_empty() {
            true => (ITEM, "this declaration is read over"),
            false => (STATEMENT, "this is read over"),
        };
        let message = format!("{what}: {} is not understood", construct.0);
        found.push(with_macros(subject.db, finding(subject.db, rule, &located, message), &located));
    }
}
