//! Semantic tokens: the kind of each name, and whether it is convergent, divergent or uniform.

use rustc_hash::FxHashSet;
use tangle_analysis::program::Convergent;
use tangle_grammar::ast::{Span, Storage};
use tangle_hir::def::names::{LookupKey, Meaning};
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_syntax::items::spans;
use tower_lsp::lsp_types::{
    Position, Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensLegend,
};

use super::position::{ItemAt, convergent};
use super::uniform::{self, Verdicts};
use crate::snapshot::View;

/// The kinds, in the order of their numbers.
const KINDS: [SemanticTokenType; 8] = [
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::MACRO,
    SemanticTokenType::new("label"),
];
const FUNCTION: u32 = 0;
const PARAMETER: u32 = 1;
const VARIABLE: u32 = 2;
const TYPE: u32 = 3;
const ENUM_MEMBER: u32 = 4;
const PROPERTY: u32 = 5;
const MACRO: u32 = 6;
const LABEL: u32 = 7;

/// The modifiers, in the order of their bits.
const MODIFIERS: [SemanticTokenModifier; 5] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::DEFAULT_LIBRARY,
    SemanticTokenModifier::new("convergent"),
    SemanticTokenModifier::new("divergent"),
    SemanticTokenModifier::new("uniform"),
];
const DECLARED: u32 = 1 << 0;
const BUILTIN: u32 = 1 << 1;
const CONVERGENT: u32 = 1 << 2;
const DIVERGENT: u32 = 1 << 3;
const UNIFORM: u32 = 1 << 4;

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: KINDS.into(), token_modifiers: MODIFIERS.into() }
}

/// A marked name: its range, its kind, its modifiers.
type MarkedName = (Range, u32, u32);

/// Returns the semantic tokens of the document, or of a part of it.
pub fn semantic_tokens(view: &View, part: Option<Range>) -> Option<SemanticTokens> {
    let convergent = convergent(*view);
    let mut marked: Vec<MarkedName> = Vec::new();
    let bytes = part.map(|part| view.offset(part.start)..view.offset(part.end));
    let known = uniform::of_document(*view);
    for item in ItemAt::all(*view).filter(|item| !item.is_host()) {
        let all = item.bytes(Span::new(0, item.placed.len));
        let seen = match (&bytes, all) {
            (Some(part), Some(all)) => all.start <= part.end && part.start <= all.end,
            _ => true,
        };
        if seen {
            let verdicts: Vec<(Span, Verdicts)> = item
                .bodies()
                .filter_map(|body| Some((item.extent(body), Verdicts::among(known, &item, body)?)))
                .collect();
            names(&item, convergent, &verdicts, &mut marked);
        }
    }
    macros(view, bytes, &mut marked);
    marked.sort_by_key(|(range, ..)| (range.start, range.end));
    marked.dedup_by_key(|(range, ..)| range.start);
    Some(SemanticTokens { result_id: None, data: relative(&marked) })
}

