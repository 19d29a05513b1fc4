//! Maps token spans of an item to source text. This is the only conversion from facts to locations.
//!
//! The location of a token from a macro is the use of the macro in the text. [`Located`] also has the location in the
//! macro's definition.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use crate::db::Db;
use crate::items::spans;
use crate::preprocess::{Chunk, FileId, Origin};
use crate::source::SourceFile;

/// A range in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    pub file: SourceFile,
    /// The range in bytes.
    pub range: Range<usize>,
}

/// The location that a message shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    pub at: TextRange,
    /// The macros whose expansion the token comes from, outermost first. Each has the location in its definition of
    /// the next use, or for the last macro, of the token itself.
    pub macros: Vec<(Symbol, TextRange)>,
}

/// Finds the locations of the tokens of one item.
pub struct Locator<'a> {
    db: &'a dyn Db,
    chunk: &'a Arc<Chunk>,
    /// The index of the origin of the item's first token.
    first: u32,
    /// The number of tokens of the item.
    len: u32,
}

impl<'a> Locator<'a> {
    pub fn new(db: &'a dyn Db, chunk: &'a Arc<Chunk>, first: u32, len: usize) -> Locator<'a> {
        Locator { db, chunk, first, len: u32::try_from(len).unwrap_or(u32::MAX) }
    }

    pub fn db(&self) -> &'a dyn Db {
        self.db
    }

    /// Returns the location of a span of the item. An empty span is directly after the token before it.
    pub fn locate(&self, span: Span) -> Located {
        if span.start >= span.end {
            let before = self.origin(span.start.saturating_sub(1));
            let mut located = self.located(before, before);
            located.at.range.start = located.at.range.end;
            return located;
        }
        self.located(self.origin(span.start), self.origin(span.end - 1))
    }

    /// Returns the location of an origin, for problems of the preprocessor.
    pub fn of_origin(&self, origin: Origin) -> Located {
        self.located(origin, origin)
    }

    fn origin(&self, token: u32) -> Origin {
        let token = token.min(self.len.saturating_sub(1));
        self.chunk
            .origins
            .get((self.first + token) as usize)
            .copied()
            .unwrap_or(Origin::written(self.chunk.file, 0))
    }

    fn located(&self, first: Origin, last: Origin) -> Located {
        let start = self.in_text(first);
        let end = self.in_text(last);
        let mut at = start.clone();
        // If a span begins in one file and ends in another, the location is its beginning.
        if end.file == start.file && end.range.end >= start.range.start {
            at.range.end = end.range.end;
        }
        Located { at, macros: self.macros(first) }
    }

    /// The range of the token, or of the outermost macro use that it comes from.
    fn in_text(&self, origin: Origin) -> TextRange {
        let mut place = origin;
        let mut end = origin.token;
        while let Some(expansion) = self.chunk.expansion(place) {
            place = expansion.call;
            end = expansion.call_end;
        }
        self.tokens(place.file, place.token..end + 1)
    }

    fn macros(&self, origin: Origin) -> Vec<(Symbol, TextRange)> {
        let mut macros = Vec::new();
        let mut place = origin;
        while let Some(expansion) = self.chunk.expansion(place) {
            macros.push((expansion.name, self.tokens(place.file, place.token..place.token + 1)));
            place = expansion.call;
        }
        macros.reverse();
        macros
    }

    fn tokens(&self, file: FileId, tokens: Range<u32>) -> TextRange {
        let file = self.db.source(file);
        let spans = spans(self.db, file);
        let start = spans.get(tokens.start);
        let end = spans.get(tokens.end - 1).end.max(start.end);
        TextRange { file, range: start.start..end }
    }
}
