//! The `tangle` command.

use std::process::ExitCode;
use std::sync::Arc;

use tangle::cli::analysis::Analysis;
use tangle::cli::show::Request;
use tangle::cli::walk::SourceFile;
use tangle::diagnostic::{Diagnostic, SourceText, Sources};

fn main() -> ExitCode {
    tangle::cli::main(|_language| Unwired)
}

/// Stands in until the database is wired up: finds nothing.
#[derive(Clone)]
struct Unwired;

impl Sources for Unwired {
    fn text(&self, _file: &str) -> Option<Arc<SourceText>> {
        None
    }
}

impl Analysis for Unwired {
    fn lint(&mut self, _file: &SourceFile, _text: Arc<SourceText>) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn show(&mut self, _: &SourceFile, _: Arc<SourceText>, _: &Request) -> Result<String, String> {
        Err("the analysis is not wired up".to_owned())
    }
}
