//! Where something stands in the text of its item.

/// A half-open range of token indices within an item. Where these tokens were written is kept elsewhere, so that moving an item
/// changes nothing that is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first token.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
}

impl Span {
    /// The tokens from `start` up to, but not with, `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, end: Span) -> Span {
        Span { start: self.start.min(end.start), end: self.end.max(end.end) }
    }
}
