//! Functions of a file that somebody asks for, lowered with what they need, or the findings that say why not; and where they stand.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_ir::key::FunctionKey;

use tangle_analysis::flow::module::{self, GivenUp, Lowered, Options};
use tangle_analysis::flow::{Module, NotLowered, Op};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Severity, SourceText};
use tangle_emit::language::Of;
use tangle_emit::llvm;
use tangle_emit::source::{Source, Spot};
use tangle_hir::bodies;
use tangle_hir::scope::ScopedItem;
use tangle_rules::errors_in_text;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Dialect, Vocabulary};
use tangle_syntax::items::{ChunkKey, Locator, SharedChunk, TextRange, Unit, chunks, items};
use tangle_syntax::preprocess::Chunk;
use tangle_syntax::source::{Settings, SourceFile};

/// The functions of a file that are wanted.
#[derive(Clone, Copy)]
pub enum Part<'a> {
    All,
    /// Those of a name.
    Named(&'a str),
    /// The same, and whatever they call or refer to.
    Reached(&'a str),
    /// The same, and of these also such as are not in the module: without them nothing can be executed.
    Executed(&'a str),
}

/// What is wanted of a lowered file.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub part: Part<'a>,
    /// It becomes machine code: nothing in it may be unknown.
    pub emitted: bool,
}

/// A part of a file, lowered.
pub struct Lowering {
    pub module: Module,
    /// What the tokens do not promise, as notes.
    pub remarks: Vec<Diagnostic>,
}

/// The functions that are wanted, or the findings that say why one of them cannot be lowered.
pub fn part_of(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    options: &Options,
    places: &Places,
    want: Wanted,
) -> Result<Lowering, Vec<Diagnostic>> {
    let mut lowered = module::lower(db, file, settings, options);
    let wanted = wanted(&lowered, want.part);
    let is_wanted = |key: FunctionKey| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
    let mut findings = errors_in_text(db, file, settings, model);
    findings.retain(|finding| {
        let in_function = || places.function_at(&finding.place);
        // A comment does not help.
        wanted.is_none() || in_function().is_none_or(is_wanted)
    });
    // What has a finding already need not be told again.
    let told: FxHashSet<FunctionKey> =
        findings.iter().filter_map(|finding| places.function_at(&finding.place)).collect();
    let unknown: Vec<NotLowered> = want.emitted.then(|| lowered.unknown()).into_iter().flatten().collect();
    let errors = lowered.errors.iter().chain(&unknown);
    findings.extend(
        errors
            .filter(|error| error.function.is_none_or(is_wanted))
            .filter(|error| error.function.is_none_or(|key| !told.contains(&key)))
            .map(|error| places.not_lowered(error)),
    );
    if !findings.is_empty() {
        return Err(findings);
    }
    let remarks = lowered.given_up.iter().filter(|it| is_wanted(it.function)).map(|it| places.given_up(it));
    let remarks = remarks.collect();
    lowered.module.functions.retain(|function| is_wanted(function.key));
    Ok(Lowering { module: lowered.module, remarks })
}

/// Whether a function is defined in a unit; if not, a sentence that suggests another.
pub fn known(db: &Database, file: SourceFile, unit: &Unit, name: &str) -> Result<(), String> {
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
        Some(nearest) => format!("{file}: cannot find function `{name}`; did you mean `{nearest}`?"),
        None => format!("{file}: cannot find function `{name}`"),
    })
}

/// The functions that are wanted; None: all.
fn wanted(lowered: &Lowered, part: Part) -> Option<FxHashSet<FunctionKey>> {
    let Lowered { module, errors, .. } = lowered;
    let named = |name: &str| {
        let functions = module.functions.iter().map(|function| function.key);
        functions.filter(|key| key.label() == name).collect::<Vec<_>>()
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
            wanted.extend(failed.filter(|key| key.label() == name || called.contains(key)));
            Some(wanted)
        }
    }
}

/// The places of the functions of a unit.
pub struct Places<'a> {
    db: &'a Database,
    file: SourceFile,
    vocabulary: &'static Vocabulary,
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
    pub fn of(db: &'a Database, file: SourceFile, settings: Settings) -> Places<'a> {
        let mut functions = FxHashMap::default();
        let all = tangle_analysis::program::functions(db, file, settings);
        // What is in a block literal stands in the function around it.
        for (_, definition) in all.iter().filter(|(_, definition)| !definition.block) {
            let ScopedItem { chunk, scoped, first } = definition.item.clone();
            let item = scoped.item(db);
            let span = bodies(db, item).0[definition.body as usize].span;
            let len = item.tokens(db).0.tokens().len();
            // Of two definitions of one function the last holds.
            let kernel = definition.kernel;
            functions.insert(definition.key, Placed { chunk, first, len, span, kernel });
        }
        let vocabulary = settings.dialect(db).vocabulary();
        Places { db, file, vocabulary, functions, texts: RefCell::default() }
    }

    /// The functions to show: that of a name, or those of the file itself.
    pub fn shown(&self, module: &Module, name: Option<&str>) -> Vec<usize> {
        let functions = module.functions.iter().enumerate();
        let shown = functions.filter(|(_, function)| match name {
            Some(name) => function.key.label() == name,
            None => self.is_here(function.key),
        });
        shown.map(|(number, _)| number).collect()
    }

    /// The kernels of the file itself, in the order of the text.
    pub fn kernels(&self) -> Vec<FunctionKey> {
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
    pub fn is_here(&self, function: FunctionKey) -> bool {
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

    pub fn not_lowered(&self, error: &NotLowered) -> Diagnostic {
        let place = match error.function.and_then(|key| self.locate(key, error.span)) {
            Some(at) => Place::new(at.file.path(self.db).clone(), at.range),
            None => Place::new(self.file.path(self.db).clone(), 0..0),
        };
        let finding = |message: String| Diagnostic::new("not-lowered", Severity::Error, place, message);
        match error.function {
            Some(key) => {
                let message = format!("cannot lower `{key}`: {}", error.reason);
                finding(message).in_function(key.label())
            }
            None => finding(format!("cannot lower {}", error.reason)),
        }
    }

    /// Says of a convergent operation that its token promises less than the source.
    fn given_up(&self, given_up: &GivenUp) -> Diagnostic {
        let &GivenUp { function, span, callee } = given_up;
        let place = match self.locate(function, span) {
            Some(at) => Place::new(at.file.path(self.db).clone(), at.range),
            None => Place::new(self.file.path(self.db).clone(), 0..0),
        };
        let callee = callee.map_or("this call".to_owned(), |name| format!("`{name}`"));
        let message = format!(
            "the token of {callee} does not guarantee its tangle: `--irreducible anchor` keeps a cycle with several entries"
        );
        let threads = self.vocabulary.threads();
        Diagnostic::new("token-guarantee", Severity::Note, place, message)
            .in_function(function.name.as_str())
            .with_label(format!("the source defines which {threads} take part together"))
    }

    /// Lines of a file; 0 for one that is not known.
    pub fn line_count(&self, file: &Arc<str>) -> usize {
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
    fn vocabulary(&self) -> &'static Vocabulary {
        self.vocabulary
    }

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

/// A lowered module as LLVM IR, as text. `debug`: with source locations.
///
/// # Errors
///
/// The first function without a translation for the target.
pub fn llvm_ir(
    module: &Module,
    dialect: Dialect,
    target: llvm::Target,
    debug: bool,
    places: &Places,
) -> Result<String, NotLowered> {
    let options = llvm::Options { target, debug, language: &Of(dialect) };
    llvm::emit(module, &options, &ByNumber { module, places })
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
