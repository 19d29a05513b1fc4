//! The dominator tree.
//!
//! **Dominates**: block `a` dominates `b` if every path from the entry to `b` passes `a`. Each block dominates itself.
//! **Immediate dominator**: the strict dominator that all other strict dominators dominate. **Frontier** of `a`: the
//! blocks that `a` does not strictly dominate, but that have a predecessor that `a` dominates. They are just outside
//! the blocks that `a` dominates.
//!
//! ```text
//!     entry        entry dominates all,
//!     /   \        then and else only themselves;
//!  then   else     both have end in their frontier.
//!     \   /
//!      end
//! ```
//!
//! The algorithm is Semi-NCA (Georgiadis), which takes nearly linear time on every graph. The tree is numbered in
//! preorder, so a block dominates an interval of numbers, and a query takes two comparisons. Unreachable blocks
//! dominate no blocks and are not dominated.

use index_vec::{IndexVec, index_vec};

use super::{BlockId, Function};

/// The dominator tree of a function.
#[derive(Clone, Debug)]
pub struct Dominators {
    nodes: IndexVec<BlockId, Option<Node>>,
    /// The reachable blocks in reverse post-order: see [`Dominators::order`].
    order: Vec<BlockId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The immediate dominator. For the entry, the entry itself.
    idom: BlockId,
    depth: u32,
    /// The preorder number in the tree, and one past the last number that the block dominates.
    first: u32,
    end: u32,
    /// The index of the block in the order.
    position: u32,
}

/// A depth-first walk from the entry.
struct Walk {
    /// The blocks in preorder. The other algorithms identify a block by its index in this list.
    preorder: Vec<BlockId>,
    number: IndexVec<BlockId, usize>,
    parent: Vec<usize>,
    postorder: Vec<BlockId>,
}

impl Walk {
    fn of(function: &Function) -> Walk {
        let count = function.blocks.len();
        let mut walk = Walk {
            preorder: Vec::with_capacity(count),
            number: index_vec![usize::MAX; count],
            parent: Vec::with_capacity(count),
            postorder: Vec::with_capacity(count),
        };
        if count == 0 {
            return walk;
        }
        // The open blocks, each with its unvisited successors.
        let mut open = Vec::new();
        walk.open(Function::ENTRY, 0);
        open.push((Function::ENTRY, function.blocks[Function::ENTRY].terminator.successors().into_iter()));
        while let Some((block, successors)) = open.last_mut() {
            let block = *block;
            match successors.next() {
                Some(next) if walk.number[next] == usize::MAX => {
                    walk.open(next, walk.number[block]);
                    open.push((next, function.blocks[next].terminator.successors().into_iter()));
                }
                Some(_) => {}
                None => {
                    walk.postorder.push(block);
                    open.pop();
                }
            }
        }
        walk
    }

    fn open(&mut self, block: BlockId, parent: usize) {
        self.number[block] = self.preorder.len();
        self.preorder.push(block);
        self.parent.push(parent);
    }

