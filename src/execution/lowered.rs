//! The requested functions of a file, lowered with their callees, or the findings that prevent this. Also the source
//! locations of functions.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;
use thiserror::Error;

use tangle_analysis::flow::module::{self, Lowered, Options, UnguaranteedOperation};
use tangle_analysis::flow::{Function, Module, NotLowered, Op};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, Severity, SourceText};
use tangle_emit::language::DialectLanguage;
use tangle_emit::llvm;
use tangle_emit::source::{FunctionSource, SourceRange};
use tangle_hir::bodies;
use tangle_hir::def::functions::defined;
use tangle_hir::instantiation::is_template;
use tangle_hir::scope::{Scoped, ScopedItem, typed};
use tangle_rules::errors_in_text;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Dialect, Vocabulary};
use tangle_syntax::items::{ChunkKey, Locator, SharedChunk, TextRange, Unit, ast, chunks, items};
use tangle_syntax::preprocess::Chunk;
use tangle_syntax::source::{Settings, SourceFile};

/// The reason why a function that the user names cannot be shown: no function of the unit has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FunctionError {
    /// No function of the unit has a similar name.
    #[error("{file}: cannot find function `{name}`")]
    Unknown { file: Arc<str>, name: String },
    #[error("{file}: cannot find function `{name}`; did you mean `{similar}`?")]
    Misspelled { file: Arc<str>, name: String, similar: String },
}

