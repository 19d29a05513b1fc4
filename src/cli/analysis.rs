//! The interface between the command line and the analysis.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::ReadOptions;
use super::requests::{
    Compared, DiffError, DiffFilesRequest, LowerError, LowerRequest, ShowError, ShowRequest, Shown,
    SimulateError, SimulateRequest, Simulated,
};
use tangle_diagnostic::{Diagnostic, SourceText, SourceTexts};
use tangle_project::walk::Input;
use tangle_project::{BuildId, Builds};
use tangle_syntax::items::FileCounts;

/// A header with functions that were not checked.
pub struct IncompleteHeader {
    pub name: Arc<str>,
    /// Whether the file reaches other functions of the header.
    pub is_reached: bool,
}

/// A file of a comparison.
pub struct FileToCompare {
    pub file: Input,
    pub build: BuildId,
    pub text: Arc<SourceText>,
}

/// Texts that replace files on the disk, by absolute path. `None`: the file counts as missing.
pub type OtherTexts = HashMap<PathBuf, Option<Arc<str>>>;

/// An analysis of many files. Each file is read with one or more of the builds that the analysis started with. A clone
/// is a handle to the same analysis, for another thread.
///
/// As [`SourceTexts`], it returns the text of every file passed to it, and of every header that it read.
pub trait Analysis: SourceTexts + Clone + Send {
    /// Returns the findings of a file in any order, including suppressed findings. Their severities do not reflect the
    /// levels of the project.
    fn lint(&mut self, file: &Input, paths: &ReadOptions, text: Arc<SourceText>) -> Vec<Diagnostic>;

    /// Returns only the findings in inactive branches, for a header whose other findings are reported with the files
    /// that include it.
    fn lint_inactive(&mut self, file: &Input, paths: &ReadOptions, text: Arc<SourceText>) -> Vec<Diagnostic>;

    /// Returns the names of the files that a linted file includes, directly or indirectly.
    fn included(&mut self, file: &Input, paths: &ReadOptions) -> Vec<Arc<str>>;

    /// Returns the headers of a linted file with functions that the file does not reach and that were not checked.
    fn incomplete_headers(&mut self, file: &Input, paths: &ReadOptions) -> Vec<IncompleteHeader>;

    /// Counts the kernels and the unparsed parts of a linted file.
    fn census(&mut self, file: &Input, paths: &ReadOptions) -> FileCounts;

    /// Searches executions that confirm the findings of a linted file, and stores the results in the findings.
    /// `command`: the start of a `tangle simulate` command line with the options of the user.
    fn find_witnesses(&mut self, file: &Input, build: BuildId, command: &str, findings: &mut [Diagnostic]);

    /// Writes the facts of one stage, and returns whether the output is complete.
    ///
    /// # Errors
    ///
    /// The requested function does not exist, or the output cannot be written.
    fn show(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &ShowRequest,
        out: &mut dyn Write,
    ) -> Result<Shown, ShowError>;

    /// Lowers the file, writes the result and returns remarks. If the file cannot be lowered, writes nothing and
    /// returns the errors.
    ///
    /// # Errors
    ///
    /// The command does not support the language of the file, the requested function does not exist, or the output
    /// cannot be written.
    fn lower(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &LowerRequest,
        out: &mut dyn Write,
    ) -> Result<Vec<Diagnostic>, LowerError>;

    /// Executes a kernel of the file, and writes the actions of its threads.
    ///
    /// # Errors
    ///
    /// The request does not name one kernel of the file, its launch or its format is impossible, or the output cannot
    /// be written.
    fn simulate(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &SimulateRequest,
        out: &mut dyn Write,
    ) -> Result<Simulated, SimulateError>;

    /// Compares the executions of functions of two files, and writes the result.
    ///
    /// # Errors
    ///
    /// A requested function does not exist, no launch can be compared, or the output cannot be written.
    fn diff(
        &mut self,
        old: &FileToCompare,
        new: &FileToCompare,
        request: &DiffFilesRequest,
        out: &mut dyn Write,
    ) -> Result<Compared, DiffError>;

    /// Returns a new analysis of the same builds, with other texts for some files.
    fn with_texts(&self, texts: Arc<OtherTexts>) -> Self;

    /// Releases cached results. Called between batches of files, when no other handle is alive.
    fn rest(&mut self) {}
}

/// A function that starts an analysis with the builds of a run.
pub trait Start<A: Analysis>: Fn(&Builds) -> A {}
impl<A: Analysis, F: Fn(&Builds) -> A> Start<A> for F {}
