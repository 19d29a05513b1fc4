//! The messages of syntax errors.

use lalrpop_util::ParseError;

use crate::adapt::ParserInput;
use crate::ast::Span;
use crate::lexicon::Lexicon;
use crate::parse::SyntaxError;
use crate::token::{Token, TokenKind};

/// The tokens that would have fitted, as text for messages.
pub(crate) struct Expected {
    /// Whether a `;` would have fitted.
    pub semicolon: bool,
    /// Whether a statement would have fitted.
    pub statement: bool,
    /// Whether the parser has just read an expression that an operator could continue.
    after_expression: bool,
    words: Vec<&'static str>,
}

/// Punctuation that messages name, as (terminal, text), in the order of the message.
const PUNCTUATION: [(&str, &str); 8] = [
    ("\")\"", "`)`"),
    ("\"]\"", "`]`"),
    ("\":\"", "`:`"),
    ("\"while\"", "`while`"),
    ("\"{\"", "`{`"),
    ("\",\"", "`,`"),
    ("\"(\"", "`(`"),
    ("\"}\"", "`}`"),
];

/// Returns the position where the parser stopped, as an index into the stream, and the tokens that would have
/// fitted.
pub(crate) fn read(error: ParseError<u32, Token, ()>, stream: &[(u32, Token, u32)]) -> (usize, Expected) {
    let (found, expected) = match error {
        ParseError::UnrecognizedToken { token: (start, token, end), expected } => {
            // Repairs insert tokens without width, so several tokens can have the same start.
            let first = stream.partition_point(|(other, _, _)| *other < start);
            let offset = stream[first..].iter().position(|other| *other == (start, token, end));
            let found = first + offset.unwrap_or(0);
            // Skip markers: they have no width and are not in the source.
            let is_marker =
                |at: usize| matches!(stream[at].1.kind, TokenKind::Declares | TokenKind::TypeFollows);
            let found = (found..stream.len()).find(|at| !is_marker(*at)).unwrap_or(found);
            (found, expected)
        }
        ParseError::ExtraToken { .. } | ParseError::InvalidToken { .. } | ParseError::User { .. } => {
            (stream.len(), Vec::new())
        }
        ParseError::UnrecognizedEof { expected, .. } => (stream.len(), expected),
    };
    (found, Expected::new(&expected))
}

impl Expected {
    fn new(terminals: &[String]) -> Expected {
        let has = |name: &str| terminals.iter().any(|terminal| terminal == name);
        let operand = has("\"number\"");
        let statement = has("\"if\"");
        let semicolon = has("\";\"");
        let after_expression = has("\"+\"") && !operand;
        let mut words = Vec::new();
        if statement {
            words.push("a statement");
            if has("\"}\"") {
                words.push("`}`");
            }
        } else if operand {
            words.push("an expression");
        } else if semicolon {
            if has("\"name\"") {
                words.push("a name");
            }
            words.push("`;`");
        } else {
            let ty = has("\"int\"");
            if ty {
                words.push(if has("\"typedef\"") && has("\"asm\"") { "a declaration" } else { "a type" });
            }
            let name = has("\"name\"");
            if name && !ty {
                words.push("a name");
            }
            for (terminal, word) in PUNCTUATION {
                let opens = matches!(terminal, "\"(\"" | "\"{\"");
                let less_likely = opens && (after_expression || !words.is_empty())
                    // After `a ? b` a comma would fit, but it is an unlikely continuation.
                    || terminal == "\",\"" && has("\":\"");
                if has(terminal) && !less_likely && words.len() < 3 {
                    words.push(word);
                }
            }
        }
        Expected { semicolon, statement, after_expression, words }
    }

