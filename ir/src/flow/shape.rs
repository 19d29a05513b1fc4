//! Facts that follow from the edges of a graph alone, computed once and passed on.
//!
//! Operations, including tokens, may be added and removed: the shape stays valid as long as blocks and jumps are
//! unchanged.

use index_vec::IndexVec;

use super::cycles::Cycles;
use super::dominators::Dominators;
use super::{BlockId, Function};

/// The reverse edges, dominators and cycles of one function.
#[derive(Clone, Debug)]
pub struct GraphAnalysis {
    /// The predecessors of each block, ordered by number. A predecessor with two edges to the block occurs twice.
    pub predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// The dominator tree.
    pub dominators: Dominators,
    /// The cycles that are reachable from the entry.
    pub cycles: Cycles,
}

impl GraphAnalysis {
    /// Computes the shape of a function.
    ///
    /// # Panics
    ///
    /// If the function has no block, or a jump targets a block that does not exist: the rule `targets` of
    /// [`verify`](super::verify).
    pub fn of(function: &Function) -> GraphAnalysis {
        let predecessors = function.predecessors();
        let dominators = Dominators::of(function, &predecessors);
        let cycles = Cycles::of(function, &predecessors);
        GraphAnalysis { predecessors, dominators, cycles }
    }
}
