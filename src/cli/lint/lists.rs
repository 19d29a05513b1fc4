//! `@FILE` among the paths: a file with one path on each line.

use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

use tangle_project::SettingsError;
use tangle_project::read::{self, ReadError};

/// Why the lists among the arguments cannot be used.
#[derive(Debug, Error)]
pub enum ListError {
    #[error("standard input can be read once: as one list `@-`, or as one source `-`")]
    StandardInputTwice,
    #[error("@-: {0}")]
    StandardInput(#[source] ReadError),
    /// A file cannot be read, or is not UTF-8.
    #[error("@{0}")]
    File(#[from] SettingsError),
}

/// Returns the paths of a command line, with each list replaced by its paths.
///
/// # Errors
///
/// A list cannot be read, or several arguments read standard input.
pub fn expanded(paths: &[PathBuf], input: &mut dyn Read) -> Result<Vec<PathBuf>, ListError> {
    let stdin = paths.iter().filter(|path| matches!(path.to_str(), Some("-" | "@-"))).count();
    if stdin > 1 && paths.iter().any(|path| path == Path::new("@-")) {
        return Err(ListError::StandardInputTwice);
    }
    let mut all = Vec::new();
    for path in paths {
        let Some(list) = path.to_str().and_then(|path| path.strip_prefix('@')) else {
            all.push(path.clone());
            continue;
        };
        let text = match list {
            "-" => read::text(&mut *input).map_err(ListError::StandardInput)?.text().to_owned(),
            list => read::strict(Path::new(list))?,
        };
        let lines =
            text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.trim().is_empty());
        all.extend(lines.map(PathBuf::from));
    }
    Ok(all)
}
