//! What the frame of the command line asks of the analysis.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::Ways;
use super::requests::{
    LowerError, LowerRequest, ShowError, ShowRequest, Shown, SimulateError, SimulateRequest, Simulated,
};
use tangle_diagnostic::{Diagnostic, SourceText, Sources};
use tangle_project::walk::Input;
use tangle_project::{BuildId, Builds};
use tangle_syntax::items::Census;

/// Texts of files that are not those on the disk, by absolute path. None: there is no such file.
pub type OtherTexts = HashMap<PathBuf, Option<Arc<str>>>;

/// One analysis over many files, each read as one of the builds with which the analysis began. A clone is a handle on the same analysis for another thread.
///
/// As [`Sources`] it knows the text of every file that it was given, and of every header that it read.
pub trait Analysis: Sources + Clone + Send {
    /// What there is to say of a file. Severities are those of the rules, and what is suppressed is
    /// among it; order does not matter.
    fn lint(&mut self, file: &Input, ways: &Ways, text: Arc<SourceText>) -> Vec<Diagnostic>;

    /// The findings in inactive branches alone, for a header whose other findings are reported with the files that include it.
    fn lint_inactive(&mut self, file: &Input, ways: &Ways, text: Arc<SourceText>) -> Vec<Diagnostic>;

    /// The names of the files that one that was linted includes.
    fn included(&mut self, file: &Input, ways: &Ways) -> Vec<Arc<str>>;

    /// What there is in a file that was linted.
    fn census(&mut self, file: &Input, ways: &Ways) -> Census;

    /// Writes the facts of one stage, and returns how much of them it wrote.
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

    /// Writes what the file is lowered to. If it cannot be lowered, the findings say why, and nothing is written.
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

    /// Executes a kernel of the file, and writes what its threads did.
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

    /// A new analysis of the same builds, in which some files have other texts.
    fn with_texts(&self, texts: Arc<OtherTexts>) -> Self;

    /// Gives back memory that only speeds things up. Called between batches, when no other handle is alive.
    fn rest(&mut self) {}
}

/// Begins an analysis of sources that are read as one of these builds each.
pub trait Start<A: Analysis>: Fn(&Builds) -> A {}
impl<A: Analysis, F: Fn(&Builds) -> A> Start<A> for F {}
