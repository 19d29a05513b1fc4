//! Leads threads that jump into a loop through its head first.
//!
//! **Head** of a source loop: the block with which each of its iterations begins: the condition of a `while` or `for`, the body of a `do`, the label of
//! a goto cycle. A loop that is entered only by a jump past its head has a cycle whose header is the jump's target, and a heart there would count
//! how often threads come to the target, not their iterations. The two differ as soon as an iteration may pass by the target:
//!
//! ```c
//! switch (n) {
//!   while (a) {
//!     if (b) { case 0: op(); }     // the header is `case 0`; an iteration in which b is false passes by it
//!   }
//! }
//! ```
//!
//! Then a new block becomes the head: it leads to the target who comes by the jump, and to the old head everyone else. Loops that a
//! jump enters together are entered one after the other, from the outermost. A loop of which every iteration comes to the target stays as it is, and so
//! does a loop that is also entered at its head: that is irreducible.
//!
//! It is done before SSA form, as [`dispatch`](super::dispatch) is.

use rustc_hash::FxHashMap;

use super::cycles::{CycleId, Cycles};
use super::dispatch::{set, setting};
use super::ssa::remove_unreachable;
use super::{Begins, Block, BlockId, BlockKind, Function, Jump, Op, Terminator, Value, Variable, VariableId};
use crate::nest::{Nest, StmtId};
use crate::types::Ty;

/// The source loops of a function and their heads. Of a loop that is not there as blocks there is no head.
pub(super) struct Heads<'a> {
    nest: &'a Nest,
    of: FxHashMap<StmtId, BlockId>,
    /// The jumps back to each label that has a goto cycle.
    again: FxHashMap<StmtId, Again>,
    /// Labels with which the iterations of more than one loop begin: jumps lead back to them from behind a loop statement around them, or from inside and
    /// from outside of a statement around them. No block is the head of the outer one.
    shared: Vec<(StmtId, BlockId)>,
}

/// The jumps that lead back to a label.
#[derive(Clone, Copy)]
struct Again {
    /// The last one.
    last: StmtId,
    /// The smallest statement that holds the label and a jump, if it is the same for all of them.
    scope: Option<StmtId>,
}

/// The jumps back to labels, as far as threads come to them.
fn jumps_back(function: &Function, nest: &Nest) -> FxHashMap<StmtId, Again> {
    let mut again: FxHashMap<StmtId, Again> = FxHashMap::default();
    for Jump { at, labels } in function.blocks.iter().filter_map(|block| block.jump.as_ref()) {
        for &label in labels.iter().filter(|label| *label < at) {
            let scope = nest.around_both(label, *at);
            let known = again.entry(label).or_insert(Again { last: *at, scope });
            known.last = known.last.max(*at);
            known.scope = known.scope.filter(|_| known.scope == scope);
        }
    }
    again
}

