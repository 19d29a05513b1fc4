//! Errors in settings files, with their location.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tangle_diagnostic::{Diagnostic, Place, Position, Severity, SourceText, SourceTexts};

/// An error in a `tangle.toml` or a `compile_commands.json`, or the reason why it cannot be read. Displayed as
/// `FILE:LINE:COLUMN: MESSAGE`, which editors and terminals can link to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SettingsError {
    pub file: PathBuf,
    /// `None` if the error concerns the whole file.
    pub at: Option<Position>,
    pub message: String,
    /// The text of the file and the byte range of the error.
    marked: Option<(Arc<str>, (usize, usize))>,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(Position { line, column }) = self.at {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for SettingsError {}

impl SettingsError {
    pub(super) fn whole(file: &Path, message: impl Into<String>) -> SettingsError {
        SettingsError { file: file.to_owned(), at: None, message: message.into(), marked: None }
    }

    /// Makes an error at a byte range of a text.
    pub(super) fn at(
        file: &Path,
        text: &str,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> SettingsError {
        let at = SourceText::new(text).position(range.start);
        let marked = Some((text.into(), (range.start, range.end)));
        SettingsError { file: file.to_owned(), at: Some(at), message: message.into(), marked }
    }

    /// Returns the error as a diagnostic, with the text of its file. `None` if it concerns the whole file.
    pub fn diagnostic(&self) -> Option<(Diagnostic, impl SourceTexts)> {
        let (text, (start, end)) = self.marked.clone()?;
        let name: Arc<str> = self.file.to_string_lossy().into();
        let place = Place::new(name.clone(), start..end);
        let (message, label) = match self.message.split_once("; did you mean ") {
            Some((message, name)) => (message, format!("did you mean {name}")),
            None => (&*self.message, String::new()),
        };
        let diagnostic = Diagnostic::new("", Severity::Error, place, message).with_label(label);
        Some((diagnostic, SingleFile { name, text: Arc::new(SourceText::new(&*text)) }))
    }
}

/// A source map with a single file.
struct SingleFile {
    name: Arc<str>,
    text: Arc<SourceText>,
}

impl SourceTexts for SingleFile {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        (*self.name == *file).then(|| self.text.clone())
    }
}
