//! Cuts the stream of preprocessed tokens into top-level items. The grammar determines where an item ends.

mod c;
mod cpp;
mod declared;
mod keep;

use tangle_grammar::lex::LexFlags;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::Token;

pub(super) use keep::is_of_device;

use super::chunk::Builder;
use super::origin::Origin;
use crate::dialect::Dialect;

/// The item that is being collected, in either language.
#[derive(Debug, Default)]
pub struct Cutter {
    is_cpp: bool,
    c: c::Cutter,
    cpp: cpp::Cutter,
}

impl Cutter {
    /// Starts a unit in a language. No item is open.
    pub fn start(&mut self, dialect: Dialect) {
        self.is_cpp = dialect.lexicon().grammar() == Grammar::Cpp;
        self.set_packing(Packing::default());
        self.cpp.start(dialect);
    }

    /// Whether no item and no namespace is open.
    pub fn at_boundary(&self) -> bool {
        if self.is_cpp { self.cpp.at_boundary() } else { self.c.at_boundary() }
    }

    /// Whether an item is open.
    pub fn is_open(&self) -> bool {
        if self.is_cpp { self.cpp.is_open() } else { !self.c.at_boundary() }
    }

    /// Ends an item that contains only undefined macros, before an `#include`.
    pub fn finish_macro_only_item(&mut self, chunk: &mut Builder) {
        if self.is_cpp {
            self.cpp.settle(chunk);
        }
    }

    /// Whether finished items have declared type names that have not been taken yet.
    #[inline]
    pub fn has_declared(&self) -> bool {
        if self.is_cpp { self.cpp.has_declared() } else { self.c.has_declared() }
    }

    pub fn take_declared(&mut self) -> Vec<Symbol> {
        if self.is_cpp { self.cpp.take_declared() } else { self.c.take_declared() }
    }

    /// Sets the packing for the next item. No item may be open.
    pub fn set_packing(&mut self, packing: Packing) {
        self.c.set_packing(packing);
        self.cpp.set_packing(packing);
    }

    /// Adds the next token. Adds finished items to `chunk`.
    #[inline]
    pub fn push(&mut self, chunk: &mut Builder, token: Token, flags: LexFlags, origin: Origin) {
        chunk.origins.push(origin);
        match self.is_cpp {
            true => self.cpp.place(chunk, token, flags),
            false => self.c.place(chunk, token, flags),
        }
    }

    /// Ends the open item: the file has no more tokens.
    pub fn end(&mut self, chunk: &mut Builder) {
        match self.is_cpp {
            true => self.cpp.end(chunk),
            false => self.c.end(chunk),
        }
    }
}
