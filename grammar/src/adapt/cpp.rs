//! What the names and brackets of C++ mean where they stand: the adapter between the tokens of an item and the grammar of C++.
//!
//! C++ cannot be parsed by its grammar alone. The adapter settles each ambiguity before the parser runs, in passes over the tokens of which each looks at a
//! token a constant number of times, and tells the parser with the kinds of the tokens that it hands on:
//!
//! | what is written | is told apart by | and becomes |
//! |---|---|---|
//! | `a < b > c` | `angles`: a `>` that fits, no variable before `<` | `TemplateOpen`, `TemplateClose` |
//! | `a * b;`, `a b;`, `a<b> c;` | `shape`: what is known of `a`, else what follows | `Declares` before it |
//! | `(a) b`, `f<a>`, `sizeof(a)` | the same | `TypeFollows` before it |
//! | `T x(y);`, `T f(int);` | the place, else whether parameters begin | `InitParen` |
//! | `T(x)`, `T{x}` | whether `T` is a type; before `{` it must be one | `TypeName` |
//! | `a::b` | what follows `a` | `ScopeName` |
//! | `{` | what stands before it | `InitBrace`, `MemberBrace` |
//! | `[` | whether an operand stands before it; `auto` | `LambdaBracket`, `BindingBracket` |
//! | `:` | the place | `ClassColon` |
//! | `T(int);` in the class `T` | the name of the class | `SpecialName` |
//! | `(… + x)` | the operator beside it | `FoldDots` |
//!
//! Names are known by scopes ([`Scopes`]), which C's adapter has as well. What nothing in sight declares is judged by what stands around it, or by its spelling.
//!
//! Code that does not run on the device is not read: the body of a function without `__device__`, `__global__` or `constexpr` becomes a `;`.
//!
//! | room | does |
//! |---|---|
//! | `fold` | makes one token of several |
//! | `angles` | tells brackets of templates |
//! | `shape` | looks ahead over names and types |
//! | `nesting` | opens and closes brackets, and so places and scopes |
//! | `declarations` | reads declarations and the heads of templates |
//! | `words` | tells types, declared names and macros apart |
//! | `classes` | reads classes; leaves out what runs on the host |
//! | `expressions` | reads statements and expressions |

mod angles;
mod classes;
mod declarations;
mod expressions;
mod fold;
mod nesting;
mod shape;
mod words;

use rustc_hash::FxHashSet;

use crate::adapt::fold::Tokens;
use crate::adapt::scopes::{Meaning, Scopes};
use crate::adapt::{Adapted, Input, Place, Taken, UnknownWord};
use crate::ast::{Name, Span};
use crate::brackets::{Brackets, NO_PARTNER};
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind, TokenKind as K};
use fold::Folded;

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
    /// Behind `struct` or `enum`.
    Tag,
    /// Behind the `:` of a class.
    Bases,
    /// Behind the `:` of a constructor.
    Initializers,
    Expression,
}

/// What may stand between two parentheses or angle brackets of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// A value, or the type of a cast.
    Group,
    /// Arguments of a call.
    Call,
    /// A type or a value: `sizeof(…)`.
    Operand,
    /// `__builtin_offsetof(type, …)`.
    TypeFirst,
    /// `__builtin_va_arg(list, type)`.
    TypeSecond,
    /// `static_cast<type>`.
    Type,
}

#[derive(Clone, Copy)]
struct Frame {
    place: Place,
    inside: Inside,
    state: State,
    /// Within so many brackets; those of templates do not count.
    level: u32,
    /// Whether a name declared here is a type.
    typedef: bool,
    /// Whether a comma separates declarators here.
    declaring: bool,
    /// Whether a type without a name is being read.
    is_type: bool,
    /// Whether that is the result of a function or lambda, behind `->`.
    is_result: bool,
    /// Whether the declarator has parameters.
    function: bool,
    /// Whether the declaration is, or may be, of device code.
    device: bool,
    /// Whether the type of the declaration is `void`.
    void: bool,
    /// Behind the captures of a lambda, before its body.
    lambda: bool,
    /// Between the brackets of a lambda's captures.
    captures: bool,
    /// `?` without their `:` so far.
    questions: u32,
    /// Between `case` and its `:`.
    case: bool,
    /// Whether the start of the current statement is recorded.
    started: bool,
    /// The last word of the name that is being written, and what it is.
    name: Option<(usize, TokenKind)>,
    /// Where the type behind `new` begins, and where it ends.
    new: Option<(usize, usize)>,
    /// How long the stream was where the declaration began, and with which token it did.
    begun: usize,
    first: usize,
    /// Where a macro that is a statement ends.
    statement_end: Option<usize>,
    /// The name of the class whose members these are.
    class: Symbol,
    /// The keyword and the name of the class that begins.
    tag: TokenKind,
    class_head: Symbol,
    /// The scopes that end with this frame.
    scopes: u32,
    /// The scopes that end with the current declaration: parameters of templates and functions.
    heads: u32,
    /// The scopes that end with the lambda that begins.
    lambda_scopes: u32,
}

