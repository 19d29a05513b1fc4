//! `unread-literal`: convergent operations in the string literals of a host program that are not part of a readable
//! kernel. One note for each file.

use std::ops::Range;

use tangle_grammar::symbol::Symbol;

use crate::literals::UnreadLiteralCalls;
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Place, Rule, Severity, counted};

/// The maximum number of further locations of a finding.
const PLACES: usize = 8;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "unread-literal",
        severity: Severity::Note,
        on: true,
        summary: "convergent operations in string literals that are not part of a readable kernel",
        page: include_str!("../pages/unread-literal.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Literals(check),
};

fn check(literals: &UnreadLiteralCalls, found: &mut Vec<Diagnostic>) {
    let builtins = literals.settings.builtins(literals.db);
    let is_convergent =
        |(name, _): &&(String, Range<usize>)| builtins.convergent(Symbol::intern(name)).is_some();
    let mut called: Vec<&(String, Range<usize>)> = literals.called.iter().filter(is_convergent).collect();
    called.sort_by_key(|(_, range)| range.start);
    let place = |range: &Range<usize>| Place::new(literals.file.clone(), range.clone());
    let Some(((name, first), others)) = called.split_first() else { return };
    let message = match others.len() {
        0 => format!("`{name}` is called in a string literal that is not part of a readable kernel"),
        more => format!(
            "{} such as `{name}` are called in string literals that are not part of a readable kernel",
            counted(more + 1, "convergent operation")
        ),
    };
    let mut finding = Diagnostic::new(RULE.rule.id, RULE.rule.severity, place(first), message);
    for (name, range) in others.iter().take(PLACES) {
        finding = finding.with_related(place(range), format!("also `{name}`"));
    }
    found.push(
        finding.with_help("let the program write its OpenCL source to a `.cl` file, and lint that file"),
    );
}
