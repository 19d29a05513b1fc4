//! Control dependence: the branches that each block depends on, by post-dominators.
//!
//! **Post-dominator** of a block: a block on every path from it to the end. **Span**: the whole function, or one
//! iteration of a cycle. An iteration ends at edges out of the cycle and at edges back to the header.
//!
//! ```c
//! while (n-- > i) {  // 1
//!   if (p[n])        // 2: depends on 1, since threads that leave the loop do not reach it
//!     p[n] = 0;      // 3: depends on 1 and 2
//! }
//! f();               // depends on none: all threads reach it in the end
//! ```
//!
//! **Endless** loop: a natural loop without a path to the end of the span. Edges back to its header count as ends of the
//! span, so that in `for (;;) { a(); if (x) continue; b(); }` only `b()` depends on the branch.

use index_vec::{IndexVec, index_vec};

use crate::flow::cycles::{CycleId, Cycles};
use crate::flow::dominators::Dominators;
use crate::flow::{BlockId, Function};

/// Returns for each block the branches that it depends on, by post-dominators (Ferrante, Ottenstein and Warren): in the
/// whole function, and in one iteration of each cycle around it. It is not enough that all threads reach the block in
/// the end: threads that reach it in a later iteration are not together with the others. Also returns for each block
/// its post-dominator in one iteration of its innermost cycle, if both have the same innermost cycle.
pub(super) fn controllers(
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
        let edges = Edges { function, predecessors, cycles, header };
        let mut span = Span::of(&edges, blocks, &[], &mut numbers);
        let mut post_dominators = span.post_dominators();
        let endless = span.endless_cycles(&post_dominators, cycles, cycle);
        if !endless.is_empty() {
            span = Span::of(&edges, blocks, &endless, &mut numbers);
            post_dominators = span.post_dominators();
        }
        span.add_controllers(&post_dominators, &mut controllers);
        let after = post_dominators.immediate;
        for (&block, after) in blocks.iter().zip(after) {
            let own = |block: &BlockId| cycles.innermost(*block) == cycle;
            if own(&block) {
                ahead[block] = after.map(|number| blocks[number]).filter(own);
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

/// A function, or one iteration of a cycle, which ends at edges out of it and at edges back to the header. The numbers
/// of the blocks follow the order of the dominator tree.
struct Span<'a> {
    blocks: &'a [BlockId],
    /// For each block, whether threads can diverge at its end.
    is_branch: Vec<bool>,
    /// For each block, whether the span may end there.
    ends: Vec<bool>,
    /// The successors of all blocks inside the span, grouped by block.
    successors: Vec<usize>,
    /// The index of the first successor of each block. The last entry is the end of the list.
    first_successor: Vec<usize>,
    /// The same for predecessors.
    predecessors: Vec<usize>,
    first_predecessor: Vec<usize>,
}

/// The edges of a function, and where a span ends.
struct Edges<'a> {
    function: &'a Function,
    predecessors: &'a IndexVec<BlockId, Vec<BlockId>>,
    cycles: &'a Cycles,
    /// The header of the cycle, if the span is an iteration.
    header: Option<BlockId>,
}

impl Edges<'_> {
    /// Whether the span ends at an edge, even if both blocks are in it.
    fn end(&self, (from, to): (BlockId, BlockId), endless: &[CycleId]) -> bool {
        let leads_back =
            |&cycle: &CycleId| self.cycles.cycles[cycle].header == to && self.cycles.contains(cycle, from);
        Some(to) == self.header || endless.iter().any(leads_back)
    }
}

/// The post-dominators in a span.
struct PostDominators {
    /// The immediate post-dominator of each block. `None`: the end.
    immediate: Vec<Option<usize>>,
    /// For each block, whether it has an artificial edge to the end, because no path from it ends.
    artificial: Vec<bool>,
}

