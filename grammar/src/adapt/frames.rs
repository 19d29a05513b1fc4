//! The stack of open brackets: the kind of each, and the state of the statement or declaration inside it.

use super::scan::{Language, Scan};
use crate::symbol::Symbol;
use crate::token::{TokenKind, TokenKind as K};

/// The kind of the text between two brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BracketContext {
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
    /// `f<…>`, of C++.
    TemplateArguments,
    /// `template <…>`.
    TemplateParameters,
}

impl BracketContext {
    /// Whether it holds statements or declarations that end in `;`, or parameters.
    pub(crate) fn holds_declarations(self) -> bool {
        matches!(
            self,
            BracketContext::File
                | BracketContext::Block
                | BracketContext::Members
                | BracketContext::Parameters
        )
    }
}

/// The parsing state within the current statement, declaration, parameter, ….
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclState {
    Start,
    /// After the first specifier. `typed`: one of the specifiers was a type.
    Specifiers {
        typed: bool,
    },
    /// Before the declared name.
    Declarator,
    /// After the declared name.
    Declared,
    /// After `struct` or `enum`.
    Tag,
    /// After the `:` of a class.
    Bases,
    /// After the `:` of a constructor.
    Initializers,
    Expression,
}

/// The possible contents of a pair of parentheses or angle brackets in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParenContents {
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
    /// `static_cast<type>`, `_Atomic(type)`.
    Type,
    /// `_Generic(value, type: …, type: …)`.
    Generic,
}

/// An open bracket, or the file, with the state of the statement or declaration inside it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub place: BracketContext,
    pub inside: ParenContents,
    pub state: DeclState,
    /// The nesting depth; the file has depth 1. The brackets of templates do not count.
    pub level: u32,
    /// Whether a name declared here is a type.
    pub typedef: bool,
    /// Whether a comma separates declarators here.
    pub declaring: bool,
    /// Whether a type without a name is being read.
    pub is_type: bool,
    /// Whether that type is the result of a function or lambda, after `->`.
    pub is_result: bool,
    /// Whether the declarator has parameters.
    pub function: bool,
    /// Whether the declaration is, or may be, device code.
    pub device: bool,
    /// Whether the type of the declaration is `void`.
    pub void: bool,
    /// Between the captures of a lambda and its body; in C, between the `^` of a block literal and its `{`.
    pub lambda: bool,
    /// Between the brackets of a lambda's captures.
    pub captures: bool,
    /// The number of `?` without a `:` so far.
    pub questions: u32,
    /// Between `case` and its `:`.
    pub case: bool,
    /// Whether the start of the current statement is recorded.
    pub started: bool,
    /// The index of the last word of the name that is being written, and the kind of this word in the stream.
    pub name: Option<(usize, TokenKind)>,
    /// The start and the end of the type after `new`.
    pub new: Option<(usize, usize)>,
    /// The length of the stream where the declaration began, and the index of its first token.
    pub begun: usize,
    pub first: usize,
    /// The end of a macro that is a statement.
    pub statement_end: Option<usize>,
    /// The name of the class, if this frame contains its members.
    pub class: Symbol,
    /// The keyword and the name of the class whose definition is being read.
    pub tag: TokenKind,
    pub class_head: Symbol,
    /// The number of scopes that end with this frame.
    pub scopes: u32,
    /// The number of scopes that end with the current declaration: parameters of templates and functions.
    pub heads: u32,
    /// The number of scopes that end with the current lambda.
    pub lambda_scopes: u32,
}

impl Frame {
    pub fn new(place: BracketContext) -> Frame {
        Frame {
            place,
            inside: ParenContents::Group,
            state: DeclState::Start,
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

    pub fn inside(place: BracketContext, inside: ParenContents) -> Frame {
        Frame { inside, ..Frame::new(place) }
    }
}

impl<L: Language> Scan<'_, L> {
    pub fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the file must not be closed")
    }

    /// Opens the bracket at `at` and writes it with the kind `kind`.
    pub fn enter(&mut self, at: usize, frame: Frame, kind: TokenKind) -> usize {
        let around = self.top().level;
        let is_angle = matches!(kind, K::TemplateOpen | K::LaunchOpen);
        if !is_angle {
            self.out.places.push((self.tokens[at].origin, frame.place));
        }
        self.frames.push(Frame { level: around + u32::from(!is_angle), ..frame });
        self.write_as(at, kind)
    }

    /// Closes the innermost bracket.
    pub fn close(&mut self, at: usize) -> usize {
        if self.frames.len() == 1 {
            return self.write(at);
        }
        let frame = *self.top();
        if frame.place == BracketContext::Block {
            self.drop_pragmas();
        }
        self.frames.pop();
        // The declaration may end at this bracket.
        self.scopes.close(frame.heads + frame.lambda_scopes + frame.scopes);
        L::close(self, at, frame)
    }

    /// Removes the pragmas written last: no statement follows these pragmas at the end of a block.
    fn drop_pragmas(&mut self) {
        while self.out.stream.last().is_some_and(|(_, token, _)| token.kind == K::Pragma) {
            self.out.stream.pop();
            self.out.origin.pop();
        }
    }

    /// Resets the frame for the next statement, declaration, argument, ….
    pub fn restart(&mut self) {
        let Frame { place, inside, level, scopes, class, heads, .. } = *self.top();
        self.scopes.close(heads);
        *self.top() = Frame { inside, level, scopes, class, ..Frame::new(place) };
    }
}
