//! The joins of a branch: the blocks where threads that diverged at it reconverge.
//!
//! **Joins** of a branch: blocks that disjoint paths from it reach. **Label** of a block: identifies the threads that
//! reach it. The label is a successor of the branch, or a join.
//!
//! ```text
//! branch -> a, b    a -> c    b -> c    c -> end
//! labels:  a: a     b: b      c: a and b, a join: from here on c     end: c
//! ```
//!
//! Each successor of the branch gets itself as its label, and labels propagate along all paths. A block that two labels
//! reach is a join, and its label becomes itself. A cycle without the branch is passed as a whole. So are all blocks up
//! to the post-dominator, if no other label is pending among them. When a label reaches the header of a cycle around
//! the branch, its threads take part in further iterations. So it propagates to every exit of the cycle, where it meets
//! the labels of threads that left before.
//!
//! Blocks are visited in an order where cycles are contiguous, so each block is visited after all blocks that lead to
//! it. An irreducible cycle has no unique header, and therefore no such order. Around it, every label propagates up to
//! the branch itself, and the diverged entry criterion is checked where labels meet.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use super::Graph;
use crate::flow::cycles::CycleId;
use crate::flow::{BlockId, Function};

/// The joins of a branch.
#[derive(Clone, Debug, Default)]
pub struct Joins {
    /// The blocks that threads reach on different paths.
    pub blocks: Vec<BlockId>,
    /// Irreducible cycles whose convergence depends on the choice of a header.
    pub not_converged: Vec<CycleId>,
}

impl Graph {
    /// Returns the joins of the branch of a block. `labels` is scratch space. `None` if the walk would take more steps
    /// than `labels` has left; then we assume that threads reconverge [everywhere](Graph::everywhere).
    pub fn joins(&self, function: &Function, branch: BlockId, labels: &mut Labels) -> Option<Joins> {
        labels.clear();
        let mut walk = Walk {
            graph: self,
            branch,
            labels,
            pending: BinaryHeap::new(),
            ends: Vec::new(),
            entered: FxHashMap::default(),
            is_ordered: self.cycles.around(branch).all(|cycle| self.cycles.cycles[cycle].is_reducible()),
            joins: Joins::default(),
        };
        let mut successors = function.blocks[branch].terminator.successors();
        successors.sort_unstable();
        successors.dedup();
        if successors.len() > 1 {
            for &successor in &successors {
                walk.visit(function, successor, successor);
            }
            if !walk.run(function) {
                return None;
            }
        }
        let mut joins = walk.joins;
        joins.blocks.sort_unstable();
        joins.blocks.dedup();
        for &join in &joins.blocks {
            joins.not_converged.extend(self.diverged_entry(branch, join));
        }
        joins.not_converged.sort_unstable();
        joins.not_converged.dedup();
        Some(joins)
    }

    /// Returns a superset of the joins of any branch: all blocks with two incoming edges, and all irreducible cycles.
    pub fn everywhere(&self) -> Joins {
        let meets = |block: &BlockId| self.predecessors[*block].len() > 1;
        let irreducible = |cycle: &CycleId| !self.cycles.cycles[*cycle].is_reducible();
        Joins {
            blocks: self.predecessors.indices().filter(meets).collect(),
            not_converged: self.cycles.cycles.indices().filter(irreducible).collect(),
        }
    }

    /// Returns the outermost irreducible cycle around a branch and its join that is not converged by the diverged entry
    /// criterion.
    fn diverged_entry(&self, branch: BlockId, join: BlockId) -> Option<CycleId> {
        if self.dominators.strictly_dominates(branch, join) {
            return None;
        }
        let common = match self.cycles.outermost_excluding(join, branch) {
            Some(without) => self.cycles.cycles[without].parent,
            None => self.cycles.innermost(join),
        };
        let common = std::iter::successors(common, |&cycle| self.cycles.cycles[cycle].parent);
        let mut found = None;
        for cycle in common {
            let it = &self.cycles.cycles[cycle];
            if self.dominators.strictly_dominates(it.header, join) {
                break;
            }
            // A reducible cycle has a unique header. If that header is the join, the cycles around it still have to be
            // checked.
            if !it.is_reducible() {
                found = Some(cycle);
            }
        }
        found
    }
}

