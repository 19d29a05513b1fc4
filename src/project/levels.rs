//! Levels of rules, as set in `[rules]` of `tangle.toml`, with `--rule`, and in the settings of an editor.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use tangle_diagnostic::{Diagnostic, Evidence, Severity};
use tangle_rules::{self as lint, Rule};

const LEVELS: &str = "`error`, `warning`, `note` or `off`";
const SEVERITIES: &str = "`error`, `warning`, `note`, `confirmed` or `never`";

/// An error in the name of a rule, in its level, or in the severity of `--fail-on`. Contains the text as the user wrote
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LevelError {
    /// An option without `=`.
    #[error("expected `ID=LEVEL`, where LEVEL is {LEVELS}")]
    MissingLevel,
    #[error("{}", lint::unknown_rule_message(.0))]
    UnknownRule(String),
    #[error("unknown level `{0}`: expected {LEVELS}")]
    UnknownLevel(String),
    #[error("unknown severity `{0}`: expected {SEVERITIES}")]
    UnknownSeverity(String),
}

/// The level of a rule: its findings have this severity, or are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    As(Severity),
    Off,
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Level, LevelError> {
        match text {
            "off" => Ok(Level::Off),
            _ => match text.parse() {
                Ok(severity) => Ok(Level::As(severity)),
                Err(_) => Err(LevelError::UnknownLevel(text.to_owned())),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(word: D) -> Result<Level, D::Error> {
        word.deserialize_str(StringVisitor(LEVELS, PhantomData))
    }
}

impl JsonSchema for Level {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["error", "warning", "note", "off"] })
    }
}

/// Deserializes a string with `FromStr`. The text lists the accepted words for error messages.
struct StringVisitor<T>(&'static str, PhantomData<T>);

impl<T: FromStr> Visitor<'_> for StringVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// The name of an existing rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RuleId(&'static str);

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(id: D) -> Result<RuleId, D::Error> {
        let id = String::deserialize(id)?;
        find_rule(&id).map(|rule| RuleId(rule.id)).map_err(D::Error::custom)
    }
}

/// The levels that differ from the default levels of their rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Levels(BTreeMap<RuleId, Level>);

/// Each rule is a key of the schema, so that editors complete it and show its summary.
impl JsonSchema for Levels {
    fn schema_name() -> Cow<'static, str> {
        "Levels".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let level = generator.subschema_for::<Level>();
        let rule = |rule: &Rule| {
            let description = format!("{}. Default: {}.", rule.summary, rule.default_level());
            let schema = json_schema!({ "description": description, "allOf": [level] });
            (rule.id.to_owned(), schema.to_value())
        };
        let properties: serde_json::Map<_, _> = lint::RULES.iter().map(rule).collect();
        json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

impl Levels {
    pub fn get(&self, rule: &str) -> Option<Level> {
        let (_, level) = self.0.iter().find(|(id, _)| id.0 == rule)?;
        Some(*level)
    }

    pub fn set(&mut self, rule: &'static Rule, level: Level) {
        self.0.insert(RuleId(rule.id), level);
    }

    /// Adds the levels of `others`, which replace those set here.
    pub fn override_with(&mut self, others: &Levels) {
        self.0.extend(&others.0);
    }

    /// Sets the severity of each finding to the level of its rule. Removes findings of rules that are off, and findings
    /// about a rule that is off.
    ///
    /// A run can apply different levels to different files. [`remove_used_elsewhere`](lint::suppression::remove_used_elsewhere) must then see the
    /// findings of all files together.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain_mut(|diagnostic| {
            let severity = self.severity(diagnostic);
            diagnostic.severity = severity.unwrap_or(diagnostic.severity);
            severity.is_some()
        });
    }

    /// Returns the severity with which a finding is reported. `None`: its rule, or the rule that it is about, is off.
    pub fn severity(&self, diagnostic: &Diagnostic) -> Option<Severity> {
        let is_off = |id: &str| match self.get(id) {
            Some(level) => level == Level::Off,
            None => lint::rule(id).is_some_and(|rule| !rule.on),
        };
        if is_off(diagnostic.rule) || diagnostic.about.is_some_and(is_off) {
            return None;
        }
        match self.get(diagnostic.rule) {
            Some(Level::As(severity)) => Some(severity),
            _ => Some(diagnostic.severity),
        }
    }
}

