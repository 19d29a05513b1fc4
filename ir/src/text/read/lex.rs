//! The tokens of the text.

use super::Error;

/// A token, with its byte range in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A word of letters, digits and `_`.
    Word,
    /// A number, or `-inf`.
    Number,
    /// The bytes between two quotes, without escapes.
    Quoted(Box<[u8]>),
    /// `%…` or `$…`, with the name: without quotes, and without the suffix of a repeated name. None for a number such
    /// as `%0`.
    Value(Option<String>),
    Mark(&'static str),
    /// One or more line breaks.
    Break,
    End,
}

/// The punctuation marks, longer ones first.
const MARKS: [&str; 20] =
    ["...", "->", "..", "::", "@", "(", ")", "{", "}", "[", "]", "<", ">", ":", ",", "=", "*", "^", ".", "+"];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        let token = lexer.token()?;
        let again = token.kind == Kind::Break && tokens.last().is_none_or(|last| last.kind == Kind::Break);
        let end = token.kind == Kind::End;
        if !again {
            tokens.push(token);
        }
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn byte(&self, beyond: usize) -> u8 {
        self.text.as_bytes().get(self.at + beyond).copied().unwrap_or(0)
    }

    fn token(&mut self) -> Result<Token, Error> {
        while matches!(self.byte(0), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        if self.byte(0) == b';' {
            // A comment.
            self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
        }
        let start = self.at;
        let kind = self.kind()?;
        Ok(Token { kind, start, end: self.at })
    }

    fn kind(&mut self) -> Result<Kind, Error> {
        if self.at == self.text.len() {
            return Ok(Kind::End);
        }
        match self.byte(0) {
            b'\n' => {
                self.at += 1;
                Ok(Kind::Break)
            }
            b'"' => Ok(Kind::Quoted(self.quoted()?)),
            b'%' | b'$' => self.value(),
            b'0'..=b'9' => Ok(self.number()),
            b'-' if self.byte(1).is_ascii_digit() => Ok(self.number()),
            b'-' if self.text[self.at..].starts_with("-inf") => {
                self.at += 4;
                Ok(Kind::Number)
            }
            byte if byte == b'_' || byte.is_ascii_alphabetic() => {
                self.word();
                Ok(Kind::Word)
            }
            _ => {
                let rest = &self.text[self.at..];
                let Some(mark) = MARKS.into_iter().find(|mark| rest.starts_with(mark)) else {
                    let found = rest.chars().next().unwrap_or(' ');
                    return Err(Error::at(
                        self.text,
                        self.at,
                        format!("unexpected character `{}`", found.escape_debug()),
                    ));
                };
                self.at += mark.len();
                Ok(Kind::Mark(mark))
            }
        }
    }

    fn word(&mut self) {
        while self.byte(0) == b'_' || self.byte(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Kind {
        self.at += usize::from(self.byte(0) == b'-');
        if self.byte(0) == b'0' && self.byte(1) == b'x' {
            self.at += 2;
            self.word();
            return Kind::Number;
        }
        self.digits();
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
        }
        let sign = usize::from(matches!(self.byte(1), b'-' | b'+'));
        if self.byte(0) == b'e' && self.byte(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.digits();
        }
        Kind::Number
    }

    fn value(&mut self) -> Result<Kind, Error> {
        self.at += 1;
        let start = self.at;
        let name = match self.byte(0) {
            b'"' => {
                let bytes = self.quoted()?;
                let name = String::from_utf8(bytes.into());
                Some(name.map_err(|_| Error::at(self.text, start, "the name is not valid UTF-8".to_owned()))?)
            }
            b'0'..=b'9' => {
                self.digits();
                return Ok(Kind::Value(None));
            }
            byte if byte == b'_' || byte.is_ascii_alphabetic() => {
                self.word();
                Some(self.text[start..self.at].to_owned())
            }
            _ => return Err(Error::at(self.text, start, "expected a name".to_owned())),
        };
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
        }
        Ok(Kind::Value(name))
    }

    /// Reads a text in quotes, as [`u8::escape_ascii`] writes it.
    fn quoted(&mut self) -> Result<Box<[u8]>, Error> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let byte = self.byte(0);
            if self.at == self.text.len() || byte == b'\n' {
                return Err(Error::at(self.text, start, "the quote is not closed on its line".to_owned()));
            }
            self.at += 1;
            match byte {
                b'"' => return Ok(bytes.into()),
                b'\\' => {
                    let escape = self.byte(0);
                    let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
                    let (byte, length) = match (escape, hex(self.byte(1)), hex(self.byte(2))) {
                        (b't', ..) => (b'\t', 1),
                        (b'r', ..) => (b'\r', 1),
                        (b'n', ..) => (b'\n', 1),
                        (b'\\' | b'\'' | b'"', ..) => (escape, 1),
                        (b'x', Some(high), Some(low)) => (high * 16 + low, 3),
                        _ => {
                            let message = "invalid escape: expected \\t, \\r, \\n, \\xHH, \\\\, \\' or \\\"";
                            return Err(Error::at(self.text, self.at - 1, message.to_owned()));
                        }
                    };
                    bytes.push(byte);
                    self.at += length;
                }
                byte => bytes.push(byte),
            }
        }
    }
}
