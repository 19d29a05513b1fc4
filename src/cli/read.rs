//! Reading a source: from the disk or standard input to text, or to a sentence on why not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::decode::{Decoded, decode};
use crate::diagnostic::SourceText;

/// Larger inputs are refused: offsets would no longer fit, and `/dev/zero` has no end.
const MOST_BYTES: u64 = 1 << 30;

/// The text of a file.
pub fn file(path: &Path) -> Result<SourceText, String> {
    let file = File::open(path).map_err(|error| plain(&error))?;
    text(file)
}

/// The text of an open input.
pub fn text(input: impl Read) -> Result<SourceText, String> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| plain(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err("larger than 1 GiB".to_owned());
    }
    match decode(bytes) {
        Decoded::Text(text) => Ok(SourceText::new(text)),
        Decoded::Binary { offset: 0, what, .. } => Err(format!("not a text file: it begins with {what}")),
        Decoded::Binary { offset, line, column, what } => {
            Err(format!("not a text file: {what} at line {line}, column {column} (byte {offset})"))
        }
    }
}

/// An error in words, without the number that the system has for it.
pub fn plain(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