/// The limit on edges that the walks from all branches of one function may follow. A kernel with thousands of crossing
/// jumps would need more than a thousand times its size. Above the limit, we assume a join wherever paths meet, which
/// can only add warnings.
const MAX_STEPS: usize = 4_000_000;

/// The label of each block. One table serves the walks from many branches: a walk clears only the entries that it set.
#[derive(Debug)]
pub struct Labels {
    of: IndexVec<BlockId, Option<BlockId>>,
    touched: Vec<BlockId>,
    /// The remaining steps for all walks.
    steps: usize,
}

impl Labels {
    /// Returns a table without labels.
    pub fn new(function: &Function) -> Labels {
        Labels::with_steps(function, MAX_STEPS)
    }

    fn with_steps(function: &Function, steps: usize) -> Labels {
        Labels { of: index_vec![None; function.blocks.len()], touched: Vec::new(), steps }
    }

    fn clear(&mut self) {
        for block in self.touched.drain(..) {
            self.of[block] = None;
        }
    }

    /// Sets the label of a block, and returns the previous one.
    fn insert(&mut self, block: BlockId, label: BlockId) -> Option<BlockId> {
        let known = self.of[block].replace(label);
        if known.is_none() {
            self.touched.push(block);
        }
        known
    }
}

/// The propagation of labels from one branch.
struct Walk<'a> {
    graph: &'a Graph,
    branch: BlockId,
    labels: &'a mut Labels,
    /// The blocks to visit, in the order of places, the first on top. A block may occur more than once.
    pending: BinaryHeap<Reverse<(u32, BlockId)>>,
    /// Blocks without successors that were reached.
    ends: Vec<BlockId>,
    /// For irreducible cycles that are passed as a whole, the block and the label of the first entry.
    entered: FxHashMap<CycleId, (BlockId, BlockId)>,
    /// Whether no irreducible cycle is around the branch. Then all labels reach a block before it is visited.
    is_ordered: bool,
    joins: Joins,
}

