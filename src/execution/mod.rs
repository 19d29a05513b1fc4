//! Functions of a file executed by many threads: what is asked, what they did, and the formats in which that is written.
//!
//! The command prints it, the server shows it beside the source.

pub mod alternatives;
pub mod arguments;
pub mod html;
pub mod human;
pub mod races;
pub mod report;

use tangle_simulate::{Headers, Launch, Policy, Program, Strategy, Trace};

use crate::db::Database;
use crate::diagnostic::Diagnostic;
use crate::dialect::Builtins;
use crate::flow::module::{Irreducible, Options};
use crate::flow::{Module, tokens};
use crate::lowered::{Part, Places, part_of};
use crate::source::{Settings, SourceFile};
use crate::tangle::Model;
pub use alternatives::Alternatives;
pub use arguments::Given;
pub use report::Report;

/// What is asked of an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// None: as the kernel requires, or 8.
    pub local_size: Option<[u32; 3]>,
    pub groups: u32,
    pub sub_group_size: u32,
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

/// What an execution may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Operations of all threads together, if nothing is said of those of one.
    pub steps: u64,
    /// Operations of one thread, if nothing is said of them.
    pub of_a_thread: u32,
    /// Threads that come somewhere: cells of the table.
    pub events: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { steps: 20_000_000, of_a_thread: 1_000_000, events: 100_000 }
    }
}

/// A function with all that it calls, lowered to be executed.
pub struct Executable<'a> {
    places: &'a Places<'a>,
    path: &'a str,
    name: &'a str,
    module: Module,
    builtins: &'static Builtins,
}

impl<'a> Executable<'a> {
    /// A function that is defined in the file.
    pub fn of(
        db: &'a Database,
        file: SourceFile,
        settings: Settings,
        model: Model,
        irreducible: Irreducible,
        name: &'a str,
        places: &'a Places<'a>,
    ) -> Result<Executable<'a>, Vec<Diagnostic>> {
        let options = Options { tokens: tokens::Tokens::Placed, irreducible };
        let module = part_of(db, file, settings, model, &options, places, Part::Executed(name))?;
        let builtins = settings.dialect(db).builtins();
        Ok(Executable { places, path: file.path(db), name, module, builtins })
    }

    /// Executes it. A sentence says why it cannot be, or what is wrong with what is asked.
    pub fn run(&self, asked: &Asked, bounds: &Bounds) -> Result<Report, String> {
        let (path, name) = (self.path, self.name);
        let program = Program::new(&self.module, self.builtins)
            .map_err(|broken| format!("{path}: cannot execute `{name}`: {broken}"))?;
        let Some(kernel) = program.function(name) else {
            return Err(format!(
                "{path}: cannot execute `{name}`: only this file could call it, and nothing in it does"
            ));
        };
        let function = &self.module.functions[kernel];
        let local_size = asked.local_size.or(function.work_group_size).unwrap_or([8, 1, 1]);
        let threads =
            local_size.iter().chain([&asked.groups]).fold(1u64, |all, &size| all.saturating_mul(size.into()));
        let launch = Launch {
            local_size,
            groups: asked.groups,
            sub_group_size: asked.sub_group_size,
            arguments: arguments::of(function, &asked.arguments)?,
            seed: asked.seed,
            choices: asked.choices,
            strategy: asked.strategy,
            policy: asked.policy,
            headers: match asked.policy {
                Policy::Random => Headers::Random,
                Policy::Early | Policy::Must => Headers::Llvm,
            },
            steps: asked
                .steps
                .unwrap_or((bounds.steps / threads.max(1)).clamp(1, bounds.of_a_thread.into()) as u32),
            races: asked.races,
            ..Launch::default()
        };
        let mut trace = Trace::new(bounds.events);
        let run = program
            .run(kernel, &launch, &mut trace)
            .map_err(|refused| arguments::refused(function, &refused))?;
        let table = trace.table(&program, &run.grid);
        Ok(Report::of(&program, self.places, (function, path), &launch, &run, &table))
    }
}
