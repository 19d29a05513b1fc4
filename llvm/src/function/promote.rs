//! Makes values of private variables that are only loaded and stored as a whole.
//!
//! clang allocates private memory for each variable and parameter of a source at `-O0`. Without this step, the analysis
//! of uniformity would know less about them, and each access would take a step of an execution.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_ir::flow::verify::{Rule, verify};
use tangle_ir::flow::{Function, Op, SlotId, ValueId, Variable, VariableId, ssa};
use tangle_ir::types::Ty;
use tangle_ir::value::Conversion;

use crate::types::is_same_space;

/// The rules that a graph must satisfy to be changed. A graph that breaks one stays unchanged.
const NEEDED: [Rule; 4] = [Rule::Targets, Rule::Operands, Rule::Phis, Rule::Dominance];

/// Replaces loads and stores of slots by values.
pub(super) fn promote(function: &mut Function) {
    if function.slots.is_empty() || verify(function).iter().any(|it| NEEDED.contains(&it.rule)) {
        return;
    }
    let slots = addresses(function);
    let mut variables: FxHashMap<SlotId, VariableId> = FxHashMap::default();
    for (slot, is_simple) in simple(function, &slots).into_iter_enumerated() {
        let data = &function.slots[slot];
        // An aggregate has no value in the graph.
        if is_simple && (data.ty.lanes().is_some() || data.ty.as_pointer().is_some()) {
            let variable = Variable { name: data.name, ty: data.ty, span: data.span };
            variables.insert(slot, function.variables.push(variable));
        }
    }
    if variables.is_empty() {
        return;
    }
    let variable = |address: &ValueId| slots[*address].and_then(|slot| variables.get(&slot).copied());
    for value in &mut function.values {
        let op = match &value.op {
            Op::Load { address, .. } => variable(address).map(Op::Get),
            Op::Store { address, value, .. } => variable(address).map(|variable| Op::Set(variable, *value)),
            _ => None,
        };
        if let Some(op) = op {
            value.op = op;
        }
    }
    ssa::construct(function);
}

/// Returns the slot that each value is the address of, also in another address space.
fn addresses(function: &Function) -> IndexVec<ValueId, Option<SlotId>> {
    let mut slots = index_vec![None; function.values.len()];
    for (id, value) in function.values.iter_enumerated() {
        match value.op {
            Op::Slot(slot) => slots[id] = Some(slot),
            // The operand is an earlier value: the reader converts an address when it allocates the slot.
            Op::Convert { conversion: Conversion::Pointer, operand } => slots[id] = slots[operand],
            _ => {}
        }
    }
    slots
}

/// Returns the slots that are only loaded and stored as a whole.
fn simple(function: &Function, slots: &IndexVec<ValueId, Option<SlotId>>) -> IndexVec<SlotId, bool> {
    let mut simple = index_vec![true; function.slots.len()];
    let is_whole = |address: ValueId, ty: Ty| {
        slots[address].is_none_or(|slot| {
            let of = function.slots[slot].ty;
            of == ty || is_same_space(of, ty)
        })
    };
    for block in &function.blocks {
        let mut escapes = |value: ValueId| {
            if let Some(slot) = slots[value] {
                simple[slot] = false;
            }
        };
        for &id in &block.values {
            let value = &function.values[id];
            match &value.op {
                Op::Load { address, volatile: false, .. } if is_whole(*address, value.ty) => {}
                Op::Store { address, value, volatile: false, .. }
                    if is_whole(*address, function.values[*value].ty) =>
                {
                    escapes(*value)
                }
                Op::Convert { .. } if slots[id].is_some() => {}
                op => op.operands(|&operand| escapes(operand)),
            }
        }
        if let Some(operand) = block.terminator.operand() {
            escapes(operand);
        }
    }
    simple
}
