//! What the executor has to know of the builtins of a language.

use tangle_base::Symbol;
use tangle_ir::scope::Scope;

/// The builtins of a language, by their names.
pub trait Language {
    /// What a name means. None: it is no builtin; a call of it computes something from its arguments if the compiler knows it
    /// (`__builtin_…`), and may give anything otherwise.
    fn builtin(&self, name: Symbol) -> Option<Builtin>;
}

/// What a call of a builtin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// What it is for.
    pub kind: Kind,
    /// The builtin of OpenCL C that gives the same number of a thread, if this is another name for one.
    pub place: Option<Symbol>,
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

/// What a builtin is for, as far as it changes how a call is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The number of a thread or group, or how many there are.
    Place,
    /// Reads and writes memory in one step.
    Atomic,
    /// Reads a vector from memory.
    Load,
    /// Writes a vector to memory.
    Store,
    /// Orders the memory of one thread.
    Fence,
    /// Orders the memory of those who execute it together.
    Barrier,
    /// Anything else.
    Other,
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
