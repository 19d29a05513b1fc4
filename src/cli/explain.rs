//! `tangle explain`: the page of a rule.

use std::io::Write;

use clap::Args;

use crate::project::levels::known;

/// Explain a rule, with examples
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The rule, as `tangle rules` lists it
    #[arg(value_name = "RULE")]
    rule: String,
}

pub fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<(), String> {
    let rule = known(&args.rule)?;
    writeln!(out, "{}", rule.page.trim_end()).map_err(|error| super::unwritable(&error))
}
