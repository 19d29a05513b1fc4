//! `tangle rules`, and how rules are named and weighed on the command line.

use std::io::{self, Write};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::json;

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{self, Rule};

/// How much the findings of a rule matter to this user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Level {
    As(Severity),
    Off,
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        match text {
            "off" => Ok(Level::Off),
            _ => match text.parse() {
                Ok(severity) => Ok(Level::As(severity)),
                Err(_) => Err(format!("`{text}` is none of `error`, `warning`, `note`, `off`")),
            },
        }
    }
}

/// Gives each finding the severity that the user wants for its rule, if any, and drops those of rules that are off.
pub fn weigh(diagnostics: &mut Vec<Diagnostic>, level: impl Fn(&str) -> Option<Level>) {
    diagnostics.retain_mut(|diagnostic| match level(diagnostic.rule) {
        Some(Level::Off) => false,
        Some(Level::As(severity)) => {
            diagnostic.severity = severity;
            true
        }
        None => true,
    });
}

impl TryFrom<String> for Level {
    type Error = String;

    fn try_from(text: String) -> Result<Level, String> {
        text.parse()
    }
}

/// The least severity that makes the exit status 1; nothing is `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct FailOn(pub Option<Severity>);

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<FailOn, String> {
        match text {
            "never" => Ok(FailOn(None)),
            _ => match text.parse() {
                Ok(severity) => Ok(FailOn(Some(severity))),
                Err(_) => Err(format!("`{text}` is none of `error`, `warning`, `note`, `never`")),
            },
        }
    }
}

impl TryFrom<String> for FailOn {
    type Error = String;

    fn try_from(text: String) -> Result<FailOn, String> {
        text.parse()
    }
}

/// The rule of this name, or a sentence that suggests another.
pub fn known(id: &str) -> Result<&'static Rule, String> {
    lint::rule(id).ok_or_else(|| {
        let near = |rule: &&Rule| strsim::jaro_winkler(id, rule.id);
        let nearest = lint::RULES.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
        match nearest.filter(|rule| near(rule) > 0.7) {
            Some(rule) => format!("there is no rule `{id}`; did you mean `{}`?", rule.id),
            None => format!("there is no rule `{id}`; `tangle rules` lists them"),
        }
    })
}

/// Reads `ID=LEVEL`.
pub fn parse_level(text: &str) -> Result<(&'static str, Level), String> {
    let (id, level) = text.split_once('=').ok_or("expected `ID=error|warning|note|off`")?;
    Ok((known(id)?.id, level.parse()?))
}

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
                writeln!(out, "{:width$}  {:7}  {}", rule.id, rule.severity, rule.summary)?;
            }
            Ok(())
        }
        RulesFormat::Json => {
            let rule = |rule: &Rule| json!({ "id": rule.id, "severity": rule.severity.name(), "summary": rule.summary });
            let rules: Vec<_> = lint::RULES.iter().map(rule).collect();
            serde_json::to_writer_pretty(&mut *out, &json!({ "rules": rules }))?;
            writeln!(out)
        }
    }
}
