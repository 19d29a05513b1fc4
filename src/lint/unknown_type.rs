//! `unknown-type`: a name that stands where only a type, a specifier or a keyword can, although nothing declares it.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::{Taken, UnknownWord};

use super::check::{Subject, finding, with_macros};
use super::syntax_error;
use crate::diagnostic::Diagnostic;
use crate::syntax::parse;

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
            Taken::Type => ("taken for a type", None),
            Taken::Nothing => ("left out, as if it said nothing", None),
            Taken::Name => ("taken for what makes the name of a function", None),
            Taken::Loop => ("taken for a `for`", Some("expected `)` or `,` before the first `;` behind")),
            // What the name is taken for is told where it is used.
            Taken::Statement => ("", Some("expected `;` behind")),
            Taken::Arguments => ("", Some("expected `,` or `)` before")),
        };
        let located = subject.locator.locate(name.span);
        if let Some(wrong) = wrong.filter(|_| declares(name.text)) {
            found.push(syntax_error::at(subject.db, format!("{wrong} `{}`", name.text), &located));
        } else if !taken.is_empty() && reported.insert(name.text) {
            let message = format!("`{}` is declared nowhere; {taken}", name.text);
            let note = finding(subject.db, "unknown-type", &located, message);
            found.push(with_macros(subject.db, note.on_undeclared(name.text.as_str()), &located));
        }
    }
}
