//! Executes functions of a file with many threads: the request, the result, and its output formats.
//!
//! The command prints the result; the language server shows it beside the source.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_analysis::flow::module::Irreducible;
//! use tangle_analysis::tangle::Model;
//! use tangle_execution::lowered::FunctionLocations;
//! use tangle_execution::{Bounds, Executable, FunctionSelector, LaunchRequest};
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let file = db.set_text("k.cl", "kernel void k(void) { if (get_local_id(0) < 3) barrier(1); }");
//!
//! let locations = FunctionLocations::of(&db, file, settings);
//! let (model, named) = (Model::Tangles, FunctionSelector::Named("k"));
//! let kernel = Executable::of(&db, file, settings, model, Irreducible::default(), named, &locations);
//! let report = kernel.ok().unwrap().run(&LaunchRequest::default(), &Bounds::default(), None).unwrap();
//! assert_eq!(report.outcome, "deadlock");
//! ```

pub mod alternatives;
pub mod arguments;
mod cells;
pub mod comparison_text;
pub mod difference;
mod exchange;
pub mod graph_text;
pub mod html;
pub mod human;
pub mod lowered;
pub mod marks;
mod matching;
pub mod races;
pub mod report;
pub mod svg;
pub mod witness;

use tangle_base::Symbol;
use tangle_ir::flow::verify::Row;
use tangle_ir::key::FunctionKey;
use tangle_ir::uniformity;
use tangle_simulate::{
    Communication, Headers, Key, Launch, LaunchError, Observer, Program, ProgramError, Run, Trace,
};
pub use tangle_simulate::{Policy, Strategy};

use crate::lowered::{FunctionLocations, LoweringRequest, RequestedFunctions, lower_requested};
pub use alternatives::Alternatives;
pub use arguments::NamedArgument;
pub use report::Report;
use tangle_analysis::flow::module::{Irreducible, Options};
use tangle_analysis::flow::{BlockId, Function, Module, tokens};
use tangle_analysis::program::functions;
use tangle_analysis::program::launches::launches;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::Diagnostic;
use tangle_emit::source::FunctionSource;
use tangle_hir::types::Ty;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Builtins;
use tangle_syntax::source::{Settings, SourceFile};

/// A request for an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRequest {
    /// `None`: the size known from the kernel's attributes and launches, or otherwise 8.
    pub local_size: Option<[u32; 3]>,
    pub groups: u32,
    /// `None`: the size known from the kernel's attributes and launches, or otherwise 4.
    pub sub_group_size: Option<u32>,
    pub arguments: Vec<NamedArgument>,
    pub strategy: Strategy,
    pub policy: Policy,
    pub seed: u64,
    /// An additional seed for the random choices of the policy.
    pub choices: u64,
    /// The maximum number of operations per thread. `None`: derived from [`Bounds`].
    pub steps: Option<u32>,
    /// Whether `local` memory starts with zeros instead of undefined values.
    pub zero_local_memory: bool,
    /// The number that a thread gets that reads from a lane that takes no part. `None`: an undefined value.
    pub unread: Option<i32>,
    /// Whether to search for data races.
    pub races: bool,
}

impl Default for LaunchRequest {
    /// The defaults of the command line.
    fn default() -> LaunchRequest {
        LaunchRequest {
            local_size: None,
            groups: 1,
            sub_group_size: None,
            arguments: Vec::new(),
            strategy: Strategy::default(),
            policy: Policy::default(),
            seed: 0,
            choices: 0,
            steps: None,
            zero_local_memory: false,
            unread: None,
            races: true,
        }
    }
}

/// The limits of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Operations of all threads together. Divided among the threads if [`LaunchRequest::steps`] is `None`.
    pub steps: u64,
    /// The maximum number of operations of one thread if [`LaunchRequest::steps`] is `None`.
    pub steps_per_thread: u32,
    /// Recorded visits of threads to blocks: cells of the table.
    pub events: usize,
    /// Memory in bytes.
    pub memory: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: 20_000_000,
            steps_per_thread: 1_000_000,
            events: 100_000,
            memory: Launch::default().memory,
        }
    }
}

/// Selects a function of a file.
#[derive(Clone, Copy, Debug)]
pub enum FunctionSelector<'a> {
    /// The function with this name that is defined in the file. The first if there are several.
    Named(&'a str),
    Exactly(FunctionKey),
}

