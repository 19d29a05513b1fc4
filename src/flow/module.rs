//! A file as a module of the flow graph.

use super::{Module, NotLowered};
use crate::db::Db;
use crate::hir::bodies;
use crate::hir::body::Body;
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, SharedChunk, chunks, items, unit};

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
pub fn lower(db: &dyn Db, file: SourceFile, settings: Settings, _: &Options) -> Lowered {
    let module = Module { file: file.path(db).to_string(), functions: Vec::new(), globals: Vec::new() };
    let chunks = chunks(unit(db, file, settings)).into_iter();
    let items = chunks.flat_map(|chunk| items(db, ChunkKey::new(db, SharedChunk(chunk))));
    let bodies = items.flat_map(|&(item, _)| &bodies(db, item).0);
    let error = |body: &Body| NotLowered {
        function: body.name.text,
        span: body.name.span,
        reason: "function bodies are not lowered yet".into(),
    };
    Lowered { module, errors: bodies.map(error).collect() }
}