fn names(
    item: &ItemAt,
    convergent: &Convergent,
    verdicts: &[(Span, Verdicts)],
    marked: &mut Vec<MarkedName>,
) {
    let ast = item.ast();
    let scoped = item.scoped();
    let db = item.view.db;
    let locator = item.placed.locator(db);
    let parameters: Vec<u32> = ast
        .decls
        .iter()
        .flat_map(|(_, decl)| decl.declarator.iter())
        .filter_map(|derived| match derived {
            tangle_grammar::ast::DeclaratorStep::Function { parameters, .. } => Some(parameters),
            _ => None,
        })
        .flatten()
        .filter_map(|&id| ast.decls[id].name.map(|name| name.span.start))
        .collect();
    let typedefs: Vec<u32> = ast
        .decls
        .iter()
        .filter(|(_, decl)| decl.specifiers.storage.contains(&Storage::Typedef))
        .filter_map(|(_, decl)| decl.name.map(|name| name.span.start))
        .collect();
    let dialect = item.placed.item.dialect(db);
    for reference in item.references() {
        let located = locator.locate(reference.name.span);
        if located.at.file != item.view.file || !located.macros.is_empty() {
            continue;
        }
        let declared = if reference.role == ReferenceKind::Use || reference.role == ReferenceKind::Call {
            0
        } else {
            DECLARED
        };
        let name = reference.name.text;
        let function = || {
            if convergent.name(name).is_some() { CONVERGENT } else { 0 }
        };
        // If a function has several variables with this name, the verdict is about all of them.
        let uniformity = || {
            let at = reference.name.span;
            // A block literal follows its enclosing function in the list, so search backwards.
            let around = verdicts.iter().rev().find(|(span, _)| span.start <= at.start && at.end <= span.end);
            match around.and_then(|(_, verdicts)| verdicts.is_divergent(name)) {
                Some(true) => DIVERGENT,
                Some(false) => UNIFORM,
                None => 0,
            }
        };
        let (kind, modifiers) = match reference.target {
            Entity::Local(at) if parameters.contains(&at.start) => (PARAMETER, uniformity()),
            Entity::Local(at) if typedefs.contains(&at.start) => (TYPE, 0),
            Entity::Local(_) => (VARIABLE, uniformity()),
            Entity::Tag(_) => (TYPE, 0),
            Entity::Member(_) => (PROPERTY, 0),
            Entity::Label(..) => (LABEL, 0),
            Entity::File(_) if typedefs.contains(&reference.name.span.start) => (TYPE, 0),
            Entity::File(name) => {
                let meaning =
                    scoped.and_then(|scoped| scoped.names(db).names.visible(LookupKey::Ordinary(name)));
                match meaning {
                    Some(Meaning::Type(_) | Meaning::Specialisations(_) | Meaning::Classes(_)) => (TYPE, 0),
                    Some(Meaning::Functions(_)) => (FUNCTION, function()),
                    Some(Meaning::Enumerator { .. }) => (ENUM_MEMBER, 0),
                    Some(Meaning::Global { .. } | Meaning::Variable(_) | Meaning::TemplateValue { .. }) => {
                        (VARIABLE, 0)
                    }
                    None if dialect.signatures().has(name) => (FUNCTION, BUILTIN | function()),
                    None if declared != 0 && item.bodies().any(|found| found.body.name == reference.name) => {
                        (FUNCTION, function())
                    }
                    None if reference.role == ReferenceKind::Call => (FUNCTION, function()),
                    None if declared != 0 => (VARIABLE, 0),
                    // Builtin types and undeclared names get their colour from the editor's grammar.
                    None => continue,
                }
            }
        };
        marked.push((item.view.range(&located.at.range), kind, declared | modifiers));
    }
}

/// Marks the uses of macros. In a file with host code, only uses with an expansion in device code are marked.
fn macros(view: &View, part: Option<std::ops::Range<usize>>, marked: &mut Vec<MarkedName>) {
    let file = view.file.id(view.db);
    let spans = spans(view.db, view.file);
    let unit = tangle_syntax::items::unit(view.db, view.root, view.analysis.settings);
    let of_device = view.has_host_code().then(|| uses_of_device(*view));
    for chunk in tangle_syntax::items::chunks(unit).iter().filter(|chunk| chunk.files.contains(&file)) {
        for expansion in chunk.expansions.iter().filter(|it| it.call.file == file && it.call.expansion == 0) {
            let bytes = spans.get(expansion.call.token);
            let seen = part.as_ref().is_none_or(|part| part.contains(&bytes.start));
            if seen && of_device.as_ref().is_none_or(|uses| uses.contains(&expansion.call.token)) {
                marked.push((view.range(&bytes), MACRO, 0));
            }
        }
    }
}

/// Returns the document's tokens that are macro uses with an expansion in an item of device code.
fn uses_of_device(view: View) -> FxHashSet<u32> {
    let mut uses = FxHashSet::default();
    for item in ItemAt::all(view).filter(|item| !item.is_host()) {
        let placed = &item.placed;
        let origins = &placed.chunk.origins[placed.first as usize..][..placed.len as usize];
        let expanded = origins.iter().filter(|origin| origin.expansion != 0);
        uses.extend(expanded.map(|&origin| placed.chunk.place_of_use(origin).token));
    }
    uses
}

/// Converts ranges to the protocol's encoding: each is relative to the previous one. A token must be on one line.
fn relative(marked: &[MarkedName]) -> Vec<SemanticToken> {
    let mut before = Position::default();
    let mut tokens = Vec::with_capacity(marked.len());
    for (Range { start, end }, kind, modifiers) in marked {
        if start.line != end.line {
            continue;
        }
        let delta_line = start.line - before.line;
        let delta_start = if delta_line == 0 { start.character - before.character } else { start.character };
        tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length: end.character - start.character,
            token_type: *kind,
            token_modifiers_bitset: *modifiers,
        });
        before = *start;
    }
    tokens
}
