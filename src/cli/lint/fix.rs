//! `--fix` and `--diff`: applies the fixes of findings to the text of each file until no fix remains.
//!
//! One round applies fixes that do not overlap, at most one for each function. Then the file is analysed again,
//! because a fix can enable another one. If the fixes would add a finding to a file, the file stays unchanged.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use diffy::{DiffOptions, PatchFormatter};
use thiserror::Error;

use super::writable::{NotWritable, Original, Writable};
use crate::analysis::{Analysis, Start};
use crate::draft::WriteError;
use crate::input::{InputError, guarded};
use crate::plan::Planned;
use crate::plan::ReadOptions;
use tangle_diagnostic::{Applicability, Diagnostic, Edit, Fix, Severity, SourceText, SourceTexts};
use tangle_fix::applied;
use tangle_project::Builds;

/// The maximum number of rounds for a file. Each round fixes at least one finding.
const MOST_ROUNDS: usize = 32;

/// Why the fixes of a file are not applied.
#[derive(Debug, Error)]
pub(super) enum FixError {
    #[error(transparent)]
    NotWritable(#[from] NotWritable),
    #[error("fixes overlap")]
    Overlap,
    #[error("the fixes together would add findings")]
    AddsFindings,
    /// The analysis of the fixed text failed.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A file has fixes, but stays unchanged.
#[derive(Debug, Error)]
#[error("{file}: not fixed: {source}")]
pub(super) struct NotFixed {
    file: Arc<str>,
    source: FixError,
}

/// The fixes to apply.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub most: Applicability,
    /// Findings below this severity are not fixed.
    pub least: Severity,
}

/// A file with applied fixes.
pub(super) struct Fixed {
    name: Arc<str>,
    /// The path and the original content. `None`: standard input.
    file: Option<(PathBuf, Original)>,
    before: Arc<SourceText>,
    after: Arc<SourceText>,
    /// The number of applied fixes.
    pub fixes: usize,
}

/// Applies the fixes of findings in memory. Returns the changed files in the order of their names, and an error for
/// each file with fixes that stays unchanged.
pub(super) fn fixed<A: Analysis>(
    diagnostics: &[Diagnostic],
    files: &[Planned],
    wanted: Wanted,
    (start, builds): (&impl Start<A>, &Builds),
    (writable, sources): (&mut Writable, &dyn SourceTexts),
) -> (Vec<Fixed>, Vec<NotFixed>) {
    let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in diagnostics.iter().filter(|finding| fix_of(finding, wanted).is_some()) {
        by_file.entry(&finding.place.file).or_default().push(finding);
    }
    let (mut changed, mut troubles) = (Vec::new(), Vec::new());
    for (name, found) in by_file {
        let Some(planned) = files.iter().find(|planned| *planned.input.name == *name) else { continue };
        let Some(before) = sources.text(name) else { continue };
        let not_fixed = |source: FixError| NotFixed { file: planned.input.name.clone(), source };
        let path = planned.input.path.clone();
        let original = |path: PathBuf| writable.original(&path, sources).map(|original| (path, original));
        let file = match path.map(original).transpose() {
            Ok(file) => file,
            Err(why) => {
                troubles.push(not_fixed(why.into()));
                continue;
            }
        };
        match in_file(planned, &before, found, wanted, (start, builds)) {
            Ok((after, fixes)) => {
                changed.push(Fixed { name: planned.input.name.clone(), file, before, after, fixes });
            }
            Err(why) => troubles.push(not_fixed(why)),
        }
    }
    (changed, troubles)
}

/// Returns the first fix of a reported finding that is safe enough to apply.
fn fix_of(finding: &Diagnostic, wanted: Wanted) -> Option<&Fix> {
    let is_reported = finding.suppression.is_none() && finding.severity >= wanted.least;
    finding.fixes.iter().find(|fix| is_reported && fix.applicability <= wanted.most)
}

/// Returns the number of findings with a safe fix, and the number of findings with only an unsafe fix.
pub(super) fn fixable(diagnostics: &[Diagnostic], least: Severity) -> (usize, usize) {
    let is_fixable = |finding: &&Diagnostic, most| fix_of(finding, Wanted { most, least }).is_some();
    let count = |most| diagnostics.iter().filter(|finding| is_fixable(finding, most)).count();
    let safe = count(Applicability::Safe);
    (safe, count(Applicability::Unsafe) - safe)
}

/// Applies the fixes of one file in rounds. Returns the new text and the number of fixes.
///
/// # Errors
///
/// Fixes overlap, or would add findings, or the analysis panicked.
fn in_file<A: Analysis>(
    planned: &Planned,
    before: &Arc<SourceText>,
    found: Vec<&Diagnostic>,
    wanted: Wanted,
    (start, builds): (&impl Start<A>, &Builds),
) -> Result<(Arc<SourceText>, usize), FixError> {
    let name = &planned.input.name;
    let analyse = |text: &Arc<SourceText>, fixes_from: Option<Severity>| {
        let read_options = ReadOptions { fixes_from, ..planned.read_options.clone() };
        let mut found = guarded(name, || start(builds).lint(&planned.input, &read_options, text.clone()))?;
        planned.read_options.levels.apply(&mut found);
        Ok::<_, InputError>(found)
    };
    let known: HashSet<Told> = analyse(before, None)?.into_iter().map(told).collect();
    let mut text = before.clone();
    let (mut count, edits) = chosen(found.into_iter(), name, wanted);
    text = changed(&text, &edits).ok_or(FixError::Overlap)?;
    for _ in 0..MOST_ROUNDS {
        let now = analyse(&text, Some(wanted.least))?;
        if now.iter().any(|finding| !known.contains(&told(finding.clone()))) {
            return Err(FixError::AddsFindings);
        }
        let (more, edits) = chosen(now.iter(), name, wanted);
        if edits.is_empty() {
            return Ok((text, count));
        }
        text = changed(&text, &edits).ok_or(FixError::Overlap)?;
        count += more;
    }
    Ok((text, count))
}

/// The rule and the function of a finding. A finding is new if no earlier finding has the same rule and function.
type Told = (&'static str, Option<String>);

fn told(finding: Diagnostic) -> Told {
    (finding.rule, finding.function)
}

/// Selects fixes that can be applied together. Returns their number and their edits.
fn chosen<'d>(found: impl Iterator<Item = &'d Diagnostic>, name: &str, wanted: Wanted) -> (usize, Vec<Edit>) {
    let mut functions: HashSet<&Option<String>> = HashSet::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let (mut count, mut edits) = (0, Vec::new());
    for finding in found {
        let Some(fix) = fix_of(finding, wanted) else { continue };
        let is_here = fix.edits.iter().all(|edit| *edit.place.file == *name);
        let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else { continue };
        let range = first.place.range.start..last.place.range.end + 1;
        let is_free = taken.iter().all(|other| other.end <= range.start || range.end <= other.start);
        if !is_here || !is_free || !functions.insert(&finding.function) {
            continue;
        }
        taken.push(range);
        edits.extend(fix.edits.iter().cloned());
        count += 1;
    }
    edits.sort_by_key(|edit| edit.place.range.start);
    (count, edits)
}

fn changed(text: &SourceText, edits: &[Edit]) -> Option<Arc<SourceText>> {
    applied(text.text(), edits).map(|text| Arc::new(SourceText::new(text)))
}

impl Fixed {
    /// Writes the text to the disk.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), WriteError> {
        self.file.as_ref().map_or(Ok(()), |(path, original)| original.replace(path, self.after.text()))
    }

    /// Prints the change as a patch.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut options = DiffOptions::new();
        options.set_original_filename(self.name.to_string()).set_modified_filename(self.name.to_string());
        let patch = options.create_patch(self.before.text(), self.after.text());
        write!(out, "{}", PatchFormatter::new().suppress_blank_empty(false).fmt_patch(&patch))
    }
}
