//! The values of numbers.

use thiserror::Error;

/// The value of a number, and the type that its suffix gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer { value: u64, unsigned: bool, long: bool },
    Float { value: f64, precision: Precision },
}

/// The type of a floating-point number: `1.0h`, `1.0f`, `1.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Half,
    Single,
    Double,
}

/// The reason why a token is not a valid number. `text` is the source text of the token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LiteralError {
    #[error("invalid number `{text}`: it has no digits")]
    NoDigits { text: Box<str> },
    #[error("invalid number `{text}`: `{digit}` is not {} digit", .base.with_article())]
    WrongDigit { text: Box<str>, digit: char, base: Base },
    #[error("invalid number `{text}`: its exponent has no digits")]
    EmptyExponent { text: Box<str> },
    #[error("invalid number `{text}`: a hexadecimal fraction needs an exponent, as in `0x1.8p0`")]
    MissingExponent { text: Box<str> },
    #[error("invalid number `{text}`: it has two decimal points")]
    TwoPoints { text: Box<str> },
    #[error("invalid number `{text}`: unknown suffix `{suffix}`")]
    UnknownSuffix { text: Box<str>, suffix: Box<str> },
    /// A decimal fraction without digits: `.f`.
    #[error("invalid number `{text}`")]
    NoFraction { text: Box<str> },
    #[error("integer `{text}` is too large: the largest type has 64 bits")]
    TooLarge { text: Box<str> },
}

/// The base of the digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Binary,
    Octal,
    Decimal,
    Hexadecimal,
}

impl Base {
    fn radix(self) -> u32 {
        match self {
            Base::Binary => 2,
            Base::Octal => 8,
            Base::Decimal => 10,
            Base::Hexadecimal => 16,
        }
    }

    fn with_article(self) -> &'static str {
        match self {
            Base::Binary => "a binary",
            Base::Octal => "an octal",
            Base::Decimal => "a decimal",
            Base::Hexadecimal => "a hexadecimal",
        }
    }
}

/// Parses a number.
pub fn number(text: &str) -> Result<Number, LiteralError> {
    let lowercase = text.to_ascii_lowercase();
    if let Some(digits) = lowercase.strip_prefix("0x") {
        return if digits.contains(['.', 'p']) {
            hexadecimal_float(text, digits)
        } else {
            integer(text, digits, Base::Hexadecimal)
        };
    }
    if let Some(digits) = lowercase.strip_prefix("0b") {
        return integer(text, digits, Base::Binary);
    }
    let is_float = lowercase.contains(['.', 'e']) || lowercase.ends_with(['f', 'h']);
    if is_float {
        return decimal_float(text, &lowercase);
    }
    if lowercase.len() > 1 && lowercase.starts_with('0') && lowercase.as_bytes()[1].is_ascii_digit() {
        return integer(text, &lowercase[1..], Base::Octal);
    }
    integer(text, &lowercase, Base::Decimal)
}

fn integer(text: &str, digits: &str, base: Base) -> Result<Number, LiteralError> {
    let end = digits.find(|c: char| !c.is_digit(base.radix())).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if let Some(digit) = suffix.chars().next().filter(|c| c.is_ascii_digit()) {
        return Err(LiteralError::WrongDigit { text: text.into(), digit, base });
    }
    if digits.is_empty() {
        return Err(LiteralError::NoDigits { text: text.into() });
    }
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ => return Err(bad_suffix(text, suffix)),
    };
    let value = u64::from_str_radix(digits, base.radix())
        .map_err(|_| LiteralError::TooLarge { text: text.into() })?;
    Ok(Number::Integer { value, unsigned, long })
}

/// `suffix` is in lower case. The error has the spelling of the source.
fn bad_suffix(text: &str, suffix: &str) -> LiteralError {
    let written = &text[text.len() - suffix.len()..];
    LiteralError::UnknownSuffix { text: text.into(), suffix: written.into() }
}

