//! The pass over the tokens of an item, for all languages: it looks ahead over balanced brackets, and writes tokens.

use std::ops::Index;

use rustc_hash::FxHashSet;

use super::frames::{BracketContext, DeclState, Frame, ParenContents};
use super::kinds::{is_closing, is_name, is_opening};
use super::scopes::Scopes;
use super::{Input, ParserInput, UnknownWord, WordRole};
use crate::ast::{Name, Span};
use crate::brackets::NO_PARTNER;
use crate::lexicon::{Lexicon, Macro};
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, TokenKind as K};

/// The maximum number of consecutive steps at one token. After that, the token is written unchanged.
const MAX_REPEATS: u32 = 16;

/// A token of the item, or several folded into one.
#[derive(Clone, Copy)]
pub(super) struct AdapterToken {
    pub token: Token,
    pub start: u32,
    pub end: u32,
    /// The index of its first input token.
    pub origin: u32,
    /// Whether `template` was before it: then a `<` after it opens template arguments.
    pub is_template: bool,
}

impl AdapterToken {
    /// The tokens of an item, without folding.
    pub fn all(input: &[Input]) -> Vec<AdapterToken> {
        let fold = |(&Input { token, start, end }, origin)| AdapterToken {
            token,
            start,
            end,
            origin,
            is_template: false,
        };
        input.iter().zip(0..).map(fold).collect()
    }

    pub fn name(self) -> Name {
        Name { text: self.token.text, span: Span::new(self.start, self.end) }
    }
}

/// Tokens, and the pairs of brackets among them.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    pub all: &'a [AdapterToken],
    /// The index of the partner of each token, or [`NO_PARTNER`].
    pub partner: &'a [u32],
}

impl Index<usize> for Tokens<'_> {
    type Output = AdapterToken;

    fn index(&self, at: usize) -> &AdapterToken {
        &self.all[at]
    }
}

impl Tokens<'_> {
    pub fn len(self) -> usize {
        self.all.len()
    }

    /// The kind of the token at `at`. After the last token it is a semicolon.
    pub fn kind(self, at: usize) -> TokenKind {
        self.all.get(at).map_or(K::Semicolon, |item| item.token.kind)
    }

    pub fn text(self, at: usize) -> Symbol {
        self.all.get(at).map_or(Symbol::EMPTY, |item| item.token.text)
    }

    pub fn partner(self, at: usize) -> Option<usize> {
        match self.partner.get(at) {
            Some(&partner) if partner != NO_PARTNER => Some(partner as usize),
            _ => None,
        }
    }

    /// Returns the index after the token at `at`, or after the brackets that it opens.
    pub fn behind(self, at: usize) -> usize {
        self.partner(at).filter(|partner| *partner > at).unwrap_or(at) + 1
    }
}

/// The differences between the languages. Functions that read the token at `at` return the index of the next token to
/// read.
pub(super) trait Language: Sized {
    /// The state after the `;` in the head of a loop.
    const AFTER_SEMICOLON: DeclState;

