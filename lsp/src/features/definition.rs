//! The places where names are declared and used: definition, references, highlight.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_hir::resolve::{Entity, ReferenceKind, references};
use tangle_syntax::items::find::{ItemOccurrence, all_items, token_at};
use tangle_syntax::items::{TextRange, chunks, spans, tokens, unit};
use tangle_syntax::preprocess::FileId;
use tangle_syntax::source::SourceFile;
use tower_lsp::lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

use super::position::{ItemAt, TokenAt};
use crate::includes::Includes;
use crate::snapshot::View;

/// Returns the definition of the name at a position, or its declarations if there is no definition.
pub fn definition(view: &View, position: Position) -> Option<Vec<Location>> {
    if let Some(file) = included(view, position) {
        return Some(view.snapshot.location(&TextRange { file, range: 0..0 }).into_iter().collect());
    }
    let at = TokenAt::find(*view, position);
    if let Some(at) = &at {
        let file = view.file.id(view.db);
        if let Some(expansion) = at.item.placed.expansion_at(file, at.file_token) {
            return Some(place_of(view, expansion.definition).into_iter().collect());
        }
        if let Some(reference) = at.reference() {
            let mut found = occurrences(at, reference.target);
            let best = found.iter().map(|found| found.role).find(|role| *role == ReferenceKind::Definition);
            let wanted = best.unwrap_or(ReferenceKind::Declaration);
            found.retain(|found| found.role == wanted);
            return Some(found.iter().filter_map(|found| view.snapshot.location(&found.at)).collect());
        }
    }
    let token = token_at(view.db, view.file, view.offset(position))?;
    let name = tokens(view.db, view.file).tokens.get(token as usize)?.text;
    Some(place_of(view, define_of(*view, name)?).into_iter().collect())
}

fn place_of(view: &View, (file, token): (FileId, u32)) -> Option<Location> {
    let file = tangle_syntax::db::Db::source(view.db, file);
    let range = spans(view.db, file).get(token);
    view.snapshot.location(&TextRange { file, range })
}

/// Returns the file of the `#include` at a position.
pub fn included(view: &View, position: Position) -> Option<SourceFile> {
    let token = token_at(view.db, view.file, view.offset(position))?;
    let lexed = tokens(view.db, view.file);
    let hash = *lexed.directives.iter().rev().find(|&&hash| hash <= token)?;
    if token > hash + 2 {
        return None;
    }
    Includes::of(view).file(view.file, hash).filter(|&file| file != view.file)
}

/// Returns the last `#define` of a name in the files of the unit, even in an inactive branch.
pub fn define_of(view: View, name: Symbol) -> Option<(FileId, u32)> {
    let files = &unit(view.db, view.root, view.analysis.settings).0.files;
    files.iter().rev().find_map(|&id| {
        let lexed = tokens(view.db, tangle_syntax::db::Db::source(view.db, id));
        lexed.directives.iter().rev().find_map(|&hash| {
            let word = lexed.tokens.get(hash as usize + 1)?;
            let token = lexed.tokens.get(hash as usize + 2)?;
            (word.text.as_str() == "define" && token.text == name).then_some((id, hash + 2))
        })
    })
}

/// An occurrence of a name in a text.
pub struct Occurrence {
    pub at: TextRange,
    pub role: ReferenceKind,
    /// Whether the name is in the text itself, and not from a macro.
    pub written: bool,
}

/// Returns all places in the unit where a name has this target.
pub fn occurrences(at: &TokenAt, target: Entity) -> Vec<Occurrence> {
    let view = at.view;
    let mut found = Vec::new();
    let local = matches!(target, Entity::Local(_) | Entity::Label(..));
    let mut add = |placed: &ItemOccurrence| {
        let locator = placed.locator(view.db);
        for reference in &references(view.db, placed.item).0 {
            if reference.target == target {
                let located = locator.locate(reference.name.span);
                found.push(Occurrence {
                    at: located.at,
                    role: reference.role,
                    written: located.macros.is_empty(),
                });
            }
        }
    };
    match local {
        true => add(&at.item.placed),
        false => {
            let symbol = symbol_of(target);
            let unit = unit(view.db, view.root, view.analysis.settings);
            for placed in all_items(view.db, unit) {
                let tokens = placed.item.tokens(view.db).0.tokens();
                if tokens.iter().any(|token| Some(token.text) == symbol) {
                    add(&placed);
                }
            }
        }
    }
    let key = |found: &Occurrence| (found.at.file.path(view.db).clone(), found.at.range.start);
    found.sort_by_key(key);
    found.dedup_by_key(|found| key(found));
    found
}

fn symbol_of(target: Entity) -> Option<Symbol> {
    match target {
        Entity::File(name) | Entity::Tag(name) | Entity::Label(name, _) | Entity::Member(name) => Some(name),
        Entity::Local(_) => None,
    }
}

