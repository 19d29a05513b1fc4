//! Tokens during macro expansion.

use tangle_grammar::lex::{LexFlags, spelling};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::origin::Origin;

/// A token during macro expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpansionToken {
    pub kind: TokenKind,
    pub flags: LexFlags,
    /// Whether this is a name that can no longer be the use of a macro.
    pub painted: bool,
    pub text: Symbol,
    pub origin: Origin,
}

impl ExpansionToken {
    pub fn spelling(&self) -> &'static str {
        spelling(self.kind, self.text)
    }
}
