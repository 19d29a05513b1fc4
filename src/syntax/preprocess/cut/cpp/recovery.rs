//! Detects where an item must have ended although a bracket or `;` is missing.

use rustc_hash::FxHashSet;
use tangle_grammar::lex::LexFlags;
use tangle_grammar::token::{Token, TokenKind};

use super::super::super::chunk::Builder;
use super::{BraceKind, Cutter, begins_definition};

impl Cutter {
    /// Whether the open braces cannot contain the definition that begins at this token, so that a `}` is missing.
    pub(super) fn shows_missing_brace(&self, kind: TokenKind, flags: LexFlags) -> bool {
        if self.is_recutting {
            return false;
        }
        match kind {
            TokenKind::Kernel => self.within != BraceKind::Class || !self.is_friend(),
            TokenKind::Template | TokenKind::Device => {
                self.within == BraceKind::Body && flags.column_zero() && self.follows_end()
            }
            _ => false,
        }
    }

    /// Whether the open member of a class is a `friend`.
    pub(super) fn is_friend(&self) -> bool {
        let ends = |kind| matches!(kind, TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace);
        let member = self.tokens.iter().rev().take(32).take_while(|token| !ends(token.kind));
        member.into_iter().any(|token| token.kind == TokenKind::Friend)
    }

    /// Whether the `{` that comes next opens a namespace inside other braces.
    pub(super) fn opens_namespace(&self) -> bool {
        match &self.tokens[..] {
            [.., Token { kind: TokenKind::Namespace, .. }] => true,
            [.., Token { kind: TokenKind::Namespace, .. }, name] => {
                matches!(name.kind, TokenKind::Identifier | TokenKind::TypeName)
            }
            _ => false,
        }
    }

    /// Whether the open item must have ended before this token, because the token cannot continue the item.
    pub(super) fn breaks_before(&self, kind: TokenKind, flags: LexFlags) -> bool {
        if !self.is_open() || !flags.line_start() {
            return false;
        }
        match self.previous() {
            // A closing parenthesis is missing.
            TokenKind::RightBrace if self.head.parens > 0 => matches!(
                kind,
                TokenKind::Kernel
                    | TokenKind::Device
                    | TokenKind::Host
                    | TokenKind::Template
                    | TokenKind::Namespace
            ),
            TokenKind::RightBrace if self.head.parens == 0 && flags.column_zero() => {
                // The braces of an initialiser, or of a class without its `;`.
                self.head.saw_members_of_class
                    && !self.head.saw_initialiser
                    && !matches!(kind, TokenKind::AttributeWord | TokenKind::AttributeCall | TokenKind::Const)
                    && begins_definition(kind)
            }
            TokenKind::RightParen if !self.head.saw_more_than_macros && self.head.parens == 0 => {
                begins_definition(kind)
            }
            TokenKind::Identifier if !self.head.saw_more_than_macros && self.head.parens == 0 => {
                matches!(
                    kind,
                    TokenKind::Template
                        | TokenKind::Namespace
                        | TokenKind::Using
                        | TokenKind::Typedef
                        | TokenKind::Class
                        | TokenKind::Struct
                        | TokenKind::Enum
                )
            }
            _ => {
                // Only a new item can begin with these tokens.
                matches!(kind, TokenKind::Namespace)
                    && flags.column_zero()
                    && self.previous() != TokenKind::Inline
                    && self.previous() != TokenKind::Using
            }
        }
    }

    /// Cuts the open item, which lacks a brace, at each position that looks like the start of a definition. If the
    /// last piece has no open brace, it stays open.
    pub(super) fn recut(&mut self, chunk: &mut Builder) {
        let tokens = std::mem::take(&mut self.tokens);
        let candidates = std::mem::take(&mut self.candidates);
        let mut candidates = candidates.iter().peekable();
        self.reset();
        self.is_recutting = true;
        let packing = std::mem::replace(&mut self.packing, self.packing_before);
        let mut types = FxHashSet::default();
        let mut known = self.declared.len();
        for (index, &(mut token)) in tokens.iter().enumerate() {
            let mut flags = LexFlags::SPACE_BEFORE;
            if candidates.next_if(|&&candidate| candidate as usize == index).is_some() {
                flags = LexFlags::LINE_START;
                if self.braces > 0 {
                    self.finish(chunk);
                }
            }
            types.extend(self.declared[known..].iter().copied());
            known = self.declared.len();
            if token.kind == TokenKind::Identifier && types.contains(&token.text) {
                token.kind = TokenKind::TypeName;
            }
            self.place(chunk, token, flags);
        }
        if self.braces > 0 {
            self.finish(chunk);
        }
        self.packing = packing;
        self.is_recutting = false;
    }
}
