//! `tangle explain`: the page of a rule.

use std::io::Write;

use clap::Args;

use super::error::CommandError;
use super::markdown;
use super::output::OutputError;
use crate::human::Terminal;
use tangle_project::levels::find_rule;

/// Explain a rule, with examples
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Rule to explain; `tangle rules` lists all rules
    #[arg(value_name = "RULE")]
    rule: String,
}

/// Prints the page of the rule.
///
/// # Errors
///
/// No rule has this name, or the output cannot be written.
pub fn run(args: &ExplainArgs, terminal: Terminal, out: &mut dyn Write) -> Result<(), CommandError> {
    let rule = find_rule(&args.rule)?;
    writeln!(out, "{}", markdown::rendered(rule.page, terminal).trim_end()).map_err(OutputError)?;
    Ok(())
}
