//! `tangle simulate`: a kernel executed by many threads, as the table of who came where together with whom.

mod arguments;
mod html;
mod human;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use tangle_simulate::{Headers, Launch, Outcome, Policy, Program, Strategy, Trace};

use super::analysis::{Analysis, Start};
use super::lower::{self, Irreducible, LowerFormat};
use super::module::{self, Part, Places, pretty};
use super::options::{Jobs, LanguageArgs};
use super::output::Streams;
use super::plan::{Plan, Planned};
use super::{Globals, Status, lint};
use crate::db::Database;
use crate::diagnostic::Diagnostic;
use crate::flow::module::Options;
use crate::flow::tokens;
use crate::source::{Settings, SourceFile};
use crate::syntax::unit;
use crate::tangle::Model;
use arguments::Given;
use report::Report;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// As the tokens say that come from the tangles of the source
    #[default]
    Tokens,
    /// As the flow graph says, as if there were no tokens
    Graph,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// As many threads together as may be
    #[default]
    Early,
    /// Only those together that must be
    Must,
    /// Dice, the same for a seed
    Random,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SimulateFormat {
    #[default]
    Human,
    Json,
    /// A page that shows the execution step by step
    Html,
}

/// Execute a kernel by many threads, and show which of them arrive together
///
/// Prints a thread table: a row for each thread, a column for each place, threads of one letter where they are converged; then
/// how it ended, and who took part in each convergent operation. The exit status is 0 if all threads return, 1 if they cannot
/// (they wait for each other, do something undefined, or take too long), 2 for a file that cannot be executed.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// The kernel (default: the only one of the file)
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Threads of a work-group in each direction (default: what the kernel requires, or 8)
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = arguments::local_size)]
    local_size: Option<[u32; 3]>,

    /// Work-groups
    #[arg(long, value_name = "N", default_value_t = 1)]
    groups: u32,

    /// Threads of a sub-group
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=128))]
    sub_group_size: u32,

    /// The argument for a parameter: a number, for a pointer numbers with commas between, or `random`; one number for a pointer
    /// is how many elements there are (default: `random`, small numbers)
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = Given::parse)]
    arguments: Vec<Given>,

    /// Which threads are converged
    #[arg(long, value_enum, default_value_t)]
    strategy: StrategyName,

    /// What is done where an implementation is free: at anchors, and in cycles with several entries
    #[arg(long, value_enum, default_value_t)]
    policy: PolicyName,

    /// The number on which all that is random depends
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Operations of one thread at most (default: a million, and 20 million of all threads)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,

    /// What is done with a cycle that is entered at several places
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    irreducible: Irreducible,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: SimulateFormat,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// What is asked of the analysis.
#[derive(Clone, Debug)]
pub struct Request {
    pub function: Option<String>,
    /// None: as the kernel requires.
    pub local_size: Option<[u32; 3]>,
    pub groups: u32,
    pub sub_group_size: u32,
    pub arguments: Vec<Given>,
    pub strategy: StrategyName,
    pub policy: PolicyName,
    pub seed: u64,
    /// Operations of one thread. None: as many as a moment takes.
    pub steps: Option<u32>,
    pub irreducible: Irreducible,
    pub format: SimulateFormat,
    pub color: bool,
}

/// What became of it.
#[derive(Debug)]
pub enum Simulated {
    Ran {
        /// All threads returned.
        finished: bool,
    },
    /// Why the kernel cannot be lowered.
    NotLowered(Vec<Diagnostic>),
}

/// Operations of all threads together.
const STEPS: u64 = 20_000_000;

/// Operations of one thread.
const OF_A_THREAD: u64 = 1_000_000;

/// Rows of the table, each for a thread that comes somewhere.
const EVENTS: usize = 100_000;

