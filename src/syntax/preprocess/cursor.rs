//! A position in a file, with its open conditions.

use std::sync::Arc;

use tangle_grammar::lex::Lexed;

use super::origin::FileId;
use super::skipped::UndefinedName;

/// The position in the current file.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    pub file: FileId,
    pub lexed: Arc<Lexed>,
    /// The next token.
    pub pos: u32,
    /// The next directive, as an index into the list of directives.
    pub directive: u32,
    pub conditions: Vec<Condition>,
    /// Whether a macro call without its closing parenthesis was found.
    pub unclosed_call: bool,
    /// The headers that the current test looked for and did not find.
    pub unfound: Vec<String>,
}

impl Cursor {
    pub fn new(file: FileId, lexed: Arc<Lexed>) -> Cursor {
        Cursor { file, lexed, ..Cursor::default() }
    }

    /// The first token of the next directive; the number of tokens if there is no further directive.
    #[inline]
    pub fn stop(&self) -> u32 {
        let directive = self.lexed.directives.get(self.directive as usize);
        directive.copied().unwrap_or(self.lexed.tokens.len() as u32)
    }
}

/// An open `#if`.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// The token with the name of the directive.
    pub opener: u32,
    /// Whether one of its groups was taken.
    pub group_taken: bool,
    /// The undefined names that its tests depend on.
    pub missing: Vec<UndefinedName>,
    /// The same for the test that caused a group to be taken.
    pub decisive: Vec<UndefinedName>,
    /// The headers that its tests looked for and did not find.
    pub headers: Vec<String>,
    pub otherwise: Option<u32>,
}
