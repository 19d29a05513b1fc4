//! Completion: locals, declarations of the file, members and swizzles, builtins with their documentation, keywords.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use serde_json::json;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_hir::body::{Body, StmtKind};
use tangle_hir::def::overload;
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_hir::types::Ty;
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::{chunks, spans, tokens, unit};
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, Documentation, MarkupContent, MarkupKind,
    Position,
};

use super::chain::{self, Chain};
use super::position::{ItemAt, TokenAt};
use super::{names, text_kind};
use crate::snapshot::View;

pub fn completion(view: &View, position: Position) -> Option<CompletionResponse> {
    let offset = view.offset(position);
    // No completion in comments, literals and numbers. Other servers complete host code.
    if !text_kind::is_code(view, offset) || text_kind::is_host_code(view, offset) {
        return None;
    }
    let items = match member_of(view, offset) {
        Some(base) => members(view, base),
        None => names_in_scope(view, offset),
    };
    Some(CompletionResponse::Array(items.into_values().collect()))
}

type Items = BTreeMap<String, CompletionItem>;

fn add(items: &mut Items, label: &str, kind: CompletionItemKind, detail: Option<String>, order: &str) {
    items.entry(label.to_owned()).or_insert_with(|| CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail,
        sort_text: Some(format!("{order}{label}")),
        ..CompletionItem::default()
    });
}

/// Returns the token before `.` or `->`, if the cursor is directly after it or after a name that follows it.
fn member_of(view: &View, offset: usize) -> Option<u32> {
    let spans = spans(view.db, view.file);
    let lexed = tokens(view.db, view.file);
    let mut at = spans.token_at(offset.checked_sub(1)?)?;
    let spelling = |at: u32| lexed.tokens.get(at as usize).map_or("", |token| token.spelling());
    if spelling(at).starts_with(|c: char| c.is_alphabetic() || c == '_') {
        at = at.checked_sub(1)?;
    }
    matches!(spelling(at), "." | "->").then(|| at.checked_sub(1)).flatten()
}

/// Returns the members of the expression that ends with a token, or the lanes of a vector.
fn members(view: &View, base: u32) -> Items {
    let mut items = Items::new();
    let Some(chain) = Chain::at(view, base) else { return items };
    let Some(ty) = chain.ends_with(base).map(chain::target) else { return items };
    if let Some((element, lanes)) = ty.as_vector() {
        swizzles(element, lanes, &mut items);
    }
    for field in chain.definition(ty).iter().flat_map(|definition| &definition.fields) {
        if let Some(name) = field.name {
            add(&mut items, name.as_str(), CompletionItemKind::FIELD, Some(field.ty.to_string()), "0");
        }
    }
    items
}

/// Adds each lane by letter and by number, sequences of letters, and halves.
fn swizzles(element: Ty, lanes: u8, items: &mut Items) {
    let mut lane = |name: &str, count: u8, order: &str| {
        let detail = Ty::vector(element, count).to_string();
        add(items, name, CompletionItemKind::FIELD, Some(detail), order);
    };
    let letters = &"xyzw"[..usize::from(lanes.min(4))];
    for from in 0..letters.len() {
        for to in from + 1..=letters.len() {
            // A vector has one, two, three, four, eight or sixteen lanes.
            lane(&letters[from..to], (to - from) as u8, "0");
        }
    }
    (0..lanes).for_each(|number| lane(&format!("s{number:x}"), 1, "1"));
    ["lo", "hi", "even", "odd"].iter().for_each(|name| lane(name, lanes.div_ceil(2), "2"));
}

fn names_in_scope(view: &View, offset: usize) -> Items {
    let mut items = Items::new();
    // The token at the cursor can be an incomplete name: then the token before it determines the place.
    let position = view.position(offset);
    if let Some(at) = TokenAt::find(*view, position).or_else(|| before(view, offset)) {
        // A cursor after a `}` or `;` is outside the block or statement that it closes.
        let token = spans(view.db, view.file).get(at.file_token);
        let spelled = tokens(view.db, view.file).tokens.get(at.file_token as usize).map(|it| it.spelling());
        let closes = spelled.is_some_and(|spelled| matches!(spelled, "}" | ";"));
        let from = if closes && token.end <= offset { at.token + 1 } else { at.token };
        locals(&at, from, &mut items);
    }
    of_the_unit(view, &mut items);
    let dialect = view.analysis.settings.dialect(view.db);
    for name in dialect.signatures().names() {
        let detail = overload::signatures(dialect, name).first().map(|ty| ty.to_string());
        add(&mut items, name.as_str(), CompletionItemKind::FUNCTION, detail, "5");
        if let Some(item) = items.get_mut(name.as_str()) {
            // The client requests the documentation when it shows the item.
            item.data.get_or_insert_with(|| json!({ "builtin": name.as_str(), "uri": view.document.uri }));
        }
    }
    let is_keyword = |name| dialect.lexicon().kind(name) != TokenKind::Identifier;
    for name in dialect.types().names().filter(|&name| !is_keyword(name)) {
        add(&mut items, name.as_str(), CompletionItemKind::STRUCT, Some("type".into()), "6");
    }
    // Names with a leading `_` are for headers, except the keywords of device code in CUDA and HIP.
    let is_shown = |word: &Symbol| {
        let of_device = matches!(
            dialect.lexicon().kind(*word),
            TokenKind::Kernel
                | TokenKind::Device
                | TokenKind::Host
                | TokenKind::Shared
                | TokenKind::ConstantMemory
                | TokenKind::Managed
        );
        !word.as_str().starts_with('_') || view.has_host_code() && of_device
    };
    for keyword in dialect.lexicon().keywords().filter(is_shown) {
        add(&mut items, keyword.as_str(), CompletionItemKind::KEYWORD, None, "6");
    }
    items
}

