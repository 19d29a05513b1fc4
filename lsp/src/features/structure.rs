//! The outline of a document: symbols, folding ranges, selection ranges.

use tangle_grammar::ast::{Decl, DeclaratorStep, Span, Specifiers, StmtKind, Storage, TypeSpecifier};
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_syntax::items::find::token_at;
use tangle_syntax::items::{spans, tokens};
use tower_lsp::lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, FoldingRange, FoldingRangeKind, Position, SelectionRange,
    SymbolInformation, SymbolKind,
};

use super::position::{ItemAt, TokenAt};
use crate::snapshot::View;

/// Returns the declarations at file scope, with the members of types and the labels of functions.
pub fn symbols(view: &View) -> Option<DocumentSymbolResponse> {
    let found: Vec<DocumentSymbol> = ItemAt::all(*view).flat_map(|item| of_item(&item)).collect();
    if view.snapshot.client.nested_symbols {
        return Some(DocumentSymbolResponse::Nested(found));
    }
    let flat = |symbol: DocumentSymbol| {
        #[allow(deprecated)] // The struct requires the field.
        SymbolInformation {
            name: symbol.name,
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            location: tower_lsp::lsp_types::Location { uri: view.document.uri.clone(), range: symbol.range },
            container_name: None,
        }
    };
    Some(DocumentSymbolResponse::Flat(found.into_iter().map(flat).collect()))
}

fn symbol(
    item: &ItemAt,
    name: &str,
    detail: Option<String>,
    kind: SymbolKind,
    at: Span,
    own: Span,
) -> Option<DocumentSymbol> {
    let range = item.range(at)?;
    let own = item.range(own)?;
    // The name can be outside the range of its declaration if a macro provides it.
    let inside = range.start <= own.start && own.end <= range.end;
    #[allow(deprecated)] // The struct requires the field.
    Some(DocumentSymbol {
        name: name.to_owned(),
        detail,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range: if inside { own } else { range },
        children: None,
    })
}

fn of_item(item: &ItemAt) -> Vec<DocumentSymbol> {
    let ast = item.ast();
    let mut found = Vec::new();
    let mut types: Option<Span> = None;
    for &id in &ast.items {
        let decl = &ast.decls[id];
        // Declarators share their specifiers: list the types in the specifiers once.
        if types != decl.specifiers.span {
            types = decl.specifiers.span;
            found.extend(of_types(item, &decl.specifiers, decl.span));
        }
        let Some(name) = decl.name else { continue };
        let (kind, detail) = kind(decl);
        let children = labels(item, decl);
        if let Some(mut symbol) = symbol(item, name.text.as_str(), detail, kind, decl.span, name.span) {
            symbol.children = (!children.is_empty()).then_some(children);
            found.push(symbol);
        }
    }
    found
}

fn kind(decl: &Decl) -> (SymbolKind, Option<String>) {
    let storage = &decl.specifiers.storage;
    match decl.declarator.first() {
        _ if storage.contains(&Storage::Typedef) => (SymbolKind::CLASS, Some("typedef".into())),
        Some(DeclaratorStep::Function { .. }) if storage.contains(&Storage::Kernel) => {
            (SymbolKind::FUNCTION, Some("kernel".into()))
        }
        Some(DeclaratorStep::Function { .. }) => (SymbolKind::FUNCTION, None),
        _ => (SymbolKind::VARIABLE, None),
    }
}

fn of_types(item: &ItemAt, specifiers: &Specifiers, around: Span) -> Vec<DocumentSymbol> {
    let ast = item.ast();
    let mut found = Vec::new();
    for ty in &specifiers.types {
        let (name, kind, children) = match ty {
            TypeSpecifier::Record { name: Some(name), members: Some(members), .. } => {
                let members = members.iter().filter_map(|&id| {
                    let decl = &ast.decls[id];
                    let name = decl.name?;
                    symbol(item, name.text.as_str(), None, SymbolKind::FIELD, decl.span, name.span)
                });
                (name, SymbolKind::STRUCT, members.collect::<Vec<_>>())
            }
            TypeSpecifier::Enum { name: Some(name), enumerators: Some(list) } => {
                let constants = list.iter().filter_map(|(name, _)| {
                    symbol(item, name.text.as_str(), None, SymbolKind::ENUM_MEMBER, name.span, name.span)
                });
                (name, SymbolKind::ENUM, constants.collect())
            }
            _ => continue,
        };
        if let Some(mut symbol) = symbol(item, name.text.as_str(), None, kind, around, name.span) {
            symbol.children = Some(children);
            found.push(symbol);
        }
    }
    found
}

/// Returns the labels of a function.
fn labels(item: &ItemAt, function: &Decl) -> Vec<DocumentSymbol> {
    if function.body.is_none() {
        return Vec::new();
    }
    let labels = item.references().iter().filter(|reference| {
        let span = reference.name.span;
        let inside = function.span.start <= span.start && span.end <= function.span.end;
        inside && reference.role == ReferenceKind::Definition && matches!(reference.target, Entity::Label(..))
    });
    labels
        .filter_map(|label| {
            let name = label.name;
            symbol(item, name.text.as_str(), Some("label".into()), SymbolKind::KEY, name.span, name.span)
        })
        .collect()
}

