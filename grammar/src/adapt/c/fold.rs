//! Folds attributes and inline assembly into one token each.

use super::{Scan, State};
use crate::adapt::Place;
use crate::adapt::fold::Tokens;
use crate::token::TokenKind as K;

impl Scan<'_> {
    fn tokens(&self) -> Tokens<'_> {
        Tokens { input: self.input, partner: &self.brackets.partner }
    }

    pub(super) fn skip_attributes(&self, mut at: usize) -> usize {
        while let Some(end) = self.tokens().end_of_attribute(at) {
            at = end;
        }
        at
    }

    /// Folds an attribute into one token.
    pub(super) fn attribute(&mut self, at: usize) -> Option<usize> {
        if self.kind(at) == K::LeftBracket && self.top().state == State::Expression {
            return None;
        }
        let end = self.tokens().end_of_attribute(at)?;
        if self.top().place == Place::Declarator {
            // `(__attribute__((…)) *f)`: says nothing that matters to anyone here.
            return Some(end);
        }
        let list = self.tokens().attributes(at, end);
        self.out.payloads.attributes.push((self.input[at].start, list));
        Some(self.write_group(at, end, K::Attribute))
    }

    /// Folds `asm volatile (…)` into one token.
    pub(super) fn assembly(&mut self, at: usize) -> usize {
        let Some((close, assembly)) = self.tokens().assembly(at) else { return self.write(at) };
        if self.top().state == State::Start {
            self.top().state = State::Expression;
        }
        self.out.payloads.assembly.push((self.input[at].start, assembly));
        self.last = K::Asm;
        self.write_group(at, close + 1, K::Asm)
    }
}
