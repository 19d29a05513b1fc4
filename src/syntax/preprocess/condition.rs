//! Evaluates the expressions of `#if`: integers of the widest type, signed and unsigned.

use tangle_grammar::token::TokenKind;
use thiserror::Error;

use super::known::RESERVED;
use super::tok::ExpansionToken;

/// The maximum nesting depth of parentheses and operators.
const DEPTH: u32 = 200;

/// The reason why a condition has no value. Tokens are given by their spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum ConditionError {
    /// `#if` without an expression.
    #[error("the expression is missing")]
    Empty,
    /// `#ifdef` without a name.
    #[error("expected a macro name")]
    MissingName,
    /// A token after the end of the expression.
    #[error("unexpected `{0}`")]
    Unexpected(&'static str),
    #[error("it is nested too deeply")]
    TooDeep,
    #[error("`?` without `:`")]
    MissingColon,
    #[error("`(` without `)`")]
    UnclosedParenthesis,
    #[error("expected a value at the end")]
    MissingValue,
    #[error("expected a value, found `{0}`")]
    NotAValue(&'static str),
    #[error("division by zero")]
    DivisionByZero,
    #[error("`{0}` is not an integer")]
    NotAnInteger(&'static str),
    #[error("`{0}` is too large for an integer")]
    TooLarge(&'static str),
    #[error("invalid character literal `{0}`")]
    InvalidCharacter(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn of(bits: i64) -> Value {
        Value { bits: bits as u64, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::of(i64::from(value))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Whether the condition holds. Macros must be expanded, and `defined` replaced by numbers.
pub fn evaluate(tokens: &[ExpansionToken]) -> Result<bool, ConditionError> {
    if tokens.is_empty() {
        return Err(ConditionError::Empty);
    }
    let mut parser = Parser { tokens, at: 0, depth: 0, open: false };
    let value = parser.comma(true)?;
    match parser.tokens.get(parser.at) {
        None => Ok(value.is_true()),
        Some(token) => Err(ConditionError::Unexpected(token.spelling())),
    }
}

struct Parser<'a> {
    tokens: &'a [ExpansionToken],
    at: usize,
    depth: u32,
    /// Whether the expression contains undefined names. They count as 0, so a division by zero is not reported.
    open: bool,
}

/// The precedence of a binary operator; higher values bind more tightly.
fn precedence(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::PipePipe => 1,
        TokenKind::AmpAmp => 2,
        TokenKind::Pipe => 3,
        TokenKind::Caret => 4,
        TokenKind::Amp => 5,
        TokenKind::EqualEqual | TokenKind::BangEqual => 6,
        TokenKind::Less | TokenKind::Greater | TokenKind::LessEqual | TokenKind::GreaterEqual => 7,
        TokenKind::LessLess | TokenKind::GreaterGreater => 8,
        TokenKind::Plus | TokenKind::Minus => 9,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 10,
        _ => return None,
    })
}

impl Parser<'_> {
    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let eaten = self.peek() == Some(kind);
        self.at += usize::from(eaten);
        eaten
    }

    /// `live`: whether the value is used. A division by zero is an error only if it is.
    fn comma(&mut self, live: bool) -> Result<Value, ConditionError> {
        let mut value = self.conditional(live)?;
        while self.eat(TokenKind::Comma) {
            value = self.conditional(live)?;
        }
        Ok(value)
    }

    fn conditional(&mut self, live: bool) -> Result<Value, ConditionError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ConditionError::TooDeep);
        }
        let mut value = self.binary(1, live)?;
        if self.eat(TokenKind::Question) {
            let condition = value.is_true();
            let then = self.comma(live && condition)?;
            if !self.eat(TokenKind::Colon) {
                return Err(ConditionError::MissingColon);
            }
            let otherwise = self.conditional(live && !condition)?;
            let bits = if condition { then.bits } else { otherwise.bits };
            value = Value { bits, unsigned: then.unsigned || otherwise.unsigned };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value, ConditionError> {
        let mut left = self.unary(live)?;
        while let Some(operator) = self.peek()
            && let Some(level) = precedence(operator)
            && level >= least
        {
            self.at += 1;
            left = match operator {
                TokenKind::PipePipe => {
                    let right = self.binary(level + 1, live && !left.is_true())?;
                    Value::truth(left.is_true() || right.is_true())
                }
                TokenKind::AmpAmp => {
                    let right = self.binary(level + 1, live && left.is_true())?;
                    Value::truth(left.is_true() && right.is_true())
                }
                _ => {
                    let right = self.binary(level + 1, live)?;
                    apply(operator, left, right, live && !self.open)?
                }
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, ConditionError> {
        let start = self.at;
        while matches!(
            self.peek(),
            Some(TokenKind::Plus | TokenKind::Minus | TokenKind::Tilde | TokenKind::Bang)
        ) {
            self.at += 1;
        }
        let end = self.at;
        let mut value = self.primary(live)?;
        for token in self.tokens[start..end].iter().rev() {
            value = match token.kind {
                TokenKind::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                TokenKind::Tilde => Value { bits: !value.bits, ..value },
                TokenKind::Bang => Value::truth(!value.is_true()),
                _ => value,
            };
        }
        Ok(value)
    }

    fn skip_arguments(&mut self) -> Result<(), ConditionError> {
        let mut open = 0;
        while let Some(kind) = self.peek() {
            self.at += 1;
            match kind {
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open == 1 => return Ok(()),
                TokenKind::RightParen => open -= 1,
                _ => {}
            }
        }
        Err(ConditionError::UnclosedParenthesis)
    }

    fn primary(&mut self, live: bool) -> Result<Value, ConditionError> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err(ConditionError::MissingValue);
        };
        self.at += 1;
        match token.kind {
            TokenKind::Number => number(token.spelling()),
            TokenKind::Character => character(token.spelling()),
            TokenKind::LeftParen => {
                let value = self.comma(live)?;
                match self.eat(TokenKind::RightParen) {
                    true => Ok(value),
                    false => Err(ConditionError::UnclosedParenthesis),
                }
            }
            // An undefined macro with its arguments.
            TokenKind::Identifier if self.peek() == Some(TokenKind::LeftParen) => {
                self.open = true;
                self.skip_arguments()?;
                Ok(Value::of(0))
            }
            TokenKind::Identifier => {
                self.open |= token.text != RESERVED.true_ && token.text != RESERVED.false_;
                Ok(Value::truth(token.text == RESERVED.true_))
            }
            _ => Err(ConditionError::NotAValue(token.spelling())),
        }
    }
}

fn apply(operator: TokenKind, left: Value, right: Value, live: bool) -> Result<Value, ConditionError> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (x, y) = (a as i64, b as i64);
    let arithmetic = |bits: u64| Value { bits, unsigned };
    let order = |less: bool, signed_less: bool| Value::truth(if unsigned { less } else { signed_less });
    Ok(match operator {
        TokenKind::Pipe => arithmetic(a | b),
        TokenKind::Caret => arithmetic(a ^ b),
        TokenKind::Amp => arithmetic(a & b),
        TokenKind::EqualEqual => Value::truth(a == b),
        TokenKind::BangEqual => Value::truth(a != b),
        TokenKind::Less => order(a < b, x < y),
        TokenKind::Greater => order(a > b, x > y),
        TokenKind::LessEqual => order(a <= b, x <= y),
        TokenKind::GreaterEqual => order(a >= b, x >= y),
        TokenKind::LessLess => Value { bits: shift(left, right, true), ..left },
        TokenKind::GreaterGreater => Value { bits: shift(left, right, false), ..left },
        TokenKind::Plus => arithmetic(a.wrapping_add(b)),
        TokenKind::Minus => arithmetic(a.wrapping_sub(b)),
        TokenKind::Star => arithmetic(a.wrapping_mul(b)),
        _ if b == 0 && live => return Err(ConditionError::DivisionByZero),
        _ if b == 0 => arithmetic(0),
        TokenKind::Slash if unsigned => arithmetic(a / b),
        TokenKind::Slash => arithmetic(x.wrapping_div(y) as u64),
        _ if unsigned => arithmetic(a % b),
        _ => arithmetic(x.wrapping_rem(y) as u64),
    })
}

/// Shifts `value` to the left or right. A negative count reverses the direction.
fn shift(value: Value, count: Value, left: bool) -> u64 {
    let signed = count.bits as i64;
    let negative = !count.unsigned && signed < 0;
    let distance = if negative { signed.unsigned_abs() } else { count.bits };
    let left = left != negative;
    match (distance, left) {
        (0..=63, true) => value.bits << distance,
        (0..=63, false) if value.unsigned => value.bits >> distance,
        (0..=63, false) => ((value.bits as i64) >> distance) as u64,
        (_, false) if !value.unsigned && (value.bits as i64) < 0 => u64::MAX,
        _ => 0,
    }
}

/// Returns the value of a number if it has the signed type.
pub(super) fn integer(text: &'static str) -> Option<i64> {
    number(text).ok().filter(|value| !value.unsigned).map(|value| value.bits as i64)
}

/// Returns the value of a signed or unsigned number, if it fits in an `i64`.
pub(super) fn whole_number(text: &'static str) -> Option<i64> {
    i64::try_from(number(text).ok()?.bits).ok()
}

fn number(text: &'static str) -> Result<Value, ConditionError> {
    let bad = || ConditionError::NotAnInteger(text);
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let suffix = digits[length..].to_ascii_lowercase();
    let unsigned = match suffix.as_str() {
        "" | "l" | "ll" | "z" | "i64" => false,
        "u" | "ul" | "ull" | "lu" | "llu" | "uz" | "zu" | "ui64" => true,
        _ => return Err(bad()),
    };
    if length == 0 {
        return Err(bad());
    }
    let bits = u64::from_str_radix(&digits[..length], radix).map_err(|_| ConditionError::TooLarge(text))?;
    // A number that fits only in the unsigned type has that type.
    Ok(Value { bits, unsigned: unsigned || bits > i64::MAX as u64 })
}

fn character(text: &'static str) -> Result<Value, ConditionError> {
    let bad = || ConditionError::InvalidCharacter(text);
    let quote = text.find('\'').ok_or_else(bad)?;
    let wide = quote > 0;
    let inner = text[quote + 1..].strip_suffix('\'').ok_or_else(bad)?;
    let mut rest = inner.chars().peekable();
    let mut bits: u32 = 0;
    let mut count = 0;
    let push = |bits: u32, unit: u32| if wide { unit } else { bits << 8 | (unit & 0xff) };
    while let Some(c) = rest.next() {
        count += 1;
        if c != '\\' {
            let mut utf8 = [0; 4];
            match wide {
                true => bits = push(bits, c as u32),
                false => {
                    bits = c.encode_utf8(&mut utf8).bytes().fold(bits, |bits, byte| push(bits, byte.into()))
                }
            }
            continue;
        }
        let unit = match rest.next().ok_or_else(bad)? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            'x' => {
                let mut unit = 0u32;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                    unit = unit << 4 | digit;
                    rest.next();
                }
                unit
            }
            c @ '0'..='7' => {
                let mut unit = c as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    unit = unit << 3 | digit;
                    rest.next();
                }
                unit
            }
            c => c as u32,
        };
        bits = push(bits, unit);
    }
    match count {
        0 => Err(bad()),
        // A plain `char` is signed.
        1 if !wide && inner.is_ascii() => Ok(Value::of(i64::from(bits as u8 as i8))),
        _ if wide => Ok(Value::of(i64::from(bits))),
        _ => Ok(Value::of(i64::from(bits as i32))),
    }
}
