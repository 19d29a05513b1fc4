//! `missing-include`: a header that was not found. A note, or a warning if the file uses undeclared names.

use crate::rule::{Check, Entry};
use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use crate::file::FileFacts;
use crate::item_context::finding;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::db::Db;
use tangle_syntax::items::Located;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "missing-include",
        severity: Severity::Note,
        on: true,
        summary: "a header that was not found",
        page: include_str!("../pages/missing-include.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

const HELP: &str = "add the folder of the header with `-I`, or to `include` in `tangle.toml`";

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    let missing = file.missing.iter();
    found.extend(missing.map(|header| of_header(file.db, &header.what, &header.located, &file.undeclared)));
}

fn of_header(db: &dyn Db, name: &str, located: &Located, unknown: &FxHashSet<Symbol>) -> Diagnostic {
    // `#include BODY_FILE`, `#include HEADER(grid.h)`: a macro without a value.
    let is_macro = name.contains('(') || name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let help = match is_macro {
        true => "define the macros in the name with `-D`, or in `define` in `tangle.toml`",
        false => HELP,
    };
    // Compare the texts: the numbers of symbols depend on the schedule of the threads that intern them.
    let Some(first) = unknown.iter().map(|name| name.as_str()).min() else {
        return finding(db, &RULE.rule, located, format!("header `{name}` not found")).with_help(help);
    };
    let others = match unknown.len() - 1 {
        0 => "is".to_owned(),
        1 => "and one other name are".to_owned(),
        more => format!("and {more} other names are"),
    };
    let message = format!("header `{name}` not found, and `{first}` {others} undeclared");
    let mut warning = finding(db, &RULE.rule, located, message).with_help(help);
    warning.severity = Severity::Warning;
    warning
}
