//! Reading: from the disk or standard input to text, or to a sentence on why not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::decode::{Decoded, decode};
use super::trouble::Trouble;
use tangle_diagnostic::SourceText;

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
        return Err("the file is larger than 1 GiB".to_owned());
    }
    match decode(bytes) {
        Decoded::Text(text) => Ok(SourceText::new(text)),
        Decoded::Binary { offset: 0, what, .. } => Err(format!("not a text file: it begins with {what}")),
        Decoded::Binary { offset, line, column, what } => {
            Err(format!("not a text file: {what} at line {line}, column {column} (byte {offset})"))
        }
    }
}

/// The text of a file of settings. It is Unicode in UTF-8: nothing is guessed where a mistake would go unnoticed.
pub fn strict(path: &Path) -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Trouble::whole(path, plain(&error)))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(Trouble::whole(path, "the file is larger than 1 GiB"));
    }
    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        Trouble::at(path, &before, valid..valid, "not valid UTF-8")
    })
}

/// An error in words, without the number that the system has for it.
pub fn plain(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