    /// Returns the list for a message: `a name`, `a name or ;`. `None` if there is nothing useful to name.
    fn list(&self) -> Option<String> {
        match self.words.as_slice() {
            [] => None,
            [only] => Some((*only).into()),
            [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
        }
    }
}

/// The message for a character that cannot begin a token.
fn stray(text: &str, words: &Lexicon) -> String {
    let language = words.title();
    // Control characters, spaces beyond ASCII, zero-width characters and direction marks.
    let invisible = |c: char| {
        c.is_control()
            || c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    match text.chars().next() {
        Some(char::REPLACEMENT_CHARACTER) => {
            "invalid UTF-8: only comments and strings can contain bytes that are not UTF-8".into()
        }
        Some(c) if invisible(c) => {
            format!("invisible character U+{:04X} is not allowed in {language}", u32::from(c))
        }
        _ => format!("character `{text}` is not allowed in {language}"),
    }
}

/// The text for a token in messages: its spelling, or a description of its kind.
fn show(token: Option<&(u32, Token, u32)>) -> String {
    let Some((_, token, _)) = token else { return "the end of the input".into() };
    match token.kind {
        TokenKind::Stray | TokenKind::UnclosedQuote => token.kind.describe(),
        TokenKind::Identifier
        | TokenKind::TypeName
        | TokenKind::Number
        | TokenKind::Character
        | TokenKind::String => {
            let text = token.text.as_str();
            if text.len() > 40 { token.kind.describe() } else { format!("`{text}`") }
        }
        kind if kind >= TokenKind::If => format!("`{}`", token.text),
        kind => kind.describe(),
    }
}

/// The text for the token before `found`: ` after …`.
fn after(expected: &Expected, adapted: &ParserInput, found: usize) -> String {
    if expected.after_expression {
        return " after the expression".into();
    }
    let is_marker =
        |at: &usize| matches!(adapted.stream[*at].1.kind, TokenKind::Declares | TokenKind::TypeFollows);
    let before = (0..found.min(adapted.stream.len())).rev().find(|at| !is_marker(at));
    match before.map(|before| &adapted.stream[before]) {
        Some((_, token, _)) if token.kind == TokenKind::Broken => String::new(),
        before @ Some(_) => format!(" after {}", show(before)),
        None => String::new(),
    }
}

/// The note for a type keyword in the position of a name: `int half = 3;`.
fn note_on_types(expected: &Expected, adapted: &ParserInput, found: usize) -> String {
    let token = |at: Option<usize>| at.and_then(|at| adapted.stream.get(at)).map(|(_, token, _)| *token);
    // The name of a function has a parenthesis after it.
    let opens = token(found.checked_sub(1)).is_some_and(|token| token.kind == TokenKind::LeftParen);
    let name = found.checked_sub(1 + usize::from(opens));
    let ty = token(name.and_then(|name| name.checked_sub(1)));
    if let (Some(ty), Some(name)) = (ty, token(name))
        && is_whole_type(name.kind)
        && (is_whole_type(ty.kind) || ty.kind == TokenKind::TypeName)
    {
        return format!(": `{}` is a type", name.text);
    }
    let fits = |word: &&str| matches!(*word, "a statement" | "a type" | "a declaration");
    match token(Some(found)) {
        Some(token) if is_whole_type(token.kind) && !expected.words.iter().any(fits) => {
            ", which is a type".into()
        }
        _ => String::new(),
    }
}

/// Whether a keyword alone names a type.
fn is_whole_type(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Void
            | TokenKind::Bool
            | TokenKind::Char
            | TokenKind::Short
            | TokenKind::Int
            | TokenKind::Long
            | TokenKind::Half
            | TokenKind::Float
            | TokenKind::Double
    )
}

/// Returns the error for a `;` that is missing after the token that ends at `end`.
pub(crate) fn missing_semicolon(
    end: u32,
    expected: &Expected,
    adapted: &ParserInput,
    found: usize,
) -> SyntaxError {
    let message =
        format!("expected `;`{}, found {}", after(expected, adapted, found), show(adapted.stream.get(found)));
    SyntaxError::new(Span::new(end, end), message)
}

/// Returns the error for the unexpected token `found`. The token before it ends at `end`.
pub(crate) fn unexpected(
    end: u32,
    expected: &Expected,
    adapted: &ParserInput,
    found: usize,
    words: &Lexicon,
) -> SyntaxError {
    let token = adapted.stream.get(found);
    let Some(&(start, Token { kind, text }, stop)) = token else {
        let after = after(expected, adapted, found);
        let message = match expected.list() {
            Some(list) => format!("expected {list}{after}, found the end of the input"),
            None => format!("unexpected end of the input{after}"),
        };
        return SyntaxError::new(Span::new(end, end), message);
    };
    let message = match kind {
        TokenKind::Stray => stray(text.as_str(), words),
        TokenKind::UnclosedQuote => format!("unterminated literal `{text}`: the closing quote is missing"),
        TokenKind::Else => "`else` without a matching `if`".into(),
        TokenKind::Hash | TokenKind::HashHash | TokenKind::At | TokenKind::ColonColon => {
            format!("unexpected {}", kind.describe())
        }
        _ => {
            let (after, note) = (after(expected, adapted, found), note_on_types(expected, adapted, found));
            match expected.list() {
                Some(list) => format!("expected {list}{after}, found {}{note}", show(token)),
                None => format!("cannot parse {}{after}{note}", show(token)),
            }
        }
    };
    SyntaxError::new(Span::new(start, stop), message)
}
