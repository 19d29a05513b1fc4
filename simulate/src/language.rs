//! What the executor has to know of the builtins of a language.

use tangle_base::Symbol;
use tangle_ir::scope::Scope;

use crate::operation::Operation;

/// The builtins of a language, by their names.
pub trait Language {
    /// What a name means. None: it is no builtin; a call of it computes something from its arguments if the compiler knows it
    /// (`__builtin_…`), and may give anything otherwise.
    fn builtin(&self, name: Symbol) -> Option<Builtin>;
}

/// What a call of a builtin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The operation that a call performs.
    pub operation: Operation,
    /// Whom it talks to.
    pub scope: Scope,
    /// The threads that execute it together decide what it does.
    pub convergent: bool,
    /// How far its result is the same for all who execute it together.
    pub gives: Gives,
    /// What happens if some threads of the group do not reach it.
    pub partial: Partial,
    /// Threads that have returned are threads of the group, too.
    pub counts_returned: bool,
}

/// What happens if some threads of the group do not reach an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partial {
    /// Those that reach it execute it together.
    Executes,
    /// Those that reach it wait for the others: a work-group barrier.
    Waits,
    /// The behaviour is undefined.
    Undefined,
}

/// How far a result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// One result for all who execute it together.
    Uniform,
    /// One for each thread.
    Divergent,
    /// Equal results for equal arguments.
    Operands,
}
