//! Locations of errors in the texts that define a language.

use std::fmt;

/// A position in a text: line and column, both starting at 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// The position of the byte at `offset`.
    pub fn of(text: &str, offset: usize) -> Place {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line..].chars().count() + 1),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error in a text, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The name of the text: a field of [`Source`](super::Source).
    pub text: &'static str,
    pub place: Place,
    pub message: String,
}

impl Mistake {
    pub(super) fn in_toml(name: &'static str, text: &str, error: &toml::de::Error) -> Mistake {
        let place = Place::of(text, error.span().map_or(0, |span| span.start));
        Mistake { text: name, place, message: error.message().to_owned() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.text, self.place, self.message)
    }
}

impl std::error::Error for Mistake {}
