//! A new name for what is declared in a document: in all places, or not at all.
//!
//! Refused is what would change the program, or leave a part of it behind: names that come out of macros or stand where the preprocessor
//! leaves text out or the host has its code, what a header declares for everybody who includes it, and new names that mean something already.

use std::collections::HashMap;

use tangle::hir::resolve::{Role, Target, references};
use tangle::syntax::find::{all_items, item_at};
use tangle::syntax::{chunks, spans, tokens, unit};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{Position, PrepareRenameResponse, TextEdit, WorkspaceEdit};

use super::at::At;
use super::definition::{Occurrence, define_of, occurrences};
use crate::snapshot::View;

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
    let declares = |found: &&Occurrence| matches!(found.role, Role::Definition | Role::Declaration);
    let Some(declared) = found.iter().find(declares) else { return no("nothing here declares this name") };
    if found.iter().any(|found| !found.written) {
        return no("the name also comes out of a macro");
    }
    let local = matches!(reference.target, Target::Local(_) | Target::Label(..));
    if let Some(other) = found.iter().find(|found| !local && found.at.file != view.root) {
        let path = other.at.file.path(view.db);
        return Err(format!("`{path}` has this name, too, and other files may include it"));
    }
    if let Some(line) = left_out(at, declared, &found, local) {
        return Err(match view.has_host() {
            true => format!(
                "line {line} has this name in code of the host, in a macro, or where the preprocessor leaves it out"
            ),
            false => format!("line {line} has this name where the preprocessor leaves it out, or in a macro"),
        });
    }
    Ok(found)
}

/// The line of the name where it is no part of what is analysed: in a directive, in code of the host, or where a condition leaves it
/// out. Of a local name the function matters.
fn left_out(at: &At, declared: &Occurrence, found: &[Occurrence], local: bool) -> Option<usize> {
    let view = at.view;
    let unit = unit(view.db, view.root, view.analysis.settings);
    let file = declared.at.file;
    let (lexed, spans) = (tokens(view.db, file), spans(view.db, file));
    let name = lexed.tokens.get(spans.token_at(declared.at.range.start)? as usize)?.text;
    let around = at.body().filter(|_| local).map(|body| at.item.locate(at.item.extent(body)));
    let about = |start: usize| around.as_ref().is_none_or(|around| around.range.contains(&start));
    let same = (0u32..).zip(&*lexed.tokens).filter(|(_, token)| token.text == name);
    let other = same.map(|(number, _)| (number, spans.get(number).start)).find(|&(number, start)| {
        about(start)
            && !found.iter().any(|found| found.at.file == file && found.at.range.start == start)
            && item_at(view.db, unit, file.id(view.db), number)
                .is_none_or(|placed| placed.tokens_from(file.id(view.db), number).is_empty())
    });
    other.map(|(_, start)| view.snapshot.text(file).position(start).line)
}

pub fn rename(view: &View, position: Position, name: &str) -> Option<Result<WorkspaceEdit>> {
    let Some(at) = At::find(*view, position) else {
        return Some(Err(Error::invalid_params("no name stands here that can be another")));
    };
    let symbol = Symbol::intern(name);
    let dialect = view.analysis.settings.dialect(view.db);
    let word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && dialect.words().kind(symbol) == TokenKind::Identifier
        && dialect.types().get(symbol).is_none();
    if !word {
        return Some(Err(Error::invalid_params(format!("`{name}` cannot be a name"))));
    }
    let found = match renamed(&at) {
        Ok(found) => found,
        Err(why) => return Some(Err(Error::invalid_params(why))),
    };
    if let Some(clash) = clash(&at, at.reference()?.target, symbol) {
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
fn clash(at: &At, target: Target, name: Symbol) -> Option<String> {
    let view = at.view;
    let unit = unit(view.db, view.root, view.analysis.settings);
    let means = |what: &str| Some(format!("`{name}` means something here already: {what}"));
    let expanded = || chunks(unit).iter().any(|chunk| chunk.expansions.iter().any(|it| it.name == name));
    if define_of(view, name).is_some() || expanded() {
        return means("it is a macro");
    }
    let file_scope = !matches!(target, Target::Local(_) | Target::Label(..));
    let settings = view.analysis.settings;
    let of_language = || settings.dialect(view.db).signatures().has(name);
    if file_scope && (of_language() || settings.builtins(view.db).get(name).is_some()) {
        return means("it is a builtin function");
    }
    // Careful rather than clever: the name must not occur in any item that has to change, nor name anything that all may see.
    let old = at.item.placed.item.tokens(view.db).0.tokens().get(at.token as usize)?.text;
    let taken = all_items(view.db, unit).into_iter().any(|placed| {
        let has =
            |text: Symbol| placed.item.tokens(view.db).0.tokens().iter().any(|token| token.text == text);
        let changes = placed.item == at.item.placed.item || (file_scope && has(old));
        let declares = || {
            let all = references(view.db, placed.item).0.iter();
            file_scope && all.into_iter().any(|it| matches!(it.target, Target::File(known) if known == name))
        };
        has(name) && (changes || declares())
    });
    if taken { means("it is used") } else { None }
}
