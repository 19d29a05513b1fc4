//! The outline of a function definition.
//!
//! ```c
//! static int square(int n) { return n * n; }   // the item
//! static int square(int n) {}                  // its outline
//! ```
//!
//! In C, the rest of a unit sees of a function only what its outline contains. So a function without calls need not be
//! parsed, and an edit in a body leaves the outline equal.

use std::sync::Arc;

use tangle_grammar::lexicon::Grammar;
use tangle_grammar::token::{Token, TokenKind};

use super::{Item, SharedTokens, parse};
use crate::db::Db;
use crate::preprocess::ItemTokens;

/// Returns the outline of an item that is the definition of one function.
///
/// `None` for all other items; for kernels, which are always analysed; in C++, where a body can determine the type of its
/// function; and if the outline has a finding of the parser, which then belongs to the analysis of the item.
#[salsa::tracked]
pub fn outline<'db>(db: &'db dyn Db, item: Item<'db>) -> Option<Item<'db>> {
    db.depends_on_text();
    let dialect = item.dialect(db);
    if dialect.lexicon().grammar() != Grammar::C {
        return None;
    }
    let SharedTokens(all) = item.tokens(db);
    let head = head(all.tokens())?;
    let end = *all.tokens().last()?;
    let tokens: Vec<Token> = head.iter().copied().chain([end]).collect();
    let outline = Item::new(db, SharedTokens(Arc::new(ItemTokens::new(&tokens, all.packing()))), dialect);
    let parsed = parse(db, outline);
    let is_clean = !parsed.is_empty
        && parsed.errors.is_empty()
        && parsed.unknown_words.is_empty()
        && parsed.opaque.is_empty();
    is_clean.then_some(outline)
}

/// Returns the tokens up to the first brace, if they are the head of a function and its body ends the item.
fn head(tokens: &[Token]) -> Option<&[Token]> {
    let open = tokens.iter().position(|token| token.kind == TokenKind::LeftBrace)?;
    let (head, body) = tokens.split_at(open + 1);
    let is_function = tokens.get(open.checked_sub(1)?)?.kind == TokenKind::RightParen
        && !head
            .iter()
            .any(|token| matches!(token.kind, TokenKind::Kernel | TokenKind::Typedef | TokenKind::Equal));
    if !is_function {
        return None;
    }
    let mut depth = 1_usize;
    for (index, token) in body.iter().enumerate() {
        match token.kind {
            TokenKind::LeftBrace => depth += 1,
            TokenKind::RightBrace => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (index + 1 == body.len()).then_some(head);
        }
    }
    None
}
