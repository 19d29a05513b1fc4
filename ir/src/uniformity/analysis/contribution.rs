//! Why a value may differ between threads, as data.
//!
//! **Contribution**: one reason, with what it adds to the verdict, or many reasons of one kind that are told as one. **Source**: a
//! reason behind which there is no other.
//!
//! ```text
//! %i = call get_local_id(0)     Source(Builtin)
//! %c = lt %i, %n                Operand(%i), Operand(%n)
//! branch %c, then, end
//! end: %x = phi […]             its operands; Joined(end): Join(b) for each branch b of which it is a join
//! ```
//!
//! Thousands of branches may be reasons of the same kind for thousands of values. [`Branches`] names all of them by the block or cycle
//! that they belong to; the analysis knows which they are.

use tangle_base::AddressSpace;

use crate::flow::cycles::CycleId;
use crate::flow::{BlockId, ValueId};
use crate::uniformity::versions::Held;

/// Why a value may differ between threads. Where it is any of several branches, they are told as one ([`Branches`]): there may be thousands
/// of them, for each of thousands of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contribution {
    /// One reason.
    Reason(Reason),
    /// All of some branches.
    Branches(Branches),
}

/// Branches at which threads part, each of which is a reason. Those of a cycle are often asked for with those of all cycles around it; so some
/// consist of their [own](super::Analysis::own_branches) and of [further](super::Analysis::further_branches) ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branches {
    /// Of which the block is a join; if it begins a loop, those outside of it.
    Joined(BlockId),
    /// Of which the block is a join, in the loop that it begins: threads part there and come to the next iteration on different ways.
    JoinedAgain(BlockId),
    /// Whose joins take too many steps to find: threads are taken to meet wherever paths do.
    JoinedAnywhere,
    /// At which threads leave the cycle.
    Leaving(CycleId),
    /// At which threads leave the cycle or one around it.
    LeavingAny(CycleId),
    /// Because of which the cycle, or one around it, is not m-converged.
    Unconverging(CycleId),
}

impl From<Reason> for Contribution {
    fn from(reason: Reason) -> Contribution {
        Contribution::Reason(reason)
    }
}

impl Branches {
    /// The reason that one of the branches is.
    pub fn reason(self, branch: BlockId) -> Reason {
        match self {
            Branches::Joined(_) | Branches::JoinedAgain(_) | Branches::JoinedAnywhere => Reason::Join(branch),
            Branches::Leaving(_) | Branches::LeavingAny(_) => Reason::Temporal(branch),
            Branches::Unconverging(_) => Reason::NotConverged(branch),
        }
    }
}

/// One reason why a value may differ between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// An operand, at the place where it is defined.
    Operand(ValueId),
    /// Threads that parted at the branch of the block meet here.
    Join(BlockId),
    /// Threads bring the value out of a cycle in different iterations, since the branch of the block is divergent.
    Temporal(BlockId),
    /// In an irreducible cycle that threads, parted at the branch of the block, enter or go through in different ways.
    NotConverged(BlockId),
    /// What the private memory holds that is read, or that comes to a join.
    Held(Held),
    /// What the private memory held before, which a write leaves there or may leave there.
    Kept(Held),
    /// What the function is passed.
    Parameter(u32),
    /// What a parameter points to.
    Pointee(u32),
    /// The operation itself.
    Source(Source),
    /// Its result in the callee.
    Callee,
}

/// What makes a value divergent of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A builtin whose result differs between threads, such as `get_local_id`.
    Builtin,
    /// An atomic operation: each thread sees another value.
    Atomic,
    /// Memory that other threads may write.
    SharedMemory(AddressSpace),
    /// Private memory that something else knows the address of.
    EscapedMemory,
    /// `volatile`.
    Volatile,
    /// A function that is called through a pointer, or that is not known and is told nothing from which its result could follow.
    UnknownFunction,
    /// A variable of the thread that nothing declares.
    UnknownVariable,
    /// What is in an image or a pipe.
    Image,
}
