//! The interface to the source of functions: locations and lines.

use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_ir::key::FunctionKey;

use tangle_syntax::dialect::Vocabulary;

/// A range of the text. Lines and columns begin at 1, columns count characters, and the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    pub file: Arc<str>,
    /// Whether the file is not the file that is lowered.
    pub foreign: bool,
    pub start: (usize, usize),
    pub end: (usize, usize),
}

/// The source of functions.
pub trait FunctionSource {
    /// The location of a span of a function.
    fn spot(&self, function: FunctionKey, span: Span) -> Option<SourceRange>;

    /// The names of threads and groups in the language.
    fn vocabulary(&self) -> &'static Vocabulary;

    /// A line of a file, without its line break.
    fn line(&self, file: &Arc<str>, line: usize) -> Option<String>;
}
