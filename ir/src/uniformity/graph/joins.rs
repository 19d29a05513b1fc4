//! Where the threads that part at a branch meet.
//!
//! **Joins** of a branch: blocks that disjoint paths from it reach; threads that part at the branch meet there. **Label** of a block: the
//! name of the threads that come to it, which is that of a successor of the branch, or of a join.
//!
//! ```text
//! branch -> a, b    a -> c    b -> c    c -> end
//! labels:  a: a     b: b      c: a and b, a join: from here on c     end: c
//! ```
//!
//! Each successor of the branch gets its name, and names go along all paths; where two names meet is a join, which goes on under its own
//! name. A cycle that the branch is not in is passed as a whole; so is, with no name waiting there, all up to the post-dominator. When a name
//! comes back to the header of a cycle around the branch, the threads under it take part in further iterations: it goes to every exit of the cycle,
//! where it meets those that left before. Blocks are visited in an order in which cycles are contiguous, so that nothing is visited before all that
//! leads to it. An irreducible cycle has no header that all agree on, and no order either: around such a cycle every name goes on, up to the branch
//! itself, and where they meet the diverged entry criterion is asked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use super::Graph;
use crate::flow::cycles::CycleId;
use crate::flow::{BlockId, Function};

/// Where the threads that part at a branch meet.
#[derive(Clone, Debug, Default)]
pub struct Joins {
    /// The blocks that threads come to on different ways.
    pub blocks: Vec<BlockId>,
    /// Irreducible cycles whose convergence depends on the choice of a header.
    pub not_converged: Vec<CycleId>,
}

impl Graph {
    /// Where the threads that part at the branch of a block meet. The labels are room to work in. None: it would take more steps than the
    /// labels have left; then threads are taken to meet [everywhere](Graph::everywhere).
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

    /// More than the joins of any branch: where two edges meet, and what is irreducible.
    pub fn everywhere(&self) -> Joins {
        let meets = |block: &BlockId| self.predecessors[*block].len() > 1;
        let irreducible = |cycle: &CycleId| !self.cycles.cycles[*cycle].is_reducible();
        Joins {
            blocks: self.predecessors.indices().filter(meets).collect(),
            not_converged: self.cycles.cycles.indices().filter(irreducible).collect(),
        }
    }

    /// The outermost irreducible cycle around a branch and its join that the diverged entry criterion speaks against.
    fn diverged_entry(&self, branch: BlockId, join: BlockId) -> Option<CycleId> {
        if self.dominators.strictly_dominates(branch, join) {
            return None;
        }
        let common = match self.cycles.outermost_without(join, branch) {
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
            // A reducible cycle has one header; that the join is the header says nothing of the cycles around it.
            if !it.is_reducible() {
                found = Some(cycle);
            }
        }
        found
    }
}

/// Edges that the walks from the branches of one function may go along together. A kernel of thousands of jumps across each other would need
/// more than a thousand times its size; then threads are taken to meet wherever paths do, which errs on the side of a warning.
const MAX_STEPS: usize = 4_000_000;

/// The name that waits at each block. One table serves the walks from many branches: those that are short pay for what they touch alone.
#[derive(Debug)]
pub struct Labels {
    of: IndexVec<BlockId, Option<BlockId>>,
    touched: Vec<BlockId>,
    /// Steps that are left for all walks.
    steps: usize,
}

impl Labels {
    /// The table for a function, without a name.
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

    /// Puts a name at a block, and returns the one that was there.
    fn insert(&mut self, block: BlockId, label: BlockId) -> Option<BlockId> {
        let known = self.of[block].replace(label);
        if known.is_none() {
            self.touched.push(block);
        }
        known
    }
}

/// Names on their way from one branch.
struct Walk<'a> {
    graph: &'a Graph,
    branch: BlockId,
    labels: &'a mut Labels,
    /// By place, the first on top. A block may stand there more than once.
    pending: BinaryHeap<Reverse<(u32, BlockId)>>,
    /// Blocks without successors that were reached.
    ends: Vec<BlockId>,
    /// For irreducible cycles that are passed as a whole, where and under which name they were entered first.
    entered: FxHashMap<CycleId, (BlockId, BlockId)>,
    /// No irreducible cycle is around the branch, so that all names that come to a block come to it before it is visited.
    is_ordered: bool,
    joins: Joins,
}

impl Walk<'_> {
    /// The outermost cycle around a block that the branch is not in.
    fn passed(&self, block: BlockId) -> Option<CycleId> {
        self.graph.cycles.outermost_without(block, self.branch)
    }

    /// The reducible cycle around the branch with this header. That another block could be the header of an irreducible one makes no end of
    /// an iteration there: who comes to it by two ways meets, and the diverged entry criterion is asked.
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
        // Paths that come to the branch again end there, if that ends no iteration anyway.
        if node == self.branch && self.again(node).is_none() {
            return;
        }
        let place = match self.again(node) {
            Some(cycle) => self.graph.ends[cycle],
            None => self.graph.places[node],
        };
        self.pending.push(Reverse((place, node)));
    }

    /// Sends the names on. False: the steps were not enough.
    fn run(&mut self, function: &Function) -> bool {
        while let Some(first @ Reverse((_, node))) = self.pending.pop() {
            while self.pending.peek() == Some(&first) {
                self.pending.pop();
            }
            let Some(label) = self.labels.of[node] else { continue };
            if self.is_ordered && self.pending.is_empty() {
                // All that are still on their way go together. They may meet those that are at an end.
                let ends = self.ends.iter().filter(|end| {
                    self.labels.of[**end] != Some(label) && self.graph.predecessors[**end].len() > 1
                });
                self.joins.blocks.extend(ends);
                return true;
            }
            let around = self.again(node);
            if let Some(cycle) = around.or_else(|| self.passed(node)) {
                // Those that were not sure to be together inside come out in any order.
                let together = around.is_some() || !self.joins.not_converged.contains(&cycle);
                let exits = &self.graph.exits[cycle];
                if !self.afford(exits.len()) {
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
                if !self.afford(successors.len()) {
                    return false;
                }
                for successor in successors {
                    self.visit(function, successor, label);
                }
            }
        }
        true
    }

    /// Takes so many steps, if they are left.
    fn afford(&mut self, steps: usize) -> bool {
        let left = self.labels.steps.checked_sub(steps);
        self.labels.steps = left.unwrap_or(0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::shape::Shape;
    use crate::uniformity::graph::is_branch;

    /// Steps that are not enough give more joins, never fewer.
    #[test]
    fn without_steps_threads_meet_wherever_paths_do() {
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
        let graph = Graph::of(&function, Shape::of(&function));
        // The first walk has to take a step. Without one: `left`, `right` and `end`, and the cycle of the first two, which is entered at both.
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
