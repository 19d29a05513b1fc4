//! Words, character literals and operators of a host, between its pieces.

use super::pieces::is_word;

/// A word, a character literal or an operator of the host, with its offset.
#[derive(Clone, Copy)]
pub struct Token<'c> {
    pub text: &'c str,
    pub at: usize,
}

impl Token<'_> {
    pub fn is_word(&self) -> bool {
        self.text.bytes().all(is_word)
    }

    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Returns the tokens of a text without comments. `start` is the offset of the text in the host.
pub fn tokens(code: &str, start: usize) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest.bytes().take_while(|byte| is_word(*byte)).count();
        let length = match first {
            _ if word > 0 => word,
            '\'' => character(rest),
            _ => ["<<", "+=", "==", "!=", "<=", ">=", "->", "::"]
                .iter()
                .find(|operator| rest.starts_with(**operator))
                .map_or(first.len_utf8(), |operator| operator.len()),
        };
        tokens.push(Token { text: &rest[..length], at: start + code.len() - rest.len() });
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Returns the length of the character literal at the start of a text, or 1 without one.
fn character(text: &str) -> usize {
    let escaped = usize::from(text[1..].starts_with('\\'));
    let end = text[1 + escaped..].chars().next().map_or(1, |character| 1 + escaped + character.len_utf8());
    if text[end..].starts_with('\'') { end + 1 } else { 1 }
}
