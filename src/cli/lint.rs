//! `tangle lint`: checks files and reports findings.

pub(super) mod baseline;
mod depfile;
mod fix;
pub(super) mod lists;
mod preludes;
pub(super) mod revision;
mod suppressions;
mod writable;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum, ValueHint};
use rayon::prelude::*;

use super::analysis::{Analysis, IncompleteHeader, OtherTexts, Start};
use super::draft::WriteError;
use super::error::CommandError;
use super::input::{InputError, StandardInput, guarded};
use super::options::{Globals, Jobs, LanguageArgs};
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::plan::{InvalidSettings, Plan, Planned, ReadOptions};
use super::progress::Progress;
use super::session::other_text;
use crate::human::{Renderer, Terminal};
use baseline::{Baseline, BaselineError, Matched};
use suppressions::Added;
use tangle_diagnostic::gathered::in_reading_order;
use tangle_diagnostic::{
    Applicability, Diagnostic, Place, Severity, SourceText, SourceTexts, counted, github, gitlab, json,
    junit, sarif, short, sort_and_dedupe, summary,
};
use tangle_execution::witness::shell;
use tangle_project::levels::{FailOn, Level, parse_level};
use tangle_project::paths::{absolute, below};
use tangle_project::walk::{FoundFiles, Input, STDIN, walk};
use tangle_project::{Branches, BuildId, UserSettings, read};
use tangle_rules::add_suppression::NO_REASON;
use tangle_rules::{LEFT_OUT_TEXT, POSSIBLE_DIVERGENCE, Rule, suppression};
use tangle_syntax::items::FileCounts;
use writable::Writable;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// The source with a mark at each location
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning services
    Sarif,
    /// Annotations for GitHub workflows
    Github,
    /// Code quality report of GitLab
    Gitlab,
    /// JUnit XML: a failed test for each finding at or above `--fail-on`
    Junit,
    /// One line per finding
    Short,
}