/// Returns the uses of a macro, and its definition.
fn macro_occurrences(view: &View, definition: (FileId, u32)) -> Vec<TextRange> {
    let mut places = vec![definition];
    for chunk in chunks(unit(view.db, view.root, view.analysis.settings)) {
        // A use inside another macro's body has its place there, whatever its expansion.
        let uses = chunk.expansions.iter().filter(|expansion| expansion.definition == definition);
        places.extend(uses.map(|expansion| (expansion.call.file, expansion.call.token)));
    }
    places.sort_unstable();
    places.dedup();
    let place = |(file, token): (FileId, u32)| {
        let file = tangle_syntax::db::Db::source(view.db, file);
        TextRange { file, range: spans(view.db, file).get(token) }
    };
    places.into_iter().map(place).collect()
}

/// Returns the definition of the macro that is used at a position, or that a directive names there.
fn macro_at(view: &View, position: Position, at: Option<&TokenAt>) -> Option<(FileId, u32)> {
    match at {
        Some(at) => {
            let expansion = at.item.placed.expansion_at(view.file.id(view.db), at.file_token);
            expansion.map(|expansion| expansion.definition)
        }
        None => {
            let token = token_at(view.db, view.file, view.offset(position))?;
            define_of(*view, tokens(view.db, view.file).tokens.get(token as usize)?.text)
        }
    }
}

pub fn references_to(view: &View, position: Position, declarations: bool) -> Option<Vec<Location>> {
    let at = TokenAt::find(*view, position);
    if let Some(definition) = macro_at(view, position, at.as_ref()) {
        let mut places = macro_occurrences(view, definition);
        let (file, defined) = (tangle_syntax::db::Db::source(view.db, definition.0), definition.1);
        let defined = spans(view.db, file).get(defined);
        places.retain(|place| declarations || place.file != file || place.range != defined);
        return Some(places.iter().filter_map(|place| view.snapshot.location(place)).collect());
    }
    let at = at?;
    let found = occurrences(&at, at.reference()?.target);
    let wanted = found
        .iter()
        .filter(|found| declarations || matches!(found.role, ReferenceKind::Use | ReferenceKind::Call));
    Some(wanted.filter_map(|found| view.snapshot.location(&found.at)).collect())
}

/// On a name, highlights all occurrences of the name. Elsewhere in a function, highlights every statement with the same
/// tangles.
pub fn highlight(view: &View, position: Position) -> Option<Vec<DocumentHighlight>> {
    let at = TokenAt::find(*view, position);
    if let Some(definition) = macro_at(view, position, at.as_ref()) {
        let places = macro_occurrences(view, definition);
        let here = places.iter().filter(|place| place.file == view.file);
        let mark = |place: &TextRange| DocumentHighlight {
            range: view.range(&place.range),
            kind: Some(DocumentHighlightKind::TEXT),
        };
        return Some(here.map(mark).collect());
    }
    let at = at?;
    if let Some(reference) = at.reference() {
        let found = occurrences(&at, reference.target);
        let here = found.iter().filter(|found| found.at.file == view.file);
        let mark = |found: &Occurrence| DocumentHighlight {
            range: view.range(&found.at.range),
            kind: Some(match found.role {
                ReferenceKind::Definition | ReferenceKind::Declaration => DocumentHighlightKind::WRITE,
                ReferenceKind::Use | ReferenceKind::Call => DocumentHighlightKind::READ,
            }),
        };
        return Some(here.map(mark).collect());
    }
    let body = at.body()?;
    let facts = &body.tangles.stmts[at.stmt(body)?];
    if facts.candidates.is_empty() {
        return None;
    }
    let alike = body
        .body
        .stmts
        .iter_enumerated()
        .filter(|(id, _)| body.tangles.stmts[*id].candidates == facts.candidates);
    let heads = alike.filter_map(|(_, stmt)| head(&at.item, stmt.span, &body.body.stmts, stmt));
    Some(heads.map(|range| DocumentHighlight { range, kind: Some(DocumentHighlightKind::TEXT) }).collect())
}

/// Returns the range of a statement before its first substatement, or the whole range if it has none.
fn head(
    item: &ItemAt,
    span: Span,
    stmts: &index_vec::IndexVec<tangle_hir::body::StmtId, tangle_hir::body::Stmt>,
    stmt: &tangle_hir::body::Stmt,
) -> Option<tower_lsp::lsp_types::Range> {
    let inside = stmts.iter().filter(|other| {
        other.span != span
            && span.start <= other.span.start
            && other.span.end <= span.end
            && other.syntax != stmt.syntax
    });
    let end = inside.map(|other| other.span.start).min().unwrap_or(span.end).max(span.start + 1);
    item.range(Span::new(span.start, end))
}
