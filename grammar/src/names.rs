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
//! It is a loop with a stack of its own: nothing here recurses, and each token is looked at a constant number of times.

mod fold;
mod guess;
mod kinds;
mod old_style;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Attribute, Name, Span};
use crate::brackets::{Brackets, NO_PARTNER};
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, TokenKind as K};
use crate::tree::Payloads;
use crate::words::Words;
use guess::Role;
use kinds::{
    allows_overloads, begins_statement, is_contextual, is_name, is_specifier, is_type_word, is_word,
    looks_like_macro,
};

/// A word that nothing declares, and what it is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    pub name: Name,
    pub taken: Taken,
}

/// What an unknown word is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A type.
    Type,
    /// Something that a declaration is complete without: `INLINE` in `INLINE void f()`.
    Nothing,
    /// What makes the name of a function: `NAME(a, b)` in `void NAME(a, b)(int n) {`.
    Name,
    /// `for`, under another name.
    Loop,
    /// A statement that has no `;` behind it, unless something declares the name after all.
    Statement,
    /// Arguments of a call that have no `,` before them, unless something declares the name after all.
    Arguments,
}

/// A token, and the part of the item that it stands for: a repair may stand for many tokens, or for none.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// What the grammar reads, and what the scan learned on the way.
#[derive(Default)]
pub(crate) struct Adapted {
    pub stream: Vec<(u32, Token, u32)>,
    /// For each token of the stream, the input token that it begins with.
    pub origin: Vec<u32>,
    pub payloads: Payloads,
    pub unknown_words: Vec<UnknownWord>,
    /// The opening bracket of each place, in order.
    pub places: Vec<(u32, Place)>,
    /// Where statements, declarations, members and parameters begin, and within how many brackets.
    pub starts: Vec<(u32, u32)>,
}

/// What stands between two brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    Block,
    Members,
    Enumerators,
    Initializer,
    Parameters,
    /// Parentheses within a declarator: `(*f)`.
    Declarator,
    /// The condition of `if`, `while` or `switch`.
    Control,
    For,
    /// Any other parentheses: an expression, or the type of a cast.
    Paren,
    Index,
}

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Type,
    Variable,
}

