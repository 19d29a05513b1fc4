//! Tests of the C++ parser, from tokens to trees and messages.

mod ambiguities;
mod classes;
mod common;
mod errors;
mod hostile;
#[path = "../parser/print.rs"]
mod print;
mod syntax;
mod unknown;
