//! Decides the kind of each word: a declared name, a type, a specifier, a member, or an undefined macro.

use super::Scan;
use super::guess::Role;
use crate::adapt::WordRole;
use crate::adapt::frames::{BracketContext, DeclState, Frame, ParenContents};
use crate::adapt::guess::spelling::looks_like_macro;
use crate::adapt::kinds::{is_name, is_specifier, is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::ast::Attribute;
use crate::token::TokenKind as K;

impl Scan<'_> {
    /// Reads a word that can only be a name: the declared name, or a name in an expression.
    pub(super) fn declared_or_used(&mut self, at: usize) -> usize {
        let is_member = matches!(self.last, K::Dot | K::Arrow);
        match self.top().state {
            DeclState::Specifiers { .. } | DeclState::Declarator if !is_member => self.declarator_name(at),
            _ => {
                self.top().state = DeclState::Expression;
                self.write_as(at, K::Identifier)
            }
        }
    }

    fn declarator_name(&mut self, at: usize) -> usize {
        let meaning = if self.top().typedef { Meaning::Type } else { Meaning::Variable };
        if self.top().place != BracketContext::Members {
            self.scopes.declare(self.text(at), meaning);
        }
        self.top().state = DeclState::Declared;
        self.write_as(at, K::Identifier)
    }

    /// Writes the name of a function that a macro makes.
    fn name_of_macro(&mut self, at: usize, end: usize) -> usize {
        let text = self.macro_made_name(at, end);
        self.scopes.declare(text, Meaning::Variable);
        end
    }

    pub(super) fn word(&mut self, at: usize) -> usize {
        if matches!(self.last, K::Dot | K::Arrow) {
            self.top().state = DeclState::Expression;
            return self.write_as(at, K::Identifier);
        }
        let frame = *self.top();
        match frame.state {
            DeclState::Start => self.first_word(at),
            DeclState::Specifiers { typed: false } => self.word_before_type(at),
            DeclState::Specifiers { typed: true } => {
                if frame.place == BracketContext::File
                    && let Some(end) = self.end_of_made_name(at)
                {
                    return self.name_of_macro(at, end);
                }
                if self.meaning(at).is_none() {
                    if is_word(self.kind(at + 1)) && looks_like_macro(self.text(at)) {
                        return self.ignore(at);
                    }
                    if let Some(end) = self.end_of_macro(at).filter(|end| is_word(self.kind(*end))) {
                        self.record_unknown(at, WordRole::Ignored);
                        return end;
                    }
                }
                self.declarator_name(at)
            }
            DeclState::Declarator => {
                let is_left_out = is_word(self.kind(at + 1)) && self.meaning(at).is_none();
                if is_left_out && !self.is_last_name(at) {
                    return self.ignore(at);
                }
                self.declarator_name(at)
            }
            DeclState::Declared => {
                // An unknown word after a declarator, such as `NOTHROW` in `void f() NOTHROW {`.
                if self.meaning(at).is_none() && looks_like_macro(self.text(at)) {
                    return self.ignore(at);
                }
                self.used_word(at)
            }
            _ => {
                let missing_semicolon = frame.place == BracketContext::Block
                    && !frame.lambda
                    && self.after_operand()
                    && self.is_type(at)
                    && is_name(self.kind(at + 1));
                if missing_semicolon {
                    self.restart();
                    return at;
                }
                if frame.inside == ParenContents::Call && self.after_operand() && self.adds_arguments(at) {
                    self.record_unknown(at, WordRole::Arguments);
                    self.insert(at, K::Comma);
                    return self.write_as(at, K::Arguments);
                }
                self.used_word(at)
            }
        }
    }

    fn used_word(&mut self, at: usize) -> usize {
        let kind = if self.is_type(at) { K::TypeName } else { K::Identifier };
        self.write_as(at, kind)
    }

    /// Skips a word. Among the specifiers of a parameter it becomes an attribute with its own name, because it may
    /// name an address space.
    fn ignore(&mut self, at: usize) -> usize {
        self.record_unknown(at, WordRole::Ignored);
        let frame = *self.top();
        if frame.place == BracketContext::Parameters && matches!(frame.state, DeclState::Specifiers { .. }) {
            let attribute = Attribute { name: self.tokens[at].name(), arguments: Box::default() };
            self.out.payloads.attributes.push((self.tokens[at].start, vec![attribute]));
            return self.write_attribute(at, at + 1);
        }
        at + 1
    }

    fn take_as_type(&mut self, at: usize) -> usize {
        if self.meaning(at).is_none() {
            self.record_unknown(at, WordRole::Type);
            self.scopes.declare_type_of_item(self.text(at));
        }
        self.begin_specifiers(true);
        self.write_as(at, K::TypeName)
    }

    fn begin_specifiers(&mut self, typed: bool) {
        let top = self.top();
        top.declaring = matches!(
            top.place,
            BracketContext::File | BracketContext::Block | BracketContext::Members | BracketContext::For
        );
        top.is_type = top.place == BracketContext::Paren;
        let before = matches!(top.state, DeclState::Specifiers { typed: true });
        top.state = DeclState::Specifiers { typed: typed || before };
    }

    /// Reads a name at the start of a statement, declaration, argument, ….
    fn first_word(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let meaning = self.meaning(at);
        let next = self.kind(at + 1);
        match frame.place {
            BracketContext::Enumerators => {
                self.scopes.declare(self.text(at), Meaning::Variable);
                self.top().state = DeclState::Declared;
                self.write_as(at, K::Identifier)
            }
            BracketContext::Initializer => {
                self.top().state = DeclState::Expression;
                if next == K::Colon { self.write_as(at, K::Identifier) } else { self.used_word(at) }
            }
            BracketContext::Block if next == K::Colon => self.label(at, K::Identifier),
            _ if meaning == Some(Meaning::Type) => self.take_as_type(at),
            BracketContext::Block if meaning.is_none() && self.is_head_of_loop(at) => self.head_of_loop(at),
            BracketContext::Block | BracketContext::For => {
                if frame.place == BracketContext::Block
                    && meaning.is_none()
                    && let Some(end) = self.end_of_statement_macro(at)
                {
                    return self.statement_macro(at, end);
                }
                if meaning.is_none() && self.begins_declaration(at) {
                    return self.unknown_specifier(at);
                }
                self.top().state = DeclState::Expression;
                self.write_as(at, K::Identifier)
            }
            BracketContext::Paren => {
                let must_be_type = matches!(
                    frame.inside,
                    ParenContents::Type
                        | ParenContents::TypeFirst
                        | ParenContents::TypeSecond
                        | ParenContents::Generic
                );
                if meaning.is_none() && (must_be_type || self.is_unknown_cast(at)) {
                    return self.unknown_specifier(at);
                }
                self.top().state = DeclState::Expression;
                self.write_as(at, K::Identifier)
            }
            BracketContext::File if at + 1 == self.tokens.len() => self.ignore(at),
            BracketContext::File if let Some(end) = self.end_of_made_name(at) => {
                self.begin_specifiers(true);
                self.name_of_macro(at, end)
            }
            BracketContext::File if next == K::LeftParen => match self.end_of_macro(at) {
                // A function without specifiers: its head may be an undefined macro.
                Some(end) if self.kind(end) == K::LeftBrace => {
                    self.begin_specifiers(true);
                    self.declarator_name(at)
                }
                Some(end) => {
                    self.record_unknown(at, WordRole::Ignored);
                    end
                }
                None => self.write(at),
            },
            _ => self.unknown_specifier(at),
        }
    }

    /// Reads a name after specifiers without a type: `const NAME x`, but `static NAME;`.
    fn word_before_type(&mut self, at: usize) -> usize {
        let frame = *self.top();
        if self.meaning(at) == Some(Meaning::Type) {
            return self.take_as_type(at);
        }
        let next = self.skip_attributes(at + 1);
        let is_type = match self.kind(next) {
            K::Star | K::Caret => true,
            K::LeftParen => matches!(self.kind(next + 1), K::Star | K::Caret),
            K::RightParen | K::Comma => frame.place == BracketContext::Parameters || frame.is_type,
            next => is_name(next) || is_specifier(next),
        };
        if is_type { self.unknown_specifier(at) } else { self.declarator_name(at) }
    }

    fn unknown_specifier(&mut self, at: usize) -> usize {
        match self.role(at) {
            Role::Type => self.take_as_type(at),
            Role::Ignorable => {
                self.begin_specifiers(false);
                self.ignore(at)
            }
        }
    }

    pub(super) fn specifier(&mut self, at: usize) -> usize {
        let kind = self.kind(at);
        let frame = *self.top();
        match frame.state {
            DeclState::Expression if frame.place == BracketContext::Block && !frame.lambda => {
                // A `;` is missing: the parser reports this.
                self.restart();
                return at;
            }
            DeclState::Start | DeclState::Specifiers { .. } => self.begin_specifiers(is_type_word(kind)),
            _ => {}
        }
        if kind == K::Typedef {
            self.top().typedef = true;
        }
        match kind {
            K::Struct | K::Union | K::Enum => self.tag(at),
            K::Atomic if self.kind(at + 1) == K::LeftParen => {
                self.begin_specifiers(true);
                self.write_as(at, K::AtomicType)
            }
            _ => self.write(at),
        }
    }

    /// Reads `struct`, its attributes, its tag, and the `{` of its members.
    fn tag(&mut self, at: usize) -> usize {
        let place =
            if self.kind(at) == K::Enum { BracketContext::Enumerators } else { BracketContext::Members };
        let mut next = self.write(at);
        while let Some(end) = self.attribute(next) {
            next = end;
        }
        if is_name(self.kind(next)) {
            next = self.write_as(next, K::Identifier);
        }
        if self.kind(next) == K::LeftBrace && self.partner(next).is_some() {
            if place == BracketContext::Members {
                self.out.payloads.packings.push((self.tokens[next].start, self.packing));
            }
            next = self.enter(next, Frame::new(place), K::LeftBrace);
        }
        next
    }
}
