//! What uniformity needs of the shape of a flow graph.
//!
//! **Controllers** of a block: the branches on which it is control-dependent, that is, that have one way on which the block is certain and another on
//! which it is not. **Exit branches** of a cycle: those in it that decide whether and where a thread leaves it in an iteration.
//! **Joins** of a branch: blocks that disjoint paths from it reach; threads that part at the branch meet there.
//!
//! ```text
//! branch -> then, else    then -> end    else -> end, return
//! joins of the branch: end    controllers: then, else: branch; end: branch and else; return: else
//! ```
//!
//! Joins are found by sending the name of each successor along all paths; where two names meet is a join, which goes on under its own name.
//! A cycle that the branch is not in is passed as a whole; so is, with no name waiting there, all up to the post-dominator. When a name comes back to the header of a cycle around the branch, the
//! threads under it take part in further iterations: it goes to every exit of the cycle, where it meets those that left before. Blocks are visited in an
//! order in which cycles are contiguous, so that nothing is visited before all that leads to it. An irreducible cycle has no header that all agree on:
//! around such a cycle names go on, up to the branch itself, and where they meet the diverged entry criterion is asked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use crate::flow::cycles::{CycleId, Cycles};
use crate::flow::dominators::Dominators;
use crate::flow::regions::token_of;
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Function, Terminator, ValueId};

/// The shape of one function.
pub struct Graph {
    /// The dominator tree.
    pub dominators: Dominators,
    /// The cycles.
    pub cycles: Cycles,
    predecessors: IndexVec<BlockId, Vec<BlockId>>,
    /// For each block, by number.
    pub controllers: IndexVec<BlockId, Vec<BlockId>>,
    /// For each cycle.
    pub exit_branches: IndexVec<CycleId, Vec<BlockId>>,
    /// For each cycle, the edges that leave it.
    exits: IndexVec<CycleId, Vec<(BlockId, BlockId)>>,
    /// Twice the place in the order with contiguous cycles.
    places: IndexVec<BlockId, u32>,
    /// The place right behind each cycle.
    ends: IndexVec<CycleId, u32>,
    /// For a block, a later one in the same innermost cycle that every path from it comes to in the same iteration.
    ahead: IndexVec<BlockId, Option<BlockId>>,
    extended: FxHashMap<BlockId, Vec<Extension>>,
    /// Where each operation stands.
    pub home: IndexVec<ValueId, Option<BlockId>>,
    /// Its place in its block.
    positions: IndexVec<ValueId, u32>,
}

/// A block behind a cycle that belongs to a convergence region of it.
#[derive(Clone, Copy, Debug)]
struct Extension {
    cycle: CycleId,
    /// The place of the operation in the block with which the region ends; none if it goes on.
    last: Option<u32>,
}

/// Where the threads that part at a branch meet.
#[derive(Clone, Debug, Default)]
pub struct Joins {
    /// The blocks that threads come to on different ways.
    pub blocks: Vec<BlockId>,
    /// Irreducible cycles whose convergence depends on the choice of a header.
    pub not_converged: Vec<CycleId>,
}

impl Graph {
    /// All blocks of the function are reachable, and it has the shape.
    pub fn of(function: &Function, shape: Shape) -> Graph {
        let Shape { predecessors, dominators, cycles } = shape;
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
            home,
            positions,
        }
    }

    /// The cycles that a value has left where it is used: by an operation, or by the terminator of a block.
    pub fn left(
        &self,
        value: ValueId,
        user: Option<ValueId>,
        block: BlockId,
    ) -> impl Iterator<Item = CycleId> {
        let home = self.home[value].filter(|&home| home != block || self.extended.contains_key(&home));
        let inner =
            home.into_iter().flat_map(move |home| self.cycles.around(home).chain(self.extended(home)));
        inner.filter(move |&cycle| {
            !self.cycles.contains(cycle, block) && !self.is_extended(cycle, user, block)
        })
    }

    /// The cycles that a block is not in, but in a convergence region of.
    pub fn extended(&self, block: BlockId) -> impl Iterator<Item = CycleId> {
        self.extended.get(&block).into_iter().flatten().map(|extension| extension.cycle)
    }

    /// Whether a use stands in a convergence region of the cycle, though outside of the cycle.
    fn is_extended(&self, cycle: CycleId, user: Option<ValueId>, block: BlockId) -> bool {
        let Some(extensions) = self.extended.get(&block) else { return false };
        extensions.iter().any(|extension| {
            extension.cycle == cycle
                && extension.last.is_none_or(|last| user.is_some_and(|user| self.positions[user] <= last))
        })
    }

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
            self.ends.push(node);
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
            if self.pending.is_empty() {
                // All that are still on their way go together. They may meet those that are at an end.
                let ends: Vec<BlockId> = self
                    .ends
                    .iter()
                    .copied()
                    .filter(|end| {
                        self.labels.of[*end] != Some(label)
                            && self.graph.predecessors[*end].len() > 1
                            && (*end != self.branch || self.comes_back(node))
                    })
                    .collect();
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

    /// Whether a path leads from a block to the branch: one cycle is around both.
    fn comes_back(&self, block: BlockId) -> bool {
        self.graph.cycles.around(self.branch).any(|cycle| self.graph.cycles.contains(cycle, block))
    }

    /// Takes so many steps, if they are left.
    fn afford(&mut self, steps: usize) -> bool {
        let left = self.labels.steps.checked_sub(steps);
        self.labels.steps = left.unwrap_or(0);
        left.is_some()
    }
}

