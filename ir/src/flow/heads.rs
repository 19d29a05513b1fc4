//! Leads threads that jump into a loop of the source through its head first.
//!
//! **Head** of a source loop: the block through which threads come to the beginning of each iteration. A loop that is entered only by a jump past
//! its beginning has a cycle whose header is the jump's target, and a heart there would count how often threads come to the target, not their
//! iterations. The two differ as soon as an iteration may pass by the target:
//!
//! ```c
//! switch (n) {
//!   while (a) {
//!     if (b) { case 0: op(); }     // the header is `case 0`; an iteration in which b is false passes by it
//!   }
//! }
//! ```
//!
//! Then a new block becomes the head: it leads to the target who comes by the jump, and to the beginning everyone else. Loops that a jump enters
//! together are entered one after the other, from the outermost.
//!
//! A loop that is entered at several blocks is irreducible. It stays unchanged, unless it is asked for: then its head leads each thread to where it
//! comes in. So does the head of a loop that is entered at one block which is not its beginning, because another one inside is lengthened to there.
//! Unlike a [`dispatch`](super::dispatch) block, such a head is passed once in each iteration of the source, and at no other time.
//!
//! The label of a goto cycle may stand in a loop inside of it, past that one's beginning: `A: B: … goto A; … goto B`, entered at B. The
//! inner loop is entered anew in each iteration of the outer one, so the outer one gets a head of its own, before that of the inner one.
//!
//! It is done before SSA form, as [`dispatch`](super::dispatch) is.

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::dispatch::{set, setting};
use super::{
    Block, BlockId, BlockKind, Function, LoopId, Op, SourceLoop, Terminator, Value, Variable, VariableId,
};
use crate::types::Ty;

/// The blocks at which threads enter a source loop, each once.
type Entries = SmallVec<[BlockId; 1]>;

/// Gives source loops that are entered past their beginning a new head, if they are entered at one block or `is_wanted` asks for them.
/// The rest is marked ([`SourceLoop::is_entered_past_head`]).
pub fn lead_through_heads(function: &mut Function, is_wanted: &dyn Fn(LoopId) -> bool) {
    if function.loops.is_empty() {
        return;
    }
    let entered = entries(function);
    // From the outside in: numbers are in that order.
    for id in function.loops.indices() {
        let targets = &entered[id];
        let SourceLoop { beginning, first, .. } = function.loops[id];
        let inside: SmallVec<[LoopId; 4]> =
            function.loops_around(beginning).take_while(|&it| it != id).collect();
        let is_simple = matches!(targets[..], [target] if target != first);
        if targets.is_empty() {
        } else if targets[..] != [beginning] {
            match is_simple || is_wanted(id) {
                true => lead_to(function, id, targets),
                false => function.loops[id].is_entered_past_head = true,
            }
        } else if !inside.is_empty() {
            match inside.iter().all(|&it| entered[it][..] == [beginning]) || is_wanted(id) {
                true => lead_apart(function, id),
                false => function.loops[id].is_entered_past_head = true,
            }
        }
    }
}

/// Where each source loop is entered.
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
            let coming = coming_to_beginning(function, id);
            entered[id].retain(|target| coming.contains(target));
        }
    }
    entered
}

/// The blocks of a source loop from which threads come to its beginning without leaving it. Who comes in elsewhere is in no iteration of it.
fn coming_to_beginning(function: &Function, id: LoopId) -> FxHashSet<BlockId> {
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

/// Whether an edge to the beginning of a source loop begins an iteration: it does not if it only runs on to a label.
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

/// A block of a source loop through which threads come to its beginning, and which leads nowhere yet.
fn new_head(function: &mut Function, id: LoopId) -> BlockId {
    let beginning = &function.blocks[function.loops[id].beginning];
    let span = beginning.values.first().map_or(beginning.end, |&value| function.values[value].span);
    let block = Block::new(BlockKind::LoopHead, beginning.stmt, span);
    let head = function.blocks.push(Block { within: Some(id), detour: true, ..block });
    function.loops[id].head = head;
    head
}

/// Leads threads that enter a source loop at some blocks through a new head.
fn lead_to(function: &mut Function, id: LoopId, targets: &[BlockId]) {
    let beginning = function.loops[id].beginning;
    let span = function.blocks[beginning].end;
    let leading = |function: &Function, target: BlockId, inside: bool| -> Vec<BlockId> {
        leading_to(function, target).filter(|&it| function.is_within(it, id) == inside).collect()
    };
    let again: Vec<BlockId> = leading(function, beginning, true)
        .into_iter()
        .filter(|&it| begins_iteration(function, id, it))
        .collect();
    let past: SmallVec<[BlockId; 4]> = targets.iter().copied().filter(|&it| it != beginning).collect();
    let before: Vec<Vec<BlockId>> = past.iter().map(|&target| leading(function, target, false)).collect();
    let at_beginning = leading(function, beginning, false);
    // A variable says where past its beginning the thread enters the loop: nowhere, at first.
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

/// Gives a goto cycle whose label stands in a loop inside of it a head outside of that loop.
fn lead_apart(function: &mut Function, id: LoopId) {
    let beginning = function.loops[id].beginning;
    let comes = |function: &Function, from: BlockId| {
        !function.is_within(from, id) || begins_iteration(function, id, from)
    };
    let before: Vec<BlockId> = leading_to(function, beginning).filter(|&it| comes(function, it)).collect();
    let head = new_head(function, id);
    function.blocks[head].terminator = Terminator::Jump(beginning);
    for from in before {
        redirect(function, from, beginning, head);
    }
}

/// The blocks that lead to a block, each once.
fn leading_to(function: &Function, target: BlockId) -> impl Iterator<Item = BlockId> + '_ {
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
