//! The adapter for C++, that is CUDA and HIP: the differences from C.
//!
//! The adapter resolves every ambiguity of C++ before the parser runs. The kinds of the tokens that it writes show the
//! result:
//!
//! | text | decided by | written as |
//! |---|---|---|
//! | `a < b > c` | `angles`: a `>` that fits, no variable before `<` | `TemplateOpen`, `TemplateClose` |
//! | `a * b;`, `a b;`, `a<b> c;` | `shape`: the meaning of `a`, otherwise the next tokens | `Declares` before it |
//! | `(a) b`, `f<a>`, `sizeof(a)` | the same | `TypeFollows` before it |
//! | `T x(y);`, `T f(int);` | the place, otherwise whether parameters begin | `InitParen` |
//! | `T(x)`, `T{x}` | whether `T` is a type; before `{` it must be a type | `TypeName` |
//! | `a::b` | the tokens after `a` | `ScopeName` |
//! | `{` | the tokens before it | `InitBrace`, `MemberBrace` |
//! | `[` | whether an operand is before it; `auto` | `LambdaBracket`, `BindingBracket` |
//! | `:` | the place | `ClassColon` |
//! | `T(int);` in the class `T` | the name of the class | `SpecialName` |
//! | `(… + x)` | the operator beside it | `FoldDots` |
//!
//! Code that does not run on the device is skipped: the body of a function without `__device__`, `__global__` or
//! `constexpr` becomes a `;`.
//!
//! | module | contents |
//! |---|---|
//! | `fold` | merges several tokens into one |
//! | `angles` | decides which `<` open template arguments |
//! | `shape` | looks ahead over names and types |
//! | `nesting` | opens and closes brackets, and with them places and scopes |
//! | `declarations` | reads declarations and the heads of templates |
//! | `roles` | decides which words are types, declared names and macros |
//! | `classes` | reads classes; skips host code |
//! | `expressions` | reads statements and expressions |

mod angles;
mod classes;
mod declarations;
mod expressions;
mod fold;
mod nesting;
mod roles;
mod shape;

use rustc_hash::FxHashSet;

use super::frames::{BracketContext, DeclState, Frame, ParenContents};
use super::guess::spelling::is_in_capitals;
use super::scan::{self, AdapterToken, Language, Tokens};
use super::{Input, ParserInput};
use crate::brackets::Brackets;
use crate::lexicon::Lexicon;
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind as K};

/// The additional state of a scan of C++.
#[derive(Default)]
struct Cpp {
    /// The indices of `>` that looked like template brackets and are comparisons.
    comparisons: FxHashSet<usize>,
    /// Specifiers before the head of a template, each with its span and the index of its input token.
    carried: Vec<(u32, Token, u32, u32)>,
    /// Whether an undefined macro before the next declaration may expand to `__device__`.
    may_be_device: bool,
    /// The names that the item uses as types. Computed at the first use.
    used_as_types: Option<FxHashSet<Symbol>>,
}

type Scan<'a> = scan::Scan<'a, Cpp>;

pub(super) fn adapt(input: &[Input], brackets: &Brackets, words: &Lexicon, packing: Packing) -> ParserInput {
    let mut out = ParserInput::default();
    let all = AdapterToken::all(input);
    let folded = fold::fold(Tokens { all: &all, partner: &brackets.partner }, &mut out.payloads);
    let (all, partner) = angles::angles(folded);
    Scan::new(Cpp::default(), words, Tokens { all: &all, partner: &partner }, out, packing).run()
}

