//! The operators `#` and `##`, and the conversion from and to string literals.

use tangle_grammar::lex::lex_one;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::tok::ExpansionToken;

/// The maximum length of text that an operator may produce.
const LONGEST: usize = 1 << 16;

pub enum Joined {
    Token(ExpansionToken),
    /// The text is not a token.
    NoToken(String),
    TooLong,
}

/// `left ## right`.
pub fn join(left: &ExpansionToken, right: &ExpansionToken) -> Joined {
    let (first, second) = (left.spelling(), right.spelling());
    if first.len() + second.len() > LONGEST {
        return Joined::TooLong;
    }
    let text = [first, second].concat();
    let is_name = left.kind == TokenKind::Identifier
        && second.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let kind = if is_name { Some(TokenKind::Identifier) } else { lex_one(&text) };
    match kind {
        Some(kind) => {
            let text = if kind.spelling().is_some() { Symbol::EMPTY } else { Symbol::intern(&text) };
            Joined::Token(ExpansionToken { kind, text, painted: false, ..*left })
        }
        None => Joined::NoToken(text),
    }
}

/// `#argument`. Returns `None` if the text is too long.
pub fn stringify(argument: &[ExpansionToken]) -> Option<Symbol> {
    let mut text = String::from("\"");
    for (index, token) in argument.iter().enumerate() {
        if index > 0 && token.flags.separated() {
            text.push(' ');
        }
        match token.kind {
            TokenKind::String | TokenKind::Character | TokenKind::UnclosedQuote => {
                text.push_str(&escaped(token.spelling()));
            }
            _ => text.push_str(token.spelling()),
        }
        if text.len() > LONGEST {
            return None;
        }
    }
    // An unpaired backslash at the end would escape the closing quote.
    let backslashes = text.bytes().rev().take_while(|&byte| byte == b'\\').count();
    if backslashes % 2 == 1 {
        text.pop();
    }
    text.push('"');
    Some(Symbol::intern(&text))
}

/// Escapes a text for a string literal.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns the text in the string literal of a `_Pragma`.
pub fn unquoted(literal: &str) -> String {
    let start = literal.find('"').map_or(literal.len(), |quote| quote + 1);
    let inner = &literal[start..];
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    inner.replace("\\\"", "\"").replace("\\\\", "\\").trim().into()
}
