//! Input files, including standard input.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use tangle_diagnostic::SourceText;
use tangle_project::read::{self, ReadError};
use tangle_project::walk::Input;
use tangle_project::{Language, UserSettings};

/// Why a file of a run is not analysed. `file` is its name in findings.
#[derive(Debug, Error)]
pub enum InputError {
    #[error("{file}: {source}")]
    Unreadable { file: Arc<str>, source: ReadError },
    /// The analysis panicked.
    #[error("{file}: internal error: please report it with the text above and the file")]
    Panic { file: Arc<str> },
}

/// The text of standard input. It is read first, because its content determines the language.
#[derive(Default)]
pub(super) struct StandardInput(Option<Result<SourceText, ReadError>>);

impl StandardInput {
    /// Reads standard input if an argument is `-`, and sets the language of unnamed input in `given`.
    pub fn of<'a>(
        arguments: impl IntoIterator<Item = &'a Path>,
        given: &mut UserSettings,
        input: &mut dyn Read,
    ) -> StandardInput {
        let is_named = arguments.into_iter().any(|argument| argument == Path::new("-"));
        let text = is_named.then(|| read::text(input));
        if let Some(Ok(text)) = &text {
            given.unnamed = match &given.stdin_filename {
                Some(path) => Language::of_file(path, text.text()),
                None => Language::of_unnamed(text.text()),
            };
        }
        StandardInput(text)
    }

    /// Returns the text of a file or of standard input. After the first call, standard input is empty.
    ///
    /// # Errors
    ///
    /// The file cannot be read as text.
    pub fn text_of(&mut self, file: &Input) -> Result<SourceText, InputError> {
        let text = match &file.path {
            Some(path) => read::file(path),
            None => self.0.take().unwrap_or_else(|| read::text(io::empty())),
        };
        text.map_err(|source| InputError::Unreadable { file: file.name.clone(), source })
    }
}

/// Runs the analysis of one file. Catches a panic, so that the analysis of other files continues.
///
/// # Errors
///
/// The analysis panicked.
pub fn guarded<T>(file: &Arc<str>, analyse: impl FnOnce() -> T) -> Result<T, InputError> {
    catch_unwind(AssertUnwindSafe(analyse)).map_err(|_| InputError::Panic { file: file.clone() })
}
