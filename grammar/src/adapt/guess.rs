//! Guesses the role of words that the item does not declare.
//!
//! The evidence, in this order:
//!
//! 1. declarations: the scopes of the item, and the types of earlier items ([`Scan::meaning`]);
//! 2. the tokens around the word: a declaration without a type needs one. The languages differ here, so most of it is in
//!    `c` and `cpp`;
//! 3. the spelling of the word ([`spelling`]), where both readings fit.
//!
//! Each guess looks ahead over tokens that no other guess reads, so all guesses together take linear time.

pub(super) mod spelling;

use super::WordRole;
use super::fold::spelling as spelled;
use super::frames::DeclState;
use super::kinds::{begins_statement, is_word};
use super::scan::{Language, Scan};
use super::scopes::Meaning;
use crate::symbol::Symbol;
use crate::token::TokenKind as K;
use spelling::looks_like_macro;

/// The maximum number of consecutive macros that are recognised.
pub(super) const MACROS_IN_A_ROW: usize = 8;

impl<L: Language> Scan<'_, L> {
    /// The meaning of a word that this item or an earlier one declares.
    pub fn meaning(&self, at: usize) -> Option<Meaning> {
        self.scopes.meaning(self.tokens.all.get(at)?.token)
    }

    /// Whether a token is a word that is spelled like a macro.
    pub fn is_macro_word(&self, at: usize) -> bool {
        is_word(self.kind(at)) && looks_like_macro(self.text(at))
    }

    /// Returns the index after `NAME(…)`, such as `WORKGROUP(64, 1)` in `WORKGROUP(64, 1) kernel void f()`.
    pub fn end_of_macro(&self, at: usize) -> Option<usize> {
        if self.kind(at + 1) != K::LeftParen {
            return None;
        }
        self.partner(at + 1).map(|close| close + 1)
    }

    /// Writes a function name that an undefined macro makes: `NAME(a, b)` in `void NAME(a, b)(int n) {`. The written
    /// name is the spelling of the macro with its arguments; it is also returned.
    pub fn macro_made_name(&mut self, at: usize, end: usize) -> Symbol {
        self.record_unknown(at, WordRole::FunctionNameMacro);
        self.top().state = DeclState::Declared;
        let text = Symbol::intern(&self.tokens.all[at..end].iter().map(spelled).collect::<String>());
        self.write_group(at, end, K::Identifier, text);
        text
    }

    /// Whether an unknown name begins the head of a loop: `unroll_for (int i = 0; i < 4; i++)`. Only the head of a
    /// loop has two `;` in parentheses.
    pub fn is_head_of_loop(&self, at: usize) -> bool {
        let Some(end) = self.end_of_macro(at) else { return false };
        let mut semicolons = 0;
        let mut inside = at + 2;
        while inside < end - 1 {
            semicolons += usize::from(self.kind(inside) == K::Semicolon);
            inside = self.behind(inside);
        }
        semicolons == 2
    }

    /// Writes an unknown name at the start of a statement as `for`.
    pub fn head_of_loop(&mut self, at: usize) -> usize {
        self.record_unknown(at, WordRole::Loop);
        self.top().state = DeclState::Expression;
        self.write_as(at, K::For)
    }

    /// Begins the statement `NAME` or `NAME(…)`, which ends before `end`. Its macro contains the `;`.
    pub fn statement_macro(&mut self, at: usize, end: usize) -> usize {
        self.record_unknown(at, WordRole::Statement);
        let top = self.top();
        (top.state, top.statement_end) = (DeclState::Expression, Some(end));
        at
    }

    /// Writes the `;` of such a statement if the statement ends before `at`.
    pub fn end_statement_macro(&mut self, at: usize) -> Option<usize> {
        if self.top().statement_end != Some(at) {
            return None;
        }
        self.insert(at, K::Semicolon);
        self.restart();
        Some(at)
    }

    /// Returns the index after an unknown macro that is a statement without a `;`: `LOAD_ALL`, `STORE(x)`. The next
    /// tokens are the evidence: the end of the block, a statement, or another such macro.
    pub fn end_of_statement_macro(&self, at: usize) -> Option<usize> {
        // A single unknown name before a loop is a hint such as `UNROLL`, with any spelling.
        let is_word = self.kind(at) == K::Identifier && self.meaning(at).is_none();
        if is_word && matches!(self.kind(at + 1), K::For | K::Do) {
            return Some(at + 1);
        }
        let first = self.end_of_macro_name(at)?;
        let call = first > at + 1;
        let mut end = first;
        for _ in 0..MACROS_IN_A_ROW {
            let kind = self.kind(end);
            if kind == K::RightBrace
                || begins_statement(kind)
                || kind == K::LeftBrace && call
                || L::follows_statement_macro(self, end, call, end == first)
            {
                return Some(first);
            }
            end = self.end_of_macro_name(end)?;
        }
        None
    }

    /// Returns the index after an unknown macro and its arguments, if it has arguments.
    pub fn end_of_macro_name(&self, at: usize) -> Option<usize> {
        let is_macro = self.kind(at) == K::Identifier
            && self.meaning(at).is_none()
            && L::is_statement_macro(self.text(at));
        is_macro.then(|| self.end_of_macro(at).unwrap_or(at + 1))
    }
}
