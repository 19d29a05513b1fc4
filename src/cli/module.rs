//! A file lowered: for `tangle lower` and `tangle show --what flow` in the form that was asked for, for `tangle simulate` as a module.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use tangle_grammar::ast::Span;
use tangle_ir::key::FunctionKey;
use tangle_ir::text::print_functions;

use super::lower::{Emit, Irreducible, LowerFormat, Request, Target, Tokens};
use super::show::ShowFormat;
use crate::db::Database;
use crate::diagnostic::{Diagnostic, Place, Severity, SourceText};
use crate::dialect::Dialect;
use crate::emit::language::Of;
use crate::emit::picture::{Graph, Picture, shapes};
use crate::emit::source::{Source, Spot};
use crate::emit::{dot, json, llvm, svg};
use crate::flow::module::{self, Lowered, Options};
use crate::flow::{Module, NotLowered, Op, tokens};
use crate::hir::bodies;
use crate::hir::scope::ScopedItem;
use crate::lint;
use crate::preprocess::Chunk;
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, Locator, SharedChunk, TextRange, Unit, chunks, items, unit};
use crate::tangle::Model;

/// Writes what a file is lowered to, or returns the findings that say why it cannot be lowered.
pub(crate) fn lower(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &Request,
    out: &mut dyn Write,
) -> Result<Vec<Diagnostic>, String> {
    let places = Places::of(db, file, settings);
    if let Some(name) = &request.function {
        known(db, file, unit(db, file, settings), name)?;
    }
    let options = Options {
        tokens: match request.tokens {
            Tokens::Placed => tokens::Tokens::Placed,
            Tokens::Infer => tokens::Tokens::Infer,
            Tokens::Off => tokens::Tokens::Off,
        },
        irreducible: irreducible(request.irreducible),
    };
    let part = match (&request.function, request.emit) {
        (None, _) => Part::All,
        (Some(name), Emit::Llvm) => Part::Reached(name),
        (Some(name), _) => Part::Named(name),
    };
    let module = match part_of(db, file, settings, model, &options, &places, part) {
        Ok(module) => module,
        Err(findings) => return Ok(findings),
    };
    let module = &module;
    let shown = places.shown(module, request.function.as_deref());
    let written = match request.emit {
        Emit::Llvm => match llvm(module, settings.dialect(db), request, &places) {
            Ok(text) => out.write_all(text.as_bytes()),
            Err(error) => return Ok(vec![places.not_lowered(&error)]),
        },
        Emit::Flow => match request.format {
            LowerFormat::Human => write_text(module, &shown, out),
            LowerFormat::Json => write_json(module, &shown, &places, out),
        },
        Emit::Dot => dot::write(out, &picture(module, &shown, &places)),
        Emit::Svg => svg::write(out, &picture(module, &shown, &places)),
    };
    written.map_err(|error| super::unwritable(&error))?;
    Ok(Vec::new())
}

/// What is done with jumps into cycles, as the stage has it.
pub(super) fn irreducible(asked: Irreducible) -> module::Irreducible {
    match asked {
        Irreducible::Anchor => module::Irreducible::Anchor,
        Irreducible::Dispatch => module::Irreducible::Dispatch,
    }
}