pub(super) fn run<A: Analysis>(
    args: SimulateArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, String> {
    let (Planned { input: file, build, .. }, builds) = Plan::single(&args.file, &args.language.given())?;
    let text = lint::text_of(&file, streams.input)?;
    let request = Request {
        function: args.function,
        local_size: args.local_size,
        groups: args.groups,
        sub_group_size: args.sub_group_size,
        arguments: args.arguments,
        strategy: args.strategy,
        policy: args.policy,
        seed: args.seed,
        steps: args.steps,
        irreducible: args.irreducible,
        format: args.format,
        color: globals.color(streams.color),
    };
    let mut analysis = start(&builds);
    let out = &mut streams.out;
    // On a thread of the pool for its larger stack.
    let simulated = args.jobs.pool()?.install(|| {
        lint::guarded(&file.name, || analysis.simulate(&file, build, Arc::new(text), &request, out))
            .and_then(|simulated| simulated)
    })?;
    match simulated {
        Simulated::Ran { finished: true } => Ok(Status::Clean),
        Simulated::Ran { finished: false } => Ok(Status::Findings),
        Simulated::NotLowered(findings) => {
            let format = match request.format {
                SimulateFormat::Json => LowerFormat::Json,
                SimulateFormat::Human | SimulateFormat::Html => LowerFormat::Human,
            };
            let color = globals.color(streams.err_color);
            lower::report(findings, format, color, globals.quiet, &analysis, &mut streams.err)
                .map_err(|error| super::unwritable(&error))?;
            Ok(Status::Trouble)
        }
    }
}

/// Executes the kernel that is asked for, and writes what its threads did.
pub(super) fn execute(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &Request,
    out: &mut dyn Write,
) -> Result<Simulated, String> {
    let places = Places::of(db, file, settings);
    let path = file.path(db);
    let name = match &request.function {
        Some(name) => {
            module::known(db, file, unit(db, file, settings), name)?;
            name.clone()
        }
        None => only_kernel(path, &places)?,
    };
    let tokens = tokens::Tokens::Placed;
    let options = Options { tokens, irreducible: module::irreducible(request.irreducible) };
    let part = Part::Executed(&name);
    let module = match module::part_of(db, file, settings, model, &options, &places, part) {
        Ok(module) => module,
        Err(findings) => return Ok(Simulated::NotLowered(findings)),
    };
    let program = Program::new(&module, settings.dialect(db).builtins())
        .map_err(|broken| format!("{path}: cannot execute `{name}`: {broken}"))?;
    let Some(kernel) = program.function(&name) else {
        return Err(format!(
            "{path}: cannot execute `{name}`: only this file could call it, and nothing in it does"
        ));
    };
    let function = &module.functions[kernel];
    let local_size = request.local_size.or(function.work_group_size).unwrap_or([8, 1, 1]);
    let threads =
        local_size.iter().chain([&request.groups]).fold(1u64, |all, &size| all.saturating_mul(size.into()));
    let launch = Launch {
        local_size,
        groups: request.groups,
        sub_group_size: request.sub_group_size,
        arguments: arguments::of(function, &request.arguments)?,
        seed: request.seed,
        strategy: match request.strategy {
            StrategyName::Tokens => Strategy::Tokens,
            StrategyName::Graph => Strategy::Graph,
        },
        policy: match request.policy {
            PolicyName::Early => Policy::Early,
            PolicyName::Must => Policy::Must,
            PolicyName::Random => Policy::Random,
        },
        headers: match request.policy {
            PolicyName::Random => Headers::Random,
            PolicyName::Early | PolicyName::Must => Headers::Llvm,
        },
        steps: request.steps.unwrap_or((STEPS / threads.max(1)).clamp(1, OF_A_THREAD) as u32),
        ..Launch::default()
    };
    let mut trace = Trace::new(EVENTS);
    let run =
        program.run(kernel, &launch, &mut trace).map_err(|refused| arguments::refused(function, &refused))?;
    let table = trace.table(&program, &run.grid);
    let report = Report::of(&program, &places, (&name, path), request, &launch, &run, &table);
    let written = match request.format {
        SimulateFormat::Human => human::write(out, &report, &places, request.color),
        SimulateFormat::Json => pretty(out, &report),
        SimulateFormat::Html => html::write(out, &report, &places),
    };
    written.map_err(|error| super::unwritable(&error))?;
    Ok(Simulated::Ran { finished: run.outcome == Outcome::Finished })
}

/// The kernel of a file that has just one.
fn only_kernel(path: &str, places: &Places) -> Result<String, String> {
    let kernels = places.kernels();
    match &kernels[..] {
        [] => {
            Err(format!("{path}: there is no kernel here; `--function` names another function to begin with"))
        }
        [kernel] => Ok(kernel.name.as_str().to_owned()),
        _ => {
            let names: Vec<String> = kernels.iter().take(8).map(|kernel| format!("`{kernel}`")).collect();
            let more = if kernels.len() > names.len() { ", …" } else { "" };
            Err(format!(
                "{path}: which kernel? `--function` names one of {}: {}{more}",
                kernels.len(),
                names.join(", ")
            ))
        }
    }
}
