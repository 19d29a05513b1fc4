//! `--add-suppressions`: a comment for each finding, where a comment has an effect.
//!
//! Files are changed only if an argument names them, or if they are in a folder that an argument names and no ignore
//! file or `exclude` leaves them out. A file that is not UTF-8 is not changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::draft::Draft;
use crate::diagnostic::{Diagnostic, Sources};
use crate::lint::UNUSED_SUPPRESSION;
use crate::lint::add_suppression::{add_suppression, is_reason};
use crate::project::embedded;
use crate::project::paths::absolute;
use crate::project::walk;
use crate::project::{Given, Project, read};

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Takes a reason for all suppressions.
pub fn reason(text: &str) -> Result<String, String> {
    match is_reason(text) {
        true => Ok(text.trim().to_owned()),
        false => Err("expected one line without `*/`, `/*` or a backslash at the end".to_owned()),
    }
}

/// The files that may be changed.
pub struct Writable<'a> {
    given: &'a Given,
    named: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
    /// The files of the folders. They are looked for once.
    in_folders: Option<HashSet<PathBuf>>,
}

impl<'a> Writable<'a> {
    pub fn new(arguments: &[PathBuf], given: &'a Given) -> Writable<'a> {
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            arguments.iter().partition(|path| path.is_dir());
        let named = files.into_iter().map(|path| absolute(path)).collect();
        Writable { given, named, folders: folders.into_iter().cloned().collect(), in_folders: None }
    }

    fn has(&mut self, file: &Path) -> bool {
        let path = absolute(file);
        if self.named.contains(&path) {
            return true;
        }
        let folders = &self.folders;
        let files = self.in_folders.get_or_insert_with(|| {
            let inside = |folder: &PathBuf| {
                let root = absolute(folder);
                walk::files(folder).map(move |file| root.join(file)).collect::<Vec<_>>()
            };
            folders.iter().flat_map(inside).collect()
        });
        let is_excluded = || Project::default().reading(Some(&path), self.given, &mut Vec::new()).is_excluded;
        files.contains(&path) && !is_excluded()
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
            let text = match original(path, writable, sources) {
                Ok(text) => text,
                Err(why) => {
                    self.leave(&findings, why);
                    continue;
                }
            };
            let new = self.suppressed(file, &text.1, &findings, reason);
            if new != text.1 {
                let at = |why: String| format!("{file}: {why}");
                let mut draft = Draft::new(path).map_err(at)?;
                let bytes = [text.0.as_bytes(), new.as_bytes()].concat();
                draft.write_all(&bytes).map_err(|error| at(read::plain(&error)))?;
                draft.publish().map_err(at)?;
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

/// The byte order mark and the text of a file that may be changed, or why it may not.
fn original(
    path: &Path,
    writable: &mut Writable,
    sources: &dyn Sources,
) -> Result<(&'static str, String), &'static str> {
    if !writable.has(path) {
        return Err("the file is not among the given files and folders");
    }
    let bytes = fs::read(path).map_err(|_| "the file cannot be read")?;
    let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8")?;
    let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(text) => (BYTE_ORDER_MARK, text.to_owned()),
        None => ("", text),
    };
    let known = sources.text(&path.to_string_lossy());
    if known.is_none_or(|known| known.text() != text) {
        return Err("the file changed during the run");
    }
    let is_in_literals = || {
        let embedded = embedded::read(&text);
        !embedded.programs.is_empty() || !embedded.unread.is_empty()
    };
    if embedded::is_host(path) && is_in_literals() || matches!(embedded::opencl(&text), Cow::Owned(_)) {
        return Err("the code is in a string literal");
    }
    Ok((mark, text))
}
