//! Cuts a stream of C++ tokens into top-level items, and drops host code that device code does not need.
//!
//! ```cpp
//! namespace ops {                                   // a container, not an item: its contents are in `ops`
//! template <typename T> struct pair { T a, b; };    // one item, ended by `;`
//! __global__ void k(float *p) { … }                 // one item, ended by `}`
//! void launch(float *p) { k<<<1, 256>>>(p); }       // host code: dropped, but the launch is recorded
//! }
//! ```
//!
//! `namespace … {` and `extern "C" {` are containers, and so is an undefined name before a `{`. Everything else ends
//! at a `;` outside brackets, or at the `}` of a function's body. [`keep`] decides from the tokens alone which items
//! are kept.
//!
//! A missing bracket affects only one item: no body can contain a `__global__` or a namespace, or at the start of a
//! line a `template` or `__device__`. At such a token, and at the end of the file, the open item is cut where lines
//! look like the start of a definition. For this, each token is read at most twice.

mod container;
mod recovery;

use tangle_grammar::lex::LexFlags;
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::Namespace;

use super::super::chunk::Builder;
use super::super::launches;
use super::c;
use super::declared::declared_types;
use super::keep::{self, ItemFacts};
use crate::dialect::Dialect;

/// The item that is being collected, its nesting depth, and its containers.
#[derive(Debug, Default)]
pub struct Cutter {
    dialect: Option<Dialect>,
    tokens: Vec<Token>,
    head: Head,
    /// Open braces.
    braces: u32,
    within: BraceKind,
    /// The positions where the item can be cut if it turns out to lack a brace.
    candidates: Vec<u32>,
    /// Whether the item is being cut at these positions.
    is_recutting: bool,
    /// The namespace of the open item, and the enclosing namespace of each open container.
    namespace: Namespace,
    around: Vec<Namespace>,
    /// The type names that finished items declared since the last `take_declared`.
    declared: Vec<Symbol>,
    /// The number of problems of the chunk at the start of the item.
    problems_before: usize,
    /// The `#pragma pack` in force at the start of the open item, and at this point.
    packing_before: Packing,
    packing: Packing,
}

/// The facts about an item from its tokens outside braces.
#[derive(Debug, Default)]
struct Head {
    /// Open parentheses and square brackets.
    parens: u32,
    /// Open angle brackets of a `template <…>`.
    angles: u32,
    /// Whether the last parenthesis outside all other brackets can contain parameters.
    holds_parameters: bool,
    saw_parameters: bool,
    saw_initialiser: bool,
    /// Whether a `:` is after the parameters, so that member initialisers follow.
    saw_members: bool,
    /// The first `class`, `struct`, `union` or `enum`.
    class_key: Option<u32>,
    /// Whether it contains tokens other than undefined macros and their arguments.
    saw_more_than_macros: bool,
    /// The index of the `{` of the body.
    body: Option<u32>,
    saw_members_of_class: bool,
    /// Whether it may contain a launch or be an explicit instantiation.
    saw_launch: bool,
}

/// The contents of the open braces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BraceKind {
    #[default]
    Body,
    /// Members of a class, or enumerators.
    Class,
    Value,
}

impl Cutter {
    pub fn start(&mut self, dialect: Dialect) {
        self.dialect = Some(dialect);
        self.tokens.clear();
        self.reset();
        self.namespace = Namespace::GLOBAL;
        self.around.clear();
        self.declared.clear();
    }

    pub fn at_boundary(&self) -> bool {
        self.tokens.is_empty() && self.around.is_empty()
    }

    pub fn is_open(&self) -> bool {
        !self.tokens.is_empty()
    }

    pub fn has_declared(&self) -> bool {
        !self.declared.is_empty()
    }

    pub fn take_declared(&mut self) -> Vec<Symbol> {
        std::mem::take(&mut self.declared)
    }

    pub fn set_packing(&mut self, packing: Packing) {
        (self.packing_before, self.packing) = (packing, packing);
    }

    /// Ends an item that contains only undefined macros.
    pub fn settle(&mut self, chunk: &mut Builder) {
        if self.is_open() && self.braces == 0 && self.head.parens == 0 && !self.head.saw_more_than_macros {
            self.finish(chunk);
        }
    }

    pub fn end(&mut self, chunk: &mut Builder) {
        if self.braces > 0 {
            self.recut(chunk);
        }
        if self.is_open() {
            self.finish(chunk);
        }
    }

