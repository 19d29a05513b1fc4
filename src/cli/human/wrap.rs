//! Wraps the lines of a finding that are wider than the terminal.
//!
//! ```text
//! 3 │   if (i < n)                          3 │   if (i < n)
//!   │       ──┬──                             │       ──┬──
//!   │         ╰──── threads diverge here      │         ╰──── threads
//!   │                                         │               diverge here
//! ```
//!
//! Before the text of a label, the bars that lead to labels further down continue on the new lines.

/// The minimum width of the wrapped text, in columns.
const LEAST: usize = 20;

/// The end of the arrow before the text of a label.
const ARROW: &str = "── ";

/// Wraps a line of text at `width` columns. The lines after the first begin with `indent`.
pub fn text(line: &str, width: Option<usize>, indent: &str) -> Vec<String> {
    let Some(width) = width else { return vec![line.to_owned()] };
    let options = textwrap::Options::new(width.max(indent.len() + LEAST))
        .subsequent_indent(indent)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::wrap(line, options).into_iter().map(|line| line.into_owned()).collect()
}

/// Wraps a line of the box around the source at `width` columns. `line` can contain colour codes.
pub fn boxed(line: &str, width: Option<usize>) -> Vec<String> {
    let whole = || vec![line.to_owned()];
    let Some(width) = width else { return whole() };
    if textwrap::core::display_width(line) <= width {
        return whole();
    }
    let Some(at) = line.rfind(ARROW) else { return whole() };
    let (before, words) = line.split_at(at + ARROW.len());
    // A source line can contain the arrow, too. The text of a label comes after its corner.
    if !before.contains('╰') {
        return whole();
    }
    let below = below(before);
    let room = width.saturating_sub(textwrap::core::display_width(before)).max(LEAST);
    let lines = text(words, Some(room), "");
    let lines = lines.into_iter().enumerate();
    lines.map(|(number, words)| format!("{}{words}", if number == 0 { before } else { &below })).collect()
}

/// Returns the text below the arrow of a label: the bars that lead to other labels.
fn below(before: &str) -> String {
    let goes_on = |c: char| match c {
        // A bar that the arrow crosses.
        '┼' => '│',
        '─' | '╰' | '┬' => ' ',
        c => c,
    };
    before.chars().map(goes_on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_label_continues_below_its_start() {
        let line = "   │       ───╰──┼──── work-items of one work-group diverge here";
        let lines = boxed(line, Some(50));
        assert_eq!(
            lines,
            ["   │       ───╰──┼──── work-items of one", "   │             │     work-group diverge here",]
        );
        assert_eq!(boxed(line, None), [line]);
        assert_eq!(boxed(line, Some(80)), [line]);
    }

    #[test]
    fn short_labels_and_source_lines_are_not_wrapped() {
        let line = "   │                                  ╰── diverge here";
        assert_eq!(boxed(line, Some(30)), [line]);
        let source = "12 │ int a = b ── c; // a line of the source stays as it is";
        assert_eq!(boxed(source, Some(30)), [source]);
    }

    #[test]
    fn wrapped_headline_is_indented() {
        let lines = text("error[rule]: a message of several words", Some(25), "  ");
        assert_eq!(lines, ["error[rule]: a message of", "  several words"]);
    }
}
