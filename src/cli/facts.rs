//! `tangle show`: the facts of a stage as text or JSON (INTERFACE).
//!
//! Shown are the items of the named file itself; what it includes is shown when `--function` asks for it.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value, json};
use tangle_grammar::ast::Span;
use tangle_grammar::lex::spelling;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::show::{Request, ShowFormat, What};
use crate::db::Database;
use crate::diagnostic::{Position, SourceText};
use crate::hir::body::{Body, Callee};
use crate::hir::{bodies, declared};
use crate::preprocess::Chunk;
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, Item, Locator, SharedChunk, TextRange, Unit, chunks, items, parse, unit};
use crate::tangle::convergent::Convergent;
use crate::tangle::print::{self, Context};
use crate::tangle::{CandidateId, Facts, Model, Tangles, tangles_of};

pub(super) fn show(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &Request,
) -> Result<String, String> {
    let unit = unit(db, file, settings).clone();
    let mut show = Show { db, file, unit, model, texts: HashMap::new() };
    match request.what {
        What::Tangles => show.tangles(request),
        What::Items => Ok(show.items(request.format)),
        What::Preprocessed => Ok(show.preprocessed(request.format)),
    }
}

struct Show<'a> {
    db: &'a Database,
    file: SourceFile,
    unit: Unit,
    model: Model,
    texts: HashMap<SourceFile, Arc<SourceText>>,
}

/// An item where it stands.
struct Placed<'a> {
    item: Item<'a>,
    chunk: Arc<Chunk>,
    first: u32,
}

