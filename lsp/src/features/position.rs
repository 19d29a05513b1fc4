//! The item, function, statement and name at a position of a document.

use std::ops::Deref;

use tangle_analysis::lookup;
pub use tangle_analysis::lookup::{BodyLookup, ConvergentCalls};
use tangle_analysis::program::Convergent;
use tangle_grammar::ast::Span;
use tangle_hir::body::{Body, StmtId};
use tangle_rules::wording::tangles as tangle_texts;
use tangle_syntax::items::find::ItemOccurrence;
use tower_lsp::lsp_types::{Position, Range as LspRange};

use crate::snapshot::View;

/// A token of the document, with its item.
pub struct TokenAt<'a> {
    pub view: View<'a>,
    pub item: ItemAt<'a>,
    found: lookup::TokenLookup<'a>,
}

/// An item of the unit.
pub struct ItemAt<'a> {
    pub view: View<'a>,
    found: lookup::ItemLookup<'a>,
}

impl<'a> TokenAt<'a> {
    pub fn find(view: View<'a>, position: Position) -> Option<TokenAt<'a>> {
        let found = lookup::TokenLookup::find(view.reading(), view.offset(position))?;
        let item = ItemAt::new(view, found.item.placed.clone());
        Some(TokenAt { view, item, found })
    }

    /// Returns the range of the token in the document.
    pub fn range(&self) -> LspRange {
        let bytes = tangle_syntax::items::spans(self.view.db, self.view.file).get(self.file_token);
        self.view.range(&bytes)
    }
}

impl<'a> Deref for TokenAt<'a> {
    type Target = lookup::TokenLookup<'a>;

    fn deref(&self) -> &lookup::TokenLookup<'a> {
        &self.found
    }
}

impl<'a> Deref for ItemAt<'a> {
    type Target = lookup::ItemLookup<'a>;

    fn deref(&self) -> &lookup::ItemLookup<'a> {
        &self.found
    }
}

impl<'a> ItemAt<'a> {
    pub fn new(view: View<'a>, placed: ItemOccurrence<'a>) -> ItemAt<'a> {
        ItemAt { view, found: lookup::ItemLookup { reading: view.reading(), placed } }
    }

    /// Returns the items whose code is in the document, in order.
    pub fn all(view: View<'a>) -> impl Iterator<Item = ItemAt<'a>> {
        view.reading().items().map(move |found| ItemAt { view, found })
    }

    /// Converts a span to a range of the document. Returns `None` if the span is not in the document.
    pub fn range(&self, span: Span) -> Option<LspRange> {
        Some(self.view.range(&self.bytes(span)?))
    }

    /// Returns the tokens of a span as one line that fits into a hover.
    pub fn text(&self, span: Span) -> String {
        shortened(self.found.text(span))
    }

    /// Returns the line where a span begins, from 1.
    pub fn line(&self, span: Span) -> usize {
        let at = self.locate(span);
        self.view.snapshot.text(at.file).position(at.range.start).line
    }

    /// Returns the source of a body, for texts about its tangles.
    pub fn source<'b>(&'b self, body: &'b Body) -> Source<'b> {
        Source { item: self, body }
    }
}

/// Shortens a text to a line of a hover.
pub fn shortened(text: String) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// Returns the convergent functions of the document's unit.
pub fn convergent<'a>(view: View<'a>) -> &'a Convergent {
    view.reading().convergent()
}

pub struct Source<'a> {
    item: &'a ItemAt<'a>,
    body: &'a Body,
}

impl tangle_texts::BodySource for Source<'_> {
    fn line(&self, span: Span) -> usize {
        self.item.line(span)
    }

    fn text(&self, span: Span) -> String {
        self.item.text(span)
    }

    fn condition(&self, stmt: StmtId) -> Option<Span> {
        self.item.condition(self.body, stmt)
    }
}

/// Shortens a text to the number of lines that a hover shows.
pub fn shortened_lines(text: &str) -> String {
    const MOST: usize = 20;
    match text.match_indices('\n').nth(MOST) {
        Some((end, _)) => format!("{}\n…", &text[..end]),
        None => text.to_owned(),
    }
}
