//! Lines of a finding that are wider than the terminal go on in the next one.
//!
//! ```text
//! 3 │   if (i < n)                          3 │   if (i < n)
//!   │       ──┬──                             │       ──┬──
//!   │         ╰──── threads diverge here      │         ╰──── threads
//!   │                                         │               diverge here
//! ```
//!
//! What stands before the words of a label goes on as well, as far as it leads to another label further down.

/// Words get at least so many columns, however little room is left.
const LEAST: usize = 20;

/// What stands before the words of a label.
const ARROW: &str = "── ";

/// A line of text, as lines of at most so many columns. Those behind the first begin with `indent`.
pub fn text(line: &str, width: Option<usize>, indent: &str) -> Vec<String> {
    let Some(width) = width else { return vec![line.to_owned()] };
    let options = textwrap::Options::new(width.max(indent.len() + LEAST))
        .subsequent_indent(indent)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::wrap(line, options).into_iter().map(|line| line.into_owned()).collect()
}

/// A line of the box around the source, as lines of at most so many columns. `line` may hold colours.
pub fn boxed(line: &str, width: Option<usize>) -> Vec<String> {
    let whole = || vec![line.to_owned()];
    let Some(width) = width else { return whole() };
    if textwrap::core::display_width(line) <= width {
        return whole();
    }
    let Some(at) = line.rfind(ARROW) else { return whole() };
    let (before, words) = line.split_at(at + ARROW.len());
    // A line of source may hold the arrow too; the words of a label stand behind its corner.
    if !before.contains('╰') {
        return whole();
    }
    let below = below(before);
    let room = width.saturating_sub(textwrap::core::display_width(before)).max(LEAST);
    let lines = text(words, Some(room), "");
    let lines = lines.into_iter().enumerate();
    lines.map(|(number, words)| format!("{}{words}", if number == 0 { before } else { &below })).collect()
}

/// What stands below the beginning of a label's line: the bars that go on to other labels.
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
    fn words_of_a_label_go_on_below_their_beginning() {
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
    fn there_is_always_room_for_a_word() {
        let line = "   │                                  ╰── diverge here";
        assert_eq!(boxed(line, Some(30)), [line]);
        let source = "12 │ int a = b ── c; // a line of the source stays as it is";
        assert_eq!(boxed(source, Some(30)), [source]);
    }

    #[test]
    fn a_headline_goes_on_under_itself() {
        let lines = text("error[rule]: a message of several words", Some(25), "  ");
        assert_eq!(lines, ["error[rule]: a message of", "  several words"]);
    }
}
