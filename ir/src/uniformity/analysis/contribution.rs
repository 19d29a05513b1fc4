//! The reasons why a value may differ between threads, as data.
//!
//! **Contribution**: one reason, or a set of branches that are reasons of the same kind. Each adds a fact to the
//! verdict. **Source**: a reason without a further cause.
//!
//! ```text
//! %i = call get_local_id(0)     Source(Builtin)
//! %c = lt %i, %n                Operand(%i), Operand(%n)
//! branch %c, then, end
//! end: %x = phi […]             its operands; Joined(end): Join(b) for each branch b that `end` is a join of
//! ```
//!
//! Thousands of branches may be reasons of the same kind for thousands of values. [`Branches`] identifies all of them
//! by their block or cycle, and the analysis stores the list.

use tangle_base::AddressSpace;

use crate::flow::cycles::CycleId;
use crate::flow::{BlockId, ValueId};
use crate::uniformity::versions::VersionRef;

/// Why a value may differ between threads. A set of branches is one contribution ([`BranchSet`]), since each of
/// thousands of values may depend on thousands of branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contribution {
    /// One reason.
    Reason(Reason),
    /// Each branch of a set.
    Branches(BranchSet),
}

/// A set of branches where threads diverge. Each of them is a reason. Queries for a cycle often include all cycles
/// around it. So some sets consist of their [own](super::Analysis::own_branches) branches and of
/// [further](super::Analysis::further_branches) sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchSet {
    /// The branches that the block is a join of. If it is a loop header, only those outside the loop.
    Joined(BlockId),
    /// The branches inside a loop that its header is a join of: threads diverge there and reach the next iteration on
    /// different paths.
    JoinedAgain(BlockId),
    /// The branches whose joins take too many steps to compute. We assume a join wherever paths meet.
    JoinedAnywhere,
    /// The branches where threads leave the cycle.
    Leaving(CycleId),
    /// The branches where threads leave the cycle or one around it.
    LeavingAny(CycleId),
    /// The branches that make the cycle, or one around it, not m-converged.
    Unconverging(CycleId),
}

impl From<Reason> for Contribution {
    fn from(reason: Reason) -> Contribution {
        Contribution::Reason(reason)
    }
}

impl BranchSet {
    /// Returns the reason that one branch of the set is.
    pub fn reason(self, branch: BlockId) -> Reason {
        match self {
            BranchSet::Joined(_) | BranchSet::JoinedAgain(_) | BranchSet::JoinedAnywhere => {
                Reason::Join(branch)
            }
            BranchSet::Leaving(_) | BranchSet::LeavingAny(_) => Reason::Temporal(branch),
            BranchSet::Unconverging(_) => Reason::NotConverged(branch),
        }
    }
}

/// One reason why a value may differ between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// An operand, at its definition.
    Operand(ValueId),
    /// Threads that diverged at the branch of the block reconverge here.
    Join(BlockId),
    /// Threads carry the value out of a cycle in different iterations, because the branch of the block is divergent.
    Temporal(BlockId),
    /// Threads that diverged at the branch of the block enter or traverse an irreducible cycle on different paths.
    NotConverged(BlockId),
    /// The contents of private memory that an operation reads, or that reach a join.
    Held(VersionRef),
    /// The previous contents of private memory, which a write keeps or may keep.
    Kept(VersionRef),
    /// The argument for this parameter.
    Parameter(u32),
    /// The memory that this parameter points to.
    Pointee(u32),
    /// The operation itself is a source of divergence.
    Source(DivergenceSource),
    /// The callee: its result, or the contents that it writes, are divergent in the callee.
    Callee,
}

/// A reason without a further cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DivergenceSource {
    /// A builtin whose result differs between threads, such as `get_local_id`.
    Builtin,
    /// An atomic operation: each thread gets a different value.
    Atomic,
    /// Memory that other threads may write.
    SharedMemory(AddressSpace),
    /// Private memory whose address escapes.
    EscapedMemory,
    /// A `volatile` load.
    Volatile,
    /// A function that is called through a pointer, or an unknown function whose arguments carry no information.
    UnknownFunction,
    /// An undeclared variable, private to the thread.
    UnknownVariable,
    /// The contents of an image or a pipe.
    Image,
}
