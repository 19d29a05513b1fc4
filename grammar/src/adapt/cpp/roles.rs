//! Decides the kind of each word of a declaration: the type, the declared name, or an undefined macro.

use super::Scan;
use super::shape::{NameSpan, is_qualifier, is_reference, is_specifier, is_storage};
use crate::adapt::WordRole;
use crate::adapt::frames::{BracketContext, DeclState};
use crate::adapt::guess::spelling::looks_like_macro;
use crate::adapt::kinds::{is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::lexicon::Macro;
use crate::token::{TokenKind, TokenKind as K};

impl Scan<'_> {
    /// Begins to write the name at `at`. Its last word has the kind `kind`.
    pub(super) fn begin_name(&mut self, shape: NameSpan, kind: TokenKind) -> usize {
        self.top().name = Some((shape.last, kind));
        shape.first
    }

    /// Writes one token of the current name.
    pub(super) fn part_of_name(&mut self, at: usize, last: usize, role: TokenKind) -> usize {
        match self.kind(at) {
            K::TemplateOpen => self.open(at),
            _ if at == last => {
                self.top().name = None;
                self.write_as(at, role)
            }
            kind if is_word(kind) || kind == K::SpecialName => self.write_as(at, K::ScopeName),
            _ => self.write(at),
        }
    }

    /// Skips a word, and the parentheses after it up to `end`.
    pub(super) fn ignore(&mut self, at: usize, end: usize) -> usize {
        self.record_unknown(at, WordRole::Ignored);
        // The word may expand to `__device__`.
        self.top().device = true;
        end
    }

    fn take_as_type(&mut self, shape: NameSpan) -> usize {
        if shape.is_plain() && self.known(shape).is_none() {
            self.record_unknown(shape.last, WordRole::Type);
            let name = self.text(shape.last);
            self.scopes.declare_type_of_item(name);
        }
        self.top().state = DeclState::Specifiers { typed: true };
        self.begin_name(shape, K::TypeName)
    }

    fn declarator_name(&mut self, shape: NameSpan, kind: TokenKind) -> usize {
        let frame = *self.top();
        let is_function = self.kind(shape.end) == K::LeftParen
            && matches!(frame.place, BracketContext::File | BracketContext::Members);
        if shape.is_plain() && kind == K::Identifier && frame.place != BracketContext::Members {
            let name = self.text(shape.last);
            if frame.typedef {
                self.scopes.declare(name, Meaning::Type);
            } else if !is_function || self.meaning(shape.last) == Some(Meaning::Type) {
                self.scopes.declare(name, Meaning::Variable);
            }
        }
        let top = self.top();
        (top.state, top.function) = (DeclState::Declared, false);
        self.begin_name(shape, kind)
    }

    pub(super) fn word_in_declaration(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let Some(shape) = self.shape(at) else {
            self.top().state = DeclState::Expression;
            return self.write(at);
        };
        match frame.state {
            DeclState::Declared => self.word_after_declarator(at, shape),
            DeclState::Specifiers { typed: false } => self.word_before_type(at, shape),
            DeclState::Declarator => {
                let is_macro = shape.is_plain() && self.known(shape) != Some(Meaning::Variable);
                if frame.is_type || is_macro && self.begins_word(shape.end) {
                    return self.ignore(at, shape.end);
                }
                self.declarator_name(shape, self.kind_of_declared(shape))
            }
            _ => self.word_after_type(at, shape),
        }
    }

    fn begins_word(&self, at: usize) -> bool {
        is_word(self.kind(at)) || self.kind(at) == K::ColonColon
    }

    /// Whether a name declares a function without a result type: a constructor, a destructor or a conversion.
    fn is_special(&self, shape: NameSpan) -> bool {
        if self.kind(shape.end) != K::LeftParen {
            return false;
        }
        if self.kind(shape.last) == K::SpecialName {
            return true;
        }
        let Some(frame) = self.frames.last() else { return false };
        if shape.is_plain() {
            // Unlike `T (max)()`.
            return frame.place == BracketContext::Members
                && self.text(shape.last) == frame.class
                && self.kind(self.behind(shape.end)) != K::LeftParen;
        }
        if !shape.qualified || shape.last < 2 {
            return false;
        }
        // `Tile<T>::Tile(`.
        let mut class = shape.last - 2;
        if self.kind(class) == K::TemplateClose {
            class = self.partner(class).map_or(0, |open| open.saturating_sub(1));
        }
        self.text(class) == self.text(shape.last)
    }

    fn kind_of_declared(&self, shape: NameSpan) -> TokenKind {
        if self.is_special(shape) { K::SpecialName } else { K::Identifier }
    }

    /// `Tile<float>(int n)` in `struct Tile<float>`: a constructor with the full name of its class.
    fn is_full_constructor(&self, shape: NameSpan) -> bool {
        let frame = self.frames.last();
        shape.arguments
            && !shape.qualified
            && self.kind(shape.end) == K::LeftParen
            && frame
                .is_some_and(|it| it.place == BracketContext::Members && it.class == self.text(shape.last))
    }

    /// Reads the macro in `LIBRARY_KERNEL void f(int n)` or `LIBRARY_KERNEL f(int n)`. Returns the index after it.
    fn kernel_macro(&mut self, at: usize) -> Option<usize> {
        let next = self.skip_attributes(at + 1);
        let is_name = is_word(self.kind(next)) && self.kind(next + 1) == K::LeftParen;
        if !is_name && !is_word(self.kind(next)) && !is_specifier(self.kind(next)) {
            return None;
        }
        self.record_unknown(at, WordRole::Kernel);
        self.top().device = true;
        if !is_name {
            return Some(self.write_as(at, K::Kernel));
        }
        self.insert(at, K::Kernel);
        let top = self.top();
        (top.void, top.state) = (true, DeclState::Specifiers { typed: true });
        Some(self.write_as(at, K::Void))
    }

    /// Reads a name at the start of a declaration, or after specifiers without a type.
    fn word_before_type(&mut self, at: usize, shape: NameSpan) -> usize {
        let frame = *self.top();
        if self.is_full_constructor(shape) {
            self.top().state = DeclState::Declared;
            return self.write_group(at, shape.end, K::SpecialName, self.text(shape.last));
        }
        let next = self.kind(shape.end);
        let in_scope = matches!(frame.place, BracketContext::File | BracketContext::Members);
        if in_scope && !frame.is_type && self.is_special(shape) {
            self.top().state = DeclState::Declared;
            return self.begin_name(shape, K::SpecialName);
        }
        let known = self.known(shape);
        if frame.place == BracketContext::File
            && !frame.is_type
            && shape.is_plain()
            && known.is_none()
            && looks_like_macro(self.text(at))
            && self.implies(at, Macro::Kernel)
            && let Some(end) = self.kernel_macro(at)
        {
            return end;
        }
        if known == Some(Meaning::Type) || frame.is_type && known.is_none() && !shape.is_plain() {
            return self.take_as_type(shape);
        }
        if shape.is_plain() && next == K::LeftParen && !frame.is_type {
            let close = self.behind(shape.end);
            let behind = self.kind(self.skip_attributes(close));
            if is_word(behind)
                || behind == K::ColonColon
                || is_specifier(behind)
                || matches!(behind, K::Template | K::Typename)
            {
                return self.ignore(at, close);
            }
            if in_scope && matches!(behind, K::Dot | K::Arrow) && looks_like_macro(self.text(shape.last)) {
                // `REGISTER(f).name("f");` is host code.
                let mut end = close;
                while end < self.tokens.len() && !matches!(self.kind(end), K::Semicolon | K::RightBrace) {
                    end = self.behind(end);
                }
                return self.ignore(at, end);
            }
            if in_scope && behind == K::LeftBrace && !self.holds_parameters(shape.end) {
                // `TEST(name, 3) {` is also host code.
                let end = self.behind(close);
                self.restart();
                return end;
            }
            let is_macro = looks_like_macro(self.text(shape.last))
                || !self.begins_parameters(shape.end + 1)
                || at.checked_sub(1).is_none_or(|at| self.ends_entity(at));
            if in_scope && behind == K::Semicolon && is_macro {
                return self.ignore(at, close);
            }
            if in_scope {
                // A function without a type: its head may be an undefined macro.
                if looks_like_macro(self.text(shape.last))
                    && !matches!(behind, K::LeftBrace | K::Colon | K::Arrow | K::Semicolon)
                {
                    return self.ignore(at, close);
                }
                self.top().device |= self.implies(shape.last, Macro::Device);
                if self.text(shape.last).as_str().starts_with("operator") || behind != K::Semicolon {
                    return self.declarator_name(shape, K::Identifier);
                }
            }
        }
        if self.is_left_out(shape) {
            return self.ignore(at, shape.end);
        }
        let is_type = frame.is_type
            || match next {
                kind if is_reference(kind) || kind == K::Ellipsis => true,
                K::LeftParen => is_reference(self.kind(shape.end + 1)),
                K::RightParen | K::Comma | K::TemplateClose | K::Equal | K::LeftBracket => {
                    matches!(frame.place, BracketContext::Parameters | BracketContext::TemplateParameters)
                }
                K::SpecialName | K::ColonColon | K::Attribute | K::Pack => true,
                kind => is_word(kind) || is_specifier(kind),
            }
            || !shape.is_plain() && frame.place != BracketContext::File;
        if is_type { self.take_as_type(shape) } else { self.declarator_name(shape, K::Identifier) }
    }

    /// Whether the parentheses at `open` can contain parameters: a number cannot be part of a parameter.
    fn holds_parameters(&self, open: usize) -> bool {
        let close = self.behind(open) - 1;
        !(open + 1..close).any(|at| {
            matches!(self.kind(at), K::Number | K::String | K::LeftBrace) && self.kind(at - 1) != K::Equal
        })
    }

    fn ends_entity(&self, at: usize) -> bool {
        matches!(self.kind(at), K::Semicolon | K::RightBrace | K::LeftBrace)
    }

    /// Whether to skip an unknown word at the start of a declaration: a type follows, so the declaration is complete
    /// without it.
    fn is_left_out(&self, shape: NameSpan) -> bool {
        if !shape.is_plain() || self.known(shape).is_some() {
            return false;
        }
        let mut next = self.skip_attributes(shape.end);
        while is_qualifier(self.kind(next)) || is_storage(self.kind(next)) {
            next = self.skip_attributes(next + 1);
        }
        match self.kind(next) {
            K::Identifier | K::TypeName | K::ColonColon => {
                let Some(second) = self.shape(next) else { return false };
                if self.is_special(second) && self.kind(second.last) != K::SpecialName {
                    return true;
                }
                let behind = self.kind(second.end);
                if second.is_plain() && self.ends_parameter(shape, second) {
                    return false;
                }
                let final_word = self.text(second.end).as_str();
                is_word(behind) && !matches!(final_word, "final" | "override")
                    || is_reference(behind)
                    || behind == K::ColonColon
                    || is_specifier(behind) && looks_like_macro(self.text(shape.last))
                    || behind == K::LeftParen
                        && is_reference(self.kind(second.end + 1))
                        && self.kind(self.behind(second.end)) == K::LeftParen
            }
            K::Typename | K::Auto | K::Template | K::Namespace => true,
            K::Tilde => self.frames.last().is_some_and(|frame| frame.place == BracketContext::Members),
            kind => is_type_word(kind) || kind == K::Class,
        }
    }

    /// `type name MACRO,`: a macro after a type and a name. Type and name are not spelled like macros.
    fn ends_parameter(&self, ty: NameSpan, name: NameSpan) -> bool {
        !self.is_macro_word(ty.last)
            && self.is_macro_word(name.end)
            && !self.is_macro_word(name.last)
            && matches!(
                self.kind(name.end + 1),
                K::Comma | K::RightParen | K::Equal | K::Semicolon | K::LeftBracket
            )
    }

    /// Reads a name after a type: the declared name, unless another name follows.
    fn word_after_type(&mut self, at: usize, shape: NameSpan) -> usize {
        let frame = *self.top();
        if frame.is_type {
            // `override`, or a macro.
            return if frame.is_result { shape.end } else { self.ignore(at, shape.end) };
        }
        let unknown = shape.is_plain() && self.known(shape) != Some(Meaning::Variable);
        if unknown && self.kind(shape.end) == K::LeftParen {
            let close = self.behind(shape.end);
            if self.begins_word(close) && !self.is_last_word(close) || is_type_word(self.kind(close)) {
                return self.ignore(at, close);
            }
            // `void NAME(a, b)(int n) {`: the macro makes the name.
            if frame.place == BracketContext::File
                && self.kind(close) == K::LeftParen
                && self.kind(self.behind(close)) == K::LeftBrace
            {
                self.macro_made_name(at, close);
                return close;
            }
        }
        let follows = self.skip_attributes(shape.end);
        if unknown
            && (self.begins_word(follows) && !self.is_last_word(follows) || is_type_word(self.kind(follows)))
            && self.may_be_left_out(shape, follows)
        {
            return self.ignore(at, shape.end);
        }
        self.declarator_name(shape, self.kind_of_declared(shape))
    }

    /// Words after the head of a function, and macros after a name.
    fn is_last_word(&self, at: usize) -> bool {
        let text = self.text(at).as_str();
        matches!(text, "final" | "override")
            || matches!(
                self.kind(at + 1),
                K::LeftBrace | K::Comma | K::RightParen | K::Equal | K::Semicolon | K::Arrow
            ) && looks_like_macro(self.text(at))
    }

    /// Of two names after a type, the first is a macro, unless a `;` is missing between them. In `T maybe_unused x)`
    /// no `;` is missing.
    fn may_be_left_out(&self, shape: NameSpan, follows: usize) -> bool {
        let in_parameters = self.frames.last().is_some_and(|it| it.place == BracketContext::Parameters);
        let ends = |at: usize| matches!(self.kind(at), K::Comma | K::RightParen | K::Equal | K::LeftBracket);
        in_parameters && ends(follows + 1)
            || looks_like_macro(self.text(shape.last))
            || self.kind(follows + 1) == K::LeftParen
            || self.kind(follows) == K::ColonColon
            || self.kind(follows + 1) == K::ColonColon
            || self.kind(follows + 1) == K::TemplateOpen
    }

    /// Reads `override`, `final`, or a macro such as `NOTHROW`.
    fn word_after_declarator(&mut self, at: usize, shape: NameSpan) -> usize {
        let frame = *self.top();
        let text = self.text(at).as_str();
        if matches!(text, "override" | "final") {
            return at + 1;
        }
        if frame.place == BracketContext::Block && !looks_like_macro(self.text(at)) {
            // A `;` is missing: the parser reports this.
            self.top().state = DeclState::Expression;
            return self.write_as(at, K::Identifier);
        }
        let end = if self.kind(shape.end) == K::LeftParen && looks_like_macro(self.text(shape.last)) {
            self.behind(shape.end)
        } else {
            shape.end
        };
        if looks_like_macro(self.text(at)) || frame.function {
            return self.ignore(at, end);
        }
        self.top().state = DeclState::Expression;
        self.write_as(at, K::Identifier)
    }
}
