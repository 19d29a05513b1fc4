//! The meanings of the names that an item declares, scope by scope.

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;
use crate::token::{Token, TokenKind as K};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Type,
    Variable,
}

/// The scopes that are open at one point of an item.
#[derive(Default)]
pub(crate) struct Scopes {
    /// The current meanings of the names of the item.
    meanings: FxHashMap<Symbol, Meaning>,
    /// The previous meanings of the names that the open scopes declare.
    shadowed: Vec<(Symbol, Option<Meaning>)>,
    /// The length of `shadowed` at the start of each open scope.
    open: Vec<usize>,
}

impl Scopes {
    /// The meaning of a word that this item or an earlier one declares.
    pub fn meaning(&self, word: Token) -> Option<Meaning> {
        match self.meanings.get(&word.text) {
            Some(&meaning) => Some(meaning),
            None if word.kind == K::TypeName => Some(Meaning::Type),
            None => None,
        }
    }

    /// Declares a name until the end of the innermost scope.
    pub fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let before = self.meanings.insert(name, meaning);
        self.shadowed.push((name, before));
    }

    /// Declares a type outside all scopes, until the end of the item.
    pub fn declare_type_of_item(&mut self, name: Symbol) {
        self.meanings.insert(name, Meaning::Type);
    }

    pub fn open(&mut self) {
        self.open.push(self.shadowed.len());
    }

    /// Ends `count` scopes, or all open scopes if there are fewer.
    pub fn close(&mut self, count: u32) {
        for _ in 0..count {
            let Some(start) = self.open.pop() else { return };
            for (name, before) in self.shadowed.drain(start..).rev() {
                match before {
                    Some(meaning) => self.meanings.insert(name, meaning),
                    None => self.meanings.remove(&name),
                };
            }
        }
    }
}
