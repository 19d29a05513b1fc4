//! `tangle show`: what a stage makes of a file.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};

use super::analysis::{Analysis, Start};
use super::lint::StandardInput;
use super::module::Shown;
use super::options::{Jobs, LanguageArgs};
use super::output::Streams;
use super::plan::{Plan, Planned};
use super::{Failure, Status, lint};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The thread tangles of every statement
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
    /// File to analyse; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

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
}

pub(super) fn run<A: Analysis>(
    args: ShowArgs,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, Failure> {
    let mut given = args.language.given();
    let mut input = StandardInput::of([&*args.file], &mut given, streams.input);
    let (Planned { input: file, ways, .. }, builds) = Plan::single(&args.file, &given)?;
    let text = input.text_of(&file)?;
    let request = Request { what: args.what, function: args.function, format: args.format };
    let mut analysis = start(&builds);
    let out = &mut streams.out;
    // On a thread of the pool for its larger stack.
    let shown = args.jobs.pool()?.install(|| {
        lint::guarded(&file.name, || analysis.show(&file, ways.first(), Arc::new(text), &request, out))
            .and_then(|shown| shown)
    })?;
    Ok(match shown {
        Shown::Whole => Status::Clean,
        Shown::PartOfErroneous => Status::Findings,
        Shown::Part => Status::Trouble,
    })
}
