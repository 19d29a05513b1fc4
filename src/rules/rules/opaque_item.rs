//! `opaque-item`: a declaration that was skipped because of an unsupported construct.

use super::opaque_statement::skipped;
use crate::file::FileFacts;
use crate::item_context::ItemContext;
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::items::parse;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "opaque-item",
        severity: Severity::Note,
        on: true,
        summary: "a declaration that was skipped because of an unsupported construct",
        page: include_str!("../pages/opaque-item.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Items(check),
};

fn check(_: &FileFacts, subject: &ItemContext, found: &mut Vec<Diagnostic>) {
    if parse(subject.db, subject.item).is_empty {
        skipped(subject, &RULE.rule, "declaration", found);
    }
}
