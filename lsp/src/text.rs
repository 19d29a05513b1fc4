//! Conversion of positions between the protocol and byte offsets, and edits with such positions.
//!
//! Lines count from 0. Columns count the units of the encoding that client and server agreed on (LSP 3.17,
//! `general.positionEncodings`). A position after the end of a line means the end of the line, and a position after the
//! end of the text means the end of the text.

use std::ops::Range;

use tangle_diagnostic::SourceText;
use tower_lsp::lsp_types::{self, Position, PositionEncodingKind, TextDocumentContentChangeEvent};

/// The unit of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The encoding that every client supports.
    #[default]
    Utf16,
    Utf8,
}

impl Encoding {
    /// Returns UTF-8, which needs no conversion, if the client offers it; otherwise UTF-16.
    pub fn choose(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    fn units(self, text: &str) -> usize {
        match self {
            Encoding::Utf16 if !text.is_ascii() => text.chars().map(char::len_utf16).sum(),
            Encoding::Utf16 | Encoding::Utf8 => text.len(),
        }
    }

    /// Returns the position of a byte offset.
    pub fn position(self, text: &SourceText, offset: usize) -> Position {
        let line = text.position(offset).line;
        let range = text.line_range(line);
        let offset = text.clamp(&(offset..offset)).start.clamp(range.start, range.end);
        let column = self.units(&text.text()[range.start..offset]);
        Position { line: number(line - 1), character: number(column) }
    }

    pub fn range(self, text: &SourceText, range: &Range<usize>) -> lsp_types::Range {
        let range = text.clamp(range);
        lsp_types::Range { start: self.position(text, range.start), end: self.position(text, range.end) }
    }

    /// Returns the byte offset of a position. A position inside a character means its start.
    pub fn offset(self, text: &SourceText, position: Position) -> usize {
        let line = text.line_range(position.line as usize + 1);
        let wanted = position.character as usize;
        let within = &text.text()[line.clone()];
        if self == Encoding::Utf8 || within.is_ascii() {
            let offset = line.start + wanted.min(within.len());
            return text.clamp(&(offset..line.end)).start;
        }
        let mut passed = 0;
        for (at, character) in within.char_indices() {
            passed += character.len_utf16();
            if passed > wanted {
                return line.start + at;
            }
        }
        line.end
    }

    /// Returns the text after an edit of the client.
    pub fn edited(self, text: &SourceText, change: TextDocumentContentChangeEvent) -> SourceText {
        let Some(range) = change.range else { return SourceText::new(change.text) };
        let start = self.offset(text, range.start);
        let end = self.offset(text, range.end).max(start);
        let text = text.text();
        let mut new = String::with_capacity(text.len() - (end - start) + change.text.len());
        new.push_str(&text[..start]);
        new.push_str(&change.text);
        new.push_str(&text[end..]);
        SourceText::new(new)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Encoding::{Utf8, Utf16};

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_count_code_units_of_the_encoding() {
        let text = SourceText::new("a\n𝛍µx\r\n");
        // 𝛍 has four bytes and two UTF-16 units; µ has two bytes and one unit.
        for (offset, utf16, utf8) in [(2, 0, 0), (6, 2, 4), (8, 3, 6), (9, 4, 7)] {
            assert_eq!(Utf16.position(&text, offset), at(1, utf16));
            assert_eq!(Utf8.position(&text, offset), at(1, utf8));
            assert_eq!(Utf16.offset(&text, at(1, utf16)), offset);
            assert_eq!(Utf8.offset(&text, at(1, utf8)), offset);
        }
        assert_eq!(Utf16.offset(&text, at(1, 1)), 2, "a position inside a character means its start");
        assert_eq!(Utf8.offset(&text, at(1, 2)), 2, "a position inside a character means its start");
    }

    #[test]
    fn positions_past_an_end_are_clamped_to_it() {
        let text = SourceText::new("ab\ncd");
        for encoding in [Utf16, Utf8] {
            assert_eq!(encoding.offset(&text, at(0, 99)), 2);
            assert_eq!(encoding.offset(&text, at(1, 99)), 5);
            assert_eq!(encoding.offset(&text, at(u32::MAX - 1, u32::MAX)), 5);
            assert_eq!(encoding.position(&text, 99), at(1, 2));
        }
    }

    #[test]
    fn edits_replace_the_given_range() {
        let change = |from, to, text: &str| TextDocumentContentChangeEvent {
            range: Some(lsp_types::Range { start: from, end: to }),
            range_length: None,
            text: text.into(),
        };
        let text = SourceText::new("µ = 1;\nb = 2;\n");
        assert_eq!(Utf16.edited(&text, change(at(0, 4), at(0, 5), "37")).text(), "µ = 37;\nb = 2;\n");
        assert_eq!(Utf8.edited(&text, change(at(0, 5), at(0, 6), "37")).text(), "µ = 37;\nb = 2;\n");
        assert_eq!(Utf16.edited(&text, change(at(0, 6), at(1, 0), " ")).text(), "µ = 1; b = 2;\n");
        assert_eq!(Utf16.edited(&text, change(at(9, 0), at(9, 0), "c")).text(), "µ = 1;\nb = 2;\nc");
        assert_eq!(
            Utf16.edited(&text, change(at(1, 3), at(0, 0), "x")).text(),
            "µ = 1;\nb =x 2;\n",
            "a reversed range is empty"
        );
    }
}
