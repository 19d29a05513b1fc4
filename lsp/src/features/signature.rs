//! The signatures of the function whose arguments the user is typing.

use tangle_grammar::ast::DeclaratorStep;
use tangle_grammar::symbol::Symbol;
use tangle_hir::def::names::Meaning;
use tangle_hir::def::overload;
use tangle_hir::scope::meaning_at_end;
use tangle_hir::types::Ty;
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::{ast, spans, tokens, unit};
use tower_lsp::lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

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
    let signatures = declared(view, name)
        .unwrap_or_else(|| overload::signatures(view.analysis.settings.dialect(view.db), name));
    let vocabulary = view.analysis.settings.dialect(view.db).vocabulary();
    let doc = view.analysis.settings.builtins(view.db).get(name).map(|row| {
        Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: names::meaning_of_row(vocabulary, row),
        })
    });
    // Signatures with enough parameters for the argument come first.
    let mut signatures: Vec<Ty> = signatures;
    let room = |ty: &Ty| ty.as_function().is_some_and(|it| it.variadic || it.parameters.len() > argument);
    signatures.sort_by_key(|ty| !room(ty));
    let names = parameter_names(view, name);
    let offsets = view.snapshot.client.label_offsets;
    let signatures: Vec<SignatureInformation> = signatures
        .iter()
        .take(OFFERED)
        .filter_map(|&ty| signature(ty, name, &names, offsets, doc.clone()))
        .collect();
    if signatures.is_empty() {
        return None;
    }
    let active_parameter = u32::try_from(argument).ok();
    Some(SignatureHelp { signatures, active_signature: Some(0), active_parameter })
}

fn signature(
    ty: Ty,
    name: Symbol,
    names: &[Option<Symbol>],
    offsets: bool,
    documentation: Option<Documentation>,
) -> Option<SignatureInformation> {
    let function = ty.as_function()?;
    let mut label = format!("{} {name}(", function.result);
    let mut parameters = Vec::new();
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    for (number, parameter) in function.parameters.iter().enumerate() {
        label += if number > 0 { ", " } else { "" };
        let text = match names.get(number).copied().flatten() {
            Some(name) if names.len() == function.parameters.len() => names::declarator(*parameter, name),
            _ => parameter.to_string(),
        };
        let start = units(&label);
        label += &text;
        let own = match offsets {
            true => ParameterLabel::LabelOffsets([start, units(&label)]),
            false => ParameterLabel::Simple(text),
        };
        parameters.push(ParameterInformation { label: own, documentation: None });
    }
    label += if function.variadic { ", ...)" } else { ")" };
    Some(SignatureInformation { label, documentation, parameters: Some(parameters), active_parameter: None })
}

/// Returns the names of a function's parameters in its definition, or else in its first declaration in the unit.
fn parameter_names(view: &View, name: Symbol) -> Vec<Option<Symbol>> {
    let mut found = Vec::new();
    for placed in all_items(view.db, unit(view.db, view.root, view.analysis.settings)) {
        let own = &tangle_hir::declared(view.db, placed.item).functions;
        let Some(function) = own.iter().find(|function| function.name == name) else { continue };
        if !found.is_empty() && !function.defined {
            continue;
        }
        let ast = &ast(view.db, placed.item);
        let decl = ast.items.iter().map(|&id| &ast.decls[id]);
        let decl = decl.into_iter().find(|decl| decl.name.is_some_and(|known| known.text == name));
        let Some(DeclaratorStep::Function { parameters, .. }) = decl.and_then(|decl| decl.declarator.first())
        else {
            continue;
        };
        found = parameters.iter().map(|&id| ast.decls[id].name.map(|name| name.text)).collect();
        if function.defined {
            break;
        }
    }
    found
}

/// Returns the types of a function of the unit.
fn declared(view: &View, name: Symbol) -> Option<Vec<Ty>> {
    let unit = unit(view.db, view.root, view.analysis.settings);
    match &*meaning_at_end(view.db, unit, name)? {
        Meaning::Functions(functions) => Some(functions.iter().map(|function| function.ty).collect()),
        _ => None,
    }
}

/// Returns the name before the parenthesis that is open at an offset, and the index of the argument there.
fn call_around(view: &View, offset: usize) -> Option<(u32, usize)> {
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
