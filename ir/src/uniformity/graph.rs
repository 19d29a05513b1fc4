//! The facts of uniformity that depend only on the shape of the flow graph.
//!
//! **Controllers** of a block: the branches that it is control-dependent on. On one path from such a branch, threads
//! certainly reach the block; on another they may not. **Exit branches** of a cycle: the branches in it that decide
//! whether and where a thread leaves it in an iteration. **Extended**: a block after a cycle that is in a convergence
//! region of the cycle, because a token of the cycle is live there. **Place** of a block: its number in an order where
//! cycles are contiguous.
//!
//! ```text
//! branch -> then, else    then -> end    else -> end, return
//! controllers: then, else: branch; end: branch and else; return: else
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `controllers` | the branches that a block depends on |
//! | `joins` | the blocks where threads that diverged at a branch reconverge |

mod controllers;
mod joins;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use crate::flow::cycles::{CycleId, Cycles};
use crate::flow::dominators::Dominators;
use crate::flow::regions::token_of;
use crate::flow::shape::GraphAnalysis;
use crate::flow::{BlockId, Function, Terminator, ValueId};
use controllers::controllers;

pub use joins::{Joins, Labels};

/// The shape of one function.
pub struct Graph {
    /// The dominator tree.
    pub dominators: Dominators,
    /// The cycles.
    pub cycles: Cycles,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// The controllers of each block, in ascending order.
    pub controllers: IndexVec<BlockId, Vec<BlockId>>,
    /// The exit branches of each cycle.
    pub exit_branches: IndexVec<CycleId, Vec<BlockId>>,
    /// For each cycle, the edges that leave it.
    exits: IndexVec<CycleId, Vec<(BlockId, BlockId)>>,
    /// Twice the place of each block in the order with contiguous cycles.
    places: IndexVec<BlockId, u32>,
    /// For each cycle, the number directly after the place of its last block.
    ends: IndexVec<CycleId, u32>,
    /// For a block, a later one in the same innermost cycle that every path from it reaches in the same iteration.
    ahead: IndexVec<BlockId, Option<BlockId>>,
    extended: FxHashMap<BlockId, Vec<Extension>>,
    /// The loops by their headers: reducible cycles inside reducible cycles only.
    loops: FxHashMap<BlockId, CycleId>,
    /// The block of each operation.
    pub home: IndexVec<ValueId, Option<BlockId>>,
    /// The index of each operation in its block.
    positions: IndexVec<ValueId, u32>,
}

/// A block after a cycle that belongs to a convergence region of the cycle.
#[derive(Clone, Copy, Debug)]
struct Extension {
    cycle: CycleId,
    /// The index of the operation in the block that ends the region. `None` if the region continues after the block.
    last: Option<u32>,
}

impl Graph {
    /// Computes the graph of a function with this shape. All blocks must be reachable.
    pub fn of(function: &Function, shape: GraphAnalysis) -> Graph {
        let GraphAnalysis { predecessors, dominators, cycles } = shape;
        let (controllers, ahead) = controllers(function, &dominators, &predecessors, &cycles);
        let exits = exits(function, &cycles);
        let exit_branches = exit_branches(function, &cycles, &exits, &controllers);
        let (places, ends) = contiguous(function, &dominators, &cycles);
        let mut home = index_vec![None; function.values.len()];
        let mut positions = index_vec![0; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            for (position, &value) in (0..).zip(&block.values) {
                (home[value], positions[value]) = (Some(id), position);
            }
        }
        let extended = extensions(function, &cycles, &predecessors, &home);
        let loops = loops(&cycles);
        Graph {
            dominators,
            cycles,
            predecessors,
            controllers,
            exit_branches,
            exits,
            places,
            ends,
            ahead,
            extended,
            loops,
            home,
            positions,
        }
    }

    /// Returns the source blocks of the edges to each block: one per edge, so a block may occur twice.
    pub(super) fn predecessors(&self) -> &IndexVec<BlockId, Vec<BlockId>> {
        &self.predecessors
    }

    /// Whether threads that take the edge between two blocks begin the next iteration of a loop: the loop contains
    /// `from`, and its header is `to`. False in irreducible cycles and in all cycles inside them.
    pub(super) fn iterates(&self, from: BlockId, to: BlockId) -> bool {
        self.loops.get(&to).is_some_and(|&cycle| self.cycles.contains(cycle, from))
    }

    /// Returns the index of an operation in its block.
    pub(super) fn position(&self, operation: ValueId) -> u32 {
        self.positions[operation]
    }

