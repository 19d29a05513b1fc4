//! Containers of items that are not items themselves: namespaces, `extern "C"`, and blocks after an undefined macro.

use tangle_grammar::token::{Token, TokenKind};

use super::super::super::chunk::Builder;
use super::super::c;
use super::{Cutter, begins_definition};

impl Cutter {
    /// Whether the `{` that comes next opens a container.
    pub(super) fn opens_container(&self) -> bool {
        let name = |token: &Token| matches!(token.kind, TokenKind::Identifier | TokenKind::TypeName);
        if self.head.parens > 0 {
            return false;
        }
        match &self.tokens[..] {
            [Token { kind: TokenKind::Namespace, .. }, path @ ..]
            | [Token { kind: TokenKind::Inline, .. }, Token { kind: TokenKind::Namespace, .. }, path @ ..] => {
                // After a name without its `{`, another definition may have begun.
                path.iter().all(|token| !begins_definition(token.kind) || may_name_namespace(token.kind))
            }
            [Token { kind: TokenKind::Extern, .. }, Token { kind: TokenKind::String, .. }] => true,
            tokens => matches!(tokens.len(), 1..=3) && tokens.iter().all(name),
        }
    }

    /// Enters the container whose head is open.
    pub(super) fn enter(&mut self, chunk: &mut Builder) {
        self.around.push(self.namespace);
        let namespace = self.tokens.iter().position(|token| token.kind == TokenKind::Namespace);
        if let Some(at) = namespace {
            // The members of an inline or unnamed namespace belong to the enclosing namespace.
            let mut is_inline = at > 0;
            let mut rest = &self.tokens[at + 1..];
            while let Some((token, after)) = rest.split_first() {
                rest = after;
                match token.kind {
                    TokenKind::Inline => is_inline = true,
                    TokenKind::Identifier | TokenKind::TypeName => {
                        if !is_inline {
                            self.namespace = self.namespace.child(token.text);
                        }
                        is_inline = false;
                    }
                    // The parentheses of attributes.
                    TokenKind::LeftBracket | TokenKind::LeftParen => {
                        let open = rest.len() + 1;
                        let tokens = &self.tokens[self.tokens.len() - open..];
                        rest = &tokens[c::group_end(tokens, 0)..];
                    }
                    _ => {}
                }
            }
        }
        chunk.drop_tokens(self.tokens.len() + 1);
        self.tokens.clear();
        self.reset();
        self.packing_before = self.packing;
    }
}

/// Whether a token can be in the head of a namespace although definitions can begin with it.
fn may_name_namespace(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::TypeName | TokenKind::Inline | TokenKind::AttributeWord)
}
