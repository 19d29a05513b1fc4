//! Reads classes: names, bases, member initialisers. Skips code that does not run on the device.

use super::Scan;
use super::shape::is_reference;
use crate::adapt::frames::{BracketContext, DeclState, Frame};
use crate::adapt::kinds::{is_type_word, is_word};
use crate::adapt::scopes::Meaning;
use crate::symbol::Symbol;
use crate::token::TokenKind as K;

impl Scan<'_> {
    /// Reads the tokens after `struct`: the name, `final`, the `:` of the bases.
    pub(super) fn in_tag(&mut self, at: usize) -> usize {
        let named = matches!(self.last, K::Identifier | K::TemplateClose);
        if let Some(shape) = self.shape(at) {
            if named && self.text(at).as_str() == "final" {
                return at + 1;
            }
            if !named {
                let behind = self.shape(shape.end).map(|second| self.kind(second.end));
                let is_final = self.text(shape.end).as_str() == "final";
                if shape.is_plain() && !is_final && matches!(behind, Some(K::LeftBrace | K::Colon)) {
                    return self.ignore(at, shape.end);
                }
                if shape.is_plain() && self.kind(shape.end) == K::LeftParen {
                    // `struct ALIGN(16) S {`.
                    let end = self.behind(shape.end);
                    return self.ignore(at, end);
                }
                if !shape.qualified {
                    self.declare_type(shape.last);
                }
                self.top().class_head = self.text(shape.last);
                return self.begin_name(shape, K::Identifier);
            }
        }
        self.top().state = DeclState::Specifiers { typed: true };
        at
    }

    /// Reads the `:` after the name of a class or enumeration.
    pub(super) fn begin_bases(&mut self, at: usize) -> usize {
        let mut open = at + 1;
        while open < self.tokens.len()
            && !matches!(self.kind(open), K::LeftBrace | K::Semicolon | K::RightBrace)
        {
            open = self.behind(open);
        }
        if self.top().tag == K::Enum {
            // The underlying type of an enumeration is skipped.
            return open;
        }
        if self.kind(open) != K::LeftBrace {
            self.top().state = DeclState::Expression;
            return self.write(at);
        }
        self.top().state = DeclState::Bases;
        self.write_as(at, K::ClassColon)
    }

    pub(super) fn in_bases(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::Modifier | K::Typename => at + 1,
            _ => match self.shape(at) {
                Some(shape) => self.begin_name(shape, K::TypeName),
                None => self.write(at),
            },
        }
    }

    pub(super) fn in_initializers(&mut self, at: usize) -> usize {
        match self.kind(at) {
            K::Typename => at + 1,
            _ => match self.shape(at) {
                Some(shape) if shape.is_plain() && self.known(shape) != Some(Meaning::Type) => {
                    self.begin_name(shape, K::Identifier)
                }
                Some(shape) => self.begin_name(shape, K::TypeName),
                None => self.write(at),
            },
        }
    }

    /// Opens the `{` of members or enumerators.
    pub(super) fn open_members(&mut self, at: usize) -> usize {
        let Frame { tag, class_head, .. } = *self.top();
        self.top().class_head = Symbol::EMPTY;
        if tag == K::Enum {
            return self.enter(at, Frame::new(BracketContext::Enumerators), K::MemberBrace);
        }
        self.out.payloads.packings.push((self.tokens[at].start, self.packing));
        self.scopes.open();
        self.collect_members(at);
        self.enter(
            at,
            Frame { scopes: 1, class: class_head, ..Frame::new(BracketContext::Members) },
            K::MemberBrace,
        )
    }

    /// Declares the members of a class before any of them is read, because a body can use a member that is declared
    /// after it.
    fn collect_members(&mut self, open: usize) {
        let end = self.behind(open) - 1;
        let mut at = open + 1;
        while at < end {
            let before = self.kind(at - 1);
            let next = self.kind(at + 1);
            match self.kind(at) {
                K::Using if is_word(next) && self.kind(self.skip_attributes(at + 2)) == K::Equal => {
                    let name = self.text(at + 1);
                    self.scopes.declare(name, Meaning::Type);
                }
                K::Using if is_word(next) && self.kind(at + 2) == K::Identifier => {
                    let name = self.text(at + 1);
                    self.scopes.declare(name, Meaning::Type);
                }
                K::Typedef => {
                    let mut name = None;
                    while at < end && self.kind(at) != K::Semicolon {
                        // The name is the last word outside brackets. Array sizes and parameters contain other names:
                        // `typedef int a[N]`, `typedef void (*f)(int n)`.
                        match self.kind(at) {
                            kind if is_word(kind) => name = Some(at),
                            K::LeftParen if is_reference(self.kind(at + 1)) && is_word(self.kind(at + 2)) => {
                                name = Some(at + 2);
                            }
                            _ => {}
                        }
                        at = self.behind(at);
                    }
                    if let Some(name) = name {
                        let name = self.text(name);
                        self.scopes.declare(name, Meaning::Type);
                    }
                }
                tag @ (K::Struct | K::Class | K::Union | K::Enum) => {
                    let name = self.skip_attributes(at + 1);
                    if is_word(self.kind(name)) {
                        // A friend is not a member.
                        if before != K::Friend {
                            let text = self.text(name);
                            self.scopes.declare(text, Meaning::Type);
                        }
                        at = name;
                    }
                    if tag == K::Enum {
                        self.collect_enumerators(name);
                    }
                }
                kind if is_word(kind) => {
                    let ends = matches!(next, K::Semicolon | K::Comma | K::Equal | K::LeftBracket);
                    let typed = is_word(before)
                        || is_reference(before)
                        || is_type_word(before)
                        || matches!(before, K::TemplateClose | K::Auto);
                    let declares = typed && (ends || matches!(next, K::LeftBrace | K::Colon))
                        || before == K::Comma && ends;
                    if declares && self.text(at).as_str() != "final" {
                        let name = self.text(at);
                        self.scopes.declare(name, Meaning::Variable);
                    }
                }
                _ => {}
            }
            at = self.behind(at);
        }
    }

    fn collect_enumerators(&mut self, from: usize) {
        let mut open = from;
        while open < self.tokens.len() && !matches!(self.kind(open), K::LeftBrace | K::Semicolon) {
            open += 1;
        }
        let Some(close) = self.partner(open) else { return };
        let mut at = open + 1;
        while at < close {
            if is_word(self.kind(at)) && matches!(self.kind(at - 1), K::LeftBrace | K::Comma) {
                let name = self.text(at);
                self.scopes.declare(name, Meaning::Variable);
            }
            // Names in the value of an enumerator are not enumerators: `a = same<T, none>::value`.
            at = self.behind(at);
        }
    }

    // ---- Host code ----

    /// Replaces a body that does not run on the device, and the member initialisers before it, by `;`.
    pub(super) fn skip_body(&mut self, at: usize) -> usize {
        let mut open = at;
        if self.kind(at) == K::Colon {
            open += 1;
            loop {
                while open < self.tokens.len()
                    && !matches!(self.kind(open), K::LeftParen | K::LeftBrace | K::Semicolon | K::RightBrace)
                {
                    open = self.behind(open);
                }
                let mut next = self.behind(open);
                if self.kind(next) == K::Ellipsis {
                    next += 1;
                }
                match self.kind(next) {
                    K::Comma => open = next + 1,
                    _ => {
                        open = next;
                        break;
                    }
                }
            }
        }
        self.write_group(at, at + 1, K::Semicolon, Symbol::EMPTY);
        self.restart();
        if self.kind(open) == K::LeftBrace { self.behind(open) } else { open }
    }
}
