//! What a name means where it stands: the adapter between the tokens of an item and the grammar.
//!
//! How C parses depends on which names are types: `a * b;` declares or multiplies, `(a)(b)` casts or calls. The adapter
//! decides that in one scan over the item, before the parser runs, so that the grammar needs no symbol table. It knows just
//! enough of C for this: for each open bracket what kind of place it is ([`Place`]) and how far the current
//! statement or declaration has come ([`State`]), and for each name that the item itself declares what it declares.
//!
//! Example:
//!
//! ```c
//! typedef float real;          // an item before this one: `real` comes as a TypeName
//! void f(const body *p) {      // `body` is unknown and stands where a type must be: a type, and recorded
//!     real real = p->real;     // a type; then the declared name; then a member
//!     g(real * 2);             // a variable from its declaration on
//! }
//! ```
//!
//! The scan also folds `__attribute__((…))` and its like and `asm(…)` into one token each, keeps a pragma only where a
//! statement can begin, and drops words that are neither known nor possible to understand, such as `INLINE` in
//! `INLINE void f()`, whose definition is in a header that is missing. Words that only a macro explains are read as what they must stand
//! for ([`guess`]): statements, the head of a loop, further arguments.
//!
//! | room | does |
//! |---|---|
//! | `scopes` | knows what the item's names mean |
//! | `nesting` | opens and closes brackets, and so places and scopes |
//! | `words` | writes words as what they are |
//! | `guess` | looks around words that nothing declares |
//! | `fold`, `old_style` | attributes and assembly; functions of old C |
//! | `kinds` | sorts kinds of tokens |
//!
//! It is a loop with a stack of its own: nothing here recurses, and each token is looked at a constant number of times.

mod fold;
mod guess;
mod nesting;
mod old_style;
mod words;

use rustc_hash::FxHashSet;

use super::kinds::{begins_statement, is_contextual, is_name, is_specifier, is_word};
use super::scopes::{Meaning, Scopes};
use super::{Adapted, Input, Place, Taken, UnknownWord};
use crate::ast::{Name, Span};
use crate::brackets::{Brackets, NO_PARTNER};
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, TokenKind as K};
use crate::words::Words;

/// How far the statement, declaration, parameter, … has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// Behind the first specifier; `typed` when one of them was a type.
    Specifiers {
        typed: bool,
    },
    /// Before the declared name.
    Declarator,
    /// Behind the declared name.
    Declared,
    Expression,
}

/// Which commas of a parenthesis a type may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeArgument {
    Never,
    /// `__builtin_astype(value, type)`.
    AfterComma,
    /// `_Generic(value, type: …, type: …)`.
    Generic,
}

#[derive(Clone, Copy)]
struct Frame {
    place: Place,
    state: State,
    /// Whether a name declared here is a type.
    typedef: bool,
    /// Whether a comma separates declarators here.
    declaring: bool,
    /// Whether these are the parentheses of a type.
    is_type: bool,
    /// Whether they end an operand even then: `sizeof(int)`, `__builtin_astype(x, int)`.
    ends_operand: bool,
    /// Whether an unknown name at the start must be a type.
    must_be_type: bool,
    /// Whether these are the parentheses of a call.
    call: bool,
    type_argument: TypeArgument,
    /// `?` without their `:` so far.
    questions: u32,
    /// Between `case` and its `:`.
    case: bool,
    /// Between the `^` of a block literal and its `{`.
    block_literal: bool,
    /// Whether the start of the current statement is recorded.
    started: bool,
    /// The scopes that end with this frame.
    scopes: u32,
}

impl Frame {
    fn new(place: Place) -> Frame {
        Frame {
            place,
            state: State::Start,
            typedef: false,
            declaring: false,
            is_type: false,
            ends_operand: false,
            must_be_type: false,
            call: false,
            type_argument: TypeArgument::Never,
            questions: 0,
            case: false,
            block_literal: false,
            started: false,
            scopes: 0,
        }
    }

    fn restart(&mut self) {
        let Frame { place, type_argument, ends_operand, scopes, .. } = *self;
        *self = Frame { type_argument, ends_operand, scopes, ..Frame::new(place) };
    }
}