/// For each block the branches on which it depends: by the post-dominators (Ferrante, Ottenstein and Warren), in the function as
/// a whole and in one iteration of each cycle around it. That all come to the block in the end is not enough: who comes in a
/// later iteration is not there with the others. And for each block its post-dominator in one iteration of the innermost cycle
/// around it, if that is in no further cycle.
fn controllers(
    function: &Function,
    dominators: &Dominators,
    predecessors: &IndexVec<BlockId, Vec<BlockId>>,
    cycles: &Cycles,
) -> (IndexVec<BlockId, Vec<BlockId>>, IndexVec<BlockId, Option<BlockId>>) {
    let mut controllers: IndexVec<BlockId, Vec<BlockId>> = index_vec![Vec::new(); function.blocks.len()];
    let mut ahead: IndexVec<BlockId, Option<BlockId>> = index_vec![None; function.blocks.len()];
    let mut numbers: IndexVec<BlockId, usize> = index_vec![usize::MAX; function.blocks.len()];
    let mut add = |blocks: &[BlockId], cycle: Option<CycleId>| {
        let header = cycle.map(|cycle| cycles.cycles[cycle].header);
        let span = Span::of(function, predecessors, (blocks, header), &mut numbers);
        let behind = span.controllers(&mut controllers);
        for (&block, behind) in blocks.iter().zip(behind) {
            let own = |block: &BlockId| cycles.innermost(*block) == cycle;
            if own(&block) {
                ahead[block] = behind.map(|number| blocks[number]).filter(own);
            }
        }
    };
    add(dominators.order(), None);
    for cycle in cycles.cycles.indices() {
        let mut blocks = cycles.blocks(cycle);
        blocks.sort_unstable_by_key(|&block| dominators.position(block));
        add(&blocks, Some(cycle));
    }
    for of_block in &mut controllers {
        of_block.sort_unstable();
        of_block.dedup();
    }
    (controllers, ahead)
}

/// A function, or one iteration of a cycle: what leaves it, and what goes back to the header, ends. Its blocks have numbers in the order
/// of the dominator tree.
struct Span<'a> {
    blocks: &'a [BlockId],
    /// For each block, whether threads can part at its end.
    is_branch: Vec<bool>,
    /// For each block, whether a thread may end there.
    ends: Vec<bool>,
    /// The successors of all blocks in the span, those of each block together.
    successors: Vec<usize>,
    /// Where those of each block begin, and where those of the last end.
    first_successor: Vec<usize>,
    /// The same for predecessors. Those of the header are none: what goes back to it ends.
    predecessors: Vec<usize>,
    first_predecessor: Vec<usize>,
}

impl<'a> Span<'a> {
    /// `numbers` is scratch space, in which no block has a number.
    fn of(
        function: &Function,
        predecessors: &IndexVec<BlockId, Vec<BlockId>>,
        (blocks, header): (&'a [BlockId], Option<BlockId>),
        numbers: &mut IndexVec<BlockId, usize>,
    ) -> Span<'a> {
        let count = blocks.len();
        blocks.iter().enumerate().for_each(|(number, &block)| numbers[block] = number);
        let mut span = Span {
            blocks,
            is_branch: Vec::with_capacity(count),
            ends: Vec::with_capacity(count),
            successors: Vec::with_capacity(2 * count),
            first_successor: Vec::with_capacity(count + 1),
            predecessors: Vec::with_capacity(2 * count),
            first_predecessor: Vec::with_capacity(count + 1),
        };
        for &block in blocks {
            let all = function.blocks[block].terminator.successors();
            span.first_successor.push(span.successors.len());
            let stays = |next: &&BlockId| numbers[**next] != usize::MAX && Some(**next) != header;
            span.successors.extend(all.iter().filter(stays).map(|&next| numbers[next]));
            let inside = span.successors.len() - span.first_successor[span.first_successor.len() - 1];
            span.ends.push(all.is_empty() || inside < all.len());
            span.is_branch.push(all.iter().any(|&next| next != all[0]));
            span.first_predecessor.push(span.predecessors.len());
            if Some(block) != header {
                let before = predecessors[block].iter().map(|&before| numbers[before]);
                span.predecessors.extend(before.filter(|&number| number != usize::MAX));
            }
        }
        span.first_successor.push(span.successors.len());
        span.first_predecessor.push(span.predecessors.len());
        blocks.iter().for_each(|&block| numbers[block] = usize::MAX);
        span
    }

