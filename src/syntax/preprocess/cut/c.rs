//! Cuts a stream of C tokens into top-level items.
//!
//! An item ends at a `;` outside braces, or at the `}` of a function's body:
//!
//! ```text
//! typedef struct { int a; } pair;        one item, ended by `;`
//! kernel void k(global int *p) { … }     one item, ended by `}`: the brace follows a parameter list
//! constant int table[] = { 1, 2 };       one item, ended by `;`
//! ```
//!
//! In C before 1989, declarations of parameters are between the parameter list and the body. If a parameter list
//! contains only names and a declaration follows, the item continues after the `;` as long as the body or another
//! such declaration follows.
//!
//! A missing bracket affects only one item: a `kernel` cannot be inside braces. At such a token, and at the end of
//! the file, the open item is cut where lines look like the start of a definition. The pieces keep their tokens, and
//! the parser reports the missing brackets.

use rustc_hash::FxHashSet;
use tangle_grammar::lex::LexFlags;
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::Namespace;

use super::super::chunk::Builder;

/// The item that is being collected, and its nesting depth.
#[derive(Debug, Default)]
pub struct Cutter {
    tokens: Vec<Token>,
    braces: u32,
    /// Open parentheses outside braces.
    parens: u32,
    /// Whether the last parenthesis outside all other brackets can contain parameters.
    holds_parameters: bool,
    saw_parameters: bool,
    saw_initialiser: bool,
    saw_typedef: bool,
    /// Whether the braces are the body of a function.
    in_body: bool,
    /// Whether the last outermost braces contain the members of a `struct`, `union` or `enum`.
    in_aggregate: bool,
    /// The maximum number of further declarations of parameters, in C before 1989.
    old_parameters: u32,
    /// The positions where the item can be cut if it turns out to lack a brace.
    candidates: Vec<u32>,
    /// The type names that finished items declared since the last `take_declared`.
    declared: Vec<Symbol>,
    /// The `#pragma pack` in force at the start of the open item, and at this point.
    packing_before: Packing,
    packing: Packing,
}

