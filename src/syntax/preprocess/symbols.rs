//! The meaning of each name at the current position: a macro, a type, a keyword.
//!
//! The states are one array, indexed by symbol. Each entry has the generation of its translation unit, so the array
//! need not be cleared between units.

use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::definition::Definition;
use super::origin::FileId;
use crate::dialect::Dialect;

/// The changeable part of the meaning of a name: the meaning of a header can depend only on this part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meaning {
    pub definition: Option<&'static Definition>,
    /// The location of the macro's name in its `#define`, or in the `#undef` that removed it. The default value if
    /// there was neither.
    pub place: (FileId, u32),
    pub is_type: bool,
}

impl Meaning {
    /// Whether both have the same macro or none, and agree on whether the name is a type.
    pub fn same_content(&self, other: &Meaning) -> bool {
        let address = |meaning: &Meaning| meaning.definition.map(std::ptr::from_ref);
        self.is_type == other.is_type && address(self) == address(other)
    }

    /// Whether both also have the same location of the definition or `#undef`.
    pub fn same(&self, other: &Meaning) -> bool {
        self.same_content(other) && self.place == other.place
    }

    /// Whether the name has been neither defined nor undefined as a macro so far.
    pub fn is_missing(&self) -> bool {
        self.definition.is_none() && self.place == Meaning::default().place
    }

    /// Whether it is a macro that a definition before the text would replace.
    pub fn is_default(&self) -> bool {
        self.definition.is_some_and(|definition| definition.is_default)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct State {
    pub meaning: Meaning,
    generation: u32,
    /// The innermost frame that has recorded this name, and the index of the record in its log.
    pub frame: u32,
    pub touch: u32,
    /// The kind of the name if it is not a macro: an identifier, a type name or a keyword.
    pub kind: TokenKind,
    /// The kind of the name if it is also not a type name.
    word: TokenKind,
    /// Whether the macro is being expanded: then its name is not a use of it.
    pub disabled: bool,
}

/// The states of all names.
#[derive(Debug, Default)]
pub struct Symbols {
    /// The language of the unit. The states contain its keywords.
    dialect: Option<Dialect>,
    states: Vec<State>,
    generation: u32,
}

impl Symbols {
    /// Resets all meanings, for a unit in a language.
    pub fn start(&mut self, dialect: Dialect) {
        if self.dialect.replace(dialect) != Some(dialect) {
            self.states.clear();
        }
        self.generation = match self.generation.checked_add(1) {
            Some(generation) => generation,
            None => {
                self.states.clear();
                1
            }
        };
    }

    #[inline]
    pub fn state(&mut self, symbol: Symbol) -> &mut State {
        let index = symbol.index();
        if index >= self.states.len() || self.states[index].generation != self.generation {
            self.refresh(symbol);
        }
        &mut self.states[index]
    }

    #[cold]
    fn refresh(&mut self, symbol: Symbol) {
        let index = symbol.index();
        if index >= self.states.len() {
            let unknown = State {
                meaning: Meaning::default(),
                generation: 0,
                frame: 0,
                touch: 0,
                kind: TokenKind::Space,
                word: TokenKind::Space,
                disabled: false,
            };
            self.states.resize((index + 1).next_power_of_two(), unknown);
        }
        let state = &mut self.states[index];
        // No name is white space, so this state has never looked up its keyword.
        if state.word == TokenKind::Space {
            state.word = self.dialect.map_or(TokenKind::Identifier, |dialect| dialect.lexicon().kind(symbol));
        }
        *state = State {
            meaning: Meaning::default(),
            generation: self.generation,
            frame: 0,
            touch: 0,
            kind: state.word,
            word: state.word,
            disabled: false,
        };
    }

    /// Sets the meaning of a name.
    pub fn set(&mut self, symbol: Symbol, meaning: Meaning) {
        let state = self.state(symbol);
        state.meaning = meaning;
        state.kind = match meaning.is_type && state.word == TokenKind::Identifier {
            true => TokenKind::TypeName,
            false => state.word,
        };
    }
}
