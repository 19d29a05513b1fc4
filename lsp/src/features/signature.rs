//! The signatures of the function whose arguments are being typed.

use tangle::hir::check::Meaning;
use tangle::hir::overload;
use tangle::hir::types::Ty;
use tangle::syntax::{spans, tokens};
use tangle_grammar::symbol::Symbol;
use tower_lsp::lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

use super::at::At;
use super::names;
use crate::snapshot::View;

/// Overloads that are offered.
const OFFERED: usize = 8;

pub fn signature_help(view: &View, position: Position) -> Option<SignatureHelp> {
    let offset = view.offset(position);
    let (name_token, argument) = call_around(view, offset)?;
    let name = tokens(view.db, view.file).tokens.get(name_token as usize)?.text;
    let signatures = declared(view, name_token, name).unwrap_or_else(|| overload::signatures(name));
    let doc = view.analysis.settings.builtins(view.db).get(name).map(|row| {
        Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: names::meaning_of_row(row),
        })
    });
    // Those that have room for the argument come first.
    let mut signatures: Vec<Ty> = signatures;
    let room = |ty: &Ty| ty.as_function().is_some_and(|it| it.variadic || it.parameters.len() > argument);
    signatures.sort_by_key(|ty| !room(ty));
    let signatures: Vec<SignatureInformation> =
        signatures.iter().take(OFFERED).filter_map(|&ty| signature(ty, name, doc.clone())).collect();
    if signatures.is_empty() {
        return None;
    }
    let active_parameter = u32::try_from(argument).ok();
    Some(SignatureHelp { signatures, active_signature: Some(0), active_parameter })
}

fn signature(ty: Ty, name: Symbol, documentation: Option<Documentation>) -> Option<SignatureInformation> {
    let function = ty.as_function()?;
    let mut label = format!("{} {name}(", function.result);
    let mut parameters = Vec::new();
    for (number, parameter) in function.parameters.iter().enumerate() {
        label += if number > 0 { ", " } else { "" };
        let text = parameter.to_string();
        parameters
            .push(ParameterInformation { label: ParameterLabel::Simple(text.clone()), documentation: None });
        label += &text;
    }
    label += if function.variadic { ", ...)" } else { ")" };
    Some(SignatureInformation { label, documentation, parameters: Some(parameters), active_parameter: None })
}

/// The types of a function of the unit.
fn declared(view: &View, token: u32, name: Symbol) -> Option<Vec<Ty>> {
    let start = spans(view.db, view.file).get(token).start;
    let at = At::find(*view, view.position(start))?;
    match at.item.scoped()?.names(view.db).names.ordinary(name)? {
        Meaning::Functions(functions) => Some(functions.iter().map(|function| function.ty).collect()),
        _ => None,
    }
}

/// The name before the parenthesis that is open at an offset, and the number of the argument there.
fn call_around(view: &View, offset: usize) -> Option<(u32, usize)> {
    let spans = spans(view.db, view.file);
    let lexed = tokens(view.db, view.file);
    let mut at = spans.token_at(offset.checked_sub(1)?)?;
    let (mut depth, mut commas) = (0usize, 0usize);
    // A call does not begin before a statement does, and is not that long.
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
