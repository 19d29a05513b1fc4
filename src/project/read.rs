//! Reads files and standard input as text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::decode::{Decoded, decode};
use super::settings_error::SettingsError;
use tangle_diagnostic::SourceText;

/// Larger inputs are rejected: their offsets would not fit, and `/dev/zero` is endless.
const MOST_BYTES: u64 = 1 << 30;

/// The reason why an input cannot be read as text.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
    /// The input is larger than `MOST_BYTES`.
    #[error("the file is larger than 1 GiB")]
    TooLarge,
    /// A binary file, recognised by its first bytes. `what` names these bytes.
    #[error("not a text file: it begins with {what}")]
    BinaryStart { what: &'static str },
    /// A binary file, recognised by the bytes at `offset`. `what` names these bytes. The line and column count bytes,
    /// from 1.
    #[error("not a text file: {what} at line {line}, column {column} (byte {offset})")]
    Binary { what: &'static str, line: usize, column: usize, offset: usize },
}

/// Returns the text of a file.
pub fn file(path: &Path) -> Result<SourceText, ReadError> {
    text(File::open(path)?)
}

/// Returns the text of an open input.
pub fn text(input: impl Read) -> Result<SourceText, ReadError> {
    match decode(bytes(input)?) {
        Decoded::Text(text) => Ok(SourceText::new(text)),
        Decoded::Binary { offset: 0, what, .. } => Err(ReadError::BinaryStart { what }),
        Decoded::Binary { offset, line, column, what } => {
            Err(ReadError::Binary { what, line, column, offset })
        }
    }
}

/// Returns all bytes of an open input.
fn bytes(input: impl Read) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(ReadError::TooLarge);
    }
    Ok(bytes)
}

/// Returns the text of a settings file, which must be valid UTF-8. No other encoding is guessed, since a wrong guess
/// would go unnoticed.
pub fn strict(path: &Path) -> Result<String, SettingsError> {
    let read = File::open(path).map_err(ReadError::from).and_then(bytes);
    let bytes = read.map_err(|error| SettingsError::whole(path, error.to_string()))?;
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        SettingsError::at(path, &before, valid..valid, "not valid UTF-8")
    })
}

/// Formats an error without the error number of the operating system.
pub fn plain(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
