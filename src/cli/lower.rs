//! `tangle lower`: lowers a file to LLVM IR, to a flow graph, or to a picture of the flow graph.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::analysis::{Analysis, Start};
use super::draft::{Draft, DraftError};
use super::error::CommandError;
use super::input::{StandardInput, guarded};
use super::options::{Globals, Jobs, LanguageArgs};
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::plan::{Plan, Planned};
use super::requests::{Emit, Irreducible, LowerFormat, LowerRequest, Target, Tokens};
use crate::human::{Renderer, Terminal};
use tangle_diagnostic::{self as diagnostic, Diagnostic, Severity, SourceTexts, json, short};

/// Lower a file to LLVM IR or to a flow graph
///
/// The token of a convergent operation states which threads execute the operation together. If the file cannot be
/// lowered, tangle prints the reasons on standard error, writes no output, and exits with status 1. In CUDA and HIP,
/// functions that cannot be lowered are left out of the LLVM IR, and tangle prints a line for each.
#[derive(Debug, Args)]
pub struct LowerArgs {
    /// File to lower; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    /// Kind of output
    #[arg(long, value_enum, default_value_t)]
    emit: Emit,

    /// Lower only this function; for LLVM IR, also its callees
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Treatment of cycles with several entries
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    irreducible: Irreducible,

    /// Source of the tokens
    #[arg(long, value_enum, default_value_t, value_name = "FROM")]
    tokens: Tokens,

    /// Target of the LLVM IR [default: nvptx64 for CUDA, otherwise amdgcn]
    #[arg(long, value_enum)]
    target: Option<Target>,

    /// Emit debug locations in LLVM IR
    #[arg(short = 'g')]
    debug: bool,

    /// Write the output to this file instead of standard output
    ///
    /// If an error occurs, the file stays unchanged.
    #[arg(short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Output format of the flow graph and of errors
    #[arg(long, value_enum, default_value_t)]
    format: LowerFormat,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// Lowers the file.
///
/// # Errors
///
/// Settings are wrong, the file cannot be read, the request is impossible, or the result cannot be written.
pub(super) fn run<A: Analysis>(
    args: LowerArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    let mut given = args.language.given();
    let mut input = StandardInput::of([&*args.file], &mut given, streams.input);
    let (Planned { input: file, read_options, .. }, builds) = Plan::single(&args.file, &given)?;
    let text = input.text_of(&file)?;
    let request = LowerRequest {
        emit: args.emit,
        function: args.function,
        irreducible: args.irreducible,
        tokens: args.tokens,
        target: args.target,
        debug: args.debug,
        format: args.format,
        levels: read_options.levels.clone(),
    };
    let mut analysis = start(&builds);
    let pool = args.jobs.pool()?;
    let lower = |out: &mut (dyn Write + Send)| -> Result<Vec<Diagnostic>, CommandError> {
        let lower = || analysis.lower(&file, read_options.first(), Arc::new(text), &request, out);
        // Run on a thread of the pool, which has a larger stack.
        Ok(pool.install(|| guarded(&file.name, lower))??)
    };
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    let findings = match args.output.filter(|path| path != Path::new("-")) {
        None => lower(&mut streams.out)?,
        Some(path) => {
            let failed = |source: DraftError| CommandError::LoweredFile { path: path.clone(), source };
            let mut draft = Draft::new(&path).map_err(failed)?;
            let findings = lower(&mut draft)?;
            if !findings.iter().any(is_error) {
                draft.publish().map_err(failed)?;
            }
            findings
        }
    };
    if findings.is_empty() {
        return Ok(Status::Clean);
    }
    let status = if findings.iter().any(is_error) { Status::Findings } else { Status::Clean };
    let terminal = globals.terminal(streams.err_terminal);
    report(findings, request.format, terminal, globals.quiet, &analysis, &mut streams.err)
        .map_err(OutputError)?;
    Ok(status)
}

/// Reports why a file cannot be lowered, or the remarks on it.
pub(super) fn report(
    mut findings: Vec<Diagnostic>,
    format: LowerFormat,
    terminal: Terminal,
    quiet: bool,
    sources: &dyn SourceTexts,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    diagnostic::sort_and_dedupe(&mut findings);
    match format {
        LowerFormat::Json => json::write(out, &findings, 1, None, sources),
        LowerFormat::Human => {
            let mut renderer = Renderer::new(sources, terminal);
            // One line says why a function is left out.
            let (left_out, others): (Vec<Diagnostic>, Vec<Diagnostic>) = findings
                .iter()
                .cloned()
                .partition(|it| it.severity == Severity::Note && it.rule == "not-lowered");
            others.iter().try_for_each(|finding| renderer.write(out, finding))?;
            short::write(out, &left_out, sources)?;
            match quiet {
                true => Ok(()),
                false => writeln!(out, "{}", diagnostic::summary(findings.iter(), 1)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
