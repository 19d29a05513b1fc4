//! Preprocesses the files of a translation unit into top-level items: directives, conditions, macros, and the origin
//! of each token.
//!
//! ```text
//! lexed files -> directive, condition, expand -> cut -> Chunk of items
//!                         ^ cache: units where a header has the same meaning share its chunk
//! ```
//!
//! This module is pure: files come from [`Files`], and it reads and prints nothing itself. Errors are data
//! ([`Problem`]), and no error stops the preprocessing of the rest of the file. Recursion and the size of the output
//! are bounded for every input.

mod chunk;
mod chunk_cache;
mod condition;
mod cursor;
mod cut;
mod definition;
mod directive;
mod expand;
mod expander;
mod files;
mod known;
mod launches;
mod log;
mod origin;
mod pack;
mod paste;
mod problem;
mod scratch;
mod skipped;
mod symbols;
mod tok;
mod unit;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use chunk::{Chunk, ItemTokens, Part};
pub use chunk_cache::Cache;
pub use condition::ConditionError;
pub use definition::DefinitionError;
pub use files::{Files, Options};
pub use launches::{Launch, LaunchArgument};
pub use origin::{Expansion, FileId, Origin};
pub use pack::PackError;
pub use problem::{Problem, ProblemKind};
pub use skipped::{Conditions, SkippedGroup, UndefinedName};

/// Preprocesses the translation unit whose main file is `file`.
pub fn preprocess(files: &dyn Files, options: &Options, cache: &Cache, file: FileId) -> Arc<Chunk> {
    Arc::new(unit::Unit::new(files, options.dialect, cache, file).run(options))
}
