//! What the analysis of a function is given: what a language, the rest of the module and the user say.
//!
//! ```c
//! int last = sub_group_broadcast(f(n), 0);   // the language says what the builtin yields; the module, what `f` does
//! int m = p[last];                           // tangle: uniform(workgroup): the user says so
//! ```

use std::sync::Arc;

use tangle_base::Symbol;

use crate::flow::{Callee, Value, ValueId};
use crate::uniformity::{Divergence, Implied, Index, Launch, Parameters, Summary};

/// What a function is analysed under.
pub struct Environment<'a> {
    /// What is known of a builtin of the language. None: it is none, or it is not known.
    pub builtin: &'a dyn Fn(&Callee) -> Option<Effect>,
    /// Of a function of the module; none if it is not there.
    pub summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    /// How divergent the user says that a value is at most.
    pub limit: &'a dyn Fn(&Value) -> Option<Divergence>,
    /// Whether threads of one work-group that execute an operation together read the same in shared memory, whatever the function writes there.
    pub agreed: &'a dyn Fn(ValueId) -> bool,
    /// The property that the name of an undefined function or constant implies. None: the name implies nothing.
    pub implied: &'a dyn Fn(Symbol) -> Option<Implied>,
    /// What is assumed of what the module does not declare.
    pub assumed: Assumed,
    /// What is known of each launch.
    pub launch: Launch,
}

impl<'a> Environment<'a> {
    /// A language alone: no other function, no convention for names, no word of the user, no barrier that keeps accesses apart, any launch.
    pub fn of(builtin: &'a dyn Fn(&Callee) -> Option<Effect>) -> Environment<'a> {
        Environment {
            builtin,
            summary: &|_| None,
            limit: &|_| None,
            agreed: &|_| false,
            implied: &|_| None,
            assumed: Assumed::default(),
            launch: Launch::default(),
        }
    }
}

/// What is assumed of names and functions that the module does not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assumed {
    /// Nothing: they may differ between any two threads. For callers that have to be certain.
    Nothing,
    /// A name is the same for all threads. The result of a function is as divergent as its arguments; if no argument tells it anything, its result
    /// differs between threads.
    #[default]
    Usual,
    /// The same, except that the result of a function is uniform if no argument tells it anything.
    Uniform,
}

/// What a builtin of the language does, as far as uniformity depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// How divergent its result is, whatever it is given. [`Divergence::None`]: as divergent as its arguments.
    pub result: Divergence,
    /// Whether the result also differs where the arguments do.
    pub of_arguments: bool,
    /// The result also differs where this argument does: a mask, of which each one names a group of its own.
    pub of_argument: Option<usize>,
    /// The result is what another thread has for the first of these arguments: that of the sub-group which the second one names by number, if there is one.
    pub moved: Option<(usize, Option<usize>)>,
    /// The arguments that it writes the same to for all threads of a group, and how divergent that is.
    pub alike: (Parameters, Divergence),
    /// It changes memory so that each thread sees another value.
    pub atomic: bool,
    /// The result also depends on the memory, or the image, that it is given.
    pub loads: bool,
    /// Which number of the thread, or of the launch, the result is. None: another one, or none.
    pub index: Option<Index>,
}
