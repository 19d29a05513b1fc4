//! Renames a declared name: all its occurrences, or none.
//!
//! A rename that changes the program, or misses an occurrence, is refused. This concerns names in macros, inactive
//! `#if` branches and host code, declarations in a header that other files can include, and new names that are already
//! in use.

use std::collections::HashMap;
use std::sync::Arc;

use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_hir::resolve::{Entity, ReferenceKind, references};
use tangle_syntax::items::find::{all_items, item_at};
use tangle_syntax::items::{chunks, spans, tokens, unit};
use thiserror::Error;
use tower_lsp::jsonrpc;
use tower_lsp::lsp_types::{Position, PrepareRenameResponse, TextEdit, WorkspaceEdit};

use super::definition::{Occurrence, define_of, occurrences};
use super::position::TokenAt;
use crate::snapshot::View;

/// The reason why a name cannot be renamed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum RenameError {
    /// There is no token at the position.
    #[error("nothing at this position can be renamed")]
    Nothing,
    #[error("there is no name at this position")]
    NoName,
    #[error("macros cannot be renamed")]
    Macro,
    #[error("members cannot be renamed: another struct or union can have a member with this name")]
    Member,
    #[error("no declaration of this name was found")]
    NoDeclaration,
    /// An occurrence of the name comes from a macro.
    #[error("a macro also expands to this name")]
    InExpansion,
    /// Another file of the unit contains an occurrence of the name.
    #[error("`{0}` also contains this name, and other files may include it")]
    InOtherFile(Arc<str>),
    /// An occurrence outside the analysed text.
    #[error("line {line} uses this name in a directive or in an inactive `#if` branch")]
    NotAnalysed { line: usize },
    /// The same in a file that also has host code.
    #[error("line {line} uses this name in host code, in a directive, or in an inactive `#if` branch")]
    NotAnalysedOrHost { line: usize },
    /// The new name is not an identifier of the language.
    #[error("`{0}` cannot be used as a name")]
    InvalidName(String),
    #[error("`{0}` is already a macro")]
    IsMacro(Symbol),
    #[error("`{0}` is already a builtin function")]
    IsBuiltin(Symbol),
    #[error("`{0}` is already in use")]
    InUse(Symbol),
}

impl From<RenameError> for jsonrpc::Error {
    fn from(error: RenameError) -> jsonrpc::Error {
        jsonrpc::Error::invalid_params(error.to_string())
    }
}

pub fn prepare_rename(view: &View, position: Position) -> Option<PrepareRenameResponse> {
    let at = TokenAt::find(*view, position)?;
    occurrences_to_rename(&at).ok()?;
    Some(PrepareRenameResponse::Range(at.range()))
}

/// Returns the occurrences of the name at a position, or the reason why it cannot be renamed.
fn occurrences_to_rename(at: &TokenAt) -> Result<Vec<Occurrence>, RenameError> {
    let view = at.view;
    if at.item.placed.expansion_at(view.file.id(view.db), at.file_token).is_some() {
        return Err(RenameError::Macro);
    }
    let reference = at.reference().ok_or(RenameError::NoName)?;
    if matches!(reference.target, Entity::Member(_)) {
        return Err(RenameError::Member);
    }
    let found = occurrences(at, reference.target);
    let declares =
        |found: &&Occurrence| matches!(found.role, ReferenceKind::Definition | ReferenceKind::Declaration);
    let declared = found.iter().find(declares).ok_or(RenameError::NoDeclaration)?;
    if found.iter().any(|found| !found.written) {
        return Err(RenameError::InExpansion);
    }
    let local = matches!(reference.target, Entity::Local(_) | Entity::Label(..));
    if let Some(other) = found.iter().find(|found| !local && found.at.file != view.root) {
        return Err(RenameError::InOtherFile(other.at.file.path(view.db).clone()));
    }
    if let Some(line) = unanalysed_occurrence(at, declared, &found, local) {
        return Err(match view.has_host_code() {
            true => RenameError::NotAnalysedOrHost { line },
            false => RenameError::NotAnalysed { line },
        });
    }
    Ok(found)
}

/// Returns the line of an occurrence outside the analysed text: in a directive, in host code, or in an inactive `#if`
/// branch. For a local name, only its function is searched.
fn unanalysed_occurrence(
    at: &TokenAt,
    declared: &Occurrence,
    found: &[Occurrence],
    local: bool,
) -> Option<usize> {
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

pub fn rename(view: &View, position: Position, name: &str) -> Option<jsonrpc::Result<WorkspaceEdit>> {
    let Some(at) = TokenAt::find(*view, position) else { return Some(Err(RenameError::Nothing.into())) };
    let symbol = Symbol::intern(name);
    let dialect = view.analysis.settings.dialect(view.db);
    let word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && dialect.lexicon().kind(symbol) == TokenKind::Identifier
        && dialect.types().get(symbol).is_none();
    if !word {
        return Some(Err(RenameError::InvalidName(name.to_owned()).into()));
    }
    let found = match occurrences_to_rename(&at) {
        Ok(found) => found,
        Err(error) => return Some(Err(error.into())),
    };
    if let Some(clash) = conflict(&at, at.reference()?.target, symbol) {
        return Some(Err(clash.into()));
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

/// Returns the reason why the new name cannot replace the old one, or `None` if it can.
fn conflict(at: &TokenAt, target: Entity, name: Symbol) -> Option<RenameError> {
    let view = at.view;
    let unit = unit(view.db, view.root, view.analysis.settings);
    let expanded = || chunks(unit).iter().any(|chunk| chunk.expansions.iter().any(|it| it.name == name));
    if define_of(view, name).is_some() || expanded() {
        return Some(RenameError::IsMacro(name));
    }
    let file_scope = !matches!(target, Entity::Local(_) | Entity::Label(..));
    let settings = view.analysis.settings;
    let of_language = || settings.dialect(view.db).signatures().has(name);
    if file_scope && (of_language() || settings.builtins(view.db).get(name).is_some()) {
        return Some(RenameError::IsBuiltin(name));
    }
    // Conservative: the new name must not occur in any item that changes, nor be declared at file scope.
    let old = at.item.placed.item.tokens(view.db).0.tokens().get(at.token as usize)?.text;
    let taken = all_items(view.db, unit).into_iter().any(|placed| {
        let has =
            |text: Symbol| placed.item.tokens(view.db).0.tokens().iter().any(|token| token.text == text);
        let changes = placed.item == at.item.placed.item || (file_scope && has(old));
        let declares = || {
            let all = references(view.db, placed.item).0.iter();
            file_scope && all.into_iter().any(|it| matches!(it.target, Entity::File(known) if known == name))
        };
        has(name) && (changes || declares())
    });
    taken.then_some(RenameError::InUse(name))
}