impl<'a> Heads<'a> {
    pub fn of(function: &Function, nest: &'a Nest) -> Heads<'a> {
        let again = jumps_back(function, nest);
        let mut heads = Heads { nest, of: FxHashMap::default(), again, shared: Vec::new() };
        for (id, block) in function.blocks.iter_enumerated() {
            let source_loop = match block.kind.begins() {
                Some(Begins::Statement) => Some(block.stmt),
                Some(Begins::Around) => nest.stmts.get(block.stmt).and_then(|stmt| stmt.parent),
                None => None,
            };
            let Some((source_loop, data)) = source_loop.and_then(|it| Some((it, nest.stmts.get(it)?))) else {
                continue;
            };
            match heads.again.get(&source_loop) {
                Some(again)
                    if again.scope.is_none() || nest.loop_without(source_loop, again.last).is_some() =>
                {
                    heads.shared.push((source_loop, id));
                }
                Some(_) => _ = heads.of.insert(source_loop, id),
                None if data.iterates.is_some() => _ = heads.of.insert(source_loop, id),
                None => {}
            }
        }
        heads
    }

    pub fn iter(&self) -> impl Iterator<Item = (StmtId, BlockId)> {
        self.of.iter().map(|(&source_loop, &head)| (source_loop, head))
    }

    /// Where a source loop begins: a goto cycle with the loops around its label into which jumps lead back from behind them.
    pub fn beginning(&self, source_loop: StmtId) -> StmtId {
        let last = self.last_jump(source_loop);
        last.and_then(|last| self.nest.loop_without(source_loop, last)).unwrap_or(source_loop)
    }

    /// The last jump back to a label with a goto cycle.
    pub fn last_jump(&self, label: StmtId) -> Option<StmtId> {
        self.again.get(&label).map(|again| again.last)
    }

    /// Whether a block begins in a source loop.
    fn holds(&self, source_loop: StmtId, block: &Block) -> bool {
        match (self.last_jump(source_loop), block.behind) {
            (Some(last), None) => source_loop <= block.stmt && block.stmt <= last,
            // Behind all that the statement holds.
            (Some(last), Some(behind)) => {
                let end = self.nest.stmts[behind].end;
                source_loop < end && end <= last
            }
            (None, _) => self.nest.contains(source_loop, block.stmt),
        }
    }

    /// The source loops that threads enter by a jump if they enter the cycle, from the outermost: the header stands in them, and their heads are in
    /// the cycle, but none is the header.
    fn entered_by_jump(&self, function: &Function, cycles: &Cycles, cycle: CycleId) -> Vec<StmtId> {
        let header = cycles.cycles[cycle].header;
        let is_entered = |&(source_loop, head): &(StmtId, BlockId)| {
            head != header
                && cycles.contains(cycle, head)
                && self.holds(source_loop, &function.blocks[header])
        };
        let mut entered: Vec<StmtId> = self.iter().filter(is_entered).map(|(it, _)| it).collect();
        entered.sort_unstable();
        entered
    }

    /// The source loop each iteration of which comes to the header of a cycle once, though the header is not its head. None: there is none, or
    /// not one alone.
    pub fn iterated_by(&self, function: &Function, cycles: &Cycles, cycle: CycleId) -> Option<StmtId> {
        let data = &cycles.cycles[cycle];
        let is_head = self.of.values().any(|&head| head == data.header);
        match self.entered_by_jump(function, cycles, cycle)[..] {
            [only] if data.is_reducible() && !is_head => {
                (cycles.innermost(self.of[&only]) == Some(cycle)).then_some(only)
            }
            [] if data.is_reducible() && !is_head => {
                let header = &function.blocks[data.header];
                let is_around = |&&(label, block): &&(StmtId, BlockId)| {
                    cycles.contains(cycle, block) && self.holds(label, header)
                };
                self.shared.iter().find(is_around).map(|&(label, _)| label)
            }
            _ => None,
        }
    }
}

/// More than any source has. Loops beyond them keep the header that they have.
const MAX_ROUNDS: usize = 100;

/// Gives loops that are entered only by a jump their head as header. The function is not in SSA form yet.
pub fn lead_through_heads(function: &mut Function, nest: &Nest) {
    if !may_be_entered_by_jump(function, nest) {
        return;
    }
    remove_unreachable(function);
    // Each round gives at least one source loop its head as header, for good.
    for _ in 0..MAX_ROUNDS {
        let predecessors = function.predecessors();
        let cycles = Cycles::of(function, &predecessors);
        let heads = Heads::of(function, nest);
        let found =
            cycles.cycles.indices().filter(|&it| cycles.cycles[it].is_reducible()).find_map(|cycle| {
                let loops = heads.entered_by_jump(function, &cycles, cycle);
                let stays = loops.is_empty() || heads.iterated_by(function, &cycles, cycle).is_some();
                (!stays).then_some((cycle, loops))
            });
        let Some((cycle, loops)) = found else { return };
        let target = cycles.cycles[cycle].header;
        let before: Vec<BlockId> =
            predecessors[target].iter().copied().filter(|&it| !cycles.contains(cycle, it)).collect();
        let heads: Vec<BlockId> = loops.iter().map(|source_loop| heads.of[source_loop]).collect();
        // The way from a head to the target may lead through one of another round: each has a variable of its own.
        let jumped = nobody_jumped(function);
        redirect(function, &heads, target, &before, jumped);
    }
}

/// Whether some label may be jumped to from outside of a loop around it: of most functions this is all that is asked.
fn may_be_entered_by_jump(function: &Function, nest: &Nest) -> bool {
    if !jumps_back(function, nest).is_empty() {
        return true;
    }
    let is_target =
        |kind| matches!(kind, BlockKind::Label | BlockKind::SwitchCase | BlockKind::SwitchDefault);
    let targets = function.blocks.iter_enumerated().filter(|(_, block)| is_target(block.kind));
    let mut loops: FxHashMap<BlockId, StmtId> = FxHashMap::default();
    for (id, block) in targets {
        let parent = |stmt: &StmtId| nest.stmts.get(*stmt).and_then(|stmt| stmt.parent);
        let mut around = std::iter::successors(Some(block.stmt), parent);
        if let Some(source_loop) =
            around.find(|&stmt| nest.stmts.get(stmt).is_some_and(|stmt| stmt.iterates.is_some()))
        {
            loops.insert(id, source_loop);
        }
    }
    let leaves = |block: &Block| {
        let targets = block.terminator.successors();
        targets.iter().any(|to| loops.get(to).is_some_and(|&it| !nest.contains(it, block.stmt)))
    };
    !loops.is_empty() && function.blocks.iter().any(leaves)
}

/// A variable that says whether the thread jumps into a loop, which it does not at first.
fn nobody_jumped(function: &mut Function) -> VariableId {
    let span = function.span;
    let jumped = function.variables.push(Variable { name: None, ty: Ty::INT, span });
    let value = set(function, (jumped, 0), span);
    function.blocks[Function::ENTRY].values.insert(0, value);
    jumped
}

/// Leads those who come to the target from these blocks through new heads of the loops.
fn redirect(
    function: &mut Function,
    heads: &[BlockId],
    target: BlockId,
    before: &[BlockId],
    jumped: VariableId,
) {
    let mut next = setting(function, (jumped, 0), target, target);
    for &head in heads.iter().rev() {
        let Block { kind, label, stmt, end, .. } = function.blocks[head];
        let value = function.values.push(Value { op: Op::Get(jumped), ty: Ty::INT, name: None, span: end });
        let terminator = Terminator::Switch { value, cases: vec![(1, 1, next)], otherwise: head };
        let new = function.blocks.push(Block {
            values: vec![value],
            terminator,
            label,
            ..Block::new(kind, stmt, end)
        });
        (function.blocks[head].kind, function.blocks[head].label) = (BlockKind::Plain, None);
        for block in function.blocks.indices().filter(|&block| block != new) {
            function.blocks[block].terminator.redirect(|to| {
                if *to == head {
                    *to = new;
                }
            });
        }
        next = new;
    }
    for &from in before {
        let way = setting(function, (jumped, 1), from, next);
        function.blocks[from].terminator.redirect(|to| {
            if *to == target {
                *to = way;
            }
        });
    }
}
