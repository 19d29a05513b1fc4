//! Searches along the paths of a function, operation by operation: forwards or backwards from an operation, up to
//! operations that stop the search.
//!
//! ```text
//! load x  ──►  store y  ──►  barrier       forwards from the load, up to a barrier: the store
//!    ▲                          │
//!    └──────────────────────────┘          backwards from the load, up to a barrier: no operation
//! ```

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Function, Terminator, ValueId};

/// The paths of one function, with the relevant operations only.
pub struct Paths<'a> {
    pub function: &'a Function,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// The relevant operations of each block, in order.
    operations: IndexVec<BlockId, Vec<ValueId>>,
    /// The block of each operation, and the number of relevant operations before it in that block.
    home: IndexVec<ValueId, Option<(BlockId, usize)>>,
}

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Forwards, to later operations.
    Forward,
    /// Backwards, to earlier operations.
    Backward,
}

impl Direction {
    fn opposite(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }
}

/// A predicate on a block or an operation.
type Test<'a, T> = &'a dyn Fn(T) -> bool;

/// How a search continues after an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Continue {
    /// With the next operation.
    On,
    /// With other paths: this path ends.
    Stop,
    /// The whole search ends.
    End,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Reached {
    /// The blocks that the search entered from another block: at their beginnings, or backwards at their ends.
    pub blocks: FxHashSet<BlockId>,
    /// Whether the search reached a return, or backwards the entry.
    pub reached_boundary: bool,
}

impl<'a> Paths<'a> {
    /// Returns the paths of a function with all operations.
    pub fn of(function: &'a Function) -> Paths<'a> {
        Paths::among(function, &|_| true)
    }

    /// Returns the paths of a function with the relevant operations. Searches ignore the others.
    pub fn among(function: &'a Function, matters: Test<ValueId>) -> Paths<'a> {
        let mut home = index_vec![None; function.values.len()];
        let mut operations: IndexVec<BlockId, Vec<ValueId>> = IndexVec::with_capacity(function.blocks.len());
        for (id, block) in function.blocks.iter_enumerated() {
            let mut own = Vec::new();
            for &value in &block.values {
                home[value] = Some((id, own.len()));
                if matters(value) {
                    own.push(value);
                }
            }
            operations.push(own);
        }
        Paths { function, predecessors: function.predecessors(), operations, home }
    }

    /// Searches from an operation on all paths, up to operations that stop the search.
    pub fn reached(&self, direction: Direction, from: ValueId, stops: Test<ValueId>) -> Reached {
        let first = self.rest_of_block(direction, from).into_iter().collect();
        self.walk(direction, first, &|_| true, &mut |id| {
            if stops(id) { Continue::Stop } else { Continue::On }
        })
    }

    /// Returns the block of an operation, if no relevant operation follows it in the block; backwards, if none precedes
    /// it.
    pub fn passes(&self, direction: Direction, from: ValueId) -> Option<BlockId> {
        self.rest_of_block(direction, from).filter(|(_, rest)| rest.is_empty()).map(|(block, _)| block)
    }

    /// Returns an operation that is `wanted` and reachable from an operation, inside the blocks `within`, without
    /// passing an operation that stops the search.
    pub fn find(
        &self,
        direction: Direction,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        self.search(
            direction,
            self.rest_of_block(direction, from).into_iter().collect(),
            within,
            stops,
            wanted,
        )
    }

    /// Returns an operation that is `wanted` and reachable from the end of a block, without passing an operation that
    /// stops the search.
    pub fn find_from_ends(
        &self,
        ends: impl Iterator<Item = BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let first = ends.map(|block| (block, [].as_slice())).collect();
        self.search(Direction::Forward, first, &|_| true, stops, wanted)
    }

    /// Searches from the entry; backwards, from the returns. Returns the visited operations, including the ones that
    /// stop the search, and whether some path through the function has no operation that stops it.
    pub fn reached_from_ends(&self, direction: Direction, stops: Test<ValueId>) -> (Vec<ValueId>, bool) {
        let blocks = self.function.blocks.indices();
        let first = blocks.filter(|&block| self.is_outermost(direction.opposite(), block));
        let first = first.map(|block| (block, self.operations[block].as_slice())).collect();
        let mut met = Vec::new();
        let reached = self.walk(direction, first, &|_| true, &mut |id| {
            met.push(id);
            if stops(id) { Continue::Stop } else { Continue::On }
        });
        (met, reached.reached_boundary)
    }

    fn search<'s>(
        &'s self,
        direction: Direction,
        first: Vec<(BlockId, &'s [ValueId])>,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let mut found = None;
        self.walk(direction, first, within, &mut |id| {
            if stops(id) {
                Continue::Stop
            } else if wanted(id) {
                found = Some(id);
                Continue::End
            } else {
                Continue::On
            }
        });
        found
    }

    /// Returns the operations after an operation in its block; backwards, the operations before it.
    fn rest_of_block(&self, direction: Direction, operation: ValueId) -> Option<(BlockId, &[ValueId])> {
        let (block, position) = self.home[operation]?;
        let values = &self.operations[block];
        let rest = match direction {
            Direction::Forward => {
                let is_among = values.get(position) == Some(&operation);
                &values[position + usize::from(is_among)..]
            }
            Direction::Backward => &values[..position],
        };
        Some((block, rest))
    }

    /// Whether paths end at a block: a return, or backwards the entry.
    fn is_outermost(&self, direction: Direction, block: BlockId) -> bool {
        match direction {
            Direction::Forward => matches!(self.function.blocks[block].terminator, Terminator::Return(_)),
            Direction::Backward => block == Function::ENTRY,
        }
    }

    /// Searches from parts of blocks. Enters each block once.
    fn walk<'s>(
        &'s self,
        direction: Direction,
        mut todo: Vec<(BlockId, &'s [ValueId])>,
        within: Test<BlockId>,
        visit: &mut dyn FnMut(ValueId) -> Continue,
    ) -> Reached {
        let mut reached = Reached::default();
        while let Some((block, values)) = todo.pop() {
            let mut step = |&id: &ValueId| Some(visit(id)).filter(|&step| step != Continue::On);
            let stopped = match direction {
                Direction::Forward => values.iter().find_map(&mut step),
                Direction::Backward => values.iter().rev().find_map(&mut step),
            };
            match stopped {
                Some(Continue::End) => return reached,
                Some(_) => continue,
                None => {}
            }
            reached.reached_boundary |= self.is_outermost(direction, block);
            let mut go = |next: &[BlockId]| {
                let further = next.iter().filter(|&&it| within(it) && reached.blocks.insert(it));
                todo.extend(further.map(|&it| (it, self.operations[it].as_slice())));
            };
            match direction {
                Direction::Forward => go(&self.function.blocks[block].terminator.successors()),
                Direction::Backward => go(&self.predecessors[block]),
            }
        }
        reached
    }
}
