//! A file as a module of the flow graph.

use tangle_grammar::symbol::Symbol;

use super::{Module, NotLowered};
use crate::db::Db;
use crate::source::{Settings, SourceFile};

/// How a file is lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub tokens: Tokens,
    pub irreducible: Irreducible,
}

/// Where tokens come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    #[default]
    Placed,
    Infer,
    Off,
}

/// What is done with irreducible cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Irreducible {
    #[default]
    Anchor,
    Dispatch,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub module: Module,
    /// The functions that are not in the module, and why.
    pub errors: Vec<NotLowered>,
}

/// Lowers the functions of a unit.
pub fn lower(db: &dyn Db, file: SourceFile, _: Settings, _: &Options) -> Lowered {
    let module = Module { file: file.path(db).to_string(), functions: Vec::new(), globals: Vec::new() };
    let function = Symbol::intern("k");
    let span = tangle_grammar::ast::Span::new(0, 1);
    Lowered { module, errors: vec![NotLowered { function, span, reason: "not yet".into() }] }
}
