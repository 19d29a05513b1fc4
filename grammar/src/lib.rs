//! Text to tokens to syntax trees, for languages of the C family. This crate does no I/O and does not depend
//! on salsa or on later stages.

mod adapt;
pub mod ast;
mod brackets;
mod height;
pub mod lex;
pub mod literal;
mod message;
pub mod packing;
mod parse;
pub mod token;
mod tree;
pub mod words;

pub use tangle_base::symbol;

pub use adapt::{Taken, UnknownWord};
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
