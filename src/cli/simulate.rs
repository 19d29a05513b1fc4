//! `tangle simulate`: executes a kernel with many threads, and shows which threads are converged at each location.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use tangle_simulate::{Policy, Strategy};

use super::analysis::{Analysis, Start};
use super::error::CommandError;
use super::input::{StandardInput, guarded};
use super::lower;
use super::module::{self, pretty};
use super::options::{Globals, Jobs, LanguageArgs};
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::plan::{Plan, Planned};
use super::requests::{Irreducible, LowerFormat, SimulateError, SimulateFormat, SimulateRequest, Simulated};
use tangle_analysis::tangle::Model;
use tangle_execution::alternatives::Alternatives;
use tangle_execution::lowered::{FunctionLocations, check_function_exists};
use tangle_execution::report::Report;
use tangle_execution::{
    Bounds, Executable, FunctionSelector, LaunchRequest, NamedArgument, NotExecutable, arguments, html,
    human, svg,
};
use tangle_syntax::db::Database;
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Threads whose tokens are converged
    #[default]
    Tokens,
    /// Threads that the flow graph without tokens allows to be converged
    Graph,
    /// Threads of one tangle of the source
    Tangles,
    /// Threads that are converged by the revised version of Thread Convergence
    Revised,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// Converge as many threads as allowed
    #[default]
    Early,
    /// Converge only the threads that must be converged
    Must,
    /// Choose at random, by `--seed`
    Random,
    /// Search for two allowed executions with different participants in an operation
    All,
}

/// Execute a kernel and show which threads are converged
///
/// The output is a thread table with a row per thread and a column per source location; threads with the same letter are
/// converged. The outcome, data races, and the participants of each convergent operation follow.
///
/// The exit status is 0 if all threads return without undefined behaviour and there is no data race. It is 1 if there is
/// a data race, a deadlock or undefined behaviour, or if a thread exceeds the limit of steps. It is 2 if the file cannot
/// be executed.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// File with the kernel; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Kernel to execute [default: the only kernel in the file]
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Threads per work-group in each dimension [default: the known size of the launches, or 8]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = arguments::local_size)]
    local_size: Option<[u32; 3]>,

    /// Number of work-groups
    #[arg(long, value_name = "N", default_value_t = LaunchRequest::default().groups)]
    groups: u32,

    /// Threads per sub-group [default: the known size of the launches, or 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    sub_group_size: Option<u32>,

    /// Argument for a kernel parameter [default: small random numbers]
    ///
    /// VALUE is a number or `random`. For a pointer, it is a list of numbers separated by commas, or one number: the
    /// number of elements.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = NamedArgument::parse)]
    arguments: Vec<NamedArgument>,

    /// Rules for which threads are converged [default: tokens; with `--policy all`, the model]
    #[arg(long, value_enum)]
    strategy: Option<StrategyName>,

    /// Behaviour where an implementation can choose
    #[arg(long, value_enum, default_value_t)]
    policy: PolicyName,

    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = LaunchRequest::default().seed)]
    seed: u64,

    /// Maximum number of operations per thread [default: 1 million, and 20 million for all threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,

    /// Start with zeros in local memory [default: undefined values]
    ///
    /// A branch on a value that no thread has written then continues, as on a device.
    #[arg(long)]
    zero_local_memory: bool,

    /// Do not look for data races
    #[arg(long)]
    no_races: bool,

    /// Treatment of cycles with several entries
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    irreducible: Irreducible,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: SimulateFormat,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// Executes the kernel.
///
/// # Errors
///
/// Settings are wrong, the file cannot be read, the request is impossible, or the result cannot be written.
pub(super) fn run<A: Analysis>(
    args: SimulateArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    let mut given = args.language.given();
    let mut input = StandardInput::of([&*args.file], &mut given, streams.input);
    let (Planned { input: file, read_options, .. }, builds) = Plan::single(&args.file, &given)?;
    let text = input.text_of(&file)?;
    let request = SimulateRequest {
        function: args.function,
        launch: LaunchRequest {
            local_size: args.local_size,
            groups: args.groups,
            sub_group_size: args.sub_group_size,
            arguments: args.arguments,
            strategy: match args.strategy.unwrap_or_default() {
                StrategyName::Tokens => Strategy::Tokens,
                StrategyName::Graph => Strategy::Graph,
                StrategyName::Tangles => Strategy::Tangles,
                StrategyName::Revised => Strategy::Revised,
            },
            policy: match args.policy {
                PolicyName::Early | PolicyName::All => Policy::Early,
                PolicyName::Must => Policy::Must,
                PolicyName::Random => Policy::Random,
            },
            seed: args.seed,
            choices: 0,
            steps: args.steps,
            zero_local_memory: args.zero_local_memory,
            unread: None,
            races: !args.no_races,
        },
        all: (args.policy == PolicyName::All).then_some(args.strategy.is_none()),
        irreducible: module::irreducible(args.irreducible),
        format: args.format,
        color: globals.terminal(streams.terminal).color,
    };
    let mut analysis = start(&builds);
    let out = &mut streams.out;
    let simulate = || analysis.simulate(&file, read_options.first(), Arc::new(text), &request, out);
    // Run on a thread of the pool, which has a larger stack.
    let simulated = args.jobs.pool()?.install(|| guarded(&file.name, simulate))??;
    match simulated {
        Simulated::Ran { clean: true } => Ok(Status::Clean),
        Simulated::Ran { clean: false } => Ok(Status::Findings),
        Simulated::NotLowered(findings) => {
            let format = match request.format {
                SimulateFormat::Json => LowerFormat::Json,
                SimulateFormat::Human | SimulateFormat::Html | SimulateFormat::Svg => LowerFormat::Human,
            };
            let terminal = globals.terminal(streams.err_terminal);
            lower::report(findings, format, terminal, globals.quiet, &analysis, &mut streams.err)
                .map_err(OutputError)?;
            Ok(Status::Trouble)
        }
    }
}

