//! The dominator tree as SSA construction needs it, by Semi-NCA (Georgiadis): nearly linear on every graph.

use index_vec::{IndexVec, index_vec};

use super::{BlockId, Function};

/// The dominator tree of a function all of whose blocks are reachable.
pub(super) struct Dominance {
    /// The immediate dominator; the entry's is itself.
    idom: IndexVec<BlockId, BlockId>,
}

impl Dominance {
    pub(super) fn of(function: &Function) -> Dominance {
        let count = function.blocks.len();
        let predecessors = function.predecessors();
        // Blocks in preorder of a depth-first walk; from here on blocks are named by their place in it.
        let mut order: Vec<BlockId> = Vec::with_capacity(count);
        let mut number: IndexVec<BlockId, usize> = index_vec![usize::MAX; count];
        let mut parent: Vec<usize> = Vec::with_capacity(count);
        let mut todo = vec![(Function::ENTRY, 0)];
        while let Some((block, from)) = todo.pop() {
            if number[block] != usize::MAX {
                continue;
            }
            number[block] = order.len();
            todo.extend(
                function.blocks[block].terminator.successors().into_iter().map(|it| (it, order.len())),
            );
            order.push(block);
            parent.push(from);
        }

        let mut semi: Vec<usize> = (0..order.len()).collect();
        let mut best: Vec<usize> = semi.clone();
        // The forest of blocks that are done: path compression shortens the way to the root.
        let mut ancestor: Vec<usize> = parent.clone();
        let mut path = Vec::new();
        for block in (1..order.len()).rev() {
            let mut lowest = parent[block];
            for &before in &predecessors[order[block]] {
                let mut before = number[before];
                if before == usize::MAX {
                    continue;
                }
                if before > block {
                    let start = before;
                    while ancestor[before] > block {
                        path.push(before);
                        before = ancestor[before];
                    }
                    while let Some(below) = path.pop() {
                        let above = ancestor[below];
                        if semi[best[above]] < semi[best[below]] {
                            best[below] = best[above];
                        }
                        ancestor[below] = ancestor[above];
                    }
                    before = start;
                }
                lowest = lowest.min(semi[best[before]]);
            }
            semi[block] = lowest;
        }
        let mut idom = parent;
        for block in 1..order.len() {
            while idom[block] > semi[block] {
                idom[block] = idom[idom[block]];
            }
        }
        let mut result: IndexVec<BlockId, BlockId> = index_vec![Function::ENTRY; count];
        for (block, &dominator) in idom.iter().enumerate() {
            result[order[block]] = order[dominator];
        }
        Dominance { idom: result }
    }

    /// The blocks that each block dominates immediately, in order.
    pub(super) fn children(&self) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut children: IndexVec<BlockId, Vec<BlockId>> = self.idom.iter().map(|_| Vec::new()).collect();
        for (block, &idom) in self.idom.iter_enumerated().skip(1) {
            children[idom].push(block);
        }
        children
    }

    /// The frontier of each block, without repetition.
    pub(super) fn frontiers(
        &self,
        predecessors: &IndexVec<BlockId, Vec<BlockId>>,
    ) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut frontiers: IndexVec<BlockId, Vec<BlockId>> = self.idom.iter().map(|_| Vec::new()).collect();
        for (join, before) in predecessors.iter_enumerated() {
            for &before in before {
                let mut runner = before;
                // Who has the join already was on the way of another predecessor, and so was all above.
                while runner != self.idom[join] && frontiers[runner].last() != Some(&join) {
                    frontiers[runner].push(join);
                    if runner == Function::ENTRY {
                        break;
                    }
                    runner = self.idom[runner];
                }
            }
        }
        frontiers
    }
}