/// The requested functions of a file.
#[derive(Clone, Copy)]
pub enum RequestedFunctions<'a> {
    All,
    /// The functions with this name.
    Named(&'a str),
    /// The functions with this name, and all functions that they call or refer to.
    Reached(&'a str),
    /// The same, including functions that could not be lowered, since they prevent an execution.
    Executed(&'a str),
}

/// A request to lower a file.
#[derive(Clone, Copy)]
pub struct LoweringRequest<'a> {
    pub part: RequestedFunctions<'a>,
    /// Whether the result becomes machine code. Then unknown constructs are errors.
    pub emitted: bool,
    /// Whether a function that cannot be lowered is left out with its callers, and is no error.
    pub partial: bool,
}

/// The lowered part of a file.
pub struct Lowering {
    pub module: Module,
    /// Notes on convergent operations whose tokens guarantee less than the source.
    pub remarks: Vec<Diagnostic>,
    /// The functions that are left out of a partial module.
    pub left_out: LeftOut,
}

/// The functions that are left out of a module, with a note for each. Their callers are left out, too.
#[derive(Default)]
pub struct LeftOut {
    notes: IndexMap<FunctionKey, Diagnostic, FxBuildHasher>,
}

impl LeftOut {
    /// Removes functions from a module, for these reasons, and the functions that call or refer to them. Returns false
    /// if a reason is not in a function: then no part of the module can be emitted.
    pub fn remove(&mut self, module: &mut Module, errors: &[NotLowered], places: &FunctionLocations) -> bool {
        for error in errors {
            let Some(function) = error.function else { return false };
            self.notes.entry(function).or_insert_with(|| places.left_out(error));
        }
        loop {
            let kept = module.functions.iter().filter(|function| !self.notes.contains_key(&function.key));
            let callers: Vec<NotLowered> =
                kept.filter_map(|function| self.reason_of_caller(function)).collect();
            if callers.is_empty() {
                break;
            }
            for caller in callers {
                self.notes.extend(caller.function.map(|key| (key, places.left_out(&caller))));
            }
        }
        module.functions.retain(|function| !self.notes.contains_key(&function.key));
        // Functions that only this module can call may have no caller left.
        let roots = module.functions.iter().filter(|function| function.kernel || !function.internal);
        let reached = module.reached_from(roots.map(|function| function.key).collect::<Vec<_>>());
        module.functions.retain(|function| reached.contains(&function.key));
        module::drop_unused_variables(module);
        true
    }

    /// Returns the reason to leave out a function that calls or refers to one that is left out.
    fn reason_of_caller(&self, function: &Function) -> Option<NotLowered> {
        function.values.iter().find_map(|value| {
            let callee = match &value.op {
                Op::Call(call) => call.callee.key()?,
                Op::Function(key) => *key,
                _ => return None,
            };
            let is_left_out = self.notes.contains_key(&callee);
            is_left_out.then(|| NotLowered {
                function: Some(function.key),
                span: value.span,
                reason: format!("it calls `{}`, which is left out", callee.label()),
            })
        })
    }

    /// Returns the note on a function, or on an instance of a function template.
    pub fn note(&self, function: FunctionKey) -> Option<&Diagnostic> {
        let is_meant = |key: &FunctionKey| key.template() == function.template();
        self.notes.iter().find(|(key, _)| is_meant(key)).map(|(_, note)| note)
    }

    /// Returns the notes on functions that are defined in the file itself.
    pub fn notes(&self, places: &FunctionLocations) -> Vec<Diagnostic> {
        let here = self.notes.iter().filter(|(key, _)| places.is_here(**key));
        here.map(|(_, note)| note.clone()).collect()
    }
}

/// Lowers the requested functions. Returns the findings if one of them cannot be lowered.
pub fn lower_requested(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    options: &Options,
    places: &FunctionLocations,
    want: LoweringRequest,
) -> Result<Lowering, Vec<Diagnostic>> {
    let mut lowered = module::lower(db, file, settings, options);
    let wanted = wanted(&lowered, want.part);
    let is_wanted = |key: FunctionKey| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
    let mut findings = errors_in_text(db, file, settings, model);
    // An error in the text of a template concerns its instances.
    let defined: Option<FxHashSet<FunctionKey>> =
        wanted.as_ref().map(|wanted| wanted.iter().map(|key| key.template()).collect());
    findings.retain(|finding| {
        let in_function = || places.function_at(&finding.place);
        // Suppressed errors also count: a comment does not make the text valid.
        defined.as_ref().is_none_or(|defined| in_function().is_none_or(|key| defined.contains(&key)))
    });
    // A function with an error in its text needs no second finding.
    let reported: FxHashSet<FunctionKey> =
        findings.iter().filter_map(|finding| places.function_at(&finding.place)).collect();
    let unknown: Vec<NotLowered> = want.emitted.then(|| lowered.unknown()).into_iter().flatten().collect();
    let errors = lowered.errors.iter().chain(&unknown);
    findings.extend(
        errors
            .filter(|error| error.function.is_none_or(is_wanted))
            .filter(|error| error.function.is_none_or(|key| !reported.contains(&key.template())))
            .map(|error| places.not_lowered(error)),
    );
    let mut left_out = LeftOut::default();
    if want.partial {
        let errors = errors_in_text(db, file, settings, model);
        let reasons = reasons_in_functions(&errors, &lowered.module, places);
        let in_graphs = lowered.errors.iter().chain(&unknown).filter(|error| error.function.is_some());
        let reasons: Vec<NotLowered> = reasons.into_iter().chain(in_graphs.cloned()).collect();
        left_out.remove(&mut lowered.module, &reasons, places);
    } else if !findings.is_empty() {
        return Err(findings);
    }
    let remarks =
        lowered.unguaranteed.iter().filter(|it| is_wanted(it.function)).map(|it| places.weakened_tokens(it));
    let remarks = remarks.collect();
    lowered.module.functions.retain(|function| is_wanted(function.key));
    if wanted.is_some() {
        module::drop_unused_variables(&mut lowered.module);
    }
    Ok(Lowering { module: lowered.module, remarks, left_out })
}

/// Returns the findings that are in a function as reasons not to lower this function and its instances.
fn reasons_in_functions(
    findings: &[Diagnostic],
    module: &Module,
    places: &FunctionLocations,
) -> Vec<NotLowered> {
    let mut reasons = Vec::new();
    for finding in findings {
        let Some(function) = places.function_at(&finding.place) else { continue };
        let Some(location) = places.of_key(function) else { continue };
        let instances = module.functions.iter().map(|it| it.key).filter(|key| key.is_instance());
        for key in instances.filter(|key| key.template() == function).chain([function]) {
            let reason = finding.message.clone();
            reasons.push(NotLowered { function: Some(key), span: location.span, reason });
        }
    }
    reasons
}

/// Returns whether a function is defined in a unit. The error suggests a similar name.
pub fn check_function_exists(
    db: &Database,
    file: SourceFile,
    unit: &Unit,
    name: &str,
) -> Result<(), FunctionError> {
    let chunks = chunks(unit).into_iter();
    let items = chunks.flat_map(|chunk| items(db, ChunkKey::new(db, SharedChunk(chunk))));
    let bodies = items.flat_map(|&(item, _)| &bodies(db, item).0);
    let names: BTreeSet<&str> = bodies.map(|body| body.name.text.as_str()).collect();
    if names.contains(name) {
        return Ok(());
    }
    let near = |other: &&&str| strsim::jaro_winkler(name, other);
    let nearest = names.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|other| near(other) > 0.7);
    let (file, name) = (file.path(db).clone(), name.to_owned());
    Err(match nearest {
        Some(nearest) => FunctionError::Misspelled { file, name, similar: (*nearest).to_owned() },
        None => FunctionError::Unknown { file, name },
    })
}

