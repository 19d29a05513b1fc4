//! The inputs of the analysis of a function: facts from the language, from the rest of the module and from the user.
//!
//! ```c
//! int last = sub_group_broadcast(f(n), 0);   // the effect of the builtin (language), the summary of `f` (module)
//! int m = p[last];                           // tangle: uniform(workgroup): an assertion of the user
//! ```

use std::sync::Arc;

use tangle_base::Symbol;

use crate::flow::{Call, Callee, Value};
use crate::uniformity::{Divergence, ImpliedMeaning, Launch, Parameters, Summary};

/// The inputs of the analysis of a function.
pub struct Environment<'a> {
    /// Returns the effect of a builtin of the language. `None`: not a builtin, or the effect is unknown.
    pub builtin: &'a dyn Fn(&Callee) -> Option<BuiltinEffect>,
    /// Returns the summary of a function of the module. `None` if the module does not define the function.
    pub summary: &'a dyn Fn(&Callee) -> Option<Arc<Summary>>,
    /// Returns the greatest divergence of a value, if the user asserts one.
    pub limit: &'a dyn Fn(&Value) -> Option<Divergence>,
    /// Returns the property that the name of an undefined function or constant implies. `None` if it implies none.
    pub implied: &'a dyn Fn(Symbol) -> Option<ImpliedMeaning>,
    /// The assumption about names and functions that the module does not declare.
    pub assumed: UnknownAssumption,
    /// The known properties of the launches.
    pub launch: Launch,
}

impl<'a> Environment<'a> {
    /// Returns an environment with a language only: no other functions, no naming conventions, no assertions of the
    /// user, and any launch.
    pub fn of(builtin: &'a dyn Fn(&Callee) -> Option<BuiltinEffect>) -> Environment<'a> {
        Environment {
            builtin,
            summary: &|_| None,
            limit: &|_| None,
            implied: &|_| None,
            assumed: UnknownAssumption::default(),
            launch: Launch::default(),
        }
    }

    /// Whether the effect of a call is unknown.
    pub(in crate::uniformity) fn is_unknown(&self, call: &Call) -> bool {
        !call.callee.is_of_dialect()
            && (self.builtin)(&call.callee).is_none()
            && (self.summary)(&call.callee).is_none()
    }
}

/// An assumption about names and functions that the module does not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownAssumption {
    /// They may differ between any two threads. For callers that need certainty.
    Nothing,
    /// A name has the same value in all threads. The result of a function is as divergent as its arguments. If no
    /// argument carries information, the result is divergent.
    #[default]
    Usual,
    /// The same, except that the result of a function is uniform if no argument carries information.
    Uniform,
}

/// The effect of a builtin of the language, as far as uniformity depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BuiltinEffect {
    /// The divergence that the builtin itself adds to its result, for any arguments.
    pub result: Divergence,
    /// Whether the result is also as divergent as the arguments.
    pub of_arguments: bool,
    /// The argument that the result is also as divergent as: a mask that selects the group of the thread.
    pub of_argument: Option<usize>,
    /// If the result is the value that another thread passes for an argument: the number of this argument. The second
    /// number, if any, is that of the argument that selects the other thread of the sub-group.
    pub moved: Option<(usize, Option<usize>)>,
    /// The argument with the number of threads of a tile, if the result is the same in all threads of a tile.
    pub of_tile: Option<usize>,
    /// The arguments through which it writes the same value in all threads of a group, and the divergence of that
    /// value.
    pub alike: (Parameters, Divergence),
    /// Whether it is atomic: it changes memory, so each thread gets a different value.
    pub atomic: bool,
    /// Whether the result also depends on memory or images that the arguments refer to.
    pub loads: bool,
    /// The number of the thread, or of the launch, that the builtin returns. `None` if it returns something else.
    pub index: Option<ThreadIndex>,
}

/// The number of a thread, or of its launch, that a builtin returns. The argument of the builtin, if any, is the
/// dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadIndex {
    /// The number of the thread in its work-group.
    Local,
    /// The number of the thread in its work-group, as one number for all dimensions.
    LocalLinear,
    /// The number of the thread in the grid.
    Global,
    /// The number of the thread in its sub-group.
    Lane,
    /// The number of threads of a full sub-group.
    SubGroupSize,
    /// The number of threads of a work-group.
    LocalSize,
    /// The number of threads of a work-group in all dimensions together.
    LocalLinearSize,
    /// The number of threads of the grid.
    GlobalSize,
}
