//! The places of the parts of functions, and their source.

use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_ir::key::FunctionKey;

use tangle_syntax::dialect::Vocabulary;

/// A place in the text: lines and columns begin at 1, columns count characters, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub file: Arc<str>,
    /// The file is not the one that is lowered.
    pub foreign: bool,
    pub start: (usize, usize),
    pub end: (usize, usize),
}

/// The source that functions come from.
pub trait Source {
    /// The place of a span of a function.
    fn spot(&self, function: FunctionKey, span: Span) -> Option<Spot>;

    /// The words of the language.
    fn vocabulary(&self) -> &'static Vocabulary;

    /// A line of a file, without its end.
    fn line(&self, file: &Arc<str>, line: usize) -> Option<String>;
}
