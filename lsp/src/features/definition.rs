//! Where names are declared and used: definition, references, highlight, rename.

use std::collections::HashMap;

use tangle::hir::resolve::{Role, Target, references};
use tangle::preprocess::{FileId, Part};
use tangle::source::SourceFile;
use tangle::syntax::find::{Placed, all_items, token_at};
use tangle::syntax::{TextRange, chunks, spans, tokens, unit};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{
    DocumentHighlight, DocumentHighlightKind, Location, Position, PrepareRenameResponse, TextEdit,
    WorkspaceEdit,
};

use super::at::{At, ItemAt};
use crate::snapshot::View;

/// Where the name at a position is defined; where it is declared, if nothing defines it.
pub fn definition(view: &View, position: Position) -> Option<Vec<Location>> {
    if let Some(file) = included(view, position) {
        return Some(view.snapshot.location(&TextRange { file, range: 0..0 }).into_iter().collect());
    }
    let at = At::find(*view, position);
    if let Some(at) = &at {
        let file = view.file.id(view.db);
        if let Some(expansion) = at.item.placed.expansion_at(file, at.file_token) {
            return Some(place_of(view, expansion.definition).into_iter().collect());
        }
        if let Some(reference) = at.reference() {
            let mut found = occurrences(at, reference.target);
            let best = found.iter().map(|found| found.role).find(|role| *role == Role::Definition);
            let wanted = best.unwrap_or(Role::Declaration);
            found.retain(|found| found.role == wanted);
            return Some(found.iter().filter_map(|found| view.snapshot.location(&found.at)).collect());
        }
    }
    let token = token_at(view.db, view.file, view.offset(position))?;
    let name = tokens(view.db, view.file).tokens.get(token as usize)?.text;
    Some(place_of(view, define_of(*view, name)?).into_iter().collect())
}

fn place_of(view: &View, (file, token): (FileId, u32)) -> Option<Location> {
    let file = tangle::db::Db::source(view.db, file);
    let range = spans(view.db, file).get(token);
    view.snapshot.location(&TextRange { file, range })
}

/// The file that an `#include` at a position leads to.
fn included(view: &View, position: Position) -> Option<SourceFile> {
    let token = token_at(view.db, view.file, view.offset(position))?;
    let lexed = tokens(view.db, view.file);
    let directive = lexed.directives.iter().rev().find(|&&hash| hash <= token)?;
    let word = lexed.tokens.get(*directive as usize + 1)?;
    let (name, rest) = (lexed.tokens.get(token as usize)?, token - directive);
    if !matches!(word.text.as_str(), "include" | "include_next" | "import")
        || rest > 2
        || name.kind != TokenKind::String
    {
        return None;
    }
    let name = name.text.as_str();
    let ending = name.trim_matches(['"', '<', '>']);
    let files = &unit(view.db, view.root, view.analysis.settings).0.files;
    let files = files.iter().map(|&id| tangle::db::Db::source(view.db, id));
    files.filter(|file| *file != view.file).find(|file| {
        let path = file.path(view.db);
        path.strip_suffix(ending).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    })
}

/// The last `#define` of a name in the files of the unit, whatever conditions are around it.
pub fn define_of(view: View, name: Symbol) -> Option<(FileId, u32)> {
    let files = &unit(view.db, view.root, view.analysis.settings).0.files;
    files.iter().rev().find_map(|&id| {
        let lexed = tokens(view.db, tangle::db::Db::source(view.db, id));
        lexed.directives.iter().rev().find_map(|&hash| {
            let word = lexed.tokens.get(hash as usize + 1)?;
            let token = lexed.tokens.get(hash as usize + 2)?;
            (word.text.as_str() == "define" && token.text == name).then_some((id, hash + 2))
        })
    })
}

/// A place where a name is written.
pub struct Occurrence {
    pub at: TextRange,
    pub role: Role,
    /// It is written in the text as it is, and did not come through a macro.
    pub written: bool,
}