impl Cutter {
    /// Whether no item is open.
    pub fn at_boundary(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether finished items have declared type names that have not been taken yet.
    pub fn has_declared(&self) -> bool {
        !self.declared.is_empty()
    }

    pub fn take_declared(&mut self) -> Vec<Symbol> {
        std::mem::take(&mut self.declared)
    }

    /// Sets the packing for the next item. No item may be open.
    pub fn set_packing(&mut self, packing: Packing) {
        (self.packing_before, self.packing) = (packing, packing);
    }

    /// Ends the open item: the file has no more tokens.
    pub fn end(&mut self, chunk: &mut Builder) {
        if self.braces > 0 {
            self.recut(chunk);
        }
        if !self.tokens.is_empty() {
            self.finish(chunk);
        }
    }

    /// Adds the next token. Adds finished items to `chunk`.
    #[inline]
    pub fn place(&mut self, chunk: &mut Builder, token: Token, flags: LexFlags) {
        if token.kind == TokenKind::Pragma {
            self.packing = Packing::of_pragma(token.text.as_str()).unwrap_or(self.packing);
        }
        if self.braces == 0 {
            return self.place_outside(chunk, token, flags);
        }
        match token.kind {
            TokenKind::LeftBrace => self.braces += 1,
            TokenKind::RightBrace => {
                self.braces -= 1;
                if self.braces == 0 && self.in_body {
                    self.tokens.push(token);
                    return self.finish(chunk);
                }
            }
            TokenKind::Kernel => {
                self.recut(chunk);
                return self.place_outside(chunk, token, flags);
            }
            kind if flags.column_zero() && begins_definition(kind) => {
                if matches!(self.previous(), TokenKind::Semicolon | TokenKind::RightBrace) {
                    self.candidates.push(self.tokens.len() as u32);
                }
            }
            _ => {}
        }
        self.tokens.push(token);
    }

    fn place_outside(&mut self, chunk: &mut Builder, token: Token, flags: LexFlags) {
        if self.breaks_before(token.kind, flags) {
            self.finish(chunk);
        }
        if self.parens == 0 && self.previous() == TokenKind::RightParen && declares_parameter(token.kind) {
            self.old_parameters = old_parameters(&self.tokens);
        }
        let ends = match token.kind {
            TokenKind::Semicolon if self.old_parameters > 0 => {
                self.old_parameters -= 1;
                false
            }
            TokenKind::Semicolon => true,
            TokenKind::LeftBrace => {
                self.in_aggregate = self.names_aggregate();
                self.in_body = self.saw_parameters && !self.saw_initialiser && !self.in_aggregate;
                self.braces = 1;
                false
            }
            TokenKind::RightBrace => {
                if !self.tokens.is_empty() {
                    self.finish(chunk);
                }
                true
            }
            TokenKind::LeftParen => {
                if self.parens == 0 {
                    self.holds_parameters = !takes_parenthesis(self.previous());
                }
                self.parens += 1;
                false
            }
            TokenKind::RightParen => {
                if self.parens == 1 && self.holds_parameters {
                    self.saw_parameters = true;
                }
                self.parens = self.parens.saturating_sub(1);
                false
            }
            TokenKind::Equal if self.parens == 0 => {
                self.saw_initialiser = true;
                false
            }
            TokenKind::Typedef => {
                self.saw_typedef = true;
                false
            }
            // A pragma between two items belongs to no item: it becomes an item of its own.
            TokenKind::Pragma => self.tokens.is_empty(),
            _ => false,
        };
        self.tokens.push(token);
        if ends {
            self.finish(chunk);
        }
    }

    /// The kind of the previous token; a semicolon at the start of an item.
    fn previous(&self) -> TokenKind {
        self.tokens.last().map_or(TokenKind::Semicolon, |token| token.kind)
    }

    /// Whether the next brace belongs to `struct {` or `struct name {`.
    fn names_aggregate(&self) -> bool {
        self.tokens
            .iter()
            .rev()
            .take(2)
            .any(|token| matches!(token.kind, TokenKind::Struct | TokenKind::Union | TokenKind::Enum))
    }

    /// Whether the open item must have ended before this token, because the token cannot continue the item.
    fn breaks_before(&self, kind: TokenKind, flags: LexFlags) -> bool {
        let Some(previous) = self.tokens.last() else { return false };
        match previous.kind {
            // Only declarations of parameters leave the item open after their `;`.
            TokenKind::Semicolon => {
                kind != TokenKind::LeftBrace && !(self.old_parameters > 0 && declares_parameter(kind))
            }
            TokenKind::RightBrace if self.parens > 0 => {
                !(continues_expression(kind) || self.in_aggregate && declares_after_members(kind))
            }
            TokenKind::RightBrace if flags.column_zero() && !self.saw_initialiser => {
                kind != TokenKind::AttributeWord
                    && begins_definition(kind)
                    && !(self.saw_typedef && kind == TokenKind::TypeName)
            }
            // An undefined macro, or a declaration without its `;`.
            TokenKind::Identifier | TokenKind::Number | TokenKind::RightBracket | TokenKind::RightBrace => {
                flags.line_start() && matches!(kind, TokenKind::Kernel | TokenKind::Typedef)
            }
            TokenKind::RightParen => {
                flags.line_start()
                    && self.holds_parameters
                    && matches!(kind, TokenKind::Kernel | TokenKind::Typedef)
            }
            _ => false,
        }
    }

    /// Cuts the open item, which lacks a brace, at each position that looks like the start of a definition.
    fn recut(&mut self, chunk: &mut Builder) {
        let tokens = std::mem::take(&mut self.tokens);
        let candidates = std::mem::take(&mut self.candidates);
        let mut candidates = candidates.iter().peekable();
        self.reset();
        self.set_packing(self.packing_before);
        let mut types = FxHashSet::default();
        let mut known = self.declared.len();
        for (index, &(mut token)) in tokens.iter().enumerate() {
            let mut flags = LexFlags::SPACE_BEFORE;
            if candidates.next_if(|&&candidate| candidate as usize == index).is_some() {
                flags = LexFlags::LINE_START;
                if self.braces > 0 {
                    self.finish(chunk);
                }
            }
            types.extend(self.declared[known..].iter().copied());
            known = self.declared.len();
            if token.kind == TokenKind::Identifier && types.contains(&token.text) {
                token.kind = TokenKind::TypeName;
            }
            self.place(chunk, token, flags);
        }
        if !self.tokens.is_empty() {
            self.finish(chunk);
        }
    }

    fn finish(&mut self, chunk: &mut Builder) {
        if self.saw_typedef {
            declared_types(&self.tokens, &mut self.declared);
        }
        chunk.item(&self.tokens, self.packing_before, Namespace::GLOBAL);
        self.packing_before = self.packing;
        self.tokens.clear();
        self.reset();
    }

    /// Resets the state for the next item.
    fn reset(&mut self) {
        self.braces = 0;
        self.parens = 0;
        self.holds_parameters = false;
        self.saw_parameters = false;
        self.saw_initialiser = false;
        self.saw_typedef = false;
        self.in_body = false;
        self.in_aggregate = false;
        self.old_parameters = 0;
        self.candidates.clear();
    }
}

/// Returns the number of names in the parentheses at the end. 0 unless the parentheses contain only names and follow
/// a function name with a type before it.
fn old_parameters(tokens: &[Token]) -> u32 {
    let [head @ .., Token { kind: TokenKind::RightParen, .. }] = tokens else { return 0 };
    let in_list = |token: &&Token| matches!(token.kind, TokenKind::Identifier | TokenKind::Comma);
    let length = head.iter().rev().take_while(in_list).count();
    let (head, names) = head.split_at(head.len() - length);
    let alternate = names.iter().enumerate().all(|(number, token)| match number % 2 {
        0 => token.kind == TokenKind::Identifier,
        _ => token.kind == TokenKind::Comma,
    });
    let function = |token: &Token| token.kind == TokenKind::Identifier;
    let named = matches!(head, [.., _, name, Token { kind: TokenKind::LeftParen, .. }] if function(name));
    if alternate && named && names.len() % 2 == 1 { names.len().div_ceil(2) as u32 } else { 0 }
}

/// Whether declarations of parameters often begin with this token.
fn declares_parameter(kind: TokenKind) -> bool {
    begins_definition(kind)
        && !matches!(
            kind,
            TokenKind::Kernel
                | TokenKind::Typedef
                | TokenKind::Extern
                | TokenKind::Static
                | TokenKind::Inline
                | TokenKind::AttributeWord
        )
        || matches!(kind, TokenKind::Global | TokenKind::Local | TokenKind::Private | TokenKind::Register)
}

/// Whether a parameter can continue with this token after the `}` of its type: `void f(struct s { int a; } s)`.
fn declares_after_members(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Identifier
            | TokenKind::TypeName
            | TokenKind::Star
            | TokenKind::LeftBracket
            | TokenKind::Const
            | TokenKind::Volatile
            | TokenKind::Restrict
            | TokenKind::AttributeWord
    )
}