impl Frame {
    fn new(place: Place) -> Frame {
        Frame {
            place,
            inside: Inside::Group,
            state: State::Start,
            level: 1,
            typedef: false,
            declaring: false,
            is_type: false,
            is_result: false,
            function: false,
            device: false,
            void: false,
            lambda: false,
            captures: false,
            questions: 0,
            case: false,
            started: false,
            name: None,
            new: None,
            begun: 0,
            first: usize::MAX,
            statement_end: None,
            class: Symbol::EMPTY,
            tag: K::Struct,
            class_head: Symbol::EMPTY,
            scopes: 0,
            heads: 0,
            lambda_scopes: 0,
        }
    }

    fn inside(place: Place, inside: Inside) -> Frame {
        Frame { inside, ..Frame::new(place) }
    }
}

struct Scan<'a> {
    tokens: &'a [Folded],
    partner: &'a [u32],
    out: Adapted,
    frames: Vec<Frame>,
    /// The names among `out.unknown_words`.
    recorded: FxHashSet<Symbol>,
    scopes: Scopes,
    /// What `#pragma pack` says at this point.
    packing: Packing,
    /// The kind of the last token written.
    last: TokenKind,
    /// Whether that token is the `)` of a cast.
    after_type: bool,
    /// The closing brackets of what only seemed to be template arguments.
    comparisons: FxHashSet<usize>,
    /// Specifiers that were written before the head of a template, each with its input token.
    carried: Vec<(u32, Token, u32, u32)>,
    /// Whether a macro that stood before the next declaration may stand for `__device__`.
    may_be_device: bool,
    /// The names that the item uses as types. Collected when first asked for.
    used_as_types: Option<FxHashSet<Symbol>>,
}

/// So often a token is looked at before it is written.
const MAX_TURNS: u32 = 16;

/// Settles what the tokens of an item mean. `packing` is what `#pragma pack` says at its start.
pub(crate) fn adapt(input: &[Input], brackets: &Brackets, packing: Packing) -> Adapted {
    let mut out = Adapted::default();
    let folded = fold::fold(Tokens { input, partner: &brackets.partner }, &mut out.payloads);
    let (tokens, partner) = angles::angles(folded);
    out.stream.reserve(tokens.len());
    out.origin.reserve(tokens.len());
    let mut scan = Scan {
        tokens: &tokens,
        partner: &partner,
        out,
        frames: vec![Frame::new(Place::File)],
        recorded: FxHashSet::default(),
        scopes: Scopes::default(),
        packing,
        last: K::Semicolon,
        after_type: false,
        comparisons: FxHashSet::default(),
        carried: Vec::new(),
        may_be_device: false,
        used_as_types: None,
    };
    let mut at = 0;
    let mut turns = 0;
    while at < tokens.len() {
        let next = scan.step(at);
        // A token is looked at again when something begins or ends before it, which takes few turns.
        turns = if next == at { turns + 1 } else { 0 };
        at = if turns > MAX_TURNS { scan.write(at) } else { next };
    }
    scan.out.payloads.attributes.sort_by_key(|(start, _)| *start);
    scan.out
}

/// The construct among `tokens` that the grammar does not have, if there is one.
pub(crate) fn foreign(tokens: &[Input]) -> Option<&'static str> {
    let kind = |at: usize| tokens.get(at).map_or(K::Semicolon, |item| item.token.kind);
    (0..tokens.len()).find_map(|at| {
        let text = tokens[at].token.text.as_str();
        match (kind(at), kind(at + 1)) {
            (K::Try | K::Catch, _) => Some("try"),
            // What is around something that was given up is given up for the same reason.
            (K::Opaque, _) => Some(text),
            (K::Coroutine, _) => Some("coroutine"),
            (K::Requires | K::Concept, _) => Some("requires"),
            (K::Operator, _) => Some("operator"),
            (K::Dot | K::Arrow | K::ColonColon, K::Star) => Some("pointer to member"),
            (K::Generic, _) => Some("_Generic"),
            (K::AsmWord, K::LeftBrace) => Some("asm"),
            (K::Caret, K::LeftBrace) => Some("block"),
            (K::Identifier, K::LeftBrace | K::Identifier | K::LeftParen)
                if matches!(text, "__try" | "__except" | "import" | "export" | "module") =>
            {
                Some("module")
            }
            _ => None,
        }
    })
}

