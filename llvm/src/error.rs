//! The reasons why a text is not read.
//!
//! ```
//! let error = tangle_llvm::read("k.ll", "define void @k() {\n  invoke void @f()\n}\n", &|_| false).unwrap_err();
//! assert_eq!(error.to_string(), "2:3: `invoke` is not supported");
//! ```

use std::fmt;

use tangle_ir::flow::verify::Rule;

/// A part of a text that is not LLVM IR, or is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The reason.
    pub kind: ErrorKind,
}

/// The kind of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Another part of the language is expected.
    Expected(&'static str),
    /// A string has no closing quote.
    Unterminated,
    /// A number has no value of its type.
    Number,
    /// A value has no definition.
    UndefinedValue(String),
    /// A jump targets a block that the function does not have.
    UndefinedBlock(String),
    /// A type, or a group of attributes, has no definition.
    Undefined(String),
    /// A name has two definitions.
    Redefined(String),
    /// An operation does not fit the types of its operands.
    Rule(Rule),
    /// An instruction or a type that no flow graph has.
    Unsupported(String),
    /// Brackets are nested too deeply.
    Nested,
    /// The text, or an aggregate, is too large.
    Large(&'static str),
}

impl Error {
    /// Returns the error at a byte of the text.
    pub(crate) fn at(text: &str, byte: usize, kind: ErrorKind) -> Error {
        let before = text.get(..byte).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Error { line, column: before[start..].chars().count() + 1, kind }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        match &self.kind {
            ErrorKind::Expected(what) => write!(f, "expected {what}"),
            ErrorKind::Unterminated => f.write_str("this string has no closing quote"),
            ErrorKind::Number => f.write_str("invalid number"),
            ErrorKind::UndefinedValue(name) => write!(f, "the value `{name}` is not defined"),
            ErrorKind::UndefinedBlock(name) => write!(f, "the function has no block `{name}`"),
            ErrorKind::Undefined(name) => write!(f, "`{name}` is not defined"),
            ErrorKind::Redefined(name) => write!(f, "`{name}` is already defined"),
            ErrorKind::Rule(rule) => {
                let row = rule.row();
                write!(f, "this instruction breaks the rule `{}`: {}", row.name, row.demands)
            }
            ErrorKind::Unsupported(what) => write!(f, "`{what}` is not supported"),
            ErrorKind::Nested => f.write_str("nested too deeply"),
            ErrorKind::Large(what) => write!(f, "{what} is too large"),
        }
    }
}

impl std::error::Error for Error {}