/// Keywords with their own parentheses, which are not a parameter list.
pub(super) fn takes_parenthesis(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::AttributeWord
            | TokenKind::Declspec
            | TokenKind::Alignas
            | TokenKind::Alignof
            | TokenKind::Sizeof
            | TokenKind::Typeof
            | TokenKind::AsmWord
            | TokenKind::Atomic
            | TokenKind::StaticAssert
    )
}

/// Whether definitions at file scope often begin with this token, and expressions never do.
pub(super) fn begins_definition(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Kernel
            | TokenKind::Typedef
            | TokenKind::Struct
            | TokenKind::Union
            | TokenKind::Enum
            | TokenKind::Extern
            | TokenKind::Static
            | TokenKind::Inline
            | TokenKind::AttributeWord
            | TokenKind::Constant
            | TokenKind::Const
            | TokenKind::TypeName
            | TokenKind::Void
            | TokenKind::Bool
            | TokenKind::Char
            | TokenKind::Short
            | TokenKind::Int
            | TokenKind::Long
            | TokenKind::Signed
            | TokenKind::Unsigned
            | TokenKind::Half
            | TokenKind::Float
            | TokenKind::Double
    )
}

/// Whether this token can follow a `}` in the middle of an expression or a declarator.
fn continues_expression(kind: TokenKind) -> bool {
    !begins_definition(kind)
        && !matches!(
            kind,
            TokenKind::Identifier | TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Pragma
        )
}

