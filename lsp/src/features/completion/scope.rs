//! Completion of names: locals, declarations at file scope, builtins, types and keywords.

use serde_json::json;
use tangle_grammar::ast::{Decl, Span, Storage, TypeSpecifier};
use tangle_grammar::token::TokenKind;
use tangle_hir::body::{Body, StmtKind};
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::{spans, tokens, unit};
use tower_lsp::lsp_types::CompletionItemKind;

use super::super::position::{ItemAt, TokenAt};
use super::super::{callable, spelling};
use super::context::{Cursor, is_of_statement, is_of_type};
use super::directives;
use super::items::{Items, Order};
use crate::snapshot::View;

/// Adds the names that can begin a statement.
pub fn statement(view: &View, cursor: &Cursor, items: &mut Items) {
    values(view, cursor, items);
    keywords(view, |_| true, Order::Keyword, items);
}

/// Adds the names that an expression can contain.
pub fn expression(view: &View, cursor: &Cursor, items: &mut Items) {
    values(view, cursor, items);
    keywords(view, |kind| !is_of_statement(kind), Order::Keyword, items);
}

/// Adds types, and the words of declarations.
pub fn types(view: &View, items: &mut Items) {
    of_the_unit(view, items, |it| matches!(it, Named::Type));
    of_language(view, Order::Builtin, items);
    keywords(view, is_of_type, Order::Type, items);
    directives::user_macros(view, items);
}

/// Adds the names after `struct`, `union` or `enum`.
pub fn tags(view: &View, items: &mut Items) {
    of_the_unit(view, items, |it| matches!(it, Named::Tag));
}

/// Adds the labels of the function around the cursor.
pub fn labels(view: &View, cursor: &Cursor, items: &mut Items) {
    let Some(at) = cursor.before.and_then(|before| at_token(view, before)) else { return };
    let references = at.item.references().iter();
    let is_label = |target: &Entity| matches!(target, Entity::Label(..));
    let labels = references.filter(|it| is_label(&it.target) && it.role == ReferenceKind::Definition);
    // Other functions of the item have other labels.
    let body = at.body().map(|body| body.body.span);
    let is_near = |span: Span| body.is_none_or(|body| body.start <= span.start && span.end <= body.end);
    for label in labels.filter(|label| is_near(label.name.span)) {
        items.add(
            label.name.text.as_str(),
            CompletionItemKind::REFERENCE,
            Some("label".into()),
            Order::First,
        );
    }
}

fn at_token<'a>(view: &View<'a>, token: u32) -> Option<TokenAt<'a>> {
    let start = spans(view.db, view.file).get(token).start;
    TokenAt::find(*view, view.position(start))
}

fn values(view: &View, cursor: &Cursor, items: &mut Items) {
    // The token at the cursor can be an incomplete name: then the token before it determines the place.
    let at = TokenAt::find(*view, view.position(cursor.word.end));
    if let Some(at) = at.or_else(|| at_token(view, cursor.before?)) {
        // A cursor after a `}` or `;` is outside the block or statement that it closes.
        let token = spans(view.db, view.file).get(at.file_token);
        let spelled = tokens(view.db, view.file).tokens.get(at.file_token as usize).map(|it| it.spelling());
        let closes = spelled.is_some_and(|spelled| matches!(spelled, "}" | ";"));
        let from = if closes && token.end <= cursor.word.end { at.token + 1 } else { at.token };
        locals(&at, from, items);
    }
    of_the_unit(view, items, |it| !matches!(it, Named::Tag) || view.has_host_code());
    directives::macros_in_code(view, items);
    builtins(view, items);
    of_language(view, Order::Type, items);
}

/// Adds the builtin functions and constants of the language.
fn builtins(view: &View, items: &mut Items) {
    let dialect = view.analysis.settings.dialect(view.db);
    for name in dialect.signatures().names().filter(|name| !name.as_str().contains("::")) {
        let first = dialect.signatures().first(name);
        let detail = first.as_ref().map(|(ty, _)| ty.to_string());
        let parameters = first.map(|(ty, names)| callable::places(ty, &names)).unwrap_or_default();
        let item =
            items.add_call(name.as_str(), CompletionItemKind::FUNCTION, detail, Order::Builtin, &parameters);
        // The client requests the documentation when it shows the item.
        item.data.get_or_insert_with(|| json!({ "builtin": name.as_str(), "uri": view.document.uri }));
    }
    for name in dialect.constants() {
        items.add(name.as_str(), CompletionItemKind::CONSTANT, None, Order::Builtin);
    }
}

