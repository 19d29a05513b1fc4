//! Which bracket belongs to which.

use crate::adapt::Input;
use crate::token::TokenKind;

/// How deep brackets may nest. Clang's limit is the same.
pub const MAX_NESTING: usize = 256;

/// The partner of a token that is no bracket, or of one that has none.
pub(crate) const NO_PARTNER: u32 = u32::MAX;

/// The pairs among the brackets of an item, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Brackets {
    /// For each token the index of its partner, or [`NO_PARTNER`].
    pub partner: Vec<u32>,
    /// Opening brackets that are not closed, in order.
    pub unclosed: Vec<u32>,
    /// Closing brackets that close nothing, in order.
    pub unopened: Vec<u32>,
    /// The first bracket that opens more than [`MAX_NESTING`] levels.
    pub too_deep: Option<u32>,
}

fn closer(opener: TokenKind) -> TokenKind {
    match opener {
        TokenKind::LeftParen => TokenKind::RightParen,
        TokenKind::LeftBracket => TokenKind::RightBracket,
        _ => TokenKind::RightBrace,
    }
}

impl Brackets {
    /// Pairs brackets. A brace outranks the others: `}` closes its `{` over any `(` that is still open, and `)` closes
    /// nothing inside a `{` that was opened after its `(`.
    pub fn pair(input: &[Input]) -> Brackets {
        let mut found = Brackets { partner: vec![NO_PARTNER; input.len()], ..Brackets::default() };
        let mut open: Vec<u32> = Vec::new();
        for (at, item) in input.iter().enumerate() {
            let at = at as u32;
            match item.token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                    open.push(at);
                    if open.len() > MAX_NESTING && found.too_deep.is_none() {
                        found.too_deep = Some(at);
                    }
                }
                close @ (TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace) => {
                    let fits = |opener: &u32| closer(input[*opener as usize].token.kind) == close;
                    // Nearly always the innermost one. The search is as long as the nesting is deep, which is limited.
                    let level = open.iter().rposition(|opener| {
                        fits(opener) || close != TokenKind::RightBrace && is_brace(input, *opener)
                    });
                    match level.filter(|level| fits(&open[*level])) {
                        Some(level) => {
                            found.unclosed.extend(open.drain(level + 1..));
                            if let Some(opener) = open.pop() {
                                found.partner[opener as usize] = at;
                                found.partner[at as usize] = opener;
                            }
                        }
                        None => found.unopened.push(at),
                    }
                }
                _ => {}
            }
            if found.too_deep.is_some() {
                return found;
            }
        }
        found.unclosed.extend(open);
        found.unclosed.sort_unstable();
        found
    }
}

fn is_brace(input: &[Input], at: u32) -> bool {
    input[at as usize].token.kind == TokenKind::LeftBrace
}
