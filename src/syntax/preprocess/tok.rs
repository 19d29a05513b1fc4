//! Tokens during macro expansion.

use tangle_grammar::lex::{LexFlags, spelling};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::origin::Origin;

/// A token on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tok {
    pub kind: TokenKind,
    pub flags: LexFlags,
    /// A name that is no use of a macro any more.
    pub painted: bool,
    pub text: Symbol,
    pub origin: Origin,
}

impl Tok {
    pub fn spelling(&self) -> &'static str {
        spelling(self.kind, self.text)
    }
}