    /// Adds the next token. Adds finished items to `chunk`.
    pub fn place(&mut self, chunk: &mut Builder, token: Token, flags: LexFlags) {
        if token.kind == TokenKind::Pragma {
            self.packing = Packing::of_pragma(token.text.as_str()).unwrap_or(self.packing);
        }
        if self.braces == 0 {
            return self.place_outside(chunk, token, flags);
        }
        match token.kind {
            TokenKind::LeftBrace if self.opens_namespace() && !self.is_recutting => {
                self.recut(chunk);
                return self.place_outside(chunk, token, flags);
            }
            TokenKind::LeftBrace => self.braces += 1,
            TokenKind::RightBrace => {
                self.braces -= 1;
                if self.braces == 0 && self.within == BraceKind::Body {
                    self.tokens.push(token);
                    return self.finish(chunk);
                }
            }
            kind if self.shows_missing_brace(kind, flags) => {
                self.recut(chunk);
                return self.place_outside(chunk, token, flags);
            }
            TokenKind::Less if self.previous() == TokenKind::LessLess => self.head.saw_launch = true,
            kind if flags.column_zero() && begins_definition(kind) && self.follows_end() => {
                self.candidates.push(self.tokens.len() as u32);
            }
            _ => {}
        }
        self.head.saw_launch |= self.is_launcher(token);
        self.tokens.push(token);
    }

    fn is_launcher(&self, token: Token) -> bool {
        token.kind == TokenKind::Identifier
            && self.dialect.is_some_and(|dialect| dialect.is_launcher(token.text))
    }

    /// Whether a definition can begin after the last token.
    fn follows_end(&self) -> bool {
        matches!(self.previous(), TokenKind::Semicolon | TokenKind::RightBrace)
    }

    fn place_outside(&mut self, chunk: &mut Builder, token: Token, flags: LexFlags) {
        if self.breaks_before(token.kind, flags) {
            self.finish(chunk);
        }
        let kind = token.kind;
        if self.tokens.is_empty() && self.skip_separator(kind) {
            return chunk.drop_tokens(1);
        }
        let ends = match kind {
            TokenKind::RightBrace => {
                self.finish(chunk);
                self.skip_separator(kind);
                return chunk.drop_tokens(1);
            }
            TokenKind::LeftBrace => {
                if self.opens_container() {
                    return self.enter(chunk);
                }
                self.open_brace();
                false
            }
            _ => self.note(kind),
        };
        self.head.saw_launch |= self.is_launcher(token);
        self.head.saw_more_than_macros |=
            !(kind == TokenKind::Identifier || self.head.parens > 0 || kind == TokenKind::RightParen);
        if self.tokens.is_empty() {
            self.problems_before = chunk.problems.len();
        }
        self.tokens.push(token);
        if ends {
            self.finish(chunk);
        }
    }