struct Scan<'a> {
    words: &'a Words,
    input: &'a [Input],
    brackets: &'a Brackets,
    out: Adapted,
    frames: Vec<Frame>,
    /// The names among `out.unknown_words`.
    recorded: FxHashSet<Symbol>,
    scopes: Scopes,
    /// Scopes that the next block takes over: a function's parameters.
    handed_on: u32,
    /// What `#pragma pack` says at this point.
    packing: Packing,
    /// The kind of the last token written.
    last: TokenKind,
    /// Whether that token is the `)` behind a type.
    after_type: bool,
    /// Whether that token is the `)` of an operand that ends in a type.
    after_type_operand: bool,
}

/// Tells the names of an item apart in a language. `packing` is what `#pragma pack` says at its start.
pub(crate) fn adapt(input: &[Input], brackets: &Brackets, words: &Words, packing: Packing) -> Adapted {
    let mut scan = Scan {
        words,
        input,
        brackets,
        out: Adapted::default(),
        frames: vec![Frame::new(Place::File)],
        recorded: FxHashSet::default(),
        scopes: Scopes::default(),
        handed_on: 0,
        packing,
        last: K::Semicolon,
        after_type: false,
        after_type_operand: false,
    };
    scan.out.stream.reserve(input.len());
    scan.out.origin.reserve(input.len());
    let mut at = 0;
    while at < input.len() {
        at = scan.step(at);
    }
    scan.out
}

