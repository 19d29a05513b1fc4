//! The two sides of a branch: what threads that part there may each reach before they are together again.
//!
//! A block is on a side if the branch decides, by itself or through other branches, whether it is reached, and a path leads there from the
//! side's beginning that does not come back to the branch.

use index_vec::{IndexVec, index_vec};

use super::analysis::Analysis;
use crate::flow::BlockId;

/// The blocks on each side of a branch.
pub fn sides(analysis: &Analysis, branch: BlockId) -> Vec<Vec<BlockId>> {
    let function = analysis.function;
    let decided = decided(analysis, branch);
    let mut begins = function.blocks[branch].terminator.successors();
    begins.sort_unstable();
    begins.dedup();
    let mut sides = Vec::new();
    for begin in begins {
        let mut seen: IndexVec<BlockId, bool> = index_vec![false; function.blocks.len()];
        let mut side = Vec::new();
        let mut todo = vec![begin];
        while let Some(block) = todo.pop() {
            if block == branch || !decided[block] || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            side.push(block);
            todo.extend(function.blocks[block].terminator.successors());
        }
        sides.push(side);
    }
    sides
}

/// Whether a branch decides about each block, directly or through others.
fn decided(analysis: &Analysis, branch: BlockId) -> IndexVec<BlockId, bool> {
    let controllers = &analysis.graph.controllers;
    let mut decided: IndexVec<BlockId, bool> = index_vec![false; controllers.len()];
    let mut by: IndexVec<BlockId, Vec<BlockId>> = index_vec![Vec::new(); controllers.len()];
    for (block, own) in controllers.iter_enumerated() {
        own.iter().for_each(|&controller| by[controller].push(block));
    }
    let mut todo = vec![branch];
    while let Some(controller) = todo.pop() {
        for &block in &by[controller] {
            if !std::mem::replace(&mut decided[block], true) {
                todo.push(block);
            }
        }
    }
    decided
}
