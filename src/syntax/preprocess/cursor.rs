//! A position in a file, with its open conditions.

use std::sync::Arc;

use tangle_grammar::lex::Lexed;

use super::left_out::Missing;
use super::origin::FileId;

/// Where we are in a file.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pub file: FileId,
    pub lexed: Arc<Lexed>,
    /// The next token.
    pub pos: u32,
    /// The next directive, as an index into the list of them.
    pub directive: u32,
    pub conditions: Vec<Condition>,
    /// Whether a macro call was met that does not end.
    pub unclosed_call: bool,
    /// The headers that the current test asked for and that are not there.
    pub unfound: Vec<String>,
}

impl Cursor {
    pub fn new(file: FileId, lexed: Arc<Lexed>) -> Cursor {
        Cursor { file, lexed, ..Cursor::default() }
    }

    /// The token that begins the next directive; the number of tokens if there is none.
    #[inline]
    pub fn stop(&self) -> u32 {
        let directive = self.lexed.directives.get(self.directive as usize);
        directive.copied().unwrap_or(self.lexed.tokens.len() as u32)
    }
}

/// An open `#if`.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The name of the directive.
    pub opener: u32,
    /// Whether one of its groups was taken.
    pub taken: bool,
    /// What is missing of the names that its tests asked for.
    pub missing: Vec<Missing>,
    /// The same of the test by which a group was taken.
    pub decisive: Vec<Missing>,
    /// The headers that its tests asked for and that are not there.
    pub headers: Vec<String>,
    pub otherwise: Option<u32>,
}
