//! The dominator tree.
//!
//! **Dominates**: block `a` dominates `b` if every path from the entry to `b` goes through `a`; each block dominates itself.
//! **Immediate dominator**: of the strict dominators the one that all others dominate. **Frontier** of `a`: the blocks that `a` does not strictly
//! dominate, with a predecessor that it does dominate: right where its dominance ends.
//!
//! ```text
//!     entry        entry dominates all,
//!     /   \        then and else only themselves;
//!  then   else     both have end in their frontier.
//!     \   /
//!      end
//! ```
//!
//! Semi-NCA (Georgiadis) finds immediate dominators, nearly linear on every graph. Numbers of the tree in preorder make a
//! question of dominance two comparisons: what a block dominates is an interval. Blocks that nothing reaches dominate nothing and
//! are dominated by nothing.

use index_vec::{IndexVec, index_vec};

use super::{BlockId, Function};

/// Where blocks stand in the dominator tree of a function.
#[derive(Clone, Debug)]
pub struct Dominators {
    nodes: IndexVec<BlockId, Option<Node>>,
    /// Every block after all that come before it on each way without a jump back.
    order: Vec<BlockId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The entry's is itself.
    idom: BlockId,
    depth: u32,
    /// Its number in preorder of the tree, and one past the last number that it dominates.
    first: u32,
    end: u32,
    /// Its place in the order.
    position: u32,
}

/// A depth-first walk from the entry.
struct Walk {
    /// Blocks in the order in which they are met; from here on blocks are named by their place in it.
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
        // Each open block with the successors still to be seen.
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

    /// Immediate dominators, by number.
    fn immediate(self, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Vec<usize> {
        let Walk { preorder, number, parent, .. } = self;
        let mut semi: Vec<usize> = (0..preorder.len()).collect();
        let mut best: Vec<usize> = semi.clone();
        // The forest of blocks that are done: path compression shortens the way to the root.
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
    /// Finds the dominators of a function, of which the predecessors of each block are known.
    pub fn of(function: &Function, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Dominators {
        let mut walk = Walk::of(function);
        let mut order = std::mem::take(&mut walk.postorder);
        order.reverse();
        let preorder = walk.preorder.clone();
        let number = walk.number.clone();
        let idom = walk.immediate(predecessors);
        let idom_of = |block: BlockId| preorder[idom[number[block]]];

        // Dominators come before what they dominate in the order: sizes grow backwards, numbers are given out forwards.
        let mut size: IndexVec<BlockId, u32> = index_vec![1; function.blocks.len()];
        for &block in order.iter().skip(1).rev() {
            size[idom_of(block)] += size[block];
        }
        let mut nodes: IndexVec<BlockId, Option<Node>> = index_vec![None; function.blocks.len()];
        // The next number inside each block's interval.
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

    /// The blocks that the entry reaches, in reverse post-order: each after its dominators, and after all predecessors that do not jump
    /// back.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// Where a block stands in [`Dominators::order`].
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.nodes[block].map(|node| node.position as usize)
    }

    /// Whether the entry reaches a block.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.nodes[block].is_some()
    }

    /// The immediate dominator. None of the entry, and of what is not reachable.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.nodes[block].map(|node| node.idom).filter(|&idom| idom != block)
    }

    /// How many blocks strictly dominate this one.
    pub fn depth(&self, block: BlockId) -> usize {
        self.nodes[block].map_or(0, |node| node.depth as usize)
    }

    /// How many blocks it dominates, itself included.
    pub fn size(&self, block: BlockId) -> usize {
        self.nodes[block].map_or(0, |node| (node.end - node.first) as usize)
    }

    /// Whether `a` dominates `b`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.nodes[a], self.nodes[b]) {
            (Some(a), Some(b)) => a.first <= b.first && b.first < a.end,
            _ => false,
        }
    }

    /// Whether `a` dominates `b` and is another block.
    pub fn strictly_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The blocks that each block dominates immediately, by number.
    pub fn children(&self) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut children: IndexVec<BlockId, Vec<BlockId>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for block in self.nodes.indices() {
            if let Some(idom) = self.immediate(block) {
                children[idom].push(block);
            }
        }
        children
    }

    /// The frontier of each block, without repetition, by number.
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
                // Who has the join already was on the way of another predecessor, and so was all above.
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
