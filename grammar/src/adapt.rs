//! The adapters between the tokens of an item and the grammars: they decide which names are types, macros and templates.
//!
//! [`c`] adapts C, [`cpp`] adapts C++.

pub(crate) mod c;
pub(crate) mod cpp;
mod fold;
mod kinds;
mod scopes;

use crate::ast::Name;
use crate::token::Token;
use crate::tree::Payloads;

/// A word that nothing declares, and what it is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    pub name: Name,
    pub taken: Taken,
}

/// What an unknown word is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A type.
    Type,
    /// Something that a declaration is complete without: `INLINE` in `INLINE void f()`.
    Nothing,
    /// What makes the name of a function: `NAME(a, b)` in `void NAME(a, b)(int n) {`.
    Name,
    /// `for`, under another name.
    Loop,
    /// A statement that has no `;` behind it, unless something declares the name after all.
    Statement,
    /// Arguments of a call that have no `,` before them, unless something declares the name after all.
    Arguments,
}

/// A token, and the part of the item that it stands for: a repair may stand for many tokens, or for none.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// What the grammar reads, and what the scan learned on the way.
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

/// What stands between two brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    Block,
    Members,
    Enumerators,
    Initializer,
    Parameters,
    /// Parentheses within a declarator: `(*f)`.
    Declarator,
    /// The condition of `if`, `while` or `switch`.
    Control,
    For,
    /// Any other parentheses: an expression, or the type of a cast.
    Paren,
    Index,
    /// `f<…>`, of C++.
    TemplateArguments,
    /// `template <…>`.
    TemplateParameters,
}

impl Place {
    /// Whether it holds statements or declarations that end in `;`, or parameters.
    pub(crate) fn holds_declarations(self) -> bool {
        matches!(self, Place::File | Place::Block | Place::Members | Place::Parameters)
    }
}
