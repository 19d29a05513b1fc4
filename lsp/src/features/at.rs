//! The item, function, statement and name at a position.

use std::ops::Range;

use tangle::dialect::Vocabulary;
use tangle::hir::bodies;
use tangle::hir::body::{Body, CallId, StmtId};
use tangle::hir::resolve::{Reference, references};
use tangle::hir::scope::{Scoped, scoped_at, typed};
use tangle::hir::typed::TypedBody;
use tangle::program::{Called, Convergent, FunctionId, Targets, functions, targets};
use tangle::syntax::find::{Placed, innermost, item_at, items_of, spelled, token_at};
use tangle::syntax::{TextRange, is_host, parse, unit};
use tangle::tangle::{Tangles, tangles_of};
use tangle::wording::tangles as words;
use tangle_grammar::ast::{Ast, Decl, Span, StmtKind};
use tower_lsp::lsp_types::{Position, Range as LspRange};

use crate::snapshot::View;

/// A token of the document, and its item.
pub struct At<'a> {
    pub view: View<'a>,
    /// The number of the token in the file.
    pub file_token: u32,
    pub item: ItemAt<'a>,
    /// The first token of the item that comes from it.
    pub token: u32,
}

/// An item of the unit.
pub struct ItemAt<'a> {
    pub view: View<'a>,
    pub placed: Placed<'a>,
}

/// A function, or a block literal inside one.
#[derive(Clone, Copy)]
pub struct BodyAt<'a> {
    /// Its number in the item.
    pub number: usize,
    pub body: &'a Body,
    pub tangles: &'a Tangles,
}

impl<'a> At<'a> {
    pub fn find(view: View<'a>, position: Position) -> Option<At<'a>> {
        let file_token = token_at(view.db, view.file, view.offset(position))?;
        let file = view.file.id(view.db);
        let placed = item_at(view.db, unit(view.db, view.root, view.analysis.settings), file, file_token)?;
        let token = *placed.tokens_from(file, file_token).first()?;
        Some(At { view, file_token, item: ItemAt { view, placed }, token })
    }

    /// The name that is written here.
    pub fn reference(&self) -> Option<Reference> {
        let found = self.item.references().iter();
        found.copied().find(|reference| reference.name.span.start == self.token)
    }

    /// The function that holds the token, from its specifiers to its last brace; of a block literal and the function
    /// around it, the block.
    pub fn body(&self) -> Option<BodyAt<'a>> {
        innermost(self.item.bodies().map(|found| (found, self.item.extent(found))), self.token)
    }

    /// The function that holds the token, whatever block literals are around it.
    pub fn function(&self) -> Option<BodyAt<'a>> {
        let functions = self.item.bodies().filter(|found| !found.body.block);
        innermost(functions.map(|found| (found, self.item.extent(found))), self.token)
    }

    /// The smallest statement that holds the token.
    pub fn stmt(&self, body: BodyAt) -> Option<StmtId> {
        // Of statements with the same tokens the last is the innermost.
        let holding = body
            .body
            .stmts
            .iter_enumerated()
            .filter(|(_, stmt)| stmt.span.start <= self.token && self.token < stmt.span.end);
        holding
            .min_by_key(|(id, stmt)| (stmt.span.end - stmt.span.start, std::cmp::Reverse(*id)))
            .map(|(id, _)| id)
    }

    /// The range of the token in the document.
    pub fn range(&self) -> LspRange {
        let bytes = tangle::syntax::spans(self.view.db, self.view.file).get(self.file_token);
        self.view.range(&bytes)
    }
}

impl<'a> ItemAt<'a> {
    /// The items that are written in the document, in order.
    pub fn all(view: View<'a>) -> impl Iterator<Item = ItemAt<'a>> {
        let unit = unit(view.db, view.root, view.analysis.settings);
        items_of(view.db, unit, view.file.id(view.db)).into_iter().map(move |placed| ItemAt { view, placed })
    }

    /// The words of its language.
    pub fn vocabulary(&self) -> &'static Vocabulary {
        self.placed.item.dialect(self.view.db).vocabulary()
    }

    /// Whether it is code of the host alone, which we do not analyse.
    pub fn is_host(&self) -> bool {
        is_host(self.view.db, self.placed.item)
    }

