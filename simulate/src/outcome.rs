//! The outcome of an execution, and the operations that threads executed together.

use tangle_base::Symbol;
use tangle_ir::flow::ValueId;
use tangle_ir::scope::Scope;

use crate::keys::{Key, Point};

/// A location in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The number of the function in the module.
    pub function: usize,
    /// The operation, block, or end of a block.
    pub point: Point,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All threads have returned. In a [lenient](crate::Launch::lenient) launch, they may also have stopped.
    Finished,
    /// No thread can continue.
    Deadlock {
        /// The waiting threads, by the instance at which they wait.
        waiting: Vec<Waiting>,
        /// The threads of their work-groups that have returned.
        returned: Vec<usize>,
    },
    /// The execution exceeded a limit of the launch.
    Spent {
        /// The limit.
        what: Limit,
        /// The thread that exceeded it.
        thread: usize,
        /// The location of the thread.
        spot: Location,
    },
    /// The behaviour is undefined from this location on.
    Undefined {
        /// The reason.
        what: Undefined,
        /// The thread with undefined behaviour.
        thread: usize,
        /// The location of the thread.
        spot: Location,
    },
}

/// Threads of one group that wait at one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The call.
    pub spot: Location,
    /// The called builtin.
    pub callee: Symbol,
    /// The numbers of the waiting threads.
    pub threads: Vec<usize>,
}

/// A limit of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Steps. A thread that exceeds them may be in an endless loop.
    Steps,
    /// Bytes of memory.
    Memory,
    /// Depth of nested calls. A thread that exceeds it may be in an endless recursion.
    Depth,
}

/// Why the behaviour of a program is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// A branch depends on an undefined value.
    Branch,
    /// An access through an undefined address.
    Pointer,
    /// An access through an address that points to no object.
    Address,
    /// An access that begins or ends outside of its object.
    Bounds {
        /// The start of the access, in bytes from the start of the object.
        offset: i64,
        /// The size of the access in bytes.
        bytes: u64,
        /// The size of the object in bytes.
        size: u64,
    },
    /// A thread reached code that is marked as unreachable.
    Unreachable,
    /// A thread executed an operation whose mask does not name it.
    Unnamed {
        /// The called builtin.
        callee: Symbol,
    },
    /// Threads executed an operation that names other threads, which are elsewhere.
    Elsewhere {
        /// The called builtin.
        callee: Symbol,
        /// The number of named threads that executed it.
        came: usize,
        /// The number of the other named threads that have not exited.
        missing: usize,
    },
    /// Only some threads of a group reached an operation that all of them must reach. The threads that reached it
    /// continued, and the rest of the execution is recorded.
    Partial {
        /// The called builtin.
        callee: Symbol,
        /// The scope of the group.
        scope: Scope,
        /// The number of threads that executed it.
        came: usize,
        /// The number of other threads of the group.
        missing: usize,
    },
}

/// A convergent operation that threads of one group executed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// The converged instance. Instances with equal keys are converged, also in different groups.
    pub key: Key,
    /// The number of the function in the module.
    pub function: usize,
    /// The call.
    pub value: ValueId,
    /// The called builtin.
    pub callee: Symbol,
    /// The numbers of the threads, in ascending order: see [`Grid::place`](crate::Grid::place).
    pub threads: Vec<usize>,
    /// The threads that the operation names.
    pub named: Named,
    /// The numbers of the arguments whose values differ between threads that take part together.
    pub differing: Vec<usize>,
    /// Threads that read from a lane that takes no part: their result is undefined.
    pub unread: Vec<usize>,
    /// Threads that pass a width that is not a power of two, or exceeds the sub-group: their result is undefined.
    pub invalid_width: Vec<usize>,
}

/// The threads that a convergent operation names, with a mask, a tile or the whole group. Empty in launches that do not
/// check [masks](crate::Launch::masks).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Threads that execute the operation, each with the lanes of its sub-group that its mask or tile names. A call
    /// without a mask names all lanes, and has no entry.
    pub masks: Vec<(usize, u128)>,
    /// Threads that execute the operation, although their own masks do not name them.
    pub unnamed: Vec<usize>,
    /// Named threads that neither execute the operation nor have exited early.
    pub missing: Vec<usize>,
}

impl Named {
    /// Adds the threads that the same operation names in another group.
    pub(crate) fn add(&mut self, more: &Named) {
        self.masks.extend(&more.masks);
        self.unnamed.extend(&more.unnamed);
        self.missing.extend(&more.missing);
    }
}

/// The state of a thread at the end of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadEnd {
    /// The state.
    pub state: EndState,
    /// The end of the block where the thread returned, or the next operation of the thread.
    pub spot: Location,
}

/// The activity of a thread when an execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndState {
    /// The thread has returned from the kernel.
    Returned,
    /// The thread waits at an instance of a convergent operation.
    Waiting {
        /// The called builtin.
        callee: Symbol,
        /// The instance. Threads with equal keys wait together.
        key: Key,
    },
    /// The thread could continue, but the execution ended.
    Running,
    /// The thread did something undefined, or exceeded a limit.
    Stopped,
}

impl Communication {
    /// The location of the call. [`Program::span`](crate::Program::span) returns its source location.
    pub fn spot(&self) -> Location {
        Location { function: self.function, point: Point::Operation(self.value) }
    }
}
