//! From the files of a translation unit to its top-level items: directives, conditions, macros, and where each
//! token was written.
//!
//! ```text
//! lexed files -> directive, condition, expand -> cut -> Chunk of items
//!                         ^ memo: the chunk of a header is shared by all units in which it means the same
//! ```
//!
//! Pure: files come in through [`Files`], nothing is read or printed. Troubles are data ([`Problem`]); none stops the
//! rest of the file. No input makes it recurse without bound or produce without end.

mod chunk;
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
mod left_out;
mod log;
mod memo;
mod origin;
mod pack;
mod paste;
mod problem;
mod scratch;
mod symbols;
mod tok;
mod unit;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use chunk::{Chunk, ItemTokens, Part};
pub use files::{Files, Options};
pub use launches::Launch;
pub use left_out::{Conditions, LeftOut, Missing};
pub use memo::Cache;
pub use origin::{Expansion, FileId, Origin};
pub use problem::{Problem, ProblemKind};

/// Preprocesses the translation unit whose main file is `file`.
pub fn preprocess(files: &dyn Files, options: &Options, cache: &Cache, file: FileId) -> Arc<Chunk> {
    Arc::new(unit::Unit::new(files, options.dialect, cache, file).run(options))
}