/// Adds the names that a `typedef` declares: one for each declarator.
pub(super) fn declared_types(tokens: &[Token], names: &mut Vec<Symbol>) {
    let mut at = 0;
    let mut first = true;
    while at < tokens.len() {
        let (name, next) = declarator(tokens, at, first);
        names.extend(name);
        at = next;
        first = false;
    }
}

/// Returns the name declared by the declarator at `at`, and the index of the next declarator. The specifiers are
/// before the first declarator.
fn declarator(tokens: &[Token], mut at: usize, first: bool) -> (Option<Symbol>, usize) {
    let mut name = None;
    // `settled`: whether `name` is final. `saw_type`: whether a type was seen that the declarator can belong to.
    let mut settled = false;
    let mut saw_type = !first;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Comma | TokenKind::Semicolon => return (name, at + 1),
            TokenKind::LeftBracket | TokenKind::LeftBrace => {
                at = group_end(tokens, at);
                continue;
            }
            TokenKind::Struct | TokenKind::Union | TokenKind::Enum => {
                saw_type = true;
                at += 1;
                while tokens.get(at).is_some_and(|token| takes_parenthesis(token.kind)) {
                    at = group_end(tokens, at + 1);
                }
                // The tag.
                if matches!(
                    tokens.get(at),
                    Some(Token { kind: TokenKind::Identifier | TokenKind::TypeName, .. })
                ) {
                    at += 1;
                }
                continue;
            }
            kind if takes_parenthesis(kind) => {
                saw_type |= matches!(kind, TokenKind::Typeof | TokenKind::Atomic);
                at += 1;
                if tokens.get(at).is_some_and(|token| token.kind == TokenKind::LeftParen) {
                    at = group_end(tokens, at);
                }
                continue;
            }
            TokenKind::LeftParen => {
                if !settled && is_nested_declarator(tokens, at, name.is_some(), saw_type) {
                    name = tokens[at..]
                        .iter()
                        .take_while(|token| !matches!(token.kind, TokenKind::Comma | TokenKind::RightParen))
                        .find(|token| matches!(token.kind, TokenKind::Identifier | TokenKind::TypeName))
                        .map(|token| token.text);
                }
                settled |= name.is_some();
                at = group_end(tokens, at);
                continue;
            }
            TokenKind::Identifier | TokenKind::TypeName if !settled => {
                saw_type |= name.is_some();
                name = Some(token.text);
            }
            TokenKind::Star => saw_type = true,
            kind => saw_type |= begins_definition(kind) && kind != TokenKind::Typedef,
        }
        at += 1;
    }
    (name, at)
}

/// Whether the parenthesis contains the name, as in `(*name)(int)`, and not the parameters of a function type.
fn is_nested_declarator(tokens: &[Token], at: usize, named: bool, saw_type: bool) -> bool {
    match tokens.get(at + 1).map(|token| token.kind) {
        Some(TokenKind::Star | TokenKind::Caret | TokenKind::LeftParen) => true,
        Some(TokenKind::Identifier | TokenKind::TypeName) => !named || !saw_type,
        _ => false,
    }
}

/// The index after the bracket that closes the bracket at `open`.
pub(super) fn group_end(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}
