//! A `tangle.toml` in the editor: errors, completion and descriptions of its keys.
//!
//! ```text
//! place    the key, value or table at the cursor, from the tokens
//! schema   its meaning: the schema that `tangle schema settings` prints
//! ```

mod place;
mod schema;

use std::path::PathBuf;
use std::sync::Arc;

use tangle_diagnostic::SourceText;
use tangle_project::tangle_toml::{self, Config};
use tower_lsp::lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, CompletionTextEdit, Diagnostic,
    DiagnosticSeverity, Hover, HoverContents, InsertTextFormat, MarkupContent, MarkupKind, Position,
    TextEdit,
};

use self::place::{Place, PlaceKind};
use self::schema::{Choice, Schema};
use crate::client::Client;

/// An open `tangle.toml`.
#[derive(Clone)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub version: i32,
    pub text: Arc<SourceText>,
}

/// Returns whether a document contains settings, by its path.
pub fn is_settings_file(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name == tangle_toml::NAME)
}

impl SettingsFile {
    /// Returns the first error of the text.
    pub fn diagnostics(&self, client: &Client) -> Vec<Diagnostic> {
        let Err(error) = Config::of_text(self.text.text(), &self.path) else { return Vec::new() };
        let range = error.diagnostic().map_or(0..0, |(finding, _)| finding.place.range);
        vec![Diagnostic {
            range: client.encoding.range(&self.text, &range),
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some("tangle".into()),
            message: error.message,
            ..Diagnostic::default()
        }]
    }

    /// Returns the keys, tables or values that fit at a position.
    pub fn completion(&self, client: &Client, position: Position) -> Option<CompletionResponse> {
        let offset = client.encoding.offset(&self.text, position);
        let place = Place::at(self.text.text(), offset)?;
        let root = Schema::settings();
        let mut choices = match &place.kind {
            PlaceKind::Key { table } => root.at(table).map(|of| of.keys()).unwrap_or_default(),
            PlaceKind::Table { list } => root.tables(*list),
            PlaceKind::Value { path, is_quoted } => {
                root.at(path).map(|of| of.values(*is_quoted)).unwrap_or_default()
            }
        };
        choices.retain(|choice| !place.present.iter().any(|known| *known == *choice.name));
        let range = client.encoding.range(&self.text, &place.word);
        let rest = self.text.text()[place.word.end..].trim_start_matches([' ', '\t']);
        for choice in &mut choices {
            match &place.kind {
                // The brackets and the `=` that are already written are not written again.
                PlaceKind::Table { list } => {
                    let close = if *list { "]]" } else { "]" };
                    choice.text =
                        format!("{}{}", choice.name, if rest.starts_with(']') { "" } else { close });
                }
                PlaceKind::Key { .. } if rest.starts_with('=') => {
                    (choice.text, choice.snippet) = (choice.name.clone(), None);
                }
                _ => {}
            }
        }
        // At the top of the file, a table can follow.
        if matches!(&place.kind, PlaceKind::Key { table } if table.is_empty()) {
            choices.extend([false, true].iter().flat_map(|&list| root.tables(list)).map(Choice::with_header));
        }
        let item = |choice: Choice| {
            let is_snippet = client.snippets && choice.snippet.is_some();
            let text = choice.snippet.filter(|_| client.snippets).unwrap_or_else(|| choice.text.clone());
            let documentation = choice.description.map(|value| {
                tower_lsp::lsp_types::Documentation::MarkupContent(MarkupContent {
                    kind: MarkupKind::Markdown,
                    value,
                })
            });
            CompletionItem {
                filter_text: Some(choice.text),
                label: choice.name,
                kind: Some(if choice.is_value {
                    CompletionItemKind::VALUE
                } else {
                    CompletionItemKind::PROPERTY
                }),
                documentation,
                text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: text })),
                insert_text_format: is_snippet.then_some(InsertTextFormat::SNIPPET),
                ..CompletionItem::default()
            }
        };
        Some(CompletionResponse::Array(choices.into_iter().map(item).collect()))
    }

    /// Describes the key or the table at a position, or the key of the value there.
    pub fn hover(&self, client: &Client, position: Position) -> Option<Hover> {
        let offset = client.encoding.offset(&self.text, position);
        let of_value = || match Place::at(self.text.text(), offset)? {
            Place { kind: PlaceKind::Value { path, .. }, word, .. } => Some((path, word)),
            _ => None,
        };
        let (path, range) = place::key_at(self.text.text(), offset).or_else(of_value)?;
        let value = Schema::settings().at(&path)?.description()?;
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: Some(client.encoding.range(&self.text, &range)),
        })
    }
}