/// Check kernels for convergence errors
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Files or folders to check; `-` reads standard input [default: .]
    ///
    /// In a folder, tangle checks files with the extensions .cl, .ocl, .opencl, .cu, .cuh and .hip, and kernels in string
    /// literals of C and C++ sources. `@FILE` stands for the paths in a file, one on each line; `@-` reads them from
    /// standard input.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,

    /// Output format of the findings [default: human; github in a GitHub workflow]
    ///
    /// A GitHub workflow sets `GITHUB_ACTIONS=true`.
    #[arg(long, visible_alias = "output-format", value_enum)]
    format: Option<LintFormat>,

    /// Write the findings to this file instead of the standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["write_baseline", "diff"])]
    output_file: Option<PathBuf>,

    /// Write a makefile rule with the files that the findings depend on: sources, headers, settings and the baseline
    ///
    /// The target of the rule is FILE without its extension `.d`. `ninja` and `make` read such rules.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    depfile: Option<PathBuf>,

    /// Lowest severity that makes the exit status 1: error, warning, note or never [default: warning]
    ///
    /// `confirmed` means the errors and warnings that an execution confirms, and implies `--witness`.
    /// `fail-on` in the `tangle.toml` nearest to the first PATH changes the default.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,

    /// Search for executions that confirm the findings
    ///
    /// tangle executes the kernel of a finding with small launches, at most 400 for each finding. If the finding occurs, the
    /// output shows the threads at that moment and the `tangle simulate` command that repeats the execution. A finding
    /// that is not confirmed can still be correct.
    #[arg(long, conflicts_with_all = ["write_baseline", "prune_baseline"])]
    witness: bool,

    /// Set the level of a rule: error, warning, note or off
    #[arg(long = "rule", value_name = "ID=LEVEL", value_parser = parse_level)]
    rules: Vec<(&'static Rule, Level)>,

    /// Check all inactive `#if` branches, and report them with full severity
    ///
    /// Each macro that a condition needs and that the build does not define is defined in turn. Without this option, tangle checks
    /// those inactive branches of a file that contain convergent operations, in at most three further readings.
    #[arg(long, conflicts_with = "only_active_branches")]
    all_branches: bool,

    /// Do not check inactive `#if` branches
    #[arg(long)]
    only_active_branches: bool,

    /// Check all functions of headers
    ///
    /// Without this option, tangle does not check those functions of OpenCL C headers that no checked file reaches.
    #[arg(long)]
    headers: bool,

    /// Print the number of findings per rule
    #[arg(long)]
    statistics: bool,

    /// Print findings that an assumption about unknown code decides, too
    ///
    /// They are notes of the rule `possible-divergence`, in CUDA and HIP. By default, the summary counts them.
    #[arg(long, conflicts_with = "errors_only")]
    possible: bool,

    /// Print notes in the format `human`, too
    ///
    /// Without this option, the last line of the output counts them. `--fail-on note` implies it.
    #[arg(long, conflicts_with = "errors_only")]
    notes: bool,

    /// Report only errors
    #[arg(long)]
    errors_only: bool,

    /// File of known findings, which are not reported
    ///
    /// The default is the nearest `tangle-baseline.json`: in the folder of the first PATH or in a parent folder.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,

    /// Report known findings, too
    #[arg(long, conflicts_with_all = ["baseline", "write_baseline", "prune_baseline"])]
    no_baseline: bool,

    /// Write all errors and warnings of the files to the baseline, instead of reporting them; with `--notes`, notes too
    ///
    /// A new `tangle-baseline.json` is written to the current folder, or to the folder of the first PATH if that is elsewhere.
    #[arg(long, conflicts_with = "prune_baseline")]
    write_baseline: bool,

    /// Remove findings from the baseline that the files no longer have
    #[arg(long)]
    prune_baseline: bool,

    /// Apply safe fixes to the files, and report the remaining findings
    ///
    /// A safe fix changes no result of an execution that is defined: every thread reaches its convergent operations.
    #[arg(long, conflicts_with_all = ["write_baseline", "prune_baseline"])]
    fix: bool,

    /// Print safe fixes as a patch instead of applying them; the exit status is 1 if there are any
    #[arg(long, conflicts_with_all = ["fix", "write_baseline", "prune_baseline"])]
    diff: bool,

    /// With `--fix` and `--diff`: also fixes that may change the results of the program
    #[arg(long)]
    unsafe_fixes: bool,
    /// Report only findings that a git revision does not have
    ///
    /// tangle checks the files twice: with the text of the working tree, and with the text of the revision. So it also
    /// reports a new finding in a file without changes. Both checks read ignored files and the settings from the
    /// working tree.
    #[arg(long, value_name = "REV", conflicts_with_all = ["write_baseline", "prune_baseline"])]
    changed_since: Option<String>,

    /// Suppress all errors and warnings with comments in the files; with `--notes`, notes too
    ///
    /// Without REASON, each comment has `TODO say why` in its place. Only the given files and the files in the given
    /// folders are changed. tangle reports the remaining findings.
    #[arg(
        long,
        value_name = "REASON",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = NO_REASON,
        value_parser = suppressions::reason,
        conflicts_with_all = ["write_baseline", "prune_baseline"],
    )]
    add_suppressions: Option<String>,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// Lints the files.