    /// Skips a token that belongs to no item. Returns whether it does so. A `}` closes the innermost container.
    fn skip_separator(&mut self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::RightBrace => {
                self.namespace = self.around.pop().unwrap_or_default();
                true
            }
            TokenKind::Semicolon => true,
            TokenKind::Pragma => {
                self.packing_before = self.packing;
                true
            }
            _ => false,
        }
    }

    /// Records a token of the head. Returns whether it ends the item.
    fn note(&mut self, kind: TokenKind) -> bool {
        let previous = self.previous();
        let index = self.tokens.len() as u32;
        let head = &mut self.head;
        // An explicit instantiation: `template __global__ void k<int>(int *);`.
        head.saw_launch |= previous == TokenKind::Template && kind != TokenKind::Less;
        match kind {
            TokenKind::Semicolon => return true,
            TokenKind::LeftParen => {
                if head.parens == 0 && head.angles == 0 {
                    // `struct ALIGN(16) S`: the parentheses belong to an undefined macro.
                    let is_of_macro = head.class_key.is_some_and(|key| index == key + 2);
                    head.holds_parameters = !takes_parenthesis(previous) && !is_of_macro;
                }
                head.parens += 1;
            }
            TokenKind::RightParen => {
                head.saw_parameters |= head.parens == 1 && head.angles == 0 && head.holds_parameters;
                head.parens = head.parens.saturating_sub(1);
            }
            TokenKind::LeftBracket => {
                if head.parens == 0 {
                    head.holds_parameters = false;
                }
                head.parens += 1;
            }
            TokenKind::RightBracket => head.parens = head.parens.saturating_sub(1),
            TokenKind::Less if previous == TokenKind::LessLess => head.saw_launch = true,
            _ if head.parens > 0 => {}
            TokenKind::Less if previous == TokenKind::Template || head.angles > 0 => head.angles += 1,
            // `struct S<T, enable_if_t<is_small(N)>> {`.
            TokenKind::Less
                if head.class_key.is_some()
                    && !head.saw_parameters
                    && matches!(previous, TokenKind::Identifier | TokenKind::TypeName) =>
            {
                head.angles += 1;
            }
            TokenKind::Greater => head.angles = head.angles.saturating_sub(1),
            TokenKind::GreaterGreater => head.angles = head.angles.saturating_sub(2),
            // `enable_if_t<C>=0` ends an argument list, and `N>=0` is a comparison.
            TokenKind::GreaterEqual if head.angles > 1 => head.angles -= 1,
            _ if head.angles > 0 => {}
            TokenKind::Equal if previous != TokenKind::Operator => head.saw_initialiser = true,
            TokenKind::Colon if head.saw_parameters => head.saw_members = true,
            TokenKind::Class | TokenKind::Struct | TokenKind::Union | TokenKind::Enum => {
                if head.class_key.is_none() && previous != TokenKind::Arrow {
                    // Parentheses before it, as in `ALIGN(16) struct S`, were not parameters.
                    head.saw_parameters = false;
                }
                head.class_key = head.class_key.or(Some(index));
            }
            _ => {}
        }
        false
    }

    /// The kind of the previous token; a semicolon at the start of an item.
    fn previous(&self) -> TokenKind {
        self.tokens.last().map_or(TokenKind::Semicolon, |token| token.kind)
    }

    /// Opens a `{` that belongs to the item.
    fn open_brace(&mut self) {
        let previous = self.previous();
        let head = &mut self.head;
        self.braces = 1;
        if head.angles > 0 && previous == TokenKind::RightParen {
            // The `<` was not a bracket, or its `>` is missing.
            head.angles = 0;
        }
        let ends_name = matches!(
            previous,
            TokenKind::Identifier | TokenKind::TypeName | TokenKind::Greater | TokenKind::RightBracket
        );
        self.within = if head.parens > 0 || head.angles > 0 || head.saw_initialiser {
            BraceKind::Value
        } else if head.saw_parameters {
            let is_value = head.saw_members && ends_name || previous == TokenKind::Requires;
            if is_value { BraceKind::Value } else { BraceKind::Body }
        } else if head.class_key.is_some() && !head.saw_members_of_class {
            head.saw_members_of_class = true;
            BraceKind::Class
        } else if previous == TokenKind::RightParen {
            // `requires (T t) { … }`.
            BraceKind::Value
        } else if ends_name && self.tokens.len() > 1 {
            BraceKind::Value
        } else {
            BraceKind::Body
        };
        if self.within == BraceKind::Body {
            head.body = Some(self.tokens.len() as u32);
        }
    }

    fn finish(&mut self, chunk: &mut Builder) {
        let head = &self.head;
        if head.saw_launch {
            let launchers = |name| self.dialect.is_some_and(|dialect| dialect.is_launcher(name));
            chunk.launches.extend(launches::of_item(&self.tokens, chunk.claimed, &launchers));
        }
        let shape = ItemFacts {
            body: head.body.map(|body| body as usize),
            class_key: head.class_key.map(|key| key as usize),
            has_members: head.saw_members_of_class,
            has_parameters: head.saw_parameters,
        };
        declared_types(&self.tokens, &shape, &mut self.declared);
        let is_kept =
            self.dialect.is_some_and(|dialect| keep::is_kept(&self.tokens, &shape, dialect.lexicon()));
        match is_kept {
            true => chunk.item(&self.tokens, self.packing_before, self.namespace),
            false => {
                chunk.drop_tokens(self.tokens.len());
                chunk.drop_expansion_problems(self.problems_before);
            }
        }
        self.packing_before = self.packing;
        self.tokens.clear();
        self.reset();
    }

    /// Resets the state for the next item.
    fn reset(&mut self) {
        self.head = Head::default();
        self.braces = 0;
        self.within = BraceKind::Body;
        self.candidates.clear();
    }
}

/// Keywords with their own parentheses, which are not a parameter list.
fn takes_parenthesis(kind: TokenKind) -> bool {
    c::takes_parenthesis(kind)
        || matches!(
            kind,
            TokenKind::AttributeCall
                | TokenKind::Requires
                | TokenKind::Noexcept
                | TokenKind::Throw
                | TokenKind::Modifier
                | TokenKind::Operator
        )
}

/// Whether definitions at file scope often begin with this token.
fn begins_definition(kind: TokenKind) -> bool {
    c::begins_definition(kind)
        || matches!(
            kind,
            TokenKind::Class
                | TokenKind::Namespace
                | TokenKind::Template
                | TokenKind::Using
                | TokenKind::Host
                | TokenKind::Device
                | TokenKind::Shared
                | TokenKind::ConstantMemory
                | TokenKind::Managed
                | TokenKind::Constexpr
                | TokenKind::AttributeCall
                | TokenKind::StaticAssert
        )
}
