//! The baseline: known findings of a project, not fixed yet. They are not reported, so new findings are easy to see.
//!
//! ```json
//! { "version": 1,
//!   "findings": [
//!     { "file": "kernels/scan.cl", "rule": "divergent-barrier", "function": "scan",
//!       "source": "barrier(CLK_LOCAL_MEM_FENCE);", "count": 2, "reason": "see issue 12" } ] }
//! ```
//!
//! **Identity** of a finding: its file (relative to the folder of the baseline), its rule, the enclosing function, and
//! its first line with single spaces. Edits above the finding or to its indentation do not change the identity.
//! `count`: the number of known findings with one identity. Further findings with this identity are reported. `reason`
//! is for readers; it is kept when the file is written again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::draft::{self, WriteError};
use tangle_diagnostic::fingerprint::Identity;
use tangle_diagnostic::{Diagnostic, SourceTexts, Suppression};
use tangle_project::paths::{absolute, below};
use tangle_project::{SettingsError, read};

/// The default name of the file.
pub(super) const NAME: &str = "tangle-baseline.json";

const VERSION: u32 = 1;

/// Why a file is not used as a baseline.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// The file cannot be read, or is not UTF-8.
    #[error(transparent)]
    Read(#[from] SettingsError),
    #[error("{}:{}: no baseline: {source}", .path.display(), .source.line())]
    Malformed { path: PathBuf, source: serde_json::Error },
    #[error("{}: version {version} is not known; this is version {VERSION}", .path.display())]
    UnknownVersion { path: PathBuf, version: u32 },
}

/// Returns the path of a new baseline for a run whose first path is `first`. Later runs find the file at this path.
pub(super) fn place(first: &Path) -> PathBuf {
    let (here, there) = (absolute(Path::new(".")), absolute(first));
    let elsewhere = || if there.is_dir() { Some(there.as_path()) } else { there.parent() };
    match there.starts_with(&here) {
        true => PathBuf::from(NAME),
        false => elsewhere().unwrap_or(&there).join(NAME),
    }
}

/// Known findings of a project, which `tangle lint` does not report.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "tangle-baseline.json")]
struct Written {
    /// The version of this format: 1.
    version: u32,
    findings: Vec<Row>,
}

/// Findings with one identity.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Finding")]
struct Row {
    /// Relative to the folder of the baseline.
    file: String,
    /// The id of the rule.
    rule: String,
    /// The function around the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// The first line of the finding, with single spaces.
    source: String,
    /// The number of findings with this identity.
    count: usize,
    /// Why the finding is not fixed, for readers. It is kept when the file is written again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
}

/// The schema of the file.
pub(crate) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Written>()
}

/// The key of a finding, equal in two runs: its file, and its identity there.
type Key = (String, Identity);

#[derive(Clone, Debug, Default)]
struct Known {
    count: usize,
    reason: String,
}

/// The known findings of a project.
#[derive(Debug)]
pub(super) struct Baseline {
    path: PathBuf,
    /// The absolute path of the folder that contains the file.
    folder: PathBuf,
    known: BTreeMap<Key, Known>,
}

/// The result of comparing a run with a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    /// Findings of the run that are in the baseline.
    pub known: usize,
    /// Findings of the baseline that the files of the run no longer have.
    pub gone: usize,
}

impl Baseline {
    /// Returns a baseline without findings, for a file at `path`.
    pub fn empty(path: &Path) -> Baseline {
        let folder = absolute(path).parent().map_or_else(PathBuf::new, Path::to_owned);
        Baseline { path: path.to_owned(), folder, known: BTreeMap::new() }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a baseline of this version.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let text = read::strict(path)?;
        let written: Written = serde_json::from_str(&text)
            .map_err(|source| BaselineError::Malformed { path: path.to_owned(), source })?;
        if written.version != VERSION {
            return Err(BaselineError::UnknownVersion { path: path.to_owned(), version: written.version });
        }
        let mut baseline = Baseline::empty(path);
        for Row { file, rule, function, source, count, reason } in written.findings {
            let known = baseline.known.entry((file, Identity { rule, function, source })).or_default();
            known.count += count;
            if known.reason.is_empty() {
                known.reason = reason;
            }
        }
        Ok(baseline)
    }

    /// Returns the path of the nearest baseline: in the folder of `to` or in a parent folder.
    pub fn nearest(to: &Path) -> Option<PathBuf> {
        let to = absolute(to);
        to.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self, name: &str) -> String {
        below(&self.folder, Path::new(name))
    }

