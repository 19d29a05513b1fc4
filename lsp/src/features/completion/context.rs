//! The kind of name that fits at the cursor: a member, a label, a type, a header, a flag of a barrier.
//!
//! ```c
//! #include "|            a header             goto |       a label
//! barrier(|              a flag               q.|          a member
//! kernel void k(global | a type               int |        a new name: no completions
//! ```
//!
//! The context follows from the tokens before the cursor, because the text around it is often incomplete. **Word**: the
//! name that the user has begun to type, possibly empty.

use std::ops::Range;

use tangle_grammar::lex::LexToken;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_hir::def::names::Meaning;
use tangle_hir::scope::meaning_at_end;
use tangle_syntax::items::{spans, tokens, unit};

use super::super::position::TokenAt;
use super::super::{signature, text_kind};
use crate::snapshot::View;

/// The context of a cursor.
#[derive(Debug, PartialEq, Eq)]
pub enum Context {
    /// Nothing can be completed.
    Nothing,
    /// The name of a directive, after its `#`.
    Directive,
    /// A macro in a directive.
    Macro,
    /// A header, with the folder that is already written: `sub/` in `#include "sub/in`. `beside`: in quotes.
    Header { folder: String, beside: bool },
    /// After `.` or `->`. The token before it ends the expression with the members.
    Member(u32),
    /// After `goto`.
    Label,
    /// After `struct`, `union` or `enum`.
    Tag,
    /// A type, or a word of a declaration.
    Type,
    /// An argument of a builtin whose parameter has named values. It can be another expression, too.
    Argument(&'static [Symbol]),
    /// The beginning of a statement.
    Statement,
    /// The rest of an expression.
    Expression,
}

/// A cursor with its context.
pub struct Cursor {
    pub context: Context,
    /// The byte range of the word.
    pub word: Range<usize>,
    /// The last token before the word. `None` at the start of the file.
    pub before: Option<u32>,
}

impl Cursor {
    pub fn at(view: &View, offset: usize) -> Cursor {
        let text = view.text().text();
        let is_of_name = |char: &char| char.is_alphanumeric() || *char == '_';
        let written: usize = text[..offset].chars().rev().take_while(is_of_name).map(char::len_utf8).sum();
        let word = offset - written..offset;
        let spans = spans(view.db, view.file);
        let before = word.start.checked_sub(1).and_then(|last| spans.token_at(last));
        let context = in_directive(view, &word).unwrap_or_else(|| in_code(view, &word, before));
        Cursor { context, word, before }
    }
}

/// Returns the context in a directive; `None` outside of directives.
fn in_directive(view: &View, word: &Range<usize>) -> Option<Context> {
    let text = view.text().text();
    let line = text[..word.start].rfind('\n').map_or(0, |at| at + 1);
    let directive = text[line..word.start].trim_start().strip_prefix('#')?;
    if text_kind::in_comment(view, word.start) {
        return Some(Context::Nothing);
    }
    let directive = directive.trim_start();
    if directive.is_empty() {
        return Some(Context::Directive);
    }
    let (name, rest) = directive.split_at(directive.find(|char: char| !char.is_alphanumeric()).unwrap_or(0));
    Some(match (name, rest.trim_start()) {
        ("include" | "include_next" | "import", rest) => match rest.chars().next() {
            Some(quote @ ('"' | '<')) if !rest[1..].contains(['"', '>']) => {
                let folder = rest[1..].rfind('/').map_or("", |end| &rest[1..end + 2]);
                Context::Header { folder: folder.to_owned(), beside: quote == '"' }
            }
            _ => Context::Nothing,
        },
        ("ifdef" | "ifndef" | "undef" | "elifdef" | "elifndef" | "if" | "elif", _) => Context::Macro,
        // The replacement of a macro, after its name.
        ("define", rest) if rest.contains([' ', '\t', ')']) => return None,
        _ => Context::Nothing,
    })
}

fn in_code(view: &View, word: &Range<usize>, before: Option<u32>) -> Context {
    // Other servers complete host code.
    if !text_kind::is_code(view, word.end) || text_kind::is_host_code(view, word.end) {
        return Context::Nothing;
    }
    let lexed = tokens(view.db, view.file);
    let spelling = |at: u32| lexed.tokens.get(at as usize).map_or("", |token| token.spelling());
    let Some(before) = before else { return Context::Type };
    let kind = lexed.tokens.get(before as usize).map_or(TokenKind::Stray, |token| kind_of(view, token));
    let is_in_body = is_in_body(view, word.start);
    match kind {
        TokenKind::Dot | TokenKind::Arrow => before.checked_sub(1).map_or(Context::Nothing, Context::Member),
        TokenKind::Goto => Context::Label,
        TokenKind::Struct | TokenKind::Union | TokenKind::Enum | TokenKind::Class => Context::Tag,
        TokenKind::Break | TokenKind::Continue | TokenKind::Namespace => Context::Nothing,
        _ if is_specifier(kind) => Context::Type,
        _ if names_type(view, kind, spelling(before)) => Context::Nothing,
        // A declarator: `int *`, `float a, `.
        TokenKind::Star if before.checked_sub(1).is_some_and(|at| is_type(view, at)) => Context::Nothing,
        TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace if !is_in_body => Context::Type,
        TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace => Context::Statement,
        TokenKind::Else | TokenKind::Do | TokenKind::Colon => Context::Statement,
        TokenKind::RightParen if is_after_head(&spelling, before) => Context::Statement,
        TokenKind::LeftParen | TokenKind::Comma if !is_in_body => Context::Type,
        _ => match values_of_argument(view, word.start) {
            [] => Context::Expression,
            values => Context::Argument(values),
        },
    }
}

/// Whether an offset is inside the braces of a function.
fn is_in_body(view: &View, offset: usize) -> bool {
    let (spans, lexed) = (spans(view.db, view.file), tokens(view.db, view.file));
    let Some(before) = offset.checked_sub(1).and_then(|last| spans.token_at(last)) else { return false };
    let at = TokenAt::find(*view, view.position(spans.get(before).start));
    if let Some(at) = at
        && let Some(body) = at.body()
    {
        // The last brace closes the body, unless the cursor is before it.
        let closes = at.token + 1 == body.body.span.end && lexed.tokens[before as usize].spelling() == "}";
        return body.body.span.start <= at.token && !closes;
    }
    false
}

/// Whether a keyword is a specifier or a qualifier that a type can follow.
fn is_specifier(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Kernel
            | TokenKind::Global
            | TokenKind::Local
            | TokenKind::Constant
            | TokenKind::Private
            | TokenKind::GenericSpace
            | TokenKind::ReadOnly
            | TokenKind::WriteOnly
            | TokenKind::ReadWrite
            | TokenKind::Pipe_
            | TokenKind::Const
            | TokenKind::Volatile
            | TokenKind::Static
            | TokenKind::Extern
            | TokenKind::Inline
            | TokenKind::Register
            | TokenKind::Typedef
            | TokenKind::Constexpr
            | TokenKind::Typename
            | TokenKind::Device
            | TokenKind::Host
            | TokenKind::Shared
            | TokenKind::ConstantMemory
            | TokenKind::Managed
    )
}

