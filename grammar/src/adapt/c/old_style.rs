//! Function definitions as in C before 1989: the parentheses have names, and the declarations of these parameters
//! follow.
//!
//! ```c
//! int f(a, b) int a; float *b; { return a + *b; }
//! ```

use super::Scan;
use crate::adapt::kinds::{is_name, is_specifier};
use crate::token::TokenKind as K;

impl Scan<'_> {
    /// Returns the `)` after the names in `f(a, b) int a, b; { … }` if the `(` at `open` begins such a list. Then
    /// declarations follow (of variables, not of functions), and after them the body.
    pub(super) fn end_of_old_parameters(&self, open: usize) -> Option<usize> {
        let close = self.partner(open).filter(|close| *close > open + 1)?;
        for (number, inside) in (open + 1..close).enumerate() {
            let fits = match number % 2 {
                0 => is_name(self.kind(inside)) && !self.is_type(inside),
                _ => self.kind(inside) == K::Comma,
            };
            if !fits {
                return None;
            }
        }
        let begins_declaration =
            is_specifier(self.kind(close + 1)) || self.is_type(close + 1) || is_name(self.kind(close + 1));
        if !begins_declaration {
            return None;
        }
        let mut at = close + 1;
        while at < self.tokens.len() {
            match self.kind(at) {
                K::LeftBrace if self.kind(at - 1) == K::Semicolon => return Some(close),
                K::LeftParen => return None,
                _ => at = self.behind(at),
            }
        }
        None
    }

    /// Reads the names in `f(a, b) int a, b; { … }`. The declarations after them belong to the scope of the body.
    pub(super) fn old_parameters(&mut self, at: usize, close: usize) -> usize {
        self.write(at);
        for inside in at + 1..close {
            let is_name = is_name(self.kind(inside));
            let kind = if is_name { K::Identifier } else { self.kind(inside) };
            self.write_as(inside, kind);
        }
        self.scopes.open();
        self.language.parameter_scopes += 1;
        self.restart();
        self.write(close)
    }
}