    fn key(&self, finding: &Diagnostic, sources: &dyn SourceTexts) -> Key {
        (self.file(&finding.place.file), Identity::of(finding, sources))
    }

    /// Returns the number of findings with each key, without suppressed findings.
    fn counts(&self, findings: &[Diagnostic], sources: &dyn SourceTexts) -> HashMap<Key, usize> {
        let mut counts = HashMap::new();
        for finding in findings.iter().filter(|finding| finding.suppression.is_none()) {
            *counts.entry(self.key(finding, sources)).or_default() += 1;
        }
        counts
    }

    fn files<'a>(&self, names: impl Iterator<Item = &'a str>) -> HashSet<String> {
        names.map(|name| self.file(name)).collect()
    }

    /// Returns the matching entry of each finding, and the number of unmatched findings of each entry.
    fn matched(
        &self,
        findings: &[Diagnostic],
        sources: &dyn SourceTexts,
    ) -> (Vec<Option<&Known>>, HashMap<&Key, usize>) {
        let mut left: HashMap<&Key, usize> =
            self.known.iter().map(|(key, known)| (key, known.count)).collect();
        let entry = |finding: &Diagnostic| {
            let key = self.key(finding, sources);
            let count = left.get_mut(&key).filter(|count| **count > 0)?;
            *count -= 1;
            self.known.get(&key)
        };
        let is_open = |finding: &&Diagnostic| finding.suppression.is_none();
        let mut entry = entry;
        let entries = findings.iter().map(|it| Some(it).filter(is_open).and_then(&mut entry)).collect();
        (entries, left)
    }

    /// Marks known findings as suppressed. `read`: the names of the files that the run read, including headers.
    pub fn apply<'a>(
        &self,
        findings: &mut [Diagnostic],
        read: impl Iterator<Item = &'a str>,
        sources: &dyn SourceTexts,
    ) -> Matched {
        let (entries, left) = self.matched(findings, sources);
        let mut matched = Matched::default();
        for (finding, entry) in findings.iter_mut().zip(entries) {
            let Some(known) = entry else { continue };
            matched.known += 1;
            let reason = match &*known.reason {
                "" => "in the baseline".to_owned(),
                reason => reason.to_owned(),
            };
            finding.suppression = Some(Suppression { reason, by: Vec::new() });
        }
        let read = self.files(read);
        let gone = left.iter().filter(|((file, _), _)| read.contains(file));
        matched.gone = gone.map(|(_, count)| count).sum();
        matched
    }

    /// Drops known findings, and returns their number.
    pub fn drop_known(&self, findings: &mut Vec<Diagnostic>, sources: &dyn SourceTexts) -> usize {
        let (entries, _) = self.matched(findings, sources);
        let mut is_known = entries.iter().map(Option::is_some).collect::<Vec<_>>().into_iter();
        let before = findings.len();
        findings.retain(|_| !is_known.next().unwrap_or(false));
        before - findings.len()
    }

    /// Replaces the entries of the linted files by the findings of a run. Reasons are kept. A header that the run only
    /// included can have further findings in other including files, so the counts of its entries only increase.
    pub fn take<'a>(
        &mut self,
        findings: &[Diagnostic],
        linted: impl Iterator<Item = &'a str>,
        sources: &dyn SourceTexts,
    ) {
        let linted = self.files(linted);
        let counts = self.counts(findings, sources);
        self.known.retain(|key, _| !linted.contains(&key.0) || counts.contains_key(key));
        for (key, count) in counts {
            let is_linted = linted.contains(&key.0);
            let known = self.known.entry(key).or_default();
            known.count = if is_linted { count } else { known.count.max(count) };
        }
    }

    /// Removes findings that the files of a run no longer have. `read`: the names of these files, including headers.
    pub fn prune<'a>(
        &mut self,
        findings: &[Diagnostic],
        read: impl Iterator<Item = &'a str>,
        sources: &dyn SourceTexts,
    ) {
        let read = self.files(read);
        let counts = self.counts(findings, sources);
        self.known.retain(|key, known| {
            if read.contains(&key.0) {
                known.count = known.count.min(counts.get(key).copied().unwrap_or(0));
            }
            known.count > 0
        });
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), WriteError> {
        let row = |(key, known): (&Key, &Known)| {
            let (file, Identity { rule, function, source }) = key.clone();
            Row { file, rule, function, source, count: known.count, reason: known.reason.clone() }
        };
        let written = Written { version: VERSION, findings: self.known.iter().map(row).collect() };
        draft::write(&self.path, |draft| {
            let text = serde_json::to_string_pretty(&written)?;
            writeln!(draft, "{text}")
        })
    }
}