    pub fn ast(&self) -> &'a Ast {
        &parse(self.view.db, self.placed.item).0.ast
    }

    pub fn references(&self) -> &'a [Reference] {
        &references(self.view.db, self.placed.item).0
    }

    pub fn bodies(&self) -> impl Iterator<Item = BodyAt<'a>> + use<'a> {
        let (db, item) = (self.view.db, self.placed.item);
        let all = bodies(db, item).0.iter().zip(&tangles_of(db, item, self.view.analysis.model).0);
        all.enumerate().map(|(number, (body, tangles))| BodyAt { number, body, tangles })
    }

    /// All of a definition: a body's own span is that of its braces.
    pub fn extent(&self, found: BodyAt) -> Span {
        let own = found.body.span;
        let ast = self.ast();
        let holds =
            |decl: &Decl| decl.body.is_some() && decl.span.start <= own.start && own.end <= decl.span.end;
        let decl = ast.items.iter().map(|&id| &ast.decls[id]).find(|decl| holds(decl));
        decl.filter(|_| !found.body.block).map_or(own, |decl| decl.span)
    }

    pub fn scoped(&self) -> Option<Scoped<'a>> {
        let unit = unit(self.view.db, self.view.root, self.view.analysis.settings);
        scoped_at(self.view.db, unit, &self.placed.chunk, self.placed.first)
    }

    pub fn typed(&self, body: BodyAt) -> Option<&'a TypedBody> {
        typed(self.view.db, self.scoped()?).0.bodies.get(body.number)
    }

    /// The convergent operations of the calls of a body.
    pub fn operations(&self, body: BodyAt) -> Operations<'a> {
        let targets = self.scoped().map(|scoped| targets(self.view.db, scoped, body.number));
        Operations { convergent: convergent(self.view), targets: targets.unwrap_or_default() }
    }

    /// The identity of a function. None: the unit has no such definition.
    pub fn function_id(&self, body: BodyAt) -> Option<FunctionId<'a>> {
        let known = functions(self.view.db, self.view.root, self.view.analysis.settings);
        let at = known.of_body(self.placed.item, u32::try_from(body.number).ok()?)?;
        Some(known.get(at).id)
    }

    pub fn locate(&self, span: Span) -> TextRange {
        self.placed.locator(self.view.db).locate(span).at
    }

    /// The bytes of a span, if it is written in the document itself.
    pub fn bytes(&self, span: Span) -> Option<Range<usize>> {
        let at = self.locate(span);
        (at.file == self.view.file).then_some(at.range)
    }

    /// A span as a range of the document, if it is written there.
    pub fn range(&self, span: Span) -> Option<LspRange> {
        Some(self.view.range(&self.bytes(span)?))
    }

    /// The tokens of a span, as one line.
    pub fn text(&self, span: Span) -> String {
        let tokens = self.placed.item.tokens(self.view.db).0.tokens();
        let end = (span.end as usize).min(tokens.len());
        shortened(spelled(&tokens[(span.start as usize).min(end)..end]))
    }

    /// The source of a body, for the words of its tangles.
    pub fn source<'b>(&'b self, body: &'b Body) -> Source<'b> {
        Source { item: self, body }
    }
}

/// A text that fits a line of a hover.
pub fn shortened(text: String) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

/// The convergent functions of the document's unit.
pub fn convergent<'a>(view: View<'a>) -> &'a Convergent {
    tangle::program::convergent(view.db, view.root, view.analysis.settings)
}

/// The convergent calls of a body.
pub struct Operations<'a> {
    convergent: &'a Convergent,
    targets: Targets,
}

impl Operations<'_> {
    /// The convergent operation or function of a call, if it is convergent.
    pub fn call(&self, call: CallId) -> Option<Called> {
        self.convergent.call(*self.targets.get(call)?)
    }
}

pub struct Source<'a> {
    item: &'a ItemAt<'a>,
    body: &'a Body,
}

impl words::Source for Source<'_> {
    fn line(&self, span: Span) -> usize {
        let at = self.item.locate(span);
        self.item.view.snapshot.text(at.file).position(at.range.start).line
    }

    fn text(&self, span: Span) -> String {
        self.item.text(span)
    }

    fn condition(&self, stmt: StmtId) -> Option<Span> {
        let ast = self.item.ast();
        let condition = match ast.stmts[self.body.stmts[stmt].syntax].kind {
            StmtKind::If { condition, .. }
            | StmtKind::While { condition, .. }
            | StmtKind::Do { condition, .. }
            | StmtKind::Switch { condition, .. } => condition,
            StmtKind::For { condition, .. } => condition?,
            _ => return None,
        };
        Some(ast.exprs[condition].span)
    }
}

/// The first lines of a text, as many as a hover shows.
pub fn shortened_lines(text: &str) -> String {
    const MOST: usize = 20;
    match text.match_indices('\n').nth(MOST) {
        Some((end, _)) => format!("{}\n…", &text[..end]),
        None => text.to_owned(),
    }
}
