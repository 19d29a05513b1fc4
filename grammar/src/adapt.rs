//! The adapter between the tokens of an item and the grammar: it decides which names are types.
//!
//! C and C++ cannot be parsed without this: `a * b;` declares or multiplies, `(a)(b)` casts or calls. The adapter scans
//! the item once before the parser runs, so the grammars need no symbol table. It knows only what this needs: the kind
//! of each open bracket ([`BracketContext`]), the state of the current statement or declaration, and the names that the item
//! declares. It gives each token the kind that the grammar reads.
//!
//! Example:
//!
//! ```c
//! typedef float real;          // an item before this one: `real` comes as a TypeName
//! void f(const body *p) {      // `body` is unknown, and only a type can be here: a type, and recorded
//!     real real = p->real;     // a type; then the declared name; then a member
//!     g(real * 2);             // a variable from its declaration on
//! }
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `scan` | the pass over the tokens: looks ahead over balanced brackets, writes tokens |
//! | `frames` | the stack of open brackets: the kind and the state of each |
//! | `scopes` | the meaning of the names that the item declares |
//! | `fold` | attributes and assembly: each becomes one token |
//! | `guess` | undeclared words: the order of evidence, and the spellings that are evidence |
//! | `kinds` | predicates for kinds of tokens |
//! | `c`, `cpp` | the differences between the languages |
//!
//! The scan is a loop with its own stack. It never recurses, and visits each token a limited number of times.

mod c;
mod cpp;
mod fold;
mod frames;
mod guess;
mod kinds;
mod scan;
mod scopes;

use crate::ast::Name;
use crate::brackets::Brackets;
use crate::lexicon::{Grammar, Lexicon};
use crate::packing::Packing;
use crate::token::Token;
use crate::tree::Payloads;

pub(crate) use cpp::unsupported_construct;
pub(crate) use frames::BracketContext;

/// An undeclared word, and its interpretation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    pub name: Name,
    pub role: WordRole,
}

/// How the parser interprets an undeclared word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordRole {
    /// A type.
    Type,
    /// A word without effect on the declaration: `INLINE` in `INLINE void f()`. It is skipped.
    Ignored,
    /// The keyword of kernels, with or without `void`: `LIBRARY_KERNEL void f()`.
    Kernel,
    /// A macro that forms the name of a function: `NAME(a, b)` in `void NAME(a, b)(int n) {`.
    FunctionNameMacro,
    /// `for`, under another name.
    Loop,
    /// A statement without `;`, unless a later declaration has the name.
    Statement,
    /// Arguments of a call without a `,` before them, unless a later declaration has the name.
    Arguments,
}

/// A token, and the range of the item that it covers. A token from a repair may cover many tokens, or none.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// The input of the grammar, and facts for repairs and messages.
#[derive(Default)]
pub(crate) struct ParserInput {
    pub stream: Vec<(u32, Token, u32)>,
    /// The index of the first input token of each token in the stream.
    pub origin: Vec<u32>,
    pub payloads: Payloads,
    pub unknown_words: Vec<UnknownWord>,
    /// The opening bracket of each place, in order. A place is the contents of a pair of brackets.
    pub places: Vec<(u32, BracketContext)>,
    /// The starts of statements, declarations, members and parameters, each with its nesting depth.
    pub starts: Vec<(u32, u32)>,
}

/// Writes the tokens of an item for the grammar of its language. `packing` is the `#pragma pack` in force at its
/// start.
pub(crate) fn adapt(input: &[Input], brackets: &Brackets, words: &Lexicon, packing: Packing) -> ParserInput {
    match words.grammar() {
        Grammar::C => c::adapt(input, brackets, words, packing),
        Grammar::Cpp => cpp::adapt(input, brackets, words, packing),
    }
}