impl Walk<'_> {
    /// Returns the outermost cycle around a block that does not contain the branch.
    fn passed(&self, block: BlockId) -> Option<CycleId> {
        self.graph.cycles.outermost_excluding(block, self.branch)
    }

    /// Returns the reducible cycle around the branch with this header. In an irreducible cycle, no possible header ends
    /// an iteration: the labels of two paths to it meet there, and the diverged entry criterion is checked.
    fn again(&self, block: BlockId) -> Option<CycleId> {
        let inner = self.graph.cycles.innermost(block)?;
        let it = &self.graph.cycles.cycles[inner];
        (it.header == block && it.is_reducible() && self.graph.cycles.contains(inner, self.branch))
            .then_some(inner)
    }

    fn visit(&mut self, function: &Function, target: BlockId, label: BlockId) {
        let passed = self.passed(target);
        let node = passed.map_or(target, |cycle| self.graph.cycles.cycles[cycle].header);
        if let Some(cycle) = passed.filter(|&cycle| !self.graph.cycles.cycles[cycle].is_reducible()) {
            let first = *self.entered.entry(cycle).or_insert((target, label));
            if first.0 != target && first.1 != label {
                self.joins.not_converged.push(cycle);
            }
        }
        match self.labels.of[node] {
            Some(known) if known == label => return,
            Some(_) => {
                self.joins.blocks.push(target);
                if self.labels.insert(node, node) == Some(node) {
                    return;
                }
            }
            None => _ = self.labels.insert(node, label),
        }
        if function.blocks[node].terminator.successors().is_empty() {
            self.ends.push(node);
            return;
        }
        // Paths that reach the branch again end there, unless it is a loop header, where the iteration ends anyway.
        if node == self.branch && self.again(node).is_none() {
            return;
        }
        let place = match self.again(node) {
            Some(cycle) => self.graph.ends[cycle],
            None => self.graph.places[node],
        };
        self.pending.push(Reverse((place, node)));
    }

    /// Propagates the labels. Returns false if the steps ran out.
    fn run(&mut self, function: &Function) -> bool {
        while let Some(first @ Reverse((_, node))) = self.pending.pop() {
            while self.pending.peek() == Some(&first) {
                self.pending.pop();
            }
            let Some(label) = self.labels.of[node] else { continue };
            if self.is_ordered && self.pending.is_empty() {
                // All remaining threads have one label. They may only meet threads at blocks without successors.
                let ends = self.ends.iter().filter(|end| {
                    self.labels.of[**end] != Some(label) && self.graph.predecessors[**end].len() > 1
                });
                self.joins.blocks.extend(ends);
                return true;
            }
            let around = self.again(node);
            if let Some(cycle) = around.or_else(|| self.passed(node)) {
                // Threads that need not be together inside the cycle leave it in any order.
                let together = around.is_some() || !self.joins.not_converged.contains(&cycle);
                let exits = &self.graph.exits[cycle];
                if !self.take_steps(exits.len()) {
                    return false;
                }
                for &(_, exit) in exits {
                    if !together {
                        self.joins.blocks.push(exit);
                    }
                    self.visit(function, exit, if together { label } else { exit });
                }
            } else if let Some(ahead) = self.graph.ahead[node]
                && self.is_ordered
                && self.pending.peek().is_some_and(|Reverse((place, _))| *place >= self.graph.places[ahead])
            {
                self.visit(function, ahead, label);
            } else {
                let successors = function.blocks[node].terminator.successors();
                if !self.take_steps(successors.len()) {
                    return false;
                }
                for successor in successors {
                    self.visit(function, successor, label);
                }
            }
        }
        true
    }

    /// Takes this number of steps, if they are left.
    fn take_steps(&mut self, steps: usize) -> bool {
        let left = self.labels.steps.checked_sub(steps);
        self.labels.steps = left.unwrap_or(0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::shape::GraphAnalysis;
    use crate::uniformity::graph::is_branch;

    /// With too few steps, the result has more joins, never fewer.
    #[test]
    fn fallback_joins_include_the_joins_of_every_branch() {
        let text = "\
function f(%n: int) {
entry:
  %0 = lt %n, 4
  branch %0, then, else
then:
  jump left
else:
  jump right
left:
  %1 = lt %n, 2
  branch %1, right, end
right:
  %2 = lt %n, 3
  branch %2, left, end
end:
  return
}
";
        let function = crate::text::read(text).expect("a function");
        let graph = Graph::of(&function, GraphAnalysis::of(&function));
        // The first walk needs at least one step. Without it, the joins are `left`, `right` and `end`, and the cycle of
        // the first two is not converged, since it has two entries.
        assert!(graph.joins(&function, Function::ENTRY, &mut Labels::with_steps(&function, 0)).is_none());
        let everywhere = graph.everywhere();
        assert_eq!((everywhere.blocks.len(), everywhere.not_converged.len()), (3, 1));
        let branches = function.blocks.indices().filter(|&block| is_branch(&function, block));
        for branch in branches {
            let found = graph.joins(&function, branch, &mut Labels::new(&function)).expect("enough steps");
            assert!(!found.blocks.is_empty(), "{branch:?}");
            assert!(found.blocks.iter().all(|block| everywhere.blocks.contains(block)), "{branch:?}");
            let known = &everywhere.not_converged;
            assert!(found.not_converged.iter().all(|cycle| known.contains(cycle)), "{branch:?}");
        }
    }
}
