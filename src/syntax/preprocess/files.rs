//! The input of preprocessing: files and options.

use std::sync::Arc;

use tangle_grammar::lex::Lexed;

use super::origin::FileId;
use crate::dialect::Dialect;

/// All files that a unit may read.
pub trait Files {
    /// The tokens of a file; no tokens if there is no such file.
    fn lexed(&self, file: FileId) -> Arc<Lexed>;
    /// Returns the file that `#include "name"` (`quoted`) or `#include <name>` in the file `from` refers to.
    fn resolve(&self, name: &str, quoted: bool, from: FileId) -> Option<FileId>;
    /// The value of `__FILE__` in a file. It must not change for a file number.
    fn path(&self, file: FileId) -> String;
    /// The line of a token, starting at 1.
    fn line(&self, file: FileId, token: u32) -> u32;
}

/// The settings at the start of a translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The language: its keywords, and the types that are declared before the first line.
    pub dialect: Dialect,
    /// A file of `#define` lines with the predefined macros of the dialect.
    pub predefined: Option<FileId>,
    /// A file of `#define`, `#undef` and `#include` lines for `-D`, `-U` and `--include`.
    pub command_line: Option<FileId>,
}
