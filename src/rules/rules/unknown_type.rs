//! `unknown-type`: an undeclared name at a position that requires a type, a specifier or a keyword. Each name is
//! reported once.

use crate::file::{FileFacts, Interpretation};
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "unknown-type",
        severity: Severity::Note,
        on: true,
        summary: "an undeclared word that is read as a type or specifier",
        page: include_str!("../pages/unknown-type.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    for word in file.unknown_words.iter().filter(|word| !file.is_foreign(&word.located.at)) {
        let Interpretation::As(taken) = word.interpretation else { continue };
        let message = format!("undeclared name `{}` is {taken}", word.name);
        let help = format!("declare it, include its header, or define it with `-D {}=…`", word.name);
        let note = finding(file.db, &RULE.rule, &word.located, message).with_help(help);
        found.push(with_macros(file.db, note.for_undeclared_name(word.name.as_str()), &word.located));
    }
}
