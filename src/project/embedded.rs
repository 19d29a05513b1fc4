//! OpenCL in the string literals of another language, as a text of its own in which everything stands where it stood.
//!
//! ```text
//! static const char *source =                 |
//!   "kernel void k(global int *p) {\n"        |    kernel void k(global int *p) { ⏎
//!   "  barrier(CLK_LOCAL_MEM_FENCE);\n"       |      barrier(CLK_LOCAL_MEM_FENCE); ⏎
//!   "}\n";                                    |    } ⏎
//! ```
//!
//! The text has as many bytes as its host, and each character of a literal keeps its offset; what is outside of the literals is blank. An escape
//! becomes the character that it stands for, behind blanks. So a place in the text is a place in the host.
//!
//! **Piece**: a raw string, a plain literal, or the argument of a macro that makes a string of it. Pieces are found by a scan that knows the comments
//! and literals of C++, and nothing else of it. **Program**: pieces that are glued. They are glued if nothing but white space, comments and directives stands
//! between them, or `+ value +` or `<< value <<`; if one statement after the other writes to the same, as `s += "…";` and `s.append("…");` do; or if a brace of
//! the program is open. What stands between is short. A value is not known: a name stands in its place.
//!
//! A program counts as OpenCL if it defines a kernel. A file in OpenCL whose first word is a piece already, so that C++ can include it, is one
//! program of all its pieces.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::language::has_extension;

/// Files that may hold OpenCL in literals.
const HOSTS: &[&str] = &["c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inl", "m", "mm"];
/// How many bytes may stand between pieces that are glued, if more than white space does.
const GAP: usize = 400;
/// How long the delimiter of a raw string may be (C++20, [lex.string]).
const DELIMITER: usize = 16;

/// A text in OpenCL that a host holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// As long as the host's text.
    pub text: String,
    /// Something in it is a value that only the host knows: its text is not what will be compiled.
    pub is_incomplete: bool,
    /// It stands there as it is: an edit needs no escapes.
    pub is_raw: bool,
}

/// Whether a file may hold OpenCL in literals, by its name.
pub fn is_host(path: &Path) -> bool {
    has_extension(path, HOSTS)
}

/// The programs in OpenCL that a text in another language holds.
pub fn programs(host: &str) -> Vec<Program> {
    if memchr::memmem::find(host.as_bytes(), b"kernel").is_none() {
        return Vec::new();
    }
    let mut programs: Vec<Vec<Part>> = Vec::new();
    let mut depth = 0;
    for part in parts(host) {
        let before = programs.last().and_then(|last| last.last());
        let glue = before.map_or(Glue::None, |before| part.glue(host, before, depth > 0));
        let content = part.content.clone();
        match (glue, programs.last_mut()) {
            (Glue::None, _) | (_, None) => {
                depth = 0;
                programs.push(vec![part]);
            }
            (glue, Some(last)) => last.push(Part { behind_value: matches!(glue, Glue::Value), ..part }),
        }
        depth += brackets(&host[content]);
    }
    programs
        .iter()
        .map(|parts| program(host, parts))
        .filter(|program| defines_kernel(&program.text))
        .collect()
}

/// The OpenCL of a file in OpenCL: its text, or, if that begins as a literal, what the literals hold.
pub fn opencl(text: &str) -> Cow<'_, str> {
    let first = skip_blank(text.as_bytes(), 0);
    // Nothing in OpenCL begins so: most files are done here.
    if !matches!(
        text.as_bytes().get(first),
        Some(b'"' | b'R' | b'u' | b'U' | b'L' | b'A'..=b'Z' | b'a'..=b'z')
    ) {
        return Cow::Borrowed(text);
    }
    let begins = piece_at(text, first, &[]).is_some_and(|piece| piece.range.start == first);
    match begins {
        true => Cow::Owned(program(text, &parts(text)).text),
        false => Cow::Borrowed(text),
    }
}

/// What a piece is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Raw,
    Plain,
    /// The argument of a macro that makes a string of it: its text stands as it is, but for line breaks that are written as escapes.
    Argument,
}

#[derive(Clone, Debug)]
struct Part {
    form: Form,
    /// With its quotes.
    range: Range<usize>,
    content: Range<usize>,
    /// A value stands between it and the piece before.
    behind_value: bool,
    /// Only blanks, comments and directives stand between it and the piece before.
    is_adjacent: bool,
}

enum Glue {
    None,
    Plain,
    Value,
}

