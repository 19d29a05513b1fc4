//! `tangle rules`: lists all rules.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::module::pretty;
use tangle_rules::{self as lint, Rule};

/// The minimum width of the column for summaries.
const MIN_SUMMARY: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    #[default]
    Human,
    Json,
}

/// List all rules
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: RulesFormat,
}

/// All rules.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle rules --format json")]
struct Document {
    /// In alphabetical order.
    rules: Vec<RuleFields>,
}

/// A rule.
#[derive(Serialize, JsonSchema)]
struct RuleFields {
    id: &'static str,
    /// The default severity: `error`, `warning` or `note`.
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'static str,
    /// False if the rule is off by default.
    on: bool,
    /// The rule in one line.
    summary: &'static str,
}

/// The schema of the JSON output.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

/// Prints the rules. `columns`: the width of the terminal. `None` for a pipe, where each rule is one line.
pub fn run(args: &RulesArgs, columns: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        RulesFormat::Human => {
            let width = lint::RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            for rule in lint::RULES {
                let first = format!("{:width$}  {:7}  ", rule.id, rule.default_level());
                let indent = " ".repeat(first.len());
                let columns = columns.map_or(usize::MAX, |columns| columns.max(first.len() + MIN_SUMMARY));
                let options =
                    textwrap::Options::new(columns).initial_indent(&first).subsequent_indent(&indent);
                writeln!(out, "{}", textwrap::fill(rule.summary, options))?;
            }
            Ok(())
        }
        RulesFormat::Json => {
            let rule = |rule: &Rule| RuleFields {
                id: rule.id,
                severity: rule.severity.name(),
                on: rule.on,
                summary: rule.summary,
            };
            pretty(out, &Document { rules: lint::RULES.iter().map(rule).collect() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(columns: Option<usize>) -> Vec<String> {
        let mut out = Vec::new();
        run(&RulesArgs { format: RulesFormat::Human }, columns, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn summaries_are_wrapped_in_their_column() {
        assert_eq!(lines(None).len(), lint::RULES.len());
        let wrapped = lines(Some(80));
        assert!(wrapped.len() > lint::RULES.len());
        assert!(wrapped.iter().all(|line| line.chars().count() <= 80), "{wrapped:#?}");
        let is_rule = |line: &&String| !line.starts_with(' ');
        assert_eq!(wrapped.iter().filter(is_rule).count(), lint::RULES.len());
    }
}
