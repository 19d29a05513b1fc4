//! `#pragma pack`: the packing in force, and the stack of those to come back to.
//!
//! ```c
//! #pragma pack(push, 1)         // remembers the packing, then sets another
//! #pragma pack(push, here, 4)   // the same, under a name
//! #pragma pack(pop, here)       // back to what was in force before the push of that name
//! #pragma pack()                // any alignment; what is remembered stays
//! ```
//!
//! The rules are clang's: what it warns of has no effect here either.

use std::sync::Arc;

use tangle_grammar::literal::{Number, number};
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::tok::Tok;

/// How many packings may be remembered at a time.
const DEPTH: usize = 1000;

/// What `#pragma pack` has said so far: all that a header's meaning can depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PackState {
    pub current: Packing,
    /// Shared with the headers that are remembered.
    pushed: Arc<Vec<Pushed>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pushed {
    label: Option<Symbol>,
    before: Packing,
}

/// The pragma, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Set(Packing),
    Push { label: Option<Symbol>, set: Option<Packing> },
    Pop { label: Option<Symbol>, set: Option<Packing> },
    Show,
}

/// Reads what stands behind `#pragma pack`, macros expanded.
pub(super) fn read(tokens: &[Tok]) -> Result<Action, String> {
    let mut rest = tokens.iter();
    let mut next = || rest.next().map(|token| (token.kind, token.text));
    let Some((TokenKind::LeftParen, _)) = next() else { return Err("expected `(`".into()) };
    let mut ahead = next();
    let action = match ahead {
        Some((TokenKind::RightParen, _)) => Action::Set(Packing::default()),
        Some((TokenKind::Number, text)) => {
            ahead = next();
            Action::Set(packing(text)?)
        }
        Some((TokenKind::Identifier, word)) if word.as_str() == "show" => {
            ahead = next();
            Action::Show
        }
        Some((TokenKind::Identifier, word)) if matches!(word.as_str(), "push" | "pop") => {
            let (mut label, mut set) = (None, None);
            ahead = next();
            if let Some((TokenKind::Comma, _)) = ahead {
                ahead = next();
                if let Some((TokenKind::Identifier, name)) = ahead {
                    label = Some(name);
                    ahead = next();
                }
                if label.is_none() || matches!(ahead, Some((TokenKind::Comma, _))) {
                    if label.is_some() {
                        ahead = next();
                    }
                    let Some((TokenKind::Number, text)) = ahead else {
                        return Err("expected a number after `,`".into());
                    };
                    set = Some(packing(text)?);
                    ahead = next();
                }
            }
            match word.as_str() {
                "push" => Action::Push { label, set },
                _ => Action::Pop { label, set },
            }
        }
        _ => return Err("expected a number, `push`, `pop` or `show`".into()),
    };
    match ahead {
        Some((TokenKind::RightParen, _)) => Ok(action),
        _ => Err("expected `)`".into()),
    }
}

fn packing(text: Symbol) -> Result<Packing, String> {
    let value = match number(text.as_str()) {
        Ok(Number::Integer { value, .. }) => Packing::new(value),
        _ => None,
    };
    value.ok_or_else(|| format!("expected 1, 2, 4, 8 or 16, found `{text}`"))
}

impl PackState {
    /// Obeys a pragma. An error says why it has less effect than it asks for.
    pub fn act(&mut self, action: Action) -> Result<(), String> {
        match action {
            Action::Show => Ok(()),
            Action::Set(packing) => {
                self.current = packing;
                Ok(())
            }
            Action::Push { label, set } => {
                let fits = self.pushed.len() < DEPTH;
                if fits {
                    Arc::make_mut(&mut self.pushed).push(Pushed { label, before: self.current });
                }
                self.current = set.unwrap_or(self.current);
                if fits { Ok(()) } else { Err(format!("more than {DEPTH} values are pushed")) }
            }
            Action::Pop { label, set } => {
                let popped = self.pop(label);
                self.current = set.unwrap_or(self.current);
                popped
            }
        }
    }

    fn pop(&mut self, label: Option<Symbol>) -> Result<(), String> {
        let found = self.pushed.iter().rposition(|pushed| label.is_none() || pushed.label == label);
        match (found, label) {
            (Some(found), _) => {
                self.current = self.pushed[found].before;
                Arc::make_mut(&mut self.pushed).truncate(found);
                Ok(())
            }
            (None, None) => Err("`pop` without a matching `push`".into()),
            (None, Some(label)) => Err(format!("`pop` without a matching `push` of `{label}`")),
        }
    }
}