impl Part {
    /// How it is glued to the piece before; `open`: a brace or parenthesis of the program is open there.
    fn glue(&self, host: &str, before: &Part, open: bool) -> Glue {
        if self.is_adjacent {
            return Glue::Plain;
        }
        let gap = host[before.range.end..self.range.start].trim();
        if gap.len() > GAP {
            return Glue::None;
        }
        let segments: Vec<&str> = gap.split(';').map(str::trim).collect();
        let is_one_value =
            |word: &str| gap.len() > word.len() && gap.starts_with(word) && gap.ends_with(word);
        let joins = match &segments[..] {
            [.., last] if segments.len() > 1 => {
                let written = target(statement(host, before.range.start));
                target(last).is_some_and(|target| written == Some(target))
            }
            _ => is_one_value("+") || is_one_value("<<"),
        };
        if !(open || (joins && !gap.contains(['{', '}']))) {
            return Glue::None;
        }
        let (Some((first, rest)), true) = (segments.split_first(), joins) else { return Glue::Plain };
        let writes = |statement: &&str| ["+=", "<<", "("].iter().any(|word| statement.contains(word));
        let middle = rest.split_last().is_some_and(|(_, middle)| middle.iter().any(writes));
        // `o << value <<`
        let last = rest.last().is_some_and(|last| last.matches("<<").count() > 1);
        let is_value = |part: &str| !matches!(part.trim().trim_end_matches(')'), "" | "endl" | "std::endl");
        let value = first.split("<<").flat_map(|part| part.split('+')).any(is_value);
        if value || middle || last { Glue::Value } else { Glue::Plain }
    }
}

/// The statement that goes on at an offset, from its beginning.
fn statement(host: &str, end: usize) -> &str {
    let bytes = &host.as_bytes()[end.saturating_sub(GAP)..end];
    let begin = bytes.iter().rposition(|byte| matches!(byte, b';' | b'{' | b'}')).map_or(0, |at| at + 1);
    host.get(end - bytes.len() + begin..end).unwrap_or_default()
}

/// What a statement writes to where it goes on with a literal: `s` of `s +=` and `s << x <<`, `s.append` of `s.append(`.
fn target(statement: &str) -> Option<&str> {
    let statement = statement.trim();
    let is_name = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b':' | b'>' | b'-');
    if let Some(head) = statement.strip_suffix("<<") {
        let length = head.bytes().take_while(is_name).count();
        return (length > 0).then(|| &head[..length]);
    }
    let head = ["(", "+=", "="].iter().find_map(|word| statement.strip_suffix(word))?.trim_end();
    let length = head.bytes().rev().take_while(is_name).count();
    (length > 0).then(|| &head[head.len() - length..])
}

/// All pieces of a text, in order.
fn parts(text: &str) -> Vec<Part> {
    let bytes = text.as_bytes();
    let mut parts: Vec<Part> = Vec::new();
    let mut makers: Vec<&str> = Vec::new();
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
                    Some(name) => makers.push(name),
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
                match piece_at(text, at, &makers) {
                    Some(mut part) => {
                        at = part.range.end;
                        part.is_adjacent = is_adjacent;
                        parts.push(part);
                        is_adjacent = true;
                    }
                    None => {
                        at = token_end(bytes, at);
                        is_adjacent = false;
                    }
                }
            }
        }
    }
    parts
}

/// The piece that begins at an offset.
fn piece_at(text: &str, at: usize, makers: &[&str]) -> Option<Part> {
    let bytes = text.as_bytes();
    let part = |form, content: Range<usize>, end| Part {
        form,
        range: at..end,
        content,
        behind_value: false,
        is_adjacent: false,
    };
    let word = word_end(bytes, at);
    match (&text[at..word], bytes.get(word)?) {
        ("" | "u8" | "u" | "U" | "L", b'"') => {
            let end = quoted_end(bytes, word)?;
            Some(part(Form::Plain, word + 1..end - 1, end))
        }
        ("R" | "u8R" | "uR" | "UR" | "LR", b'"') => {
            let open =
                word + 1 + bytes[word + 1..].iter().take(DELIMITER + 1).position(|byte| *byte == b'(')?;
            let close = format!("){}\"", text.get(word + 1..open)?);
            // Without its end it goes on to that of the file.
            let end = text[open + 1..].find(&close).map_or(text.len(), |length| open + 1 + length);
            Some(part(Form::Raw, open + 1..end, (end + close.len()).min(text.len())))
        }
        (name, b'(') if makes_string(name) || makers.contains(&name) => {
            let end = argument_end(bytes, word + 1);
            Some(part(Form::Argument, word + 1..end, (end + 1).min(bytes.len())))
        }
        _ => None,
    }
}

