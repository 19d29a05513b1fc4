//! `tangle show`: the result of one stage of the analysis, for one or more files.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::analysis::{Analysis, Start};
use super::error::CommandError;
use super::input::{StandardInput, guarded};
use super::options::{Globals, Jobs, LanguageArgs};
use super::outcome::Status;
use super::output::{Output, OutputError, Streams};
use super::plan::{Plan, Planned};
use super::requests::{ShowFormat, ShowRequest, Shown, What};

/// Show the result of one stage of the analysis
///
/// The exit status is 0 if everything that was asked for is shown. If not, it is 1 if the file has errors, and otherwise 2.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Files to analyse; `-` reads standard input
    ///
    /// For several files, the format `json` is a list with one object for each file.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    files: Vec<PathBuf>,

    /// Result to show
    #[arg(long, value_enum, default_value_t)]
    what: What,

    /// Show only this function
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// Shows the files.
///
/// # Errors
///
/// Settings are wrong, threads cannot be started, or the output cannot be written. If there is only one file: the file
/// cannot be read or shown.
pub(super) fn run<A: Analysis>(
    args: ShowArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    let mut given = args.language.given();
    let mut input = StandardInput::of(args.files.iter().map(|file| &**file), &mut given, streams.input);
    let Plan { files, builds, .. } = Plan::each(&args.files, &given)?;
    let terminal = globals.terminal(streams.terminal);
    let request = ShowRequest { what: args.what, function: args.function, format: args.format, terminal };
    let mut analysis = start(&builds);
    let pool = args.jobs.pool()?;
    let mut show = |file: &Planned, out: &mut Output| -> Result<Status, CommandError> {
        let Planned { input: file, read_options, .. } = file;
        let text = Arc::new(input.text_of(file)?);
        // Run on a thread of the pool, which has a larger stack.
        let shown = pool.install(|| {
            guarded(&file.name, || analysis.show(file, read_options.first(), text, &request, out))
        })??;
        Ok(match shown {
            Shown::Whole => Status::Clean,
            Shown::PartOfErroneous => Status::Findings,
            Shown::Part => Status::Trouble,
        })
    };
    if let [file] = &files[..] {
        return show(file, &mut streams.out);
    }
    let mut status = Status::Clean;
    let mut number = 0;
    for file in &files {
        let mut bytes = Vec::new();
        match show(file, &mut Output::new(&mut bytes)) {
            Ok(own) => status = if (own as u8) > (status as u8) { own } else { status },
            Err(trouble) => {
                streams.trouble(trouble);
                status = Status::Trouble;
                continue;
            }
        }
        let out = &mut streams.out;
        let written = match (args.format, number) {
            (ShowFormat::Json, 0) => write!(out, "["),
            (ShowFormat::Json, _) => write!(out, ","),
            (ShowFormat::Human, 0) => writeln!(out, "{}:", file.input.name),
            (ShowFormat::Human, _) => writeln!(out, "\n{}:", file.input.name),
        };
        written.and_then(|()| out.write_all(&bytes)).map_err(OutputError)?;
        number += 1;
    }
    if args.format == ShowFormat::Json {
        let brackets = if number > 0 { "]" } else { "[]" };
        writeln!(streams.out, "{brackets}").map_err(OutputError)?;
    }
    Ok(status)
}