    fn successors(&self, number: usize) -> &[usize] {
        &self.successors[self.first_successor[number]..self.first_successor[number + 1]]
    }

    fn predecessors(&self, number: usize) -> &[usize] {
        &self.predecessors[self.first_predecessor[number]..self.first_predecessor[number + 1]]
    }

    /// Adds the branches in the span on which its blocks depend in it, and returns the post-dominator of each block.
    fn controllers(&self, controllers: &mut IndexVec<BlockId, Vec<BlockId>>) -> Vec<Option<usize>> {
        let (behind, endless) = self.post_dominators();
        for (branch, &block) in self.blocks.iter().enumerate() {
            // Who comes to the other blocks of an endless cycle comes through the one at which we say that it ends.
            if !self.is_branch[branch] && !endless[branch] {
                continue;
            }
            for &successor in self.successors(branch) {
                let mut at = Some(successor);
                while let Some(number) = at.filter(|&number| Some(number) != behind[branch]) {
                    let known = &mut controllers[self.blocks[number]];
                    if known.last() == Some(&block) {
                        break;
                    }
                    known.push(block);
                    at = behind[number];
                }
            }
        }
        behind
    }

    /// The immediate post-dominator of each block (none: the end), and which blocks end only because nothing behind them does.
    fn post_dominators(&self) -> (Vec<Option<usize>>, Vec<bool>) {
        // From the end backwards. What never ends gets an edge to the end from the last block of it.
        let count = self.blocks.len();
        let mut seen = vec![false; count];
        let mut leaves = vec![false; count];
        let mut postorder: Vec<usize> = Vec::with_capacity(count);
        let mut todo = Vec::new();
        let ending = (0..count).rev().filter(|&number| self.ends[number]);
        for root in ending.chain((0..count).rev()) {
            leaves[root] |= self.ends[root];
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            leaves[root] = true;
            todo.push((root, 0));
            while let Some((number, next)) = todo.last_mut() {
                let number = *number;
                match self.predecessors(number).get(*next) {
                    Some(&before) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[before], true) {
                            todo.push((before, 0));
                        }
                    }
                    None => {
                        postorder.push(number);
                        todo.pop();
                    }
                }
            }
        }
        // Cooper, Harvey and Kennedy. The end is one past all places.
        let mut place = vec![0; count];
        postorder.iter().enumerate().for_each(|(at, &number)| place[number] = at);
        let end = count;
        let mut behind: Vec<Option<usize>> = vec![None; count + 1];
        behind[end] = Some(end);
        loop {
            let mut changed = false;
            for &number in postorder.iter().rev() {
                let mut found = leaves[number].then_some(end);
                let successors = self.successors(number).iter().map(|&next| place[next]);
                for next in successors.filter(|&next| behind[next].is_some()) {
                    found = Some(match found {
                        None => next,
                        Some(mut a) => {
                            let mut b = next;
                            while a != b {
                                let lower = if a < b { &mut a } else { &mut b };
                                *lower = behind[*lower].unwrap_or(end);
                            }
                            a
                        }
                    });
                }
                if found.is_some() && behind[place[number]] != found {
                    behind[place[number]] = found;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let of_place = |&place: &usize| behind[place].and_then(|behind| postorder.get(behind).copied());
        let endless = (0..count).map(|number| leaves[number] && !self.ends[number]).collect();
        (place.iter().map(of_place).collect(), endless)
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

/// A topological order of the blocks, jumps to headers apart, in which each cycle is contiguous: twice the place of each block,
/// and what is right behind each cycle.
fn contiguous(
    function: &Function,
    dominators: &Dominators,
    cycles: &Cycles,
) -> (IndexVec<BlockId, u32>, IndexVec<CycleId, u32>) {
    /// A block that is in no further cycle, or a cycle.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    enum Node {
        Block(BlockId),
        Cycle(CycleId),
    }
    // The cycle in which an edge lies, and what its ends are there.
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
    // Of two sides of a branch the smaller one comes first: a name waits behind it while the other goes its long way, see `ahead`.
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
    // One level of nodes whose predecessors are done for each cycle that is being gone through.
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

/// The blocks behind a cycle in which tokens of it live on.
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

/// Whether threads can part at the end of a block.
pub fn is_branch(function: &Function, block: BlockId) -> bool {
    let successors = function.blocks[block].terminator.successors();
    successors.iter().any(|&successor| successor != successors[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::shape::Shape;

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
