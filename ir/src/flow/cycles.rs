//! The cycles of a control-flow graph and their nesting (LLVM's *CycleTerminology*).
//!
//! **Cycle**: a maximal set of blocks that all reach each other on paths inside the set.
//! **Entry**: a block of the cycle with a predecessor outside. **Header**: the entry that a depth-first walk visits
//! first. Without the header, the remaining blocks form the cycles nested in this one. **Reducible**: the header is the
//! only entry; such a cycle is a natural loop.
//!
//! ```text
//! entry -> a, b    a -> b    b -> a, end     {a, b}: entries a and b, irreducible
//! ```
//!
//! The hierarchy depends on the order of the walk. Ours is the order of LLVM's `GenericCycleInfo`, so that both find
//! the same cycles: successors are pushed in order, so the last one is visited first. Candidates for headers are
//! processed from the last to the first in preorder. Each one collects the blocks that reach it without leaving its
//! subtree, and includes cycles that were found before as a whole.

use index_vec::{IndexVec, define_index_type, index_vec};
use smallvec::SmallVec;

use super::{BlockId, Function, Terminator};

define_index_type! {
    /// A cycle of one function.
    pub struct CycleId = u32;
}

/// A cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// The entry that the walk visited first.
    pub header: BlockId,
    /// All entries, the header first.
    pub entries: Vec<BlockId>,
    /// The blocks that are in no nested cycle, ordered by number.
    pub own: Vec<BlockId>,
    /// The innermost cycle around this one.
    pub parent: Option<CycleId>,
    /// The cycles directly inside this one.
    pub children: Vec<CycleId>,
    /// 0 for an outermost cycle.
    pub depth: u32,
}

impl Cycle {
    /// Returns whether the cycle is a natural loop.
    pub fn is_reducible(&self) -> bool {
        self.entries.len() == 1
    }
}

/// The cycles of a function that are reachable from the entry. Parents have smaller numbers than their children.
#[derive(Clone, Debug)]
pub struct Cycles {
    /// The cycles, parents before children.
    pub cycles: IndexVec<CycleId, Cycle>,
    innermost: IndexVec<BlockId, Option<CycleId>>,
    /// A skip pointer for each cycle: a cycle around it, or itself if it is an outermost cycle. With skip pointers and
    /// parents, a climb takes few steps.
    above: IndexVec<CycleId, CycleId>,
    /// The preorder number of each cycle in the hierarchy, and one past the last number inside it.
    range: IndexVec<CycleId, (u32, u32)>,
}

/// The preorder number of a block in the walk, and the last number in its subtree. `start` is 0 if the walk does not
/// reach the block.
#[derive(Clone, Copy, Default)]
struct Visit {
    start: u32,
    end: u32,
}

impl Visit {
    fn is_ancestor_of(self, other: Visit) -> bool {
        other.start != 0 && self.start <= other.start && other.end <= self.end
    }
}

/// The cycles found so far, inner cycles first.
struct Search {
    found: Vec<Found>,
    /// The innermost cycle of each block: the first cycle that included it.
    taken: IndexVec<BlockId, Option<usize>>,
}

struct Found {
    header: BlockId,
    entries: Vec<BlockId>,
    own: Vec<BlockId>,
    parent: Option<usize>,
    /// A cycle on the path to the outermost one, or this cycle itself (union-find with path compression).
    up: usize,
}

impl Search {
    /// Returns the outermost cycle found so far around a block.
    fn outermost(&mut self, block: BlockId) -> Option<usize> {
        let mut at = self.taken[block]?;
        while self.found[at].up != at {
            let up = self.found[at].up;
            self.found[at].up = self.found[up].up;
            at = up;
        }
        Some(at)
    }
}

/// Returns the successors in LLVM's order: the default of a `switch` comes first.
fn successors(terminator: &Terminator) -> SmallVec<[BlockId; 2]> {
    let mut successors = terminator.successors();
    if matches!(terminator, Terminator::Switch { .. }) {
        successors.rotate_right(1);
    }
    successors
}

fn walk(function: &Function) -> (Vec<BlockId>, IndexVec<BlockId, Visit>) {
    let mut visits: IndexVec<BlockId, Visit> = index_vec![Visit::default(); function.blocks.len()];
    let mut preorder = Vec::with_capacity(function.blocks.len());
    let mut counter = 0;
    let mut todo = vec![Function::ENTRY];
    // The sizes of `todo` at which the subtrees of open blocks are complete.
    let mut open = Vec::new();
    while let Some(&block) = todo.last() {
        if visits[block].start == 0 {
            open.push(todo.len());
            todo.extend(successors(&function.blocks[block].terminator));
            counter += 1;
            visits[block].start = counter;
            preorder.push(block);
            continue;
        }
        if open.last() == Some(&todo.len()) {
            visits[block].end = counter;
            open.pop();
        }
        todo.pop();
    }
    (preorder, visits)
}

/// Computes the skip pointers: over two steps of equal length, otherwise to the parent (Myers, *An applicative
/// random-access stack*).
fn above(cycles: &IndexVec<CycleId, Cycle>) -> IndexVec<CycleId, CycleId> {
    let mut above: IndexVec<CycleId, CycleId> = IndexVec::with_capacity(cycles.len());
    let depth = |cycle: CycleId| cycles[cycle].depth;
    for (id, cycle) in cycles.iter_enumerated() {
        let far = cycle.parent.map_or(id, |parent| {
            let near = above[parent];
            let equal = depth(parent) - depth(near) == depth(near) - depth(above[near]);
            if equal { above[near] } else { parent }
        });
        above.push(far);
    }
    above
}