/// Adds the named types of the language.
fn of_language(view: &View, order: Order, items: &mut Items) {
    let dialect = view.analysis.settings.dialect(view.db);
    let is_keyword = |name| dialect.lexicon().kind(name) != TokenKind::Identifier;
    for name in dialect.types().names().filter(|&name| !is_keyword(name)) {
        items.add(name.as_str(), CompletionItemKind::STRUCT, Some("type".into()), order);
    }
}

fn keywords(view: &View, is_wanted: impl Fn(TokenKind) -> bool, order: Order, items: &mut Items) {
    let lexicon = view.analysis.settings.dialect(view.db).lexicon();
    for keyword in lexicon.keywords() {
        let kind = lexicon.kind(keyword);
        // Names with a leading `_` are for headers, except the keywords of device code in CUDA and HIP.
        let of_device = matches!(
            kind,
            TokenKind::Kernel
                | TokenKind::Device
                | TokenKind::Host
                | TokenKind::Shared
                | TokenKind::ConstantMemory
                | TokenKind::Managed
        );
        let is_shown = !keyword.as_str().starts_with('_') || view.has_host_code() && of_device;
        if is_shown && is_wanted(kind) {
            items.add(keyword.as_str(), CompletionItemKind::KEYWORD, None, order);
        }
    }
}

/// Adds the declarations of the enclosing blocks before a place, the nearest first.
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
        let detail = var.map(|var| spelling::in_language(at.view, var.ty).to_string());
        let order = Order::Local(at.token - span.start);
        items.add(reference.name.text.as_str(), CompletionItemKind::VARIABLE, detail, order);
    }
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

/// The kind of a name at file scope.
#[derive(Clone, Copy)]
enum Named {
    Value,
    Type,
    /// A name that follows `struct`, `union` or `enum`. In C++ it is also a type.
    Tag,
}

/// Adds the wanted declarations of the unit at file scope.
fn of_the_unit(view: &View, items: &mut Items, is_wanted: impl Fn(Named) -> bool) {
    let own = view.file.id(view.db);
    let kinds = [Named::Value, Named::Type, Named::Tag].map(is_wanted);
    let [values, types, tags] = kinds;
    for placed in all_items(view.db, unit(view.db, view.root, view.analysis.settings)) {
        let order = if placed.chunk.file == own { Order::Own } else { Order::Header };
        let item = ItemAt::new(*view, placed);
        let ast = item.ast();
        for &id in &ast.items {
            let decl = &ast.decls[id];
            if tags || types && view.has_host_code() {
                for tag in tags_of(decl) {
                    items.add(tag, CompletionItemKind::STRUCT, Some("type".into()), order);
                }
            }
            let Some(name) = decl.name.map(|name| name.text.as_str()) else { continue };
            let is_type = decl.specifiers.storage.contains(&Storage::Typedef);
            if is_type && types {
                items.add(name, CompletionItemKind::CLASS, Some("typedef".into()), order);
            }
            if is_type || !values {
                continue;
            }
            match callable::parameter_names(&ast, decl) {
                Some(parameters) => {
                    let is_kernel = decl.specifiers.storage.contains(&Storage::Kernel);
                    let detail = if is_kernel { "kernel" } else { "function" };
                    items.add_call(
                        name,
                        CompletionItemKind::FUNCTION,
                        Some(detail.into()),
                        order,
                        &parameters,
                    );
                }
                None => _ = items.add(name, CompletionItemKind::VARIABLE, None, order),
            }
        }
        if values {
            for name in &tangle_hir::declared(view.db, item.placed.item).constants {
                items.add(name.as_str(), CompletionItemKind::ENUM_MEMBER, None, order);
            }
        }
    }
}

/// Returns the tags that a declaration defines.
fn tags_of(decl: &Decl) -> impl Iterator<Item = &'static str> + '_ {
    decl.specifiers.types.iter().filter_map(|ty| match ty {
        TypeSpecifier::Record { name, members: Some(_), .. } => name.as_ref().map(|name| name.text.as_str()),
        TypeSpecifier::Enum { name, enumerators: Some(_), .. } => {
            name.as_ref().map(|name| name.text.as_str())
        }
        _ => None,
    })
}