/// A function with all its callees, lowered for execution.
pub struct Executable<'a> {
    places: &'a dyn FunctionSource,
    path: &'a str,
    module: Module,
    /// The index of the function in the module.
    kernel: usize,
    /// The properties of all launches that execute the function.
    known: uniformity::Launch,
    builtins: &'static Builtins,
    /// Whether it was read from LLVM IR. A compiler may have joined all its returns.
    is_llvm: bool,
}

/// The reason why a function cannot be executed.
#[derive(Debug)]
pub enum NotExecutable {
    /// The function or one of its callees cannot be lowered.
    NotLowered(Vec<Diagnostic>),
    /// A message in one sentence.
    Unsupported(String),
}

/// An error in a request for an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    /// The parameter whose argument is invalid, if the error concerns one.
    pub parameter: Option<String>,
    /// A message in one sentence.
    pub message: String,
}

impl RequestError {
    fn of(message: String) -> RequestError {
        RequestError { parameter: None, message }
    }
}

impl<'a> Executable<'a> {
    /// Lowers a function of a file. `places` has the source locations of the file's functions.
    pub fn of(
        db: &'a Database,
        file: SourceFile,
        settings: Settings,
        model: Model,
        irreducible: Irreducible,
        which: FunctionSelector,
        places: &'a FunctionLocations<'a>,
    ) -> Result<Executable<'a>, NotExecutable> {
        let name = match which {
            FunctionSelector::Named(name) => name.to_owned(),
            FunctionSelector::Exactly(key) => key.label().into_owned(),
        };
        let is_meant = |key: FunctionKey| match which {
            FunctionSelector::Named(name) => key.label() == name,
            FunctionSelector::Exactly(wanted) => key == wanted || key.template() == wanted,
        };
        let options = Options { tokens: tokens::TokenMethod::Placed, irreducible };
        let want =
            LoweringRequest { part: RequestedFunctions::Executed(&name), emitted: false, partial: false };
        let lowering = lower_requested(db, file, settings, model, &options, places, want);
        let module = lowering.map_err(NotExecutable::NotLowered)?.module;
        let path = file.path(db);
        let Some(kernel) = module.functions.iter().position(|function| is_meant(function.key)) else {
            return Err(NotExecutable::Unsupported(format!(
                "{path}: cannot execute `{name}`: no code in this file calls it, or no call gives all its template arguments"
            )));
        };
        let definition = functions(db, file, settings).of_key(module.functions[kernel].key);
        let known = definition.map(|at| launches(db, file, settings).of(at)).unwrap_or_default();
        let builtins = settings.dialect(db).builtins();
        Ok(Executable { places, path, module, kernel, known, builtins, is_llvm: false })
    }

    /// Returns a function of a module that was read as text. `kernel`: the index of the function. The launches have the
    /// sizes that the function requires.
    pub fn of_graph(
        module: Module,
        kernel: usize,
        places: &'a dyn FunctionSource,
        path: &'a str,
        builtins: &'static Builtins,
    ) -> Executable<'a> {
        let function = &module.functions[kernel];
        let known = uniformity::Launch {
            local_size: function.work_group_size.map_or([None; 3], |size| size.map(Some)),
            sub_group_size: function.sub_group_size,
            ..uniformity::Launch::default()
        };
        Executable { places, path, module, kernel, known, builtins, is_llvm: false }
    }

    /// Marks a function that was read from LLVM IR. Each thread that has returned counts as one that returned early.
    pub fn of_llvm(self) -> Executable<'a> {
        Executable { is_llvm: true, ..self }
    }

    /// Gives the parameters of a function that was read from LLVM IR the types that they have in another version: LLVM
    /// IR has neither signs nor the types that pointers point to.
    pub fn adopt_parameters(&mut self, other: &Executable) {
        tangle_llvm::adopt_parameters(&mut self.module.functions[self.kernel], other.function());
    }

    fn function(&self) -> &Function {
        &self.module.functions[self.kernel]
    }

    /// Returns the parameters that can have an argument.
    pub fn parameters(&self) -> impl Iterator<Item = (Symbol, Ty)> {
        arguments::parameters(self.function()).map(|(_, name, ty)| (name, ty))
    }

    /// Returns the requested work-group size; otherwise the known size of the kernel, or 8 threads.
    pub fn local_size(&self, asked: Option<[u32; 3]>) -> [u32; 3] {
        asked.or(self.known.work_group_size()).unwrap_or([8, 1, 1])
    }

    /// Returns the requested sub-group size; otherwise the known size of the kernel, or 4 threads.
    pub fn sub_group_size(&self, asked: Option<u32>) -> u32 {
        asked.or(self.known.sub_group_size).unwrap_or(4)
    }

    /// Returns the number of threads in all work-groups.
    pub fn threads(&self, asked: &LaunchRequest) -> u64 {
        let sizes = self.local_size(asked.local_size).into_iter().chain([asked.groups]);
        sizes.fold(1, |all, size| all.saturating_mul(size.into()))
    }

    /// Executes the function. `watch` is called regularly during the execution and may unwind.
    ///
    /// # Errors
    ///
    /// The function cannot be executed as requested.
    pub fn run(
        &self,
        asked: &LaunchRequest,
        bounds: &Bounds,
        watch: Option<&dyn Fn()>,
    ) -> Result<Report, RequestError> {
        let launch = self.launch(asked, bounds)?;
        self.report(&self.program()?, &launch, bounds, watch)
    }

    /// Prepares the function for executions.
    fn program(&self) -> Result<Program<'_>, RequestError> {
        let (path, name) = (self.path, self.function().key.label());
        Program::new(&self.module, self.builtins).map_err(|broken| {
            let reason = match &broken {
                ProgramError::Rules { function, violations } if !violations.is_empty() => {
                    let Row { name, demands, .. } = violations[0].rule.row();
                    let of = self.module.functions[*function].key;
                    format!("the flow graph of `{of}` breaks the rule `{name}`: {demands}")
                }
                broken => broken.to_string(),
            };
            RequestError::of(format!("{path}: cannot execute `{name}`: {reason}"))
        })
    }

    /// Returns the launch of a request.
    fn launch(&self, asked: &LaunchRequest, bounds: &Bounds) -> Result<Launch, RequestError> {
        let of_a_thread = bounds.steps / self.threads(asked).max(1);
        Ok(Launch {
            local_size: self.local_size(asked.local_size),
            groups: asked.groups,
            sub_group_size: self.sub_group_size(asked.sub_group_size),
            arguments: arguments::of(self.function(), &asked.arguments)?,
            seed: asked.seed,
            choices: asked.choices,
            strategy: asked.strategy,
            policy: asked.policy,
            headers: match asked.policy {
                Policy::Random => Headers::Random,
                Policy::Early | Policy::Must => Headers::Llvm,
            },
            steps: asked.steps.unwrap_or(of_a_thread.clamp(1, bounds.steps_per_thread.into()) as u32),
            zero_local_memory: asked.zero_local_memory,
            unread: asked.unread,
            races: asked.races,
            masks: true,
            all_returns_exit: self.is_llvm,
            memory: bounds.memory,
            ..Launch::default()
        })
    }

    /// Executes a launch of the prepared function, and records the thread table.
    fn report(
        &self,
        program: &Program<'_>,
        launch: &Launch,
        bounds: &Bounds,
        watch: Option<&dyn Fn()>,
    ) -> Result<Report, RequestError> {
        let (path, function) = (self.path, self.function());
        let mut watched = ObservedTrace { trace: Trace::new(bounds.events), watch: Watched(watch) };
        let run = run_observed(program, self.kernel, launch, &mut watched)
            .map_err(|refused| arguments::refused(function, &refused))?;
        let table = watched.trace.table(program, &run.grid);
        Ok(Report::of(program, self.places, (function, path), launch, &run, &table))
    }
}