    /// Returns the immediate dominators, as indices in preorder.
    fn immediate(self, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Vec<usize> {
        let Walk { preorder, number, parent, .. } = self;
        let mut semi: Vec<usize> = (0..preorder.len()).collect();
        let mut best: Vec<usize> = semi.clone();
        // The forest of processed blocks. Path compression shortens the paths to the roots.
        let mut ancestor: Vec<usize> = parent.clone();
        let mut path = Vec::new();
        for block in (1..preorder.len()).rev() {
            let mut lowest = parent[block];
            for &before in &predecessors[preorder[block]] {
                let start = number[before];
                if start == usize::MAX {
                    continue;
                }
                if start > block {
                    let mut before = start;
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
                }
                lowest = lowest.min(semi[best[start]]);
            }
            semi[block] = lowest;
        }
        let mut idom = parent;
        for block in 1..preorder.len() {
            while idom[block] > semi[block] {
                idom[block] = idom[idom[block]];
            }
        }
        idom
    }
}

impl Dominators {
    /// Computes the dominators of a function, given the predecessors of each block.
    pub fn of(function: &Function, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Dominators {
        let mut walk = Walk::of(function);
        let mut order = std::mem::take(&mut walk.postorder);
        order.reverse();
        let preorder = walk.preorder.clone();
        let number = walk.number.clone();
        let idom = walk.immediate(predecessors);
        let idom_of = |block: BlockId| preorder[idom[number[block]]];

        // A dominator precedes the blocks that it dominates in the order, so sizes are summed backwards and numbers
        // assigned forwards.
        let mut size: IndexVec<BlockId, u32> = index_vec![1; function.blocks.len()];
        for &block in order.iter().skip(1).rev() {
            size[idom_of(block)] += size[block];
        }
        let mut nodes: IndexVec<BlockId, Option<Node>> = index_vec![None; function.blocks.len()];
        // The next free number in the interval of each block.
        let mut next: IndexVec<BlockId, u32> = index_vec![0; function.blocks.len()];
        for (position, &block) in order.iter().enumerate() {
            let idom = idom_of(block);
            let depth = nodes[idom].map_or(0, |node: Node| node.depth + 1);
            let first = next[idom];
            next[idom] += size[block];
            next[block] = first + 1;
            let position = u32::try_from(position).expect("block numbers are 32 bits");
            nodes[block] = Some(Node { idom, depth, first, end: first + size[block], position });
        }
        Dominators { nodes, order }
    }

    /// Returns the blocks that the entry reaches, in reverse post-order: each block after its dominators, and after all
    /// predecessors except those with a back edge to it.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// Returns the index of a block in [`Dominators::order`]. None if the block is unreachable.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.nodes[block].map(|node| node.position as usize)
    }

    /// Returns whether the entry reaches a block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.nodes[block].is_some()
    }

    /// Returns the immediate dominator. None for the entry and for unreachable blocks.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.nodes[block].map(|node| node.idom).filter(|&idom| idom != block)
    }

    /// Returns the number of blocks that strictly dominate a block.
    pub fn depth(&self, block: BlockId) -> usize {
        self.nodes[block].map_or(0, |node| node.depth as usize)
    }

    /// Returns the number of blocks that a block dominates, including itself.
    pub fn size(&self, block: BlockId) -> usize {
        self.nodes[block].map_or(0, |node| (node.end - node.first) as usize)
    }

    /// Returns whether `a` dominates `b`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.nodes[a], self.nodes[b]) {
            (Some(a), Some(b)) => a.first <= b.first && b.first < a.end,
            _ => false,
        }
    }

    /// Returns whether `a` dominates `b` and is a different block.
    pub fn strictly_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.dominates(a, b)
    }

    /// Returns the blocks that each block immediately dominates, ordered by number.
    pub fn children(&self) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut children: IndexVec<BlockId, Vec<BlockId>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for block in self.nodes.indices() {
            if let Some(idom) = self.immediate(block) {
                children[idom].push(block);
            }
        }
        children
    }

    /// Returns the frontier of each block, without repetition, ordered by number.
    pub fn frontiers(
        &self,
        predecessors: &IndexVec<BlockId, Vec<BlockId>>,
    ) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut frontiers: IndexVec<BlockId, Vec<BlockId>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for (join, before) in predecessors.iter_enumerated() {
            if !self.is_reachable(join) {
                continue;
            }
            let stop = self.immediate(join);
            for &before in before.iter().filter(|&&before| self.is_reachable(before)) {
                let mut runner = Some(before);
                // A block that has the join already is on the path of an earlier predecessor, and so are all its
                // dominators up to `stop`.
                while let Some(block) = runner
                    && runner != stop
                    && frontiers[block].last() != Some(&join)
                {
                    frontiers[block].push(join);
                    runner = self.immediate(block);
                }
            }
        }
        frontiers
    }
}
