//! By what a program knows its functions and variables.

use std::fmt;

use tangle_base::Symbol;

use crate::types::Ty;

/// By what calls and definitions name a function. Two functions of one program that are not the same have different keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionKey {
    /// The scope that declares it, such as a namespace. Empty: that of the program.
    pub owner: Symbol,
    /// The name without its scope.
    pub name: Symbol,
    /// Of a function that may stand beside others of its name: the type that tells it from these. None: the name says it all.
    pub overload: Option<Ty>,
}

impl FunctionKey {
    /// A function of the program's own scope that is alone with its name.
    pub fn plain(name: Symbol) -> FunctionKey {
        FunctionKey { owner: Symbol::EMPTY, name, overload: None }
    }
}

/// What people call the function.
impl fmt::Display for FunctionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.owner != Symbol::EMPTY {
            write!(f, "{}::", self.owner)?;
        }
        write!(f, "{}", self.name)
    }
}

/// What has an address that the whole program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A variable of the module, by its name there.
    Variable(Symbol),
    /// A function.
    Function(FunctionKey),
}