/// Returns the name of an unsupported construct among `tokens`, or `None`.
pub(crate) fn unsupported_construct(tokens: &[Input]) -> Option<&'static str> {
    let kind = |at: usize| tokens.get(at).map_or(K::Semicolon, |item| item.token.kind);
    (0..tokens.len()).find_map(|at| {
        let text = tokens[at].token.text.as_str();
        match (kind(at), kind(at + 1)) {
            (K::Try | K::Catch, _) => Some("try"),
            // A construct around an opaque part is opaque for the same reason.
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

impl Language for Cpp {
    const AFTER_SEMICOLON: DeclState = DeclState::Start;

    fn read_common(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
        scan.anywhere(at)
    }

    fn start(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
        scan.start(at)
    }

    fn open(scan: &mut Scan<'_>, at: usize) -> usize {
        scan.open(at)
    }

    fn close(scan: &mut Scan<'_>, at: usize, frame: Frame) -> usize {
        scan.close_frame(at, frame)
    }

    fn comma(scan: &mut Scan<'_>, at: usize) -> usize {
        scan.comma(at)
    }

    fn colon_of_declaration(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
        let frame = *scan.top();
        match frame.state {
            DeclState::Tag => Some(scan.begin_bases(at)),
            DeclState::Declared
                if frame.function
                    && matches!(frame.place, BracketContext::File | BracketContext::Members) =>
            {
                if !frame.device {
                    return Some(scan.skip_body(at));
                }
                scan.top().state = DeclState::Initializers;
                Some(scan.write_as(at, K::ClassColon))
            }
            _ => None,
        }
    }

    fn read_other(scan: &mut Scan<'_>, at: usize) -> usize {
        match scan.top().state {
            DeclState::Specifiers { .. } | DeclState::Declarator | DeclState::Declared => {
                scan.in_declaration(at)
            }
            DeclState::Tag => scan.in_tag(at),
            DeclState::Bases => scan.in_bases(at),
            DeclState::Initializers => scan.in_initializers(at),
            DeclState::Start | DeclState::Expression => scan.in_expression(at),
        }
    }

    fn begins_at_keyword(place: BracketContext) -> bool {
        place == BracketContext::Block
    }

    fn is_statement_macro(name: Symbol) -> bool {
        is_in_capitals(name)
    }

    fn follows_statement_macro(scan: &Scan<'_>, at: usize, call: bool, next: bool) -> bool {
        scan.follows_statement_macro(at, call, next)
    }
}

impl Scan<'_> {
    fn anywhere(&mut self, at: usize) -> Option<usize> {
        let kind = self.kind(at);
        let frame = *self.top();
        if let Some((last, role)) = frame.name
            && at <= last
        {
            return Some(self.part_of_name(at, last, role));
        }
        if let Some(next) = self.end_statement_macro(at) {
            return Some(next);
        }
        if let Some((from, to)) = frame.new {
            if at == from {
                self.insert(at, K::TypeFollows);
                let top = self.top();
                (top.state, top.is_type) = (DeclState::Specifiers { typed: false }, true);
                top.new = Some((usize::MAX, to));
                return Some(at);
            }
            if at == to {
                self.insert(at, K::TypeEnds);
                let top = self.top();
                (top.state, top.is_type, top.new) = (DeclState::Expression, false, None);
                return Some(match kind {
                    K::LeftParen => self.enter(
                        at,
                        Frame::inside(BracketContext::Paren, ParenContents::Call),
                        K::InitParen,
                    ),
                    _ => at,
                });
            }
        }
        match kind {
            K::Pragma => Some(self.pragma(at)),
            K::Attribute => Some(self.attribute(at)),
            K::Noexcept if frame.lambda || frame.state != DeclState::Expression => Some(at + 1),
            K::Noexcept => {
                Some(self.write_group(at, at + 1, K::OpaqueExpression, Symbol::intern("noexcept")))
            }
            K::Requires => Some(self.requires(at)),
            K::Broken | K::Opaque => {
                if frame.place != BracketContext::Parameters {
                    self.restart();
                }
                Some(self.write(at))
            }
            K::TemplateClose if self.language.comparisons.remove(&at) => {
                self.top().state = DeclState::Expression;
                Some(self.write_as(at, K::Greater))
            }
            K::BrokenExpression => {
                self.top().state = DeclState::Expression;
                Some(self.write(at))
            }
            _ if frame.lambda => self.head_of_lambda(at),
            _ => None,
        }
    }

    fn attribute(&mut self, at: usize) -> usize {
        let frame = *self.top();
        let counts = match frame.state {
            DeclState::Start => {
                matches!(
                    frame.place,
                    BracketContext::File
                        | BracketContext::Block
                        | BracketContext::Members
                        | BracketContext::Parameters
                )
            }
            DeclState::Specifiers { .. } | DeclState::Declarator => !frame.is_result,
            // Not in `char buffer alignas(16)[4]`.
            DeclState::Declared => !frame.is_result && self.kind(at + 1) != K::LeftBracket,
            DeclState::Tag => !matches!(self.last, K::Identifier | K::TemplateClose),
            _ => false,
        };
        if !counts || frame.lambda || frame.place == BracketContext::Declarator {
            return at + 1;
        }
        if frame.state == DeclState::Start
            && frame.place == BracketContext::Block
            && matches!(self.kind(at + 1), K::Using | K::StaticAssert)
        {
            return at + 1;
        }
        if matches!(frame.place, BracketContext::File | BracketContext::Members)
            && frame.state == DeclState::Start
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
            BracketContext::Parameters
            | BracketContext::Enumerators
            | BracketContext::Initializer
            | BracketContext::TemplateArguments
            | BracketContext::TemplateParameters => self.restart(),
            BracketContext::Paren if frame.inside != ParenContents::Group => {
                self.restart();
                if frame.inside == ParenContents::TypeSecond {
                    self.top().inside = ParenContents::Type;
                }
                if frame.inside == ParenContents::TypeFirst {
                    self.top().inside = ParenContents::Call;
                }
            }
            _ if matches!(frame.state, DeclState::Bases | DeclState::Initializers) => {}
            _ if frame.declaring => {
                let top = self.top();
                (top.state, top.function, top.is_type, top.is_result) =
                    (DeclState::Declarator, false, false, false);
            }
            _ => self.top().state = DeclState::Expression,
        }
        self.write(at)
    }
}
