//! Opens and closes brackets. Decides the place between them, and the scopes that begin and end with them.

use super::Scan;
use super::shape::{is_qualifier, is_reference};
use crate::adapt::frames::{BracketContext, DeclState, Frame, ParenContents};
use crate::adapt::kinds::{is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::token::TokenKind as K;

impl Scan<'_> {
    pub(super) fn open(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::LeftParen => self.open_paren(at),
            K::LeftBracket => self.open_bracket(at),
            K::LeftBrace => self.open_brace(at),
            K::TemplateOpen => self.open_angle(at),
            kind => {
                self.enter(at, Frame::inside(BracketContext::TemplateArguments, ParenContents::Call), kind)
            }
        }
    }

    fn open_angle(&mut self, at: usize) -> usize {
        if self.is_comparison(at) {
            self.language.comparisons.extend(self.partner(at));
            self.top().state = DeclState::Expression;
            return self.write_as(at, K::Less);
        }
        let inside = if self.last == K::NamedCast { ParenContents::Type } else { ParenContents::Call };
        self.enter(at, Frame::inside(BracketContext::TemplateArguments, inside), K::TemplateOpen)
    }

    fn open_paren(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let in_declarator = matches!(frame.state, DeclState::Specifiers { .. } | DeclState::Declarator);
        let (inner, kind) = match self.last {
            K::If | K::Constexpr | K::While | K::Switch if frame.state == DeclState::Expression => {
                (Frame::new(BracketContext::Control), K::LeftParen)
            }
            K::For if frame.state == DeclState::Expression => (Frame::new(BracketContext::For), K::LeftParen),
            K::Typeof => (Frame::inside(BracketContext::Paren, ParenContents::Operand), K::LeftParen),
            K::Sizeof | K::Alignof => {
                (Frame::inside(BracketContext::Paren, ParenContents::Operand), K::LeftParen)
            }
            K::Offsetof => (Frame::inside(BracketContext::Paren, ParenContents::TypeFirst), K::LeftParen),
            K::VaArg => (Frame::inside(BracketContext::Paren, ParenContents::TypeSecond), K::LeftParen),
            K::New => (Frame::inside(BracketContext::Paren, ParenContents::Call), K::LeftParen),
            _ if frame.state == DeclState::Initializers => {
                (Frame::inside(BracketContext::Paren, ParenContents::Call), K::LeftParen)
            }
            _ if frame.state == DeclState::Declared && !frame.is_result => {
                if self.last != K::RightParen && !frame.function && self.initializes(at) {
                    (Frame::inside(BracketContext::Paren, ParenContents::Call), K::InitParen)
                } else {
                    self.top().function = true;
                    (Frame::new(BracketContext::Parameters), K::LeftParen)
                }
            }
            _ if in_declarator => {
                // `(max)(int)`, `(CALLBACK *f)(int)`.
                let is_parameters = if self.kind(self.behind(at)) == K::LeftParen {
                    false
                } else if frame.is_type {
                    !is_reference(self.kind(at + 1))
                } else {
                    self.begins_parameters(at + 1)
                };
                if is_parameters {
                    (Frame::new(BracketContext::Parameters), K::LeftParen)
                } else {
                    let state = DeclState::Declarator;
                    let Frame { typedef, is_type, .. } = frame;
                    (
                        Frame { state, typedef, is_type, ..Frame::new(BracketContext::Declarator) },
                        K::LeftParen,
                    )
                }
            }
            _ if frame.state == DeclState::Start
                && matches!(
                    frame.place,
                    BracketContext::Parameters | BracketContext::Members | BracketContext::Declarator
                ) =>
            {
                (
                    Frame { state: DeclState::Declarator, ..Frame::new(BracketContext::Declarator) },
                    K::LeftParen,
                )
            }
            _ => {
                let is_call =
                    self.after_operand() || matches!(self.last, K::TypeName) || self.is_type_word_before();
                self.top().state = DeclState::Expression;
                let inside = if is_call { ParenContents::Call } else { ParenContents::Group };
                (Frame::inside(BracketContext::Paren, inside), K::LeftParen)
            }
        };
        if inner.place == BracketContext::Declarator {
            self.top().state = DeclState::Declared;
        }
        if inner.place == BracketContext::Parameters {
            self.scopes.open();
        }
        self.enter(at, inner, kind)
    }

    /// Whether the `(` after a declared name begins an initialiser: `T x(y);`. In a block it does, unless this is
    /// impossible.
    fn initializes(&self, at: usize) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let empty = self.kind(at + 1) == K::RightParen;
        match frame.place {
            BracketContext::Block | BracketContext::For | BracketContext::Control => {
                !empty && !frame.void && !frame.typedef && !self.begins_keyword_parameters(at + 1)
            }
            BracketContext::File if self.kind(self.behind(at)) == K::LeftBrace => false,
            BracketContext::File => !frame.void && !frame.typedef && !self.begins_parameters(at + 1),
            _ => false,
        }
    }

    /// Whether the parentheses begin with `int` or `const T` that constructs no value: `T f(int);`, unlike
    /// `T x(int(y));`.
    fn begins_keyword_parameters(&self, at: usize) -> bool {
        let kind = self.kind(at);
        (is_qualifier(kind) || is_type_word(kind) && kind != K::Typeof)
            && !matches!(self.kind(at + 1), K::LeftParen | K::LeftBrace)
    }

    /// Enters the captures of a lambda.
    pub(super) fn open_captures(&mut self, at: usize) -> usize {
        self.top().state = DeclState::Expression;
        let captures =
            Frame { state: DeclState::Expression, captures: true, ..Frame::new(BracketContext::Index) };
        self.enter(at, captures, K::LambdaBracket)
    }

    fn open_bracket(&mut self, at: usize) -> usize {
        let frame = *self.top();
        match frame.state {
            DeclState::Specifiers { typed: true } | DeclState::Declarator
                if !frame.is_type && self.is_binding(at) =>
            {
                self.top().state = DeclState::Declared;
                let end = self.behind(at);
                self.write_as(at, K::BindingBracket);
                for inside in at + 1..end - 1 {
                    if self.kind(inside) == K::Attribute {
                        continue;
                    }
                    if is_word(self.kind(inside)) {
                        let name = self.text(inside);
                        self.scopes.declare(name, Meaning::Variable);
                        self.write_as(inside, K::Identifier);
                    } else {
                        self.write(inside);
                    }
                }
                self.write(end - 1)
            }
            DeclState::Specifiers { .. } | DeclState::Declarator | DeclState::Declared => {
                if !frame.is_type {
                    self.top().state = DeclState::Declared;
                }
                self.enter(
                    at,
                    Frame { state: DeclState::Start, ..Frame::new(BracketContext::Index) },
                    K::LeftBracket,
                )
            }
            _ if self.after_operand() => {
                self.top().state = DeclState::Expression;
                self.enter(at, Frame::new(BracketContext::Index), K::LeftBracket)
            }
            _ => self.open_captures(at),
        }
    }

    /// Whether the bracket at `at` is `[a, b]` after `auto`.
    fn is_binding(&self, at: usize) -> bool {
        let mut before = at;
        while before > 0 && (is_reference(self.kind(before - 1)) || is_qualifier(self.kind(before - 1))) {
            before -= 1;
        }
        before > 0 && self.kind(before - 1) == K::Auto
    }

    fn open_brace(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let list = Frame::new(BracketContext::Initializer);
        if frame.lambda {
            return self.open_block(at);
        }
        match frame.state {
            DeclState::Tag | DeclState::Bases => self.open_members(at),
            DeclState::Initializers
                if !matches!(self.last, K::Identifier | K::TypeName | K::TemplateClose) =>
            {
                self.open_block(at)
            }
            DeclState::Initializers => self.enter(at, list, K::InitBrace),
            DeclState::Declared | DeclState::Specifiers { .. }
                if matches!(frame.place, BracketContext::File | BracketContext::Members)
                    && (frame.function || frame.is_result) =>
            {
                if frame.device {
                    self.open_block(at)
                } else {
                    self.skip_body(at)
                }
            }
            DeclState::Declared if frame.function && frame.place == BracketContext::Block && frame.void => {
                self.open_block(at)
            }
            DeclState::Declared => self.enter(at, list, K::InitBrace),
            DeclState::Specifiers { typed: true } if frame.is_type => self.enter(at, list, K::InitBrace),
            DeclState::Specifiers { .. } | DeclState::Declarator => self.open_block(at),
            DeclState::Start
                if matches!(
                    frame.place,
                    BracketContext::Block | BracketContext::File | BracketContext::Members
                ) =>
            {
                self.open_block(at)
            }
            DeclState::Start | DeclState::Expression
                if frame.place == BracketContext::Paren
                    && frame.inside == ParenContents::Group
                    && self.last == K::LeftParen =>
            {
                self.top().state = DeclState::Expression;
                self.open_block(at)
            }
            DeclState::Start | DeclState::Expression => {
                self.top().state = DeclState::Expression;
                self.enter(at, list, K::InitBrace)
            }
        }
    }

    fn open_block(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let mut scopes = 1;
        if frame.lambda {
            let top = self.top();
            scopes += std::mem::take(&mut top.lambda_scopes);
            (top.lambda, top.is_type, top.is_result) = (false, false, false);
            top.state = DeclState::Expression;
        } else if frame.place != BracketContext::Paren {
            scopes += std::mem::take(&mut self.top().heads);
            // The next statement begins after the `}`.
            self.restart();
        }
        self.scopes.open();
        self.enter(at, Frame { scopes, ..Frame::new(BracketContext::Block) }, K::LeftBrace)
    }

    pub(super) fn close_frame(&mut self, at: usize, inner: Frame) -> usize {
        if inner.place == BracketContext::File {
            // The braces of a namespace or of `extern "C"` are not written.
            self.restart();
            return at + 1;
        }
        self.write(at);
        match inner.place {
            BracketContext::Control | BracketContext::For => self.restart(),
            BracketContext::Parameters => self.close_parameters(),
            BracketContext::Members | BracketContext::Enumerators => {
                self.top().state = DeclState::Specifiers { typed: true }
            }
            BracketContext::Declarator if !self.top().is_type => self.top().state = DeclState::Declared,
            BracketContext::TemplateParameters => {
                let top = self.top();
                if top.lambda {
                    top.lambda_scopes += 1;
                } else if top.place == BracketContext::TemplateParameters {
                    self.scopes.close(1);
                } else {
                    top.heads += 1;
                }
            }
            BracketContext::Index if inner.captures => {
                self.top().lambda = true;
            }
            BracketContext::Paren => self.type_in = inner.is_type.then_some(inner.inside),
            _ => {}
        }
        at + 1
    }

    fn close_parameters(&mut self) {
        let top = self.top();
        if top.lambda {
            top.lambda_scopes += 1;
            return;
        }
        if !top.is_type {
            top.state = DeclState::Declared;
        }
        if matches!(top.place, BracketContext::File | BracketContext::Members) && top.function {
            top.heads += 1;
        } else {
            self.scopes.close(1);
        }
    }
}
