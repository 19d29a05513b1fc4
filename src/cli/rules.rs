//! `tangle rules`: every rule, a line each.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::lint::{self, Rule};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    #[default]
    Human,
    Json,
}

/// List every rule
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: RulesFormat,
}

pub fn run(args: &RulesArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        RulesFormat::Human => {
            let width = lint::RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            for rule in lint::RULES {
                writeln!(out, "{:width$}  {:7}  {}", rule.id, rule.default_level(), rule.summary)?;
            }
            Ok(())
        }
        RulesFormat::Json => {
            let rule = |rule: &Rule| {
                json!({
                    "id": rule.id, "severity": rule.severity.name(), "on": rule.on, "summary": rule.summary,
                })
            };
            let rules: Vec<_> = lint::RULES.iter().map(rule).collect();
            serde_json::to_writer_pretty(&mut *out, &json!({ "rules": rules }))?;
            writeln!(out)
        }
    }
}
