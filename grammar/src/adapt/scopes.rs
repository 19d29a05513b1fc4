//! What the names mean that an item itself declares, scope by scope.

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;
use crate::token::{Token, TokenKind as K};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Type,
    Variable,
}

/// The scopes that are open at a point of an item.
#[derive(Default)]
pub(crate) struct Scopes {
    /// What the item's names mean here.
    meanings: FxHashMap<Symbol, Meaning>,
    /// What the names of the open scopes meant before.
    shadowed: Vec<(Symbol, Option<Meaning>)>,
    /// The length of `shadowed` at the start of each open scope.
    open: Vec<usize>,
}

impl Scopes {
    /// What a word means, if the item or an earlier one declares it.
    pub fn meaning(&self, word: Token) -> Option<Meaning> {
        match self.meanings.get(&word.text) {
            Some(&meaning) => Some(meaning),
            None if word.kind == K::TypeName => Some(Meaning::Type),
            None => None,
        }
    }

    /// Declares a name up to the end of the innermost scope.
    pub fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let before = self.meanings.insert(name, meaning);
        self.shadowed.push((name, before));
    }

    /// Declares a type outside of all scopes: up to the end of the item.
    pub fn declare_type_of_item(&mut self, name: Symbol) {
        self.meanings.insert(name, Meaning::Type);
    }

    pub fn open(&mut self) {
        self.open.push(self.shadowed.len());
    }

    /// Ends so many scopes, as far as they are open.
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
