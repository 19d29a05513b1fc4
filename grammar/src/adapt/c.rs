//! The adapter for C and OpenCL C: the differences from C++.
//!
//! It folds `__attribute__((…))`, its variants and `asm(…)` into one token each, and keeps a pragma only where a
//! statement can begin. It drops unknown words without an effect on parsing, such as `INLINE` in `INLINE void f()`,
//! whose definition is in a missing header. It interprets an unknown macro as the only construct that fits
//! ([`guess`]): a statement, the head of a loop, or further arguments.
//!
//! | module | contents |
//! |---|---|
//! | `nesting` | opens and closes brackets, and with them places and scopes |
//! | `roles` | decides the kind of each word |
//! | `guess` | looks at the tokens around undeclared words |
//! | `old_style` | functions of C before 1989 |

mod guess;
mod nesting;
mod old_style;
mod roles;

use super::frames::{BracketContext, DeclState, Frame, ParenContents};
use super::guess::spelling::looks_like_macro;
use super::kinds::{begins_statement, is_contextual, is_specifier};
use super::scan::{self, AdapterToken, Language, Tokens};
use super::{Input, ParserInput};
use crate::brackets::Brackets;
use crate::lexicon::Lexicon;
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::TokenKind as K;

/// The additional state of a scan of C.
struct C {
    /// The number of scopes of function parameters that the next block closes at its end.
    parameter_scopes: u32,
}

type Scan<'a> = scan::Scan<'a, C>;

pub(super) fn adapt(input: &[Input], brackets: &Brackets, words: &Lexicon, packing: Packing) -> ParserInput {
    let all = AdapterToken::all(input);
    let tokens = Tokens { all: &all, partner: &brackets.partner };
    Scan::new(C { parameter_scopes: 0 }, words, tokens, ParserInput::default(), packing).run()
}

impl Language for C {
    const AFTER_SEMICOLON: DeclState = DeclState::Expression;

    fn read_common(scan: &mut scan::Scan<'_, Self>, at: usize) -> Option<usize> {
        if let Some(next) = scan.end_statement_macro(at) {
            return Some(next);
        }
        match scan.kind(at) {
            K::Extension => Some(at + 1),
            K::Pragma => Some(scan.pragma(at)),
            _ => scan.attribute(at),
        }
    }

    fn start(_: &mut scan::Scan<'_, Self>, _: usize) -> Option<usize> {
        None
    }

    fn open(scan: &mut scan::Scan<'_, Self>, at: usize) -> usize {
        scan.open(at)
    }

    fn close(scan: &mut scan::Scan<'_, Self>, at: usize, frame: Frame) -> usize {
        scan.close_frame(at, frame)
    }

    fn comma(scan: &mut scan::Scan<'_, Self>, at: usize) -> usize {
        let top = scan.top();
        match (top.place, top.inside) {
            (BracketContext::Parameters | BracketContext::Enumerators | BracketContext::Initializer, _) => {
                scan.restart()
            }
            (BracketContext::Paren, ParenContents::TypeSecond | ParenContents::Generic) => scan.restart(),
            _ if top.declaring => top.state = DeclState::Declarator,
            _ => {}
        }
        scan.write(at)
    }

    fn colon_of_declaration(_: &mut scan::Scan<'_, Self>, _: usize) -> Option<usize> {
        None
    }

    fn read_other(scan: &mut scan::Scan<'_, Self>, at: usize) -> usize {
        scan.other(at)
    }

    fn begins_at_keyword(place: BracketContext) -> bool {
        place.holds_declarations()
    }

    fn is_statement_macro(name: Symbol) -> bool {
        looks_like_macro(name)
    }

    fn follows_statement_macro(scan: &scan::Scan<'_, Self>, at: usize, _: bool, _: bool) -> bool {
        scan.is_call_statement(at)
    }
}

impl Scan<'_> {
    fn other(&mut self, at: usize) -> usize {
        match self.kind(at) {
            kind @ (K::Star | K::Caret) => {
                let operand = self.after_operand();
                let top = self.top();
                let declares = match top.state {
                    DeclState::Specifiers { .. } | DeclState::Declarator => true,
                    DeclState::Start => top.place == BracketContext::Declarator,
                    _ => false,
                };
                if declares {
                    top.state = DeclState::Declarator;
                } else {
                    top.state = DeclState::Expression;
                    top.lambda = kind == K::Caret && !operand;
                }
                self.write(at)
            }
            K::AsmWord => self.assembly(at),
            K::Broken => {
                if self.top().place != BracketContext::Parameters {
                    self.restart();
                }
                self.write(at)
            }
            K::Identifier | K::TypeName => self.word(at),
            K::Default if self.top().inside == ParenContents::Generic => {
                self.top().state = DeclState::Expression;
                self.write(at)
            }
            kind if is_contextual(kind) && self.is_plain_name(at) => self.declared_or_used(at),
            kind if is_specifier(kind) => self.specifier(at),
            kind if begins_statement(kind) => self.statement(at),
            _ => {
                self.top().state = DeclState::Expression;
                self.write(at)
            }
        }
    }

    /// Whether the left operand of an operator here has already been read.
    fn after_operand(&self) -> bool {
        match self.last {
            K::Identifier
            | K::Number
            | K::Character
            | K::String
            | K::RightBracket
            | K::BrokenExpression
            | K::Arguments => true,
            K::RightParen => {
                let after_cast = matches!(self.type_in, Some(ParenContents::Group | ParenContents::Type));
                !after_cast && self.frames.last().is_some_and(|top| top.state != DeclState::Start)
            }
            K::RightBrace => self.frames.last().is_some_and(|top| top.state == DeclState::Expression),
            K::PlusPlus | K::MinusMinus => true,
            _ => false,
        }
    }

    /// Folds an attribute into one token.
    fn attribute(&mut self, at: usize) -> Option<usize> {
        if self.kind(at) == K::LeftBracket && self.top().state == DeclState::Expression {
            return None;
        }
        let end = self.tokens.end_of_attribute(at)?;
        if self.top().place == BracketContext::Declarator {
            // `(__attribute__((…)) *f)`: the grammar does not allow an attribute here, and no later stage needs it.
            return Some(end);
        }
        let list = self.tokens.attributes(at, end);
        self.out.payloads.attributes.push((self.tokens[at].start, list));
        Some(self.write_attribute(at, end))
    }

    /// Folds `asm volatile (…)` into one token.
    fn assembly(&mut self, at: usize) -> usize {
        let Some((close, assembly)) = self.tokens.assembly(at) else { return self.write(at) };
        if self.top().state == DeclState::Start {
            self.top().state = DeclState::Expression;
        }
        self.out.payloads.assembly.push((self.tokens[at].start, assembly));
        self.write_group(at, close + 1, K::Asm, Symbol::EMPTY)
    }
}
