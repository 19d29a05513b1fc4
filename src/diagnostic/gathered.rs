//! Findings in reading order: first errors and warnings, then notes. Notes on the same undeclared name are merged.

use indexmap::IndexMap;

use super::{Diagnostic, Severity};

/// The maximum number of files that a merged note names.
const FILES: usize = 4;

/// Returns the findings in reading order.
pub fn in_reading_order(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let (notes, mut reported): (Vec<Diagnostic>, Vec<Diagnostic>) =
        diagnostics.iter().cloned().partition(|diagnostic| diagnostic.severity == Severity::Note);
    let mut same: IndexMap<(&str, &str, usize), Vec<&Diagnostic>> = IndexMap::new();
    for (number, note) in notes.iter().enumerate() {
        // Other notes are not merged.
        let own = if note.undeclared.is_some() { 0 } else { number + 1 };
        same.entry((note.rule, &note.message, own)).or_default().push(note);
    }
    reported.extend(same.into_values().map(|notes| {
        let mut note = notes[0].clone();
        let mut files: Vec<&str> = notes.iter().map(|note| &*note.place.file).collect();
        files.dedup();
        if let [_, others @ ..] = &files[..]
            && !others.is_empty()
        {
            let mut names: Vec<String> = others.iter().take(FILES).map(|file| format!("`{file}`")).collect();
            if others.len() > FILES {
                names.push(format!("{} more files", others.len() - FILES));
            }
            note.help.push(format!("the same applies to {}", names.join(", ")));
        }
        note
    }));
    reported
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn notes_are_last_and_merged_by_undeclared_name() {
        let finding = |file: &str, severity, message: &str, name: Option<&str>| {
            let found = Diagnostic::new("unknown-name", severity, Place::new(file, 0..1), message);
            Diagnostic { undeclared: name.map(str::to_owned), ..found }
        };
        let note = |file: &str, message: &str, name| finding(file, Severity::Note, message, name);
        let all = [
            note("a", "no n", Some("n")),
            note("a", "other", None),
            finding("a", Severity::Warning, "wrong", None),
            note("b", "no m", Some("m")),
            note("b", "no n", Some("n")),
            note("b", "other", None),
            finding("b", Severity::Error, "wrong", None),
            note("c", "no n", Some("n")),
        ];
        let reported: Vec<String> = in_reading_order(&all)
            .iter()
            .map(|d| format!("{} {} {}", d.place.file, d.message, d.help.concat()))
            .collect();
        assert_eq!(
            reported,
            [
                "a wrong ",
                "b wrong ",
                "a no n the same applies to `b`, `c`",
                "a other ",
                "b no m ",
                "b other "
            ]
        );
    }
}
