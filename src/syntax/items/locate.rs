//! Maps token spans of an item to source text. This is the only conversion from facts to locations.
//!
//! The location of a token from a macro is the use of the macro in the text. [`Located`] also has the location in the
//! macro's definition.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_grammar::lex::Spans;
use tangle_grammar::symbol::Symbol;

use crate::db::Db;
use crate::items::spans;
use crate::preprocess::{Chunk, FileId, Origin};
use crate::source::SourceFile;

/// A range in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    tokens: ItemPlaces<'a>,
}

/// The source of the locations of an item's tokens.
#[derive(Clone, Copy)]
enum ItemPlaces<'a> {
    /// The origins of `len` tokens. The first one has the index `first` in the chunk.
    Chunk { chunk: &'a Arc<Chunk>, first: u32, len: u32 },
    /// The text of the item. Its offset 0 has the location `start`.
    Text { text: &'a ItemText, start: usize },
}

impl<'a> Locator<'a> {
    /// `first`: the index of the origin of the item's first token. `len`: the number of tokens of the item.
    pub fn new(db: &'a dyn Db, chunk: &'a Arc<Chunk>, first: u32, len: usize) -> Locator<'a> {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        Locator { db, tokens: ItemPlaces::Chunk { chunk, first, len } }
    }

    /// Finds locations by the text of an item alone. `start`: the location of the start of that text. Locations in the
    /// item's file are relative to it.
    pub fn in_text(db: &'a dyn Db, text: &'a ItemText, start: usize) -> Locator<'a> {
        Locator { db, tokens: ItemPlaces::Text { text, start } }
    }

    pub fn db(&self) -> &'a dyn Db {
        self.db
    }

    /// Returns the location of a span of the item. An empty span is directly after the token before it.
    pub fn locate(&self, span: Span) -> Located {
        if span.start >= span.end {
            let before = span.start.saturating_sub(1);
            let mut located = self.located(before, before);
            located.at.range.start = located.at.range.end;
            return located;
        }
        self.located(span.start, span.end - 1)
    }

    /// Returns the source text at a location of the item. Empty for a location outside the text of its file.
    pub fn text(&self, at: &TextRange) -> String {
        match self.tokens {
            ItemPlaces::Text { text, start } if at.file == text.file => {
                let range = at.range.start.wrapping_sub(start)..at.range.end.wrapping_sub(start);
                text.text.get(range).unwrap_or_default().to_owned()
            }
            _ => at.file.text(self.db).get(at.range.clone()).unwrap_or_default().to_owned(),
        }
    }

    fn located(&self, first: u32, last: u32) -> Located {
        match self.tokens {
            ItemPlaces::Chunk { chunk, first: of_item, len } => {
                let origin = |token: u32| {
                    let index = of_item + token.min(len.saturating_sub(1));
                    chunk.origins.get(index as usize).copied().unwrap_or(Origin::written(chunk.file, 0))
                };
                let places = OriginPlaces { db: self.db, chunk };
                let (first, last) = (origin(first), origin(last));
                located(places.in_text(first), places.in_text(last), places.macros(first))
            }
            ItemPlaces::Text { text, start } => {
                let macros = text.macros(first).to_vec();
                located(text.token(first, start), text.token(last, start), macros)
            }
        }
    }
}

/// Returns the location from the start of one token to the end of another.
fn located(first: TextRange, last: TextRange, macros: Vec<(Symbol, TextRange)>) -> Located {
    let mut at = first;
    // If a span begins in one file and ends in another, the location is its beginning.
    if last.file == at.file && last.range.end >= at.range.start {
        at.range.end = last.range.end;
    }
    Located { at, macros }
}

/// Returns the location of an origin of a chunk, for problems of the preprocessor.
pub fn locate_origin(db: &dyn Db, chunk: &Arc<Chunk>, origin: Origin) -> Located {
    let places = OriginPlaces { db, chunk };
    let at = places.in_text(origin);
    located(at.clone(), at, places.macros(origin))
}

/// The locations of the origins of a chunk.
#[derive(Clone, Copy)]
struct OriginPlaces<'a> {
    db: &'a dyn Db,
    chunk: &'a Arc<Chunk>,
}

impl OriginPlaces<'_> {
    /// The range of the token, or of the outermost macro use that it comes from.
    fn in_text(self, origin: Origin) -> TextRange {
        let (file, tokens) = self.use_of(origin);
        self.tokens(file, tokens)
    }

    /// The token, or the tokens of the outermost macro use that it comes from.
    fn use_of(self, origin: Origin) -> (FileId, Range<u32>) {
        let mut place = origin;
        let mut end = origin.token;
        while let Some(expansion) = self.chunk.expansion(place) {
            place = expansion.call;
            end = expansion.call_end;
        }
        (place.file, place.token..end + 1)
    }

    fn macros(self, origin: Origin) -> Vec<(Symbol, TextRange)> {
        let mut macros = Vec::new();
        let mut place = origin;
        while let Some(expansion) = self.chunk.expansion(place) {
            macros.push((expansion.name, self.tokens(place.file, place.token..place.token + 1)));
            place = expansion.call;
        }
        macros.reverse();
        macros
    }

    fn tokens(self, file: FileId, tokens: Range<u32>) -> TextRange {
        let file = self.db.source(file);
        TextRange { file, range: range(&spans(self.db, file), tokens) }
    }
}

