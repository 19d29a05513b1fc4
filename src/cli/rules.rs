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

/// Gives each finding the severity that the user wants for its rule, if any, and drops what speaks of rules that are off. What
/// of the comments' use is known only now is settled.
pub fn weigh(diagnostics: &mut Vec<Diagnostic>, level: impl Fn(&str) -> Option<Level>) {
    let is_off = |id: &str| match level(id) {
        Some(level) => level == Level::Off,
        None => lint::rule(id).is_some_and(|rule| !rule.on),
    };
    diagnostics.retain_mut(|diagnostic| {
        if is_off(diagnostic.rule) || diagnostic.about.is_some_and(is_off) {
            return false;
        }
        if let Some(Level::As(severity)) = level(diagnostic.rule) {
            diagnostic.severity = severity;
        }
        true
    });
    lint::suppression::settle(diagnostics);
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
    lint::rule(id).ok_or_else(|| lint::nearest(id))
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
