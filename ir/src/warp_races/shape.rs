//! The graph of a function, with the blocks that matter for races.
//!
//! **Relevant** block: it stores to memory of several threads, reads shared memory, or calls something that may, or that
//! orders accesses. A branch is relevant if only one of its sides has some relevant block: another decision may then find
//! other races.

use std::cell::RefCell;

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::AddressSpace;

use super::effects::{following, is_private};
use super::screen::Screened;
use crate::flow::dominators::Dominators;
use crate::flow::{BlockId, Callee, Function, Op, Unknown, ValueId};
use crate::layout::record_layout;

/// The graph of a function.
pub(super) struct Shape {
    pub dominators: Dominators,
    /// For each block, the number of edges to it.
    pub entries: Vec<usize>,
    /// The values that an execution computes.
    pub needed: IndexVec<ValueId, bool>,
    /// The offsets of the fields that needed values address, in bytes. Fields of unknown types are missing.
    pub field_offsets: FxHashMap<ValueId, i64>,
    /// The blocks that matter for races.
    relevant: FxHashSet<BlockId>,
    /// For each branch that was asked for, whether it is relevant, and the side that reaches more blocks.
    branches: RefCell<FxHashMap<BlockId, (bool, usize)>>,
}

impl Shape {
    /// Returns the graph of a function. `is_relevant`: whether a call is.
    pub fn of<'a>(
        function: &'a Function,
        screened: &Screened<'a, '_>,
        is_relevant: &mut dyn FnMut(&Callee) -> bool,
    ) -> Shape {
        let predecessors = function.predecessors();
        let mut relevant: FxHashSet<BlockId> = FxHashSet::default();
        for (block, data) in function.blocks.iter_enumerated() {
            if data.values.iter().any(|&value| is_relevant_value(function, value, is_relevant)) {
                relevant.insert(block);
            }
        }
        let needed = screened.needed(function);
        let field_offset = |(id, is_needed): (ValueId, &bool)| match &function.values[id].op {
            Op::Field { record, field, .. } if *is_needed => {
                let layout = record_layout(*record)?;
                Some((id, layout.fields.get(*field as usize)?.offset as i64))
            }
            _ => None,
        };
        Shape {
            field_offsets: needed.iter_enumerated().filter_map(field_offset).collect(),
            needed,
            dominators: Dominators::of(function, &predecessors),
            entries: predecessors.iter().map(Vec::len).collect(),
            relevant,
            branches: RefCell::default(),
        }
    }

    /// Whether some block is relevant.
    pub fn has_relevant_blocks(&self) -> bool {
        !self.relevant.is_empty()
    }

    /// Returns whether a branch is relevant, and the side that reaches more blocks: 0 or 1.
    pub fn branch(&self, function: &Function, block: BlockId, sides: [BlockId; 2]) -> (bool, usize) {
        if let Some(&known) = self.branches.borrow().get(&block) {
            return known;
        }
        let [first, second] = sides.map(|side| following(function, &self.dominators, side, block));
        let mut of_one_side = first.symmetric_difference(&second);
        let is_relevant = of_one_side.any(|block| self.relevant.contains(block));
        let all = |side: BlockId| count_following(function, side);
        let found = (is_relevant, usize::from(all(sides[0]) < all(sides[1])));
        self.branches.borrow_mut().insert(block, found);
        found
    }
}

/// Returns the number of blocks that can follow a block.
fn count_following(function: &Function, block: BlockId) -> usize {
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut todo = vec![block];
    while let Some(block) = todo.pop() {
        if seen.insert(block) {
            todo.extend(function.blocks[block].terminator.successors());
        }
    }
    seen.len()
}

fn is_relevant_value(
    function: &Function,
    value: ValueId,
    is_relevant: &mut dyn FnMut(&Callee) -> bool,
) -> bool {
    match &function.values[value].op {
        Op::Store { address, .. } | Op::Copy { to: address, .. } => !is_private(function, *address),
        Op::Load { address, .. } => {
            let pointer = function.values[*address].ty.as_pointer();
            pointer.is_some_and(|pointer| pointer.space == AddressSpace::Local)
        }
        Op::Call(call) => is_relevant(&call.callee),
        Op::Unknown { what: Unknown::Statement | Unknown::Assembly, .. } => true,
        _ => false,
    }
}