impl Scan<'_> {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the file is never closed")
    }

    /// The kind of the token at `at`, or of a semicolon behind the last.
    fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(K::Semicolon, |item| item.token.kind)
    }

    fn partner(&self, at: usize) -> Option<usize> {
        match self.partner.get(at) {
            Some(&partner) if partner != NO_PARTNER => Some(partner as usize),
            _ => None,
        }
    }

    /// The token behind the one at `at`, or behind the bracket that it opens.
    fn behind(&self, at: usize) -> usize {
        self.partner(at).filter(|partner| *partner > at).unwrap_or(at) + 1
    }

    fn text(&self, at: usize) -> Symbol {
        self.tokens.get(at).map_or(Symbol::EMPTY, |item| item.token.text)
    }

    fn meaning(&self, at: usize) -> Option<Meaning> {
        self.scopes.meaning(self.tokens.get(at)?.token)
    }

    /// Records a name that nothing declares, at its first place.
    fn record_unknown(&mut self, at: usize, taken: Taken) {
        let item = self.tokens[at];
        let name = Name { text: item.token.text, span: Span::new(item.start, item.end) };
        if self.recorded.insert(name.text) {
            self.out.unknown_words.push(UnknownWord { name, taken });
        }
    }

    /// Begins the next statement, declaration, argument, ….
    fn restart(&mut self) {
        let Frame { place, inside, level, scopes, class, heads, .. } = *self.top();
        self.scopes.close(heads);
        *self.top() = Frame { inside, level, scopes, class, ..Frame::new(place) };
    }

    // ---- Writing ----

    /// Writes the token at `at` as what it is. Returns the next one to read, as all that follow do.
    fn write(&mut self, at: usize) -> usize {
        self.write_as(at, self.tokens[at].token.kind)
    }

    fn write_as(&mut self, at: usize, kind: TokenKind) -> usize {
        let item = self.tokens[at];
        self.push(item.start, item.end, item.origin, Token { kind, text: item.token.text });
        at + 1
    }

    fn push(&mut self, start: u32, end: u32, origin: u32, token: Token) {
        self.out.stream.push((start, token, end));
        self.out.origin.push(origin);
        self.last = token.kind;
        self.after_type = false;
    }

    /// Writes a token that is missing before the one at `at`.
    fn insert(&mut self, at: usize, kind: TokenKind) {
        let last = self.last;
        let end = self.out.stream.last().map_or(0, |(_, _, end)| *end);
        // Markers stand where the next token does, so that spans begin there.
        let marker = matches!(kind, K::Declares | K::TypeFollows);
        let place = match self.tokens.get(at) {
            Some(item) if marker => item.start,
            _ => end,
        };
        let origin = self.tokens.get(at).or(self.tokens.last()).map_or(0, |item| item.origin);
        self.push(place, place, origin, Token { kind, text: Symbol::EMPTY });
        if marker {
            self.last = last;
        }
    }

    /// Writes one token for all from `at` up to `end`.
    fn write_group(&mut self, at: usize, end: usize, kind: TokenKind, text: Symbol) -> usize {
        let item = self.tokens[at];
        self.push(item.start, self.tokens[end - 1].end, item.origin, Token { kind, text });
        end
    }

    // ---- The loop ----

    fn step(&mut self, at: usize) -> usize {
        let kind = self.kind(at);
        let frame = *self.top();
        if let Some((last, role)) = frame.name
            && at <= last
        {
            return self.part_of_name(at, last, role);
        }
        if frame.statement_end == Some(at) {
            self.insert(at, K::Semicolon);
            self.restart();
            return at;
        }
        if let Some((from, to)) = frame.new {
            if at == from {
                self.insert(at, K::TypeFollows);
                let top = self.top();
                (top.state, top.is_type) = (State::Specifiers { typed: false }, true);
                top.new = Some((usize::MAX, to));
                return at;
            }
            if at == to {
                self.insert(at, K::TypeEnds);
                let top = self.top();
                (top.state, top.is_type, top.new) = (State::Expression, false, None);
                return match kind {
                    K::LeftParen => self.enter(at, Frame::inside(Place::Paren, Inside::Call), K::InitParen),
                    _ => at,
                };
            }
        }
        match kind {
            K::Pragma => return self.pragma(at),
            K::Attribute => return self.attribute(at),
            K::Noexcept if frame.lambda || frame.state != State::Expression => return at + 1,
            K::Noexcept => {
                return self.write_group(at, at + 1, K::OpaqueExpression, Symbol::intern("noexcept"));
            }
            K::Requires => return self.requires(at),
            K::Broken | K::Opaque => {
                if frame.place != Place::Parameters {
                    self.restart();
                }
                return self.write(at);
            }
            K::BrokenExpression => {
                self.top().state = State::Expression;
                return self.write(at);
            }
            _ => {}
        }
        if frame.lambda
            && let Some(next) = self.head_of_lambda(at)
        {
            return next;
        }
        if frame.state == State::Start {
            if !frame.started && frame.place.holds_declarations() {
                let origin = self.tokens[at].origin;
                self.out.starts.push((origin, frame.level));
                self.top().started = true;
            }
            if let Some(next) = self.start(at) {
                return next;
            }
        }
        match kind {
            K::LeftParen | K::LeftBracket | K::LeftBrace | K::TemplateOpen | K::LaunchOpen => self.open(at),
            K::RightParen | K::RightBracket | K::RightBrace | K::TemplateClose | K::LaunchClose => {
                self.close(at)
            }
            K::Semicolon => {
                match frame.place {
                    Place::For | Place::Control => {
                        let top = self.top();
                        (top.state, top.declaring, top.is_type) = (State::Start, false, false);
                    }
                    place if place.holds_declarations() => self.restart(),
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
            _ => match frame.state {
                State::Specifiers { .. } | State::Declarator | State::Declared => self.in_declaration(at),
                State::Tag => self.in_tag(at),
                State::Bases => self.in_bases(at),
                State::Initializers => self.in_initializers(at),
                State::Start | State::Expression => self.in_expression(at),
            },
        }
    }

    fn pragma(&mut self, at: usize) -> usize {
        if let Some(packing) = Packing::of_pragma(self.text(at).as_str()) {
            self.packing = packing;
            return at + 1;
        }
        let top = self.top();
        if top.place == Place::Block && top.state == State::Start { self.write(at) } else { at + 1 }
    }

    fn attribute(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let counts = match frame.state {
            State::Start => {
                matches!(frame.place, Place::File | Place::Block | Place::Members | Place::Parameters)
            }
            State::Specifiers { .. } | State::Declarator => !frame.is_result,
            // Not in `char buffer alignas(16)[4]`.
            State::Declared => !frame.is_result && self.kind(at + 1) != K::LeftBracket,
            State::Tag => !matches!(self.last, K::Identifier | K::TemplateClose),
            _ => false,
        };
        if !counts || frame.lambda || frame.place == Place::Declarator {
            return at + 1;
        }
        if frame.state == State::Start
            && frame.place == Place::Block
            && matches!(self.kind(at + 1), K::Using | K::StaticAssert)
        {
            return at + 1;
        }
        if matches!(frame.place, Place::File | Place::Members)
            && frame.state == State::Start
            && matches!(
                self.kind(at + 1),
                K::Using | K::StaticAssert | K::Namespace | K::Template | K::RightBrace | K::Semicolon
            )
        {
            return at + 1;
        }
        self.write(at)
    }

    fn comma(&mut self, at: usize) -> usize {
        let frame = *self.top();
        match frame.place {
            Place::Parameters
            | Place::Enumerators
            | Place::Initializer
            | Place::TemplateArguments
            | Place::TemplateParameters => self.restart(),
            Place::Paren if frame.inside != Inside::Group => {
                self.restart();
                if frame.inside == Inside::TypeSecond {
                    self.top().inside = Inside::Type;
                }
                if frame.inside == Inside::TypeFirst {
                    self.top().inside = Inside::Call;
                }
            }
            _ if matches!(frame.state, State::Bases | State::Initializers) => {}
            _ if frame.declaring => {
                let top = self.top();
                (top.state, top.function, top.is_type, top.is_result) =
                    (State::Declarator, false, false, false);
            }
            _ => self.top().state = State::Expression,
        }
        self.write(at)
    }

    fn colon(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let top = self.top();
        if frame.questions > 0 {
            top.questions -= 1;
            top.state = State::Expression;
            return self.write(at);
        }
        if frame.case {
            self.restart();
            return self.write(at);
        }
        match frame.state {
            State::Tag => self.begin_bases(at),
            State::Declared if frame.function && matches!(frame.place, Place::File | Place::Members) => {
                if !frame.device {
                    return self.leave_out_body(at);
                }
                self.top().state = State::Initializers;
                self.write_as(at, K::ClassColon)
            }
            _ => {
                self.top().state = State::Expression;
                self.write(at)
            }
        }
    }
}
