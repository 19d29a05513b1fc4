//! Functions of a file executed by many threads: what is asked, what they did, and the formats in which that is written.
//!
//! The command prints it, the server shows it beside the source.

pub mod alternatives;
pub mod arguments;
pub mod html;
pub mod human;
pub mod lowered;
pub mod races;
pub mod report;

use tangle_base::Symbol;
use tangle_ir::key::FunctionKey;
use tangle_ir::uniformity;
use tangle_simulate::{Communication, Headers, Key, Launch, Observer, Program, Trace};
pub use tangle_simulate::{Policy, Strategy};

use crate::lowered::{Part, Places, Wanted, part_of};
pub use alternatives::Alternatives;
pub use arguments::Given;
pub use report::Report;
use tangle_analysis::flow::module::{Irreducible, Options};
use tangle_analysis::flow::{BlockId, Function, Module, tokens};
use tangle_analysis::program::functions;
use tangle_analysis::program::launches::launches;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::Diagnostic;
use tangle_hir::types::Ty;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Builtins;
use tangle_syntax::source::{Settings, SourceFile};

/// What is asked of an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// None: as is known of each launch of the kernel, or 8.
    pub local_size: Option<[u32; 3]>,
    pub groups: u32,
    /// None: as is known of each launch of the kernel, or 4.
    pub sub_group_size: Option<u32>,
    pub arguments: Vec<Given>,
    pub strategy: Strategy,
    pub policy: Policy,
    pub seed: u64,
    /// What the dice of the policy depend on besides.
    pub choices: u64,
    /// Operations of one thread. None: as many as a moment takes.
    pub steps: Option<u32>,
    /// Whether data races are looked for.
    pub races: bool,
}

impl Default for Asked {
    /// What holds if nothing is said.
    fn default() -> Asked {
        Asked {
            local_size: None,
            groups: 1,
            sub_group_size: None,
            arguments: Vec::new(),
            strategy: Strategy::default(),
            policy: Policy::default(),
            seed: 0,
            choices: 0,
            steps: None,
            races: true,
        }
    }
}

/// What an execution may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Operations of all threads together, if nothing is said of those of one.
    pub steps: u64,
    /// Operations of one thread, if nothing is said of them.
    pub of_a_thread: u32,
    /// Threads that come somewhere: cells of the table.
    pub events: usize,
    /// Bytes.
    pub memory: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: 20_000_000,
            of_a_thread: 1_000_000,
            events: 100_000,
            memory: Launch::default().memory,
        }
    }
}

/// Which function of a file is meant.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// That of a name, which is defined in the file; of several the first.
    Named(&'a str),
    Exactly(FunctionKey),
}

/// A function with all that it calls, lowered to be executed.
pub struct Executable<'a> {
    places: &'a Places<'a>,
    path: &'a str,
    module: Module,
    /// Its number in the module.
    kernel: usize,
    /// What is known of each launch in which it runs.
    known: uniformity::Launch,
    builtins: &'static Builtins,
}

/// Why a function cannot be executed.
#[derive(Debug)]
pub enum NotExecutable {
    /// It, or what it calls, cannot be lowered.
    NotLowered(Vec<Diagnostic>),
    /// A sentence.
    Broken(String),
}

/// What is wrong with what is asked of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The parameter whose argument it is.
    pub parameter: Option<String>,
    /// A sentence.
    pub message: String,
}

impl Wrong {
    fn of(message: String) -> Wrong {
        Wrong { parameter: None, message }
    }
}

