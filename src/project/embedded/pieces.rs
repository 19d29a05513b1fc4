//! Pieces of a C++ text that contain text of another language: raw strings, plain literals, and arguments of macros
//! that stringize them.
//!
//! The scan recognises only comments and literals of C++. It reads each byte at most a few times, for any text.

use std::ops::Range;

use rustc_hash::FxHashSet;

/// The maximum length of the delimiter of a raw string (C++20, [lex.string]).
const DELIMITER: usize = 16;

/// The syntactic form of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Raw,
    Plain,
    /// The argument of a macro that stringizes it. Its text is unchanged, except for line breaks that are written as
    /// escapes.
    Argument,
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub form: Form,
    /// The range with the quotes, or with the macro and its parentheses.
    pub range: Range<usize>,
    pub content: Range<usize>,
    /// Only blanks, comments and directives separate this piece from the piece before.
    pub is_adjacent: bool,
}

/// The offsets before which no quote is closed on its line, for both kinds of quotes. An unclosed quote and the later
/// quotes before this offset begin no literal. This bounds the time of the scan.
#[derive(Default)]
pub struct UnclosedQuotes {
    double: usize,
    single: usize,
}

impl UnclosedQuotes {
    /// Returns the offset after the quote that closes the quote at an offset, on the same line.
    pub fn quoted_end(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let until = if bytes[at] == b'"' { &mut self.double } else { &mut self.single };
        if at < *until {
            return None;
        }
        let mut next = at + 1;
        loop {
            match bytes.get(next) {
                Some(b'\\') => next += 2,
                None | Some(b'\n') => {
                    *until = next;
                    return None;
                }
                Some(byte) if *byte == bytes[at] => return Some(next + 1),
                Some(_) => next += 1,
            }
        }
    }
}

/// Returns all pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut makers: FxHashSet<&str> = FxHashSet::default();
    let mut unclosed = UnclosedQuotes::default();
    let (mut at, mut is_adjacent, mut line_start) = (0, false, true);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = comment_end(bytes, at),
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            b'#' if line_start => {
                let end = line_end(bytes, at);
                match stringizing_macro(&text[at..end]) {
                    Some(name) => _ = makers.insert(name),
                    // Scan the body of a macro: it can be a literal.
                    None if is_definition(&text[at..end]) => {
                        at += 1;
                        line_start = false;
                        continue;
                    }
                    None => {}
                }
                at = end;
            }
            _ => {
                line_start = false;
                match piece_at(text, at, &makers, &mut unclosed) {
                    Some(piece) => {
                        at = piece.range.end;
                        pieces.push(Piece { is_adjacent, ..piece });
                        is_adjacent = true;
                    }
                    None => {
                        at = token_end(bytes, at, &mut unclosed);
                        is_adjacent = false;
                    }
                }
            }
        }
    }
    pieces
}

/// Returns whether a text begins with a piece, after blanks and comments.
pub fn begins_with_piece(text: &str) -> bool {
    let first = skip_blank(text.as_bytes(), 0);
    // A piece begins with a quote or a letter. Many files begin with a directive, and this check rejects them.
    let may = matches!(
        text.as_bytes().get(first),
        Some(b'"' | b'R' | b'u' | b'U' | b'L' | b'A'..=b'Z' | b'a'..=b'z')
    );
    may && piece_at(text, first, &FxHashSet::default(), &mut UnclosedQuotes::default()).is_some()
}

