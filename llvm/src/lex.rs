//! Splits a text into tokens.
//!
//! A token has no text of its own, only a range of the module's text. Comments end at the end of their line.
//!
//! ```text
//! %x = add i32 %a, 1, !dbg !7   →   %x  =  add  i32  %a  ,  1  ,  !dbg  !7
//! if.then:                      →   a label
//! ```

use crate::error::{Error, ErrorKind};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword, an opcode, a type or an attribute.
    Word,
    /// A number: `-1`, `1.0e+00`, `0xH3C00`.
    Number,
    /// `%name`, `%"name"` or `%7`.
    Local,
    /// `@name`, `@"name"` or `@7`.
    Global,
    /// `name:` or `"name":`, without the colon.
    Label,
    /// `"text"`, with its quotes.
    Text,
    /// `c"text"`, with the `c` and its quotes.
    Bytes,
    /// `#0`: a group of attributes.
    Attributes,
    /// `#dbg_value`: a debug record.
    Record,
    /// `!dbg` or `!7`.
    Metadata,
    /// Any other character.
    Mark(u8),
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    /// The range of the text, in bytes.
    pub start: u32,
    pub end: u32,
    /// Whether it is the first token of its line.
    pub is_first: bool,
}

/// Returns the tokens of a text, with an [`End`](Kind::End).
///
/// # Errors
///
/// The text has 4 GiB or more, or a string does not end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Error> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::at(text, 0, ErrorKind::Large("the text")));
    }
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 4);
    let (mut at, mut is_first) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b'\n' => {
                is_first = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b';' => {
                at = line_end(bytes, at);
                continue;
            }
            b'%' | b'@' | b'$' if bytes.get(at + 1) == Some(&b'"') => {
                at = text_end(text, at + 1)?;
                named(byte)
            }
            b'%' | b'@' if bytes.get(at + 1).is_some_and(|&next| is_name(next)) => {
                at = name_end(bytes, at + 1);
                named(byte)
            }
            b'"' => {
                at = text_end(text, at)?;
                Kind::Text
            }
            b'!' if bytes.get(at + 1).is_some_and(|&next| is_name(next) || next == b'\\') => {
                at += 1;
                while bytes.get(at).is_some_and(|&next| is_name(next) || next == b'\\') {
                    at += 1;
                }
                Kind::Metadata
            }
            b'#' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = name_end(bytes, at + 1);
                Kind::Attributes
            }
            b'#' if bytes.get(at + 1).is_some_and(|&next| is_name(next)) => {
                at = name_end(bytes, at + 1);
                Kind::Record
            }
            b'c' if bytes.get(at + 1) == Some(&b'"') => {
                at = text_end(text, at + 1)?;
                Kind::Bytes
            }
            _ if is_name(byte) || byte == b'+' => {
                let is_number = byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
                at = name_end(bytes, at + 1);
                // The exponent of a floating-point number.
                if is_number && matches!(bytes[at - 1], b'e' | b'E') && bytes.get(at) == Some(&b'+') {
                    at = name_end(bytes, at + 1);
                }
                if is_number { Kind::Number } else { Kind::Word }
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                Kind::Mark(byte)
            }
        };
        let is_label = matches!(kind, Kind::Word | Kind::Number | Kind::Text) && bytes.get(at) == Some(&b':');
        let kind = if is_label { Kind::Label } else { kind };
        tokens.push(Token { kind, start: start as u32, end: at as u32, is_first });
        at += usize::from(is_label);
        is_first = false;
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: Kind::End, start: end, end, is_first: true });
    Ok(tokens)
}

fn named(sigil: u8) -> Kind {
    match sigil {
        b'%' => Kind::Local,
        b'@' => Kind::Global,
        _ => Kind::Word,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

fn name_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_name(byte)) {
        at += 1;
    }
    at
}

fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| byte != b'\n') {
        at += 1;
    }
    at
}

/// Returns the end of a string that begins with a quote at `start`. In LLVM IR, a quote in a string is written `\22`.
fn text_end(text: &str, start: usize) -> Result<usize, Error> {
    match text.as_bytes()[start + 1..].iter().position(|&byte| byte == b'"') {
        Some(length) => Ok(start + length + 2),
        None => Err(Error::at(text, start, ErrorKind::Unterminated)),
    }
}

/// Returns the bytes of a string between quotes.
pub(crate) fn unescaped(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut all = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'\\', Some(high), Some(low)) => {
                all.push((16 * high + low) as u8);
                at += 3;
            }
            (b'\\', ..) if bytes.get(at + 1) == Some(&b'\\') => {
                all.push(b'\\');
                at += 2;
            }
            _ => {
                all.push(byte);
                at += 1;
            }
        }
    }
    all
}
