//! Reads statements and expressions.

use super::Scan;
use super::shape::{DeclPosition, NameSpan, is_qualifier, is_reference, is_storage};
use crate::adapt::WordRole;
use crate::adapt::frames::{BracketContext, DeclState, Frame, ParenContents};
use crate::adapt::guess::spelling::{looks_like_macro, makes_loop};
use crate::adapt::kinds::{begins_statement, is_closing, is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::symbol::Symbol;
use crate::token::TokenKind as K;

impl Scan<'_> {
    /// Whether the left operand of an operator here has already been read.
    pub(super) fn after_operand(&self) -> bool {
        let state = self.frames.last().map_or(DeclState::Start, |top| top.state);
        match self.last {
            K::Identifier
            | K::Number
            | K::Character
            | K::String
            | K::RightBracket
            | K::BrokenExpression
            | K::OpaqueExpression
            | K::This
            | K::TemplateClose
            | K::LaunchClose
            | K::PlusPlus
            | K::MinusMinus => state != DeclState::Start,
            K::RightParen => self.type_in != Some(ParenContents::Group) && state != DeclState::Start,
            K::RightBrace => state == DeclState::Expression,
            _ => false,
        }
    }

    pub(super) fn is_type_word_before(&self) -> bool {
        is_type_word(self.last) || self.last == K::Auto
    }

    /// Decides what begins at `at`: a declaration, a type, or an expression. `None` if the token alone determines
    /// this.
    pub(super) fn start(&mut self, at: usize) -> Option<usize> {
        let frame = *self.top();
        let kind = self.kind(at);
        if is_closing(kind) {
            return None;
        }
        match frame.place {
            BracketContext::File | BracketContext::Members => self.start_of_entity(at),
            BracketContext::Block => self.start_of_statement(at),
            BracketContext::For | BracketContext::Control => {
                if matches!(kind, K::Semicolon | K::Using) {
                    return (kind == K::Using).then(|| self.using(at));
                }
                let start = if frame.place == BracketContext::For {
                    DeclPosition::For
                } else {
                    DeclPosition::Condition
                };
                let has_parts = frame.place == BracketContext::Control && self.has_parts(at);
                if self.declares(at, if has_parts { DeclPosition::For } else { start }) {
                    self.insert(at, K::Declares);
                    self.begin_declaration(at);
                } else {
                    self.top().state = DeclState::Expression;
                }
                Some(at)
            }
            BracketContext::Parameters => {
                if !matches!(kind, K::Ellipsis | K::LeftParen) {
                    self.begin_declaration(at);
                    return Some(at);
                }
                None
            }
            BracketContext::TemplateParameters => Some(self.start_of_template_parameter(at)),
            BracketContext::TemplateArguments | BracketContext::Paren => {
                let is_type = match frame.inside {
                    ParenContents::Type | ParenContents::TypeFirst => true,
                    ParenContents::Operand => self.is_type_argument(at, true),
                    ParenContents::Call if frame.place == BracketContext::TemplateArguments => {
                        self.is_type_argument(at, true)
                    }
                    ParenContents::Group if frame.place == BracketContext::TemplateArguments => false,
                    ParenContents::Call => self.is_bare_type(at),
                    ParenContents::Group => self.is_cast(at),
                    ParenContents::TypeSecond | ParenContents::Generic => false,
                };
                let top = self.top();
                if is_type {
                    (top.state, top.is_type) = (DeclState::Specifiers { typed: false }, true);
                    self.insert(at, K::TypeFollows);
                } else {
                    if kind == K::LeftBrace && frame.inside == ParenContents::Group {
                        return None;
                    }
                    top.state = DeclState::Expression;
                }
                Some(at)
            }
            BracketContext::Enumerators if is_word(kind) => {
                let name = self.text(at);
                self.scopes.declare(name, Meaning::Variable);
                self.top().state = DeclState::Declared;
                Some(self.write_as(at, K::Identifier))
            }
            _ => {
                self.top().state = DeclState::Expression;
                Some(at)
            }
        }
    }

    /// Whether a `;` follows within the parentheses around `at`: `if (init; condition)`.
    fn has_parts(&self, at: usize) -> bool {
        let mut next = at;
        while next < self.tokens.len() {
            match self.kind(next) {
                K::Semicolon => return true,
                K::RightParen => return false,
                _ => next = self.behind(next),
            }
        }
        false
    }

    /// Whether a type is an argument of a call: `LOAD(float, x)`. The callee must be a macro.
    fn is_bare_type(&self, at: usize) -> bool {
        let kind = self.kind(at);
        let plain = is_type_word(kind)
            || is_qualifier(kind)
            || matches!(kind, K::Class | K::Typename | K::Auto)
            || self
                .shape(at)
                .is_some_and(|shape| !shape.qualified && self.known(shape) == Some(Meaning::Type));
        plain && self.is_type_argument(at, false)
    }

    fn start_of_statement(&mut self, at: usize) -> Option<usize> {
        let kind = self.kind(at);
        match kind {
            K::LeftBrace | K::Semicolon | K::Else => return None,
            _ if begins_statement(kind) => return None,
            // The `}` or `)` before it ends another statement, or the head of this one.
            K::LeftBracket => return Some(self.open_captures(at)),
            K::Using => return Some(self.using(at)),
            K::Namespace if self.kind(at + 2) == K::Equal => return Some(self.namespace_alias(at)),
            K::StaticAssert => {
                self.top().state = DeclState::Expression;
                return Some(self.write(at));
            }
            K::Try => return Some(self.opaque_try(at)),
            K::Catch => return Some(self.behind(self.behind(at + 1))),
            K::Coroutine if self.text(at).as_str() != "co_await" => {
                let mut end = at;
                while end < self.tokens.len() && !matches!(self.kind(end), K::Semicolon | K::RightBrace) {
                    end = self.behind(end);
                }
                end = (end + usize::from(self.kind(end) == K::Semicolon)).min(self.tokens.len());
                return Some(self.write_group(at, end, K::Opaque, Symbol::intern("coroutine")));
            }
            K::Asm => {
                self.top().state = DeclState::Expression;
                return Some(self.write(at));
            }
            _ if is_word(kind) && self.kind(at + 1) == K::Colon => {
                return Some(self.label(at, K::Identifier));
            }
            _ => {}
        }
        if kind == K::Identifier && self.meaning(at).is_none() {
            if self.is_head_of_loop(at) && !self.is_macro_of_parens(at) {
                return Some(self.head_of_loop(at));
            }
            if let Some(end) = self.end_of_loop_macro(at) {
                self.record_unknown(at, WordRole::Loop);
                self.insert(at, K::While);
                self.insert(at, K::LeftParen);
                self.write_group(at, end, K::Identifier, self.text(at));
                self.insert(end, K::RightParen);
                self.restart();
                return Some(end);
            }
            if let Some(end) = self.end_of_macro_of_statements(at) {
                self.record_unknown(at, WordRole::Statement);
                self.restart();
                return Some(self.write_group(at, end, K::Opaque, Symbol::intern("macro")));
            }
            if let Some(end) = self.end_of_statement_macro(at) {
                return Some(self.statement_macro(at, end));
            }
        }
        if self.declares(at, DeclPosition::Statement) {
            self.insert(at, K::Declares);
            self.begin_declaration(at);
        } else {
            self.top().state = DeclState::Expression;
        }
        Some(at)
    }

    /// Skips a `try` block and its handlers: device code has no exceptions, so no analysis needs the contents.
    fn opaque_try(&mut self, at: usize) -> usize {
        let mut end = self.behind(at + 1);
        while self.kind(end) == K::Catch && self.kind(end + 1) == K::LeftParen {
            end = self.behind(self.behind(end + 1));
        }
        let end = end.min(self.tokens.len());
        self.write_group(at, end, K::Opaque, Symbol::intern("try"))
    }

    // ---- Macros that are statements ----

    /// Returns the index after an unknown macro that is named like a loop and has a block: `KERNEL_LOOP(i, n) {`.
    fn end_of_loop_macro(&self, at: usize) -> Option<usize> {
        if !makes_loop(self.text(at)) || self.kind(at + 1) != K::LeftParen {
            return None;
        }
        let end = self.behind(at + 1);
        (self.kind(end) == K::LeftBrace).then_some(end)
    }

    /// Whether a `;` follows the parentheses. Then they are not the head of a loop.
    fn is_macro_of_parens(&self, at: usize) -> bool {
        self.kind(self.behind(at + 1)) == K::Semicolon
    }

    /// Whether the tokens at `at` show that the macro before them is a statement. `call`: the macro has arguments, so
    /// it is not a specifier of the next tokens. `next`: the macro is directly before `at`.
    pub(super) fn follows_statement_macro(&self, at: usize, call: bool, next: bool) -> bool {
        let kind = self.kind(at);
        call && next && self.declares(at, DeclPosition::Statement)
            || call && (is_type_word(kind) || is_qualifier(kind) || is_storage(kind) || kind == K::Auto)
            || matches!(kind, K::Asm | K::Pragma | K::Using)
            // Two calls in a row.
            || call && self.end_of_macro_name(at).is_some_and(|end| end > at + 1)
            || self.is_simple_statement(at)
    }

    /// Returns the index after an unknown macro with statements as arguments: `IF_TARGET(SM_90, (f(); return;))`.
    fn end_of_macro_of_statements(&self, at: usize) -> Option<usize> {
        if self.kind(at + 1) != K::LeftParen || !looks_like_macro(self.text(at)) {
            return None;
        }
        let close = self.partner(at + 1)?;
        let mut braces = 0u32;
        for inside in at + 2..close {
            match self.kind(inside) {
                // The statements of a lambda do not count.
                K::LeftBrace => braces += 1,
                K::RightBrace => braces = braces.saturating_sub(1),
                K::Semicolon | K::Asm if braces == 0 => {
                    return Some(close + 1 + usize::from(self.kind(close + 1) == K::Semicolon));
                }
                kind if braces == 0 && begins_statement(kind) => {
                    return Some(close + 1 + usize::from(self.kind(close + 1) == K::Semicolon));
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a statement `name(…);` whose parentheses contain no parameters, or `name = …`, begins at `at`.
    fn is_simple_statement(&self, at: usize) -> bool {
        let Some(shape) = self.shape(at) else { return false };
        match self.kind(shape.end) {
            K::LeftParen => {
                let inside = shape.end + 1;
                (self.kind(inside) == K::RightParen || !self.begins_parameters(inside))
                    && self.kind(self.behind(shape.end)) == K::Semicolon
            }
            K::Equal | K::PlusEqual | K::MinusEqual => {
                shape.is_plain() && self.known(shape) == Some(Meaning::Variable)
            }
            _ => false,
        }
    }

    // ---- Within statements ----

    pub(super) fn in_expression(&mut self, at: usize) -> usize {
        let frame = *self.top();
        match self.kind(at) {
            K::Identifier | K::TypeName | K::ColonColon | K::SpecialName => self.word(at, false),
            K::Typename => match self.shape(at + 1) {
                Some(_) => self.word(at + 1, true),
                None => at + 1,
            },
            kind if begins_statement(kind) => self.statement(at),
            K::Ellipsis => self.dots(at),
            K::New => self.new_expression(at),
            kind if is_type_word(kind) || is_qualifier(kind) || is_storage(kind) || kind == K::Auto => {
                let made = matches!(self.kind(at + 1), K::LeftParen | K::LeftBrace);
                if frame.place == BracketContext::Block && !made && !frame.lambda {
                    // A `;` is missing: the parser reports this.
                    self.restart();
                    return at;
                }
                self.top().state = DeclState::Expression;
                self.write(at)
            }
            _ => {
                self.top().state = DeclState::Expression;
                self.write(at)
            }
        }
    }

    fn word(&mut self, at: usize, must_be_type: bool) -> usize {
        let frame = *self.top();
        let is_member = matches!(self.last, K::Dot | K::Arrow);
        self.top().state = DeclState::Expression;
        let Some(shape) = self.shape(at) else { return self.write(at) };
        if is_member {
            return self.begin_name(shape, K::Identifier);
        }
        let next = self.kind(shape.end);
        let missing_semicolon = frame.place == BracketContext::Block
            && frame.state == DeclState::Expression
            && self.after_operand()
            && self.known(shape) == Some(Meaning::Type)
            && is_word(next);
        if missing_semicolon {
            self.restart();
            return at;
        }
        let known = self.known(shape);
        let makes = matches!(next, K::LeftParen | K::LeftBrace)
            && (must_be_type || known == Some(Meaning::Type))
            || next == K::LeftBrace
                && known != Some(Meaning::Variable)
                && self.kind(shape.last) != K::SpecialName;
        self.begin_name(shape, if makes { K::TypeName } else { K::Identifier })
    }

    fn dots(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let is_operator = |kind| kind >= K::Plus && kind <= K::GreaterGreaterEqual || kind == K::Comma;
        let folds = frame.place == BracketContext::Paren
            && frame.inside == ParenContents::Group
            && !frame.case
            && (self.last == K::LeftParen || is_operator(self.last) && !self.ends_argument(at + 1));
        let folds =
            folds || frame.place == BracketContext::Paren && is_operator(self.last) && self.last != K::Comma;
        if folds {
            self.top().state = DeclState::Expression;
            return self.write_as(at, K::FoldDots);
        }
        self.write(at)
    }

    fn ends_argument(&self, at: usize) -> bool {
        self.last == K::Comma && matches!(self.kind(at), K::Comma)
    }

    /// Reads `new (place) T[n](a)`: marks the start and the end of the type.
    fn new_expression(&mut self, at: usize) -> usize {
        self.top().state = DeclState::Expression;
        self.write(at);
        let mut from = at + 1;
        if self.kind(from) == K::LeftParen {
            let behind = self.behind(from);
            let ends = matches!(self.kind(behind), K::Semicolon | K::Comma | K::RightParen);
            if !ends {
                from = behind;
            }
        }
        if let Some(to) = self.end_of_new_type(from) {
            self.top().new = Some((from, to));
        }
        at + 1
    }

    fn end_of_new_type(&self, mut at: usize) -> Option<usize> {
        let mut typed = false;
        loop {
            match self.kind(at) {
                kind if is_qualifier(kind) || kind == K::Typename => at += 1,
                K::Struct | K::Class | K::Union | K::Enum => at += 1,
                K::Typeof if self.kind(at + 1) == K::LeftParen => {
                    typed = true;
                    at = self.behind(at + 1);
                }
                kind if is_type_word(kind) || kind == K::Auto => {
                    typed = true;
                    at += 1;
                }
                K::Identifier | K::TypeName | K::ColonColon if !typed => {
                    at = self.shape(at)?.end;
                    typed = true;
                }
                _ => break,
            }
        }
        while is_reference(self.kind(at)) || is_qualifier(self.kind(at)) {
            at += 1;
        }
        while self.kind(at) == K::LeftBracket {
            at = self.behind(at);
        }
        typed.then_some(at)
    }

    // ---- Lambdas ----

    /// Reads a token between the captures of a lambda and its body. `None` if the token is read as elsewhere.
    pub(super) fn head_of_lambda(&mut self, at: usize) -> Option<usize> {
        if self.top().is_result {
            return None;
        }
        match self.kind(at) {
            K::LeftBrace => None,
            K::LeftParen => {
                self.scopes.open();
                Some(self.enter(at, Frame::new(BracketContext::Parameters), K::LeftParen))
            }
            K::TemplateOpen => {
                self.insert(at, K::Template);
                self.scopes.open();
                Some(self.enter(at, Frame::new(BracketContext::TemplateParameters), K::TemplateOpen))
            }
            K::Arrow => Some(self.result(at)),
            kind if is_word(kind) || is_storage(kind) || is_qualifier(kind) => Some(at + 1),
            _ => {
                self.top().lambda = false;
                None
            }
        }
    }

    // ---- Constraints ----

    /// Skips `requires …` after the head of a template or function. In an expression it becomes an unknown value.
    pub(super) fn requires(&mut self, at: usize) -> usize {
        let Frame { state, place, .. } = *self.top();
        let in_brackets = matches!(
            place,
            BracketContext::Control
                | BracketContext::For
                | BracketContext::Paren
                | BracketContext::TemplateArguments
                | BracketContext::Index
                | BracketContext::Initializer
        );
        if state == DeclState::Expression || state == DeclState::Start && in_brackets {
            self.top().state = DeclState::Expression;
            let mut end = at + 1;
            if self.kind(end) == K::LeftParen {
                end = self.behind(end);
            }
            let end = self.behind(end).min(self.tokens.len());
            return self.write_group(at, end, K::OpaqueExpression, Symbol::intern("requires"));
        }
        let mut end = at + 1;
        loop {
            match self.kind(end) {
                K::LeftParen => end = self.behind(end),
                K::Requires => {
                    end += 1;
                    if self.kind(end) == K::LeftParen {
                        end = self.behind(end);
                    }
                    end = self.behind(end);
                }
                K::Bang => {
                    end += 1;
                    continue;
                }
                _ => match self.shape(end) {
                    Some(NameSpan { end: behind, .. }) => end = behind,
                    None => end += 1,
                },
            }
            match self.kind(end) {
                K::AmpAmp | K::PipePipe => end += 1,
                _ => return end.min(self.tokens.len()).max(at + 1),
            }
        }
    }
}