    /// Returns the cycles that a value has left where it is used: by operation `user`, or else by the terminator of
    /// `block`.
    pub fn left(
        &self,
        value: ValueId,
        user: Option<ValueId>,
        block: BlockId,
    ) -> impl Iterator<Item = CycleId> {
        self.left_from(self.home[value], user.map(|user| self.positions[user]), block)
    }

    /// Whether threads may have left a cycle of a value in different iterations before a use: a branch at which they leave
    /// is divergent. The use is as for [`Graph::left`].
    pub fn is_left_apart(
        &self,
        value: ValueId,
        user: Option<ValueId>,
        block: BlockId,
        is_divergent: impl Fn(BlockId) -> bool,
    ) -> bool {
        let is_apart = |cycle: CycleId| self.exit_branches[cycle].iter().any(|&branch| is_divergent(branch));
        self.left(value, user, block).any(is_apart)
    }

    /// Returns the cycles around block `home` that threads have left at index `at` of `block`. `None` as index: at its
    /// end.
    pub(super) fn left_from(
        &self,
        home: Option<BlockId>,
        at: Option<u32>,
        block: BlockId,
    ) -> impl Iterator<Item = CycleId> {
        let home = home.filter(|&home| home != block || self.extended.contains_key(&home));
        let inner =
            home.into_iter().flat_map(move |home| self.cycles.around(home).chain(self.extended(home)));
        inner.filter(move |&cycle| !self.cycles.contains(cycle, block) && !self.is_extended(cycle, at, block))
    }

    /// Returns the cycles that do not contain the block, but have a convergence region that does.
    pub fn extended(&self, block: BlockId) -> impl Iterator<Item = CycleId> {
        self.extended.get(&block).into_iter().flatten().map(|extension| extension.cycle)
    }

    /// Whether a use outside the cycle is in a convergence region of the cycle.
    fn is_extended(&self, cycle: CycleId, at: Option<u32>, block: BlockId) -> bool {
        let Some(extensions) = self.extended.get(&block) else { return false };
        extensions.iter().any(|extension| {
            extension.cycle == cycle && extension.last.is_none_or(|last| at.is_some_and(|at| at <= last))
        })
    }
}

fn exits(function: &Function, cycles: &Cycles) -> IndexVec<CycleId, Vec<(BlockId, BlockId)>> {
    let mut exits: IndexVec<CycleId, Vec<(BlockId, BlockId)>> = index_vec![Vec::new(); cycles.cycles.len()];
    for (id, block) in function.blocks.iter_enumerated() {
        for successor in block.terminator.successors() {
            let left = cycles.around(id).take_while(|&cycle| !cycles.contains(cycle, successor));
            left.for_each(|cycle| exits[cycle].push((id, successor)));
        }
    }
    exits
}

fn exit_branches(
    function: &Function,
    cycles: &Cycles,
    exits: &IndexVec<CycleId, Vec<(BlockId, BlockId)>>,
    controllers: &IndexVec<BlockId, Vec<BlockId>>,
) -> IndexVec<CycleId, Vec<BlockId>> {
    let mut seen: IndexVec<BlockId, Option<CycleId>> = index_vec![None; function.blocks.len()];
    let of_cycle = |(cycle, exits): (CycleId, &Vec<(BlockId, BlockId)>)| {
        let mut branches = Vec::new();
        let mut todo: Vec<BlockId> = exits.iter().map(|&(from, _)| from).collect();
        while let Some(block) = todo.pop() {
            if !cycles.contains(cycle, block) || seen[block].replace(cycle) == Some(cycle) {
                continue;
            }
            if matches!(
                function.blocks[block].terminator,
                Terminator::Branch { .. } | Terminator::Switch { .. }
            ) {
                branches.push(block);
            }
            todo.extend(&controllers[block]);
        }
        branches.sort_unstable();
        branches
    };
    exits.iter_enumerated().map(of_cycle).collect()
}

/// Returns the loops by their headers.
fn loops(cycles: &Cycles) -> FxHashMap<BlockId, CycleId> {
    let mut loops = FxHashMap::default();
    // The parent of a cycle comes before it.
    for (id, cycle) in cycles.cycles.iter_enumerated() {
        let is_in_loop = cycle.parent.is_none_or(|around| loops.contains_key(&cycles.cycles[around].header));
        if cycle.is_reducible() && is_in_loop {
            loops.insert(cycle.header, id);
        }
    }
    loops
}

