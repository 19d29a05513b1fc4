//! Merges related tokens into one: attributes, assembly, the names of operators. Drops words that the grammar does
//! not need.

use crate::adapt::fold::spelling;
use crate::adapt::kinds::is_word;
use crate::adapt::scan::{AdapterToken, Tokens};
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, TokenKind as K};
use crate::tree::Payloads;

struct Fold<'a> {
    tokens: Tokens<'a>,
    out: Vec<AdapterToken>,
    payloads: &'a mut Payloads,
    is_template: bool,
}

pub(super) fn fold(tokens: Tokens<'_>, payloads: &mut Payloads) -> Vec<AdapterToken> {
    let out = Vec::with_capacity(tokens.len());
    let mut fold = Fold { tokens, out, payloads, is_template: false };
    let mut at = 0;
    while at < tokens.len() {
        at = fold.step(at);
    }
    fold.out
}

impl Fold<'_> {
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.kind(at)
    }

    /// Writes one token that covers the tokens from `at` up to `end`.
    fn write(&mut self, at: usize, end: usize, token: Token) -> usize {
        let (first, last) = (self.tokens[at], self.tokens[end - 1]);
        let is_template = std::mem::take(&mut self.is_template);
        self.out.push(AdapterToken { token, end: last.end, is_template, ..first });
        end
    }

    fn write_as(&mut self, at: usize, end: usize, kind: TokenKind, text: Symbol) -> usize {
        self.write(at, end, Token { kind, text })
    }

    fn plain(&mut self, at: usize) -> usize {
        self.write(at, at + 1, self.tokens[at].token)
    }

    /// Returns the index after the parentheses at `at`, or `at` if there are none.
    fn after_parens(&self, at: usize) -> usize {
        if self.kind(at) == K::LeftParen { self.tokens.behind(at) } else { at }
    }

    fn step(&mut self, at: usize) -> usize {
        let next = self.kind(at + 1);
        let last = self.out.last().map_or(K::Semicolon, |last| last.token.kind);
        if let Some(end) = self.tokens.end_of_attribute(at) {
            self.payloads.attributes.push((self.tokens[at].start, self.tokens.attributes(at, end)));
            return self.write_as(at, end, K::Attribute, Symbol::EMPTY);
        }
        match self.kind(at) {
            K::Extension | K::AttributeCall => at + 1,
            K::AsmWord => match self.tokens.assembly(at) {
                Some((close, assembly)) => {
                    self.payloads.assembly.push((self.tokens[at].start, assembly));
                    self.write_as(at, close + 1, K::Asm, Symbol::EMPTY)
                }
                None => self.plain(at),
            },
            // `auto(T) -> void`: a function type.
            K::Auto if next == K::LeftParen && self.kind(self.tokens.behind(at + 1)) == K::Arrow => {
                let ends = |kind: TokenKind| {
                    matches!(
                        kind,
                        K::Comma | K::Greater | K::RightParen | K::Semicolon | K::LeftBrace | K::Equal
                    )
                };
                let mut end = self.tokens.behind(at + 1) + 1;
                while end < self.tokens.len() && !ends(self.kind(end)) {
                    end += 1;
                }
                self.write_as(at, end, K::Auto, Symbol::EMPTY)
            }
            // `public:`, and `public` before a base.
            K::Access => at + 1 + usize::from(next == K::Colon),
            K::Template if next != K::Less => {
                self.is_template = true;
                at + 1
            }
            // `if MAYBE_CONSTEXPR (…)`.
            K::If if next == K::Identifier && self.kind(at + 2) == K::LeftParen => {
                self.plain(at);
                at + 2
            }
            // `int C::*`: read like any other pointer.
            K::Identifier | K::TypeName if next == K::ColonColon && self.kind(at + 2) == K::Star => at + 2,
            K::Extern if next == K::String => {
                self.plain(at);
                at + 2
            }
            K::Sizeof if next == K::Ellipsis => {
                self.plain(at);
                at + 2
            }
            K::Enum if matches!(next, K::Class | K::Struct) => {
                self.plain(at);
                at + 2
            }
            K::Delete
                if next == K::LeftBracket && self.kind(at + 2) == K::RightBracket && last != K::Equal =>
            {
                self.plain(at);
                at + 3
            }
            K::Typeof if next == K::LeftParen && self.kind(at + 2) == K::Auto => {
                self.write_as(at, self.tokens.behind(at + 1), K::Auto, Symbol::EMPTY)
            }
            // `decltype(x)::value`: the qualifier is not analysed.
            K::Typeof if next == K::LeftParen && self.kind(self.tokens.behind(at + 1)) == K::ColonColon => {
                let end = self.tokens.behind(at + 1);
                self.write_as(at, end, K::Identifier, Symbol::intern("decltype"))
            }
            K::Typeid => {
                self.write_as(at, self.after_parens(at + 1), K::OpaqueExpression, Symbol::intern("typeid"))
            }
            K::StaticAssert => {
                let end = self.after_parens(at + 1);
                self.write(at, end, self.tokens[at].token)
            }
            K::Noexcept => {
                let end = self.after_parens(at + 1);
                self.write(at, end, self.tokens[at].token)
            }
            // `explicit(false)`.
            K::Modifier if next == K::LeftParen => {
                self.plain(at);
                self.tokens.behind(at + 1)
            }
            // `a <=> b` becomes `a <= b`: the result of the comparison is not needed.
            K::LessEqual if next == K::Greater => {
                self.plain(at);
                at + 2
            }
            K::Tilde if is_word(next) && matches!(last, K::Dot | K::Arrow | K::ColonColon) => {
                let text = format!("~{}", self.tokens[at + 1].token.text);
                self.write_as(at, at + 2, K::SpecialName, Symbol::intern(&text))
            }
            K::Operator => self.operator(at),
            _ => self.plain(at),
        }
    }

    /// `operator+`, `operator()`, `operator bool`: each becomes one name. The name of a conversion moves after its type.
    fn operator(&mut self, at: usize) -> usize {
        let first = at + 1;
        let kind = self.kind(first);
        let pair = |second| self.kind(first + 1) == second;
        let end = match kind {
            K::LeftParen if pair(K::RightParen) => first + 2,
            K::LeftBracket if pair(K::RightBracket) => first + 2,
            K::New | K::Delete if pair(K::LeftBracket) && self.kind(first + 2) == K::RightBracket => {
                first + 3
            }
            K::New | K::Delete | K::Comma | K::Coroutine => first + 1,
            K::Arrow | K::LessEqual if pair(K::Star) || pair(K::Greater) => first + 2,
            K::Arrow => first + 1,
            K::String => first + 1 + usize::from(is_word(self.kind(first + 1))),
            kind if kind >= K::Plus && kind <= K::GreaterGreaterEqual => first + 1,
            _ => return self.conversion(at),
        };
        let spelling = self.tokens.all[first..end].iter().map(spelling).collect::<String>();
        self.write_as(at, end, K::Identifier, Symbol::intern(&format!("operator{spelling}")))
    }

    fn conversion(&mut self, at: usize) -> usize {
        let mut end = at + 1;
        while end < self.tokens.len()
            && !matches!(self.kind(end), K::LeftParen | K::Semicolon | K::LeftBrace | K::RightBrace)
        {
            end += 1;
        }
        if end == at + 1 {
            return self.plain(at);
        }
        let words: Vec<&str> = self.tokens.all[at + 1..end].iter().map(spelling).collect();
        let name = Symbol::intern(&format!("operator {}", words.join(" ")));
        let last = self.out.last().map_or(K::Semicolon, |last| last.token.kind);
        if matches!(last, K::ColonColon | K::Dot | K::Arrow) {
            return self.write_as(at, end, K::SpecialName, name);
        }
        // A conversion function is declared like another function: the type of its result, then its name.
        let mut next = at + 1;
        while next < end {
            // The name of an operator is no part of a type.
            next = if self.kind(next) == K::Operator { self.plain(next) } else { self.step(next) };
        }
        self.write_as(at, at + 1, K::Identifier, name);
        next
    }
}