/// Executes a launch. All observers share one copy of the executor's code, which keeps the program small.
fn run_observed(
    program: &Program,
    kernel: usize,
    launch: &Launch,
    observer: &mut dyn Observer,
) -> Result<Run, LaunchError> {
    program.run(kernel, launch, &mut &mut *observer)
}

/// A callback that can stop an execution.
struct Watched<'a>(Option<&'a dyn Fn()>);

impl Watched<'_> {
    fn look(&self) {
        if let Some(watch) = self.0 {
            watch();
        }
    }
}

impl Observer for Watched<'_> {
    fn wants_blocks(&self) -> bool {
        self.0.is_some()
    }

    fn visited(&mut self, _: Key, _: usize, _: BlockId, _: Key, _: usize) {
        self.look();
    }
}

/// A trace, with a callback that can stop the execution.
struct ObservedTrace<'a> {
    trace: Trace,
    watch: Watched<'a>,
}

impl Observer for ObservedTrace<'_> {
    fn wants_blocks(&self) -> bool {
        // The callback must run even if the trace is full.
        self.watch.wants_blocks() || self.trace.wants_blocks()
    }

    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        self.watch.look();
        self.trace.visited(activation, function, block, key, thread);
    }

    fn together(&mut self, communication: &Communication) {
        self.watch.look();
        self.trace.together(communication);
    }
}
