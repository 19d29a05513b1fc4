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
//! together are entered one after the other, from the outermost. A loop that is entered at several blocks stays as it is: that is irreducible.
//!
//! The label of a goto cycle may stand in a loop inside of it, past that one's beginning: `A: B: … goto A; … goto B`, entered at B. The
//! inner loop is entered anew in each iteration of the outer one, so the outer one gets a head of its own, before that of the inner one.
//!
//! It is done before SSA form, as [`dispatch`](super::dispatch) is.

use index_vec::{IndexVec, index_vec};
use smallvec::SmallVec;

use super::dispatch::{set, setting};
use super::{
    Block, BlockId, BlockKind, Function, LoopId, Op, SourceLoop, Terminator, Value, Variable, VariableId,
};
use crate::types::Ty;

/// Where threads enter a source loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entered {
    Nowhere,
    At(BlockId),
    AtSeveral,
}

/// Gives source loops that are entered only past their beginning a new head.
pub fn lead_through_heads(function: &mut Function) {
    if function.loops.is_empty() {
        return;
    }
    let entered = entries(function);
    // From the outside in: numbers are in that order.
    for id in function.loops.indices() {
        let Entered::At(target) = entered[id] else { continue };
        let SourceLoop { beginning, first, .. } = function.loops[id];
        let inside: SmallVec<[LoopId; 4]> =
            function.loops_around(beginning).take_while(|&it| it != id).collect();
        if target != beginning && target != first {
            lead_to(function, id, target);
        } else if !inside.is_empty() && inside.iter().all(|&it| entered[it] == Entered::At(beginning)) {
            lead_apart(function, id);
        }
    }
}

/// Where each source loop is entered.
fn entries(function: &Function) -> IndexVec<LoopId, Entered> {
    let mut entered = index_vec![Entered::Nowhere; function.loops.len()];
    for (from, block) in function.blocks.iter_enumerated() {
        for to in block.terminator.successors() {
            let common = function.loop_around_all(&[from, to]);
            for it in function.loops_around(to).take_while(|&it| Some(it) != common) {
                entered[it] = match entered[it] {
                    Entered::Nowhere => Entered::At(to),
                    Entered::At(known) if known == to => Entered::At(to),
                    _ => Entered::AtSeveral,
                };
            }
        }
    }
    entered
}

/// Whether an edge to the beginning of a source loop begins an iteration: it does not if it only runs on to a label.
fn begins_iteration(function: &Function, id: LoopId, from: BlockId) -> bool {
    let source_loop = &function.loops[id];
    match &source_loop.jumps {
        None => true,
        Some(_) => {
            let jump = function.blocks[from].jump.as_ref();
            jump.is_some_and(|jump| source_loop.is_jump_back(jump.at) && jump.to(source_loop.stmt).is_some())
        }
    }
}

/// A block of a source loop through which threads come to its beginning, and which leads nowhere yet.
fn new_head(function: &mut Function, id: LoopId) -> BlockId {
    let beginning = &function.blocks[function.loops[id].beginning];
    let block = Block::new(BlockKind::LoopHead, beginning.stmt, beginning.end);
    let head = function.blocks.push(Block { within: Some(id), detour: true, ..block });
    function.loops[id].head = head;
    head
}

/// Leads those who jump into a source loop, all of them to the target, through a new head.
fn lead_to(function: &mut Function, id: LoopId, target: BlockId) {
    let beginning = function.loops[id].beginning;
    let span = function.blocks[target].end;
    let is_inside = |function: &Function, block: BlockId| function.is_within(block, id);
    let before: Vec<BlockId> = leading_to(function, target).filter(|&it| !is_inside(function, it)).collect();
    let again: Vec<BlockId> = leading_to(function, beginning)
        .filter(|&it| is_inside(function, it) && begins_iteration(function, id, it))
        .collect();
    // A variable says whether the thread jumps into the loop, which it does not at first.
    let jumped: VariableId = function.variables.push(Variable { name: None, ty: Ty::INT, span });
    let nobody = set(function, (jumped, 0), span);
    function.blocks[Function::ENTRY].values.insert(0, nobody);

    let head = new_head(function, id);
    let inside = setting(function, (jumped, 0), head, target);
    let value = function.values.push(Value { op: Op::Get(jumped), ty: Ty::INT, name: None, span });
    function.blocks[head].values.push(value);
    function.blocks[head].terminator =
        Terminator::Switch { value, cases: vec![(1, 1, inside)], otherwise: beginning };
    for from in again {
        redirect(function, from, beginning, head);
    }
    for from in before {
        let way = setting(function, (jumped, 1), from, head);
        redirect(function, from, target, way);
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
