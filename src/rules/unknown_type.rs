//! `unknown-type`: a name that stands where only a type, a specifier or a keyword can, although nothing declares it.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::{Taken, UnknownWord};

use super::check::{Subject, finding, with_macros};
use super::syntax_error;
use tangle_diagnostic::Diagnostic;
use tangle_syntax::items::parse;

/// Reports each name once for a unit; `reported` holds those that were. `declares` says whether the unit declares a name anywhere: what was read
/// as a macro then lacks a `;` or a `,`.
pub(super) fn check(
    subject: &Subject,
    declares: &dyn Fn(Symbol) -> bool,
    reported: &mut FxHashSet<Symbol>,
    found: &mut Vec<Diagnostic>,
) {
    for UnknownWord { name, taken } in &parse(subject.db, subject.item).0.unknown_words {
        let (taken, wrong) = match taken {
            Taken::Type => ("read as a type", None),
            Taken::Nothing => ("ignored", None),
            // `assumed-from-name` reports it.
            Taken::Kernel => continue,
            Taken::Name => ("read as a macro that forms the name of a function", None),
            Taken::Loop => ("read as `for`", Some("expected `)` or `,` before the first `;` after")),
            // What the name is taken for is told where it is used.
            Taken::Statement => ("", Some("expected `;` after")),
            Taken::Arguments => ("", Some("expected `,` or `)` before")),
        };
        let located = subject.locator.locate(name.span);
        if let Some(wrong) = wrong.filter(|_| declares(name.text)) {
            found.push(syntax_error::at(subject.db, format!("{wrong} `{}`", name.text), &located));
        } else if !taken.is_empty() && reported.insert(name.text) {
            let message = format!("undeclared name `{}` is {taken}", name.text);
            let help = format!("declare it, include its header, or define it with `-D {}=…`", name.text);
            let note = finding(subject.db, "unknown-type", &located, message).with_help(help);
            found.push(with_macros(subject.db, note.on_undeclared(name.text.as_str()), &located));
        }
    }
}
