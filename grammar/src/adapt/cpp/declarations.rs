//! Reads declarations: specifiers, declarators, classes, the parameters of templates.

use super::Scan;
use super::shape::{is_qualifier, is_reference, is_specifier, is_storage};
use crate::adapt::WordRole;
use crate::adapt::frames::{BracketContext, DeclState, Frame};
use crate::adapt::guess::MACROS_IN_A_ROW;
use crate::adapt::guess::spelling::looks_like_macro;
use crate::adapt::kinds::{begins_statement, is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::symbol::Symbol;
use crate::token::{TokenKind, TokenKind as K};

/// Whether a specifier says where a function runs, or that it is inline.
fn is_of_function(kind: TokenKind) -> bool {
    matches!(kind, K::Host | K::Device | K::Inline)
}

/// Whether a token begins an entity of a file or class, or ends the class, and cannot be part of a declaration.
fn begins_entity(kind: TokenKind) -> bool {
    matches!(kind, K::Namespace | K::Template | K::Using | K::StaticAssert | K::RightBrace)
}

impl Scan<'_> {
    // ---- Where declarations begin ----

    /// Reads the first token of a declaration in a file or class.
    pub(super) fn start_of_entity(&mut self, at: usize) -> Option<usize> {
        let place = self.top().place;
        let next = self.kind(at + 1);
        match self.kind(at) {
            K::Semicolon | K::RightBrace | K::LeftBrace => None,
            K::Inline if next == K::Namespace => Some(at + 1),
            K::Namespace if self.kind(at + 2) == K::Equal => Some(self.namespace_alias(at)),
            K::Namespace => {
                let mut open = at + 1;
                while matches!(
                    self.kind(open),
                    K::Identifier | K::TypeName | K::ColonColon | K::Attribute | K::Inline
                ) {
                    open += 1;
                }
                self.container(at, open)
            }
            K::Extern if next == K::LeftBrace => self.container(at, at + 1),
            K::Using => Some(self.using(at)),
            K::Template if next == K::TemplateOpen => {
                self.write(at);
                self.scopes.open();
                Some(self.enter(at + 1, Frame::new(BracketContext::TemplateParameters), K::TemplateOpen))
            }
            // A concept has no effect on values, so its definition is skipped.
            K::Concept => {
                self.write_as(at, K::StaticAssert);
                self.top().state = DeclState::Expression;
                let mut end = at + 1;
                while end < self.tokens.len() && !matches!(self.kind(end), K::Semicolon | K::RightBrace) {
                    end = self.behind(end);
                }
                Some(end)
            }
            K::StaticAssert => {
                self.top().state = DeclState::Expression;
                Some(self.write(at))
            }
            _ if place == BracketContext::File && self.is_deduction_guide(at) => {
                self.write_as(at, K::StaticAssert);
                self.top().state = DeclState::Expression;
                let mut end = at + 1;
                while end < self.tokens.len() && self.kind(end) != K::Semicolon {
                    end = self.behind(end);
                }
                Some(end)
            }
            K::Catch => Some(self.behind(self.behind(at + 1))),
            K::Friend if place == BracketContext::Members && self.befriends_class(at + 1) => {
                // An empty declaration remains, because the head of a template before it needs a declaration.
                self.write_as(at, K::StaticAssert);
                self.top().state = DeclState::Expression;
                let mut end = at + 1;
                while end < self.tokens.len() && self.kind(end) != K::Semicolon {
                    end = self.behind(end);
                }
                Some(end)
            }
            // A macro such as `CUB_NAMESPACE_BEGIN`.
            K::Identifier
                if looks_like_macro(self.text(at))
                    && self.meaning(at).is_none()
                    && self.ends_in_entity(at) =>
            {
                self.record_unknown(at, WordRole::Ignored);
                self.language.may_be_device = true;
                Some(if next == K::LeftParen { self.behind(at + 1) } else { at + 1 })
            }
            _ => {
                self.begin_declaration(at);
                Some(at)
            }
        }
    }

    /// Whether the tokens from `at` on are macros, and then an entity without specifiers.
    fn ends_in_entity(&self, mut at: usize) -> bool {
        for _ in 0..MACROS_IN_A_ROW {
            if self.kind(at) != K::Identifier || !looks_like_macro(self.text(at)) {
                return false;
            }
            at += 1;
            if self.kind(at) == K::LeftParen {
                at = self.behind(at);
            }
            if begins_entity(self.kind(at)) || at == self.tokens.len() {
                return true;
            }
        }
        false
    }

    /// Whether this is a deduction guide, `Pair(T...) -> Pair<T...>;`. It has no effect on values.
    fn is_deduction_guide(&self, mut at: usize) -> bool {
        for _ in 0..MACROS_IN_A_ROW {
            let kind = self.kind(at);
            if is_word(kind) && self.kind(at + 1) == K::LeftParen && !looks_like_macro(self.text(at)) {
                return self.kind(self.behind(at + 1)) == K::Arrow;
            }
            if !(is_storage(kind) || is_word(kind) && looks_like_macro(self.text(at))) {
                return false;
            }
            at += 1;
        }
        false
    }

    fn befriends_class(&self, at: usize) -> bool {
        match self.kind(at) {
            K::Class | K::Struct | K::Union => {
                self.shape(at + 1).is_none_or(|shape| self.kind(shape.end) == K::Semicolon)
            }
            _ => self.shape(at).is_some_and(|shape| self.kind(shape.end) == K::Semicolon),
        }
    }

    /// Opens `namespace n {` or `extern "C" {`. Its contents are at file scope.
    fn container(&mut self, at: usize, open: usize) -> Option<usize> {
        if self.kind(open) != K::LeftBrace || self.partner(open).is_none() {
            self.begin_declaration(at);
            return Some(at);
        }
        let level = self.top().level + 1;
        self.out.places.push((self.tokens[open].origin, BracketContext::File));
        self.frames.push(Frame { level, ..Frame::new(BracketContext::File) });
        Some(open + 1)
    }

    pub(super) fn begin_declaration(&mut self, at: usize) {
        let begun = self.out.stream.len();
        if matches!(self.top().place, BracketContext::File | BracketContext::Members) {
            for (start, token, end, origin) in std::mem::take(&mut self.language.carried) {
                self.push(start, end, origin, token);
                self.top().device |= matches!(token.kind, K::Device | K::Kernel | K::Constexpr);
            }
        }
        let may_be_device = std::mem::take(&mut self.language.may_be_device);
        let top = self.top();
        top.device |= may_be_device;
        (top.begun, top.first) = (begun, at);
        top.state = DeclState::Specifiers { typed: false };
        top.declaring = matches!(
            top.place,
            BracketContext::File
                | BracketContext::Block
                | BracketContext::Members
                | BracketContext::For
                | BracketContext::Control
        );
    }

    pub(super) fn namespace_alias(&mut self, at: usize) -> usize {
        self.top().state = DeclState::Expression;
        self.write(at);
        self.write_as(at + 1, K::Identifier)
    }

    /// `using namespace n;`, `using T = int;`, `using a::b;`.
    pub(super) fn using(&mut self, at: usize) -> usize {
        self.write(at);
        let name = at + 1;
        // Attributes, and macros that expand to attributes, can follow the name.
        let mut equal = name + 1;
        while matches!(self.kind(equal), K::Attribute | K::Identifier) {
            equal += 1;
            if self.kind(equal) == K::LeftParen {
                equal = self.behind(equal);
            }
        }
        if is_word(self.kind(name)) && self.kind(equal) == K::Equal {
            self.declare_type(name);
            self.write_as(name, K::Identifier);
            self.write(equal);
            let top = self.top();
            (top.state, top.is_type) = (DeclState::Specifiers { typed: false }, true);
            return equal + 1;
        }
        self.top().state = DeclState::Expression;
        if self.kind(name) == K::Namespace { self.write(name) } else { name }
    }

    pub(super) fn declare_type(&mut self, at: usize) {
        let name = self.text(at);
        match self.top().place {
            BracketContext::File => self.scopes.declare_type_of_item(name),
            _ => self.scopes.declare(name, Meaning::Type),
        }
    }

    /// Reads the start of a template parameter.
    pub(super) fn start_of_template_parameter(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::Template if self.kind(at + 1) == K::TemplateOpen => {
                self.write(at);
                self.scopes.open();
                self.enter(at + 1, Frame::new(BracketContext::TemplateParameters), K::TemplateOpen)
            }
            K::Typename | K::Class if self.is_type_parameter(at) => {
                let mut next = self.write_as(at, K::Typename);
                if self.kind(next) == K::Ellipsis {
                    next = self.write(next);
                }
                self.type_parameter(next)
            }
            K::Identifier | K::TypeName | K::ColonColon if self.constrained_parameter(at).is_some() => {
                let name = self.constrained_parameter(at).unwrap_or(at);
                let end = if self.kind(name - 1) == K::Ellipsis { name - 1 } else { name };
                self.write_group(at, end, K::Typename, Symbol::EMPTY);
                if end < name {
                    self.write(end);
                }
                self.type_parameter(name)
            }
            // `REQUIRES(…)`: a macro that makes an unnamed parameter.
            K::Identifier
                if self.kind(at + 1) == K::LeftParen
                    && matches!(self.kind(self.behind(at + 1)), K::Comma | K::TemplateClose) =>
            {
                self.record_unknown(at, WordRole::Ignored);
                self.top().state = DeclState::Declared;
                let end = self.behind(at + 1);
                self.write_group(at, end, K::Typename, Symbol::EMPTY)
            }
            _ => {
                self.top().state = DeclState::Specifiers { typed: false };
                at
            }
        }
    }

    /// Reads the name of a type parameter of a template, and its default argument. Both are optional.
    fn type_parameter(&mut self, mut at: usize) -> usize {
        if is_word(self.kind(at)) {
            let name = self.text(at);
            self.scopes.declare(name, Meaning::Type);
            at = self.write_as(at, K::Identifier);
        }
        if self.kind(at) == K::Equal {
            at = self.write(at);
            self.insert(at, K::TypeFollows);
            let top = self.top();
            (top.state, top.is_type) = (DeclState::Specifiers { typed: false }, true);
        } else {
            self.top().state = DeclState::Declared;
        }
        at
    }

    /// `typename T`, unlike `typename T::type x`.
    fn is_type_parameter(&self, at: usize) -> bool {
        let mut next = at + 1;
        if self.kind(next) == K::Ellipsis {
            next += 1;
        }
        if is_word(self.kind(next)) {
            next += 1;
        }
        matches!(self.kind(next), K::Comma | K::TemplateClose | K::Equal)
    }

    /// For `integer A` in `template <integer A>`, where `integer` is a concept: returns the index of `A`. A value
    /// parameter of an unknown type has the same tokens, but only a type parameter is used as a type in the rest of
    /// the item.
    fn constrained_parameter(&mut self, at: usize) -> Option<usize> {
        let concept = self.shape(at)?;
        let mut name = concept.end;
        if self.kind(name) == K::Ellipsis {
            name += 1;
        }
        let ends = matches!(self.kind(name + 1), K::Comma | K::TemplateClose | K::Equal);
        (ends
            && is_word(self.kind(name))
            && self.known(concept) != Some(Meaning::Type)
            && self.is_used_as_type(self.text(name)))
        .then_some(name)
    }

    // ---- Within declarations ----

    pub(super) fn in_declaration(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let declared = frame.state == DeclState::Declared;
        match self.kind(at) {
            K::Identifier | K::TypeName | K::ColonColon | K::SpecialName => self.word_in_declaration(at),
            K::Amp | K::AmpAmp if declared && frame.function => at + 1,
            kind if is_reference(kind) && !declared => {
                self.top().state = DeclState::Declarator;
                self.write(at)
            }
            K::Caret if !declared => at + 1,
            K::Ellipsis if !declared && !frame.is_type && is_word(self.kind(at + 1)) => {
                self.top().state = DeclState::Declarator;
                self.write_as(at, K::Pack)
            }
            K::Ellipsis => self.write(at),
            K::Equal => self.equal(at),
            K::Arrow if declared && frame.function => self.result(at),
            K::Throw if declared && frame.function && self.kind(at + 1) == K::LeftParen => {
                self.behind(at + 1)
            }
            K::Try if declared => at + 1,
            K::Tilde
                if frame.state == (DeclState::Specifiers { typed: false }) && is_word(self.kind(at + 1)) =>
            {
                let name = Symbol::intern(&format!("~{}", self.text(at + 1)));
                self.top().state = DeclState::Declared;
                self.write_group(at, at + 2, K::SpecialName, name)
            }
            K::Typename => at + 1,
            // `__device__ template <typename T> void f()`: the specifiers before the head are moved after it.
            kind if begins_entity(kind)
                && at != frame.first
                && frame.state == (DeclState::Specifiers { typed: false })
                && matches!(frame.place, BracketContext::File | BracketContext::Members) =>
            {
                let tokens = self.out.stream.drain(frame.begun..);
                let origins = self.out.origin.drain(frame.begun..);
                let carried =
                    tokens.zip(origins).map(|((start, token, end), origin)| (start, token, end, origin));
                self.language.carried.extend(carried);
                self.restart();
                at
            }
            kind if is_specifier(kind) => self.specifier(at, kind),
            kind if begins_statement(kind) && frame.place == BracketContext::Block => {
                // A `;` is missing: the parser reports this.
                self.restart();
                at
            }
            K::Asm => self.write(at),
            _ => {
                let top = self.top();
                (top.state, top.is_type) = (DeclState::Expression, false);
                self.write(at)
            }
        }
    }

    /// Reads the `->` before the result type of a function.
    pub(super) fn result(&mut self, at: usize) -> usize {
        self.write(at);
        self.insert(at + 1, K::TypeFollows);
        let top = self.top();
        (top.state, top.is_type, top.is_result) = (DeclState::Specifiers { typed: false }, true, true);
        at + 1
    }

    fn equal(&mut self, at: usize) -> usize {
        let frame = *self.top();
        if frame.function
            && frame.declaring
            && (frame.is_result || matches!(frame.state, DeclState::Declared | DeclState::Specifiers { .. }))
        {
            match self.kind(at + 1) {
                K::Number => return at + 2,
                K::Default | K::Delete => {
                    self.write(at);
                    return self.write(at + 1);
                }
                _ => {}
            }
        }
        let top = self.top();
        (top.state, top.is_type, top.is_result) = (DeclState::Expression, false, false);
        self.write(at)
    }

    /// Whether the parameters of a function follow, possibly after specifiers that say where it runs.
    fn ends_before_parameters(&self, mut at: usize) -> bool {
        while is_of_function(self.kind(at)) {
            at += 1;
        }
        self.kind(at) == K::LeftParen
    }

    fn specifier(&mut self, at: usize, kind: TokenKind) -> usize {
        let frame = *self.top();
        if frame.state == DeclState::Declared {
            if !frame.function && is_of_function(kind) && self.ends_before_parameters(at) {
                // `operator() __device__(int i)`: the grammar expects this specifier before the name.
                if let Some(&(place, ..)) = self.out.stream.get(frame.begun) {
                    let item = self.tokens[at];
                    self.out.stream.insert(frame.begun, (place, item.token, place));
                    self.out.origin.insert(frame.begun, item.origin);
                }
                self.top().device |= kind == K::Device;
                return at + 1;
            }
            if frame.function || is_qualifier(kind) {
                if frame.place == BracketContext::Block && !is_qualifier(kind) {
                    self.restart();
                    return at;
                }
                return at + 1;
            }
            if frame.place == BracketContext::Block || frame.place == BracketContext::Members {
                self.restart();
                return at;
            }
            return self.write(at);
        }
        if frame.state == DeclState::Declarator && !is_qualifier(kind) {
            // `T * __device__ f()`.
            return if is_storage(kind) { at + 1 } else { self.write(at) };
        }
        let is_type = is_type_word(kind) || matches!(kind, K::Auto | K::Class);
        let top = self.top();
        top.typedef |= kind == K::Typedef;
        top.device |= matches!(kind, K::Device | K::Kernel | K::Constexpr);
        top.void |= kind == K::Void;
        if let DeclState::Specifiers { typed } = top.state {
            top.state = DeclState::Specifiers { typed: typed || is_type };
        }
        match kind {
            K::Struct | K::Class | K::Union | K::Enum => {
                top.state = DeclState::Tag;
                top.tag = kind;
                self.write(at)
            }
            K::Typeof if self.kind(at + 1) == K::LeftParen => {
                let end = self.behind(at + 1);
                match self.shape(end).filter(|_| self.kind(end) == K::ColonColon) {
                    // `decltype(x)::type`: an unknown type.
                    Some(shape) if !shape.arguments => {
                        self.write_group(at, shape.end, K::TypeName, Symbol::intern("decltype"))
                    }
                    _ => self.write(at),
                }
            }
            _ if is_storage(kind) && frame.is_type => at + 1,
            _ => self.write(at),
        }
    }
}