/// The functions of a file that are wanted.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    All,
    /// Those of a name.
    Named(&'a str),
    /// The same, and whatever they call or refer to.
    Reached(&'a str),
    /// The same, and of these also such as cannot be lowered: without them nothing can be executed.
    Executed(&'a str),
}

/// The module of the functions that are wanted, or the findings that say why one of them cannot be lowered.
pub(super) fn part_of(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    options: &Options,
    places: &Places,
    part: Part,
) -> Result<Module, Vec<Diagnostic>> {
    let mut lowered = module::lower(db, file, settings, options);
    let wanted = wanted(&lowered, part);
    let is_wanted = |key: FunctionKey| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
    let mut findings = lint::check(db, file, settings, model);
    findings.retain(|finding| {
        let in_function = || places.function_at(&finding.place);
        // What a program means, or that it may go wrong, does not keep it from being lowered; nor does a comment help.
        matches!(finding.rule, "syntax-error" | "type-error")
            && (wanted.is_none() || in_function().is_none_or(is_wanted))
    });
    // What has a finding already need not be told again.
    let told: FxHashSet<FunctionKey> =
        findings.iter().filter_map(|finding| places.function_at(&finding.place)).collect();
    let errors = lowered.errors.iter().filter(|error| error.function.is_none_or(is_wanted));
    findings.extend(
        errors
            .filter(|error| error.function.is_none_or(|key| !told.contains(&key)))
            .map(|error| places.not_lowered(error)),
    );
    if !findings.is_empty() {
        return Err(findings);
    }
    lowered.module.functions.retain(|function| is_wanted(function.key));
    Ok(lowered.module)
}

/// Writes the flow graphs of a file as far as they can be had.
pub(super) fn show(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    function: Option<&str>,
    format: ShowFormat,
    out: &mut dyn Write,
) -> Result<(), String> {
    let unit = unit(db, file, settings);
    if let Some(name) = function {
        known(db, file, unit, name)?;
    }
    let places = Places::of(db, file, settings);
    let lowered = module::lower(db, file, settings, &Options::default());
    let shown = places.shown(&lowered.module, function);
    let written = match format {
        ShowFormat::Json => write_json(&lowered.module, &shown, &places, out),
        ShowFormat::Human => write_text(&lowered.module, &shown, out).and_then(|()| {
            let here = |error: &&NotLowered| match function {
                Some(name) => error.function.is_some_and(|key| key.name.as_str() == name),
                None => error.function.is_none_or(|key| places.is_here(key)),
            };
            lowered.errors.iter().filter(here).enumerate().try_for_each(|(number, error)| {
                let gap = if shown.is_empty() && number == 0 { "" } else { "\n" };
                let spot = error.function.and_then(|key| places.spot(key, error.span));
                let (line, column) = spot.map_or((1, 1), |spot| spot.start);
                let of = error.function.map_or("module".to_owned(), |key| format!("function {key}"));
                writeln!(out, "{gap}{of}: cannot be lowered: {} ({line}:{column})", error.reason)
            })
        }),
    };
    written.map_err(|error| super::unwritable(&error))
}

/// Whether a function is defined in a unit; if not, a sentence that suggests another.
pub(super) fn known(db: &Database, file: SourceFile, unit: &Unit, name: &str) -> Result<(), String> {
    let chunks = chunks(unit).into_iter();
    let items = chunks.flat_map(|chunk| items(db, ChunkKey::new(db, SharedChunk(chunk))));
    let bodies = items.flat_map(|&(item, _)| &bodies(db, item).0);
    let names: BTreeSet<&str> = bodies.map(|body| body.name.text.as_str()).collect();
    if names.contains(name) {
        return Ok(());
    }
    let near = |other: &&&str| strsim::jaro_winkler(name, other);
    let nearest = names.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|other| near(other) > 0.7);
    let file = file.path(db);
    Err(match nearest {
        Some(nearest) => format!("{file}: no function `{name}` is defined here; did you mean `{nearest}`?"),
        None => format!("{file}: no function `{name}` is defined here"),
    })
}

/// The functions that are wanted; None: all.
fn wanted(lowered: &Lowered, part: Part) -> Option<FxHashSet<FunctionKey>> {
    let Lowered { module, errors } = lowered;
    let named = |name: &str| {
        let functions = module.functions.iter().map(|function| function.key);
        functions.filter(|key| key.name.as_str() == name).collect::<Vec<_>>()
    };
    match part {
        Part::All => None,
        Part::Named(name) => Some(named(name).into_iter().collect()),
        Part::Reached(name) => Some(module.reached_from(named(name))),
        Part::Executed(name) => {
            let mut wanted = module.reached_from(named(name));
            let functions = module.functions.iter().filter(|function| wanted.contains(&function.key));
            let calls = functions.flat_map(|function| &function.values).filter_map(|value| match &value.op {
                Op::Call(call) => call.callee.key(),
                Op::Function(key) => Some(*key),
                _ => None,
            });
            let called: FxHashSet<FunctionKey> = calls.collect();
            let failed = errors.iter().filter_map(|error| error.function);
            wanted.extend(failed.filter(|key| key.name.as_str() == name || called.contains(key)));
            Some(wanted)
        }
    }
}

fn llvm(module: &Module, dialect: Dialect, request: &Request, places: &Places) -> Result<String, NotLowered> {
    let target = match request.target {
        Target::Amdgcn => llvm::Target::Amdgcn,
        Target::Nvptx64 => llvm::Target::Nvptx64,
        Target::Spirv64 => llvm::Target::Spirv64,
        Target::X86_64 => llvm::Target::X86_64,
        Target::None => llvm::Target::None,
    };
    llvm::emit(
        module,
        &llvm::Options { target, debug: request.debug, language: &Of(dialect) },
        &ByNumber { module, places },
    )
}

fn write_text(module: &Module, shown: &[usize], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", print_functions(module, shown))
}

fn write_json(module: &Module, shown: &[usize], places: &Places, out: &mut dyn Write) -> io::Result<()> {
    pretty(out, &json::document(module, shown, &shapes, places))
}

/// Writes JSON with a line end behind it.
pub(super) fn pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

fn picture(module: &Module, shown: &[usize], places: &Places) -> Picture {
    let graph = |&number: &usize| {
        let function = &module.functions[number];
        Graph::of(function, &shapes(function), places)
    };
    Picture { file: module.file.clone(), graphs: shown.iter().map(graph).collect() }
}

/// Where the functions of a unit stand.
pub(super) struct Places<'a> {
    db: &'a Database,
    file: SourceFile,
    functions: FxHashMap<FunctionKey, Placed>,
    texts: RefCell<HashMap<Arc<str>, Option<Arc<SourceText>>>>,
}

/// The item that a function is defined in.
struct Placed {
    chunk: Arc<Chunk>,
    first: u32,
    len: usize,
    /// The whole definition.
    span: Span,
    kernel: bool,
}