impl<'a> Show<'a> {
    fn placed(&self, everywhere: bool) -> Vec<Placed<'a>> {
        let db: &'a Database = self.db;
        let mut placed = Vec::new();
        for chunk in chunks(&self.unit) {
            if !everywhere && chunk.file != self.file.id(db) {
                continue;
            }
            let key = ChunkKey::new(db, SharedChunk(chunk.clone()));
            placed.extend(items(db, key).iter().map(|&(item, first)| Placed {
                item,
                chunk: chunk.clone(),
                first,
            }));
        }
        placed
    }

    fn text(&mut self, file: SourceFile) -> Arc<SourceText> {
        let db = self.db;
        self.texts.entry(file).or_insert_with(|| Arc::new(SourceText::new(file.text(db).to_string()))).clone()
    }

    fn ends(&mut self, at: &TextRange) -> (Position, Position) {
        let text = self.text(at.file);
        (text.position(at.range.start), text.position(at.range.end))
    }

    fn tangles(&mut self, request: &Request) -> Result<String, String> {
        let convergent = Convergent::of(self.db, &self.unit);
        let mut functions = Vec::new();
        let mut text = String::new();
        for placed in self.placed(request.function.is_some()) {
            let all = &tangles_of(self.db, placed.item, self.model).0;
            for (body, tangles) in bodies(self.db, placed.item).0.iter().zip(all) {
                if request.function.as_ref().is_some_and(|name| name != body.name.text.as_str()) {
                    continue;
                }
                let places = self.places(&placed, body, tangles);
                let context = Known { places: &places, convergent: &convergent };
                match request.format {
                    ShowFormat::Human => {
                        if !text.is_empty() {
                            text.push('\n');
                        }
                        text += &print::print(body, tangles, &context);
                    }
                    ShowFormat::Json => functions.push(function_json(body, tangles, &context)),
                }
            }
        }
        match (&request.function, request.format) {
            (Some(name), _) if text.is_empty() && functions.is_empty() => {
                Err(format!("{}: no function `{name}` is defined here", self.file.path(self.db)))
            }
            (_, ShowFormat::Human) => Ok(text),
            (_, ShowFormat::Json) => Ok(pretty(&json!({
                "file": &**self.file.path(self.db),
                "model": self.model.as_str(),
                "functions": functions,
            }))),
        }
    }

    /// The places of all spans that the printers may ask for.
    fn places(&mut self, placed: &Placed, body: &Body, tangles: &Tangles) -> Places {
        let len = placed.item.tokens(self.db).0.tokens().len();
        let locator = Locator::new(self.db, &placed.chunk, placed.first, len);
        let mut places = Places::new();
        let mut add = |span: Span| {
            places.entry(span).or_insert_with(|| {
                let (start, end) = self.ends(&locator.locate(span).at);
                ((start.line, start.column), (end.line, end.column))
            });
        };
        add(body.span);
        add(body.name.span);
        body.stmts.iter().for_each(|stmt| add(stmt.span));
        body.calls.iter().for_each(|call| add(call.span));
        tangles.candidates.iter().for_each(|candidate| add(candidate.site));
        let doubts = tangles.doubts.iter();
        doubts.flat_map(|doubt| print::causes(body, doubt)).for_each(|cause| add(cause.span));
        places
    }

    fn items(&mut self, format: ShowFormat) -> String {
        let mut list = Vec::new();
        let mut text = String::new();
        for placed in self.placed(false) {
            let tokens = placed.item.tokens(self.db).0.tokens();
            let locator = Locator::new(self.db, &placed.chunk, placed.first, tokens.len());
            let (start, end) = self.ends(&locator.locate(Span::new(0, tokens.len() as u32)).at);
            let parsed = &parse(self.db, placed.item).0;
            let names: Vec<&str> = parsed
                .ast
                .items
                .iter()
                .filter_map(|&decl| parsed.ast.decls[decl].name.map(|name| name.text.as_str()))
                .collect();
            let kind = self.item_kind(placed.item);
            match format {
                ShowFormat::Human => {
                    let place = format!("{}:{}", start.line, start.column);
                    let errors = match parsed.errors.len() {
                        0 => String::new(),
                        errors => format!(", {}", crate::diagnostic::counted(errors, "syntax error")),
                    };
                    let names = names.join(", ");
                    let size = crate::diagnostic::counted(tokens.len(), "token");
                    writeln!(text, "{place:<8} {kind:<12} {names} ({size}{errors})")
                        .expect("writing to a string succeeds");
                }
                ShowFormat::Json => list.push(json!({
                    "kind": kind, "names": names, "tokens": tokens.len(), "syntax_errors": parsed.errors.len(),
                    "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
                })),
            }
        }
        match format {
            ShowFormat::Human => text,
            ShowFormat::Json => pretty(&json!({ "file": &**self.file.path(self.db), "items": list })),
        }
    }

    fn item_kind(&self, item: Item<'a>) -> &'static str {
        let tokens = item.tokens(self.db).0.tokens();
        let declared = declared(self.db, item);
        match (tokens.first().map(|token| token.kind), &*declared.functions) {
            (Some(TokenKind::Pragma), _) => "pragma",
            (_, [function, ..]) if function.defined && function.kernel => "kernel",
            (_, [function, ..]) if function.defined => "function",
            (_, [_, ..]) => "prototype",
            _ if !declared.variables.is_empty() => "variable",
            _ if tokens.iter().any(|token| token.kind == TokenKind::Typedef) => "typedef",
            (Some(TokenKind::Struct | TokenKind::Union | TokenKind::Enum), _) => "type",
            _ => "other",
        }
    }

    /// The tokens that the parser sees, a line of text for each line of the source that gave some.
    fn preprocessed(&mut self, format: ShowFormat) -> String {
        let mut text = String::new();
        let mut at: Option<(SourceFile, usize)> = None;
        for placed in self.placed(true) {
            let tokens = placed.item.tokens(self.db).0.tokens();
            let locator = Locator::new(self.db, &placed.chunk, placed.first, tokens.len());
            for (index, token) in (0..).zip(tokens) {
                let place = locator.locate(Span::new(index, index + 1)).at;
                let line = self.text(place.file).position(place.range.start).line;
                match at {
                    Some((file, known)) if file == place.file && known == line => text.push(' '),
                    Some((file, _)) if file == place.file => text.push('\n'),
                    _ => {
                        let name = place.file.path(self.db);
                        let gap = if text.is_empty() { "" } else { "\n" };
                        writeln!(text, "{gap}# {line} \"{name}\"").expect("writing to a string succeeds");
                    }
                }
                at = Some((place.file, line));
                if token.kind == TokenKind::Pragma {
                    text += "#pragma ";
                }
                text += spelling(token.kind, token.text);
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        match format {
            ShowFormat::Human => text,
            ShowFormat::Json => pretty(&json!({ "file": &**self.file.path(self.db), "text": text })),
        }
    }
}

type Places = HashMap<Span, ((usize, usize), (usize, usize))>;

struct Known<'a> {
    places: &'a Places,
    convergent: &'a Convergent,
}

impl Context for Known<'_> {
    fn place(&self, span: Span) -> ((usize, usize), (usize, usize)) {
        self.places.get(&span).copied().unwrap_or(((1, 1), (1, 1)))
    }

    fn scope(&self, callee: Callee) -> Option<&'static str> {
        self.convergent.call(callee).map(|called| called.scope().as_str())
    }

    fn convergent(&self, function: Symbol) -> bool {
        self.convergent.function(function)
    }
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value is always valid JSON");
    text.push('\n');
    text
}

