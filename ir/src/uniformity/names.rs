//! Properties that the names of undefined functions and constants imply.
//!
//! Nothing is known of a function or constant without a definition but its name. A language can have conventions for such
//! names ([`Environment::implied`](super::Environment)); this module lists their possible meanings. The analysis itself
//! compares no names.
//!
//! ```c
//! #include "missing.h"
//! for (int i = threadIdx.x; i < round_up(n, blockDim.x); i += blockDim.x)
//!   __syncthreads();   // all threads take the same number of iterations if `round_up` returns a multiple of its second argument
//! ```

use tangle_base::Symbol;

use crate::flow::{Call, Callee, Op, Unknown};

/// A property that the name of an undefined function or constant implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImpliedMeaning {
    /// A constant, or a function without parameters: the number of threads of a sub-group.
    SubGroupSize,
    /// A function of two numbers: a multiple of the second one.
    Multiple,
}

/// Whether an operation is a constant, or the call of a function without arguments, whose name implies the size of a
/// sub-group.
pub(super) fn is_sub_group_size(op: &Op, implied: &dyn Fn(Symbol) -> Option<ImpliedMeaning>) -> bool {
    let name = match op {
        Op::Unknown { what: Unknown::Name(name) | Unknown::Dependent(name), .. } => *name,
        Op::Call(Call { callee: Callee::Unknown { named: Some(named), .. }, arguments, .. })
            if arguments.is_empty() =>
        {
            match named.name() {
                Some(name) => name,
                None => return false,
            }
        }
        _ => return false,
    };
    implied(name) == Some(ImpliedMeaning::SubGroupSize)
}
