//! What follows from the edges of a graph alone, computed once and handed on.
//!
//! Operations may come and go, tokens among them: the shape holds as long as blocks and jumps stay as they are.

use index_vec::IndexVec;

use super::cycles::Cycles;
use super::dominators::Dominators;
use super::{BlockId, Function};

/// Edges backwards, dominators and cycles of one function.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The predecessors of each block, in order of their numbers; one that leads here twice stands twice.
    pub predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// The dominator tree.
    pub dominators: Dominators,
    /// The cycles that the entry reaches.
    pub cycles: Cycles,
}

impl Shape {
    /// The shape of a function.
    ///
    /// # Panics
    ///
    /// If the function has no block, or jumps to a block that it does not have: the rule `targets` of [`verify`](super::verify).
    pub fn of(function: &Function) -> Shape {
        let predecessors = function.predecessors();
        let dominators = Dominators::of(function, &predecessors);
        let cycles = Cycles::of(function, &predecessors);
        Shape { predecessors, dominators, cycles }
    }
}
