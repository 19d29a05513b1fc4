//! Ways through a function, operation by operation: what threads may come to from an operation, or come from, before something stops them.
//!
//! ```text
//! load x  ──►  store y  ──►  barrier       ahead of the load: the store, where a barrier stops
//!    ▲                          │
//!    └──────────────────────────┘          behind it: nothing
//! ```

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Function, ValueId};

/// The ways through one function.
pub struct Ways<'a> {
    pub function: &'a Function,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    home: IndexVec<ValueId, Option<(BlockId, usize)>>,
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

    /// An operation that is wanted and that threads may come to from another, in some blocks, without passing one that stops them.
    pub fn ahead(
        &self,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let (block, position) = self.home[from]?;
        let next = |block: BlockId| self.function.blocks[block].terminator.successors().into_vec();
        self.search(
            block,
            &|block| self.function.blocks[block].values.clone(),
            position + 1,
            &next,
            within,
            stops,
            wanted,
        )
    }

    /// The same backwards.
    pub fn behind(
        &self,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let (block, position) = self.home[from]?;
        let values =
            |block: BlockId| self.function.blocks[block].values.iter().rev().copied().collect::<Vec<_>>();
        let skipped = self.function.blocks[block].values.len() - position;
        self.search(block, &values, skipped, &|block| self.predecessors[block].clone(), within, stops, wanted)
    }

    #[allow(clippy::too_many_arguments, reason = "the two directions differ in each of them")]
    fn search(
        &self,
        block: BlockId,
        values: &dyn Fn(BlockId) -> Vec<ValueId>,
        skipped: usize,
        next: &dyn Fn(BlockId) -> Vec<BlockId>,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![(block, skipped)];
        while let Some((block, skipped)) = todo.pop() {
            let mut stopped = false;
            for value in values(block).into_iter().skip(skipped) {
                if stops(value) {
                    stopped = true;
                    break;
                }
                if wanted(value) {
                    return Some(value);
                }
            }
            if !stopped {
                let further = next(block).into_iter().filter(|&it| within(it) && seen.insert(it));
                todo.extend(further.map(|it| (it, 0)));
            }
        }
        None
    }
}
