//! Pairs the brackets of an item.

use crate::adapt::Input;
use crate::token::TokenKind;

/// The maximum nesting depth of brackets. Clang has the same limit.
pub const MAX_NESTING: usize = 256;

/// The partner of a token that is not a bracket, or of a bracket without a partner.
pub(crate) const NO_PARTNER: u32 = u32::MAX;

/// The pairs of brackets of an item, and the brackets without a partner.
#[derive(Default)]
pub(crate) struct Brackets {
    /// The index of the partner of each token, or [`NO_PARTNER`].
    pub partner: Vec<u32>,
    /// Opening brackets without a partner, in order.
    pub unclosed: Vec<u32>,
    /// Closing brackets without a partner, in order.
    pub unopened: Vec<u32>,
    /// The first bracket at a depth of more than [`MAX_NESTING`].
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
    /// Pairs brackets. Braces take precedence over the other brackets: `}` closes its `{` even if a `(`
    /// inside is still open. `)` closes nothing inside a `{` that was opened after the matching `(`.
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
                    // This is nearly always the innermost bracket. The length of the search is at most the
                    // nesting depth, which is limited.
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