///
/// # Errors
///
/// Arguments, settings, the baseline or the revision cannot be used, threads cannot be started, or the output or a
/// file cannot be written.
pub(super) fn run<A: Analysis>(
    args: LintArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    let paths = match args.paths.is_empty() {
        true => vec![PathBuf::from(".")],
        false => lists::expanded(&args.paths, streams.input)?,
    };
    let is_stdin = |path: &PathBuf| path == Path::new("-");
    if args.add_suppressions.is_some() && paths.iter().any(is_stdin) {
        return Err(CommandError::SuppressionsInStandardInput);
    }
    let first = paths.first().filter(|path| !is_stdin(path)).map_or(Path::new("."), PathBuf::as_path);
    let mut known = known(&args, first)?;
    let format = args.format.unwrap_or(match streams.in_github_workflow {
        true => LintFormat::Github,
        false => LintFormat::Human,
    });
    let mut given = UserSettings {
        rules: args.rules.iter().copied().collect(),
        fail_on: args.fail_on,
        branches: Branches::chosen(args.all_branches, args.only_active_branches),
        ..args.language.clone().given()
    };
    let input = StandardInput::of(paths.iter().map(|path| &**path), &mut given, streams.input);
    let found = if paths.is_empty() { FoundFiles::default() } else { walk(&paths) };
    let plan = match Plan::new(found.files, first, &given) {
        Ok(plan) => plan,
        // Formats for programs get one line per error, without the source.
        Err(InvalidSettings(wrong)) if format != LintFormat::Human => {
            wrong.iter().for_each(|trouble| streams.trouble(trouble));
            return Ok(Status::Trouble);
        }
        Err(wrong) => return Err(wrong.into()),
    };
    for remark in found.remarks.iter().filter(|_| !globals.quiet) {
        streams.trouble(remark);
    }
    let shows_notes = args.notes || plan.fail_on == FailOn::Least(Severity::Note);
    let least = match args.errors_only {
        true => Severity::Error,
        false if shows_notes => Severity::Note,
        false => Severity::Warning,
    };
    // A fix can take an analysis of the changed text, so findings that are not in the output get none.
    let fixes_from = match format {
        LintFormat::Json | LintFormat::Sarif if !args.errors_only => Some(Severity::Note),
        LintFormat::Human if args.possible => Some(Severity::Note),
        LintFormat::Json | LintFormat::Sarif | LintFormat::Human => Some(least),
        _ => (args.fix || args.diff).then_some(least),
    };
    let mut plan = plan;
    if !args.headers {
        plan.builds = plan.builds.reached_only();
    }
    plan.files.iter_mut().for_each(|planned| planned.read_options.fixes_from = fixes_from);
    if args.fix && plan.files.iter().any(|planned| planned.input.path.is_none()) {
        return Err(CommandError::FixesInStandardInput);
    }
    let other = match &args.changed_since {
        Some(revision) => {
            let places = paths.iter().filter(|path| !is_stdin(path)).map(|path| &**path);
            let stdin = given.stdin_filename.as_deref();
            Some(Arc::new(revision::texts(revision, places.chain(stdin))?))
        }
        None => None,
    };
    let mut run = Run {
        plan: &plan,
        input,
        pool: args.jobs.pool()?,
        shows_progress: streams.progress && !globals.quiet,
        // Only JSON output contains the counts.
        counts: format == LintFormat::Json,
        witnesses: None,
    };
    let mut analysis = start(&plan.builds);
    if args.witness || plan.fail_on == FailOn::Confirmed {
        run.witnesses = Some(Witnesses { options: args.language.written(), least });
    }
    let mut checked = run.check(&mut analysis, None);
    run.witnesses = None;
    // The baseline applies to both checks, so its findings do not count as findings of the revision.
    let since = other.map(|other| {
        let mut analysis = analysis.with_texts(other.clone());
        let mut before = run.check(&mut analysis, Some(&other));
        if let Some(known) = &known {
            known.apply(&mut before.diagnostics, std::iter::empty(), &analysis);
        }
        let mut since = Baseline::empty(&baseline::place(first));
        since.take(&before.diagnostics, plan.files.iter().map(|file| &*file.input.name), &analysis);
        since
    });
    let mut writable = Writable::new(&paths, &given);
    let mut fixes = 0;
    if args.fix || args.diff {
        let most = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
        let mut reported = checked.diagnostics.clone();
        if let Some(known) = &known {
            known.apply(&mut reported, std::iter::empty(), &analysis);
        }
        if let Some(since) = &since {
            since.drop_known(&mut reported, &analysis);
        }
        let (fixed, left) = fix::fixed(
            &reported,
            &plan.files,
            fix::Wanted { most, least },
            (&start, &plan.builds),
            (&mut writable, &analysis),
        );
        left.iter().for_each(|trouble| streams.trouble(trouble));
        fixes = fixed.iter().map(|fixed| fixed.fixes).sum();
        if args.diff {
            checked.troubles.iter().for_each(|trouble| streams.trouble(trouble));
            fixed
                .iter()
                .try_for_each(|fixed| fixed.print(&mut streams.out))
                .and_then(|()| streams.out.flush())
                .map_err(OutputError)?;
            if !globals.quiet {
                let (files, fixes) = (counted(fixed.len(), "file"), counted(fixes, "fix"));
                let _ = writeln!(streams.err, "{fixes} in {files}, not applied");
            }
            return Ok(match fixed.is_empty() {
                _ if !checked.troubles.is_empty() => Status::Trouble,
                true => Status::Clean,
                false => Status::Findings,
            });
        }
        for fixed in &fixed {
            fixed.write()?;
        }
        if !fixed.is_empty() {
            analysis = start(&plan.builds);
            checked = run.check(&mut analysis, None);
        }
    }
    let mut added = Added::default();
    if let Some(reason) = &args.add_suppressions {
        for _ in 0..MOST_ROUNDS {
            let mut diagnostics = checked.diagnostics.clone();
            if let Some(known) = &known {
                known.apply(&mut diagnostics, std::iter::empty(), &analysis);
            }
            if let Some(since) = &since {
                since.drop_known(&mut diagnostics, &analysis);
            }
            let wanted = diagnostics
                .iter()
                .filter(|finding| finding.suppression.is_none() && finding.severity >= least);
            if added.add(wanted, &mut writable, reason, &analysis)? == 0 {
                break;
            }
            // After one finding is suppressed, another one can appear.
            analysis = start(&plan.builds);
            checked = run.check(&mut analysis, None);
        }
        if !globals.quiet {
            let findings = counted(added.findings, "finding");
            let files = counted(added.files.len(), "file");
            let _ = writeln!(streams.err, "{findings} suppressed in {files}");
        }
        for ((file, start, rule), why) in &added.left {
            let at = analysis.text(file).map(|text| text.position(*start));
            let at = at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
            streams.trouble(format_args!("{file}{at}: cannot suppress `{rule}`: {why}"));
        }
    }

    let not_linted = checked.troubles.iter().map(|trouble| trouble as &dyn Display);
    let troubles: Vec<&dyn Display> =
        found.troubles.iter().map(|trouble| trouble as &dyn Display).chain(not_linted).collect();
    for trouble in &troubles {
        streams.trouble(trouble);
    }
    let mut diagnostics = std::mem::take(&mut checked.diagnostics);
    let is_suppressed = |finding: &Diagnostic| finding.suppression.is_some();
    let possible = diagnostics.iter().filter(|it| is_only_possible(it) && !is_suppressed(it)).count();
    diagnostics.retain(|finding| args.possible || !is_only_possible(finding));
    let linted = || plan.files.iter().map(|file| &*file.input.name);
    let headers: Vec<_> = checked.included.iter().map(|(path, _)| path.to_string_lossy()).collect();
    let read = || linted().chain(headers.iter().map(|path| &**path));
    let mut matched = Matched::default();
    if args.write_baseline {
        let mut baseline = known.unwrap_or_else(|| Baseline::empty(&baseline::place(first)));
        diagnostics.retain(|finding| shows_notes || finding.severity > Severity::Note);
        baseline.take(&diagnostics, linted(), &analysis);
        baseline.write()?;
        let findings = diagnostics.iter().filter(|finding| finding.suppression.is_none()).count();
        let _ =
            writeln!(streams.err, "{}: {}", baseline.path().display(), counted(findings, "known finding"));
        return Ok(if troubles.is_empty() { Status::Clean } else { Status::Trouble });
    }
    if let Some(baseline) = &mut known {
        if args.prune_baseline {
            baseline.prune(&diagnostics, read(), &analysis);
            baseline.write()?;
        }
        matched = baseline.apply(&mut diagnostics, read(), &analysis);
    }
    let unchanged = since.as_ref().map_or(0, |since| since.drop_known(&mut diagnostics, &analysis));
    if args.errors_only {
        diagnostics.retain(|finding| finding.severity == Severity::Error);
    }
    // Only SARIF can represent suppressed findings.
    if format != LintFormat::Sarif {
        diagnostics.retain(|diagnostic| diagnostic.suppression.is_none());
    }
    preludes::name(&mut diagnostics, &plan.files, &analysis);
    if let Some(path) = &args.depfile {
        let sources = plan.files.iter().filter_map(|file| file.input.path.as_deref());
        let baseline = known.as_ref().map(|baseline| baseline.path().to_owned());
        let headers = checked.included.iter().map(|(path, _)| path.clone());
        write_file(
            path,
            depfile::rule(path, sources, headers.chain(given.config.clone()).chain(baseline)).as_bytes(),
        )?;
    }
    let unreached = unreached_headers(&checked.incomplete, &plan);
    let Checked { files, census, unread, .. } = checked;
    let is_hidden = |finding: &Diagnostic| {
        let is_shown = shows_notes || is_only_possible(finding);
        format == LintFormat::Human && !is_shown && finding.severity == Severity::Note
    };
    let hidden = diagnostics.iter().filter(|finding| is_hidden(finding)).count();
    let report = Report {
        diagnostics: &diagnostics,
        files,
        census,
        sources: &analysis,
        fail_on: plan.fail_on,
        is_hidden: &is_hidden,
    };
    let mut text = Vec::new();
    let (terminal, out): (_, &mut dyn Write) = match args.output_file {
        Some(_) => (Terminal::default(), &mut text),
        None => (streams.terminal, &mut streams.out),
    };
    report.write(format, globals.terminal(terminal), out).map_err(OutputError)?;
    if let Some(path) = &args.output_file {
        write_file(path, &text)?;
    }
    let for_reader = matches!(format, LintFormat::Human | LintFormat::Short);
    if args.statistics {
        // A table would corrupt a document for programs.
        let out = if for_reader { &mut streams.out } else { &mut streams.err };
        report.statistics(out).map_err(OutputError)?;
    }
    // If no file could be read, the errors above already say so.
    let is_idle = files == 0 && !troubles.is_empty();
    if for_reader && !globals.quiet && !is_idle {
        streams.out.flush().map_err(OutputError)?;
        // If standard error fails, the failure cannot be reported.
        let shown = diagnostics.iter().filter(|finding| !is_hidden(finding));
        let _ = writeln!(streams.err, "{}", summary(shown, files));
        if hidden > 0 {
            let (notes, them) = (counted(hidden, "note"), if hidden == 1 { "it" } else { "them" });
            let _ = writeln!(streams.err, "{notes} hidden: `--notes` shows {them}");
        }
        if possible > 0 && !args.possible {
            let (what, them) =
                (counted(possible, "possible finding"), if possible == 1 { "it" } else { "them" });
            let _ = writeln!(streams.err, "{what} hidden: `--possible` shows {them}");
        }
        if fixes > 0 {
            let _ = writeln!(streams.err, "{} applied", counted(fixes, "fix"));
        }
        let (safe, others) = fix::fixable(&diagnostics, least);
        if safe > 0 {
            let findings = counted(safe, "finding");
            let _ = writeln!(streams.err, "{findings} fixable with `--fix`");
        }
        if others > 0 {
            let findings = counted(others, "finding");
            let _ = writeln!(streams.err, "{findings} fixable with `--fix --unsafe-fixes`");
        }
        if let Some(revision) = args.changed_since.as_ref().filter(|_| unchanged > 0) {
            let findings = counted(unchanged, "finding");
            let _ = writeln!(streams.err, "{findings} also in `{revision}`");
        }
        if matched.known > 0 {
            let findings = counted(matched.known, "finding");
            let _ = writeln!(streams.err, "{findings} in the baseline");
        }
        if matched.gone > 0 {
            let findings = counted(matched.gone, "finding");
            let _ = writeln!(
                streams.err,
                "{findings} of the baseline no longer found: remove with `--prune-baseline`"
            );
        }
        if plan.excluded > 0 {
            let files = counted(plan.excluded, "file");
            let _ = writeln!(streams.err, "{files} excluded by `tangle.toml`");
        }
        if let Some(headers) = unreached {
            let _ = writeln!(
                streams.err,
                "not checked: functions of {headers}, which no file reaches: `--headers` checks them"
            );
        }
        if unread > 0 {
            let files = counted(unread, "file");
            let _ = writeln!(
                streams.err,
                "not checked: convergent operations in inactive `#if` branches of {files}"
            );
        }
    }

    let mut told = diagnostics.iter().filter(|d| d.suppression.is_none());
    Ok(match told.any(|d| plan.fail_on.is_met(d)) {
        _ if !troubles.is_empty() => Status::Trouble,
        true => Status::Findings,
        false => Status::Clean,
    })
}

