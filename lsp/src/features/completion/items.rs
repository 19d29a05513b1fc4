//! The list of completions: their ranks, and how they are inserted.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, InsertTextFormat, TextEdit,
};

use crate::snapshot::View;

/// The rank of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    First,
    /// A local variable or parameter, with the number of tokens since its declaration.
    Local(u32),
    /// A declaration of the document.
    Own,
    /// A declaration of a header.
    Header,
    Macro,
    Builtin,
    Type,
    Keyword,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Order::First => f.write_str("0"),
            Order::Local(distance) => write!(f, "1{distance:06}"),
            Order::Own => f.write_str("2"),
            Order::Header => f.write_str("3"),
            Order::Macro => f.write_str("4"),
            Order::Builtin => f.write_str("5"),
            Order::Type => f.write_str("6"),
            Order::Keyword => f.write_str("7"),
        }
    }
}

/// The completions, by label. The first of a label counts.
pub struct Items<'a> {
    view: &'a View<'a>,
    /// The text that a completion replaces, if this is not the word at the cursor.
    pub replaced: Option<Range<usize>>,
    /// Whether calls are inserted with places for their arguments.
    has_places: bool,
    pub found: BTreeMap<String, CompletionItem>,
}

impl<'a> Items<'a> {
    pub fn new(view: &'a View<'a>, end: usize) -> Items<'a> {
        let is_call = view.text().text()[end..].trim_start_matches([' ', '\t']).starts_with('(');
        let has_places = view.snapshot.client.snippets && !is_call;
        Items { view, replaced: None, has_places, found: BTreeMap::new() }
    }

    pub fn add(
        &mut self,
        label: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        order: Order,
    ) -> &mut CompletionItem {
        let edit = self.replaced.as_ref().map(|range| {
            CompletionTextEdit::Edit(TextEdit { range: self.view.range(range), new_text: label.to_owned() })
        });
        self.found.entry(label.to_owned()).or_insert_with(|| CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            sort_text: Some(format!("{order}{label}")),
            text_edit: edit,
            ..CompletionItem::default()
        })
    }

    /// Adds a function, as a call if the client can fill in its arguments. `parameters`: their names.
    pub fn add_call(
        &mut self,
        label: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        order: Order,
        parameters: &[String],
    ) -> &mut CompletionItem {
        let has_places = self.has_places;
        let is_new = !self.found.contains_key(label);
        let item = self.add(label, kind, detail, order);
        if has_places && is_new {
            item.insert_text = Some(snippet(label, parameters));
            item.insert_text_format = Some(InsertTextFormat::SNIPPET);
        }
        item
    }
}

/// Returns a call as a snippet with a place for each argument: `sum(${1:row}, ${2:count})`.
fn snippet(name: &str, parameters: &[String]) -> String {
    let place = |(number, name): (usize, &String)| {
        format!("${{{}:{}}}", number + 1, name.replace(['$', '}', '\\'], ""))
    };
    let places: Vec<String> = parameters.iter().enumerate().map(place).collect();
    format!("{name}({})$0", places.join(", "))
}
