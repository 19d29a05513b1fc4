//! `#pragma pack`: the packing in force, and the stack of saved packings.
//!
//! ```c
//! #pragma pack(push, 1)         // saves the packing, then sets another one
//! #pragma pack(push, here, 4)   // the same, with a label
//! #pragma pack(pop, here)       // restores the packing before the push with that label
//! #pragma pack()                // no limit; the saved packings stay
//! ```
//!
//! The rules are the same as in clang: a pragma that causes a warning there has no effect here either.

use std::sync::Arc;

use tangle_grammar::literal::{Number, number};
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use thiserror::Error;

use super::tok::ExpansionToken;

/// The maximum number of saved packings.
const DEPTH: usize = 1000;

/// The reason why a `#pragma pack` does not take full effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum PackError {
    #[error("expected `(`")]
    MissingOpen,
    #[error("expected `)`")]
    MissingClose,
    #[error("expected a number after `,`")]
    MissingNumber,
    #[error("expected a number, `push`, `pop` or `show`")]
    UnknownAction,
    /// The number in its source spelling.
    #[error("expected 1, 2, 4, 8 or 16, found `{0}`")]
    WrongPacking(Symbol),
    #[error("more than {} values are pushed", DEPTH)]
    TooManyPushed,
    #[error("`pop` without a matching `push`")]
    UnmatchedPop,
    #[error("`pop` without a matching `push` of `{0}`")]
    UnknownLabel(Symbol),
}

/// The state of `#pragma pack`, as far as the meaning of a header can depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PackState {
    pub current: Packing,
    /// Shared with the cached headers.
    pushed: Arc<Vec<Pushed>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pushed {
    label: Option<Symbol>,
    before: Packing,
}

/// A parsed `#pragma pack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Set(Packing),
    Push { label: Option<Symbol>, set: Option<Packing> },
    Pop { label: Option<Symbol>, set: Option<Packing> },
    Show,
}

/// Parses the tokens after `#pragma pack`, with macros expanded.
pub(super) fn read(tokens: &[ExpansionToken]) -> Result<Action, PackError> {
    let mut rest = tokens.iter();
    let mut next = || rest.next().map(|token| (token.kind, token.text));
    let Some((TokenKind::LeftParen, _)) = next() else { return Err(PackError::MissingOpen) };
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
                        return Err(PackError::MissingNumber);
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
        _ => return Err(PackError::UnknownAction),
    };
    match ahead {
        Some((TokenKind::RightParen, _)) => Ok(action),
        _ => Err(PackError::MissingClose),
    }
}

fn packing(text: Symbol) -> Result<Packing, PackError> {
    let value = match number(text.as_str()) {
        Ok(Number::Integer { value, .. }) => Packing::new(value),
        _ => None,
    };
    value.ok_or(PackError::WrongPacking(text))
}

impl PackState {
    /// Executes a pragma. Returns an error if it does not take full effect.
    pub fn act(&mut self, action: Action) -> Result<(), PackError> {
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
                if fits { Ok(()) } else { Err(PackError::TooManyPushed) }
            }
            Action::Pop { label, set } => {
                let popped = self.pop(label);
                self.current = set.unwrap_or(self.current);
                popped
            }
        }
    }

    fn pop(&mut self, label: Option<Symbol>) -> Result<(), PackError> {
        let found = self.pushed.iter().rposition(|pushed| label.is_none() || pushed.label == label);
        match (found, label) {
            (Some(found), _) => {
                self.current = self.pushed[found].before;
                Arc::make_mut(&mut self.pushed).truncate(found);
                Ok(())
            }
            (None, None) => Err(PackError::UnmatchedPop),
            (None, Some(label)) => Err(PackError::UnknownLabel(label)),
        }
    }
}
