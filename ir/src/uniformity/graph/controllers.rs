//! On which branches each block depends, by post-dominators.
//!
//! **Post-dominator** of a block: one that each path from it to the end comes to. **Span**: the function as a whole, or one iteration of a
//! cycle; what leaves the iteration, and what goes back to the header, is its end.
//!
//! ```c
//! while (n-- > i) {  // 1
//!   if (p[n])        // 2: depends on 1, since who leaves the loop does not come here
//!     p[n] = 0;      // 3: depends on 1 and 2
//! }
//! f();               // depends on none: all come here in the end
//! ```

use index_vec::{IndexVec, index_vec};

use crate::flow::cycles::{CycleId, Cycles};
use crate::flow::dominators::Dominators;
use crate::flow::{BlockId, Function};

/// For each block the branches on which it depends: by the post-dominators (Ferrante, Ottenstein and Warren), in the function as
/// a whole and in one iteration of each cycle around it. That all come to the block in the end is not enough: who comes in a
/// later iteration is not there with the others. And for each block its post-dominator in one iteration of the innermost cycle
/// around it, if that is in no further cycle.
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
