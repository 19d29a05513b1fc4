//! Looks ahead: finds the end of a name or a type, and decides from its form whether a name is a type.
//!
//! Template arguments are skipped in one step, so each look-ahead costs time in proportion to the length of the name.

use rustc_hash::FxHashSet;

use super::Scan;
use super::angles::begins_no_operand;
use crate::adapt::guess::spelling::{looks_like_macro, looks_like_type};
use crate::adapt::kinds::{is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::symbol::Symbol;
use crate::token::{TokenKind, TokenKind as K};

/// A written name: `x`, `ns::f<T>`, `::g`.
#[derive(Clone, Copy)]
pub(super) struct NameSpan {
    pub first: usize,
    /// The last word.
    pub last: usize,
    /// The index after the name and its template arguments.
    pub end: usize,
    pub qualified: bool,
    /// Whether the last word has template arguments.
    pub arguments: bool,
}

impl NameSpan {
    /// Whether the name is a single word without a qualifier or template arguments.
    pub fn is_plain(self) -> bool {
        !self.qualified && !self.arguments
    }
}

/// The end of a type, and the evidence that it is a type.
#[derive(Clone, Copy)]
pub(super) struct TypeLookahead {
    pub end: usize,
    pub known: Option<Meaning>,
    /// The name of the type, unless it is a keyword.
    pub name: Option<NameSpan>,
}

/// The position of a possible declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclPosition {
    Statement,
    /// The first part of the head of a `for`.
    For,
    /// `if (T x = …)`.
    Condition,
}

pub(super) fn is_qualifier(kind: TokenKind) -> bool {
    matches!(kind, K::Const | K::Volatile | K::Restrict)
}

/// Whether this is a specifier of a declaration that is neither a type nor a qualifier of one.
pub(super) fn is_storage(kind: TokenKind) -> bool {
    matches!(
        kind,
        K::Typedef
            | K::Extern
            | K::Static
            | K::Register
            | K::Inline
            | K::Noreturn
            | K::Kernel
            | K::Constexpr
            | K::Host
            | K::Device
            | K::Shared
            | K::ConstantMemory
            | K::Managed
            | K::Modifier
            | K::Friend
    )
}

pub(super) fn is_specifier(kind: TokenKind) -> bool {
    is_qualifier(kind) || is_storage(kind) || is_type_word(kind) || matches!(kind, K::Auto | K::Class)
}

pub(super) fn is_reference(kind: TokenKind) -> bool {
    matches!(kind, K::Star | K::Amp | K::AmpAmp)
}

fn is_tag(kind: TokenKind) -> bool {
    matches!(kind, K::Struct | K::Class | K::Union | K::Enum)
}

