//! The properties of builtins that the executor needs.

use tangle_base::Symbol;
use tangle_ir::scope::Scope;

use crate::operation::{Argument, Operation};

/// The builtins of a language, looked up by name.
pub trait Language {
    /// Returns the builtin of this name. `None` for all other functions: their result depends on its arguments if the
    /// compiler knows the function (`__builtin_…`), and is arbitrary otherwise.
    fn builtin(&self, name: Symbol) -> Option<Builtin>;
}

/// The effect of a call of a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The operation that a call performs.
    pub operation: Operation,
    /// The group of threads that it communicates with.
    pub scope: Scope,
    /// Whether its effect depends on the set of threads that execute it together.
    pub convergent: bool,
    /// Which threads that execute it together get the same result.
    pub gives: ResultUniformity,
    /// The behaviour if some threads of the group do not reach it.
    pub partial: PartialArrival,
    /// Whether threads that have returned still count as threads of the group.
    pub counts_returned: bool,
    /// The threads that it names, if a mask or a group names them, and not control flow.
    pub names: Option<NamedThreads>,
}

/// The threads of a sub-group that an operation names. Each of them must execute it, except threads that have exited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NamedThreads {
    /// The argument with the mask of their lanes. A call without this argument names all lanes.
    pub mask: Option<Argument>,
    /// The argument with the number of threads of a tile, instead of a mask. A call without it names unknown lanes.
    pub tile: Option<Argument>,
    /// Whether they may be at different calls of the builtin.
    pub anywhere: bool,
}

/// The behaviour if some threads of the group do not reach an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartialArrival {
    /// The threads that reach it execute it together.
    Executes,
    /// The threads that reach it wait for the others, as at a work-group barrier.
    Waits,
    /// The behaviour is undefined.
    Undefined,
}

/// Which threads that execute a builtin together get the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultUniformity {
    /// All of them get one result.
    Uniform,
    /// Each thread gets its own result.
    Divergent,
    /// Equal results for equal arguments.
    Operands,
}
