//! Text to tokens to syntax trees, for OpenCL C. No salsa, no I/O, no later stage.

pub mod ast;
pub mod lex;
pub mod symbol;
pub mod token;
