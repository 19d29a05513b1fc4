//! Makes irreducible cycles reducible: one block through which all entries lead.
//!
//! **Dispatch block**: it jumps to one of a cycle's entries by the value of a **selector**, which every edge to an entry sets. Then it
//! is the cycle's only entry, and its header.
//!
//! ```text
//! entry -> a, b   a -> b   b -> a, end
//! entry -> d      d -> a, b   a -> d   b -> d, end
//! ```
//!
//! It is done before SSA form, while variables are read and written in place: no value reaches from one block to another there but inside
//! one expression, which no label divides. Without the dispatch block a cycle may still hold irreducible ones, so rounds go on until
//! none is left; each round takes the outermost.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_base::Span;

use super::cycles::{CycleId, Cycles};
use super::{Block, BlockId, BlockKind, Function, Op, Terminator, Value, ValueId, Variable, VariableId};
use crate::types::Ty;
use crate::value::Constant;

/// More rounds than any source nests.
const MAX_ROUNDS: usize = 1000;

/// Makes every cycle of a function reducible. All of its blocks are reachable, and it is not in SSA form yet.
pub fn dispatch(function: &mut Function) {
    for _ in 0..MAX_ROUNDS {
        let predecessors = function.predecessors();
        let cycles = Cycles::of(function, &predecessors);
        let outermost: Vec<CycleId> = cycles
            .cycles
            .iter_enumerated()
            .filter(|(id, cycle)| !cycle.is_reducible() && !inside_irreducible(&cycles, *id))
            .map(|(id, _)| id)
            .collect();
        if outermost.is_empty() {
            return;
        }
        for id in outermost {
            redirect(function, &cycles.cycles[id].entries, &predecessors);
        }
    }
}

fn inside_irreducible(cycles: &Cycles, id: CycleId) -> bool {
    let parents = std::iter::successors(cycles.cycles[id].parent, |&cycle| cycles.cycles[cycle].parent);
    parents.into_iter().any(|cycle| !cycles.cycles[cycle].is_reducible())
}

/// Leads every edge to one of the entries through a new block.
fn redirect(function: &mut Function, entries: &[BlockId], predecessors: &IndexVec<BlockId, Vec<BlockId>>) {
    let span = function.blocks[entries[0]].end;
    let stmt = function.blocks[entries[0]].stmt;
    let selector = function.variables.push(Variable { name: None, ty: Ty::INT, span });
    let value = function.values.push(Value { op: Op::Get(selector), ty: Ty::INT, name: None, span });
    // The last entry is where every other number leads.
    let (otherwise, cases) = entries.split_last().expect("an irreducible cycle has entries");
    let cases = cases.iter().enumerate().map(|(number, &entry)| (number as i128, number as i128, entry));
    let terminator = Terminator::Switch { value, cases: cases.collect(), otherwise: *otherwise };
    let dispatch = function.blocks.push(Block {
        values: vec![value],
        terminator,
        within: function.loop_around_all(entries),
        detour: true,
        ..Block::new(BlockKind::Dispatch, stmt, span)
    });
    for (number, &entry) in entries.iter().enumerate() {
        let mut through: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        for &before in &predecessors[entry] {
            through
                .entry(before)
                .or_insert_with(|| setting(function, (selector, number as i128), before, dispatch));
        }
        for (before, to) in through {
            function.blocks[before].terminator.redirect(|target| {
                if *target == entry {
                    *target = to;
                }
            });
        }
    }
}

/// The operation that sets a variable to a number; it stands nowhere yet.
pub(super) fn set(function: &mut Function, (variable, number): (VariableId, i128), span: Span) -> ValueId {
    let constant = Op::Constant(Constant::Integer(number));
    let constant = function.values.push(Value { op: constant, ty: Ty::INT, name: None, span });
    function.values.push(Value { op: Op::Set(variable, constant), ty: Ty::VOID, name: None, span })
}

/// A block on the way from one block to another that sets a variable to a number.
pub(super) fn setting(
    function: &mut Function,
    variable: (VariableId, i128),
    from: BlockId,
    to: BlockId,
) -> BlockId {
    let Block { stmt, end, within, .. } = function.blocks[from];
    let values = vec![set(function, variable, end)];
    let terminator = Terminator::Jump(to);
    let block = Block::new(BlockKind::ToDispatch, stmt, end);
    function.blocks.push(Block { values, terminator, within, detour: true, ..block })
}
