//! The signatures of the function whose arguments the user is typing.

use std::ops::Range;

use tangle_grammar::symbol::Symbol;
use tangle_hir::types::Ty;
use tangle_syntax::items::{spans, tokens};
use tower_lsp::lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

use super::callable::Callable;
use super::{names, text_kind};
use crate::snapshot::View;

/// The maximum number of offered overloads.
const OFFERED: usize = 8;

pub fn signature_help(view: &View, position: Position) -> Option<SignatureHelp> {
    let offset = view.offset(position);
    if text_kind::is_host_code(view, offset) {
        return None;
    }
    let (name_token, argument) = call_around(view, offset)?;
    let name = tokens(view.db, view.file).tokens.get(name_token as usize)?.text;
    let mut all = Callable::named(view, name);
    // Signatures with enough parameters for the argument come first.
    let room = |ty: Ty| ty.as_function().is_some_and(|it| it.variadic || it.parameters.len() > argument);
    all.sort_by_key(|callable| !room(callable.ty));
    let vocabulary = view.analysis.settings.dialect(view.db).vocabulary();
    let row = view.analysis.settings.builtins(view.db).get(name);
    let doc = row.map(|row| names::meaning_of_row(vocabulary, row));
    let signatures: Vec<SignatureInformation> =
        all.iter().take(OFFERED).map(|callable| signature(view, name, callable, doc.as_ref())).collect();
    if signatures.is_empty() {
        return None;
    }
    let active_parameter = u32::try_from(argument).ok();
    Some(SignatureHelp { signatures, active_signature: Some(0), active_parameter })
}

fn signature(view: &View, name: Symbol, callable: &Callable, doc: Option<&String>) -> SignatureInformation {
    let (label, ranges) = callable.declaration(view, name);
    let units = |end: usize| u32::try_from(label[..end].encode_utf16().count()).unwrap_or(u32::MAX);
    let parameter = |range: Range<usize>| ParameterInformation {
        label: match view.snapshot.client.label_offsets {
            true => ParameterLabel::LabelOffsets([units(range.start), units(range.end)]),
            false => ParameterLabel::Simple(label[range].to_owned()),
        },
        documentation: None,
    };
    let parameters = ranges.into_iter().map(parameter).collect();
    let documentation = callable.documentation.as_ref().or(doc).map(|text| {
        Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: text.clone() })
    });
    SignatureInformation { label, documentation, parameters: Some(parameters), active_parameter: None }
}

/// Returns the name before the parenthesis that is open at an offset, and the index of the argument there.
pub fn call_around(view: &View, offset: usize) -> Option<(u32, usize)> {
    let spans = spans(view.db, view.file);
    let lexed = tokens(view.db, view.file);
    let mut at = spans.token_at(offset.checked_sub(1)?)?;
    let (mut depth, mut commas) = (0usize, 0usize);
    // A call is within one statement, and at most this number of tokens long.
    for _ in 0..4096 {
        match lexed.tokens.get(at as usize)?.spelling() {
            ")" | "]" if spans.get(at).end <= offset => depth += 1,
            "(" if depth == 0 => {
                let name = at.checked_sub(1)?;
                let is_name = lexed.tokens[name as usize]
                    .spelling()
                    .starts_with(|c: char| c.is_alphabetic() || c == '_');
                return is_name.then_some((name, commas));
            }
            "(" | "[" => depth = depth.saturating_sub(1),
            "," if depth == 0 => commas += 1,
            ";" | "{" | "}" => return None,
            _ => {}
        }
        at = at.checked_sub(1)?;
    }
    None
}