/// The maximum number of rounds of `--add-suppressions`. Each round adds comments for the findings that remain or
/// appear after the previous round.
const MOST_ROUNDS: usize = 16;

/// The state that all checks of the files of a run share.
struct Run<'a> {
    plan: &'a Plan,
    input: StandardInput,
    pool: rayon::ThreadPool,
    shows_progress: bool,
    counts: bool,
    /// The search for witnesses. `None`: no search.
    witnesses: Option<Witnesses>,
}

/// The findings that get witnesses.
struct Witnesses {
    /// The language options of the command line.
    options: String,
    /// The lowest severity.
    least: Severity,
}

impl Run<'_> {
    /// Checks all files, and returns the findings in the order of output. `other`: texts that replace the texts on the
    /// disk. A file that is missing there has no findings.
    fn check<A: Analysis>(&mut self, analysis: &mut A, other: Option<&OtherTexts>) -> Checked {
        let files = &self.plan.files;
        let progress = Progress::new(files.len(), self.shows_progress);
        let mut checked = Checked::default();
        // Headers come last: the findings of an included header are reported with the file that includes it.
        let is_last = |file: &&Planned| is_header_of_others(&file.input);
        let sources: Vec<&Planned> = files.iter().filter(|file| !is_last(file)).collect();
        let last: Vec<&Planned> = files.iter().filter(is_last).collect();
        let batch = BATCH.max(4 * self.pool.current_num_threads());
        for batch in sources.chunks(batch).chain(last.chunks(batch)) {
            let handles = Mutex::new(analysis.clone());
            let input = &mut self.input;
            let extras = (self.counts, self.witnesses.as_ref());
            let texts = Texts { input: Mutex::new(input), other };
            self.pool.install(|| lint_files(batch, &handles, &texts, &progress, extras, &mut checked));
            drop(handles);
            analysis.rest();
        }
        let diagnostics = &mut checked.diagnostics;
        suppression::remove_used_elsewhere(diagnostics);
        sort_and_dedupe(diagnostics);
        drop_special_cases(diagnostics);
        checked
    }
}

