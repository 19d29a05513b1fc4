//! The template arguments that a body is checked with.
//!
//! ```c
//! template <class T, int N> __global__ void k(T *p) { … }
//! k<float, 4><<<1, 64>>>(p);   // T: Type(float), N: Integer(4)
//! ```

use std::sync::Arc;

use tangle_grammar::symbol::Symbol;

use super::types::Ty;

/// A known template argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemplateArgument {
    /// A number, also that of an enumerator or a truth value.
    Integer(i128),
    /// A type.
    Type(Ty),
}

/// The known template arguments of an instantiation, each with the name of its parameter. Empty for the template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct TemplateArguments(Arc<[(Symbol, TemplateArgument)]>);

impl TemplateArguments {
    /// Returns these arguments, in the order of the parameters.
    pub fn new(arguments: Vec<(Symbol, TemplateArgument)>) -> TemplateArguments {
        TemplateArguments(arguments.into())
    }

    /// Whether no argument is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the arguments in the order of the parameters.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, TemplateArgument)> {
        self.0.iter().copied()
    }
}