struct Scan<'a> {
    words: &'a Words,
    input: &'a [Input],
    brackets: &'a Brackets,
    out: Adapted,
    frames: Vec<Frame>,
    /// The names among `out.unknown_words`.
    recorded: FxHashSet<Symbol>,
    /// What this item's names mean at this point.
    meanings: FxHashMap<Symbol, Meaning>,
    /// What the names of the open scopes meant before.
    shadowed: Vec<(Symbol, Option<Meaning>)>,
    /// The length of `shadowed` at the start of each open scope.
    scopes: Vec<usize>,
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
        meanings: FxHashMap::default(),
        shadowed: Vec::new(),
        scopes: Vec::new(),
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

    // ---- Scopes ----

    fn meaning(&self, token: Token) -> Option<Meaning> {
        match self.meanings.get(&token.text) {
            Some(&meaning) => Some(meaning),
            None if token.kind == K::TypeName => Some(Meaning::Type),
            None => None,
        }
    }

    fn is_type(&self, at: usize) -> bool {
        self.input
            .get(at)
            .is_some_and(|item| is_word(item.token.kind) && self.meaning(item.token) == Some(Meaning::Type))
    }

    fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let before = self.meanings.insert(name, meaning);
        self.shadowed.push((name, before));
    }

    /// Records a name that nothing declares, at its first place.
    fn record_unknown(&mut self, at: usize, taken: Taken) {
        let name = self.name(at);
        if self.recorded.insert(name.text) {
            self.out.unknown_words.push(UnknownWord { name, taken });
        }
    }

    fn open_scope(&mut self) {
        self.scopes.push(self.shadowed.len());
    }

    fn close_scopes(&mut self, count: u32) {
        for _ in 0..count {
            let Some(start) = self.scopes.pop() else { return };
            for (name, before) in self.shadowed.drain(start..).rev() {
                match before {
                    Some(meaning) => self.meanings.insert(name, meaning),
                    None => self.meanings.remove(&name),
                };
            }
        }
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
        if frame.state == State::Start && !frame.started && holds_declarations(frame.place) {
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
                    place if holds_declarations(place) => self.top().restart(),
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
        if holds_declarations(self.top().place) && self.top().state != State::Start {
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

    // ---- Brackets ----

    fn open(&mut self, at: usize) -> usize {
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

    fn enter(&mut self, at: usize, frame: Frame) -> usize {
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
            Place::Parameters => self.open_scope(),
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
            self.open_scope();
            inner.scopes = 1 + std::mem::take(&mut self.handed_on);
        } else if frame.state == State::Start {
            self.top().state = State::Expression;
        }
        self.enter(at, inner)
    }

    fn close(&mut self, at: usize) -> usize {
        if self.partner(at).is_none() || self.frames.len() == 1 {
            return self.write(at);
        }
        let inner = self.frames.pop().unwrap_or_else(|| Frame::new(Place::File));
        if inner.place == Place::Block {
            self.drop_pragmas();
        }
        self.close_scopes(inner.scopes);
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
                    self.close_scopes(1);
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
            Place::Block | Place::Initializer | Place::File => {}
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

    // ---- Words ----

    /// A word that is a name and nothing else: the declared one, or one in an expression.
    fn declared_or_used(&mut self, at: usize) -> usize {
        let is_member = matches!(self.last, K::Dot | K::Arrow);
        match self.top().state {
            State::Specifiers { .. } | State::Declarator if !is_member => self.declarator_name(at),
            _ => {
                self.top().state = State::Expression;
                self.write_as(at, K::Identifier)
            }
        }
    }

    fn declarator_name(&mut self, at: usize) -> usize {
        let meaning = if self.top().typedef { Meaning::Type } else { Meaning::Variable };
        if self.top().place != Place::Members {
            self.declare(self.input[at].token.text, meaning);
        }
        self.top().state = State::Declared;
        self.write_as(at, K::Identifier)
    }

    /// The name of a function that a macro makes: what is written stands for it.
    fn made_name(&mut self, at: usize, end: usize) -> usize {
        self.record_unknown(at, Taken::Name);
        let spelling = |item: &Input| match item.token.kind.spelling() {
            Some(spelling) => spelling.to_owned(),
            None => item.token.text.as_str().to_owned(),
        };
        let text = Symbol::intern(&self.input[at..end].iter().map(spelling).collect::<String>());
        self.declare(text, Meaning::Variable);
        self.top().state = State::Declared;
        self.write_group(at, end, K::Identifier);
        self.out.stream.last_mut().expect("just written").1.text = text;
        self.last = K::Identifier;
        end
    }

    fn word(&mut self, at: usize) -> usize {
        if matches!(self.last, K::Dot | K::Arrow) {
            self.top().state = State::Expression;
            return self.write_as(at, K::Identifier);
        }
        let frame = *self.top();
        match frame.state {
            State::Start => self.first_word(at),
            State::Specifiers { typed: false } => self.word_before_type(at),
            State::Specifiers { typed: true } => {
                if frame.place == Place::File
                    && let Some(end) = self.end_of_made_name(at)
                {
                    return self.made_name(at, end);
                }
                if self.meaning(self.input[at].token).is_none() {
                    if is_word(self.kind(at + 1)) && looks_like_macro(self.input[at].token.text) {
                        return self.ignore(at);
                    }
                    if let Some(end) = self.end_of_macro(at).filter(|end| is_word(self.kind(*end))) {
                        self.record_unknown(at, Taken::Nothing);
                        return end;
                    }
                }
                self.declarator_name(at)
            }
            State::Declarator => {
                let is_left_out = is_word(self.kind(at + 1)) && self.meaning(self.input[at].token).is_none();
                if is_left_out && !self.is_last_name(at) {
                    return self.ignore(at);
                }
                self.declarator_name(at)
            }
            State::Declared => {
                // An unknown word behind a declarator, such as `void f() NOTHROW {`.
                if self.meaning(self.input[at].token).is_none() && looks_like_macro(self.input[at].token.text)
                {
                    return self.ignore(at);
                }
                self.used_word(at)
            }
            State::Expression => {
                let missing_semicolon = frame.place == Place::Block
                    && !frame.block_literal
                    && self.after_operand()
                    && self.is_type(at)
                    && is_name(self.kind(at + 1));
                if missing_semicolon {
                    self.top().restart();
                    return self.step(at);
                }
                if frame.call && self.after_operand() && self.adds_arguments(at) {
                    self.record_unknown(at, Taken::Arguments);
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

    /// Leaves a word out. Among specifiers it may matter which one it was: a space of addresses, or what lets functions share a name. There it
    /// becomes an attribute of its own name.
    fn ignore(&mut self, at: usize) -> usize {
        self.record_unknown(at, Taken::Nothing);
        let frame = *self.top();
        let is_kept = frame.place == Place::Parameters
            || frame.place == Place::File && allows_overloads(self.name(at).text);
        if is_kept && matches!(frame.state, State::Specifiers { .. }) {
            let attribute = Attribute { name: self.name(at), arguments: Box::default() };
            self.out.payloads.attributes.push((self.input[at].start, vec![attribute]));
            return self.write_group(at, at + 1, K::Attribute);
        }
        at + 1
    }

    fn take_as_type(&mut self, at: usize) -> usize {
        let name = self.input[at].token;
        if self.meaning(name).is_none() {
            self.record_unknown(at, Taken::Type);
            // Outside all scopes: to the end of the item.
            self.meanings.insert(name.text, Meaning::Type);
        }
        self.begin_specifiers(true);
        self.write_as(at, K::TypeName)
    }

    fn begin_specifiers(&mut self, typed: bool) {
        let top = self.top();
        top.declaring = matches!(top.place, Place::File | Place::Block | Place::Members | Place::For);
        top.is_type = top.place == Place::Paren;
        let before = matches!(top.state, State::Specifiers { typed: true });
        top.state = State::Specifiers { typed: typed || before };
    }

    /// A name at the start of something.
    fn first_word(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let meaning = self.meaning(self.input[at].token);
        let next = self.kind(at + 1);
        match frame.place {
            Place::Enumerators => {
                self.declare(self.input[at].token.text, Meaning::Variable);
                self.top().state = State::Declared;
                self.write_as(at, K::Identifier)
            }
            Place::Initializer => {
                self.top().state = State::Expression;
                if next == K::Colon { self.write_as(at, K::Identifier) } else { self.used_word(at) }
            }
            Place::Block if next == K::Colon => {
                self.write_as(at, K::Identifier);
                self.top().started = false;
                self.write(at + 1)
            }
            _ if meaning == Some(Meaning::Type) => self.take_as_type(at),
            Place::Block if meaning.is_none() && self.is_head_of_loop(at) => {
                self.record_unknown(at, Taken::Loop);
                self.top().state = State::Expression;
                self.write_as(at, K::For)
            }
            Place::Block | Place::For => {
                if frame.place == Place::Block
                    && meaning.is_none()
                    && let Some(end) = self.end_of_statement_macro(at)
                {
                    return self.statement_macro(at, end);
                }
                if meaning.is_none() && self.begins_declaration(at) {
                    return self.unknown_specifier(at);
                }
                self.top().state = State::Expression;
                self.write_as(at, K::Identifier)
            }
            Place::Paren => {
                if meaning.is_none() && (frame.must_be_type || self.is_unknown_cast(at)) {
                    return self.unknown_specifier(at);
                }
                self.top().state = State::Expression;
                self.write_as(at, K::Identifier)
            }
            Place::File if at + 1 == self.input.len() => self.ignore(at),
            Place::File if let Some(end) = self.end_of_made_name(at) => {
                self.begin_specifiers(true);
                self.made_name(at, end)
            }
            Place::File if next == K::LeftParen => match self.end_of_macro(at) {
                // A function without specifiers: its head may be a macro that is not defined.
                Some(end) if self.kind(end) == K::LeftBrace => {
                    self.begin_specifiers(true);
                    self.declarator_name(at)
                }
                Some(end) => {
                    self.record_unknown(at, Taken::Nothing);
                    end
                }
                None => self.write(at),
            },
            _ => self.unknown_specifier(at),
        }
    }

    /// `NAME` or `NAME(…)` as a statement, to which its macro would have put the `;`.
    fn statement_macro(&mut self, at: usize, end: usize) -> usize {
        self.record_unknown(at, Taken::Statement);
        self.top().state = State::Expression;
        let mut next = self.write_as(at, K::Identifier);
        while next < end {
            next = self.step(next);
        }
        self.insert(end, K::Semicolon);
        self.top().restart();
        end
    }

    /// A name behind specifiers none of which is a type: `const NAME x`, but `static NAME;`.
    fn word_before_type(&mut self, at: usize) -> usize {
        let frame = *self.top();
        if self.meaning(self.input[at].token) == Some(Meaning::Type) {
            return self.take_as_type(at);
        }
        let next = self.skip_attributes(at + 1);
        let is_type = match self.kind(next) {
            K::Star | K::Caret => true,
            K::LeftParen => matches!(self.kind(next + 1), K::Star | K::Caret),
            K::RightParen | K::Comma => frame.place == Place::Parameters || frame.is_type,
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

    fn specifier(&mut self, at: usize) -> usize {
        let kind = self.kind(at);
        let frame = *self.top();
        match frame.state {
            State::Expression => {
                let missing_semicolon =
                    frame.place == Place::Block && !frame.block_literal && frame.state == State::Expression;
                if missing_semicolon {
                    self.top().restart();
                    return self.step(at);
                }
            }
            State::Start | State::Specifiers { .. } => self.begin_specifiers(is_type_word(kind)),
            State::Declarator | State::Declared => {}
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

    /// `struct`, with its attributes, its tag, and the `{` of its members.
    fn tag(&mut self, at: usize) -> usize {
        let place = if self.kind(at) == K::Enum { Place::Enumerators } else { Place::Members };
        let mut next = self.write(at);
        while let Some(end) = self.attribute(next) {
            next = end;
        }
        if is_name(self.kind(next)) {
            next = self.write_as(next, K::Identifier);
        }
        if self.kind(next) == K::LeftBrace && self.partner(next).is_some() {
            if place == Place::Members {
                self.out.payloads.packings.push((self.input[next].start, self.packing));
            }
            next = self.enter(next, Frame::new(place));
        }
        next
    }
}

/// A place of statements or declarations that end in `;`, or of parameters.
fn holds_declarations(place: Place) -> bool {
    matches!(place, Place::File | Place::Block | Place::Members | Place::Parameters)
}