/// Returns the requested functions. `None` means all functions.
fn wanted(lowered: &Lowered, part: RequestedFunctions) -> Option<FxHashSet<FunctionKey>> {
    let Lowered { module, errors, .. } = lowered;
    let named = |name: &str| {
        let functions = module.functions.iter().map(|function| function.key);
        functions.filter(|key| key.label() == name).collect::<Vec<_>>()
    };
    match part {
        RequestedFunctions::All => None,
        RequestedFunctions::Named(name) => Some(named(name).into_iter().collect()),
        RequestedFunctions::Reached(name) => Some(module.reached_from(named(name))),
        RequestedFunctions::Executed(name) => {
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

/// The limit on unknown types in one message.
const MAX_NAMES: usize = 3;

/// The source locations of the functions of a unit.
pub struct FunctionLocations<'a> {
    db: &'a Database,
    file: SourceFile,
    vocabulary: &'static Vocabulary,
    functions: FxHashMap<FunctionKey, FunctionLocation<'a>>,
    texts: RefCell<HashMap<Arc<str>, Option<Arc<SourceText>>>>,
}

/// The item that defines a function.
struct FunctionLocation<'a> {
    chunk: Arc<Chunk>,
    scoped: Scoped<'a>,
    first: u32,
    len: usize,
    /// The first token of the definition.
    start: u32,
    /// The range of the body.
    span: Span,
    kernel: bool,
    /// Whether it is a template without known arguments.
    is_template: bool,
}

impl<'a> FunctionLocations<'a> {
    pub fn of(db: &'a Database, file: SourceFile, settings: Settings) -> FunctionLocations<'a> {
        let mut functions = FxHashMap::default();
        let all = tangle_analysis::program::functions(db, file, settings);
        // A finding in a block literal belongs to the enclosing function.
        for (_, definition) in all.iter().filter(|(_, definition)| !definition.block) {
            let ScopedItem { chunk, scoped, first } = definition.item.clone();
            let item = scoped.item(db);
            let span = bodies(db, item).0[definition.body as usize].span;
            let len = item.tokens(db).0.tokens().len();
            // If a function has two definitions, the last one wins.
            let kernel = definition.kernel;
            let ast = &ast(db, item);
            let is_template = definition.instantiation.is_none() && is_template(ast, definition.key.name);
            let declared = defined(ast).into_iter().find(|function| ast.stmts[function.body].span == span);
            let start = declared.map_or(span.start, |function| {
                let decl = &ast.decls[function.decl];
                decl.specifiers.span.map_or(decl.span.start, |span| span.start.min(decl.span.start))
            });
            let location = FunctionLocation { chunk, scoped, first, len, start, span, kernel, is_template };
            functions.insert(definition.key, location);
        }
        let vocabulary = settings.dialect(db).vocabulary();
        FunctionLocations { db, file, vocabulary, functions, texts: RefCell::default() }
    }

    /// Returns the functions to show: those with a name, or those defined in the file itself.
    pub fn shown(&self, module: &Module, name: Option<&str>) -> Vec<usize> {
        let functions = module.functions.iter().enumerate();
        let shown = functions.filter(|(_, function)| match name {
            Some(name) => function.key.label() == name,
            None => self.is_here(function.key),
        });
        shown.map(|(number, _)| number).collect()
    }

    /// Returns the kernels that are defined in the file itself, in source order.
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

    /// Returns whether a function is defined in the file itself, and not in a header.
    pub fn is_here(&self, function: FunctionKey) -> bool {
        self.of_key(function).is_none_or(|placed| placed.chunk.file == self.file.id(self.db))
    }

    /// Returns the location of a function; of an instance without its own definition, that of the template.
    fn of_key(&self, function: FunctionKey) -> Option<&FunctionLocation<'a>> {
        self.functions.get(&function).or_else(|| self.functions.get(&function.template()))
    }

    fn locate(&self, function: FunctionKey, span: Span) -> Option<TextRange> {
        let FunctionLocation { chunk, first, len, .. } = self.of_key(function)?;
        Some(Locator::new(self.db, chunk, *first, *len).locate(span).at)
    }

    /// Returns the location of a span of a function.
    pub(super) fn place(&self, function: FunctionKey, span: Span) -> Option<Place> {
        let at = self.locate(function, span)?;
        Some(Place::new(at.file.path(self.db).clone(), at.range))
    }

    /// Returns the location of the definition of a function.
    pub(super) fn definition(&self, function: FunctionKey) -> Option<Place> {
        self.place(function, self.of_key(function)?.span)
    }

    /// Returns the function whose definition contains the start of a range.
    pub(super) fn function_at(&self, place: &Place) -> Option<FunctionKey> {
        let holds = |key: FunctionKey, placed: &FunctionLocation| {
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
                let arguments = match self.of_key(key) {
                    Some(_) if key.is_instance() => "",
                    Some(FunctionLocation { is_template: true, kernel: true, .. }) => {
                        "no launch or explicit instantiation gives the arguments of the template: "
                    }
                    Some(FunctionLocation { is_template: true, .. }) => {
                        "no call gives all arguments of the template: "
                    }
                    _ => "",
                };
                let unknown = self.unknown_types(key);
                let message = format!("cannot lower `{key}`: {arguments}{}{unknown}", error.reason);
                finding(message).in_function(key.label())
            }
            None => finding(format!("cannot lower {}", error.reason)),
        }
    }

    /// Returns an addition to a message with the unknown types of a function: ` (`node` is not known)`. Empty if there
    /// are none.
    fn unknown_types(&self, function: FunctionKey) -> String {
        let Some(FunctionLocation { scoped, start, span, .. }) = self.of_key(function) else {
            return String::new();
        };
        let all = typed(self.db, *scoped).unknown_types.iter();
        let own = all.filter(|(at, _)| (*start..span.end).contains(&at.start));
        let names: IndexSet<Symbol, FxBuildHasher> = own.map(|&(_, name)| name).collect();
        let quoted: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
        match (&*quoted, names.len() > MAX_NAMES) {
            ([], _) => String::new(),
            ([only], _) => format!(" ({only} is not known)"),
            ([first @ .., last], false) => format!(" ({} and {last} are not known)", first.join(", ")),
            (all, true) => format!(" ({} and others are not known)", all.join(", ")),
        }
    }

    /// Makes a note on a function that is left out of a module.
    fn left_out(&self, error: &NotLowered) -> Diagnostic {
        let mut note = self.not_lowered(error);
        note.severity = Severity::Note;
        note
    }

    /// Makes a note on a convergent operation whose token guarantees less than the source.
    fn weakened_tokens(&self, given_up: &UnguaranteedOperation) -> Diagnostic {
        let &UnguaranteedOperation { function, span, callee } = given_up;
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

    /// Returns the number of lines of a file, or 0 for an unknown file.
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

impl FunctionSource for FunctionLocations<'_> {
    fn vocabulary(&self) -> &'static Vocabulary {
        self.vocabulary
    }

    fn spot(&self, function: FunctionKey, span: Span) -> Option<SourceRange> {
        let at = self.locate(function, span)?;
        let file = at.file.path(self.db);
        let text = self.text(file)?;
        let (start, end) = (text.position(at.range.start), text.position(at.range.end));
        Some(SourceRange {
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

/// Emits a lowered module as LLVM IR in text form. `debug`: with source locations.
///
/// # Errors
///
/// The reasons for all functions and variables without a translation for the target.
pub fn llvm_ir(
    module: &Module,
    dialect: Dialect,
    target: llvm::Target,
    debug: bool,
    places: &FunctionLocations,
) -> Result<String, Vec<NotLowered>> {
    let options = llvm::Options { target, debug, language: &DialectLanguage(dialect) };
    llvm::emit_or_all_errors(module, &options, &LocationsByIndex { module, places })
}

/// The source locations of a module's functions, by function index.
struct LocationsByIndex<'a> {
    module: &'a Module,
    places: &'a FunctionLocations<'a>,
}

impl llvm::LocationMap for LocationsByIndex<'_> {
    fn place(&self, function: usize, span: Span) -> Option<llvm::SourceLocation> {
        let spot = self.places.spot(self.module.functions.get(function)?.key, span)?;
        let number = |number: usize| u32::try_from(number).ok();
        Some(llvm::SourceLocation {
            file: spot.file,
            line: number(spot.start.0)?,
            column: number(spot.start.1)?,
        })
    }
}
