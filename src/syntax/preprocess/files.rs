//! The input of preprocessing: files and options.

use std::sync::Arc;

use tangle_grammar::lex::Lexed;

use super::origin::FileId;
use crate::dialect::Dialect;

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
