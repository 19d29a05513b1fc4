//! Redirects jumps into a source loop through the head of the loop.
//!
//! **Head** of a source loop: the block through which threads reach the beginning of each iteration. If a loop is
//! entered only by a jump past its beginning, the target of the jump is the header of its cycle. A heart there would
//! count how often threads reach the target, not their iterations. The two counts differ as soon as an iteration
//! bypasses the target:
//!
//! ```c
//! switch (n) {
//!   while (a) {
//!     if (b) { case 0: op(); }     // the header is `case 0`; an iteration bypasses it if b is false
//!   }
//! }
//! ```
//!
//! In this case a new block becomes the head. It sends threads that took the jump to its target, and all other threads
//! to the beginning. If a jump enters several nested loops, the outermost is processed first.
//!
//! A loop that is entered at several blocks is irreducible. It stays unchanged, unless the caller requests a head. Then
//! the head sends each thread to the block at which the thread enters. The same applies to a loop whose range was
//! lengthened to before its beginning ([`loops`](super::loops)), if it is entered only at the first block of that
//! range. Unlike a [`dispatch`](super::dispatch) block, a head is passed exactly once in each iteration of the source.
//!
//! The label of a goto cycle may be in a loop inside the cycle, past the beginning of that loop: `A: B: … goto A; …
//! goto B`, entered at B. Each iteration of the outer loop enters the inner loop anew, so the outer loop gets a head of
//! its own, before the head of the inner loop.
//!
//! This pass runs before SSA form, as [`dispatch`](super::dispatch) does.

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::dispatch::{set, setting};
use super::{
    Block, BlockId, BlockKind, Function, LoopId, Op, SourceLoop, Terminator, Value, Variable, VariableId,
};
use crate::types::Ty;

/// The blocks at which threads enter a source loop, without repetition.
type Entries = SmallVec<[BlockId; 1]>;

/// Gives source loops that are entered past their beginning a new head. A loop that would be irreducible gets one only
/// if `is_wanted` requests it. Otherwise the loop is marked ([`SourceLoop::is_entered_past_head`]).
pub fn insert_loop_heads(function: &mut Function, is_wanted: &dyn Fn(LoopId) -> bool) {
    if function.loops.is_empty() {
        return;
    }
    let entered = entries(function);
    // Loops are numbered from the outside in.
    for id in function.loops.indices() {
        let targets = &entered[id];
        let SourceLoop { beginning, first, .. } = function.loops[id];
        let inside: SmallVec<[LoopId; 4]> =
            function.loops_around(beginning).take_while(|&it| it != id).collect();
        let is_simple = matches!(targets[..], [target] if target != first);
        if targets.is_empty() {
        } else if targets[..] != [beginning] {
            match is_simple || is_wanted(id) {
                true => insert_head_with_switch(function, id, targets),
                false => function.loops[id].is_entered_past_head = true,
            }
        } else if !inside.is_empty() {
            match inside.iter().all(|&it| entered[it][..] == [beginning]) || is_wanted(id) {
                true => insert_outer_head(function, id),
                false => function.loops[id].is_entered_past_head = true,
            }
        }
    }
}

/// Returns the blocks at which each source loop is entered.
fn entries(function: &Function) -> IndexVec<LoopId, Entries> {
    let mut entered = index_vec![Entries::new(); function.loops.len()];
    for (from, block) in function.blocks.iter_enumerated() {
        for to in block.terminator.successors() {
            let common = function.loop_around_all(&[from, to]);
            for it in function.loops_around(to).take_while(|&it| Some(it) != common) {
                if !entered[it].contains(&to) {
                    entered[it].push(to);
                }
            }
        }
    }
    for id in function.loops.indices() {
        if !entered[id].is_empty() && entered[id][..] != [function.loops[id].beginning] {
            let coming = blocks_reaching_beginning(function, id);
            entered[id].retain(|target| coming.contains(target));
        }
    }
    entered
}

/// Returns the blocks of a source loop that reach its beginning on a path inside the loop. Threads that enter the loop
/// at another block are in no iteration.
fn blocks_reaching_beginning(function: &Function, id: LoopId) -> FxHashSet<BlockId> {
    let mut before: FxHashMap<BlockId, Vec<BlockId>> = FxHashMap::default();
    for (from, block) in function.blocks.iter_enumerated().filter(|&(from, _)| function.is_within(from, id)) {
        block.terminator.successors().into_iter().for_each(|to| before.entry(to).or_default().push(from));
    }
    let mut coming = FxHashSet::default();
    let mut todo = vec![function.loops[id].beginning];
    while let Some(block) = todo.pop() {
        if coming.insert(block) {
            todo.extend(before.get(&block).into_iter().flatten());
        }
    }
    coming
}

