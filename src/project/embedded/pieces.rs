//! Pieces of a text in C++ that hold text of another language: raw strings, plain literals, and the arguments of macros that make strings of them.
//!
//! The scan knows the comments and literals of C++, and nothing else of it. It reads each byte a few times at most, whatever the text is.

use std::ops::Range;

use rustc_hash::FxHashSet;

/// How long the delimiter of a raw string may be (C++20, [lex.string]).
const DELIMITER: usize = 16;

/// What a piece is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Raw,
    Plain,
    /// The argument of a macro that makes a string of it: its text stands as it is, but for line breaks that are written as escapes.
    Argument,
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub form: Form,
    /// With its quotes.
    pub range: Range<usize>,
    pub content: Range<usize>,
    /// Only blanks, comments and directives stand between it and the piece before.
    pub is_adjacent: bool,
}

/// Up to where no quote is closed on its line: one that is not is no literal, and neither is what comes behind it.
#[derive(Default)]
pub struct Unclosed {
    double: usize,
    single: usize,
}

impl Unclosed {
    /// The offset behind the quote that closes the one at an offset, on the same line.
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

/// All pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut makers: FxHashSet<&str> = FxHashSet::default();
    let mut unclosed = Unclosed::default();
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
                match maker(&text[at..end]) {
                    Some(name) => _ = makers.insert(name),
                    // What a macro stands for may be a literal.
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

/// Whether a text begins with a piece, behind blanks and comments.
pub fn begins_with_piece(text: &str) -> bool {
    let first = skip_blank(text.as_bytes(), 0);
    // Nothing in OpenCL begins so: most files are done here.
    let may = matches!(
        text.as_bytes().get(first),
        Some(b'"' | b'R' | b'u' | b'U' | b'L' | b'A'..=b'Z' | b'a'..=b'z')
    );
    may && piece_at(text, first, &FxHashSet::default(), &mut Unclosed::default()).is_some()
}

/// A text in C++ without its comments and directives: blanks stand in their place.
pub fn code(text: &str) -> String {
    let mut code = text.as_bytes().to_vec();
    let mut unclosed = Unclosed::default();
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

/// The piece that begins at an offset.
fn piece_at(text: &str, at: usize, makers: &FxHashSet<&str>, unclosed: &mut Unclosed) -> Option<Piece> {
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
            // Without its end it goes on to that of the file.
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

/// Whether a macro of this name makes a string of its argument, wherever it is defined.
fn makes_string(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["STRINGIF", "STRINGIZ", "STRINGIS"].iter().any(|part| upper.contains(part))
        // `to_string` is a function.
        || ["TO_STRING", "TOSTRING"].iter().any(|part| name.contains(part))
}

/// The name of a macro that a directive defines, if it makes a string of its argument: `#define NAME(...) #__VA_ARGS__`.
fn maker(directive: &str) -> Option<&str> {
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

/// The end of what begins at an offset and is no piece, blank or comment.
fn token_end(bytes: &[u8], at: usize, unclosed: &mut Unclosed) -> usize {
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

/// The offset of the line break that ends the line at an offset, spliced lines together.
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

/// The offset of the parenthesis that closes one that opened before an offset; the end of the text if there is none.
fn argument_end(bytes: &[u8], mut at: usize) -> usize {
    let mut unclosed = Unclosed::default();
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
