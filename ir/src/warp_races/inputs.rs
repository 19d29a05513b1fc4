//! The inputs of the search: a kernel, the functions that it calls, and the builtins.

use crate::flow::{Callee, Function};
use crate::operation::{Argument, Operation};
use crate::scope::Scope;

/// A function that the caller numbers.
#[derive(Clone, Copy)]
pub struct NumberedFunction<'a> {
    /// The number, for [`Place`](super::Place).
    pub number: u32,
    /// The function in SSA form.
    pub function: &'a Function,
}

/// A builtin, as far as the order of accesses depends on it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinCall {
    /// The effect of a call.
    pub operation: Operation,
    /// The group of threads that it communicates with.
    pub scope: Scope,
    /// Whether its effect depends on the set of threads that execute it together.
    pub convergent: bool,
    /// Whether its result can differ between lanes with equal arguments.
    pub divergent: bool,
    /// The argument with the mask of the lanes that take part.
    pub mask: Option<Argument>,
}

/// The inputs of the search in one kernel.
#[derive(Clone, Copy)]
pub struct KernelInputs<'a> {
    /// The kernel.
    pub kernel: NumberedFunction<'a>,
    /// Returns the function that a call runs. `None`: it is a builtin, or unknown.
    pub called: &'a dyn Fn(&Callee) -> Option<NumberedFunction<'a>>,
    /// Returns a builtin. `None`: the callee is unknown.
    pub builtin: &'a dyn Fn(&Callee) -> Option<BuiltinCall>,
    /// The number of threads of a block in each dimension.
    pub local_size: [u32; 3],
}
