//! `opaque-statement`: code that was skipped because of an unsupported construct. The rest is analysed.

use tangle_grammar::ast::UnsupportedConstruct;

use crate::file::FileFacts;
use crate::item_context::{ItemContext, finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::items::parse;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "opaque-statement",
        severity: Severity::Note,
        on: true,
        summary: "a statement that was skipped because of an unsupported construct",
        page: include_str!("../pages/opaque-statement.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Items(check),
};

fn check(_: &FileFacts, subject: &ItemContext, found: &mut Vec<Diagnostic>) {
    if !parse(subject.db, subject.item).is_empty {
        skipped(subject, &RULE.rule, "code", found);
    }
}

/// Reports the skipped text of an item.
pub(crate) fn skipped(subject: &ItemContext, rule: &Rule, what: &str, found: &mut Vec<Diagnostic>) {
    for (span, construct) in &parse(subject.db, subject.item).opaque {
        let located = subject.locator.locate(*span);
        let message = format!("skipped {what}: {}", reason(*construct));
        let help = format!("check this {what} by hand: the analysis does not see the operations in it");
        let finding = finding(subject.db, rule, &located, message).with_help(help);
        found.push(with_macros(subject.db, finding, &located));
    }
}

/// Returns the reason why text was skipped.
fn reason(construct: UnsupportedConstruct) -> String {
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