/// Returns whether an edge to the beginning of a source loop begins an iteration. In a goto cycle, only a jump back
/// does: falling through to the label does not.
fn begins_iteration(function: &Function, id: LoopId, from: BlockId) -> bool {
    let source_loop = &function.loops[id];
    match &source_loop.jumps {
        None => true,
        Some(_) => {
            let jump = function.blocks[from].jump.as_ref();
            jump.is_some_and(|jump| source_loop.is_jump_back(jump.at, source_loop.stmt))
        }
    }
}

/// Adds a block to a source loop as its new head, through which threads will reach its beginning. The block has no
/// terminator yet.
fn new_head(function: &mut Function, id: LoopId) -> BlockId {
    let beginning = &function.blocks[function.loops[id].beginning];
    let span = beginning.values.first().map_or(beginning.end, |&value| function.values[value].span);
    let block = Block::new(BlockKind::LoopHead, beginning.stmt, span);
    let head = function.blocks.push(Block { source_loop: Some(id), is_inserted: true, ..block });
    function.loops[id].head = head;
    head
}

/// Redirects threads that enter a source loop at the blocks `targets` through a new head.
fn insert_head_with_switch(function: &mut Function, id: LoopId, targets: &[BlockId]) {
    let beginning = function.loops[id].beginning;
    let span = function.blocks[beginning].end;
    let leading = |function: &Function, target: BlockId, inside: bool| -> Vec<BlockId> {
        predecessors_of(function, target).filter(|&it| function.is_within(it, id) == inside).collect()
    };
    let again: Vec<BlockId> = leading(function, beginning, true)
        .into_iter()
        .filter(|&it| begins_iteration(function, id, it))
        .collect();
    let past: SmallVec<[BlockId; 4]> = targets.iter().copied().filter(|&it| it != beginning).collect();
    let before: Vec<Vec<BlockId>> = past.iter().map(|&target| leading(function, target, false)).collect();
    let at_beginning = leading(function, beginning, false);
    // A variable holds the number of the block past the beginning at which the thread enters the loop. 0 is none, the
    // initial value.
    let entry: VariableId = function.variables.push(Variable { name: None, ty: Ty::INT, span });
    let nowhere = set(function, (entry, 0), span);
    function.blocks[Function::ENTRY].values.insert(0, nowhere);

    let head = new_head(function, id);
    let numbered = || (1..).zip(&past);
    let cases = numbered()
        .map(|(number, &target)| (number, number, setting(function, (entry, 0), head, target)))
        .collect();
    let value = function.values.push(Value { op: Op::Get(entry), ty: Ty::INT, name: None, span });
    function.blocks[head].values.push(value);
    function.blocks[head].terminator = Terminator::Switch { value, cases, otherwise: beginning };
    for from in again.into_iter().chain(at_beginning) {
        redirect(function, from, beginning, head);
    }
    for ((number, &target), before) in numbered().zip(before) {
        for from in before {
            let way = setting(function, (entry, number), from, head);
            redirect(function, from, target, way);
        }
    }
}

/// Gives a goto cycle whose label is in a loop inside the cycle a head outside that loop.
fn insert_outer_head(function: &mut Function, id: LoopId) {
    let beginning = function.loops[id].beginning;
    let comes = |function: &Function, from: BlockId| {
        !function.is_within(from, id) || begins_iteration(function, id, from)
    };
    let before: Vec<BlockId> =
        predecessors_of(function, beginning).filter(|&it| comes(function, it)).collect();
    let head = new_head(function, id);
    function.blocks[head].terminator = Terminator::Jump(beginning);
    for from in before {
        redirect(function, from, beginning, head);
    }
}

/// Returns the predecessors of a block, without repetition.
fn predecessors_of(function: &Function, target: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    let blocks = function.blocks.iter_enumerated();
    blocks.filter(move |(_, block)| block.terminator.successors().contains(&target)).map(|(id, _)| id)
}

fn redirect(function: &mut Function, from: BlockId, old: BlockId, new: BlockId) {
    function.blocks[from].terminator.redirect(|to| {
        if *to == old {
            *to = new;
        }
    });
}
