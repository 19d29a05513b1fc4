//! `tangle show`: the facts of a stage as text or JSON (`docs/json.md`).
//!
//! The output covers the named file. Functions of included files are shown if `--function` selects them, and
//! preprocessed text contains the headers.

mod gutter;
mod known;
mod tangles;
mod uniformity;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use tangle_grammar::ast::Span;
use tangle_grammar::lex::spelling;
use tangle_grammar::token::TokenKind;
use tangle_ir::Namespace;

use self::gutter::Gutter;
use self::known::{Known, Places};
use super::module::{self, pretty};
use super::output::OutputError;
use super::requests::{ShowError, ShowFormat, ShowRequest, Shown, What};
use tangle_analysis::program::{convergent, functions, targets};
use tangle_analysis::tangle::print::{self, PrintContext};
use tangle_analysis::tangle::{Model, TangleFacts, Tangles, tangles_of};
use tangle_analysis::uniformity::jumps::{settled_calls, settled_doubts};
use tangle_diagnostic::{Position, SourceText};
use tangle_emit::json::LazySeq;
use tangle_execution::lowered::check_function_exists;
use tangle_hir::body::Body;
use tangle_hir::scope::{Scoped, segment_items, segments, typed};
use tangle_hir::{bodies, declared};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Scope;
use tangle_syntax::items::find::spelled;
use tangle_syntax::items::{Item, Locator, TextRange, Unit, ast, chunks, is_host, launches, parse, unit};
use tangle_syntax::preprocess::{Chunk, Part};
use tangle_syntax::source::{Settings, SourceFile};

/// The top-level declarations of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle show --what items --format json")]
struct Items<'a> {
    file: &'a str,
    /// In source order.
    items: Vec<ItemFields<'a>>,
    /// Launches of kernels by host code.
    launches: Vec<LaunchFields>,
}

/// A top-level declaration.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Item")]
struct ItemFields<'a> {
    /// `kernel`, `function`, `prototype`, `variable`, `typedef`, `type`, `pragma` or `other`.
    kind: &'static str,
    /// The declared names.
    names: Vec<&'a str>,
    tokens: usize,
    syntax_errors: usize,
    /// The enclosing namespace; may be empty.
    namespace: String,
    /// For CUDA and HIP: a declaration without a mark of device code.
    host: bool,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

/// A launch of a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Launch")]
struct LaunchFields {
    /// The kernel, with template arguments.
    kernel: String,
    /// The size of the block, if it is known.
    block: Option<[u32; 3]>,
    line: usize,
    column: usize,
}

/// The text of a file after preprocessing.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle show --what preprocessed --format json")]
struct Preprocessed<'a> {
    file: &'a str,
    text: String,
}

/// The schema of the JSON output for a stage.
pub(super) fn schema(what: What, generator: SchemaGenerator) -> Schema {
    match what {
        What::Tangles => tangles::schema(generator),
        What::Uniformity => uniformity::schema(generator),
        What::Flow => tangle_emit::json::schema(generator),
        What::Items => generator.into_root_schema_for::<Items>(),
        What::Preprocessed => generator.into_root_schema_for::<Preprocessed>(),
    }
}

/// Writes the facts of the requested stage.
///
/// # Errors
///
/// The requested function does not exist, or the output cannot be written.
pub(super) fn show(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &ShowRequest,
    out: &mut dyn Write,
) -> Result<Shown, ShowError> {
    let unit = unit(db, file, settings).clone();
    let show = Show { db, file, settings, unit, model, texts: RefCell::default() };
    let written = match request.what {
        What::Tangles => return show.tangles(request, out).map(|()| Shown::Whole),
        What::Flow => {
            let function = request.function.as_deref();
            return module::show(db, file, settings, model, function, request.format, out);
        }
        What::Uniformity => {
            if let Some(name) = &request.function {
                check_function_exists(db, file, &show.unit, name)?;
            }
            let functions = uniformity::functions(db, file, settings, request.function.as_deref());
            match request.format {
                ShowFormat::Human => {
                    let vocabulary = settings.dialect(db).vocabulary();
                    uniformity::write_text(vocabulary, &functions, out)
                }
                ShowFormat::Json => uniformity::write_json(file.path(db), &functions, out),
            }
        }
        What::Items => show.items(request.format, out),
        What::Preprocessed => show.preprocessed(request.format, out),
    };
    written.map_err(OutputError)?;
    Ok(Shown::Whole)
}