/// An execution, or with `--policy all` the executions that differ.
#[derive(JsonSchema)]
#[schemars(title = "tangle simulate --format json", untagged)]
#[expect(dead_code, reason = "only the schema is made of it")]
enum Document {
    One(Box<Report>),
    All(Alternatives),
}

/// The schema of the JSON output.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

/// Executes the requested kernel, and writes the actions of its threads.
///
/// # Errors
///
/// The request does not name one kernel, its launch or its format is impossible, or the output cannot be written.
pub(super) fn execute(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &SimulateRequest,
    out: &mut dyn Write,
) -> Result<Simulated, SimulateError> {
    let places = FunctionLocations::of(db, file, settings);
    let name = match &request.function {
        Some(name) => {
            check_function_exists(db, file, unit(db, file, settings), name)?;
            name.clone()
        }
        None => only_kernel(file.path(db), &places)?,
    };
    let (irreducible, which) = (request.irreducible, FunctionSelector::Named(&name));
    let executable = match Executable::of(db, file, settings, model, irreducible, which, &places) {
        Ok(executable) => executable,
        Err(NotExecutable::NotLowered(findings)) => return Ok(Simulated::NotLowered(findings)),
        Err(NotExecutable::Unsupported(why)) => return Err(SimulateError::Broken(why)),
    };
    let bounds = Bounds::default();
    if let Some(by_model) = request.all {
        let by_source = match model {
            Model::Tangles => Strategy::Tangles,
            Model::Revised => Strategy::Revised,
        };
        let strategy = if by_model { by_source } else { request.launch.strategy };
        let alternatives = executable
            .alternatives(&LaunchRequest { strategy, ..request.launch.clone() }, &bounds)
            .map_err(SimulateError::Launch)?;
        let written = match request.format {
            SimulateFormat::Human => human::write_all(out, &alternatives, &places, request.color),
            SimulateFormat::Json => pretty(out, &alternatives),
            SimulateFormat::Html => return Err(SimulateError::SeveralExecutionsInOne("html")),
            SimulateFormat::Svg => return Err(SimulateError::SeveralExecutionsInOne("svg")),
        };
        written.map_err(OutputError)?;
        return Ok(Simulated::Ran { clean: alternatives.is_clean() });
    }
    let report = executable.run(&request.launch, &bounds, None).map_err(SimulateError::Launch)?;
    let written = match request.format {
        SimulateFormat::Human => human::write(out, &report, &places, request.color),
        SimulateFormat::Json => pretty(out, &report),
        SimulateFormat::Html => html::write(out, &report, &places),
        SimulateFormat::Svg => svg::write(out, &report, &places),
    };
    written.map_err(OutputError)?;
    Ok(Simulated::Ran { clean: report.is_clean() })
}

/// Returns the name of the only kernel in a file. It is an error if the file has no kernel or several kernels.
fn only_kernel(file: &Arc<str>, places: &FunctionLocations) -> Result<String, SimulateError> {
    let kernels = places.kernels();
    match &kernels[..] {
        [] => Err(SimulateError::NoKernel { file: file.clone() }),
        [kernel] => Ok(kernel.name.as_str().to_owned()),
        _ => Err(SimulateError::SeveralKernels { file: file.clone(), kernels }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_accept_names_of_strategies_and_policies() {
        for strategy in Strategy::ALL {
            assert!(StrategyName::from_str(strategy.name(), false).is_ok(), "{strategy:?}");
        }
        for policy in Policy::ALL {
            assert!(PolicyName::from_str(policy.name(), false).is_ok(), "{policy:?}");
        }
    }
}
