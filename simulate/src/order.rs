//! Computes the order of blocks by the time when a thread reaches them. Every edge leads forwards in this order, except
//! edges that begin an iteration.
//!
//! Blocks are numbered in source order, and a thread mostly reaches them in this order. The exception is a `goto` back
//! to a label if no path leads from the label to that `goto`. Then the block of the `goto` comes before the block of
//! the label.
//!
//! ```c
//! if (w) { L: a(); }      // second
//! else { b(); goto L; }   // first
//! ```
//!
//! The blocks and loops directly in a source loop (or in the function) are *items*. They are sorted such that each edge
//! between two items leads forwards, unless it begins an iteration of the loop around them. If several items can come
//! next, the first in the source does. A cycle that is not a source loop has no such order, and its items stay in
//! source order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_ir::flow::{BlockId, Function, LoopId, Op, SourceLoop, Terminator};
use tangle_ir::value::Constant;

/// The positions of blocks and loops among the items of the loop around them.
#[derive(Default)]
pub(crate) struct BlockOrder {
    /// Empty if the order is the source order.
    blocks: IndexVec<BlockId, u32>,
    loops: IndexVec<LoopId, u32>,
}

/// A block or loop, compared by its start in the source. A loop precedes the block that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Item {
    first: BlockId,
    block: Option<BlockId>,
    of: Option<LoopId>,
}

impl BlockOrder {
    pub fn of(function: &Function) -> BlockOrder {
        if function.non_cyclic_back_jumps.is_empty() && function.loops.is_empty() {
            return BlockOrder::default();
        }
        let mut order = BlockOrder {
            blocks: function.blocks.indices().map(|block| block.raw()).collect(),
            loops: index_vec![0; function.loops.len()],
        };
        // For each loop (or the function), the items in it.
        let mut items: FxHashMap<Option<LoopId>, Vec<Item>> = FxHashMap::default();
        for (id, source_loop) in function.loops.iter_enumerated() {
            let item = Item { first: source_loop.first, block: None, of: Some(id) };
            items.entry(source_loop.parent).or_default().push(item);
        }
        for (id, block) in function.blocks.iter_enumerated() {
            items.entry(block.source_loop).or_default().push(Item { first: id, block: Some(id), of: None });
        }
        let mut steps: FxHashSet<(Item, Item)> = FxHashSet::default();
        for (from, block) in function.blocks.iter_enumerated() {
            if block.is_inserted {
                continue;
            }
            for to in successors_past_detours(function, from) {
                let around = function.loop_around_all(&[from, to]);
                // A `goto` that no thread can reach from the label only enters the cycle, and begins no iteration.
                let enters = |it: &SourceLoop| {
                    let jump = block.jump.as_ref().filter(|_| it.jumps.is_some());
                    jump.is_some_and(|jump| !it.is_jump_back(jump.at, it.stmt))
                };
                let begins = |id: LoopId| {
                    let it = &function.loops[id];
                    to == it.head || to == it.beginning && !enters(it)
                };
                let (from, to) =
                    (item_containing(function, around, from), item_containing(function, around, to));
                if from != to && !around.is_some_and(begins) {
                    steps.insert((from, to));
                }
            }
        }
        let mut following: FxHashMap<Item, Vec<Item>> = FxHashMap::default();
        let mut before: FxHashMap<Item, u32> = FxHashMap::default();
        for (from, to) in steps {
            following.entry(from).or_default().push(to);
            *before.entry(to).or_default() += 1;
        }
        for mut items in items.into_values() {
            items.sort_unstable();
            order.sort(&items, &following, &mut before);
        }
        order
    }

    fn sort(
        &mut self,
        items: &[Item],
        following: &FxHashMap<Item, Vec<Item>>,
        before: &mut FxHashMap<Item, u32>,
    ) {
        let is_free = |before: &FxHashMap<Item, u32>, item: &Item| before.get(item).is_none_or(|&it| it == 0);
        let mut ready: BinaryHeap<Reverse<Item>> =
            items.iter().filter(|item| is_free(before, item)).copied().map(Reverse).collect();
        let mut placed: FxHashSet<Item> = FxHashSet::default();
        let mut rest = items.iter();
        // If every remaining item is in a cycle, the first in the source comes next.
        while let Some(item) = ready
            .pop()
            .map(|Reverse(item)| item)
            .or_else(|| rest.find(|item| !placed.contains(item)).copied())
        {
            if !placed.insert(item) {
                continue;
            }
            let place = placed.len() as u32;
            match (item.block, item.of) {
                (Some(block), _) => self.blocks[block] = place,
                (None, Some(id)) => self.loops[id] = place,
                (None, None) => unreachable!("an item is a block or a loop"),
            }
            for next in following.get(&item).into_iter().flatten() {
                if let Some(count) = before.get_mut(next) {
                    *count = count.saturating_sub(1);
                }
                if is_free(before, next) && !placed.contains(next) {
                    ready.push(Reverse(*next));
                }
            }
        }
    }

    /// The position of a block among the items of the loop around it.
    pub fn of_block(&self, block: BlockId) -> u32 {
        self.blocks.get(block).copied().unwrap_or(block.raw())
    }

    /// The position of a loop among the items of the loop around it.
    pub fn of_loop(&self, id: LoopId) -> u32 {
        self.loops[id]
    }
}

/// The blocks of the source to which a block leads, through detour blocks (`Block::is_inserted`).
fn successors_past_detours(function: &Function, from: BlockId) -> Vec<BlockId> {
    let mut places = Vec::new();
    let mut seen: FxHashSet<(BlockId, BlockId)> = FxHashSet::default();
    let mut todo: Vec<(BlockId, BlockId)> =
        function.blocks[from].terminator.successors().into_iter().map(|to| (from, to)).collect();
    while let Some((before, block)) = todo.pop() {
        if !seen.insert((before, block)) {
            continue;
        }
        if !function.blocks[block].is_inserted {
            places.push(block);
            continue;
        }
        match known_successor(function, before, block) {
            Some(to) => todo.push((block, to)),
            None => {
                let successors = function.blocks[block].terminator.successors();
                todo.extend(successors.into_iter().map(|to| (block, to)));
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// The successor of `block` for a thread that comes from `before`, if the phi of the `switch` in `block` is a constant
/// on that edge. In the head of a loop, every other value leads to the beginning of the loop. `None` if the successor
/// is not fixed.
fn known_successor(function: &Function, before: BlockId, block: BlockId) -> Option<BlockId> {
    let Terminator::Switch { value, cases, otherwise } = &function.blocks[block].terminator else {
        return None;
    };
    let Op::Phi(incoming) = &function.values[*value].op else { return None };
    let (_, set) = incoming.iter().find(|(from, _)| *from == before)?;
    match function.values[*set].op {
        Op::Constant(Constant::Integer(number)) => {
            let case = cases.iter().find(|(first, last, _)| (*first..=*last).contains(&number));
            Some(case.map_or(*otherwise, |&(_, _, to)| to))
        }
        _ => function.loops.iter().any(|it| it.head == block).then_some(*otherwise),
    }
}

/// The item that contains a block, directly in the loop `around` or in the function.
fn item_containing(function: &Function, around: Option<LoopId>, block: BlockId) -> Item {
    match function.loops_around(block).take_while(|&it| Some(it) != around).last() {
        Some(id) => Item { first: function.loops[id].first, block: None, of: Some(id) },
        None => Item { first: block, block: Some(block), of: None },
    }
}