/// The source of the texts of files.
struct Texts<'a> {
    input: Mutex<&'a mut StandardInput>,
    /// Texts that replace the texts on the disk.
    other: Option<&'a OtherTexts>,
}

impl Texts<'_> {
    /// Returns the text of a file. `None`: the file does not exist in the revision.
    fn of(&self, file: &Input) -> Option<Result<SourceText, InputError>> {
        if let Some(other) = self.other {
            // Standard input can represent a file that also exists on the disk.
            let path = file.path.as_deref().unwrap_or(Path::new(&*file.name));
            match other_text(other, path) {
                Some(text) => return text.map(|text| Ok(SourceText::new(&*text))),
                None if file.path.is_none() => return read::file(path).ok().map(Ok),
                None => {}
            }
        }
        Some(match file.path {
            // Only standard input needs the lock. Files are read in parallel.
            None => self.input.lock().unwrap_or_else(PoisonError::into_inner).text_of(file),
            Some(_) => StandardInput::default().text_of(file),
        })
    }
}

/// Returns the baseline of a run. `None`: no option names a file, and none was found.
///
/// # Errors
///
/// The file cannot be read, or is not a baseline.
fn known(args: &LintArgs, first: &Path) -> Result<Option<Baseline>, BaselineError> {
    let nearest = || if args.no_baseline { None } else { Baseline::nearest(first) };
    match args.baseline.clone().or_else(nearest) {
        // `--write-baseline` creates the file.
        Some(path) if args.write_baseline && !path.exists() => Ok(Some(Baseline::empty(&path))),
        Some(path) => Baseline::read(&path).map(Some),
        None => Ok(None),
    }
}

