//! The adapter between the tokens of an item and the grammar: it decides which names are types.
//!
//! C and C++ cannot be parsed without this: `a * b;` declares or multiplies, `(a)(b)` casts or calls. The adapter scans
//! the item once before the parser runs, so the grammars need no symbol table. It knows only what this needs: the kind
//! of each open bracket ([`Place`]), the state of the current statement or declaration, and the names that the item
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
//! | `c`, `cpp` | what differs between the languages |
//!
//! The scan is a loop with a stack of its own. It never recurses, and looks at each token a limited number of times.

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
use crate::packing::Packing;
use crate::token::Token;
use crate::tree::Payloads;
use crate::words::{Grammar, Words};

pub(crate) use cpp::foreign;
pub(crate) use frames::Place;

/// An undeclared word, and its reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    pub name: Name,
    pub taken: Taken,
}

/// How an undeclared word is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A type.
    Type,
    /// A word that the declaration does not need: `INLINE` in `INLINE void f()`.
    Nothing,
    /// The keyword of kernels, with or without `void`: `LIBRARY_KERNEL void f()`.
    Kernel,
    /// A macro that forms the name of a function: `NAME(a, b)` in `void NAME(a, b)(int n) {`.
    Name,
    /// `for`, under another name.
    Loop,
    /// A statement without `;`, unless a later declaration has the name.
    Statement,
    /// Arguments of a call without a `,` before them, unless a later declaration has the name.
    Arguments,
}

/// A token, and the part of the item that it stands for: a repair may stand for many tokens, or for none.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// The input of the grammar, and facts for repairs and messages.
#[derive(Default)]
pub(crate) struct Adapted {
    pub stream: Vec<(u32, Token, u32)>,
    /// For each token of the stream, the input token that it begins with.
    pub origin: Vec<u32>,
    pub payloads: Payloads,
    pub unknown_words: Vec<UnknownWord>,
    /// The opening bracket of each place, in order.
    pub places: Vec<(u32, Place)>,
    /// Where statements, declarations, members and parameters begin, and within how many brackets.
    pub starts: Vec<(u32, u32)>,
}

/// Writes the tokens of an item for the grammar of its language. `packing` is what `#pragma pack` says at its start.
pub(crate) fn adapt(input: &[Input], brackets: &Brackets, words: &Words, packing: Packing) -> Adapted {
    match words.grammar() {
        Grammar::C => c::adapt(input, brackets, words, packing),
        Grammar::Cpp => cpp::adapt(input, brackets, words, packing),
    }
}
