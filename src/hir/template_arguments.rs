//! The template arguments that a body is checked with.
//!
//! ```c
//! template <class T, int N> __global__ void k(T *p) { … }
//! k<float, 4><<<1, 64>>>(p);   // T: the type float, N: the value 4
//! ```

use std::sync::Arc;

use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{InstanceArgument, InstanceArguments};

use super::def::template::TemplateParameter;
use super::types::Ty;

/// The template arguments of an instantiation, each with the name of its parameter. Empty for the template.
#[derive(Clone, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct TemplateArguments {
    names: Arc<[Symbol]>,
    arguments: InstanceArguments,
}

impl Default for TemplateArguments {
    fn default() -> TemplateArguments {
        TemplateArguments { names: Arc::default(), arguments: InstanceArguments::NONE }
    }
}

impl TemplateArguments {
    /// Returns these arguments of a template with these parameters.
    pub fn new(parameters: &[TemplateParameter], arguments: InstanceArguments) -> TemplateArguments {
        TemplateArguments { names: parameters.iter().map(|parameter| parameter.name).collect(), arguments }
    }

    /// Whether there are none: the body is checked for all arguments at once.
    pub fn is_empty(&self) -> bool {
        self.arguments == InstanceArguments::NONE
    }

    /// Returns the arguments, as they identify the instantiation.
    pub fn of_key(&self) -> InstanceArguments {
        self.arguments
    }

    /// Returns the arguments that are types.
    pub fn types(&self) -> Vec<Ty> {
        let ty = |argument: &InstanceArgument| match argument {
            InstanceArgument::Type(ty) => Some(*ty),
            InstanceArgument::Value { .. } | InstanceArgument::Unknown => None,
        };
        self.arguments.list().iter().filter_map(ty).collect()
    }

    /// Returns the argument of the parameter with this name. `None`: it is not known.
    pub fn get(&self, name: Symbol) -> Option<InstanceArgument> {
        let number = self.names.iter().position(|&own| own == name)?;
        self.arguments.list().get(number).copied().filter(|&argument| argument != InstanceArgument::Unknown)
    }
}
