//! Decides the role of an undeclared word from the tokens around it.
//!
//! Each guess looks ahead over tokens that no other guess reads, so all guesses together take linear time.

use super::Scan;
use crate::adapt::frames::{BracketContext, DeclState, Frame};
use crate::adapt::guess::spelling::looks_like_macro;
use crate::adapt::kinds::{is_contextual, is_name, is_operator, is_qualifier, is_specifier, is_word};
use crate::adapt::scopes::Meaning;
use crate::token::TokenKind as K;

/// The role of an unknown word in the position of a specifier.
pub(super) enum Role {
    Type,
    /// Skipped: the declaration is complete without this word.
    Ignorable,
}

impl Scan<'_> {
    pub(super) fn is_type(&self, at: usize) -> bool {
        is_word(self.kind(at)) && self.meaning(at) == Some(Meaning::Type)
    }

    /// Whether the tokens after `(` in a declarator are a list of parameters, and not an inner declarator.
    pub(super) fn begins_parameters(&self, at: usize) -> bool {
        match self.kind(at) {
            K::RightParen | K::Ellipsis | K::Pragma => true,
            K::AttributeWord | K::Star | K::Caret => false,
            K::Identifier | K::TypeName => {
                self.is_type(at) || is_word(self.kind(at + 1)) || is_specifier(self.kind(at + 1))
            }
            kind => is_specifier(kind),
        }
    }

    /// `(float4)(a, b, c, d)`: a vector type in parentheses before parentheses with the elements. A type counts as a
    /// vector type if it is a builtin one, or if there are several elements.
    pub(super) fn is_vector_literal(&self, at: usize) -> bool {
        if !(self.is_type(at + 1) && self.kind(at + 2) == K::RightParen && self.kind(at + 3) == K::LeftParen)
        {
            return false;
        }
        if self.words.is_vector(self.text(at + 1)) {
            return true;
        }
        let Some(end) = self.partner(at + 3) else { return false };
        let mut inside = at + 4;
        while inside < end {
            if self.kind(inside) == K::Comma {
                return true;
            }
            inside = self.behind(inside);
        }
        false
    }

    /// A keyword of OpenCL that older kernels use as a name (`int pipe = 3;`, `x.global`).
    pub(super) fn is_plain_name(&self, at: usize) -> bool {
        let token = self.tokens[at].token;
        let frame = self.frames.last().copied().unwrap_or_else(|| Frame::new(BracketContext::File));
        let next = self.kind(at + 1);
        if matches!(self.last, K::Dot | K::Arrow) {
            return true;
        }
        let ends_declarator =
            matches!(next, K::Equal | K::Semicolon | K::Comma | K::LeftBracket | K::Colon | K::RightParen);
        let could_be_name = match frame.state {
            DeclState::Start if matches!(frame.place, BracketContext::Block | BracketContext::For) => {
                is_operator(next) && next != K::Star || matches!(next, K::Dot | K::Arrow | K::LeftBracket)
            }
            DeclState::Start if frame.place == BracketContext::Paren => !is_specifier(next) && !is_name(next),
            DeclState::Start => false,
            DeclState::Specifiers { typed } => {
                typed
                    && (ends_declarator || next == K::LeftParen && self.kind(at + 2) != K::Star)
                    && !frame.is_type
            }
            DeclState::Declarator => ends_declarator && !frame.is_type,
            DeclState::Declared | DeclState::Tag | DeclState::Bases | DeclState::Initializers => false,
            DeclState::Expression => true,
        };
        could_be_name && !token.text.as_str().starts_with("__")
    }

    /// Returns the role of an unknown word that begins a declaration: the type, unless another type follows.
    pub(super) fn role(&self, at: usize) -> Role {
        let mut next = self.skip_attributes(at + 1);
        while is_qualifier(self.kind(next)) {
            next = self.skip_attributes(next + 1);
        }
        let behind = self.kind(next + 1);
        if behind == K::LeftParen && matches!(self.kind(next + 2), K::Star | K::Caret) {
            // `SPACE NAME (*x)[64]`: a parameter list does not begin with `*`.
            return Role::Ignorable;
        }
        match self.kind(next) {
            K::Identifier if !self.is_type(next) => {
                if self.ends_parameter(at, next) {
                    Role::Type
                } else if is_word(behind) || behind == K::Star {
                    Role::Ignorable
                } else {
                    Role::Type
                }
            }
            K::Identifier | K::TypeName => {
                if is_word(behind) || behind == K::Star || is_specifier(behind) {
                    Role::Ignorable
                } else {
                    Role::Type
                }
            }
            kind if is_specifier(kind) => Role::Ignorable,
            _ => Role::Type,
        }
    }

    /// `type name MACRO,`: the macro after a type and a name may add parameters. Type and name are not spelled like
    /// macros.
    fn ends_parameter(&self, ty: usize, name: usize) -> bool {
        !looks_like_macro(self.text(ty)) && self.is_last_name(name)
    }

    /// `name MACRO,`: the name of a parameter before a macro that may add further parameters.
    pub(super) fn is_last_name(&self, at: usize) -> bool {
        self.is_macro_word(at + 1)
            && !self.is_macro_word(at)
            && matches!(self.kind(at + 2), K::Comma | K::RightParen)
    }

    /// Returns the index after `NAME(…)` if this macro makes the name of a defined function: `NAME(a, b)(int n) {`.
    pub(super) fn end_of_made_name(&self, at: usize) -> Option<usize> {
        let end = self.end_of_macro(at).filter(|end| self.kind(*end) == K::LeftParen)?;
        let parameters = self.partner(end)?;
        (self.kind(self.skip_attributes(parameters + 1)) == K::LeftBrace).then_some(end)
    }

    /// Whether an unknown name at the start of a statement begins a declaration: `NAME name`, `NAME *name;`.
    pub(super) fn begins_declaration(&self, at: usize) -> bool {
        let mut next = self.skip_attributes(at + 1);
        let mut pointer = false;
        loop {
            match self.kind(next) {
                K::Star => pointer = true,
                kind if is_qualifier(kind) && !is_contextual(kind) => {}
                kind if is_contextual(kind) && is_name(self.kind(next + 1)) => return true,
                _ => break,
            }
            next += 1;
        }
        let kind = self.kind(next);
        if !pointer {
            return is_word(kind) || is_specifier(kind) && !is_contextual(kind);
        }
        is_word(kind)
            && matches!(
                self.kind(next + 1),
                K::Equal | K::Semicolon | K::Comma | K::LeftBracket | K::AttributeWord
            )
    }

    /// Whether an unknown name after `(` is the type of a cast: `(NAME *)`, `(NAME) x`.
    pub(super) fn is_unknown_cast(&self, at: usize) -> bool {
        if is_word(self.kind(at + 1)) || is_specifier(self.kind(at + 1)) {
            return true;
        }
        let mut next = at + 1;
        while self.kind(next) == K::Star || is_qualifier(self.kind(next)) {
            next += 1;
        }
        if self.kind(next) == K::LeftParen
            && matches!(self.kind(next + 1), K::Star | K::Caret)
            && next == at + 1
        {
            // `(NAME (*)(…))`, unlike the call `(f (*p))`.
            let close = self.partner(next).unwrap_or(next);
            return self.kind(close.saturating_sub(1)) == K::Star
                || self.kind(close.saturating_sub(1)) == K::Caret;
        }
        if self.kind(next) != K::RightParen {
            return false;
        }
        if next > at + 1 {
            return true;
        }
        match self.kind(next + 1) {
            K::Identifier
            | K::Number
            | K::Character
            | K::String
            | K::Tilde
            | K::Bang
            | K::Sizeof
            | K::LeftBrace => true,
            K::TypeName => !self.is_type(next + 1),
            _ => false,
        }
    }

    fn is_unknown_macro(&self, at: usize) -> bool {
        self.kind(at) == K::Identifier && self.meaning(at).is_none() && looks_like_macro(self.text(at))
    }

    /// Whether an unknown word after an argument of a call expands to further arguments: `f(a, b PARAM)`.
    pub(super) fn adds_arguments(&self, at: usize) -> bool {
        self.is_unknown_macro(at)
            && (matches!(self.kind(at + 1), K::RightParen | K::Comma) || self.is_unknown_macro(at + 1))
    }

    /// Whether a statement `name(…);` begins at `at` whose parentheses contain no parameters.
    pub(super) fn is_call_statement(&self, at: usize) -> bool {
        self.kind(at) == K::Identifier
            && self.kind(at + 1) == K::LeftParen
            && (self.kind(at + 2) == K::RightParen || !self.begins_parameters(at + 2))
            && self.end_of_macro(at).is_some_and(|end| self.kind(end) == K::Semicolon)
    }
}
