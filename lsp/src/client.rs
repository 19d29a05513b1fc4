//! The capabilities of the client that affect the answers.

use tower_lsp::lsp_types::{ClientCapabilities, DiagnosticTag, MarkupKind};

use crate::text::Encoding;

#[derive(Debug, Default)]
pub struct Client {
    pub encoding: Encoding,
    /// It requests diagnostics, so the server pushes none.
    pub pulls_diagnostics: bool,
    pub refreshes_diagnostics: bool,
    pub refreshes_inlay_hints: bool,
    pub refreshes_semantic_tokens: bool,
    pub refreshes_code_lenses: bool,
    /// It answers requests for the section `tangle` of the configuration.
    pub configuration: bool,
    pub registers_watchers: bool,
    pub shows_documents: bool,
    /// It fades text without effect: it knows the tag *unnecessary*.
    pub fades_unnecessary: bool,
    pub markdown: bool,
    pub nested_symbols: bool,
    /// It accepts the offsets of a parameter in a signature, instead of its text.
    pub label_offsets: bool,
    /// It accepts completions with places to fill in.
    pub snippets: bool,
}

impl Client {
    pub fn of(capabilities: &ClientCapabilities) -> Client {
        let general = capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        let text = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let hover_formats = text.and_then(|text| text.hover.as_ref()?.content_format.as_ref());
        Client {
            encoding: Encoding::choose(offered),
            pulls_diagnostics: text.is_some_and(|text| text.diagnostic.is_some()),
            refreshes_diagnostics: workspace
                .and_then(|workspace| workspace.diagnostic.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_inlay_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_semantic_tokens: workspace
                .and_then(|workspace| workspace.semantic_tokens.as_ref()?.refresh_support)
                .unwrap_or(false),
            refreshes_code_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
            configuration: workspace.and_then(|workspace| workspace.configuration).unwrap_or(false),
            registers_watchers: workspace
                .and_then(|workspace| workspace.did_change_watched_files?.dynamic_registration)
                .unwrap_or(false),
            shows_documents: capabilities
                .window
                .as_ref()
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            fades_unnecessary: text
                .and_then(|text| text.publish_diagnostics.as_ref()?.tag_support.as_ref())
                .is_some_and(|tags| tags.value_set.contains(&DiagnosticTag::UNNECESSARY)),
            markdown: hover_formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            nested_symbols: text
                .and_then(|text| text.document_symbol.as_ref()?.hierarchical_document_symbol_support)
                .unwrap_or(false),
            label_offsets: text
                .and_then(|text| text.signature_help.as_ref()?.signature_information.as_ref())
                .and_then(|signature| signature.parameter_information.as_ref()?.label_offset_support)
                .unwrap_or(false),
            snippets: text
                .and_then(|text| text.completion.as_ref()?.completion_item.as_ref()?.snippet_support)
                .unwrap_or(false),
        }
    }
}
