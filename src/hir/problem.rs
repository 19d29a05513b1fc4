//! What is wrong with the types of an item: facts, which `lint` puts into words.

use tangle_grammar::ast::Span;

/// A place in an item, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeProblem {
    pub span: Span,
    pub kind: TypeProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeProblemKind {}
