//! Tests of the parser, from tokens to trees and messages.

mod common;
mod errors;
mod hostile;
mod print;
mod syntax;
