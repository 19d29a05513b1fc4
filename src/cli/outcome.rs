//! Exit status and failures of a command.

use std::io;

use tangle_project::{Trouble, read};

/// Why a command did nothing.
#[derive(Debug)]
pub enum Failure {
    /// In a sentence.
    Words(String),
    /// Settings files are wrong.
    Settings(Vec<Trouble>),
}

impl From<String> for Failure {
    fn from(words: String) -> Failure {
        Failure::Words(words)
    }
}

/// How a run ended, as the exit status tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Clean = 0,
    Findings = 1,
    Trouble = 2,
    /// The command has not ended: the caller serves an editor on the streams of the process.
    Serves,
}

/// The sentence on an output that takes no more.
pub(super) fn unwritable(error: &io::Error) -> String {
    format!("cannot write the output: {}", read::plain(error))
}