/// The range from the first to the last of some tokens.
fn range(spans: &Spans, tokens: Range<u32>) -> Range<usize> {
    let start = spans.get(tokens.start);
    let end = spans.get(tokens.end - 1).end.max(start.end);
    start.start..end
}

/// The source text of an item, with the positions of the item's tokens in it. It is equal after the item moves.
#[derive(Clone, Debug)]
pub struct ItemText {
    /// The file of the item's first token.
    pub file: SourceFile,
    text: Box<str>,
    /// The byte range of each token in the text.
    tokens: Box<[(u32, u32)]>,
    /// Whether the tokens are all tokens of the text. Then the text alone determines their positions.
    is_plain: bool,
    /// The tokens of other files and of macros, in order.
    exceptions: Box<[ExceptionalToken]>,
}

/// A token that is not written in the text of its item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ExceptionalToken {
    /// Its index in the item.
    token: u32,
    /// Its location, if it is in another file than the item.
    elsewhere: Option<TextRange>,
    /// See [`Located::macros`].
    macros: Box<[(Symbol, TextRange)]>,
}

impl ItemText {
    /// Returns the text of an item and its start in the file. `first` and `len`: as for [`Locator::new`].
    pub fn of(db: &dyn Db, chunk: &Arc<Chunk>, first: u32, len: usize) -> (ItemText, usize) {
        let origins = chunk.origins.get(first as usize..first as usize + len).unwrap_or_default();
        let places = OriginPlaces { db, chunk };
        let own = origins.first().map_or(chunk.file, |&origin| places.use_of(origin).0);
        let file = db.source(own);
        let spans = spans(db, file);
        let (mut tokens, mut exceptions) = (Vec::with_capacity(len), Vec::new());
        let mut extent: Option<Range<usize>> = None;
        let (mut is_plain, mut next) = (true, None);
        for (token, &origin) in (0..).zip(origins) {
            let (of, used) = places.use_of(origin);
            let is_written = chunk.expansion(origin).is_none();
            is_plain &= is_written && of == own && next.is_none_or(|next| next == used.start);
            next = Some(used.end);
            if !is_written || of != own {
                let elsewhere = (of != own).then(|| places.tokens(of, used.clone()));
                exceptions.push(ExceptionalToken { token, elsewhere, macros: places.macros(origin).into() });
            }
            let at = (of == own).then(|| range(&spans, used));
            if let Some(at) = &at {
                let extent = extent.get_or_insert_with(|| at.clone());
                *extent = extent.start.min(at.start)..extent.end.max(at.end);
            }
            tokens.push(at);
        }
        let extent = extent.unwrap_or(0..0);
        let start = extent.start;
        let relative = |at: Range<usize>| ((at.start - start) as u32, (at.end - start) as u32);
        let tokens = tokens.into_iter().map(|at| at.map_or((0, 0), relative)).collect();
        let text = file.text(db).get(extent).unwrap_or_default().into();
        let exceptions = exceptions.into();
        (ItemText { file, text, tokens, is_plain, exceptions }, start)
    }

    /// The length of the text in bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The other files with tokens of the item, with repetition.
    pub fn other_files(&self) -> impl Iterator<Item = SourceFile> {
        self.exceptions.iter().filter_map(|exception| Some(exception.elsewhere.as_ref()?.file))
    }

    fn exception(&self, token: u32) -> Option<&ExceptionalToken> {
        let at = self.exceptions.binary_search_by_key(&token, |exception| exception.token).ok()?;
        Some(&self.exceptions[at])
    }

    fn macros(&self, token: u32) -> &[(Symbol, TextRange)] {
        self.exception(token.min(self.last())).map_or(&[], |exception| &exception.macros)
    }

    fn last(&self) -> u32 {
        u32::try_from(self.tokens.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Returns the location of a token, or of the outermost macro use that it comes from. `start`: the location of the
    /// start of the text.
    fn token(&self, token: u32, start: usize) -> TextRange {
        let token = token.min(self.last());
        match self.exception(token).and_then(|exception| exception.elsewhere.clone()) {
            Some(elsewhere) => elsewhere,
            None => {
                let (from, to) = self.tokens.get(token as usize).copied().unwrap_or_default();
                TextRange { file: self.file, range: start + from as usize..start + to as usize }
            }
        }
    }

    fn key(&self) -> ItemTextKey<'_> {
        let tokens = if self.is_plain { &[] } else { &*self.tokens };
        (self.file, &self.text, self.is_plain, tokens, &self.exceptions)
    }
}

/// The compared and hashed values. The positions of plain tokens are omitted, because the text determines them.
type ItemTextKey<'a> = (SourceFile, &'a str, bool, &'a [(u32, u32)], &'a [ExceptionalToken]);

impl PartialEq for ItemText {
    fn eq(&self, other: &ItemText) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ItemText {}

impl Hash for ItemText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}