/// All places in the unit where names have this target.
pub fn occurrences(at: &At, target: Target) -> Vec<Occurrence> {
    let view = at.view;
    let mut found = Vec::new();
    let local = matches!(target, Target::Local(_) | Target::Label(..));
    let mut add = |placed: &Placed| {
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

fn symbol_of(target: Target) -> Option<Symbol> {
    match target {
        Target::File(name) | Target::Tag(name) | Target::Label(name, _) | Target::Member(name) => Some(name),
        Target::Local(_) => None,
    }
}

/// The uses of a macro, and its definition.
fn macro_occurrences(view: &View, definition: (FileId, u32)) -> Vec<TextRange> {
    let mut places = vec![definition];
    for chunk in chunks(unit(view.db, view.root, view.analysis.settings)) {
        let uses = chunk.expansions.iter().filter(|expansion| expansion.definition == definition);
        places.extend(uses.map(|expansion| (expansion.call.file, expansion.call.token)));
    }
    places.sort_unstable();
    places.dedup();
    let place = |(file, token): (FileId, u32)| {
        let file = tangle::db::Db::source(view.db, file);
        TextRange { file, range: spans(view.db, file).get(token) }
    };
    places.into_iter().map(place).collect()
}

pub fn references_to(view: &View, position: Position, declarations: bool) -> Option<Vec<Location>> {
    let at = At::find(*view, position)?;
    if let Some(expansion) = at.item.placed.expansion_at(view.file.id(view.db), at.file_token) {
        let places = macro_occurrences(view, expansion.definition);
        return Some(places.iter().filter_map(|place| view.snapshot.location(place)).collect());
    }
    let found = occurrences(&at, at.reference()?.target);
    let wanted = found.iter().filter(|found| declarations || matches!(found.role, Role::Use | Role::Call));
    Some(wanted.filter_map(|found| view.snapshot.location(&found.at)).collect())
}

/// On a name: the same name. Elsewhere in a function: every statement that the same tangles execute.
pub fn highlight(view: &View, position: Position) -> Option<Vec<DocumentHighlight>> {
    let at = At::find(*view, position)?;
    if let Some(reference) = at.reference() {
        let found = occurrences(&at, reference.target);
        let here = found.iter().filter(|found| found.at.file == view.file);
        let mark = |found: &Occurrence| DocumentHighlight {
            range: view.range(&found.at.range),
            kind: Some(match found.role {
                Role::Definition | Role::Declaration => DocumentHighlightKind::WRITE,
                Role::Use | Role::Call => DocumentHighlightKind::READ,
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

/// The tokens of a statement before the first statement inside it; all of them, if it holds none.
fn head(
    item: &ItemAt,
    span: Span,
    stmts: &index_vec::IndexVec<tangle::hir::body::StmtId, tangle::hir::body::Stmt>,
    stmt: &tangle::hir::body::Stmt,
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

pub fn prepare_rename(view: &View, position: Position) -> Option<PrepareRenameResponse> {
    let at = At::find(*view, position)?;
    renamed(&at).ok()?;
    Some(PrepareRenameResponse::Range(at.range()))
}

/// The places that change if the name at a position does, or why it cannot.
fn renamed(at: &At) -> std::result::Result<Vec<Occurrence>, String> {
    let no = |why: &str| Err(why.to_owned());
    let view = at.view;
    if at.item.placed.expansion_at(view.file.id(view.db), at.file_token).is_some() {
        return no("macros cannot be renamed here");
    }
    let Some(reference) = at.reference() else { return no("no name stands here") };
    if matches!(reference.target, Target::Member(_)) {
        return no("members cannot be renamed: other records may have one of the same name");
    }
    let found = occurrences(at, reference.target);
    if !found.iter().any(|found| matches!(found.role, Role::Definition | Role::Declaration)) {
        return no("nothing here declares this name");
    }
    if found.iter().any(|found| !found.written) {
        return no("the name also comes out of a macro");
    }
    Ok(found)
}

pub fn rename(view: &View, position: Position, name: &str) -> Option<Result<WorkspaceEdit>> {
    let at = At::find(*view, position)?;
    let symbol = Symbol::intern(name);
    let word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && TokenKind::of_name(symbol) == TokenKind::Identifier;
    if !word {
        return Some(Err(Error::invalid_params(format!("`{name}` cannot be a name"))));
    }
    let found = match renamed(&at) {
        Ok(found) => found,
        Err(why) => return Some(Err(Error::invalid_params(why))),
    };
    if let Some(clash) = clash(&at, &found, symbol) {
        return Some(Err(Error::invalid_params(clash)));
    }
    let mut changes: HashMap<_, Vec<TextEdit>> = HashMap::new();
    for found in found {
        let location = view.snapshot.location(&found.at)?;
        changes
            .entry(location.uri)
            .or_default()
            .push(TextEdit { range: location.range, new_text: name.to_owned() });
    }
    Some(Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// Whether the new name already means something where the old one stands.
fn clash(at: &At, found: &[Occurrence], name: Symbol) -> Option<String> {
    let view = at.view;
    let unit = unit(view.db, view.root, view.analysis.settings);
    let taken = |tokens: &[tangle_grammar::token::Token]| tokens.iter().any(|token| token.text == name);
    let is_macro =
        chunks(unit).iter().any(|chunk| chunk.expansions.iter().any(|expansion| expansion.name == name));
    let uses = found.iter().map(|found| found.at.file.id(view.db)).collect::<Vec<_>>();
    // Careful rather than clever: the name must not occur in any item that has to change.
    let occurs = chunks(unit).iter().filter(|chunk| uses.contains(&chunk.file)).any(|chunk| {
        chunk.parts.iter().any(|part| match part {
            Part::Item { tokens, origins } => {
                taken(tokens.tokens())
                    && found.iter().any(|found| holds(view, chunk, origins.clone(), &found.at))
            }
            Part::Include(_) => false,
        })
    });
    (is_macro || occurs).then(|| format!("`{name}` means something here already"))
}

/// Whether a place is written among some tokens of a chunk.
fn holds(
    view: View,
    chunk: &tangle::preprocess::Chunk,
    origins: std::ops::Range<u32>,
    at: &TextRange,
) -> bool {
    let id = at.file.id(view.db);
    let spans = spans(view.db, at.file);
    let Some(token) = spans.token_at(at.range.start) else { return false };
    let origins = &chunk.origins[origins.start as usize..origins.end as usize];
    origins.iter().any(|origin| origin.file == id && origin.token == token)
}