fn numbers(candidates: &[CandidateId]) -> Vec<usize> {
    candidates.iter().map(|id| id.index()).collect()
}

fn function_json(body: &Body, tangles: &Tangles, context: &Known) -> Value {
    let place = |span: Span| context.place(span).0;
    let (line, column) = place(body.name.span);
    let candidates: Vec<Value> = tangles
        .candidates
        .iter_enumerated()
        .map(|(id, candidate)| {
            let (line, column) = place(candidate.site);
            json!({
                "id": id.index(), "rule": candidate.rule.as_str(), "parent": candidate.parent.map(|id| id.index()),
                "line": line, "column": column, "family": candidate.family,
                "marks": candidate.marks.iter().map(|mark| mark.as_str()).collect::<Vec<_>>(),
            })
        })
        .collect();
    let calls = body.calls_by_stmt();
    let statements: Vec<Value> = body
        .stmts
        .iter_enumerated()
        .map(|(id, stmt)| {
            let ((line, column), (end_line, end_column)) = context.place(stmt.span);
            let facts = &tangles.stmts[id];
            let doubt = facts.doubt.map(|doubt| &tangles.doubts[doubt]);
            let causes: Vec<Value> = doubt
                .map(|doubt| print::causes(body, doubt))
                .unwrap_or_default()
                .iter()
                .map(|cause| {
                    let (line, column) = place(cause.span);
                    json!({ "line": line, "column": column, "what": cause.what })
                })
                .collect();
            let rejoins = doubt.map(|doubt| {
                let (_, (line, column)) = context.place(body.stmts[doubt.rejoins].span);
                json!({ "line": line, "column": column })
            });
            let calls: Vec<Value> = calls[id]
                .iter()
                .filter_map(|&id| {
                    let call = &body.calls[id];
                    let scope = context.scope(call.callee)?;
                    Some(call_json(call.callee, context.place(call.span).0, scope, &tangles.calls[id]))
                })
                .collect();
            json!({
                "kind": print::kind_name(&stmt.kind),
                "line": line, "column": column, "end_line": end_line, "end_column": end_column,
                "tangles": numbers(&facts.candidates), "reachable": facts.reachable,
                "implementation_defined": doubt.is_some(),
                "inherited": doubt.is_some_and(|doubt| doubt.inherited),
                "causes": causes, "rejoins": rejoins, "convergent_calls": calls,
            })
        })
        .collect();
    json!({
        "name": body.name.text.as_str(), "kernel": body.kernel, "block": body.block,
        "convergent": context.convergent(body.name.text), "line": line, "column": column,
        "tangles": candidates, "statements": statements,
    })
}

fn call_json(callee: Callee, (line, column): (usize, usize), scope: &str, facts: &Facts) -> Value {
    let callee = match callee {
        Callee::Named(name) => Some(name.as_str()),
        Callee::Pointer => None,
    };
    json!({
        "callee": callee, "line": line, "column": column, "scope": scope,
        "tangles": numbers(&facts.candidates), "implementation_defined": facts.doubt.is_some(),
    })
}
