//! Edges, operands and SSA form.

use index_vec::{IndexVec, index_vec};

use super::{Context, Violations};
use crate::flow::{BlockId, Function, Op, ValueId};

pub(super) fn targets(function: &Function, found: &mut Violations) {
    if function.blocks.is_empty() {
        found.at(Function::ENTRY, None);
    }
    let is_lost = |target: BlockId| target.index() >= function.blocks.len() || target == Function::ENTRY;
    for (block, data) in function.blocks.iter_enumerated() {
        if data.terminator.successors().into_iter().any(is_lost) {
            found.at(block, None);
        }
    }
}

pub(super) fn operands(subject: &Context, found: &mut Violations) {
    let function = subject.function;
    let is_known = |value: ValueId| value.index() < function.values.len();
    let mut placed: IndexVec<ValueId, bool> = index_vec![false; function.values.len()];
    for (number, parameter) in function.parameters.iter().enumerate() {
        let op = function.values.get(parameter.value).map(|value| &value.op);
        if !matches!(op, Some(Op::Parameter(of)) if *of as usize == number) {
            found.at(Function::ENTRY, parameter.value);
        }
    }
    for (value, data) in function.values.iter_enumerated() {
        let fits = match data.op {
            Op::Parameter(number) => (number as usize) < function.parameters.len(),
            Op::Slot(slot) => slot.index() < function.slots.len(),
            _ => true,
        };
        if !fits {
            found.at(Function::ENTRY, value);
        }
    }
    for (id, block) in function.blocks.iter_enumerated() {
        for &value in &block.values {
            let Some(op) = function.values.get(value).map(|value| &value.op) else {
                found.at(id, value);
                continue;
            };
            let again = std::mem::replace(&mut placed[value], true);
            let mut fits = !again && !op.is_leaf();
            op.operands(|&operand| fits &= is_known(operand));
            if !fits {
                found.at(id, value);
            }
        }
        if !block.terminator.operand().is_none_or(is_known) {
            found.at(id, None);
        }
    }
}

pub(super) fn phis(subject: &Context, found: &mut Violations) {
    let function = subject.function;
    for (id, block) in function.blocks.iter_enumerated() {
        let mut predecessors = subject.shape.predecessors[id].clone();
        predecessors.sort_unstable();
        let mut first = true;
        for &value in &block.values {
            match function.values.get(value).map(|value| &value.op) {
                Some(Op::Phi(incoming)) => {
                    let mut blocks: Vec<BlockId> = incoming.iter().map(|&(block, _)| block).collect();
                    blocks.sort_unstable();
                    if !first || blocks != predecessors {
                        found.at(id, value);
                    }
                }
                _ => first = false,
            }
        }
    }
}

pub(super) fn ssa_form(subject: &Context, found: &mut Violations) {
    for (id, block) in subject.function.blocks.iter_enumerated() {
        for &value in &block.values {
            let op = subject.function.values.get(value).map(|value| &value.op);
            if matches!(op, Some(Op::Get(_) | Op::Set(..))) {
                found.at(id, value);
            }
        }
    }
}

pub(super) fn dominance(subject: &Context, found: &mut Violations) {
    let dominators = &subject.shape.dominators;
    for (block, value, op) in subject.operations() {
        if !dominators.is_reachable(block) {
            continue;
        }
        let place = subject.places[value].map_or(0, |(_, place)| place);
        let mut fine = true;
        match op {
            Op::Phi(incoming) => {
                for &(from, operand) in incoming {
                    fine &= reaches(subject, operand, from, usize::MAX);
                }
            }
            _ => op.operands(|&operand| fine &= reaches(subject, operand, block, place)),
        }
        if !fine {
            found.at(block, value);
        }
    }
    for (id, block) in subject.function.blocks.iter_enumerated() {
        let fine = block.terminator.operand().is_none_or(|operand| reaches(subject, operand, id, usize::MAX));
        if !fine && dominators.is_reachable(id) {
            found.at(id, None);
        }
    }
}

/// Returns whether a value is defined before an index in a block.
fn reaches(subject: &Context, value: ValueId, block: BlockId, place: usize) -> bool {
    match subject.places[value] {
        None => subject.function.values[value].op.is_leaf(),
        Some((definition, at)) if definition == block => at < place,
        Some((definition, _)) => subject.shape.dominators.dominates(definition, block),
    }
}