    /// Reads a token that has the same effect in all places, or that is part of a construct that has already begun.
    fn read_common(scan: &mut Scan<'_, Self>, at: usize) -> Option<usize>;
    /// Reads the first token of a statement, declaration, argument, …. `None` if its kind alone determines the
    /// result.
    fn start(scan: &mut Scan<'_, Self>, at: usize) -> Option<usize>;
    fn open(scan: &mut Scan<'_, Self>, at: usize) -> usize;
    /// Writes the bracket that closes `frame`. The frame has already been removed from the stack.
    fn close(scan: &mut Scan<'_, Self>, at: usize, frame: Frame) -> usize;
    fn comma(scan: &mut Scan<'_, Self>, at: usize) -> usize;
    /// Reads a `:` that belongs to a declaration, not to a `?` or `case`.
    fn colon_of_declaration(scan: &mut Scan<'_, Self>, at: usize) -> Option<usize>;
    /// Reads any other token.
    fn read_other(scan: &mut Scan<'_, Self>, at: usize) -> usize;

    /// Whether a statement begins at its keyword in this place even if a `;` is missing before it.
    fn begins_at_keyword(place: BracketContext) -> bool;
    /// Whether a name is spelled like a macro that is a statement.
    fn is_statement_macro(name: Symbol) -> bool;
    /// Whether the tokens at `at` show that the macro before them is a statement. `call`: the macro has arguments.
    /// `next`: the macro is directly before `at`.
    fn follows_statement_macro(scan: &Scan<'_, Self>, at: usize, call: bool, next: bool) -> bool;
}

pub(super) struct Scan<'a, L> {
    pub language: L,
    pub words: &'a Lexicon,
    pub tokens: Tokens<'a>,
    pub out: ParserInput,
    pub frames: Vec<Frame>,
    pub scopes: Scopes,
    /// The names among `out.unknown_words`.
    recorded: FxHashSet<Symbol>,
    /// The `#pragma pack` in force at this point.
    pub packing: Packing,
    /// The kind of the last token written.
    pub last: TokenKind,
    /// The kind of the parentheses that the last token closes, if they contain a type.
    pub type_in: Option<ParenContents>,
}

impl<'a, L: Language> Scan<'a, L> {
    /// A scan that begins with `out`. `packing` is the `#pragma pack` in force at the start.
    pub fn new(
        language: L,
        words: &'a Lexicon,
        tokens: Tokens<'a>,
        mut out: ParserInput,
        packing: Packing,
    ) -> Scan<'a, L> {
        out.stream.reserve(tokens.len());
        out.origin.reserve(tokens.len());
        Scan {
            language,
            words,
            tokens,
            out,
            frames: vec![Frame::new(BracketContext::File)],
            scopes: Scopes::default(),
            recorded: FxHashSet::default(),
            packing,
            last: K::Semicolon,
            type_in: None,
        }
    }

    pub fn run(mut self) -> ParserInput {
        let mut at = 0;
        let mut turns = 0;
        while at < self.tokens.len() {
            let next = self.step(at);
            // A step returns the same token if something begins or ends before it. This takes few steps.
            turns = if next == at { turns + 1 } else { 0 };
            at = if turns > MAX_REPEATS { self.write(at) } else { next };
        }
        self.out.payloads.attributes.sort_by_key(|(start, _)| *start);
        self.out
    }

    fn step(&mut self, at: usize) -> usize {
        if let Some(next) = L::read_common(self, at) {
            return next;
        }
        if self.top().state == DeclState::Start {
            if !self.top().started && self.top().place.holds_declarations() {
                self.record_start(at);
            }
            if let Some(next) = L::start(self, at) {
                return next;
            }
        }
        match self.kind(at) {
            kind if is_opening(kind) || is_closing(kind) => match self.partner(at) {
                Some(_) if is_opening(kind) => L::open(self, at),
                Some(_) => self.close(at),
                None => self.write(at),
            },
            K::Semicolon => self.semicolon(at),
            K::Comma => L::comma(self, at),
            K::Colon => self.colon(at),
            K::Question => {
                let top = self.top();
                top.questions += 1;
                top.state = DeclState::Expression;
                self.write(at)
            }
            _ => L::read_other(self, at),
        }
    }

    // ---- Looking ahead ----

    pub fn kind(&self, at: usize) -> TokenKind {
        self.tokens.kind(at)
    }

    pub fn text(&self, at: usize) -> Symbol {
        self.tokens.text(at)
    }

    pub fn partner(&self, at: usize) -> Option<usize> {
        self.tokens.partner(at)
    }

    pub fn behind(&self, at: usize) -> usize {
        self.tokens.behind(at)
    }

    pub fn skip_attributes(&self, at: usize) -> usize {
        self.tokens.skip_attributes(at)
    }

    // ---- Writing ----

    /// Writes the token at `at` unchanged. Like all functions below, it returns the index of the next token to read.
    pub fn write(&mut self, at: usize) -> usize {
        self.write_as(at, self.tokens[at].token.kind)
    }

    pub fn write_as(&mut self, at: usize, kind: TokenKind) -> usize {
        self.write_group(at, at + 1, kind, self.tokens[at].token.text)
    }

    /// Writes one token that covers the tokens from `at` up to `end`.
    pub fn write_group(&mut self, at: usize, end: usize, kind: TokenKind, text: Symbol) -> usize {
        self.push(
            self.tokens[at].start,
            self.tokens[end - 1].end,
            self.tokens[at].origin,
            Token { kind, text },
        );
        end
    }

    /// Writes an attribute for all tokens from `at` up to `end`. It does not change `last`, so the next token is read
    /// as if there were no attribute.
    pub fn write_attribute(&mut self, at: usize, end: usize) -> usize {
        let token = Token { kind: K::Attribute, text: Symbol::EMPTY };
        self.out.stream.push((self.tokens[at].start, token, self.tokens[end - 1].end));
        self.out.origin.push(self.tokens[at].origin);
        end
    }

    pub fn push(&mut self, start: u32, end: u32, origin: u32, token: Token) {
        self.out.stream.push((start, token, end));
        self.out.origin.push(origin);
        self.last = token.kind;
        self.type_in = None;
    }

    /// Writes a token that is missing before the one at `at`.
    pub fn insert(&mut self, at: usize, kind: TokenKind) {
        let last = self.last;
        let end = self.out.stream.last().map_or(0, |(_, _, end)| *end);
        // A marker has the position of the next token, so that spans begin there.
        let marker = matches!(kind, K::Declares | K::TypeFollows);
        let item = self.tokens.all.get(at);
        let place = item.filter(|_| marker).map_or(end, |item| item.start);
        let origin = item.or(self.tokens.all.last()).map_or(0, |item| item.origin);
        self.push(place, place, origin, Token { kind, text: Symbol::EMPTY });
        if marker {
            self.last = last;
        }
    }

    /// Records an undeclared name at its first occurrence.
    pub fn record_unknown(&mut self, at: usize, taken: WordRole) {
        let name = self.tokens[at].name();
        if self.recorded.insert(name.text) {
            self.out.unknown_words.push(UnknownWord { name, role: taken });
        }
    }

    /// Whether the name of an undefined macro has this meaning by a convention.
    pub fn implies(&self, at: usize, what: Macro) -> bool {
        self.words.implies(self.text(at), what)
    }

    /// Records that a statement, declaration, member or parameter begins at `at`.
    fn record_start(&mut self, at: usize) {
        let start = (self.tokens[at].origin, self.top().level);
        self.out.starts.push(start);
        self.top().started = true;
    }

    // ---- Tokens with the same effect in all languages ----

    pub fn pragma(&mut self, at: usize) -> usize {
        if let Some(packing) = Packing::of_pragma(self.text(at).as_str()) {
            self.packing = packing;
            return at + 1;
        }
        let top = self.top();
        if top.place == BracketContext::Block && top.state == DeclState::Start {
            self.write(at)
        } else {
            at + 1
        }
    }

    fn semicolon(&mut self, at: usize) -> usize {
        match self.top().place {
            BracketContext::For | BracketContext::Control => {
                // The declaration in the head of a loop ends: a comma after it is an operator.
                let top = self.top();
                (top.state, top.declaring, top.is_type) = (L::AFTER_SEMICOLON, false, false);
            }
            place if place.holds_declarations() => self.restart(),
            _ => {}
        }
        self.write(at)
    }

    fn colon(&mut self, at: usize) -> usize {
        let top = self.top();
        if top.questions > 0 {
            top.questions -= 1;
            top.state = DeclState::Expression;
        } else if top.case {
            self.restart();
        } else if let Some(next) = L::colon_of_declaration(self, at) {
            return next;
        } else {
            self.top().state = DeclState::Expression;
        }
        self.write(at)
    }

    /// Reads the keyword of a statement.
    pub fn statement(&mut self, at: usize) -> usize {
        let top = self.top();
        if L::begins_at_keyword(top.place) && top.state != DeclState::Start {
            // A `;` is missing: the parser reports this.
            self.restart();
            self.record_start(at);
        }
        let kind = self.kind(at);
        if kind == K::Default && self.kind(at + 1) == K::Colon {
            return self.label(at, kind);
        }
        let top = self.top();
        top.state = DeclState::Expression;
        match kind {
            K::Else | K::Do => (top.state, top.started) = (DeclState::Start, false),
            K::Case => top.case = true,
            K::Goto if is_name(self.kind(at + 1)) => {
                self.write(at);
                return self.write_as(at + 1, K::Identifier);
            }
            _ => {}
        }
        self.write(at)
    }

    /// Reads `default:` or `name:`. Another statement begins after it.
    pub fn label(&mut self, at: usize, kind: TokenKind) -> usize {
        self.write_as(at, kind);
        self.top().started = false;
        self.write(at + 1)
    }
}
