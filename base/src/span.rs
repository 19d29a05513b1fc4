//! The position of a construct in the text of its item.

/// A half-open range of token indices within an item. The source locations of these tokens are stored separately, so
/// that moving an item does not change the facts about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first token.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
}

impl Span {
    /// Returns the tokens from `start` up to `end`, without `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// Returns the smallest span that contains both.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start.min(end.start), end: self.end.max(end.end) }
    }
}
