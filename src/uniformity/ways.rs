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

/// The ways through one function.
pub struct Ways<'a> {
    pub function: &'a Function,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    home: IndexVec<ValueId, Option<(BlockId, usize)>>,
}

/// Which way to look from an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what threads may come to.
    Ahead,
    /// To what they may come from.
    Behind,
}

/// A question to a block or an operation.
type Test<'a, T> = &'a dyn Fn(T) -> bool;

impl<'a> Ways<'a> {
    pub fn of(function: &'a Function) -> Ways<'a> {
        let mut home = index_vec![None; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            for (position, &value) in block.values.iter().enumerate() {
                home[value] = Some((id, position));
            }
        }
        Ways { function, predecessors: function.predecessors(), home }
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
        let (block, position) = self.home[from]?;
        let values = &self.function.blocks[block].values;
        let first = match direction {
            Direction::Ahead => &values[position + 1..],
            Direction::Behind => &values[..position],
        };
        self.walk(direction, vec![(block, first)], within, stops, wanted).0
    }

    /// The blocks from whose ends threads may come to an operation without passing one that stops them.
    pub fn ends_behind(&self, operation: ValueId, stops: Test<ValueId>) -> FxHashSet<BlockId> {
        let Some((block, position)) = self.home[operation] else { return FxHashSet::default() };
        let first = &self.function.blocks[block].values[..position];
        self.walk(Direction::Behind, vec![(block, first)], &|_| true, stops, &|_| false).1
    }

    /// An operation that is wanted and that threads may come to from the end of any of some blocks, without passing one that stops them.
    pub fn find_from_ends(
        &self,
        ends: impl Iterator<Item = BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let todo = ends.map(|block| (block, [].as_slice())).collect();
        self.walk(Direction::Ahead, todo, &|_| true, stops, wanted).0
    }

    /// The operations that threads come to from the entry, or come from to the returns, up to one that stops them, which is among them; and whether nothing stops them on
    /// some way through the function.
    pub fn met(&self, direction: Direction, stops: Test<ValueId>) -> (Vec<ValueId>, bool) {
        let blocks = &self.function.blocks;
        let returns = |block: BlockId| matches!(blocks[block].terminator, Terminator::Return(_));
        let mut todo: Vec<BlockId> = match direction {
            Direction::Ahead => vec![Function::ENTRY],
            Direction::Behind => blocks.indices().filter(|&block| returns(block)).collect(),
        };
        let mut seen: FxHashSet<BlockId> = todo.iter().copied().collect();
        let (mut met, mut passes) = (Vec::new(), false);
        while let Some(block) = todo.pop() {
            let mut is_stopped = |&id: &ValueId| {
                met.push(id);
                stops(id)
            };
            let values = &blocks[block].values;
            let (is_stopped, is_end) = match direction {
                Direction::Ahead => (values.iter().any(&mut is_stopped), returns(block)),
                Direction::Behind => (values.iter().rev().any(&mut is_stopped), block == Function::ENTRY),
            };
            if is_stopped {
                continue;
            }
            passes |= is_end;
            match direction {
                Direction::Ahead => {
                    todo.extend(
                        blocks[block].terminator.successors().into_iter().filter(|&it| seen.insert(it)),
                    );
                }
                Direction::Behind => {
                    todo.extend(self.predecessors[block].iter().copied().filter(|&it| seen.insert(it)));
                }
            }
        }
        (met, passes)
    }

    /// Whether threads may come from an operation to a return, or to it from the entry, without passing one that stops them.
    pub fn leads_out(&self, direction: Direction, from: ValueId, stops: Test<ValueId>) -> bool {
        let Some((block, position)) = self.home[from] else { return false };
        let blocks = &self.function.blocks;
        let values = &blocks[block].values;
        let first = match direction {
            Direction::Ahead => &values[position + 1..],
            Direction::Behind => &values[..position],
        };
        if first.iter().any(|&id| stops(id)) {
            return false;
        }
        let mut todo = vec![block];
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        while let Some(block) = todo.pop() {
            let (is_end, next) = match direction {
                Direction::Ahead => {
                    let terminator = &blocks[block].terminator;
                    (matches!(terminator, Terminator::Return(_)), terminator.successors().to_vec())
                }
                Direction::Behind => (block == Function::ENTRY, self.predecessors[block].clone()),
            };
            if is_end {
                return true;
            }
            let passes = |it: &BlockId| !blocks[*it].values.iter().any(|&id| stops(id));
            todo.extend(next.into_iter().filter(|&it| seen.insert(it)).filter(passes));
        }
        false
    }

    /// Goes on from parts of blocks until an operation that is wanted is met; also gives the blocks into which ways led.
    fn walk<'s>(
        &'s self,
        direction: Direction,
        mut todo: Vec<(BlockId, &'s [ValueId])>,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> (Option<ValueId>, FxHashSet<BlockId>) {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        while let Some((block, values)) = todo.pop() {
            let ends = |value: &ValueId| stops(*value) || wanted(*value);
            let end = match direction {
                Direction::Ahead => values.iter().copied().find(ends),
                Direction::Behind => values.iter().copied().rfind(ends),
            };
            match end {
                Some(value) if !stops(value) => return (Some(value), seen),
                Some(_) => continue,
                None => {}
            }
            let mut go = |next: &[BlockId]| {
                let further = next.iter().filter(|&&it| within(it) && seen.insert(it));
                todo.extend(further.map(|&it| (it, self.function.blocks[it].values.as_slice())));
            };
            match direction {
                Direction::Ahead => go(&self.function.blocks[block].terminator.successors()),
                Direction::Behind => go(&self.predecessors[block]),
            }
        }
        (None, seen)
    }
}
