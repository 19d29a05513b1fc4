//! `--add-suppressions`: adds a comment for each finding that a comment can suppress.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use thiserror::Error;

use super::writable::{NotWritable, Writable};
use crate::draft::WriteError;
use tangle_diagnostic::{Diagnostic, SourceTexts};
use tangle_rules::UNUSED_SUPPRESSION;
use tangle_rules::add_suppression::{add_suppression, is_reason};

/// A text cannot be the reason in a comment.
#[derive(Debug, Error)]
#[error("expected one line without `*/`, `/*` or a backslash at the end")]
pub struct InvalidReason;

/// Why a finding has no comment.
#[derive(Clone, Copy, Debug, Error)]
pub enum NotSuppressed {
    /// The finding is about a suppression without effect.
    #[error("remove or correct the comment instead")]
    UnusedSuppression,
    #[error("a comment in this line would change the code")]
    ChangesCode,
    #[error(transparent)]
    NotWritable(#[from] NotWritable),
}

/// Checks and trims the reason for all suppressions.
///
/// # Errors
///
/// The text does not fit into a comment of one line.
pub fn reason(text: &str) -> Result<String, InvalidReason> {
    match is_reason(text) {
        true => Ok(text.trim().to_owned()),
        false => Err(InvalidReason),
    }
}

/// The comments that a run added.
#[derive(Default)]
pub struct Added {
    /// The number of findings with a new comment.
    pub findings: usize,
    pub files: BTreeSet<String>,
    /// The reasons why findings have no comment, by file, offset and rule.
    pub left: BTreeMap<(String, usize, &'static str), NotSuppressed>,
}

impl Added {
    /// Adds comments for findings, and returns the number of findings with a new comment.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn add<'d>(
        &mut self,
        findings: impl Iterator<Item = &'d Diagnostic>,
        writable: &mut Writable,
        reason: &str,
        sources: &dyn SourceTexts,
    ) -> Result<usize, WriteError> {
        let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
        self.left.clear();
        for finding in findings {
            match finding.rule {
                UNUSED_SUPPRESSION => self.leave(&[finding], NotSuppressed::UnusedSuppression),
                _ => by_file.entry(&finding.place.file).or_default().push(finding),
            }
        }
        let before = self.findings;
        for (file, findings) in by_file {
            let path = Path::new(file);
            let original = match writable.original(path, sources) {
                Ok(original) => original,
                Err(why) => {
                    self.leave(&findings, why.into());
                    continue;
                }
            };
            let new = self.suppressed(file, original.text(), &findings, reason);
            if new != original.text() {
                original.replace(path, &new)?;
                self.files.insert(file.to_owned());
            }
        }
        Ok(self.findings - before)
    }

    fn leave(&mut self, findings: &[&Diagnostic], why: NotSuppressed) {
        for finding in findings {
            let place = &finding.place;
            self.left.insert((place.file.to_string(), place.range.start, finding.rule), why);
        }
    }

    /// Returns the text with comments for its findings.
    fn suppressed(&mut self, file: &str, text: &str, findings: &[&Diagnostic], reason: &str) -> String {
        let line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
        let mut lines: BTreeMap<usize, Vec<&Diagnostic>> = BTreeMap::new();
        for &finding in findings {
            lines.entry(line(finding.place.range.start.min(text.len()))).or_default().push(finding);
        }
        let mut new = text.to_owned();
        // From the end, so that earlier offsets stay valid.
        for findings in lines.into_values().rev() {
            // The rules of all findings in one line are in one comment.
            let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule).collect();
            let rules: Vec<&str> = rules.into_iter().collect();
            let first = findings.iter().map(|it| &it.place.range).min_by_key(|range| range.start);
            let edit = first.and_then(|at| add_suppression(file, &new, at, &rules, reason));
            match edit {
                Some(edit) => {
                    new = edit.applied(&new);
                    self.findings += findings.len();
                }
                None => self.leave(&findings, NotSuppressed::ChangesCode),
            }
        }
        new
    }
}
