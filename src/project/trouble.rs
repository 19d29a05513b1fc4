//! What is wrong with a file of settings, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Position, SourceText};

/// A mistake in a `tangle.toml` or a `compile_commands.json`, or why one cannot be read. Printed as `FILE:LINE:COLUMN: MESSAGE`, as editors
/// and terminals know how to follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    pub file: PathBuf,
    /// None where the whole file is meant.
    pub at: Option<Position>,
    pub message: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(Position { line, column }) = self.at {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl Trouble {
    pub(super) fn whole(file: &Path, message: impl Into<String>) -> Trouble {
        Trouble { file: file.to_owned(), at: None, message: message.into() }
    }

    /// A trouble at a byte of a text.
    pub(super) fn at(file: &Path, text: &str, offset: usize, message: impl Into<String>) -> Trouble {
        let at = SourceText::new(text).position(offset);
        Trouble { file: file.to_owned(), at: Some(at), message: message.into() }
    }
}