struct Show<'a> {
    db: &'a Database,
    file: SourceFile,
    settings: Settings,
    unit: Unit,
    model: Model,
    texts: RefCell<HashMap<SourceFile, Arc<SourceText>>>,
}

/// An item and its location: its chunk, and the index of its first token there.
struct Placed<'a> {
    scoped: Scoped<'a>,
    item: Item<'a>,
    chunk: Arc<Chunk>,
    first: u32,
}

impl<'a> Show<'a> {
    fn placed(&self, everywhere: bool) -> Vec<Placed<'a>> {
        let db: &'a Database = self.db;
        let mut placed = Vec::new();
        for (chunk, segment) in segments(db, self.file, self.settings) {
            if !everywhere && chunk.file != self.file.id(db) {
                continue;
            }
            placed.extend(segment_items(db, segment).iter().map(|&(scoped, first)| Placed {
                scoped,
                item: scoped.item(db),
                chunk: chunk.clone(),
                first,
            }));
        }
        placed
    }

    fn text(&self, file: SourceFile) -> Arc<SourceText> {
        let db = self.db;
        let mut texts = self.texts.borrow_mut();
        texts.entry(file).or_insert_with(|| Arc::new(SourceText::new(file.text(db).to_string()))).clone()
    }

    fn ends(&self, at: &TextRange) -> (Position, Position) {
        let text = self.text(at.file);
        (text.position(at.range.start), text.position(at.range.end))
    }

    fn tangles(&self, request: &ShowRequest, out: &mut dyn Write) -> Result<(), ShowError> {
        let convergent = convergent(self.db, self.file, self.settings);
        let placed = &self.placed(request.function.is_some());
        if let Some(name) = &request.function {
            check_function_exists(self.db, self.file, &self.unit, name)?;
        }
        let functions = || {
            placed.iter().flat_map(move |placed| {
                let bodies = bodies(self.db, placed.item).0.iter().enumerate();
                let tangles = &tangles_of(self.db, placed.item, self.model).0;
                let shown = bodies.zip(tangles).filter(|((_, body), _)| {
                    request.function.as_ref().is_none_or(|name| name == body.name.text.as_str())
                });
                shown.map(move |((number, body), tangles)| {
                    let functions = functions(self.db, self.file, self.settings);
                    let at =
                        u32::try_from(number).ok().and_then(|number| functions.of_body(placed.item, number));
                    let id = at.filter(|_| !tangles.doubts.is_empty()).map(|at| functions.get(at).id);
                    let known = Known {
                        places: self.places(placed, body, tangles),
                        targets: targets(self.db, placed.scoped, number),
                        key: typed(self.db, placed.scoped).keys[number],
                        convergent,
                        settled_doubts: id.map_or(&[], |id| settled_doubts(self.db, id, self.model)),
                        settled_calls: id.map_or(&[], |id| settled_calls(self.db, id, self.model)),
                        vocabulary: self.settings.dialect(self.db).vocabulary(),
                    };
                    (tangles::Function { body, tangles, known }, placed)
                })
            })
        };
        let written = match request.format {
            ShowFormat::Human => self.beside_source(functions(), request, out),
            ShowFormat::Json => {
                let file = &**self.file.path(self.db);
                let functions = LazySeq(|| functions().map(|(function, _)| function));
                pretty(out, &tangles::Document { file, functions, model: self.model.as_str() })
            }
        };
        written.map_err(OutputError)?;
        Ok(())
    }

    /// Writes each function as source with a gutter, then its candidates and doubts. Ends with a legend.
    fn beside_source<'f>(
        &self,
        functions: impl Iterator<Item = (tangles::Function<'f>, &'f Placed<'a>)>,
        request: &ShowRequest,
        out: &mut dyn Write,
    ) -> io::Result<()>
    where
        'a: 'f,
    {
        let branches = uniformity::branches(self.db, self.file, self.settings, request.function.as_deref());
        let mut gutters = Vec::new();
        for (index, (function, placed)) in functions.enumerate() {
            let tangles::Function { body, tangles, known } = &function;
            let len = placed.item.tokens(self.db).0.tokens().len();
            let locator = Locator::new(self.db, &placed.chunk, placed.first, len);
            let own = locator.locate(body.name.span).at.file;
            // Text of a file that is included inside the function is not shown.
            let line = |span: Span| {
                let at = locator.locate(span).at;
                (at.file == own).then(|| self.ends(&at).0.line)
            };
            let name = known.place(body.name.span).0;
            let ((first, _), (last, _)) = known.place(body.span);
            let mut gutter = Gutter::new(first.min(name.0), last);
            let names = |facts: &TangleFacts| -> Vec<String> {
                facts.candidates.iter().map(|&id| print::name(tangles, id)).collect()
            };
            for (id, stmt) in body.stmts.iter_enumerated() {
                let Some(line) = line(stmt.span) else { continue };
                let facts = &tangles.stmts[id];
                gutter.statement(line, &names(facts), facts.reachable);
                if let Some(doubt) = facts.doubt {
                    let is_settled = known.is_settled(doubt);
                    let settled = is_settled.then_some(Scope::Workgroup);
                    gutter.doubt(line, print::doubt(body, tangles, doubt, settled, known), is_settled);
                }
            }
            for (id, call) in body.calls.iter_enumerated() {
                let (Some(scope), Some(line)) = (known.scope(id), line(call.span)) else { continue };
                gutter.operation(line, scope);
                if let Some(doubt) = tangles.calls[id].doubt {
                    let is_settled = known.is_settled_call(id);
                    let settled = is_settled.then_some(scope);
                    gutter.doubt(line, print::doubt(body, tangles, doubt, settled, known), is_settled);
                }
            }
            for &(line, divergence) in branches.get(&(body.name.text, name.0)).into_iter().flatten() {
                gutter.branch(line, divergence);
            }
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{}", print::heading(body, known))?;
            out.write_all(gutter.source(&self.text(own), request.terminal).as_bytes())?;
            out.write_all(print::candidates(tangles, known).as_bytes())?;
            out.write_all(gutter.reasons().as_bytes())?;
            gutters.push(gutter);
        }
        let legend = gutter::legend(&gutters, self.settings.dialect(self.db).vocabulary());
        if legend.is_empty() { Ok(()) } else { write!(out, "\n{legend}") }
    }

    /// Returns the locations of all spans that the printers can look up.
    fn places(&self, placed: &Placed, body: &Body, tangles: &Tangles) -> Places {
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
        doubts.flat_map(|doubt| print::causes(body, tangles, doubt)).for_each(|cause| add(cause.span));
        places
    }

    fn items(&self, format: ShowFormat, out: &mut dyn Write) -> io::Result<()> {
        let mut list = Vec::new();
        let namespaces: HashMap<(*const Chunk, u32), Namespace> = chunks(&self.unit)
            .iter()
            .flat_map(|chunk| {
                let parts = chunk.parts.iter().filter_map(|part| match part {
                    Part::Item { origins, namespace, .. } => Some((origins.start, *namespace)),
                    Part::Include(_) => None,
                });
                parts.map(|(first, namespace)| ((Arc::as_ptr(chunk), first), namespace)).collect::<Vec<_>>()
            })
            .collect();
        for placed in self.placed(false) {
            let namespace = namespaces[&(Arc::as_ptr(&placed.chunk), placed.first)].to_string();
            let host = is_host(self.db, placed.item);
            let tokens = placed.item.tokens(self.db).0.tokens();
            let locator = Locator::new(self.db, &placed.chunk, placed.first, tokens.len());
            let (start, end) = self.ends(&locator.locate(Span::new(0, tokens.len() as u32)).at);
            let (parsed, ast) = (parse(self.db, placed.item), ast(self.db, placed.item));
            let names: Vec<&str> = ast
                .items
                .iter()
                .filter_map(|&decl| ast.decls[decl].name.map(|name| name.text.as_str()))
                .collect();
            let kind = self.item_kind(placed.item);
            match format {
                ShowFormat::Human => {
                    let place = format!("{}:{}", start.line, start.column);
                    let errors = match parsed.errors.len() {
                        0 => String::new(),
                        errors => format!(", {}", tangle_diagnostic::counted(errors, "syntax error")),
                    };
                    let names = names.join(", ");
                    let inside =
                        if namespace.is_empty() { String::new() } else { format!(", in {namespace}") };
                    let host = if host { ", host" } else { "" };
                    let size = tangle_diagnostic::counted(tokens.len(), "token");
                    writeln!(out, "{place:<8} {kind:<12} {names} ({size}{inside}{host}{errors})")?;
                }
                ShowFormat::Json => list.push(ItemFields {
                    kind,
                    names,
                    tokens: tokens.len(),
                    syntax_errors: parsed.errors.len(),
                    namespace,
                    host,
                    line: start.line,
                    column: start.column,
                    end_line: end.line,
                    end_column: end.column,
                }),
            }
        }
        let launches = self.launches();
        match format {
            ShowFormat::Human => {
                let line = |(start, name, block): &(Position, String, Option<[u32; 3]>)| {
                    let place = format!("{}:{}", start.line, start.column);
                    let block = block.map_or(String::new(), |[x, y, z]| format!(" (block {x}×{y}×{z})"));
                    format!("{place:<8} {:<12} {name}{block}\n", "launch")
                };
                out.write_all(launches.iter().map(line).collect::<String>().as_bytes())
            }
            ShowFormat::Json => {
                let launches = launches.into_iter().map(|(start, kernel, block)| LaunchFields {
                    kernel,
                    block,
                    line: start.line,
                    column: start.column,
                });
                let file = &**self.file.path(self.db);
                pretty(out, &Items { file, items: list, launches: launches.collect() })
            }
        }
    }

    /// Returns the launches in the file itself: the location, the kernel with template arguments, and the block size.
    fn launches(&self) -> Vec<(Position, String, Option<[u32; 3]>)> {
        let all = launches(&self.unit).into_iter().filter_map(|launched| {
            let at = launched.place(self.db).at;
            let launch = launched.launch();
            let arguments = launch.template_arguments.as_deref();
            let arguments = arguments.map_or(String::new(), |tokens| format!("<{}>", spelled(tokens)));
            let name: String = launch.kernel.iter().map(|token| spelling(token.kind, token.text)).collect();
            (at.file == self.file).then(|| (self.ends(&at).0, name + &arguments, launch.block))
        });
        all.collect()
    }

    fn item_kind(&self, item: Item<'a>) -> &'static str {
        let tokens = item.tokens(self.db).0.tokens();
        let declared = declared(self.db, item);
        match (tokens.first().map(|token| token.kind), &*declared.functions) {
            (Some(TokenKind::Pragma), _) => "pragma",
            // A class: its functions are methods. A function definition does not end with a semicolon.
            (_, [function, ..])
                if function.defined
                    && tokens.last().is_some_and(|token| token.kind == TokenKind::Semicolon) =>
            {
                "type"
            }
            (_, [function, ..]) if function.defined && function.kernel => "kernel",
            (_, [function, ..]) if function.defined => "function",
            (_, [_, ..]) => "prototype",
            _ if !declared.variables.is_empty() => "variable",
            _ if tokens.iter().any(|token| token.kind == TokenKind::Typedef) => "typedef",
            (Some(TokenKind::Struct | TokenKind::Union | TokenKind::Enum), _) => "type",
            _ => "other",
        }
    }

    /// Writes the tokens that the parser receives, one line of text for each source line that produced tokens.
    fn preprocessed(&self, format: ShowFormat, out: &mut dyn Write) -> io::Result<()> {
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
                        text += &format!("{gap}# {line} \"{name}\"\n");
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
            ShowFormat::Human => out.write_all(text.as_bytes()),
            ShowFormat::Json => pretty(out, &Preprocessed { file: self.file.path(self.db), text }),
        }
    }
}
