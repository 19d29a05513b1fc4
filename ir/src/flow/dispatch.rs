//! Makes irreducible cycles reducible: all entries of a cycle lead through one new block.
//!
//! **Dispatch block**: a block that jumps to one of a cycle's entries by the value of a **selector**, a variable that
//! is set on every edge to an entry. The dispatch block becomes the cycle's only entry, and thus its header.
//!
//! ```text
//! entry -> a, b   a -> b   b -> a, end
//! entry -> d      d -> a, b   a -> d   b -> d, end
//! ```
//!
//! This pass runs before SSA form, while variables are read and written in place. At that point a value is used in
//! other blocks only inside one expression, and no label is inside an expression. Without its dispatch block a cycle
//! may still contain irreducible cycles. So the pass runs in rounds until all are gone; each round processes the
//! outermost irreducible cycles.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_base::Span;

use super::cycles::{CycleId, Cycles};
use super::{Block, BlockId, BlockKind, Function, Op, Terminator, Value, ValueId, Variable, VariableId};
use crate::types::Ty;
use crate::value::Constant;

/// The maximum number of rounds, larger than the nesting depth of any real source.
const MAX_ROUNDS: usize = 1000;

/// Makes every cycle of a function reducible. All blocks must be reachable, and the function must not be in SSA form.
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
            insert_dispatch_block(function, &cycles.cycles[id].entries, &predecessors);
        }
    }
}

fn inside_irreducible(cycles: &Cycles, id: CycleId) -> bool {
    let parents = std::iter::successors(cycles.cycles[id].parent, |&cycle| cycles.cycles[cycle].parent);
    parents.into_iter().any(|cycle| !cycles.cycles[cycle].is_reducible())
}

/// Redirects every edge to one of the entries through a new block.
fn insert_dispatch_block(
    function: &mut Function,
    entries: &[BlockId],
    predecessors: &IndexVec<BlockId, Vec<BlockId>>,
) {
    let span = function.blocks[entries[0]].end;
    let stmt = function.blocks[entries[0]].stmt;
    let selector = function.variables.push(Variable { name: None, ty: Ty::INT, span });
    let value = function.values.push(Value { op: Op::Get(selector), ty: Ty::INT, name: None, span });
    // The last entry is the target for all other numbers.
    let (otherwise, cases) = entries.split_last().expect("an irreducible cycle has entries");
    let cases = cases.iter().enumerate().map(|(number, &entry)| (number as i128, number as i128, entry));
    let terminator = Terminator::Switch { value, cases: cases.collect(), otherwise: *otherwise };
    let dispatch = function.blocks.push(Block {
        values: vec![value],
        terminator,
        source_loop: function.loop_around_all(entries),
        is_inserted: true,
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

/// Creates the operation that sets a variable to a number. It is in no block yet.
pub(super) fn set(function: &mut Function, (variable, number): (VariableId, i128), span: Span) -> ValueId {
    let constant = Op::Constant(Constant::Integer(number));
    let constant = function.values.push(Value { op: constant, ty: Ty::INT, name: None, span });
    function.values.push(Value { op: Op::Set(variable, constant), ty: Ty::VOID, name: None, span })
}

/// Creates a block for an edge between two blocks. It sets a variable to a number and jumps to `to`.
pub(super) fn setting(
    function: &mut Function,
    variable: (VariableId, i128),
    from: BlockId,
    to: BlockId,
) -> BlockId {
    let Block { stmt, end, source_loop: within, .. } = function.blocks[from];
    let values = vec![set(function, variable, end)];
    let terminator = Terminator::Jump(to);
    let block = Block::new(BlockKind::ToDispatch, stmt, end);
    function.blocks.push(Block { values, terminator, source_loop: within, is_inserted: true, ..block })
}
