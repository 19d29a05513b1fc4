//! The terms of a language: what OpenCL calls a work-item, a work-group and a sub-group, others call a thread, a block and a warp or wave.
//!
//! All rooms speak OpenCL's terms; what they said is put into those of the language of the file at the end. What stands between backticks is quoted from the
//! source, and stays.

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;

/// Puts findings into the terms of a language.
pub fn translate(dialect: Dialect, found: &mut [Diagnostic]) {
    let terms = dialect.terms();
    if terms.is_empty() {
        return;
    }
    for finding in found {
        let related = finding.related.iter_mut().map(|label| &mut label.message);
        let texts =
            [&mut finding.message, &mut finding.label].into_iter().chain(related).chain(&mut finding.help);
        texts.for_each(|text| *text = translated(text, terms));
    }
}

/// A text in other terms. Each term comes with what it is called instead, longer ones before those that they contain.
fn translated(text: &str, terms: &[(String, String)]) -> String {
    let mut quoted = true;
    let parts = text.split('`').map(|part| {
        quoted = !quoted;
        match quoted {
            true => part.to_owned(),
            false => terms.iter().fold(part.to_owned(), |part, (from, to)| part.replace(from.as_str(), to)),
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn quotations_stay_as_they_are() {
        let terms =
            [("work-item".to_owned(), "thread".to_owned()), ("work-group".to_owned(), "block".to_owned())];
        let text = "`work-group(1)` may not be reached by every work-item of the work-group: it depends on `work-item`";
        let expected =
            "`work-group(1)` may not be reached by every thread of the block: it depends on `work-item`";
        assert_eq!(translated(text, &terms), expected);
    }
}
