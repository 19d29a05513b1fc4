//! The results of the mutants: a row for each mutation, and lists for review.

use std::collections::BTreeMap;
use std::fmt;

use super::corpus::Original;
use super::mutants::{Mutant, Mutation};
use super::places::Function;

/// The result of one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    /// Wrong, and found.
    Found,
    /// Wrong, and not found.
    Missed,
    /// Not shown to be wrong, and with a finding.
    Alarm {
        /// Whether a launch reached the mutated operation and finished.
        executed: bool,
        message: String,
    },
    /// Not shown to be wrong, and without a finding.
    Silent { executed: bool },
}

/// The results of the mutants of one mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub found: usize,
    pub missed: usize,
    /// Not shown to be wrong, although a launch reached the mutated operation: without and with a finding.
    pub silent: usize,
    pub alarms: usize,
    /// Not shown to be wrong, and no launch reached the mutated operation: without and with a finding.
    pub unknown_silent: usize,
    pub unknown_alarms: usize,
}

impl Row {
    pub fn wrong(&self) -> usize {
        self.found + self.missed
    }

    pub fn not_shown(&self) -> usize {
        self.silent + self.with_finding() + self.unknown_silent
    }

    pub fn with_finding(&self) -> usize {
        self.alarms + self.unknown_alarms
    }

    pub fn all(&self) -> usize {
        self.wrong() + self.not_shown()
    }

    fn add(&mut self, other: &Row) {
        self.found += other.found;
        self.missed += other.missed;
        self.silent += other.silent;
        self.alarms += other.alarms;
        self.unknown_silent += other.unknown_silent;
        self.unknown_alarms += other.unknown_alarms;
    }
}

/// An entry of a list for review: a function or a mutant, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewEntry {
    pub file: String,
    pub line: usize,
    pub function: String,
    pub mutation: Option<Mutation>,
    /// The mutated code.
    pub text: String,
    /// The message of a finding.
    pub message: String,
}

impl ReviewEntry {
    pub fn new(original: &Original, function: &Function, at: usize, message: String) -> ReviewEntry {
        ReviewEntry {
            file: original.name.clone(),
            line: line(&original.text, at),
            function: function.name.clone(),
            mutation: None,
            text: String::new(),
            message,
        }
    }

    pub fn of_mutant(
        original: &Original,
        function: &Function,
        mutant: &Mutant,
        message: String,
    ) -> ReviewEntry {
        let words: Vec<&str> = mutant.text[mutant.changed.clone()].split_whitespace().collect();
        ReviewEntry {
            line: line(&mutant.text, mutant.changed.start),
            mutation: Some(mutant.mutation),
            text: words.join(" "),
            ..ReviewEntry::new(original, function, 0, message)
        }
    }
}

fn line(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

impl fmt::Display for ReviewEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} in `{}`", self.file, self.line, self.function)?;
        if let Some(mutation) = self.mutation {
            write!(f, ", {mutation:?}: {}", self.text)?;
        }
        match self.message.is_empty() {
            true => Ok(()),
            false => write!(f, ": {}", self.message),
        }
    }
}

/// The results of the mutants of some files.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of functions that wait and have no finding.
    pub functions: usize,
    pub rows: BTreeMap<Mutation, Row>,
    /// Functions that have a finding before any mutation.
    pub loud: Vec<ReviewEntry>,
    pub missed: Vec<ReviewEntry>,
    /// Mutants with a finding that are correct, or that a launch executed without a mistake.
    pub alarms: Vec<ReviewEntry>,
    pub not_compiled: Vec<ReviewEntry>,
}

impl Tally {
    pub fn add(&mut self, original: &Original, function: &Function, mutant: &Mutant, case: Case) {
        let row = self.rows.entry(mutant.mutation).or_default();
        let reported = |message: String| ReviewEntry::of_mutant(original, function, mutant, message);
        match case {
            Case::Found => row.found += 1,
            Case::Missed => {
                row.missed += 1;
                self.missed.push(reported(String::new()));
            }
            Case::Alarm { executed, message } => {
                match executed {
                    true => row.alarms += 1,
                    false => row.unknown_alarms += 1,
                }
                if executed || mutant.mutation.is_right() {
                    self.alarms.push(reported(message));
                }
            }
            Case::Silent { executed: true } => row.silent += 1,
            Case::Silent { executed: false } => row.unknown_silent += 1,
        }
    }

    pub fn join(mut self, other: Tally) -> Tally {
        self.functions += other.functions;
        for (mutation, row) in other.rows {
            self.rows.entry(mutation).or_default().add(&row);
        }
        self.loud.extend(other.loud);
        self.missed.extend(other.missed);
        self.alarms.extend(other.alarms);
        self.not_compiled.extend(other.not_compiled);
        self
    }

    /// The sum of all rows.
    pub fn total(&self) -> Row {
        let mut total = Row::default();
        self.rows.values().for_each(|row| total.add(row));
        total
    }
}

/// Formats the rows as a Markdown table.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| mutation | mutants | wrong by execution | of these found | not shown wrong | of these with a finding |"
        )?;
        writeln!(f, "| --- | --: | --: | --: | --: | --: |")?;
        let total = self.total();
        let rows = self.rows.iter().map(|(mutation, row)| (mutation.name(), row));
        for (name, row) in rows.chain([("all", &total)]) {
            let (all, wrong, not_shown) = (row.all(), row.wrong(), row.not_shown());
            writeln!(
                f,
                "| {name} | {all} | {wrong} | {} | {not_shown} | {} |",
                row.found,
                row.with_finding()
            )?;
        }
        Ok(())
    }
}
