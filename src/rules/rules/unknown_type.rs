//! `unknown-type`: an undeclared name at a position that requires a type, a specifier or a keyword. Each name is
//! reported once.

use crate::file::{File, Read};
use crate::rule::{Check, Entry};
use crate::subject::{finding, with_macros};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "unknown-type",
        severity: Severity::Note,
        on: true,
        summary: "an undeclared word that is read as a type or specifier",
        page: include_str!("../pages/unknown-type.md"),
    },
    needs: &[],
    check: Check::Files(check),
};

fn check(file: &File, found: &mut Vec<Diagnostic>) {
    for word in file.unknown_words.iter().filter(|word| !file.is_foreign(&word.located.at)) {
        let Read::As(taken) = word.read else { continue };
        let message = format!("undeclared name `{}` is {taken}", word.name);
        let help = format!("declare it, include its header, or define it with `-D {}=…`", word.name);
        let note = finding(file.db, &RULE.rule, &word.located, message).with_help(help);
        found.push(with_macros(file.db, note.on_undeclared(word.name.as_str()), &word.located));
    }
}
