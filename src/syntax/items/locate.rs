//! From token spans of an item back to the text: the only way from facts to places.
//!
//! What came through a macro stands where the macro was used in the text; where it was written is in the macro's
//! definition, which [`Located`] names too.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use crate::db::Db;
use crate::items::spans;
use crate::preprocess::{Chunk, FileId, Origin};
use crate::source::SourceFile;

/// A place in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRange {
    pub file: SourceFile,
    /// Bytes.
    pub range: Range<usize>,
}

/// Where something stands for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    pub at: TextRange,
    /// The macros whose expansion it came through, from the one used in the text inwards, each with the place in its definition
    /// where the next use, or at last the thing itself, is written.
    pub macros: Vec<(Symbol, TextRange)>,
}

/// Finds the places of one item's tokens.
pub struct Locator<'a> {
    db: &'a dyn Db,
    chunk: &'a Arc<Chunk>,
    /// The origin of the item's first token.
    first: u32,
    /// How many tokens the item has.
    len: u32,
}

impl<'a> Locator<'a> {
    pub fn new(db: &'a dyn Db, chunk: &'a Arc<Chunk>, first: u32, len: usize) -> Locator<'a> {
        Locator { db, chunk, first, len: u32::try_from(len).unwrap_or(u32::MAX) }
    }

    pub fn db(&self) -> &'a dyn Db {
        self.db
    }

    /// The place of a span of the item. An empty span lies right behind the token before it.
    pub fn locate(&self, span: Span) -> Located {
        if span.start >= span.end {
            let before = self.origin(span.start.saturating_sub(1));
            let mut located = self.located(before, before);
            located.at.range.start = located.at.range.end;
            return located;
        }
        self.located(self.origin(span.start), self.origin(span.end - 1))
    }

    /// The place of something that the preprocessor says.
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
        // A span that begins in one file and ends in another is told by its beginning.
        if end.file == start.file && end.range.end >= start.range.start {
            at.range.end = end.range.end;
        }
        Located { at, macros: self.macros(first) }
    }

    /// The range of the token, or of the macro use that it came from.
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