impl<'a> Span<'a> {
    /// `endless`: cycles directly inside the span whose iterations end the span. `numbers` is scratch space. It is
    /// `usize::MAX` for every block, before and after.
    fn of(
        edges: &Edges,
        blocks: &'a [BlockId],
        endless: &[CycleId],
        numbers: &mut IndexVec<BlockId, usize>,
    ) -> Span<'a> {
        let Edges { function, predecessors, .. } = edges;
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
            let stays =
                |next: &&BlockId| numbers[**next] != usize::MAX && !edges.end((block, **next), endless);
            span.successors.extend(all.iter().filter(stays).map(|&next| numbers[next]));
            let inside = span.successors.len() - span.first_successor[span.first_successor.len() - 1];
            span.ends.push(all.is_empty() || inside < all.len());
            span.is_branch.push(all.iter().any(|&next| next != all[0]));
            span.first_predecessor.push(span.predecessors.len());
            let before = predecessors[block].iter().filter(|&&before| !edges.end((before, block), endless));
            let before = before.map(|&before| numbers[before]);
            span.predecessors.extend(before.filter(|&number| number != usize::MAX));
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

    /// Returns the endless natural loops directly inside the span of the cycle `around` (`None`: of the function), from
    /// which no path leads to another endless loop.
    fn endless_cycles(
        &self,
        post_dominators: &PostDominators,
        cycles: &Cycles,
        around: Option<CycleId>,
    ) -> Vec<CycleId> {
        let roots =
            self.blocks.iter().zip(&post_dominators.artificial).filter(|&(_, &artificial)| artificial);
        let inside = |block| cycles.around(block).take_while(|&cycle| Some(cycle) != around).last();
        let endless = roots.filter_map(|(&block, _)| inside(block));
        // Through other entries than the header, threads begin in the middle of an iteration.
        endless.filter(|&cycle| cycles.cycles[cycle].is_reducible()).collect()
    }

    /// Adds the branches in the span that its blocks depend on.
    fn add_controllers(
        &self,
        post_dominators: &PostDominators,
        controllers: &mut IndexVec<BlockId, Vec<BlockId>>,
    ) {
        let PostDominators { immediate: after, artificial } = post_dominators;
        for (branch, &block) in self.blocks.iter().enumerate() {
            // A block with an artificial edge to the end counts as a branch: threads reach the other blocks of the
            // cycle through it.
            if !self.is_branch[branch] && !artificial[branch] {
                continue;
            }
            for &successor in self.successors(branch) {
                let mut at = Some(successor);
                while let Some(number) = at.filter(|&number| Some(number) != after[branch]) {
                    let known = &mut controllers[self.blocks[number]];
                    if known.last() == Some(&block) {
                        break;
                    }
                    known.push(block);
                    at = after[number];
                }
            }
        }
    }

    fn post_dominators(&self) -> PostDominators {
        // Walk from the end backwards. A part of the graph that never ends gets an artificial edge to the end from its
        // last block.
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
        // The algorithm of Cooper, Harvey and Kennedy. The place of the end is one past all others.
        let mut place = vec![0; count];
        postorder.iter().enumerate().for_each(|(at, &number)| place[number] = at);
        let end = count;
        let mut after: Vec<Option<usize>> = vec![None; count + 1];
        after[end] = Some(end);
        loop {
            let mut changed = false;
            for &number in postorder.iter().rev() {
                let mut found = leaves[number].then_some(end);
                let successors = self.successors(number).iter().map(|&next| place[next]);
                for next in successors.filter(|&next| after[next].is_some()) {
                    found = Some(match found {
                        None => next,
                        Some(mut a) => {
                            let mut b = next;
                            while a != b {
                                let lower = if a < b { &mut a } else { &mut b };
                                *lower = after[*lower].unwrap_or(end);
                            }
                            a
                        }
                    });
                }
                if found.is_some() && after[place[number]] != found {
                    after[place[number]] = found;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let of_place = |&place: &usize| after[place].and_then(|after| postorder.get(after).copied());
        let artificial = (0..count).map(|number| leaves[number] && !self.ends[number]).collect();
        PostDominators { immediate: place.iter().map(of_place).collect(), artificial }
    }
}
