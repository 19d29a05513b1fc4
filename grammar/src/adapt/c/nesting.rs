//! Opens and closes brackets. Decides the place between them, and the scopes that begin and end with them.

use super::Scan;
use crate::adapt::frames::{Frame, Inside, Place, State};
use crate::token::TokenKind as K;

impl Scan<'_> {
    pub(super) fn open(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::LeftParen => self.open_paren(at),
            K::LeftBracket => {
                if let State::Start | State::Expression = self.top().state {
                    self.top().state = State::Expression;
                }
                self.enter(at, Frame { state: State::Expression, ..Frame::new(Place::Index) }, K::LeftBracket)
            }
            _ => self.open_brace(at),
        }
    }

    fn open_paren(&mut self, at: usize) -> usize {
        let frame = *self.top();
        if frame.place == Place::File
            && frame.state == State::Declared
            && let Some(close) = self.end_of_old_parameters(at)
        {
            return self.old_parameters(at, close);
        }
        let place = match (frame.state, self.last) {
            (_, K::If | K::While | K::Switch) => Place::Control,
            (_, K::For) => Place::For,
            (_, K::Typeof | K::AtomicType) => Place::Paren,
            (State::Declared, _) => Place::Parameters,
            (State::Specifiers { .. } | State::Declarator, _) => {
                if self.begins_parameters(at + 1) {
                    Place::Parameters
                } else {
                    Place::Declarator
                }
            }
            (State::Start, _)
                if matches!(frame.place, Place::Parameters | Place::Members | Place::Declarator) =>
            {
                Place::Declarator
            }
            _ if frame.lambda => Place::Parameters,
            _ => Place::Paren,
        };
        let mut inner = Frame::new(place);
        match place {
            Place::Control => inner.state = State::Expression,
            Place::Parameters => self.scopes.open(),
            Place::Declarator => {
                inner.typedef = frame.typedef;
                inner.state = State::Declarator;
                self.top().state = State::Declared;
            }
            Place::Paren => {
                inner.inside = match self.last {
                    K::AtomicType => Inside::Type,
                    K::Offsetof => Inside::TypeFirst,
                    K::Astype | K::VaArg => Inside::TypeSecond,
                    K::Generic => Inside::Generic,
                    K::Sizeof | K::Alignof => Inside::Operand,
                    _ => Inside::Group,
                };
                if matches!(frame.state, State::Start | State::Expression) {
                    let operand = self.after_operand();
                    self.top().state = State::Expression;
                    if operand {
                        (inner.inside, inner.state) = (Inside::Call, State::Expression);
                    } else if matches!(inner.inside, Inside::TypeSecond | Inside::Generic) {
                        inner.state = State::Expression;
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
        let starts_list = self.last == K::Equal || self.type_in.is_some() && frame.state == State::Expression;
        let place = if frame.lambda {
            Place::Block
        } else if frame.place == Place::Initializer || starts_list {
            Place::Initializer
        } else {
            Place::Block
        };
        let mut inner = Frame::new(place);
        if place == Place::Block {
            if frame.lambda || frame.place == Place::Paren {
                self.top().state = State::Expression;
                self.top().lambda = false;
            } else {
                // The next statement begins after the `}`.
                self.restart();
            }
            self.scopes.open();
            inner.scopes = 1 + std::mem::take(&mut self.language.handed_on);
        } else if frame.state == State::Start {
            self.top().state = State::Expression;
        }
        self.enter(at, inner, K::LeftBrace)
    }

    pub(super) fn close_frame(&mut self, at: usize, inner: Frame) -> usize {
        self.write(at);
        match inner.place {
            Place::Control | Place::For => self.restart(),
            Place::Parameters => {
                if self.top().state != State::Expression {
                    self.top().state = State::Declared;
                }
                if self.kind(self.skip_attributes(at + 1)) == K::LeftBrace {
                    self.language.handed_on += 1;
                } else {
                    self.scopes.close(1);
                }
            }
            Place::Members | Place::Enumerators => self.top().state = State::Specifiers { typed: true },
            Place::Declarator => self.top().state = State::Declared,
            Place::Index => {
                if let State::Specifiers { .. } | State::Declarator = self.top().state {
                    self.top().state = State::Declared;
                }
            }
            Place::Paren => self.type_in = inner.is_type.then_some(inner.inside),
            Place::Block
            | Place::Initializer
            | Place::File
            | Place::TemplateArguments
            | Place::TemplateParameters => {}
        }
        at + 1
    }
}
