//! `tangle show`: what a stage makes of files.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};

use super::analysis::{Analysis, Start};
use super::lint::StandardInput;
use super::module::Shown;
use super::options::{Jobs, LanguageArgs};
use super::output::{Output, Streams};
use super::plan::{Plan, Planned};
use super::{Failure, Globals, Status, lint};
use crate::diagnostic::human::Terminal;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The source, with the thread tangles and the divergence of every line
    #[default]
    Tangles,
    /// Which branches and variables are divergent, and why
    Uniformity,
    /// The flow graph of every function, with its tokens
    Flow,
    /// The declarations at file scope
    Items,
    /// The text after preprocessing
    Preprocessed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    #[default]
    Human,
    Json,
}

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

/// What is asked of the analysis.
#[derive(Clone, Debug)]
pub struct Request {
    pub what: What,
    pub function: Option<String>,
    pub format: ShowFormat,
    /// What the text is written to.
    pub terminal: Terminal,
}

pub(super) fn run<A: Analysis>(
    args: ShowArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, Failure> {
    let mut given = args.language.given();
    let mut input = StandardInput::of(args.files.iter().map(|file| &**file), &mut given, streams.input);
    let Plan { files, builds, .. } = Plan::each(&args.files, &given)?;
    let terminal = globals.terminal(streams.terminal);
    let request = Request { what: args.what, function: args.function, format: args.format, terminal };
    let mut analysis = start(&builds);
    let pool = args.jobs.pool()?;
    let mut show = |file: &Planned, out: &mut Output| {
        let Planned { input: file, ways, .. } = file;
        let text = Arc::new(input.text_of(file)?);
        // On a thread of the pool for its larger stack.
        let shown = pool.install(|| {
            lint::guarded(&file.name, || analysis.show(file, ways.first(), text, &request, out))
                .and_then(|shown| shown)
        })?;
        Ok(match shown {
            Shown::Whole => Status::Clean,
            Shown::PartOfErroneous => Status::Findings,
            Shown::Part => Status::Trouble,
        })
    };
    if let [file] = &files[..] {
        return show(file, &mut streams.out).map_err(Failure::Words);
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
        written.and_then(|()| out.write_all(&bytes)).map_err(|error| super::unwritable(&error))?;
        number += 1;
    }
    if args.format == ShowFormat::Json {
        let brackets = if number > 0 { "]" } else { "[]" };
        writeln!(streams.out, "{brackets}").map_err(|error| super::unwritable(&error))?;
    }
    Ok(status)
}