/// Returns the folding ranges: pairs of braces, comments of several lines, and conditional directives.
pub fn folding(view: &View) -> Option<Vec<FoldingRange>> {
    let mut found = Vec::new();
    let lexed = tokens(view.db, view.file);
    let spans = spans(view.db, view.file);
    let line = |offset: usize| view.text().position(offset).line as u32 - 1;
    let mut add = |start: usize, end: usize, kind: Option<FoldingRangeKind>| {
        let (start_line, end_line) = (line(start), line(end));
        if start_line < end_line {
            found.push(FoldingRange { start_line, end_line, kind, ..FoldingRange::default() });
        }
    };
    let mut braces = Vec::new();
    for (number, token) in (0..).zip(&*lexed.tokens) {
        match token.spelling() {
            "{" => braces.push(spans.get(number).start),
            "}" => {
                if let Some(open) = braces.pop() {
                    // The line of the closing brace stays visible.
                    let close = spans.get(number).start;
                    let last =
                        view.text().line_range(view.text().position(close).line).start.saturating_sub(1);
                    add(open, last.max(open), None);
                }
            }
            _ => {}
        }
    }
    let mut conditions = Vec::new();
    for &hash in &lexed.directives {
        let word = lexed.tokens.get(hash as usize + 1).map_or("", |token| token.spelling());
        let at = spans.get(hash).start;
        let before = view.text().line_range(view.text().position(at).line).start.saturating_sub(1);
        match word {
            "if" | "ifdef" | "ifndef" => conditions.push(at),
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some(open) = conditions.pop() {
                    add(open, before.max(open), Some(FoldingRangeKind::Region));
                    conditions.push(at);
                }
            }
            "endif" => {
                if let Some(open) = conditions.pop() {
                    add(open, before.max(open), Some(FoldingRangeKind::Region));
                }
            }
            _ => {}
        }
    }
    // Comments are the text between tokens that is not white space.
    let mut after = 0;
    for number in 0..=spans.len() as u32 {
        let next =
            if (number as usize) < spans.len() { spans.get(number).start } else { view.text().text().len() };
        let between = &view.text().text()[after.min(next)..next];
        let trimmed = between.trim();
        if trimmed.starts_with("/*") || trimmed.starts_with("//") {
            let start = after + (between.len() - between.trim_start().len());
            add(start, start + trimmed.len(), Some(FoldingRangeKind::Comment));
        }
        if (number as usize) < spans.len() {
            after = spans.get(number).end;
        }
    }
    Some(found)
}

/// Returns for each position the ranges of a growing selection: the token, expressions, statements, the item, the file.
pub fn selection(view: &View, positions: &[Position]) -> Option<Vec<SelectionRange>> {
    Some(positions.iter().map(|&position| grow(view, position)).collect())
}

fn grow(view: &View, position: Position) -> SelectionRange {
    let text = view.text().text();
    let mut ranges = Vec::new();
    if let Some(at) = TokenAt::find(*view, position) {
        let ast = at.item.ast();
        let exprs = ast.exprs.iter().map(|(_, expr)| expr.span);
        let stmts = ast
            .stmts
            .iter()
            .filter(|(_, stmt)| !matches!(stmt.kind, StmtKind::Error))
            .map(|(_, stmt)| stmt.span);
        let decls = ast.decls.iter().map(|(_, decl)| decl.span);
        let all = Span::new(0, at.item.placed.len);
        let holding = exprs
            .chain(stmts)
            .chain(decls)
            .chain([all])
            .filter(|span| span.start <= at.token && at.token < span.end);
        ranges.extend(holding.filter_map(|span| at.item.bytes(span)));
    }
    if let Some(token) = token_at(view.db, view.file, view.offset(position)) {
        ranges.push(spans(view.db, view.file).get(token));
    }
    ranges.push(0..text.len());
    let offset = view.offset(position);
    ranges.retain(|range| range.start <= offset && offset <= range.end);
    ranges.sort_by_key(|range| (std::cmp::Reverse(range.end - range.start), range.start));
    ranges.dedup();
    // Nest the ranges from the outside in. Skip a range that is not inside the previous one.
    let mut found: Option<SelectionRange> = None;
    let mut outer: Option<std::ops::Range<usize>> = None;
    for range in ranges {
        if outer.as_ref().is_none_or(|outer| outer.start <= range.start && range.end <= outer.end) {
            found = Some(SelectionRange { range: view.range(&range), parent: found.map(Box::new) });
            outer = Some(range);
        }
    }
    found.unwrap_or_else(|| SelectionRange { range: view.range(&(offset..offset)), parent: None })
}
