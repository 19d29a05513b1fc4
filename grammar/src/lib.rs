//! Text to tokens to syntax trees, for languages of the C family. This crate does no I/O and does not depend
//! on salsa or on later stages.
//!
//! - [`lex::Lexed`]: the tokens of a text.
//! - [`lexicon::Lexicon`]: the keywords of a language and its conventions for macros.
//! - [`parse`]: tokens to a [`Parse`], the tree and the errors of an item. It never fails: after a syntax error it repairs
//!   the input and continues.
//! - [`ast::Ast`]: the tree, with typed indices.
//!
//! ```
//! use tangle_grammar::lex::{comments, lex};
//!
//! let text = "if (x) barrier(1); // all threads";
//! let (tokens, spans) = lex(text);
//! let words: Vec<&str> = (0..spans.len() as u32).map(|token| &text[spans.get(token)]).collect();
//! assert_eq!(words.iter().filter(|word| **word == "barrier").count(), 1);
//! assert_eq!(comments(text).next(), Some(19..text.len()));
//! # let _ = tokens;
//! ```

mod adapt;
pub mod ast;
mod brackets;
mod height;
pub mod lex;
pub mod lexicon;
pub mod literal;
mod message;
pub mod packing;
mod parse;
pub mod token;
mod tree;

pub use tangle_base::symbol;

pub use adapt::{UnknownWord, WordRole};
pub use brackets::MAX_NESTING;
pub use height::MAX_HEIGHT;
pub use parse::{MAX_ERRORS, Parse, SyntaxError, parse, parse_packed};

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, reason = "generated")]
    kernel
);

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, reason = "generated")]
    cpp
);
