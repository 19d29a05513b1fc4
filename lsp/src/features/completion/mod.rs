//! Completion: the names that the [context](context) of the cursor allows, ranked by scope.
//!
//! Locals come first, the nearest declaration before the others; then names of the document, of headers, macros,
//! builtins, types and keywords. A function is inserted as a call with a place for each argument.

mod context;
mod directives;
mod items;
mod members;
mod scope;

use tangle_grammar::symbol::Symbol;
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, Documentation, MarkupContent, MarkupKind,
    Position,
};

use self::context::{Context, Cursor};
use self::items::{Items, Order};
use super::names;
use crate::snapshot::View;

/// The characters after which the client requests completions by itself.
pub const TRIGGERS: [&str; 9] = [".", ">", "(", ",", "|", "#", "\"", "<", "/"];

/// Returns the completions at a position. `trigger`: the character after which the client asks by itself.
pub fn completion(view: &View, position: Position, trigger: Option<&str>) -> Option<CompletionResponse> {
    let offset = view.offset(position);
    let cursor = Cursor::at(view, offset);
    if trigger.is_some_and(|trigger| !is_expected(trigger, &cursor.context)) {
        return None;
    }
    let mut items = Items::new(view, cursor.word.end);
    match &cursor.context {
        Context::Nothing => return None,
        Context::Directive => {
            items.replaced = Some(cursor.word);
            directives::names(view, &mut items);
        }
        Context::Macro => directives::macros(view, &mut items),
        Context::Header { folder, beside } => {
            items.replaced = Some(directives::typed_name(view, offset)..offset);
            directives::headers(view, folder, *beside, &mut items);
        }
        Context::Member(base) => members::members(view, *base, &mut items),
        Context::Label => scope::labels(view, &cursor, &mut items),
        Context::Tag => scope::tags(view, &mut items),
        Context::Type => scope::types(view, &mut items),
        Context::Argument(values) => {
            for value in *values {
                items.add(value.as_str(), CompletionItemKind::CONSTANT, None, Order::First);
            }
            if trigger.is_none() {
                scope::expression(view, &cursor, &mut items);
            }
        }
        Context::Expression => scope::expression(view, &cursor, &mut items),
        Context::Statement => scope::statement(view, &cursor, &mut items),
    }
    Some(CompletionResponse::Array(items.found.into_values().collect()))
}

/// Whether completions after a character help in a context.
fn is_expected(trigger: &str, context: &Context) -> bool {
    match context {
        Context::Member(_) => matches!(trigger, "." | ">"),
        Context::Argument(_) => matches!(trigger, "(" | "," | "|"),
        Context::Directive => trigger == "#",
        Context::Header { .. } => matches!(trigger, "\"" | "<" | "/"),
        _ => false,
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
