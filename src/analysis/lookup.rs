//! Finds the item, function, statement and name at an offset of a file, and their analysis results.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::ast::{Ast, Decl, Span, StmtKind};
use tangle_ir::key::FunctionKey;

use crate::program::{Convergent, ConvergentCallee, FunctionId, Targets, convergent, functions, targets};
use crate::tangle::{Model, Tangles, tangles_of};
use crate::uniformity::Fact;
use crate::uniformity::analysis::Analysis;
use crate::uniformity::argument_summary::passed;
use crate::uniformity::graph::is_branch;
use crate::uniformity::unit::kept;
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId, StmtId};
use tangle_hir::resolve::{Reference, references};
use tangle_hir::scope::{Scoped, SharedTypedBody, scoped_at, typed, typed_body};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Scope, Vocabulary};
use tangle_syntax::items::find::{ItemOccurrence, innermost, item_at, items_of, spelled, token_at};
use tangle_syntax::items::{TextRange, ast, is_host, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// A file with the unit, settings and model under which it is analysed.
#[derive(Clone, Copy)]
pub struct FileContext<'a> {
    pub db: &'a dyn Db,
    /// The main file of the unit.
    pub root: SourceFile,
    /// The file of that unit to look up.
    pub file: SourceFile,
    pub settings: Settings,
    pub model: Model,
}

impl<'a> FileContext<'a> {
    /// Returns the convergent functions of the unit.
    pub fn convergent(&self) -> &'a Convergent {
        convergent(self.db, self.root, self.settings)
    }

    /// Returns the items in the file, in source order.
    pub fn items(self) -> impl Iterator<Item = ItemLookup<'a>> {
        let unit = unit(self.db, self.root, self.settings);
        items_of(self.db, unit, self.file.id(self.db))
            .into_iter()
            .map(move |placed| ItemLookup { reading: self, placed })
    }
}

/// A token of the file, and its item.
pub struct TokenLookup<'a> {
    /// The number of the token in the file.
    pub file_token: u32,
    pub item: ItemLookup<'a>,
    /// The first token of the item that originates from it.
    pub token: u32,
}

/// An item of the unit.
pub struct ItemLookup<'a> {
    pub reading: FileContext<'a>,
    pub placed: ItemOccurrence<'a>,
}

/// A function, or a block literal inside one.
#[derive(Clone, Copy)]
pub struct BodyLookup<'a> {
    /// Its number in the item.
    pub number: usize,
    pub body: &'a Body,
    pub tangles: &'a Tangles,
}

impl<'a> TokenLookup<'a> {
    /// Finds the token at an offset of the file, in bytes. None if there is no token of an item.
    pub fn find(reading: FileContext<'a>, offset: usize) -> Option<TokenLookup<'a>> {
        let file_token = token_at(reading.db, reading.file, offset)?;
        let file = reading.file.id(reading.db);
        let unit = unit(reading.db, reading.root, reading.settings);
        let placed = item_at(reading.db, unit, file, file_token)?;
        let token = *placed.tokens_from(file, file_token).first()?;
        Some(TokenLookup { file_token, item: ItemLookup { reading, placed }, token })
    }

    /// Returns the reference whose name is at this token.
    pub fn reference(&self) -> Option<Reference> {
        let found = self.item.references().iter();
        found.copied().find(|reference| reference.name.span.start == self.token)
    }

    /// Returns the innermost function or block literal that contains the token. A function extends from its specifiers
    /// to its last brace.
    pub fn body(&self) -> Option<BodyLookup<'a>> {
        innermost(self.item.bodies().map(|found| (found, self.item.extent(found))), self.token)
    }

    /// Returns the function that contains the token, ignoring block literals.
    pub fn function(&self) -> Option<BodyLookup<'a>> {
        let functions = self.item.bodies().filter(|found| !found.body.block);
        innermost(functions.map(|found| (found, self.item.extent(found))), self.token)
    }

    /// Returns the smallest statement that contains the token.
    pub fn stmt(&self, body: BodyLookup) -> Option<StmtId> {
        // Of several statements with the same tokens, the last one is the innermost.
        let holding = body
            .body
            .stmts
            .iter_enumerated()
            .filter(|(_, stmt)| stmt.span.start <= self.token && self.token < stmt.span.end);
        holding
            .min_by_key(|(id, stmt)| (stmt.span.end - stmt.span.start, std::cmp::Reverse(*id)))
            .map(|(id, _)| id)
    }
}