/// Drops a finding that needs macro definitions if the same finding occurs without them in another file that includes
/// the text.
fn drop_special_cases(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.iter().all(|finding| finding.definitions.is_empty()) {
        return;
    }
    let always = diagnostics.iter().filter(|finding| finding.definitions.is_empty());
    let always: HashSet<(Place, &'static str)> =
        always.map(|finding| (finding.place.clone(), finding.rule)).collect();
    diagnostics.retain(|finding| {
        finding.definitions.is_empty() || !always.contains(&(finding.place.clone(), finding.rule))
    });
}

/// The minimum number of files in a batch. The analysis releases cached results after each batch, so a small batch
/// limits the memory. With many threads, batches are larger to keep all threads busy.
const BATCH: usize = 16;

/// Returns whether a file is a header (`.cuh`) that was found in a folder. Checked on its own, it lacks the
/// definitions that including files make before the `#include`.
fn is_header_of_others(file: &Input) -> bool {
    let extension = file.path.as_deref().and_then(Path::extension);
    !file.is_named && extension.is_some_and(|extension| extension == "cuh")
}

/// The result of checking all files.
#[derive(Default)]
struct Checked {
    /// In arbitrary order until all files are checked. The severities follow the levels of the project for the linted
    /// file.
    diagnostics: Vec<Diagnostic>,
    /// The reasons why files were not linted, in the order of the files.
    troubles: Vec<InputError>,
    /// The number of linted files.
    files: usize,
    /// The number of files with convergent operations in text that no reading includes.
    unread: usize,
    /// The sums of the counts of all files.
    census: FileCounts,
    /// The headers with functions that were not checked, by absolute path. A header is reached if a file reaches other
    /// functions of it.
    incomplete: BTreeMap<PathBuf, IncompleteHeader>,
    /// The files that linted files include, with the build of the including file.
    included: HashSet<(PathBuf, BuildId)>,
}

/// The result of checking one file.
#[derive(Default)]
struct Linted {
    diagnostics: Vec<Diagnostic>,
    /// Whether the file has convergent operations in text that no reading includes.
    is_unread: bool,
    census: FileCounts,
    included: Vec<Arc<str>>,
    incomplete: Vec<IncompleteHeader>,
    build: Option<BuildId>,
}

/// Lints the files on the threads of the current pool. Each thread uses its own handle to the analysis.
fn lint_files<A: Analysis>(
    files: &[&Planned],
    handles: &Mutex<A>,
    texts: &Texts,
    progress: &Progress,
    (counts, witnesses): (bool, Option<&Witnesses>),
    checked: &mut Checked,
) {
    let known = &checked.included;
    let is_reported = |file: &Input, read_options: &ReadOptions| {
        let path = file.path.as_deref().filter(|_| is_header_of_others(file));
        path.is_some_and(|path| known.contains(&(absolute(path), read_options.first())))
    };
    let results: Vec<Option<Result<Linted, InputError>>> = files
        .par_iter()
        .map_init(
            || handles.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            |analysis, Planned { input: file, read_options }| {
                let text = texts.of(file)?;
                let mut lint = |text: SourceText| {
                    let is_reported = is_reported(file, read_options);
                    let text = Arc::new(text);
                    let diagnostics = match is_reported {
                        true => analysis.lint_inactive(file, read_options, text),
                        false => analysis.lint(file, read_options, text),
                    };
                    let census =
                        if counts { analysis.census(file, read_options) } else { FileCounts::default() };
                    // A header read on its own can lack context, and so can the files that it includes: do not record
                    // them.
                    let included = match is_header_of_others(file) {
                        true => Vec::new(),
                        false => analysis.included(file, read_options),
                    };
                    let incomplete = analysis.incomplete_headers(file, read_options);
                    // Counted before the levels apply: the level of the rule has no effect.
                    let is_left_out =
                        |finding: &Diagnostic| finding.rule == LEFT_OUT_TEXT && finding.suppression.is_none();
                    let is_unread = diagnostics.iter().any(is_left_out);
                    let build = Some(read_options.first());
                    Linted { diagnostics, is_unread, census, included, incomplete, build }
                };
                let mut result = text.and_then(|text| guarded(&file.name, || lint(text)));
                result.iter_mut().for_each(|linted| read_options.levels.apply(&mut linted.diagnostics));
                if let (Ok(linted), Some(witnesses)) = (&mut result, witnesses) {
                    let wanted = |it: &Diagnostic| it.severity >= witnesses.least;
                    let (mut wanted, others): (Vec<_>, Vec<_>) =
                        std::mem::take(&mut linted.diagnostics).into_iter().partition(wanted);
                    let command = format!("tangle simulate {}{}", shell(&file.name), witnesses.options);
                    let search = || {
                        analysis.find_witnesses(file, read_options.first(), &command, &mut wanted);
                    };
                    let searched = guarded(&file.name, search);
                    wanted.extend(others);
                    linted.diagnostics = wanted;
                    if let Err(trouble) = searched {
                        result = Err(trouble);
                    }
                }
                progress.advance();
                Some(result)
            },
        )
        .collect();
    for result in results.into_iter().flatten() {
        match result {
            Ok(Linted { diagnostics, is_unread, census, included, incomplete, build }) => {
                checked.files += 1;
                checked.unread += usize::from(is_unread);
                checked.census.kernels += census.kernels;
                checked.census.unparsed += census.unparsed;
                checked.diagnostics.extend(diagnostics);
                for header in incomplete {
                    let is_reached = header.is_reached;
                    let path = absolute(Path::new(&*header.name));
                    checked.incomplete.entry(path).or_insert(header).is_reached |= is_reached;
                }
                let read = |name: &Arc<str>| Some((absolute(Path::new(&**name)), build?));
                checked.included.extend(included.iter().filter_map(read));
            }
            Err(trouble) => checked.troubles.push(trouble),
        }
    }
}

/// The maximum number of headers that the summary names.
const MAX_HEADERS: usize = 4;

/// Returns a list of the headers whose functions no file reaches. `None`: there are none.
///
/// A header is omitted if a file reaches some of its functions, or if the header itself is checked.
fn unreached_headers(incomplete: &BTreeMap<PathBuf, IncompleteHeader>, plan: &Plan) -> Option<String> {
    let checked: HashSet<PathBuf> =
        plan.files.iter().filter_map(|planned| planned.input.path.as_deref()).map(absolute).collect();
    let unreached = incomplete.iter().filter(|(path, header)| !header.is_reached && !checked.contains(*path));
    let mut names: Vec<String> = unreached.map(|(_, header)| format!("`{}`", header.name)).collect();
    let others = names.len().saturating_sub(MAX_HEADERS);
    if others > 0 {
        names.truncate(MAX_HEADERS);
        names.push(counted(others, "other header"));
    }
    let last = names.pop()?;
    Some(if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) })
}

