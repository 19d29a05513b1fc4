//! The command line. Only this crate prints for people, writes files, and determines the exit status.
//!
//! Exit status: 0 if no finding is at or above `--fail-on`; 1 if there is such a finding; 2 for wrong usage, an input
//! that cannot be read, or an internal error. Each command defines its own findings.
//!
//! [`run`] runs a command with the streams of a caller, [`main`] with the streams of the process. [`options`] has the
//! arguments that commands share, [`plan`] the files with their settings, [`analysis`] and [`session`] the analysis of
//! many files. Each other module is a command or an output.
//!
//! ```
//! use tangle_cli::human::Terminal;
//! use tangle_cli::output::{Output, Streams};
//! use tangle_cli::session::Session;
//! use tangle_cli::{Status, run};
//!
//! let mut input = "kernel void k(int n) { if (get_local_id(0) < n) barrier(1); }".as_bytes();
//! let (mut out, mut err) = (Vec::new(), Vec::new());
//! let mut streams = Streams {
//!     input: &mut input,
//!     out: Output::new(&mut out),
//!     err: Output::new(&mut err),
//!     terminal: Terminal::default(),
//!     err_terminal: Terminal::default(),
//!     progress: false,
//!     in_github_workflow: false,
//! };
//! let status = run(["tangle", "lint", "--format", "short", "-"], &mut streams, Session::start);
//! assert!(matches!(status, Status::Findings));
//! assert!(String::from_utf8(out).unwrap().contains("[divergent-barrier]"));
//! ```

pub mod analysis;
mod config;
pub mod diff;
mod draft;
mod error;
mod explain;
mod facts;
mod generate;
pub mod human;
mod init;
mod input;
mod lint;
pub mod lower;
mod markdown;
mod merge;
pub(crate) mod module;
pub mod options;
pub mod outcome;
pub mod output;
pub mod plan;
mod progress;
pub mod requests;
mod rules;
pub mod schema;
mod server;
pub mod session;
pub mod show;
pub mod simulate;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use terminal_size::{Height, Width, terminal_size_of};

use analysis::{Analysis, Start};
use error::CommandError;
use options::Globals;
use output::{Output, OutputError, Streams};
use plan::InvalidSettings;

pub use outcome::Status;

use crate::human::Terminal;

/// A linter for OpenCL, CUDA and HIP kernels: finds barriers and collectives that not all threads reach
#[derive(Debug, Parser)]
#[command(name = "tangle", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    globals: Globals,
}

#[derive(Debug, Subcommand)]
enum Command {
    Lint(lint::LintArgs),
    Show(show::ShowArgs),
    Lower(lower::LowerArgs),
    Simulate(simulate::SimulateArgs),
    Diff(diff::DiffArgs),
    Explain(explain::ExplainArgs),
    Rules(rules::RulesArgs),
    Schema(schema::SchemaArgs),
    Merge(merge::MergeArgs),
    Config(config::ConfigArgs),
    Init(init::InitArgs),
    Server(server::ServerArgs),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
}

/// Runs the command with the streams and arguments of the process. `serve` runs the language server. It is a parameter
/// because the crate of the server depends on this crate.
pub fn main<A: Analysis>(start: impl Start<A>, serve: impl FnOnce() -> ExitCode) -> ExitCode {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let forced = ["FORCE_COLOR", "CLICOLOR_FORCE"]
        .into_iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0"));
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let terminal = |is_terminal: bool, size: Option<(Width, Height)>| Terminal {
        color: !set("NO_COLOR") && (is_terminal && !dumb || forced),
        width: size.map(|(Width(columns), _)| usize::from(columns)),
    };
    let mut input = io::stdin();
    let mut out = BufWriter::new(io::stdout());
    let mut err = io::stderr();
    let mut streams = Streams {
        input: &mut input,
        terminal: terminal(io::stdout().is_terminal(), terminal_size_of(io::stdout())),
        err_terminal: terminal(io::stderr().is_terminal(), terminal_size_of(io::stderr())),
        progress: io::stderr().is_terminal() && !dumb,
        in_github_workflow: std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
        out: Output::new(&mut out),
        err: Output::new(&mut err),
    };
    match run(std::env::args_os(), &mut streams, start) {
        Status::Serves => serve(),
        status => ExitCode::from(status as u8),
    }
}

/// Runs the command with the given streams and arguments. The first argument is the name of the command.
pub fn run<A: Analysis>(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Status {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, streams),
    };
    let terminal = cli.globals.terminal(streams.err_terminal);
    let result =
        catch_unwind(AssertUnwindSafe(|| dispatch(cli, streams, start))).unwrap_or(Err(CommandError::Panic));
    let flushed = streams.out.flush().map_err(|error| OutputError(error).into());
    match result.and_then(|status| flushed.map(|()| status)) {
        Ok(status) => status,
        Err(CommandError::Settings(InvalidSettings(wrong))) => {
            streams.wrong_settings(&wrong, terminal);
            Status::Trouble
        }
        Err(error) => {
            streams.trouble(error);
            Status::Trouble
        }
    }
}

/// Runs the command of the arguments.
///
/// # Errors
///
/// The command has no result.
fn dispatch<A: Analysis>(
    cli: Cli,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    Ok(match cli.command {
        Command::Lint(args) => lint::run(args, &cli.globals, streams, start)?,
        Command::Show(args) => show::run(args, &cli.globals, streams, start)?,
        Command::Lower(args) => lower::run(args, &cli.globals, streams, start)?,
        Command::Simulate(args) => simulate::run(args, &cli.globals, streams, start)?,
        Command::Diff(args) => diff::run(args, &cli.globals, streams, start)?,
        Command::Schema(args) => schema::run(&args, streams)?,
        Command::Merge(args) => merge::run(&args, streams)?,
        Command::Config(args) => config::run(args, streams)?,
        Command::Init(args) => init::run(&args, streams)?,
        Command::Server(_) => Status::Serves,
        Command::Completions(args) => generate::completions(&args, Cli::command(), streams)?,
        Command::Man(args) => generate::man(&args, Cli::command())?,
        Command::Explain(args) => {
            let terminal = cli.globals.terminal(streams.terminal);
            explain::run(&args, terminal, &mut streams.out)?;
            Status::Clean
        }
        Command::Rules(args) => {
            rules::run(&args, streams.terminal.width, &mut streams.out).map_err(OutputError)?;
            Status::Clean
        }
    })
}

/// Prints the message of clap: the requested help, or the error in the arguments.
fn usage(error: &clap::Error, streams: &mut Streams) -> Status {
    let (out, status) = match error.exit_code() {
        0 => (&mut streams.out, Status::Clean),
        _ => (&mut streams.err, Status::Trouble),
    };
    let written = write!(out, "{}", error.render()).and_then(|()| out.flush());
    match written {
        Ok(()) => status,
        Err(error) => {
            streams.trouble(OutputError(error));
            Status::Trouble
        }
    }
}
