//! The text of a file, with lines and with columns in characters.
//!
//! Analyses use byte offsets; people and editors use lines and columns. The conversion takes time independent of the
//! length of a line, since generated kernels contain lines of megabytes.

use std::ops::Range;
use std::sync::OnceLock;

/// A line and a column, both from 1. A column is one Unicode scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The number of bytes between two stored counts of continuation bytes. Small enough for a fast count within a block,
/// and large enough that the stored counts need little memory.
const BLOCK: usize = 1024;

/// The text of a file, with an index of its lines and columns. The index is computed on first use: most files have no
/// findings.
///
/// A line ends at `\n`, `\r\n` or a lone `\r`, as in editors and the language server protocol. The text after the last
/// line end is a line as well, even if it is empty.
#[derive(Debug)]
pub struct SourceText {
    text: Box<str>,
    /// The byte offset at which each line begins.
    line_starts: OnceLock<Box<[usize]>>,
    /// For each block of [`BLOCK`] bytes, the number of UTF-8 continuation bytes before it. Empty for ASCII text.
    continuations: OnceLock<Box<[usize]>>,
}

impl SourceText {
    pub fn new(text: impl Into<Box<str>>) -> SourceText {
        SourceText { text: text.into(), line_starts: OnceLock::new(), continuations: OnceLock::new() }
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| line_starts(self.text.as_bytes()))
    }

    fn continuations(&self) -> &[usize] {
        self.continuations.get_or_init(|| match self.text.is_ascii() {
            true => Box::default(),
            false => continuations(self.text.as_bytes()),
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// Returns the line and column of a byte offset. An offset inside a character counts as the start of the character,
    /// and an offset past the end as the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.floor(offset);
        let line = self.line_starts().partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts()[line];
        let column =
            (offset - start) - (self.continuations_before(offset) - self.continuations_before(start));
        Position { line: line + 1, column: column + 1 }
    }

    /// Returns the byte range of a line, counted from 1, without its line end. For an unknown line, the range is empty
    /// and at the end of the text.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = line.checked_sub(1).and_then(|index| self.line_starts().get(index)) else {
            return self.text.len()..self.text.len();
        };
        let end = self.line_starts().get(line).copied().unwrap_or(self.text.len());
        let line = &self.text[start..end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        start..start + line.len()
    }

    /// Clamps a range to the text and extends it to character boundaries.
    pub fn clamp(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.floor(range.start);
        start..self.ceil(range.end).max(start)
    }

    /// Returns the nearest character boundary at or before an offset.
    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// Returns the nearest character boundary at or after an offset.
    fn ceil(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset += 1;
        }
        offset
    }

    fn continuations_before(&self, offset: usize) -> usize {
        let Some(before) = self.continuations().get(offset / BLOCK) else { return 0 };
        let block = offset - offset % BLOCK;
        before + count_continuations(&self.text.as_bytes()[block..offset])
    }
}

fn line_starts(bytes: &[u8]) -> Box<[usize]> {
    let mut starts = vec![0];
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|&index| bytes[index] == b'\n' || bytes.get(index + 1) != Some(&b'\n'));
    starts.extend(ends.map(|index| index + 1));
    starts.into()
}

fn continuations(bytes: &[u8]) -> Box<[usize]> {
    let mut counts = Vec::with_capacity(bytes.len() / BLOCK + 1);
    let mut before = 0;
    for block in bytes.chunks(BLOCK) {
        counts.push(before);
        before += count_continuations(block);
    }
    // If the length is a multiple of the block size, the end of the text also needs a count.
    counts.push(before);
    counts.into()
}

fn count_continuations(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 == 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let Position { line, column } = SourceText::new(text).position(offset);
        (line, column)
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(at("a\nµx\n", 0), (1, 1));
        assert_eq!(at("a\nµx\n", 4), (2, 2));
        assert_eq!(at("a\nµx\n", 3), (2, 1), "inside a character is its start");
        assert_eq!(at("a\nµx\n", 6), (3, 1));
        assert_eq!(at("a\nµx\n", 600), (3, 1), "past the end is the end");
        assert_eq!(at("", 0), (1, 1));
    }

    #[test]
    fn all_line_endings_are_recognized() {
        assert_eq!(at("a\r\nb\rc\nd", 3), (2, 1));
        assert_eq!(at("a\r\nb\rc\nd", 5), (3, 1));
        assert_eq!(at("a\r\nb\rc\nd", 7), (4, 1));
        let text = SourceText::new("a\r\nb\rc\nd");
        let lines: Vec<_> = (1..=text.line_count()).map(|line| &text.text()[text.line_range(line)]).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
        assert!(text.line_range(9).is_empty());
    }

    #[test]
    fn positions_match_counting_each_character() {
        let text = "aµ€𝄞\n".repeat(700) + &"é".repeat(3 * BLOCK);
        let source = SourceText::new(text.as_str());
        let (mut line, mut column) = (1, 1);
        for (offset, character) in text.char_indices() {
            assert_eq!(source.position(offset), Position { line, column });
            column += 1;
            if character == '\n' {
                (line, column) = (line + 1, 1);
            }
        }
        assert_eq!(source.position(text.len()), Position { line, column });
    }

    #[test]
    fn ranges_are_clamped_to_character_boundaries() {
        let text = SourceText::new("aµb");
        assert_eq!(text.clamp(&(2..2)), 1..3);
        assert_eq!(text.clamp(&(2..99)), 1..4);
        assert_eq!(text.clamp(&(99..100)), 4..4);
        assert_eq!(text.clamp(&Range { start: 3, end: 1 }), 3..3, "a reversed range is empty");
    }
}
