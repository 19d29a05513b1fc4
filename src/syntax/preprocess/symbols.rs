//! What each name means at this point of the text: a macro, a type, a keyword.
//!
//! One array, indexed by symbol. An entry of an earlier translation unit is recognised by its generation, so that
//! nothing is cleared between units.

use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::definition::Definition;
use super::origin::FileId;
use crate::dialect::Dialect;

/// What a name means that can change: all that a header's meaning can depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meaning {
    pub definition: Option<&'static Definition>,
    /// The macro's name in its definition, or behind the `#undef` that ended it; the default if there was neither.
    pub place: (FileId, u32),
    pub is_type: bool,
}

impl Meaning {
    /// The same macro, if any, and the same verdict on whether it is a type.
    pub fn same_content(&self, other: &Meaning) -> bool {
        let address = |meaning: &Meaning| meaning.definition.map(std::ptr::from_ref);
        self.is_type == other.is_type && address(self) == address(other)
    }

    /// The same macro defined at the same place, or undefined there.
    pub fn same(&self, other: &Meaning) -> bool {
        self.same_content(other) && self.place == other.place
    }

    /// Whether nothing, so far, has defined it as a macro or said that it is none.
    pub fn is_missing(&self) -> bool {
        self.definition.is_none() && self.place == Meaning::default().place
    }

    /// Whether it is a macro that another definition, before the text, would replace.
    pub fn is_default(&self) -> bool {
        self.definition.is_some_and(|definition| definition.is_default)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct State {
    pub meaning: Meaning,
    generation: u32,
    /// The innermost frame that has taken note of this name, and where in its log.
    pub frame: u32,
    pub touch: u32,
    /// What the name is unless it is a macro: an identifier, a type name, a keyword.
    pub kind: TokenKind,
    /// What it is unless it is a type name.
    word: TokenKind,
    /// Whether the macro is being expanded, so that its name is not a use of it.
    pub disabled: bool,
}

/// The states of all names.
#[derive(Debug, Default)]
pub struct Symbols {
    /// The language of the unit: the states know its keywords.
    dialect: Option<Dialect>,
    states: Vec<State>,
    generation: u32,
}

impl Symbols {
    /// Forgets all meanings, for a unit in a language.
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
        // No name is white space: the word was never looked up.
        if state.word == TokenKind::Space {
            state.word = self.dialect.map_or(TokenKind::Identifier, |dialect| dialect.words().kind(symbol));
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

    /// Gives a name another meaning.
    pub fn set(&mut self, symbol: Symbol, meaning: Meaning) {
        let state = self.state(symbol);
        state.meaning = meaning;
        state.kind = match meaning.is_type && state.word == TokenKind::Identifier {
            true => TokenKind::TypeName,
            false => state.word,
        };
    }
}
