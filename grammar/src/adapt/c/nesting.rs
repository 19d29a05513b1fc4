//! Opens and closes brackets. Decides the place between them, and the scopes that begin and end with them.

use super::Scan;
use crate::adapt::frames::{BracketContext, DeclState, Frame, ParenContents};
use crate::token::TokenKind as K;

impl Scan<'_> {
    pub(super) fn open(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::LeftParen => self.open_paren(at),
            K::LeftBracket => {
                if let DeclState::Start | DeclState::Expression = self.top().state {
                    self.top().state = DeclState::Expression;
                }
                self.enter(
                    at,
                    Frame { state: DeclState::Expression, ..Frame::new(BracketContext::Index) },
                    K::LeftBracket,
                )
            }
            _ => self.open_brace(at),
        }
    }

    fn open_paren(&mut self, at: usize) -> usize {
        let frame = *self.top();
        if frame.place == BracketContext::File
            && frame.state == DeclState::Declared
            && let Some(close) = self.end_of_old_parameters(at)
        {
            return self.old_parameters(at, close);
        }
        let place = match (frame.state, self.last) {
            (_, K::If | K::While | K::Switch) => BracketContext::Control,
            (_, K::For) => BracketContext::For,
            (_, K::Typeof | K::AtomicType) => BracketContext::Paren,
            (DeclState::Declared, _) => BracketContext::Parameters,
            (DeclState::Specifiers { .. } | DeclState::Declarator, _) => {
                if self.begins_parameters(at + 1) {
                    BracketContext::Parameters
                } else {
                    BracketContext::Declarator
                }
            }
            (DeclState::Start, _)
                if matches!(
                    frame.place,
                    BracketContext::Parameters | BracketContext::Members | BracketContext::Declarator
                ) =>
            {
                BracketContext::Declarator
            }
            _ if frame.lambda => BracketContext::Parameters,
            _ => BracketContext::Paren,
        };
        let mut inner = Frame::new(place);
        match place {
            BracketContext::Control => inner.state = DeclState::Expression,
            BracketContext::Parameters => self.scopes.open(),
            BracketContext::Declarator => {
                inner.typedef = frame.typedef;
                inner.state = DeclState::Declarator;
                self.top().state = DeclState::Declared;
            }
            BracketContext::Paren => {
                inner.inside = match self.last {
                    K::AtomicType => ParenContents::Type,
                    K::Offsetof => ParenContents::TypeFirst,
                    K::Astype | K::VaArg => ParenContents::TypeSecond,
                    K::Generic => ParenContents::Generic,
                    K::Sizeof | K::Alignof => ParenContents::Operand,
                    _ => ParenContents::Group,
                };
                if matches!(frame.state, DeclState::Start | DeclState::Expression) {
                    let operand = self.after_operand();
                    self.top().state = DeclState::Expression;
                    if operand {
                        (inner.inside, inner.state) = (ParenContents::Call, DeclState::Expression);
                    } else if matches!(inner.inside, ParenContents::TypeSecond | ParenContents::Generic) {
                        inner.state = DeclState::Expression;
                    } else if self.last != K::Sizeof && self.is_vector_literal(at) {
                        return self.enter(at, inner, K::VectorParen);
                    }
                }
            }
            _ => {}
        }
        self.enter(at, inner, K::LeftParen)
    }

    fn open_brace(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let starts_list =
            self.last == K::Equal || self.type_in.is_some() && frame.state == DeclState::Expression;
        let place = if frame.lambda {
            BracketContext::Block
        } else if frame.place == BracketContext::Initializer || starts_list {
            BracketContext::Initializer
        } else {
            BracketContext::Block
        };
        let mut inner = Frame::new(place);
        if place == BracketContext::Block {
            if frame.lambda || frame.place == BracketContext::Paren {
                self.top().state = DeclState::Expression;
                self.top().lambda = false;
            } else {
                // The next statement begins after the `}`.
                self.restart();
            }
            self.scopes.open();
            inner.scopes = 1 + std::mem::take(&mut self.language.parameter_scopes);
        } else if frame.state == DeclState::Start {
            self.top().state = DeclState::Expression;
        }
        self.enter(at, inner, K::LeftBrace)
    }

    pub(super) fn close_frame(&mut self, at: usize, inner: Frame) -> usize {
        self.write(at);
        match inner.place {
            BracketContext::Control | BracketContext::For => self.restart(),
            BracketContext::Parameters => {
                if self.top().state != DeclState::Expression {
                    self.top().state = DeclState::Declared;
                }
                if self.kind(self.skip_attributes(at + 1)) == K::LeftBrace {
                    self.language.parameter_scopes += 1;
                } else {
                    self.scopes.close(1);
                }
            }
            BracketContext::Members | BracketContext::Enumerators => {
                self.top().state = DeclState::Specifiers { typed: true }
            }
            BracketContext::Declarator => self.top().state = DeclState::Declared,
            BracketContext::Index => {
                if let DeclState::Specifiers { .. } | DeclState::Declarator = self.top().state {
                    self.top().state = DeclState::Declared;
                }
            }
            BracketContext::Paren => self.type_in = inner.is_type.then_some(inner.inside),
            BracketContext::Block
            | BracketContext::Initializer
            | BracketContext::File
            | BracketContext::TemplateArguments
            | BracketContext::TemplateParameters => {}
        }
        at + 1
    }
}
