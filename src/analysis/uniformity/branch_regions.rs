//! The sides of a branch: the blocks that threads may reach on each of its paths before they reconverge.
//!
//! A block is on a side if two conditions hold. The branch decides, directly or through other branches, whether the
//! block is reached. A path leads from the first block of the side to the block, without passing the branch again.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashSet;

use super::graph::Graph;
use crate::flow::{BlockId, Function};

/// The sides of the branches of a function.
pub struct BranchRegions<'a> {
    function: &'a Function,
    /// The blocks that each branch directly controls: it decides whether they are reached.
    controls: IndexVec<BlockId, Vec<BlockId>>,
}

impl<'a> BranchRegions<'a> {
    pub fn of(function: &'a Function, graph: &Graph) -> BranchRegions<'a> {
        let controllers = &graph.controllers;
        let mut decides: IndexVec<BlockId, Vec<BlockId>> = index_vec![Vec::new(); controllers.len()];
        for (block, own) in controllers.iter_enumerated() {
            own.iter().for_each(|&controller| decides[controller].push(block));
        }
        BranchRegions { function, controls: decides }
    }

    /// Returns the blocks on each side of a branch, in no particular order.
    pub fn regions_of(&self, branch: BlockId) -> Vec<Vec<BlockId>> {
        let decided = self.controlled(branch);
        let mut begins = self.function.blocks[branch].terminator.successors();
        begins.sort_unstable();
        begins.dedup();
        let mut sides = Vec::new();
        for begin in begins {
            let mut seen: FxHashSet<BlockId> = FxHashSet::default();
            let mut side = Vec::new();
            let mut todo = vec![begin];
            while let Some(block) = todo.pop() {
                if block == branch || !decided.contains(&block) || !seen.insert(block) {
                    continue;
                }
                side.push(block);
                todo.extend(self.function.blocks[block].terminator.successors());
            }
            sides.push(side);
        }
        sides
    }

    /// Returns the blocks that a branch controls, directly or through other branches.
    fn controlled(&self, branch: BlockId) -> FxHashSet<BlockId> {
        let mut decided: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![branch];
        while let Some(controller) = todo.pop() {
            todo.extend(self.controls[controller].iter().copied().filter(|&block| decided.insert(block)));
        }
        decided
    }
}
