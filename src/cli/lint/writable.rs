//! The files that a run is allowed to change, and their replacement.
//!
//! A run changes a file only if an argument names the file, or if the file is in a given folder and no ignore file or
//! `exclude` excludes it. Files that are not UTF-8, and code in string literals, are not changed. A byte order mark is
//! kept.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::draft::{self, WriteError};
use tangle_diagnostic::SourceTexts;
use tangle_project::embedded;
use tangle_project::paths::absolute;
use tangle_project::walk;
use tangle_project::{Project, UserSettings};

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Why a run must not change a file.
#[derive(Clone, Copy, Debug, Error)]
pub enum NotWritable {
    #[error("the file is not among the given files and folders")]
    NotGiven,
    #[error("the file cannot be read")]
    Unreadable,
    #[error("the file is not UTF-8")]
    NotUtf8,
    /// The file no longer has the text that was analysed.
    #[error("the file changed during the run")]
    Changed,
    #[error("the code is in a string literal")]
    StringLiteral,
}

/// The files that a run is allowed to change.
pub struct Writable<'a> {
    given: &'a UserSettings,
    named: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
    /// The files of the folders, computed at the first use.
    in_folders: Option<HashSet<PathBuf>>,
}

impl<'a> Writable<'a> {
    pub fn new(arguments: &[PathBuf], given: &'a UserSettings) -> Writable<'a> {
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

    /// Returns the content of a file that the run is allowed to change. `sources` has the text that was analysed.
    ///
    /// # Errors
    ///
    /// The run must not change the file.
    pub fn original(&mut self, path: &Path, sources: &dyn SourceTexts) -> Result<Original, NotWritable> {
        if !self.has(path) {
            return Err(NotWritable::NotGiven);
        }
        let bytes = fs::read(path).map_err(|_| NotWritable::Unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| NotWritable::NotUtf8)?;
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(text) => (BYTE_ORDER_MARK, text.to_owned()),
            None => ("", text),
        };
        let known = sources.text(&path.to_string_lossy());
        if known.is_none_or(|known| known.text() != text) {
            return Err(NotWritable::Changed);
        }
        let is_in_literals = || {
            let embedded = embedded::read(&text);
            !embedded.programs.is_empty() || !embedded.unread.is_empty()
        };
        if embedded::is_host(path) && is_in_literals() || matches!(embedded::opencl(&text), Cow::Owned(_)) {
            return Err(NotWritable::StringLiteral);
        }
        Ok(Original { mark, text })
    }
}

/// The content of a file that the run is allowed to change.
pub struct Original {
    /// The byte order mark, if the file has one.
    mark: &'static str,
    text: String,
}

impl Original {
    /// Returns the text without the byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text of the file atomically. Keeps the byte order mark.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn replace(&self, path: &Path, text: &str) -> Result<(), WriteError> {
        let bytes = [self.mark.as_bytes(), text.as_bytes()].concat();
        draft::write(path, |draft| draft.write_all(&bytes))
    }
}
