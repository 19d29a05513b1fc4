//! How an execution ended, and what threads did together.

use tangle_base::Symbol;
use tangle_ir::flow::ValueId;
use tangle_ir::scope::Scope;

use crate::keys::{Key, Point};

/// A place in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The number of the function in the module.
    pub function: usize,
    /// The operation, block, or end of a block.
    pub point: Point,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All threads have returned; with [`lenient`](crate::Launch::lenient), or been stopped.
    Finished,
    /// Nobody can go on.
    Deadlock {
        /// Those who wait, by what they wait at.
        waiting: Vec<Waiting>,
        /// Of their work-groups, those who have returned.
        returned: Vec<usize>,
    },
    /// It takes more than the launch allows.
    Spent {
        /// What there is not enough of.
        what: Spent,
        /// The thread that asked for more.
        thread: usize,
        /// Where.
        spot: Spot,
    },
    /// The program has no meaning from there on.
    Undefined {
        /// Why.
        what: Undefined,
        /// The thread.
        thread: usize,
        /// Where.
        spot: Spot,
    },
}

/// Threads of one group that wait at one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The call.
    pub spot: Spot,
    /// What is called.
    pub callee: Symbol,
    /// Who waits, by number.
    pub threads: Vec<usize>,
}

/// What a launch has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// Operations: an endless loop, perhaps.
    Steps,
    /// Bytes.
    Memory,
    /// Calls inside of each other: a recursion, perhaps.
    Depth,
}

/// Why a program has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// A branch looks at a value that is none in particular.
    Branch,
    /// An address that is none in particular.
    Pointer,
    /// An address that points to no object.
    Address,
    /// An access that begins or ends outside of its object.
    Bounds {
        /// Where it begins, in bytes from the begin of the object.
        offset: i64,
        /// Bytes of the access.
        bytes: u64,
        /// Bytes of the object.
        size: u64,
    },
    /// A place that no thread comes to.
    Unreachable,
    /// An operation that all threads of a group have to reach, and that some did not reach. Those that reached it went on, and the rest of the
    /// execution is recorded.
    Partial {
        /// What is called.
        callee: Symbol,
        /// Of which group.
        scope: Scope,
        /// How many threads executed it.
        came: usize,
        /// How many others the group has.
        missing: usize,
    },
}

/// A convergent operation, as threads of one group executed it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// The converged instance: two threads that execute equal keys are converged, also in different groups.
    pub key: Key,
    /// The number of the function in the module.
    pub function: usize,
    /// The call.
    pub value: ValueId,
    /// What is called.
    pub callee: Symbol,
    /// Who took part, by number, in order: see [`Grid::place`](crate::Grid::place).
    pub threads: Vec<usize>,
}

impl Communication {
    /// The call: [`Program::span`](crate::Program::span) says where it stands.
    pub fn spot(&self) -> Spot {
        Spot { function: self.function, point: Point::Operation(self.value) }
    }
}
