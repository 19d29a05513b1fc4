//! Locations of errors in the texts that define a language.

use std::fmt;

/// A position in a text: line and column, both starting at 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    pub line: u32,
    pub column: u32,
}

impl TextPosition {
    /// The position of the byte at `offset`.
    pub fn of(text: &str, offset: usize) -> TextPosition {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        TextPosition {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line..].chars().count() + 1),
        }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error in a text, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The name of the text: a field of [`DialectTexts`](super::DialectTexts).
    pub text: &'static str,
    pub place: TextPosition,
    pub message: String,
}

impl TableError {
    pub(super) fn in_toml(name: &'static str, text: &str, error: &toml::de::Error) -> TableError {
        let place = TextPosition::of(text, error.span().map_or(0, |span| span.start));
        TableError { text: name, place, message: error.message().to_owned() }
    }

    pub(super) fn in_json(name: &'static str, error: &serde_json::Error) -> TableError {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).max(1);
        let place = TextPosition { line: count(error.line()), column: count(error.column()) };
        // The message ends with the place.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        TableError { text: name, place, message }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.text, self.place, self.message)
    }
}

impl std::error::Error for TableError {}