/// Writes a file that an option names.
///
/// # Errors
///
/// The file cannot be written.
fn write_file(path: &Path, text: &[u8]) -> Result<(), WriteError> {
    std::fs::write(path, text).map_err(|error| WriteError::new(path, error))
}

/// The URL of the repository in `Cargo.toml`, for links in SARIF documents. `None` if it is empty.
const REPOSITORY: Option<&str> = match env!("CARGO_PKG_REPOSITORY").as_bytes() {
    [] => None,
    _ => Some(env!("CARGO_PKG_REPOSITORY")),
};

/// Whether a finding is shown only with `--possible`: a note of `possible-divergence`, whose level no setting raises.
fn is_only_possible(finding: &Diagnostic) -> bool {
    finding.rule == POSSIBLE_DIVERGENCE && finding.severity == Severity::Note
}

/// The data that is printed at the end of a run.
struct Report<'a> {
    diagnostics: &'a [Diagnostic],
    files: usize,
    census: FileCounts,
    sources: &'a dyn SourceTexts,
    fail_on: FailOn,
    /// Returns whether the format `human` omits a finding.
    is_hidden: &'a dyn Fn(&Diagnostic) -> bool,
}

impl Report<'_> {
    fn write(&self, format: LintFormat, terminal: Terminal, out: &mut dyn Write) -> io::Result<()> {
        match format {
            LintFormat::Human => {
                let mut renderer = Renderer::new(self.sources, terminal);
                let gathered = in_reading_order(self.diagnostics);
                let mut shown = gathered.iter().filter(|finding| !(self.is_hidden)(finding));
                shown.try_for_each(|diagnostic| renderer.write(out, diagnostic))
            }
            LintFormat::Json => {
                json::write(out, self.diagnostics, self.files, Some(self.census), self.sources)
            }
            LintFormat::Sarif => sarif::write(
                out,
                self.diagnostics,
                sarif::Context {
                    sources: self.sources,
                    rules: tangle_rules::RULES,
                    repository: REPOSITORY,
                    path: &self.path(),
                },
            ),
            LintFormat::Github => github::write(out, self.diagnostics, self.sources),
            LintFormat::Gitlab => gitlab::write(out, self.diagnostics, self.sources, &self.path()),
            LintFormat::Junit => {
                let fails = |finding: &Diagnostic| self.fail_on.is_met(finding);
                junit::write(out, self.diagnostics, self.files, self.sources, &self.path(), &fails)
            }
            LintFormat::Short => short::write(out, self.diagnostics, self.sources),
        }
    }

    /// Returns a function that makes file names relative to the current folder. It does not change the name of
    /// standard input.
    fn path(&self) -> impl Fn(&str) -> String {
        let root = absolute(Path::new("."));
        move |name| if name == STDIN { name.to_owned() } else { below(&root, Path::new(name)) }
    }

    /// Writes a line for each rule with findings: the numbers of findings and of files.
    fn statistics(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rules: BTreeMap<&str, (usize, BTreeSet<&str>)> = BTreeMap::new();
        for d in self.diagnostics.iter().filter(|d| d.suppression.is_none()) {
            let (findings, files) = rules.entry(d.rule).or_default();
            *findings += 1;
            files.insert(&d.place.file);
        }
        writeln!(out, "{:>8}  {:>8}  rule", "findings", "files")?;
        for (rule, (findings, files)) in rules {
            writeln!(out, "{findings:>8}  {:>8}  {rule}", files.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests;
