//! What can be typed here: locals, what the file declares, members and swizzles, builtins with their documentation, keywords.

use std::collections::BTreeMap;

use serde_json::json;
use tangle::hir::check::Meaning;
use tangle::hir::overload;
use tangle::hir::resolve::{Role, Target};
use tangle::hir::types::{Ty, TyKind};
use tangle::syntax::find::all_items;
use tangle::syntax::{chunks, spans, tokens, unit};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, Documentation, MarkupContent, MarkupKind,
    Position,
};

use super::at::{At, ItemAt};
use super::names;
use crate::snapshot::View;

/// What people type at the beginnings of things.
const KEYWORDS: &[&str] = &[
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "generic",
    "const",
    "volatile",
    "restrict",
    "static",
    "inline",
    "void",
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "half",
    "float",
    "double",
    "size_t",
    "struct",
    "union",
    "enum",
    "typedef",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "read_only",
    "write_only",
    "read_write",
];

pub fn completion(view: &View, position: Position) -> Option<CompletionResponse> {
    let offset = view.offset(position);
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

/// The token before a `.` or `->` behind which the cursor stands, or a name that follows it.
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

/// The members of the expression that ends with a token, or the lanes of a vector.
fn members(view: &View, base: u32) -> Items {
    let mut items = Items::new();
    let bytes = spans(view.db, view.file).get(base);
    let Some(ty) = type_before(view, view.position(bytes.start), base) else { return items };
    let ty = ty.as_pointer().map_or(ty, |pointer| pointer.pointee);
    if let Some((element, lanes)) = ty.as_vector() {
        let mut lane = |name: &str, lanes: u8| {
            let detail = if lanes == 1 { element.to_string() } else { format!("{element}{lanes}") };
            add(&mut items, name, CompletionItemKind::FIELD, Some(detail), "0");
        };
        for (number, name) in (0u8..).zip(["x", "y", "z", "w"]) {
            if number < lanes {
                lane(name, 1);
            }
        }
        match lanes {
            2 => lane("xy", 2),
            3 => ["xy", "yz", "xyz"].iter().for_each(|name| lane(name, name.len() as u8)),
            4 => ["xy", "zw", "xyz", "xyzw"].iter().for_each(|name| lane(name, name.len() as u8)),
            _ => (0..lanes).for_each(|number| lane(&format!("s{number:x}"), 1)),
        }
        ["lo", "hi", "even", "odd"].iter().for_each(|name| lane(name, lanes.div_ceil(2)));
        return items;
    }
    let definition = ty.as_record().and_then(|record| match &record.definition {
        Some(definition) => Some(definition),
        // Inside itself a record is known by its tag.
        None => {
            let at = At::find(*view, view.position(bytes.start))?;
            let ty = at.item.scoped()?.names(view.db).names.tag(record.tag?)?;
            ty.as_record()?.definition.as_ref()
        }
    });
    for field in definition.iter().flat_map(|definition| &definition.fields) {
        if let Some(name) = field.name {
            add(&mut items, name.as_str(), CompletionItemKind::FIELD, Some(field.ty.to_string()), "0");
        }
    }
    items
}

/// The type of the expression that ends with a token. A `.` without a name behind it breaks the statement that it is in, so the name
/// before it is looked up where no typed expression is left.
fn type_before(view: &View, position: Position, base: u32) -> Option<Ty> {
    let at = At::find(*view, position)?;
    let body = at.body()?;
    let typed = at.item.typed(body)?;
    let ends = typed
        .exprs
        .iter()
        .filter(|expr| expr.span.end == at.token + 1 && !matches!(expr.ty.kind(), TyKind::Unknown));
    // The outermost place: what is before the conversions.
    if let Some(expr) = ends.clone().max_by_key(|expr| expr.span.end - expr.span.start) {
        return Some(expr.ty);
    }
    let name = tokens(view.db, view.file).tokens.get(base as usize)?.text;
    let declared = typed
        .vars
        .iter()
        .filter(|var| var.name.is_some_and(|it| it.text == name && it.span.start <= at.token));
    if let Some(var) = declared.max_by_key(|var| var.span.start) {
        return Some(var.ty);
    }
    match at.item.scoped()?.names(view.db).names.ordinary(name)? {
        Meaning::Global { ty, .. } => Some(*ty),
        _ => None,
    }
}

fn names_in_scope(view: &View, offset: usize) -> Items {
    let mut items = Items::new();
    // The token at the cursor may be half a name: what is before it tells the place.
    let position = view.position(offset);
    if let Some(at) = At::find(*view, position).or_else(|| before(view, offset)) {
        locals(&at, &mut items);
    }
    of_the_unit(view, &mut items);
    for name in overload::names() {
        let detail = overload::signatures(name).first().map(|ty| ty.to_string());
        add(&mut items, name.as_str(), CompletionItemKind::FUNCTION, detail, "5");
        if let Some(item) = items.get_mut(name.as_str()) {
            // The documentation is asked for when somebody looks at it.
            item.data.get_or_insert_with(|| json!({ "builtin": name.as_str(), "uri": view.document.uri }));
        }
    }
    for keyword in KEYWORDS {
        add(&mut items, keyword, CompletionItemKind::KEYWORD, None, "6");
    }
    items
}

fn before<'a>(view: &View<'a>, offset: usize) -> Option<At<'a>> {
    let spans = spans(view.db, view.file);
    let token = spans.token_at(offset.checked_sub(1)?)?;
    At::find(*view, view.position(spans.get(token).start))
}

/// What the blocks around declare before here.
fn locals(at: &At, items: &mut Items) {
    let body = at.body();
    let typed = body.and_then(|body| at.item.typed(body));
    for reference in at.item.references() {
        let Target::Local(span) = reference.target else { continue };
        if reference.role == Role::Use || span.start > at.token {
            continue;
        }
        let var = typed.and_then(|typed| typed.vars.iter().find(|var| var.name == Some(reference.name)));
        add(
            items,
            reference.name.text.as_str(),
            CompletionItemKind::VARIABLE,
            var.map(|var| var.ty.to_string()),
            "0",
        );
    }
    let labels = at
        .item
        .references()
        .iter()
        .filter(|it| matches!(it.target, Target::Label(..)) && it.role == Role::Definition);
    labels.for_each(|label| {
        add(items, label.name.text.as_str(), CompletionItemKind::REFERENCE, Some("label".into()), "4")
    });
}

/// What the unit declares at file scope, and the macros that it uses.
fn of_the_unit(view: &View, items: &mut Items) {
    let unit = unit(view.db, view.root, view.analysis.settings);
    let own = view.file.id(view.db);
    for placed in all_items(view.db, unit) {
        let order = if placed.chunk.file == own { "1" } else { "2" };
        let item = ItemAt { view: *view, placed };
        let declared = tangle::hir::declared(view.db, item.placed.item);
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
    for chunk in chunks(unit) {
        for expansion in &chunk.expansions {
            add(items, expansion.name.as_str(), CompletionItemKind::CONSTANT, Some("macro".into()), "3");
        }
    }
}

/// Adds the documentation of a builtin.
pub fn resolve(view: &View, item: &mut CompletionItem) {
    let name = item.data.as_ref().and_then(|data| data["builtin"].as_str()).map(Symbol::intern);
    if let Some(text) = name.and_then(|name| names::builtin(*view, name)) {
        item.documentation =
            Some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: text }));
    }
}
