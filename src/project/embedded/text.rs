//! Builds the text of a program. Every character keeps its offset in the host.

use super::gap::GapItem;
use super::pieces::{Form, Piece, UnclosedQuotes, comment_end, is_word};
use super::{Group, Program};

/// Builds the program of groups that follow each other in the host; each group begins a line. `writes` returns whether
/// the host writes the piece or item at an offset in the current alternative.
pub fn program(host: &str, groups: &[&Group], writes: impl Fn(usize) -> bool) -> Program {
    let pieces = || groups.iter().flat_map(|group| &group.pieces);
    let start = pieces().map(|piece| piece.range.start).min().unwrap_or_default();
    let end = pieces().map(|piece| piece.range.end).max().unwrap_or_default();
    let is_raw = pieces().all(|piece| piece.form == Form::Raw);
    let keeps_lines = pieces().all(|piece| piece.form != Form::Plain);
    // Between plain literals, a line break of the host is not a line break of the program.
    let blank = |byte: u8| if keeps_lines && matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
    let mut text: Vec<u8> = host[start..end].bytes().map(blank).collect();
    for group in groups {
        if let (Some(first), true) = (group.pieces.first(), groups.len() > 1) {
            text[first.range.start - start] = b'\n';
        }
        let items = group.gaps.iter().flat_map(|gap| &gap.items);
        for item in items.filter(|item| writes(item.start())) {
            match item {
                GapItem::Value(range) => text[range.start - start..range.end - start].fill(b'_'),
                GapItem::LineBreak(at) => text[at - start] = b'\n',
            }
        }
        for Piece { form, content, .. } in group.pieces.iter().filter(|piece| writes(piece.range.start)) {
            let text = &mut text[content.start - start..content.end - start];
            text.copy_from_slice(&host.as_bytes()[content.clone()]);
            unescape_piece(*form, text);
        }
    }
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Program { start, text, is_incomplete: groups.iter().any(|group| group.is_incomplete()), is_raw }
}

/// Replaces the escape sequences in the content of a piece.
pub fn unescape_piece(form: Form, text: &mut [u8]) {
    match form {
        Form::Raw => {}
        Form::Plain => unescape(text),
        Form::Argument => break_lines(text),
    }
}

/// Replaces each escape sequence with its character and pads it with blanks. The padding of an escaped quote is outside
/// the literal of the program, so `\"a.h\"` still names the file `a.h`.
fn unescape(text: &mut [u8]) {
    let (mut at, mut in_literal) = (0, false);
    while let Some(length) = memchr::memchr(b'\\', &text[at..]) {
        if memchr::memchr(b'\n', &text[at..at + length]).is_some() {
            in_literal = false;
        }
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
            // Escapes for white space and unprintable characters, and spliced lines, become blanks.
            Some(_) => (2, b' '),
        };
        let end = (at + length).min(text.len());
        text[at..end].fill(b' ');
        match character {
            b'"' if in_literal => text[at] = b'"',
            character => text[end - 1] = character,
        }
        match character {
            b'\n' => in_literal = false,
            // A quote after an apostrophe is the character literal `'"'` and opens no string.
            b'"' if at == 0 || text[at - 1] != b'\'' => in_literal = !in_literal,
            _ => {}
        }
        at = end;
    }
}

/// Replaces `\n` with a line break in text that a macro stringizes. Skips literals, whose escapes the macro keeps, and
/// comments, which it drops.
fn break_lines(text: &mut [u8]) {
    let (mut at, mut unclosed) = (0, UnclosedQuotes::default());
    while at < text.len() {
        at = match (text[at], text.get(at + 1)) {
            (b'/', Some(b'/' | b'*')) => comment_end(text, at),
            (b'"' | b'\'', _) => unclosed.quoted_end(text, at).unwrap_or(at + 1),
            (b'\\', Some(b'n')) => {
                if !text.get(at + 2).is_some_and(|byte| is_word(*byte)) {
                    text[at..at + 2].copy_from_slice(b" \n");
                }
                at + 2
            }
            _ => at + 1,
        }
    }
}