impl Cycles {
    /// Finds the cycles of a function, given the predecessors of each block.
    pub fn of(function: &Function, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Cycles {
        let (preorder, visits) = walk(function);
        let mut search = Search { found: Vec::new(), taken: index_vec![None; function.blocks.len()] };
        let mut work = Vec::new();
        for &header in preorder.iter().rev() {
            let subtree = visits[header];
            work.extend(predecessors[header].iter().filter(|&&block| subtree.is_ancestor_of(visits[block])));
            if work.is_empty() {
                continue;
            }
            let cycle = search.found.len();
            search.found.push(Found {
                header,
                entries: vec![header],
                own: vec![header],
                parent: None,
                up: cycle,
            });
            search.taken[header] = Some(cycle);
            while let Some(block) = work.pop() {
                if block == header {
                    continue;
                }
                let joined = match search.outermost(block) {
                    Some(inner) if inner == cycle => continue,
                    Some(inner) => {
                        (search.found[inner].parent, search.found[inner].up) = (Some(cycle), cycle);
                        search.found[inner].entries.clone()
                    }
                    None => {
                        search.taken[block] = Some(cycle);
                        search.found[cycle].own.push(block);
                        vec![block]
                    }
                };
                for block in joined {
                    let mut entry = false;
                    for &before in &predecessors[block] {
                        match subtree.is_ancestor_of(visits[before]) {
                            true => work.push(before),
                            false => entry |= visits[before].start != 0,
                        }
                    }
                    if entry {
                        search.found[cycle].entries.push(block);
                    }
                }
            }
        }
        Cycles::numbered(search, function)
    }

    /// Numbers the cycles from the outside in.
    fn numbered(search: Search, function: &Function) -> Cycles {
        let Search { found, taken } = search;
        let mut numbers: Vec<Option<CycleId>> = vec![None; found.len()];
        let mut cycles: IndexVec<CycleId, Cycle> = IndexVec::with_capacity(found.len());
        // Outer cycles were found after the cycles inside them.
        for (index, cycle) in found.into_iter().enumerate().rev() {
            let parent = cycle.parent.and_then(|parent| numbers[parent]);
            let depth = parent.map_or(0, |parent| cycles[parent].depth + 1);
            let Found { header, entries, mut own, .. } = cycle;
            own.sort_unstable();
            let id = cycles.push(Cycle { header, entries, own, parent, children: Vec::new(), depth });
            numbers[index] = Some(id);
            if let Some(parent) = parent {
                cycles[parent].children.push(id);
            }
        }
        let innermost =
            function.blocks.indices().map(|block| taken[block].and_then(|taken| numbers[taken])).collect();
        let mut range: IndexVec<CycleId, (u32, u32)> = index_vec![(0, 0); cycles.len()];
        let mut next = 0;
        let mut todo: Vec<(CycleId, bool)> =
            cycles.indices().filter(|&id| cycles[id].parent.is_none()).map(|id| (id, true)).collect();
        while let Some((id, enter)) = todo.pop() {
            if enter {
                range[id].0 = next;
                next += 1;
                todo.push((id, false));
                todo.extend(cycles[id].children.iter().map(|&child| (child, true)));
            } else {
                range[id].1 = next;
            }
        }
        let above = above(&cycles);
        Cycles { cycles, innermost, above, range }
    }

    /// Returns the innermost cycle around a block.
    pub fn innermost(&self, block: BlockId) -> Option<CycleId> {
        self.innermost[block]
    }

    /// Returns whether a block is in a cycle.
    pub fn contains(&self, cycle: CycleId, block: BlockId) -> bool {
        self.innermost[block].is_some_and(|inner| self.contains_cycle(cycle, inner))
    }

    /// Returns whether `outer` contains `inner`, or is the same cycle.
    pub fn contains_cycle(&self, outer: CycleId, inner: CycleId) -> bool {
        let ((first, end), (at, _)) = (self.range[outer], self.range[inner]);
        first <= at && at < end
    }

    /// Returns the cycles around a block, from the inside out.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = CycleId> + '_ {
        std::iter::successors(self.innermost[block], |&cycle| self.cycles[cycle].parent)
    }

    /// Returns the outermost cycle that contains a block but not the other block. Takes logarithmic time in the depth.
    pub fn outermost_excluding(&self, block: BlockId, other: BlockId) -> Option<CycleId> {
        let is_without = |cycle: &CycleId| !self.contains(*cycle, other);
        let mut at = self.innermost[block].filter(is_without)?;
        loop {
            let further = [Some(self.above[at]), self.cycles[at].parent];
            match further.into_iter().flatten().find(|next| *next != at && is_without(next)) {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
    }

    /// Returns the outermost cycle around a cycle, possibly itself.
    pub fn outermost(&self, cycle: CycleId) -> CycleId {
        let mut at = cycle;
        while let Some(parent) = self.cycles[at].parent {
            at = parent;
        }
        at
    }

    /// Returns all blocks of a cycle, ordered by number.
    pub fn blocks(&self, cycle: CycleId) -> Vec<BlockId> {
        let mut blocks = Vec::new();
        let mut todo = vec![cycle];
        while let Some(cycle) = todo.pop() {
            blocks.extend(&self.cycles[cycle].own);
            todo.extend(&self.cycles[cycle].children);
        }
        blocks.sort_unstable();
        blocks
    }
}
