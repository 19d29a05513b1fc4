//! Ways through a function, operation by operation: what threads may come to from an operation, or come from, before something stops them.
//!
//! ```text
//! load x  ──►  store y  ──►  barrier       ahead of the load: the store, where a barrier stops
//!    ▲                          │
//!    └──────────────────────────┘          behind it: nothing
//! ```

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Function, Terminator, ValueId};

/// The ways through one function, as far as some of its operations matter.
pub struct Ways<'a> {
    pub function: &'a Function,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// The operations that matter, in order.
    operations: IndexVec<BlockId, Vec<ValueId>>,
    /// Of each operation, its block and how many operations that matter stand before it there.
    home: IndexVec<ValueId, Option<(BlockId, usize)>>,
}

/// Which way to look from an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To what threads may come to.
    Ahead,
    /// To what they may come from.
    Behind,
}

impl Direction {
    fn opposite(self) -> Direction {
        match self {
            Direction::Ahead => Direction::Behind,
            Direction::Behind => Direction::Ahead,
        }
    }
}

/// A question to a block or an operation.
type Test<'a, T> = &'a dyn Fn(T) -> bool;

/// How a walk goes on from an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// To the next one.
    On,
    /// Nowhere on this way.
    Stop,
    /// Nowhere at all.
    End,
}

/// Where a walk came.
#[derive(Debug, Default)]
pub struct Reached {
    /// The blocks that it entered from another one: looking ahead at their beginnings, looking behind at their ends.
    pub blocks: FxHashSet<BlockId>,
    /// It came to a return, or, looking behind, to the entry.
    pub outside: bool,
}

impl<'a> Ways<'a> {
    /// With all operations.
    pub fn of(function: &'a Function) -> Ways<'a> {
        Ways::among(function, &|_| true)
    }

    /// With the operations that matter. Walks pass over the others, as if they were not there.
    pub fn among(function: &'a Function, matters: Test<ValueId>) -> Ways<'a> {
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
        Ways { function, predecessors: function.predecessors(), operations, home }
    }

    /// Where threads may come to from an operation, or come from, without passing one that stops them.
    pub fn reached(&self, direction: Direction, from: ValueId, stops: Test<ValueId>) -> Reached {
        let first = self.beside(direction, from).into_iter().collect();
        self.walk(direction, first, &|_| true, &mut |id| if stops(id) { Step::Stop } else { Step::On })
    }

    /// The block of an operation, if threads come to its end, or from its beginning, without passing another operation that matters.
    pub fn passes(&self, direction: Direction, from: ValueId) -> Option<BlockId> {
        self.beside(direction, from).filter(|(_, rest)| rest.is_empty()).map(|(block, _)| block)
    }

    /// An operation that is wanted and that threads may come to from another, or come from, in some blocks, without passing one that stops
    /// them.
    pub fn find(
        &self,
        direction: Direction,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        self.search(direction, self.beside(direction, from).into_iter().collect(), within, stops, wanted)
    }

    /// An operation that is wanted and that threads may come to from the end of any of some blocks, without passing one that stops them.
    pub fn find_from_ends(
        &self,
        ends: impl Iterator<Item = BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let first = ends.map(|block| (block, [].as_slice())).collect();
        self.search(Direction::Ahead, first, &|_| true, stops, wanted)
    }

    /// The operations that threads come to from the entry, or come from to the returns, up to one that stops them, which is among them; and
    /// whether nothing stops them on some way through the function.
    pub fn met(&self, direction: Direction, stops: Test<ValueId>) -> (Vec<ValueId>, bool) {
        let blocks = self.function.blocks.indices();
        let first = blocks.filter(|&block| self.is_outermost(direction.opposite(), block));
        let first = first.map(|block| (block, self.operations[block].as_slice())).collect();
        let mut met = Vec::new();
        let reached = self.walk(direction, first, &|_| true, &mut |id| {
            met.push(id);
            if stops(id) { Step::Stop } else { Step::On }
        });
        (met, reached.outside)
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
                Step::Stop
            } else if wanted(id) {
                found = Some(id);
                Step::End
            } else {
                Step::On
            }
        });
        found
    }

    /// The rest of an operation's block.
    fn beside(&self, direction: Direction, operation: ValueId) -> Option<(BlockId, &[ValueId])> {
        let (block, position) = self.home[operation]?;
        let values = &self.operations[block];
        let rest = match direction {
            Direction::Ahead => {
                let is_among = values.get(position) == Some(&operation);
                &values[position + usize::from(is_among)..]
            }
            Direction::Behind => &values[..position],
        };
        Some((block, rest))
    }

    /// Whether a block is the last one in a direction.
    fn is_outermost(&self, direction: Direction, block: BlockId) -> bool {
        match direction {
            Direction::Ahead => matches!(self.function.blocks[block].terminator, Terminator::Return(_)),
            Direction::Behind => block == Function::ENTRY,
        }
    }

    /// Goes on from parts of blocks, each block once.
    fn walk<'s>(
        &'s self,
        direction: Direction,
        mut todo: Vec<(BlockId, &'s [ValueId])>,
        within: Test<BlockId>,
        visit: &mut dyn FnMut(ValueId) -> Step,
    ) -> Reached {
        let mut reached = Reached::default();
        while let Some((block, values)) = todo.pop() {
            let mut step = |&id: &ValueId| Some(visit(id)).filter(|&step| step != Step::On);
            let stopped = match direction {
                Direction::Ahead => values.iter().find_map(&mut step),
                Direction::Behind => values.iter().rev().find_map(&mut step),
            };
            match stopped {
                Some(Step::End) => return reached,
                Some(_) => continue,
                None => {}
            }
            reached.outside |= self.is_outermost(direction, block);
            let mut go = |next: &[BlockId]| {
                let further = next.iter().filter(|&&it| within(it) && reached.blocks.insert(it));
                todo.extend(further.map(|&it| (it, self.operations[it].as_slice())));
            };
            match direction {
                Direction::Ahead => go(&self.function.blocks[block].terminator.successors()),
                Direction::Behind => go(&self.predecessors[block]),
            }
        }
        reached
    }
}