fn before<'a>(view: &View<'a>, offset: usize) -> Option<TokenAt<'a>> {
    let spans = spans(view.db, view.file);
    let token = spans.token_at(offset.checked_sub(1)?)?;
    TokenAt::find(*view, view.position(spans.get(token).start))
}

/// Adds the declarations of the enclosing blocks before a place, and all labels.
fn locals(at: &TokenAt, from: u32, items: &mut Items) {
    let body = at.body();
    let typed = body.and_then(|body| at.item.typed(body));
    for reference in at.item.references() {
        let Entity::Local(span) = reference.target else { continue };
        if reference.role == ReferenceKind::Use || span.start > at.token {
            continue;
        }
        if body.is_some_and(|body| !is_seen(body.body, span.start, from)) {
            continue;
        }
        let var =
            typed.as_ref().and_then(|typed| typed.vars.iter().find(|var| var.name == Some(reference.name)));
        add(
            items,
            reference.name.text.as_str(),
            CompletionItemKind::VARIABLE,
            var.map(|var| names::in_language(at.view, var.ty).to_string()),
            "0",
        );
    }
    let labels = at
        .item
        .references()
        .iter()
        .filter(|it| matches!(it.target, Entity::Label(..)) && it.role == ReferenceKind::Definition);
    labels.for_each(|label| {
        add(items, label.name.text.as_str(), CompletionItemKind::REFERENCE, Some("label".into()), "4")
    });
}

/// Returns whether a declaration is visible at a later token: the block or loop around the declaration contains both.
fn is_seen(body: &Body, declared: u32, from: u32) -> bool {
    let holds = |span: Span, token: u32| span.start <= token && token < span.end;
    let around = body.stmts.iter().filter(|stmt| {
        let scope = matches!(stmt.kind, StmtKind::Compound(_)) || stmt.kind.is_loop();
        scope && holds(stmt.span, declared)
    });
    // A cursor at the end of a block is on its last brace, or after the block if that brace is missing.
    let innermost = around.min_by_key(|stmt| stmt.span.end - stmt.span.start);
    innermost.is_none_or(|stmt| holds(stmt.span, from) || stmt.span == body.span)
}

/// Adds the declarations of the unit at file scope, and its macros.
fn of_the_unit(view: &View, items: &mut Items) {
    let unit = unit(view.db, view.root, view.analysis.settings);
    let own = view.file.id(view.db);
    for placed in all_items(view.db, unit) {
        let order = if placed.chunk.file == own { "1" } else { "2" };
        let item = ItemAt::new(*view, placed);
        let declared = tangle_hir::declared(view.db, item.placed.item);
        for function in &declared.functions {
            let detail = if function.kernel { "kernel" } else { "function" };
            add(items, function.name.as_str(), CompletionItemKind::FUNCTION, Some(detail.into()), order);
        }
        for name in &declared.variables {
            add(items, name.as_str(), CompletionItemKind::VARIABLE, None, order);
        }
        for name in &declared.constants {
            add(items, name.as_str(), CompletionItemKind::ENUM_MEMBER, None, order);
        }
        let tokens = item.placed.item.tokens(view.db).0.tokens();
        if tokens.first().is_some_and(|token| token.kind == TokenKind::Typedef) {
            for &id in &item.ast().items {
                if let Some(name) = item.ast().decls[id].name {
                    add(items, name.text.as_str(), CompletionItemKind::CLASS, Some("typedef".into()), order);
                }
            }
        }
    }
    for name in macros(view) {
        add(items, name.as_str(), CompletionItemKind::CONSTANT, Some("macro".into()), "3");
    }
}

/// Returns the macros that the files of the unit define, and the predefined macros that they use.
fn macros(view: &View) -> FxHashSet<Symbol> {
    let unit = unit(view.db, view.root, view.analysis.settings);
    let mut names: FxHashSet<Symbol> =
        chunks(unit).iter().flat_map(|chunk| &chunk.expansions).map(|expansion| expansion.name).collect();
    for &id in unit.0.files.iter() {
        let lexed = tokens(view.db, tangle_syntax::db::Db::source(view.db, id));
        let spelled = |token: u32| lexed.tokens.get(token as usize);
        let defines = lexed
            .directives
            .iter()
            .filter(|&&hash| spelled(hash + 1).is_some_and(|word| word.text.as_str() == "define"));
        names.extend(defines.filter_map(|&hash| Some(spelled(hash + 2)?.text)));
    }
    names
}

/// Adds the documentation of a builtin.
pub fn resolve(view: &View, item: &mut CompletionItem) {
    let name = item.data.as_ref().and_then(|data| data["builtin"].as_str()).map(Symbol::intern);
    if let Some(text) = name.and_then(|name| names::builtin(*view, name)) {
        item.documentation =
            Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: text }));
    }
}
