//! Decides which items of a C++ file are kept: device code, and declarations that device code may use.
//!
//! | kept | dropped |
//! |---|---|
//! | anything with a device keyword in its head or among its members | functions without one |
//! | classes, enums, aliases, concepts, explicit instantiations | `static_assert`, `asm`, deduction guides |
//! | `constexpr` entities and `const` variables | other variables, prototypes |
//!
//! A macro from a missing header may contain a device keyword: `C10_HOST_DEVICE`. So a function is also kept if a
//! name in its head is spelled like such a macro, or if its body uses a name that only device code has: `threadIdx`.

use tangle_grammar::lexicon::{Lexicon, Macro};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

/// The facts about an item that the cutter has collected.
#[derive(Debug, Default)]
pub(super) struct ItemFacts {
    /// The index of the `{` of a function's body.
    pub body: Option<usize>,
    /// The first `class`, `struct`, `union` or `enum` outside brackets.
    pub class_key: Option<usize>,
    /// Whether braces with its members follow.
    pub has_members: bool,
    pub has_parameters: bool,
}

impl ItemFacts {
    /// The tokens before the body.
    pub fn head<'a>(&self, tokens: &'a [Token]) -> &'a [Token] {
        &tokens[..self.body.unwrap_or(tokens.len())]
    }
}

/// Whether a keyword marks device code.
pub(in crate::preprocess) fn is_of_device(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Kernel
            | TokenKind::Device
            | TokenKind::Shared
            | TokenKind::ConstantMemory
            | TokenKind::Managed
    )
}

pub(super) fn is_kept(tokens: &[Token], shape: &ItemFacts, words: &Lexicon) -> bool {
    let head = shape.head(tokens);
    if head.iter().any(|token| is_of_device(token.kind)) || shape.has_members {
        return true;
    }
    let outside = || outside_of_parentheses(head);
    if outside().any(|token| token.kind == TokenKind::Constexpr) {
        return true;
    }
    if shape.body.is_some() {
        return names_macro_of_device(head, words)
            || tokens[head.len()..].iter().any(|token| runs_on_device(token.text.as_str()));
    }
    match tokens {
        [Token { kind: TokenKind::StaticAssert | TokenKind::AsmWord, .. }, ..] => return false,
        [Token { kind: TokenKind::Using | TokenKind::Typedef | TokenKind::Namespace, .. }, ..] => {
            return true;
        }
        // An explicit instantiation.
        [Token { kind: TokenKind::Template, .. }, next, ..] if next.kind != TokenKind::Less => return true,
        _ => {}
    }
    let is_type = |token: &Token| {
        matches!(token.kind, TokenKind::Using | TokenKind::Typedef | TokenKind::Concept | TokenKind::Const)
    };
    outside().any(is_type)
        || (shape.class_key.is_some() && !shape.has_parameters)
        || names_macro_of_device(head, words)
}

fn outside_of_parentheses(head: &[Token]) -> impl Iterator<Item = &Token> {
    let mut depth = 0_u32;
    head.iter().filter(move |token| {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// Whether a name before the parameters, other than the function's own name, is spelled like a macro with a device
/// keyword.
fn names_macro_of_device(head: &[Token], words: &Lexicon) -> bool {
    let names = head.windows(2).take_while(|pair| pair[0].kind != TokenKind::LeftParen);
    names.into_iter().any(|pair| {
        pair[0].kind == TokenKind::Identifier
            && pair[1].kind != TokenKind::LeftParen
            && hides_word_of_device(pair[0].text, words)
    })
}

/// Whether a name in a body exists only in device code. Then the head does not matter.
fn runs_on_device(name: &str) -> bool {
    matches!(name, "threadIdx" | "blockIdx") || name.starts_with("__sync") || name.starts_with("__shfl")
}

/// Whether a name in capitals implies a device keyword by a convention.
fn hides_word_of_device(name: Symbol, words: &Lexicon) -> bool {
    let is_macro =
        name.as_str().bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_macro && words.implies(name, Macro::Device)
}
