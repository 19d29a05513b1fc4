//! Opens and closes brackets: what place is between them, and which scopes begin and end with them.

use super::{Frame, Place, Scan, State, TypeArgument};
use crate::token::TokenKind as K;

impl Scan<'_> {
    pub(super) fn open(&mut self, at: usize) -> usize {
        if self.partner(at).is_none() {
            return self.write(at);
        }
        match self.kind(at) {
            K::LeftParen => self.open_paren(at),
            K::LeftBracket => {
                if let State::Start | State::Expression = self.top().state {
                    self.top().state = State::Expression;
                }
                self.enter(at, Frame { state: State::Expression, ..Frame::new(Place::Index) })
            }
            _ => self.open_brace(at),
        }
    }

    pub(super) fn enter(&mut self, at: usize, frame: Frame) -> usize {
        self.out.places.push((at as u32, frame.place));
        self.frames.push(frame);
        self.write(at)
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
            _ if frame.block_literal => Place::Parameters,
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
                inner.must_be_type = matches!(self.last, K::AtomicType | K::Offsetof);
                inner.type_argument = match self.last {
                    K::Astype | K::VaArg => TypeArgument::AfterComma,
                    K::Generic => TypeArgument::Generic,
                    _ => TypeArgument::Never,
                };
                inner.ends_operand = inner.type_argument != TypeArgument::Never
                    || matches!(self.last, K::Sizeof | K::Alignof | K::Offsetof);
                if matches!(frame.state, State::Start | State::Expression) {
                    let operand = self.after_operand();
                    self.top().state = State::Expression;
                    if operand || inner.type_argument != TypeArgument::Never {
                        inner.state = State::Expression;
                        inner.call = operand;
                    } else if self.last != K::Sizeof && self.is_vector_literal(at) {
                        self.enter(at, inner);
                        let written = self.out.stream.last_mut().expect("just written");
                        written.1.kind = K::VectorParen;
                        return at + 1;
                    }
                }
            }
            _ => {}
        }
        self.enter(at, inner)
    }

    fn open_brace(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let starts_list =
            matches!(self.last, K::Equal) || self.after_type && frame.state == State::Expression;
        let place = if frame.block_literal {
            Place::Block
        } else if frame.place == Place::Initializer || starts_list {
            Place::Initializer
        } else {
            Place::Block
        };
        let mut inner = Frame::new(place);
        if place == Place::Block {
            if frame.block_literal || frame.place == Place::Paren {
                self.top().state = State::Expression;
                self.top().block_literal = false;
            } else {
                // Behind `}` the next statement begins.
                self.top().restart();
            }
            self.scopes.open();
            inner.scopes = 1 + std::mem::take(&mut self.handed_on);
        } else if frame.state == State::Start {
            self.top().state = State::Expression;
        }
        self.enter(at, inner)
    }

    pub(super) fn close(&mut self, at: usize) -> usize {
        if self.partner(at).is_none() || self.frames.len() == 1 {
            return self.write(at);
        }
        let inner = self.frames.pop().unwrap_or_else(|| Frame::new(Place::File));
        if inner.place == Place::Block {
            self.drop_pragmas();
        }
        self.scopes.close(inner.scopes);
        self.write(at);
        match inner.place {
            Place::Control | Place::For => self.top().restart(),
            Place::Parameters => {
                if self.top().state != State::Expression {
                    self.top().state = State::Declared;
                }
                if self.kind(self.skip_attributes(at + 1)) == K::LeftBrace {
                    self.handed_on += 1;
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
            Place::Paren => {
                self.after_type = inner.is_type;
                self.after_type_operand = inner.is_type && inner.ends_operand;
            }
            Place::Block
            | Place::Initializer
            | Place::File
            | Place::TemplateArguments
            | Place::TemplateParameters => {}
        }
        at + 1
    }

    /// Takes back the pragmas written last: at the end of a block there is no statement that they could be about.
    fn drop_pragmas(&mut self) {
        while self.out.stream.last().is_some_and(|(_, token, _)| token.kind == K::Pragma) {
            self.out.stream.pop();
            self.out.origin.pop();
        }
    }
}
