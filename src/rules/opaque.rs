//! `opaque-statement` and `opaque-item`: what is read over, since the language has constructs that are not understood. The rest is analysed.

use tangle_grammar::ast::Construct;

use super::check::{Subject, finding, with_macros};
use tangle_diagnostic::Diagnostic;
use tangle_syntax::items::parse;

const STATEMENT: &str = "opaque-statement";
const ITEM: &str = "opaque-item";

pub(super) fn check(subject: &Subject, found: &mut Vec<Diagnostic>) {
    let parse = &parse(subject.db, subject.item).0;
    for (span, construct) in &parse.opaque {
        let located = subject.locator.locate(*span);
        let (rule, skipped) = match parse.ast.items.is_empty() {
            true => (ITEM, "declaration"),
            false => (STATEMENT, "code"),
        };
        let message = format!("skipped {skipped}: {}", reason(*construct));
        let help = format!("check this {skipped} by hand: the analysis does not see the operations in it");
        let finding = finding(subject.db, rule, &located, message).with_help(help);
        found.push(with_macros(subject.db, finding, &located));
    }
}

/// Why text was skipped.
fn reason(construct: Construct) -> String {
    match construct.0 {
        "block" => "block literals (`^{ … }`) are not supported".into(),
        "coroutine" => "coroutines are not supported".into(),
        "macro" => "undefined macro with statements as arguments".into(),
        "module" => "modules are not supported".into(),
        "pointer to member" => "pointers to members are not supported".into(),
        "too many unsupported constructs" => "it has too many unsupported constructs".into(),
        word => format!("`{word}` is not supported here"),
    }
}