/// Returns a C++ text with its comments and directives replaced by blanks.
pub fn code(text: &str) -> String {
    let mut code = text.as_bytes().to_vec();
    let mut unclosed = UnclosedQuotes::default();
    let (mut at, mut line_start) = (0, true);
    while at < code.len() {
        let end = match code[at] {
            byte if byte.is_ascii_whitespace() => {
                line_start |= byte == b'\n';
                at += 1;
                continue;
            }
            b'/' if matches!(code.get(at + 1), Some(b'/' | b'*')) => comment_end(&code, at),
            b'#' if line_start => line_end(&code, at),
            _ => {
                line_start = false;
                at = token_end(&code, at, &mut unclosed);
                continue;
            }
        };
        code[at..end].fill(b' ');
        at = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// Returns the piece that begins at an offset.
fn piece_at(text: &str, at: usize, makers: &FxHashSet<&str>, unclosed: &mut UnclosedQuotes) -> Option<Piece> {
    let bytes = text.as_bytes();
    let piece = |form, content, end| Piece { form, range: at..end, content, is_adjacent: false };
    let word = word_end(bytes, at);
    match (&text[at..word], bytes.get(word)?) {
        ("" | "u8" | "u" | "U" | "L", b'"') => {
            let end = unclosed.quoted_end(bytes, word)?;
            Some(piece(Form::Plain, word + 1..end - 1, end))
        }
        ("R" | "u8R" | "uR" | "UR" | "LR", b'"') => {
            let open =
                word + 1 + bytes[word + 1..].iter().take(DELIMITER + 1).position(|byte| *byte == b'(')?;
            let close = format!("){}\"", text.get(word + 1..open)?);
            // An unterminated raw string extends to the end of the file.
            let end = text[open + 1..].find(&close).map_or(text.len(), |length| open + 1 + length);
            Some(piece(Form::Raw, open + 1..end, (end + close.len()).min(text.len())))
        }
        (name, b'(') if makes_string(name) || makers.contains(name) => {
            let end = argument_end(bytes, word + 1);
            Some(piece(Form::Argument, word + 1..end, (end + 1).min(bytes.len())))
        }
        _ => None,
    }
}

/// Returns whether a macro with this name is assumed to stringize its argument, without its definition.
fn makes_string(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["STRINGIF", "STRINGIZ", "STRINGIS"].iter().any(|part| upper.contains(part))
        // Lower-case `to_string` is a function.
        || ["TO_STRING", "TOSTRING"].iter().any(|part| name.contains(part))
}

/// Returns the name of a macro that a directive defines, if the macro stringizes its argument: `#define NAME(...)
/// #__VA_ARGS__`.
fn stringizing_macro(directive: &str) -> Option<&str> {
    let rest = directive[1..].trim_start().strip_prefix("define")?.trim_start();
    let (name, rest) = rest.split_once('(')?;
    let (parameter, body) = rest.split_once(')')?;
    let parameter =
        if parameter.trim() == "..." { "__VA_ARGS__" } else { parameter.trim().trim_end_matches("...") };
    let is_name = !name.is_empty() && name.bytes().all(is_word);
    (is_name && body.trim().strip_prefix('#')?.trim() == parameter).then_some(name)
}

fn is_definition(directive: &str) -> bool {
    directive[1..].trim_start().starts_with("define")
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

/// Returns the end of the token at an offset that begins no piece, blank or comment.
fn token_end(bytes: &[u8], at: usize, unclosed: &mut UnclosedQuotes) -> usize {
    match bytes[at] {
        // An apostrophe within a number separates digits.
        byte if byte.is_ascii_digit() => {
            at + bytes[at..].iter().take_while(|byte| is_word(**byte) || **byte == b'\'').count()
        }
        byte if is_word(byte) => word_end(bytes, at),
        b'\'' => unclosed.quoted_end(bytes, at).unwrap_or(at + 1),
        byte if byte.is_ascii() => at + 1,
        _ => at + bytes[at..].iter().take_while(|byte| !byte.is_ascii()).count(),
    }
}

pub fn comment_end(bytes: &[u8], at: usize) -> usize {
    if bytes[at + 1] == b'/' {
        return line_end(bytes, at);
    }
    memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |length| at + 2 + length + 2)
}

/// Returns the offset of the line break that ends the line at an offset. Spliced lines count as one line.
pub fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(length) = memchr::memchr(b'\n', &bytes[at..]) {
        let before = bytes[..at + length].strip_suffix(b"\r").unwrap_or(&bytes[..at + length]);
        if before.last() != Some(&b'\\') {
            return at + length;
        }
        at += length + 1;
    }
    bytes.len()
}

fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'/') if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = comment_end(bytes, at),
            _ => return at,
        }
    }
}

/// Returns the offset of the parenthesis that closes the parenthesis before an offset, or the end of the text.
fn argument_end(bytes: &[u8], mut at: usize) -> usize {
    let mut unclosed = UnclosedQuotes::default();
    let mut depth = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            b'"' | b'\'' => {
                at = unclosed.quoted_end(bytes, at).unwrap_or(at + 1);
                continue;
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                at = comment_end(bytes, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