impl<const N: usize> From<[(&'static Rule, Level); N]> for Levels {
    fn from(levels: [(&'static Rule, Level); N]) -> Levels {
        levels.into_iter().collect()
    }
}

impl FromIterator<(&'static Rule, Level)> for Levels {
    /// If a rule occurs more than once, its last level applies.
    fn from_iter<I: IntoIterator<Item = (&'static Rule, Level)>>(levels: I) -> Levels {
        Levels(levels.into_iter().map(|(rule, level)| (RuleId(rule.id), level)).collect())
    }
}

/// Returns the rule with this name.
pub fn find_rule(id: &str) -> Result<&'static Rule, LevelError> {
    lint::rule(id).ok_or_else(|| LevelError::UnknownRule(id.to_owned()))
}

/// Parses `ID=LEVEL`.
pub fn parse_level(text: &str) -> Result<(&'static Rule, Level), LevelError> {
    let (id, level) = text.split_once('=').ok_or(LevelError::MissingLevel)?;
    Ok((find_rule(id)?, level.parse()?))
}

/// The findings that make the exit status of `tangle lint` 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Findings of at least this severity.
    Least(Severity),
    /// Errors and warnings that an execution confirms.
    Confirmed,
    Never,
}

impl Default for FailOn {
    fn default() -> FailOn {
        FailOn::Least(Severity::Warning)
    }
}

impl FailOn {
    /// The name in options and settings.
    pub fn name(self) -> &'static str {
        match self {
            FailOn::Least(least) => least.name(),
            FailOn::Confirmed => "confirmed",
            FailOn::Never => "never",
        }
    }

    /// Returns whether a finding makes the run fail.
    pub fn is_met(self, finding: &Diagnostic) -> bool {
        match self {
            FailOn::Least(least) => finding.severity >= least,
            FailOn::Confirmed => {
                finding.severity > Severity::Note
                    && finding.evidence.as_ref().is_some_and(Evidence::is_confirmed)
            }
            FailOn::Never => false,
        }
    }
}

impl FromStr for FailOn {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<FailOn, LevelError> {
        match text {
            "never" => Ok(FailOn::Never),
            "confirmed" => Ok(FailOn::Confirmed),
            _ => match text.parse() {
                Ok(severity) => Ok(FailOn::Least(severity)),
                Err(_) => Err(LevelError::UnknownSeverity(text.to_owned())),
            },
        }
    }
}

impl JsonSchema for FailOn {
    fn schema_name() -> Cow<'static, str> {
        "FailOn".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["error", "warning", "note", "confirmed", "never"] })
    }
}

impl<'de> Deserialize<'de> for FailOn {
    fn deserialize<D: Deserializer<'de>>(word: D) -> Result<FailOn, D::Error> {
        word.deserialize_str(StringVisitor(SEVERITIES, PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tangle_diagnostic::Place;

    #[test]
    fn later_level_takes_precedence() {
        let level = |text: &str| parse_level(text).unwrap();
        let mut levels: Levels =
            ["unknown-name=off", "unknown-name=error", "unknown-type=off"].map(level).into_iter().collect();
        assert_eq!(levels.get("unknown-name"), Some(Level::As(Severity::Error)));
        levels.override_with(&Levels::from([level("unknown-name=note")]));
        assert_eq!(levels.get("unknown-name"), Some(Level::As(Severity::Note)));
        assert_eq!(levels.get("unknown-type"), Some(Level::Off));
        assert_eq!(levels.get("syntax-error"), None);
    }

    #[test]
    fn findings_get_the_level_of_their_rule() {
        let finding = |rule| Diagnostic::new(rule, Severity::Warning, Place::new("a.cl", 0..1), "m");
        let about = Diagnostic { about: Some("unknown-name"), ..finding("unused-suppression") };
        let mut found =
            vec![finding("syntax-error"), finding("unknown-name"), about, finding("jump-into-loop")];
        let levels = ["unknown-name=off", "syntax-error=note"].map(|text| parse_level(text).unwrap());
        Levels::from(levels).apply(&mut found);
        // A rule that is off by default remains off.
        let left: Vec<_> = found.iter().map(|finding| (finding.rule, finding.severity)).collect();
        assert_eq!(left, [("syntax-error", Severity::Note)]);
    }

    #[test]
    fn invalid_levels_are_reported() {
        let error = |text: &str| parse_level(text).unwrap_err().to_string();
        assert!(error("unknown-name").contains("expected `ID=LEVEL`"));
        assert!(error("unknown-name=loud").contains("unknown level `loud`"));
        assert!(error("unknown-nam=off").contains("did you mean `unknown-name`?"));
        assert!("loud".parse::<FailOn>().unwrap_err().to_string().contains("`never`"));
    }

    #[test]
    fn run_fails_on_findings_of_at_least_the_given_severity() {
        let finding = |severity| Diagnostic::new("r", severity, Place::new("a.cl", 0..1), "m");
        let fails = |on: FailOn, severity| on.is_met(&finding(severity));
        assert!(fails(FailOn::default(), Severity::Warning) && !fails(FailOn::default(), Severity::Note));
        assert!(!fails(FailOn::Never, Severity::Error) && !fails(FailOn::Confirmed, Severity::Error));
    }
}
