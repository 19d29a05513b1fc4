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
mod cut;
mod definition;
mod directive;
mod expand;
mod known;
mod launches;
mod left_out;
mod memo;
mod namespace;
mod origin;
mod pack;
mod paste;
mod problem;
mod symbols;
mod unit;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tangle_grammar::lex::Lexed;

use crate::dialect::Dialect;

pub use chunk::{Chunk, ItemTokens, Part};
pub use launches::Launch;
pub use left_out::{Conditions, LeftOut, Missing};
pub use memo::Cache;
pub use namespace::Namespace;
pub use origin::{Expansion, FileId, Origin};
pub use problem::{Problem, ProblemKind};

/// The files of the world.
pub trait Files {
    /// The tokens of a file; none if there is no such file.
    fn lexed(&self, file: FileId) -> Arc<Lexed>;
    /// The file that `#include "name"` (`quoted`) or `#include <name>` in the file `from` means.
    fn resolve(&self, name: &str, quoted: bool, from: FileId) -> Option<FileId>;
    /// What `__FILE__` says in a file. Must not change for a file number.
    fn path(&self, file: FileId) -> String;
    /// The line of a token, from 1.
    fn line(&self, file: FileId, token: u32) -> u32;
}

/// What a translation unit begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The language: which names are keywords, and which are types before the first line.
    pub dialect: Dialect,
    /// The predefined macros of the dialect, as a file of `#define` lines.
    pub predefined: Option<FileId>,
    /// `-D`, `-U` and `--include`, as a file of `#define`, `#undef` and `#include` lines.
    pub command_line: Option<FileId>,
}

/// Preprocesses the translation unit whose main file is `file`.
pub fn preprocess(files: &dyn Files, options: &Options, cache: &Cache, file: FileId) -> Arc<Chunk> {
    Arc::new(unit::Unit::new(files, options.dialect, cache, file).run(options))
}