/// Whether a macro of this name makes a string of its argument, wherever it is defined.
fn makes_string(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["STRINGIF", "STRINGIZ", "STRINGIS"].iter().any(|part| name.contains(part))
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

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

/// The end of what begins at an offset and is no piece, blank or comment.
fn token_end(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        // An apostrophe within a number separates digits.
        byte if byte.is_ascii_digit() => {
            at + bytes[at..].iter().take_while(|byte| is_word(**byte) || **byte == b'\'').count()
        }
        byte if is_word(byte) => word_end(bytes, at),
        b'\'' => quoted_end(bytes, at).unwrap_or(at + 1),
        byte if byte.is_ascii() => at + 1,
        _ => at + bytes[at..].iter().take_while(|byte| !byte.is_ascii()).count(),
    }
}

/// The offset behind the quote that closes the one at an offset, on the same line.
fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 1;
    loop {
        match bytes.get(next)? {
            b'\\' => next += 2,
            b'\n' => return None,
            byte if *byte == bytes[at] => return Some(next + 1),
            _ => next += 1,
        }
    }
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    if bytes[at + 1] == b'/' {
        return line_end(bytes, at);
    }
    memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |length| at + 2 + length + 2)
}

/// The offset of the line break that ends the line at an offset, spliced lines together.
fn line_end(bytes: &[u8], mut at: usize) -> usize {
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
                at = quoted_end(bytes, at).unwrap_or(at + 1);
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

/// How many braces and parentheses a text opens more than it closes.
fn brackets(text: &str) -> i64 {
    text.bytes().fold(0, |depth, byte| match byte {
        b'{' | b'(' => depth + 1,
        b'}' | b')' => depth - 1,
        _ => depth,
    })
}

/// The text of pieces that are glued.
fn program(host: &str, parts: &[Part]) -> Program {
    let is_raw = parts.iter().all(|part| part.form == Form::Raw);
    let keeps_lines = parts.iter().all(|part| part.form != Form::Plain);
    // Between plain literals, a line of the host is no line of the program.
    let blank = |byte: u8| if keeps_lines && matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
    let mut text: Vec<u8> = host.bytes().map(blank).collect();
    for (index, part) in parts.iter().enumerate() {
        if part.behind_value {
            text[parts[index - 1].range.end + 1..part.range.start - 1].fill(b'_');
        }
        let content = part.content.clone();
        text[content.clone()].copy_from_slice(&host.as_bytes()[content.clone()]);
        match part.form {
            Form::Raw => {}
            Form::Plain => unescape(&mut text[content]),
            Form::Argument => break_lines(&mut text[content]),
        }
    }
    let is_incomplete = parts.iter().any(|part| part.behind_value);
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Program { text, is_incomplete, is_raw }
}

/// Puts in the place of each escape the character that it stands for, behind blanks.
fn unescape(text: &mut [u8]) {
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', &text[at..]) {
        at += length;
        let digits = |radix: u32, most: usize, from: usize| {
            let digit = |byte: &&u8| (**byte as char).is_digit(radix);
            text.get(from..).unwrap_or_default().iter().take(most).take_while(digit).count()
        };
        let (length, character) = match text.get(at + 1) {
            None => return,
            Some(b'n') => (2, b'\n'),
            Some(b'\\') => (2, b'\\'),
            Some(quote @ (b'"' | b'\'' | b'?')) => (2, *quote),
            Some(b'x') => (2 + digits(16, usize::MAX, at + 2), b' '),
            Some(byte) if !byte.is_ascii() => (1, b' '),
            Some(b'0'..=b'7') => (1 + digits(8, 3, at + 1), b' '),
            // Blanks, what nobody prints, and lines that are spliced.
            Some(_) => (2, b' '),
        };
        let end = (at + length).min(text.len());
        text[at..end].fill(b' ');
        text[end - 1] = character;
        at = end;
    }
}

/// Makes lines of what is written as `\n` outside of literals, as texts do that a macro makes a string of.
fn break_lines(text: &mut [u8]) {
    let mut at = 0;
    while let Some(length) = memchr::memmem::find(&text[at..], b"\\n") {
        at += length + 2;
        if !text.get(at).is_some_and(|byte| is_word(*byte)) {
            text[at - 2..at].copy_from_slice(b" \n");
        }
    }
}

/// Whether a text defines a kernel.
fn defines_kernel(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut found = memchr::memmem::find_iter(bytes, b"kernel");
    text.contains('{')
        && found.any(|at| {
            let before = text[..at].trim_end_matches('_');
            let is_whole =
                !before.bytes().next_back().is_some_and(is_word) && matches!(at - before.len(), 0 | 2);
            let rest = &text[at + "kernel".len()..];
            let next = rest.trim_start();
            is_whole
                && next.len() < rest.len()
                && (next.starts_with("void") || next.starts_with("__attribute__"))
        })
}

#[cfg(test)]
mod tests;