fn precision(text: &str, suffix: &str) -> Result<Precision, LiteralError> {
    match suffix {
        "" | "l" => Ok(Precision::Double),
        "f" => Ok(Precision::Single),
        "h" | "f16" => Ok(Precision::Half),
        _ => Err(bad_suffix(text, suffix)),
    }
}

/// Returns the length of the decimal digits at the start of an exponent, including the sign. No digits are an
/// error.
fn exponent_length(text: &str, exponent: &str) -> Result<usize, LiteralError> {
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    if digits == 0 {
        return Err(LiteralError::EmptyExponent { text: text.into() });
    }
    Ok(exponent.len() - unsigned.len() + digits)
}

fn decimal_float(text: &str, lowercase: &str) -> Result<Number, LiteralError> {
    let mut end = lowercase.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lowercase.len());
    if lowercase[..end].matches('.').count() > 1 {
        return Err(LiteralError::TwoPoints { text: text.into() });
    }
    if lowercase[end..].starts_with('e') {
        end += 1;
        end += exponent_length(text, &lowercase[end..])?;
    }
    let value = lowercase[..end].parse().map_err(|_| LiteralError::NoFraction { text: text.into() })?;
    Ok(Number::Float { value, precision: precision(text, &lowercase[end..])? })
}

fn hexadecimal_float(text: &str, digits: &str) -> Result<Number, LiteralError> {
    let Some((mantissa, exponent)) = digits.split_once('p') else {
        return Err(LiteralError::MissingExponent { text: text.into() });
    };
    let length = exponent_length(text, exponent)?;
    let (exponent, suffix) = exponent.split_at(length);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return Err(LiteralError::NoDigits { text: text.into() });
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        let Some(digit) = digit.to_digit(16) else {
            return Err(LiteralError::WrongDigit { text: text.into(), digit, base: Base::Hexadecimal });
        };
        value = value * 16.0 + f64::from(digit);
    }
    // An exponent that does not fit in an `i32` has the same effect as the largest exponent that does.
    let exponent =
        exponent.parse().unwrap_or(if exponent.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 });
    let shift = i32::try_from(fraction.len() * 4).unwrap_or(i32::MAX / 2);
    let value = value * 2f64.powi(exponent.saturating_sub(shift));
    Ok(Number::Float { value, precision: precision(text, suffix)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match number(text) {
            Ok(Number::Integer { value, unsigned, long }) => {
                format!(
                    "{value}{}{}",
                    if unsigned { " unsigned" } else { "" },
                    if long { " long" } else { "" }
                )
            }
            Ok(Number::Float { value, precision }) => format!("{value:?} {precision:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn integer_base_and_suffix_are_parsed() {
        check("0", "0");
        check("42", "42");
        check("0x7fU", "127 unsigned");
        check("0XFFul", "255 unsigned long");
        check("017", "15");
        check("0b101ll", "5 long");
        check("18446744073709551615u", "18446744073709551615 unsigned");
    }

    #[test]
    fn float_value_and_precision_are_parsed() {
        check("1.5", "1.5 Double");
        check("1.f", "1.0 Single");
        check(".25h", "0.25 Half");
        check("1e-3F", "0.001 Single");
        check("1f", "1.0 Single");
        check("010.5", "10.5 Double");
        check("0x1.8p1f", "3.0 Single");
        check("0x1p-2", "0.25 Double");
    }

    #[test]
    fn invalid_number_is_rejected_with_a_reason() {
        check("0x", "invalid number `0x`: it has no digits");
        check("09", "invalid number `09`: `9` is not an octal digit");
        check("0b2", "invalid number `0b2`: `2` is not a binary digit");
        check("1.2.3", "invalid number `1.2.3`: it has two decimal points");
        check("12abc", "invalid number `12abc`: unknown suffix `abc`");
        check("1.0q", "invalid number `1.0q`: unknown suffix `q`");
        check("1e", "invalid number `1e`: its exponent has no digits");
        check("0x1.8", "invalid number `0x1.8`: a hexadecimal fraction needs an exponent, as in `0x1.8p0`");
        check(
            "99999999999999999999",
            "integer `99999999999999999999` is too large: the largest type has 64 bits",
        );
    }
}
