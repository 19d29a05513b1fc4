//! What the rules about divergence look for, as data in their entries.
//!
//! **Need**: a kind of operation, and what of it a rule may speak of. Which functions the rules look at follows from [the needs of all](ALL):
//! `divergence::candidates` asks the text of a function, `divergence::suspects` what is known of its values and blocks.

use self::Operations::{OfGroup, OfSubgroup};
use tangle_syntax::dialect::{Builtin, Scope};

/// What a rule looks for in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// An operation that part of its group may not reach.
    Unreached(Operations),
    /// A loop that threads go round apart by a `continue`, in a function with such an operation.
    PartedLoop(Operations),
    /// An argument that must be the same for all who take part, and may differ.
    DifferingArgument,
    /// An atomic that takes a lock.
    Lock,
    /// An operation whose convergence is implementation-defined, which uniform jumps may settle.
    Doubt,
}

/// What all rules need together. A test compares it with the entries of the rules.
pub(crate) const ALL: &[Need] = &[
    Need::Unreached(OfGroup),
    Need::Unreached(OfSubgroup),
    Need::PartedLoop(OfSubgroup),
    Need::DifferingArgument,
    Need::Lock,
    Need::Doubt,
];

/// Convergent operations by those who take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operations {
    /// Of the work-group, or of all of a launch.
    OfGroup,
    OfSubgroup,
}

impl Operations {
    /// Whether a convergent call is, or may contain, such an operation. `row` is that of a builtin; a function may contain any.
    fn include(self, row: Option<&Builtin>) -> bool {
        row.is_none_or(|row| match self {
            Operations::OfGroup => row.scope >= Scope::Workgroup,
            Operations::OfSubgroup => row.scope == Scope::Subgroup,
        })
    }
}

/// Whether some rule needs this.
pub(crate) fn any(need: Need) -> bool {
    ALL.contains(&need)
}

/// Whether some rule may speak of a convergent call that part of a group may not reach. `row` is that of a builtin, None for a function.
pub(crate) fn unreached(row: Option<&Builtin>) -> bool {
    ALL.iter().any(|need| matches!(need, Need::Unreached(operations) if operations.include(row)))
}

/// The same of a convergent call in a loop that threads go round apart.
pub(crate) fn parted_loop(row: Option<&Builtin>) -> bool {
    ALL.iter().any(|need| matches!(need, Need::PartedLoop(operations) if operations.include(row)))
}