/// Computes a topological order of the blocks, without edges to headers, where each cycle is contiguous. Returns twice
/// the place of each block, and the number directly after the last place of each cycle.
fn contiguous(
    function: &Function,
    dominators: &Dominators,
    cycles: &Cycles,
) -> (IndexVec<BlockId, u32>, IndexVec<CycleId, u32>) {
    /// A block without a further cycle around it, or a cycle.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Node {
        Block(BlockId),
        Cycle(CycleId),
    }
    // `common` returns the innermost cycle that contains both ends of an edge. `node` returns the block, or the cycle
    // directly inside `around`, that an end belongs to.
    let node = |around: Option<CycleId>, block: BlockId| {
        let inside = cycles.around(block).take_while(|&cycle| Some(cycle) != around);
        inside.last().map_or(Node::Block(block), Node::Cycle)
    };
    let common = |a: BlockId, b: BlockId| cycles.around(a).find(|&cycle| cycles.contains(cycle, b));
    let mut waits: FxHashMap<Node, u32> = FxHashMap::default();
    let mut after: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for (id, block) in function.blocks.iter_enumerated() {
        for successor in block.terminator.successors() {
            let around = common(id, successor);
            if around.is_some_and(|cycle| cycles.cycles[cycle].header == successor) {
                continue;
            }
            let (from, to) = (node(around, id), node(around, successor));
            if from != to {
                *waits.entry(to).or_default() += 1;
                after.entry(from).or_default().push(to);
            }
        }
    }
    // The smaller side of a branch comes first. Its label then waits at the join while the walk passes the larger side;
    // see `ahead`.
    let size = |node: &Node| {
        let block = match *node {
            Node::Block(block) => block,
            Node::Cycle(cycle) => cycles.cycles[cycle].header,
        };
        (dominators.size(block), dominators.position(block))
    };
    let mut ready_after = |node: Node, ready: &mut Vec<Node>| {
        let begin = ready.len();
        for &to in after.get(&node).into_iter().flatten() {
            if let Some(count) = waits.get_mut(&to) {
                *count -= 1;
                if *count == 0 {
                    ready.push(to);
                }
            }
        }
        ready[begin..].sort_by_key(|node| std::cmp::Reverse(size(node)));
    };
    let mut places: IndexVec<BlockId, u32> = index_vec![0; function.blocks.len()];
    let mut ends: IndexVec<CycleId, u32> = index_vec![0; cycles.cycles.len()];
    let mut next = 0;
    // For each cycle that is being visited, the nodes whose predecessors are done.
    let mut levels: Vec<(Option<CycleId>, Vec<Node>)> = vec![(None, vec![node(None, Function::ENTRY)])];
    while let Some((around, ready)) = levels.last_mut() {
        match (ready.pop(), *around) {
            (Some(Node::Cycle(cycle)), _) => {
                levels.push((Some(cycle), vec![Node::Block(cycles.cycles[cycle].header)]));
            }
            (Some(Node::Block(block)), _) => {
                places[block] = 2 * next;
                next += 1;
                ready_after(Node::Block(block), ready);
            }
            (None, around) => {
                levels.pop();
                if let (Some(cycle), Some((_, ready))) = (around, levels.last_mut()) {
                    ends[cycle] = 2 * next - 1;
                    ready_after(Node::Cycle(cycle), ready);
                }
            }
        }
    }
    (places, ends)
}

/// Finds the blocks after a cycle where tokens of the cycle are live.
fn extensions(
    function: &Function,
    cycles: &Cycles,
    predecessors: &IndexVec<BlockId, Vec<BlockId>>,
    home: &IndexVec<ValueId, Option<BlockId>>,
) -> FxHashMap<BlockId, Vec<Extension>> {
    let mut extended: FxHashMap<BlockId, Vec<Extension>> = FxHashMap::default();
    for (id, block) in function.blocks.iter_enumerated() {
        for (position, &user) in (0..).zip(&block.values) {
            let Some(token) = token_of(&function.values[user].op) else { continue };
            let Some(from) = home[token] else { continue };
            for cycle in cycles.around(from).filter(|&cycle| !cycles.contains(cycle, id)) {
                let mut todo = vec![(id, Some(position))];
                while let Some((block, last)) = todo.pop() {
                    if cycles.contains(cycle, block) {
                        continue;
                    }
                    let known = extended.entry(block).or_default();
                    match known.iter_mut().find(|extension| extension.cycle == cycle) {
                        Some(extension) => {
                            let ends =
                                extension.last.is_some_and(|known| last.is_none_or(|last| known < last));
                            if !ends {
                                continue;
                            }
                            extension.last = last;
                        }
                        None => known.push(Extension { cycle, last }),
                    }
                    todo.extend(predecessors[block].iter().map(|&before| (before, None)));
                }
            }
        }
    }
    extended
}

/// Whether threads can diverge at the end of a block.
pub fn is_branch(function: &Function, block: BlockId) -> bool {
    let successors = function.blocks[block].terminator.successors();
    successors.iter().any(|&successor| successor != successors[0])
}