impl Scan<'_> {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the file is never closed")
    }

    /// The kind of the token at `at`, or of a semicolon behind the last.
    fn kind(&self, at: usize) -> TokenKind {
        self.input.get(at).map_or(K::Semicolon, |item| item.token.kind)
    }

    fn partner(&self, at: usize) -> Option<usize> {
        match self.brackets.partner.get(at) {
            Some(&partner) if partner != NO_PARTNER => Some(partner as usize),
            _ => None,
        }
    }

    fn name(&self, at: usize) -> Name {
        let item = self.input[at];
        Name { text: item.token.text, span: Span::new(item.start, item.end) }
    }

    fn meaning(&self, at: usize) -> Option<Meaning> {
        self.scopes.meaning(self.input[at].token)
    }

    fn is_type(&self, at: usize) -> bool {
        is_word(self.kind(at)) && self.meaning(at) == Some(Meaning::Type)
    }

    /// Records a name that nothing declares, at its first place.
    fn record_unknown(&mut self, at: usize, taken: Taken) {
        let name = self.name(at);
        if self.recorded.insert(name.text) {
            self.out.unknown_words.push(UnknownWord { name, taken });
        }
    }

    // ---- Writing ----

    /// Writes the token at `at` as what it is. Returns the next one to read, as all that follow do.
    fn write(&mut self, at: usize) -> usize {
        self.write_as(at, self.input[at].token.kind)
    }

    fn write_as(&mut self, at: usize, kind: TokenKind) -> usize {
        let item = self.input[at];
        self.out.stream.push((item.start, Token { kind, text: item.token.text }, item.end));
        self.out.origin.push(at as u32);
        self.last = kind;
        self.after_type = false;
        self.after_type_operand = false;
        at + 1
    }

    /// Writes a token that is missing before the one at `at`.
    fn insert(&mut self, at: usize, kind: TokenKind) {
        let end = self.out.stream.last().map_or(0, |(_, _, end)| *end);
        self.out.stream.push((end, Token { kind, text: Symbol::EMPTY }, end));
        self.out.origin.push(at as u32);
        self.last = kind;
    }

    /// Writes one token for all from `at` up to `end`.
    fn write_group(&mut self, at: usize, end: usize, kind: TokenKind) -> usize {
        let token = Token { kind, text: Symbol::EMPTY };
        self.out.stream.push((self.input[at].start, token, self.input[end - 1].end));
        self.out.origin.push(at as u32);
        end
    }

    // ---- The loop ----

    fn step(&mut self, at: usize) -> usize {
        let kind = self.kind(at);
        let frame = *self.top();
        match kind {
            K::Extension => return at + 1,
            K::Pragma => {
                if let Some(packing) = Packing::of_pragma(self.input[at].token.text.as_str()) {
                    self.packing = packing;
                    return at + 1;
                }
                return if frame.place == Place::Block && frame.state == State::Start {
                    self.write(at)
                } else {
                    at + 1
                };
            }
            _ => {}
        }
        if let Some(next) = self.attribute(at) {
            return next;
        }
        if frame.state == State::Start && !frame.started && frame.place.holds_declarations() {
            let depth = self.frames.len() as u32;
            self.out.starts.push((at as u32, depth));
            self.top().started = true;
        }
        match kind {
            K::LeftParen | K::LeftBracket | K::LeftBrace => self.open(at),
            K::RightParen | K::RightBracket | K::RightBrace => self.close(at),
            K::Semicolon => {
                match frame.place {
                    Place::For => {
                        // What `init` declares ends here: a comma behind it is an operator.
                        let top = self.top();
                        (top.state, top.declaring) = (State::Expression, false);
                    }
                    place if place.holds_declarations() => self.top().restart(),
                    _ => {}
                }
                self.write(at)
            }
            K::Comma => self.comma(at),
            K::Colon => self.colon(at),
            K::Question => {
                let top = self.top();
                top.questions += 1;
                top.state = State::Expression;
                self.write(at)
            }
            K::Star | K::Caret => {
                let declares = match frame.state {
                    State::Specifiers { .. } | State::Declarator => true,
                    State::Start => frame.place == Place::Declarator,
                    _ => false,
                };
                let operand = self.after_operand();
                let top = self.top();
                if declares {
                    top.state = State::Declarator;
                } else {
                    top.state = State::Expression;
                    top.block_literal = kind == K::Caret && !operand;
                }
                self.write(at)
            }
            K::AsmWord => self.assembly(at),
            K::Broken => {
                if frame.place != Place::Parameters {
                    self.top().restart();
                }
                self.write(at)
            }
            K::Identifier | K::TypeName => self.word(at),
            kind if is_contextual(kind) && self.is_plain_name(at) => self.declared_or_used(at),
            kind if is_specifier(kind) => self.specifier(at),
            kind if begins_statement(kind) => self.statement(at),
            _ => {
                self.top().state = State::Expression;
                self.write(at)
            }
        }
    }

    /// Whether an operator here has its left operand already.
    fn after_operand(&self) -> bool {
        match self.last {
            K::Identifier
            | K::Number
            | K::Character
            | K::String
            | K::RightBracket
            | K::BrokenExpression
            | K::Arguments => true,
            K::RightParen => {
                (!self.after_type || self.after_type_operand)
                    && self.frames.last().is_some_and(|top| top.state != State::Start)
            }
            K::RightBrace => self.frames.last().is_some_and(|top| top.state == State::Expression),
            K::PlusPlus | K::MinusMinus => true,
            _ => false,
        }
    }

    fn statement(&mut self, at: usize) -> usize {
        let kind = self.kind(at);
        if kind == K::Default && self.top().type_argument == TypeArgument::Generic {
            self.top().state = State::Expression;
            return self.write(at);
        }
        if self.top().place.holds_declarations() && self.top().state != State::Start {
            // A `;` is missing; the parser will say so.
            self.top().restart();
            let depth = self.frames.len() as u32;
            self.out.starts.push((at as u32, depth));
            self.top().started = true;
        }
        match kind {
            K::Else | K::Do => {
                self.top().state = State::Start;
                self.top().started = false;
            }
            K::Case => {
                self.top().state = State::Expression;
                self.top().case = true;
            }
            K::Default if self.kind(at + 1) == K::Colon => {
                self.write(at);
                self.top().started = false;
                return self.write(at + 1);
            }
            K::Goto if is_name(self.kind(at + 1)) => {
                self.top().state = State::Expression;
                self.write(at);
                return self.write_as(at + 1, K::Identifier);
            }
            _ => self.top().state = State::Expression,
        }
        self.write(at)
    }

    fn comma(&mut self, at: usize) -> usize {
        let top = self.top();
        match top.place {
            Place::Parameters | Place::Enumerators | Place::Initializer => top.restart(),
            Place::Paren if top.type_argument != TypeArgument::Never => {
                top.restart();
                top.must_be_type = true;
            }
            _ if top.declaring => top.state = State::Declarator,
            _ => {}
        }
        self.write(at)
    }

    fn colon(&mut self, at: usize) -> usize {
        let top = self.top();
        if top.questions > 0 {
            top.questions -= 1;
            top.state = State::Expression;
        } else if top.case {
            top.restart();
        } else {
            top.state = State::Expression;
        }
        self.write(at)
    }
}
