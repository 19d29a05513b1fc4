//! `--add-suppressions`: a comment for each finding, where a comment has an effect.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::writable::Writable;
use tangle_diagnostic::{Diagnostic, Sources};
use tangle_rules::UNUSED_SUPPRESSION;
use tangle_rules::add_suppression::{add_suppression, is_reason};

/// Takes a reason for all suppressions.
pub fn reason(text: &str) -> Result<String, String> {
    match is_reason(text) {
        true => Ok(text.trim().to_owned()),
        false => Err("expected one line without `*/`, `/*` or a backslash at the end".to_owned()),
    }
}

/// The comments that a run added.
#[derive(Default)]
pub struct Added {
    /// Findings with a new comment.
    pub findings: usize,
    pub files: BTreeSet<String>,
    /// Why findings have no comment: the place and the rule, with the reason.
    pub left: BTreeMap<(String, usize, &'static str), String>,
}

impl Added {
    /// Adds comments for findings; how many.
    ///
    /// # Errors
    ///
    /// A sentence: a file cannot be written.
    pub fn add<'d>(
        &mut self,
        findings: impl Iterator<Item = &'d Diagnostic>,
        writable: &mut Writable,
        reason: &str,
        sources: &dyn Sources,
    ) -> Result<usize, String> {
        let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
        self.left.clear();
        for finding in findings {
            match finding.rule {
                UNUSED_SUPPRESSION => self.leave(&[finding], "remove or correct the comment instead"),
                _ => by_file.entry(&finding.place.file).or_default().push(finding),
            }
        }
        let before = self.findings;
        for (file, findings) in by_file {
            let path = Path::new(file);
            let original = match writable.original(path, sources) {
                Ok(original) => original,
                Err(why) => {
                    self.leave(&findings, why);
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

    fn leave(&mut self, findings: &[&Diagnostic], why: &str) {
        for finding in findings {
            let place = &finding.place;
            self.left.insert((place.file.to_string(), place.range.start, finding.rule), why.to_owned());
        }
    }

    /// The text with comments for its findings.
    fn suppressed(&mut self, file: &str, text: &str, findings: &[&Diagnostic], reason: &str) -> String {
        let line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
        let mut lines: BTreeMap<usize, Vec<&Diagnostic>> = BTreeMap::new();
        for &finding in findings {
            lines.entry(line(finding.place.range.start.min(text.len()))).or_default().push(finding);
        }
        let mut new = text.to_owned();
        // From the end, so that the places before are as they were.
        for findings in lines.into_values().rev() {
            // Rules of one line go into one comment.
            let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule).collect();
            let rules: Vec<&str> = rules.into_iter().collect();
            let first = findings.iter().map(|it| &it.place.range).min_by_key(|range| range.start);
            let edit = first.and_then(|at| add_suppression(file, &new, at, &rules, reason));
            match edit {
                Some(edit) => {
                    new = edit.applied(&new);
                    self.findings += findings.len();
                }
                None => self.leave(&findings, "a comment in this line would change the code"),
            }
        }
        new
    }
}