impl<'a> Executable<'a> {
    /// A function of a file. `places` are those of the file.
    pub fn of(
        db: &'a Database,
        file: SourceFile,
        settings: Settings,
        model: Model,
        irreducible: Irreducible,
        which: Which,
        places: &'a Places<'a>,
    ) -> Result<Executable<'a>, NotExecutable> {
        let name = match which {
            Which::Named(name) => name.to_owned(),
            Which::Exactly(key) => key.label().into_owned(),
        };
        let is_meant = |key: FunctionKey| match which {
            Which::Named(name) => key.label() == name,
            Which::Exactly(wanted) => key == wanted,
        };
        let options = Options { tokens: tokens::Tokens::Placed, irreducible };
        let want = Wanted { part: Part::Executed(&name), emitted: false };
        let lowering = part_of(db, file, settings, model, &options, places, want);
        let module = lowering.map_err(NotExecutable::NotLowered)?.module;
        let path = file.path(db);
        let Some(kernel) = module.functions.iter().position(|function| is_meant(function.key)) else {
            return Err(NotExecutable::Broken(format!(
                "{path}: cannot execute `{name}`: no code in this file calls it, and other files cannot call it"
            )));
        };
        let definition = functions(db, file, settings).of_key(module.functions[kernel].key);
        let known = definition.map(|at| launches(db, file, settings).of(at)).unwrap_or_default();
        Ok(Executable { places, path, module, kernel, known, builtins: settings.dialect(db).builtins() })
    }

    fn function(&self) -> &Function {
        &self.module.functions[self.kernel]
    }

    /// The parameters that an argument can be given for.
    pub fn parameters(&self) -> impl Iterator<Item = (Symbol, Ty)> {
        arguments::parameters(self.function()).map(|(_, name, ty)| (name, ty))
    }

    /// The work-group that is asked for; if none is, that in which the kernel is known to run, or 8 threads.
    pub fn local_size(&self, asked: Option<[u32; 3]>) -> [u32; 3] {
        asked.or(self.known.work_group_size()).unwrap_or([8, 1, 1])
    }

    /// Threads of a sub-group: as is asked for; if nothing is, as is known of the kernel, or 4.
    pub fn sub_group_size(&self, asked: Option<u32>) -> u32 {
        asked.or(self.known.sub_group_size).unwrap_or(4)
    }

    /// Threads of all work-groups.
    pub fn threads(&self, asked: &Asked) -> u64 {
        let sizes = self.local_size(asked.local_size).into_iter().chain([asked.groups]);
        sizes.fold(1, |all, size| all.saturating_mul(size.into()))
    }

    /// Executes it. `watch` is called again and again meanwhile, and may unwind.
    ///
    /// # Errors
    ///
    /// If it cannot be executed as is asked.
    pub fn run(&self, asked: &Asked, bounds: &Bounds, watch: Option<&dyn Fn()>) -> Result<Report, Wrong> {
        let (path, function) = (self.path, self.function());
        let name = &*function.key.label();
        let program = Program::new(&self.module, self.builtins)
            .map_err(|broken| Wrong::of(format!("{path}: cannot execute `{name}`: {broken}")))?;
        let of_a_thread = bounds.steps / self.threads(asked).max(1);
        let launch = Launch {
            local_size: self.local_size(asked.local_size),
            groups: asked.groups,
            sub_group_size: self.sub_group_size(asked.sub_group_size),
            arguments: arguments::of(function, &asked.arguments)?,
            seed: asked.seed,
            choices: asked.choices,
            strategy: asked.strategy,
            policy: asked.policy,
            headers: match asked.policy {
                Policy::Random => Headers::Random,
                Policy::Early | Policy::Must => Headers::Llvm,
            },
            steps: asked.steps.unwrap_or(of_a_thread.clamp(1, bounds.of_a_thread.into()) as u32),
            races: asked.races,
            memory: bounds.memory,
            ..Launch::default()
        };
        let mut watched = Watched { trace: Trace::new(bounds.events), watch };
        let run = program
            .run(self.kernel, &launch, &mut watched)
            .map_err(|refused| arguments::refused(function, &refused))?;
        let table = watched.trace.table(&program, &run.grid);
        Ok(Report::of(&program, self.places, (function, path), &launch, &run, &table))
    }
}

/// A trace, and somebody who may stop it.
struct Watched<'a> {
    trace: Trace,
    watch: Option<&'a dyn Fn()>,
}

impl Watched<'_> {
    fn look(&self) {
        if let Some(watch) = self.watch {
            watch();
        }
    }
}

impl Observer for Watched<'_> {
    fn wants_blocks(&self) -> bool {
        // Who watches is called also when the trace is full.
        self.watch.is_some() || self.trace.wants_blocks()
    }

    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        self.look();
        self.trace.visited(activation, function, block, key, thread);
    }

    fn together(&mut self, communication: &Communication) {
        self.look();
        self.trace.together(communication);
    }
}
