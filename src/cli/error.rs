//! Errors that end a command.

use std::path::PathBuf;

use thiserror::Error;

use super::draft::{DraftError, WriteError};
use super::init::InitError;
use super::input::InputError;
use super::lint::baseline::BaselineError;
use super::lint::lists::ListError;
use super::lint::revision::RevisionError;
use super::merge::MergeError;
use super::options::PoolError;
use super::output::OutputError;
use super::plan::InvalidSettings;
use super::requests::{DiffError, LowerError, ShowError, SimulateError};
use tangle_project::levels::LevelError;

/// Why a command has no result. The exit status is 2.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A file that the command writes besides its output: a report, a baseline, a fixed source.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file of `tangle lower -o`.
    #[error("cannot write {}: {source}", .path.display())]
    LoweredFile { path: PathBuf, source: DraftError },
    #[error(transparent)]
    List(#[from] ListError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error("`--add-suppressions` cannot change standard input")]
    SuppressionsInStandardInput,
    #[error("`--fix` cannot write to standard input; `--diff` prints the fixes")]
    FixesInStandardInput,
    #[error(transparent)]
    Show(#[from] ShowError),
    #[error(transparent)]
    Lower(#[from] LowerError),
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// The argument of `tangle explain` is not the name of a rule.
    #[error(transparent)]
    Rule(#[from] LevelError),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The command panicked outside the analysis of a file.
    #[error("internal error: please report it with the text above")]
    Panic,
}