impl<'a> ItemLookup<'a> {
    /// Returns the vocabulary of its language.
    pub fn vocabulary(&self) -> &'static Vocabulary {
        self.placed.item.dialect(self.reading.db).vocabulary()
    }

    /// Whether it is host-only code, which is not analysed.
    pub fn is_host(&self) -> bool {
        is_host(self.reading.db, self.placed.item)
    }

    pub fn ast(&self) -> Arc<Ast> {
        ast(self.reading.db, self.placed.item)
    }

    pub fn references(&self) -> &'a [Reference] {
        &references(self.reading.db, self.placed.item).0
    }

    pub fn bodies(&self) -> impl Iterator<Item = BodyLookup<'a>> + use<'a> {
        let (db, item) = (self.reading.db, self.placed.item);
        let all = bodies(db, item).0.iter().zip(&tangles_of(db, item, self.reading.model).0);
        all.enumerate().map(|(number, (body, tangles))| BodyLookup { number, body, tangles })
    }

    /// Returns the span of the whole definition. The span of a body contains only its braces.
    pub fn extent(&self, found: BodyLookup) -> Span {
        let own = found.body.span;
        let ast = self.ast();
        let holds =
            |decl: &Decl| decl.body.is_some() && decl.span.start <= own.start && own.end <= decl.span.end;
        let decl = ast.items.iter().map(|&id| &ast.decls[id]).find(|decl| holds(decl));
        decl.filter(|_| !found.body.block).map_or(own, |decl| decl.span)
    }

    pub fn scoped(&self) -> Option<Scoped<'a>> {
        let unit = unit(self.reading.db, self.reading.root, self.reading.settings);
        scoped_at(self.reading.db, unit, &self.placed.chunk, self.placed.first)
    }

    pub fn typed(&self, body: BodyLookup) -> Option<SharedTypedBody> {
        typed_body(self.reading.db, self.scoped()?, body.number)
    }

    /// Returns the key by which calls refer to the function of a body.
    pub fn key(&self, body: BodyLookup) -> Option<FunctionKey> {
        typed(self.reading.db, self.scoped()?).keys.get(body.number).copied()
    }

    /// Returns the convergent calls of a body.
    pub fn operations(&self, body: BodyLookup) -> ConvergentCalls<'a> {
        let targets = self.scoped().map(|scoped| targets(self.reading.db, scoped, body.number));
        ConvergentCalls { convergent: self.reading.convergent(), targets: targets.unwrap_or_default() }
    }

    /// Returns the identity of a function. None if the unit does not contain this definition.
    pub fn function_id(&self, body: BodyLookup) -> Option<FunctionId<'a>> {
        let known = functions(self.reading.db, self.reading.root, self.reading.settings);
        let at = known.of_body(self.placed.item, u32::try_from(body.number).ok()?)?;
        Some(known.get(at).id)
    }

    /// Whether, for all callers, all threads of a work-group reach the branches on a condition together and take the
    /// same path there.
    pub fn agree(&self, body: BodyLookup, condition: Span) -> bool {
        let Some(id) = self.function_id(body) else { return false };
        let db = self.reading.db;
        let agreed = self.analysed(body, |analysis| {
            let inside = |span: Span| condition.start <= span.start && span.end <= condition.end;
            let blocks = analysis.function.blocks.iter_enumerated();
            let mut branches = blocks
                .filter(|(id, block)| is_branch(analysis.function, *id) && inside(block.end))
                .map(|(id, _)| id)
                .peekable();
            let same = |fact: Fact| passed(db, id).is_uniform(fact, Scope::Workgroup);
            branches.peek().is_some()
                && branches.all(|id| same(analysis.state.control[id]) && same(analysis.state.branches[id]))
        });
        agreed.unwrap_or(false)
    }

    /// Runs a closure on the analysis of a function. None if the function has no facts.
    pub fn analysed<R>(&self, body: BodyLookup, run: impl FnOnce(&Analysis) -> R) -> Option<R> {
        let kept = kept(self.reading.db, self.function_id(body)?).as_ref()?;
        Some(kept.explain(self.reading.db, self.reading.settings, run))
    }

    pub fn locate(&self, span: Span) -> TextRange {
        self.placed.locator(self.reading.db).locate(span).at
    }

    /// Returns the bytes of a span. None if it is in another file.
    pub fn bytes(&self, span: Span) -> Option<Range<usize>> {
        let at = self.locate(span);
        (at.file == self.reading.file).then_some(at.range)
    }

    /// Returns the bytes of a span. None if it is empty, or one of its tokens is in another file or comes from a macro.
    pub fn plain(&self, span: Span) -> Option<Range<usize>> {
        let locator = self.placed.locator(self.reading.db);
        let written = |token| {
            let located = locator.locate(Span::new(token, token + 1));
            located.macros.is_empty() && located.at.file == self.reading.file
        };
        if span.start >= span.end || !(span.start..span.end).all(written) {
            return None;
        }
        self.bytes(span)
    }

    /// The same for the first token of a span.
    pub fn plain_start(&self, span: Span) -> Option<Range<usize>> {
        self.plain(Span::new(span.start, span.start + 1))
    }

    /// The same for the last token of a span.
    pub fn plain_end(&self, span: Span) -> Option<Range<usize>> {
        self.plain(Span::new(span.end.checked_sub(1)?, span.end))
    }

    /// Returns the tokens of a span as one line of text.
    pub fn text(&self, span: Span) -> String {
        let tokens = self.placed.item.tokens(self.reading.db).0.tokens();
        let end = (span.end as usize).min(tokens.len());
        spelled(&tokens[(span.start as usize).min(end)..end])
    }

    /// Returns the condition of a statement, if it has one.
    pub fn condition(&self, body: &Body, stmt: StmtId) -> Option<Span> {
        let ast = self.ast();
        let condition = match ast.stmts[body.stmts[stmt].syntax].kind {
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

/// The convergent calls of a body.
pub struct ConvergentCalls<'a> {
    convergent: &'a Convergent,
    targets: Targets,
}

impl ConvergentCalls<'_> {
    /// Returns the callee of a call if the call is convergent.
    pub fn call(&self, call: CallId) -> Option<ConvergentCallee> {
        self.convergent.call(*self.targets.get(call)?)
    }
}