impl Scan<'_> {
    /// Whether the item uses a name as a type anywhere.
    pub(super) fn is_used_as_type(&mut self, name: Symbol) -> bool {
        let known = self.language.used_as_types.take().unwrap_or_else(|| self.names_used_as_types());
        self.language.used_as_types.insert(known).contains(&name)
    }

    /// Collects the names in `T x`, `T const`, `T::x` and `T{}`; and before the first `{`, in `T &x` among parameters
    /// and in `-> T`.
    fn names_used_as_types(&self) -> FxHashSet<Symbol> {
        let is_open = |at: &usize| self.kind(*at) == K::LeftBrace;
        let body = (0..self.tokens.len()).find(is_open).unwrap_or(self.tokens.len());
        let shows = |at: &usize| {
            let before = at.checked_sub(1).map_or(K::Semicolon, |before| self.kind(before));
            if matches!(before, K::Dot | K::ColonColon) || is_tag(before) {
                return false;
            }
            match self.kind(at + 1) {
                K::LeftBrace => before != K::Arrow || *at < body,
                K::Ellipsis => is_word(self.kind(at + 2)) && before != K::Arrow,
                kind if is_reference(kind) && *at < body => {
                    let is_first = matches!(before, K::LeftParen | K::Comma) || is_qualifier(before);
                    let end = at + 2 + usize::from(is_word(self.kind(at + 2)));
                    before == K::Arrow || is_first && matches!(self.kind(end), K::Comma | K::RightParen)
                }
                kind => {
                    (is_word(kind) || kind == K::ColonColon || is_qualifier(kind)) && before != K::Arrow
                        || before == K::Arrow && *at < body
                }
            }
        };
        let words = (0..self.tokens.len()).filter(|&at| is_word(self.kind(at)));
        words.filter(shows).map(|at| self.text(at)).collect()
    }

    /// Returns the name that begins at `at`.
    pub(super) fn shape(&self, at: usize) -> Option<NameSpan> {
        let mut qualified = self.kind(at) == K::ColonColon;
        let mut next = at + usize::from(qualified);
        loop {
            if !is_word(self.kind(next)) && self.kind(next) != K::SpecialName {
                return None;
            }
            let last = next;
            next += 1;
            let arguments = self.kind(next) == K::TemplateOpen && !self.is_comparison(next);
            if arguments {
                next = self.behind(next);
            }
            let goes_on = self.kind(next) == K::ColonColon
                && (is_word(self.kind(next + 1)) || self.kind(next + 1) == K::SpecialName);
            if !goes_on {
                return Some(NameSpan { first: at, last, end: next, qualified, arguments });
            }
            qualified = true;
            next += 1;
        }
    }

    /// Whether the `<` at `at` is a comparison, because the name before it is a variable. [`angles`](super::angles)
    /// took it for a bracket.
    pub(super) fn is_comparison(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|name| {
            is_word(self.kind(name))
                && !matches!(self.kind(name.saturating_sub(1)), K::ColonColon | K::Dot | K::Arrow)
                && self.meaning(name) == Some(Meaning::Variable)
                && !begins_no_operand(self.kind(self.behind(at)))
        })
    }

    pub(super) fn known(&self, shape: NameSpan) -> Option<Meaning> {
        if self.kind(shape.last) == K::SpecialName {
            return Some(Meaning::Variable);
        }
        if shape.qualified {
            // For a name in another scope, assume the meaning that an earlier item gives it.
            return match self.kind(shape.last) {
                K::TypeName => Some(Meaning::Type),
                _ => None,
            };
        }
        self.meaning(shape.last)
    }

    /// Whether an unknown name is spelled like a type.
    pub(super) fn looks_like_type(&self, shape: NameSpan) -> bool {
        looks_like_type(self.text(shape.last), shape.arguments)
    }

    /// Returns the type that begins at `at`, with its pointers, references and dimensions; `None` if there is no
    /// type.
    pub(super) fn type_ahead(&self, mut at: usize) -> Option<TypeLookahead> {
        let mut known = None;
        let mut typed = false;
        let mut name = None;
        loop {
            match self.kind(at) {
                K::Attribute => at += 1,
                kind if is_qualifier(kind) => {
                    known = Some(Meaning::Type);
                    at += 1;
                }
                K::Typename => {
                    known = Some(Meaning::Type);
                    at += 1;
                }
                kind if is_tag(kind) => {
                    (known, typed) = (Some(Meaning::Type), true);
                    at = self.shape(at + 1)?.end;
                }
                K::Typeof => {
                    (known, typed) = (Some(Meaning::Type), true);
                    at = self.behind(at + 1);
                    if self.kind(at) == K::ColonColon {
                        at = self.shape(at)?.end;
                    }
                }
                K::Auto => {
                    (known, typed) = (Some(Meaning::Type), true);
                    at += 1;
                }
                kind if is_type_word(kind) => {
                    (known, typed) = (Some(Meaning::Type), true);
                    at += 1;
                }
                K::Identifier | K::TypeName | K::ColonColon if !typed => {
                    let shape = self.shape(at)?;
                    if known.is_none() {
                        known = self.known(shape);
                    }
                    (typed, name) = (true, Some(shape));
                    at = shape.end;
                }
                _ => break,
            }
        }
        if !typed {
            return None;
        }
        loop {
            match self.kind(at) {
                kind if is_reference(kind) => {
                    at += 1;
                    let ends = matches!(
                        self.kind(at),
                        K::RightParen | K::Comma | K::TemplateClose | K::Ellipsis | K::LeftBracket
                    );
                    if known.is_none() && (ends || is_qualifier(self.kind(at))) {
                        known = Some(Meaning::Type);
                    }
                }
                kind if is_qualifier(kind) => {
                    known = Some(Meaning::Type);
                    at += 1;
                }
                K::Attribute => at += 1,
                // `(float * RESTRICT)`.
                K::Identifier
                    if self.meaning(at).is_none()
                        && looks_like_macro(self.tokens[at].token.text)
                        && matches!(self.kind(at + 1), K::RightParen | K::Star | K::TemplateClose) =>
                {
                    at += 1;
                }
                K::LeftParen => {
                    let inside = self.kind(at + 1);
                    let is_declarator = is_reference(inside)
                        && matches!(self.kind(at + 2), K::RightParen | K::Star | K::LeftBracket);
                    let parameters = known == Some(Meaning::Type) && self.begins_parameters(at + 1);
                    if !is_declarator && !parameters {
                        break;
                    }
                    known = Some(Meaning::Type);
                    at = self.behind(at);
                }
                K::LeftBracket => at = self.behind(at),
                _ => break,
            }
        }
        Some(TypeLookahead { end: at, known, name })
    }

    /// Whether the tokens between `at` and the next `,` or closing bracket are exactly a type. `guess`: decide by
    /// spelling if the name is unknown.
    pub(super) fn is_type_argument(&self, at: usize, guess: bool) -> bool {
        let Some(ahead) = self.type_ahead(at) else { return false };
        let mut end = ahead.end;
        if self.kind(end) == K::Ellipsis {
            end += 1;
        }
        let ends =
            matches!(self.kind(end), K::Comma | K::TemplateClose | K::RightParen | K::Semicolon | K::Equal);
        ends && match (ahead.known, ahead.name) {
            (Some(Meaning::Type), _) | (_, None) => true,
            (Some(Meaning::Variable), _) => false,
            (None, Some(name)) => guess && self.looks_like_type(name),
        }
    }

    /// Whether the parentheses whose contents begin at `at` are a cast.
    pub(super) fn is_cast(&self, at: usize) -> bool {
        let Some(ahead) = self.type_ahead(at) else { return false };
        if self.kind(ahead.end) != K::RightParen {
            return false;
        }
        let next = self.kind(ahead.end + 1);
        match (ahead.known, ahead.name) {
            (Some(Meaning::Type), None) | (_, None) => true,
            (Some(Meaning::Type), Some(name)) => {
                // A name in another scope can also be a value. But no expression ends with `*` or `const`.
                let last = self.kind(ahead.end - 1);
                !name.qualified
                    || is_reference(last)
                    || is_qualifier(last)
                    || self.begins_operand(ahead.end + 1)
                    || !is_operator_or_end(next)
            }
            (Some(Meaning::Variable), _) => false,
            (None, Some(name)) => {
                self.begins_operand(ahead.end + 1)
                    || next == K::LeftParen && (self.looks_like_type(name))
                    || next == K::LeftBrace
            }
        }
    }

    /// Whether the token at `at` begins an operand and cannot be a binary operator.
    fn begins_operand(&self, at: usize) -> bool {
        match self.kind(at) {
            K::Identifier | K::TypeName => {
                !looks_like_macro(self.tokens[at].token.text) || self.is_operand_macro(at)
            }
            K::Number
            | K::Character
            | K::String
            | K::Bang
            | K::Tilde
            | K::Sizeof
            | K::This
            | K::NamedCast
            | K::ColonColon
            | K::New => true,
            kind => is_type_word(kind),
        }
    }

    /// `(x) MACRO`: the macro is an operand, unless a word follows it. Then it may be an operator.
    fn is_operand_macro(&self, at: usize) -> bool {
        !is_word(self.kind(at + 1))
    }

    /// Whether a declaration begins at `at`, where a statement could also begin.
    pub(super) fn declares(&self, at: usize, start: DeclPosition) -> bool {
        let at = self.skip_attributes(at);
        match self.kind(at) {
            K::Typename => self
                .shape(at + 1)
                .is_none_or(|shape| !matches!(self.kind(shape.end), K::LeftParen | K::LeftBrace)),
            kind if is_storage(kind) || is_qualifier(kind) || is_tag(kind) => true,
            K::Typeof => {
                let mut end = self.behind(at + 1);
                if let Some(shape) = self.shape(end).filter(|_| self.kind(end) == K::ColonColon) {
                    end = shape.end;
                }
                !matches!(self.kind(end), K::LeftParen | K::LeftBrace)
            }
            kind if is_type_word(kind) || kind == K::Auto => {
                let mut end = at + 1;
                while is_type_word(self.kind(end)) || is_qualifier(self.kind(end)) {
                    end += 1;
                }
                match self.kind(end) {
                    K::LeftParen => self.is_inner_declarator(end),
                    K::LeftBrace => false,
                    _ => true,
                }
            }
            K::Identifier | K::TypeName | K::ColonColon => {
                self.shape(at).is_some_and(|shape| self.name_declares(shape, start))
            }
            _ => false,
        }
    }

    /// Whether the parentheses after a type are an inner declarator: `(*name)`, `(&name)[3]`.
    fn is_inner_declarator(&self, open: usize) -> bool {
        is_reference(self.kind(open + 1))
            && matches!(self.kind(self.behind(open)), K::LeftParen | K::LeftBracket | K::Equal | K::Semicolon)
    }

    fn name_declares(&self, shape: NameSpan, start: DeclPosition) -> bool {
        let known = self.known(shape);
        if known == Some(Meaning::Variable) {
            return false;
        }
        let mut next = shape.end;
        match self.kind(next) {
            K::LeftParen => {
                return self.is_inner_declarator(next)
                    && (known == Some(Meaning::Type)
                        || matches!(self.kind(self.behind(next)), K::LeftParen | K::LeftBracket));
            }
            K::Attribute => next = self.skip_attributes(next),
            _ => {}
        }
        let mut pointer = false;
        loop {
            match self.kind(next) {
                kind if is_reference(kind) => pointer = true,
                kind if is_qualifier(kind) || is_storage(kind) => {
                    if start != DeclPosition::Condition && !pointer {
                        return true;
                    }
                }
                kind if is_type_word(kind) || kind == K::Auto => return !pointer,
                // `T * RESTRICT x`.
                K::Identifier if pointer && is_word(self.kind(next + 1)) => {}
                _ => break,
            }
            next += 1;
        }
        let Some(name) = self.shape(next) else {
            return known == Some(Meaning::Type)
                && match self.kind(next) {
                    K::LeftParen => pointer && self.is_inner_declarator(next),
                    K::Semicolon => false,
                    _ => false,
                };
        };
        if !pointer && start != DeclPosition::Condition {
            return true;
        }
        let behind = self.kind(name.end);
        match start {
            DeclPosition::Condition => matches!(behind, K::Equal | K::LeftBrace),
            DeclPosition::Statement | DeclPosition::For if known == Some(Meaning::Type) => true,
            DeclPosition::Statement | DeclPosition::For => matches!(
                behind,
                K::Equal
                    | K::Semicolon
                    | K::Comma
                    | K::LeftBracket
                    | K::LeftParen
                    | K::LeftBrace
                    | K::Colon
                    | K::Attribute
            ),
        }
    }

    /// Whether the tokens after the `(` of a declared name are a list of parameters, and not of values.
    pub(super) fn begins_parameters(&self, at: usize) -> bool {
        match self.kind(at) {
            // `typename T::type(x)` constructs a value.
            K::Typename => self.shape(at + 1).is_none_or(|shape| {
                self.kind(shape.end) != K::LeftParen || self.is_inner_declarator(shape.end)
            }),
            K::RightParen | K::Ellipsis | K::Attribute => true,
            K::Identifier | K::TypeName | K::ColonColon => {
                let Some(shape) = self.shape(at) else { return false };
                let next = self.kind(shape.end);
                if next == K::LeftParen && self.is_inner_declarator(shape.end) {
                    return self.known(shape) != Some(Meaning::Variable);
                }
                match self.known(shape) {
                    Some(Meaning::Variable) => false,
                    Some(Meaning::Type) => !matches!(next, K::LeftParen | K::LeftBrace | K::Dot),
                    None => {
                        is_word(next)
                            || is_specifier(next)
                            || is_reference(next) && self.ends_parameter_after(shape.end)
                            || matches!(next, K::Comma | K::RightParen | K::Ellipsis)
                                && self.looks_like_type(shape)
                    }
                }
            }
            kind if is_type_word(kind) => {
                !matches!(self.kind(at + 1), K::LeftParen | K::LeftBrace) || self.is_inner_declarator(at + 1)
            }
            kind => is_specifier(kind),
        }
    }
}

impl Scan<'_> {
    /// Whether the tokens from the `*` or `&` at `at` on can be part of a parameter: `*x,`, but not `*x + 1`.
    fn ends_parameter_after(&self, mut at: usize) -> bool {
        while is_reference(self.kind(at)) || is_qualifier(self.kind(at)) || self.kind(at) == K::Ellipsis {
            at += 1;
        }
        while is_word(self.kind(at)) {
            at += 1;
        }
        matches!(
            self.kind(at),
            K::Comma | K::RightParen | K::Equal | K::LeftBracket | K::LeftParen | K::Attribute
        )
    }
}

fn is_operator_or_end(kind: TokenKind) -> bool {
    kind >= K::Plus && kind <= K::GreaterGreaterEqual
        || matches!(
            kind,
            K::Semicolon
                | K::Comma
                | K::RightParen
                | K::RightBracket
                | K::RightBrace
                | K::Dot
                | K::Arrow
                | K::Question
                | K::Colon
        )
}