impl<'a> Places<'a> {
    pub(super) fn of(db: &'a Database, file: SourceFile, settings: Settings) -> Places<'a> {
        let mut functions = FxHashMap::default();
        for (_, definition) in crate::program::functions(db, file, settings).iter() {
            let ScopedItem { chunk, scoped, first } = definition.item.clone();
            let item = scoped.item(db);
            let span = bodies(db, item).0[definition.body as usize].span;
            let len = item.tokens(db).0.tokens().len();
            // Of two definitions of one function the last holds.
            let kernel = definition.kernel;
            functions.insert(definition.key, Placed { chunk, first, len, span, kernel });
        }
        Places { db, file, functions, texts: RefCell::default() }
    }

    /// The functions to show: that of a name, or those of the file itself.
    fn shown(&self, module: &Module, name: Option<&str>) -> Vec<usize> {
        let functions = module.functions.iter().enumerate();
        let shown = functions.filter(|(_, function)| match name {
            Some(name) => function.key.name.as_str() == name,
            None => self.is_here(function.key),
        });
        shown.map(|(number, _)| number).collect()
    }

    /// The kernels of the file itself, in the order of the text.
    pub(super) fn kernels(&self) -> Vec<FunctionKey> {
        let mut kernels: Vec<(u32, FunctionKey)> = self
            .functions
            .iter()
            .filter(|(key, placed)| placed.kernel && self.is_here(**key))
            .map(|(key, placed)| (placed.first, *key))
            .collect();
        kernels.sort_by(|(a, x), (b, y)| (a, x.name.as_str()).cmp(&(b, y.name.as_str())));
        kernels.into_iter().map(|(_, key)| key).collect()
    }

    /// Whether a function stands in the file itself, and not in what it includes.
    fn is_here(&self, function: FunctionKey) -> bool {
        self.functions.get(&function).is_none_or(|placed| placed.chunk.file == self.file.id(self.db))
    }

    fn locate(&self, function: FunctionKey, span: Span) -> Option<TextRange> {
        let Placed { chunk, first, len, .. } = self.functions.get(&function)?;
        Some(Locator::new(self.db, chunk, *first, *len).locate(span).at)
    }

    /// The function whose definition holds a place.
    fn function_at(&self, place: &Place) -> Option<FunctionKey> {
        let holds = |key: FunctionKey, placed: &Placed| {
            self.locate(key, placed.span).is_some_and(|at| {
                *at.file.path(self.db) == place.file
                    && at.range.start <= place.range.start
                    && place.range.start < at.range.end
            })
        };
        self.functions.iter().find(|(key, placed)| holds(**key, placed)).map(|(key, _)| *key)
    }

    fn not_lowered(&self, error: &NotLowered) -> Diagnostic {
        let place = match error.function.and_then(|key| self.locate(key, error.span)) {
            Some(at) => Place::new(at.file.path(self.db).clone(), at.range),
            None => Place::new(self.file.path(self.db).clone(), 0..0),
        };
        let finding = |message: String| Diagnostic::new("not-lowered", Severity::Error, place, message);
        match error.function {
            Some(key) => {
                let message = format!("cannot lower `{key}`: {}", error.reason);
                finding(message).in_function(key.name.as_str())
            }
            None => finding(format!("cannot lower {}", error.reason)),
        }
    }

    /// Lines of a file; 0 for one that is not known.
    pub(super) fn line_count(&self, file: &Arc<str>) -> usize {
        self.text(file).map_or(0, |text| text.line_count())
    }

    fn text(&self, file: &Arc<str>) -> Option<Arc<SourceText>> {
        let mut texts = self.texts.borrow_mut();
        let read = || {
            let file = self.db.known(file)?;
            Some(Arc::new(SourceText::new(file.text(self.db).to_string())))
        };
        texts.entry(file.clone()).or_insert_with(read).clone()
    }
}

impl Source for Places<'_> {
    fn spot(&self, function: FunctionKey, span: Span) -> Option<Spot> {
        let at = self.locate(function, span)?;
        let file = at.file.path(self.db);
        let text = self.text(file)?;
        let (start, end) = (text.position(at.range.start), text.position(at.range.end));
        Some(Spot {
            file: file.clone(),
            foreign: at.file != self.file,
            start: (start.line, start.column),
            end: (end.line, end.column),
        })
    }

    fn line(&self, file: &Arc<str>, line: usize) -> Option<String> {
        let text = self.text(file)?;
        Some(text.text()[text.line_range(line)].to_owned())
    }
}

/// The places of a module's functions, by their numbers in it.
struct ByNumber<'a> {
    module: &'a Module,
    places: &'a Places<'a>,
}

impl llvm::Places for ByNumber<'_> {
    fn place(&self, function: usize, span: Span) -> Option<llvm::Place> {
        let spot = self.places.spot(self.module.functions.get(function)?.key, span)?;
        let number = |number: usize| u32::try_from(number).ok();
        Some(llvm::Place { file: spot.file, line: number(spot.start.0)?, column: number(spot.start.1)? })
    }
}