/// Whether a keyword is part of a type or declaration.
pub fn is_of_type(kind: TokenKind) -> bool {
    is_specifier(kind)
        || matches!(
            kind,
            TokenKind::Void
                | TokenKind::Char
                | TokenKind::Short
                | TokenKind::Int
                | TokenKind::Long
                | TokenKind::Float
                | TokenKind::Double
                | TokenKind::Half
                | TokenKind::Signed
                | TokenKind::Unsigned
                | TokenKind::Bool
                | TokenKind::Auto
                | TokenKind::Struct
                | TokenKind::Union
                | TokenKind::Enum
                | TokenKind::Class
                | TokenKind::Namespace
                | TokenKind::Template
                | TokenKind::Using
        )
}

/// Whether a keyword begins a statement.
pub fn is_of_statement(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::If
            | TokenKind::Else
            | TokenKind::Switch
            | TokenKind::Case
            | TokenKind::Default
            | TokenKind::While
            | TokenKind::Do
            | TokenKind::For
            | TokenKind::Goto
            | TokenKind::Break
            | TokenKind::Continue
            | TokenKind::Return
            | TokenKind::Typedef
            | TokenKind::Static
            | TokenKind::Extern
    )
}

/// Whether a word names a type, so that a new name follows it.
fn names_type(view: &View, kind: TokenKind, word: &str) -> bool {
    let of_language = matches!(
        kind,
        TokenKind::Void
            | TokenKind::Char
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Double
            | TokenKind::Half
            | TokenKind::Bool
            | TokenKind::Auto
    );
    if of_language || kind != TokenKind::Identifier {
        return of_language;
    }
    let name = Symbol::intern(word);
    let dialect = view.analysis.settings.dialect(view.db);
    let unit = unit(view.db, view.root, view.analysis.settings);
    dialect.types().get(name).is_some()
        || matches!(meaning_at_end(view.db, unit, name).as_deref(), Some(Meaning::Type(_)))
}

/// Whether a token of the file names a type.
fn is_type(view: &View, token: u32) -> bool {
    let lexed = tokens(view.db, view.file);
    let token = lexed.tokens.get(token as usize);
    token.is_some_and(|token| names_type(view, kind_of(view, token), token.spelling()))
}

/// Returns the kind of a token, with that of its keyword.
fn kind_of(view: &View, token: &LexToken) -> TokenKind {
    match token.kind {
        TokenKind::Identifier => view.analysis.settings.dialect(view.db).lexicon().kind(token.text),
        kind => kind,
    }
}

/// Whether a `)` closes the head of an `if` or a loop.
fn is_after_head<'a>(spelling: &impl Fn(u32) -> &'a str, close: u32) -> bool {
    let mut depth = 0usize;
    for at in (0..=close).rev() {
        match spelling(at) {
            ")" => depth += 1,
            "(" => depth -= 1,
            ";" | "{" | "}" if depth == 0 => return false,
            _ => {}
        }
        if depth == 0 {
            return at
                .checked_sub(1)
                .is_some_and(|word| matches!(spelling(word), "if" | "while" | "for" | "switch"));
        }
    }
    false
}

/// Returns the named values for the argument at an offset.
fn values_of_argument(view: &View, offset: usize) -> &'static [Symbol] {
    let Some((callee, argument)) = signature::call_around(view, offset) else { return &[] };
    let dialect = view.analysis.settings.dialect(view.db);
    let lexed = tokens(view.db, view.file);
    let Some(callee) = lexed.tokens.get(callee as usize).map(|token| token.text) else { return &[] };
    let Some(overloads) = dialect.signatures().of(callee) else { return &[] };
    let named = |&ty| overloads.parameter_name(ty, argument);
    overloads.functions.iter().find_map(named).map_or(&[], |name| dialect.values_of_parameter(name))
}
