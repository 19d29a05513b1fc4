//! The operations that the rules about divergence look for, as data in their entries.
//!
//! **Need**: a kind of operation, with a property that a rule may report. The [needs of all rules](ALL) decide which
//! functions the rules examine. `divergence::preselection` tests the text of a function for them, and
//! `divergence::suspects` tests its values and blocks.

use self::OperationClass::{OfGroup, OfSubgroup};
use tangle_syntax::dialect::{Builtin, Scope};

/// An operation that a rule looks for in a function, with its relevant property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interest {
    /// A convergent operation that not all threads of its group may reach.
    Unreached(OperationClass),
    /// Such an operation in a function where a divergent `continue` may separate the threads of a loop.
    PartedLoop(OperationClass),
    /// An argument that must be uniform, and may be divergent.
    DifferingArgument,
    /// A mask that may not name all lanes of the warp.
    PartialMask,
    /// A width of a shuffle.
    ShuffleWidth,
    /// An operation that yields a mask of lanes.
    LaneMask,
    /// An operation that yields the lanes which happen to execute it together.
    ActiveMask,
    /// A deprecated operation of the sub-group.
    Deprecated,
    /// An atomic that takes a lock.
    Lock,
    /// An operation with implementation-defined convergence. Uniform jumps may settle its doubt.
    Doubt,
}

/// The needs of all rules. A test compares this list with the entries of the rules.
pub(crate) const ALL: &[Interest] = &[
    Interest::Unreached(OfGroup),
    Interest::Unreached(OfSubgroup),
    Interest::PartedLoop(OfSubgroup),
    Interest::DifferingArgument,
    Interest::PartialMask,
    Interest::ShuffleWidth,
    Interest::LaneMask,
    Interest::ActiveMask,
    Interest::Deprecated,
    Interest::Lock,
    Interest::Doubt,
];

/// A class of convergent operations, by the group of threads that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationClass {
    /// The operations of a work-group, a cluster or the grid.
    OfGroup,
    OfSubgroup,
}

impl OperationClass {
    /// Whether a convergent call is, or may contain, such an operation. `row`: the row of a builtin. `None` for a
    /// function, which may contain any operation.
    fn include(self, row: Option<&Builtin>) -> bool {
        row.is_none_or(|row| match self {
            OperationClass::OfGroup => row.scope >= Scope::Workgroup,
            OperationClass::OfSubgroup => row.scope == Scope::Subgroup,
        })
    }
}

/// Whether some rule has this need.
pub(crate) fn is_needed(need: Interest) -> bool {
    ALL.contains(&need)
}

/// Whether some rule may report a convergent call that not all threads of a group reach. `row`: the row of a builtin,
/// or `None` for a function.
pub(crate) fn unreached(row: Option<&Builtin>) -> bool {
    ALL.iter().any(|need| matches!(need, Interest::Unreached(operations) if operations.include(row)))
}

/// Whether some rule may report a convergent call because of a divergent `continue`. `row`: as for [`unreached`].
pub(crate) fn parted_loop(row: Option<&Builtin>) -> bool {
    ALL.iter().any(|need| matches!(need, Interest::PartedLoop(operations) if operations.include(row)))
}
