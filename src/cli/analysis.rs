//! What the frame of the command line asks of the analysis.

use std::sync::Arc;

use super::options::Language;
use super::show::Request;
use super::walk::SourceFile;
use crate::diagnostic::{Diagnostic, SourceText, Sources};

/// One analysis over many files. A clone is a handle on the same analysis for another thread.
///
/// As [`Sources`] it knows the text of every file that it was given, and of every header that it read.
pub trait Analysis: Sources + Clone + Send {
    /// What there is to say of a file. Severities are those of the rules; order does not matter.
    fn lint(&mut self, file: &SourceFile, text: Arc<SourceText>) -> Vec<Diagnostic>;

    /// The facts of one stage, printed, or a sentence on why they cannot be had.
    fn show(&mut self, file: &SourceFile, text: Arc<SourceText>, request: &Request)
    -> Result<String, String>;

    /// Gives back memory that only speeds things up. Called between batches, when no other handle is alive.
    fn rest(&mut self) {}
}

/// Begins an analysis of sources that are read in a certain way.
pub trait Start<A: Analysis>: Fn(Language) -> A {}
impl<A: Analysis, F: Fn(Language) -> A> Start<A> for F {}
