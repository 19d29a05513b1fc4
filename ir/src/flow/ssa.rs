//! Converts variables to values: SSA form by dominance frontiers.
//!
//! **Live**: a variable is live at the beginning of a block if a path from there reaches a read before any write.
//! **Frontier** of a block: the blocks that it reaches but does not strictly dominate, with a predecessor that it
//! dominates.
//!
//! ```c
//! int f(int n) { int x; if (n) x = 1; else x = 2; return x; }
//! // if.end: %x = phi int [if.then: 1], [if.else: 2]
//! ```
//!
//! Unreachable blocks are removed first. Then each variable gets a phi in the iterated frontier of the blocks that
//! write it, where it is live. One walk over the dominator tree replaces each read with the last written value.
//! Finally, phis with a single distinct operand and unused values are removed. No step recurses: 100,000 blocks in a
//! row are a normal input.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_base::Span;

use super::dominators::Dominators;
use super::shape::GraphAnalysis;
use super::{BlockId, Function, Op, Terminator, Unknown, Value, ValueId, VariableId};
use crate::types::Ty;
use crate::value::Constant;

/// Converts variables to values. Afterwards the function has no variables, no unreachable blocks and no unused values.
/// Returns its shape.
pub fn construct(function: &mut Function) -> GraphAnalysis {
    remove_unreachable(function);
    let shape = GraphAnalysis::of(function);
    let phis = place_phis(function, &shape);
    rename(function, &phis, &shape.dominators);
    function.variables.clear();
    remove_trivial_phis(function);
    remove_unused(function);
    shape
}

/// Removes the blocks that the entry does not reach, and the operands of phis for edges from these blocks.
pub fn remove_unreachable(function: &mut Function) {
    let mut reached: IndexVec<BlockId, bool> = index_vec![false; function.blocks.len()];
    let mut todo = vec![Function::ENTRY];
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            todo.extend(function.blocks[block].terminator.successors());
        }
    }
    if reached.iter().all(|&reached| reached) {
        return;
    }
    let mut next = BlockId::new(0);
    let numbers: IndexVec<BlockId, Option<BlockId>> = reached
        .iter()
        .map(|&reached| {
            let number = reached.then_some(next);
            next += usize::from(reached);
            number
        })
        .collect();
    // A removed block of a source loop is replaced by the next block that is kept.
    let at_or_after = |block: BlockId| numbers[block..].iter().flatten().next().copied().unwrap_or(next);
    for it in &mut function.loops {
        let jumps = it.jumps.iter_mut().map(|jumps| &mut jumps.block);
        for block in [&mut it.first, &mut it.beginning, &mut it.head].into_iter().chain(jumps) {
            *block = at_or_after(*block);
        }
    }
    for it in &mut function.non_cyclic_back_jumps {
        (it.first, it.last) = (at_or_after(it.first), at_or_after(it.last));
    }
    let blocks = std::mem::take(&mut function.blocks).into_iter_enumerated();
    function.blocks = blocks.filter(|(id, _)| reached[*id]).map(|(_, block)| block).collect();
    for block in &mut function.blocks {
        block.terminator.redirect(|target| *target = numbers[*target].expect("successors are reached"));
        for &value in &block.values {
            if let Op::Phi(incoming) = &mut function.values[value].op {
                incoming.retain_mut(|(from, _)| match numbers[*from] {
                    Some(number) => {
                        *from = number;
                        true
                    }
                    None => false,
                });
            }
        }
    }
}

/// The variables that need a phi in each block, with the phi. The phis are already in the blocks, without operands.
type Phis = IndexVec<BlockId, Vec<(VariableId, ValueId)>>;

/// The blocks that read or write one variable.
#[derive(Clone, Default)]
struct VariableBlocks {
    /// The blocks that read it before they write it.
    reads: Vec<BlockId>,
    writes: Vec<BlockId>,
}

fn place_phis(function: &mut Function, shape: &GraphAnalysis) -> Phis {
    let mut accesses: IndexVec<VariableId, VariableBlocks> =
        index_vec![VariableBlocks::default(); function.variables.len()];
    for (id, block) in function.blocks.iter_enumerated() {
        for &value in &block.values {
            match function.values[value].op {
                Op::Get(variable) => {
                    let VariableBlocks { reads, writes } = &mut accesses[variable];
                    if writes.last() != Some(&id) && reads.last() != Some(&id) {
                        reads.push(id);
                    }
                }
                Op::Set(variable, _) => {
                    let writes = &mut accesses[variable].writes;
                    if writes.last() != Some(&id) {
                        writes.push(id);
                    }
                }
                _ => {}
            }
        }
    }

    let predecessors = &shape.predecessors;
    let frontiers = shape.dominators.frontiers(predecessors);
    let mut phis: Phis = function.blocks.iter().map(|_| Vec::new()).collect();
    // Each entry is the variable for which the block was last visited, so no table is cleared between variables.
    let none = VariableId::new(function.variables.len());
    let mut live: IndexVec<BlockId, VariableId> = index_vec![none; function.blocks.len()];
    let mut writes: IndexVec<BlockId, VariableId> = live.clone();
    let mut seen: IndexVec<BlockId, VariableId> = live.clone();
    for (variable, accesses) in accesses.into_iter_enumerated() {
        if accesses.reads.is_empty() {
            continue;
        }
        accesses.writes.iter().for_each(|&block| writes[block] = variable);
        let mut todo = accesses.reads;
        while let Some(block) = todo.pop() {
            if std::mem::replace(&mut live[block], variable) != variable {
                let before = predecessors[block].iter().copied();
                todo.extend(before.filter(|&before| writes[before] != variable));
            }
        }
        let mut todo = accesses.writes;
        while let Some(block) = todo.pop() {
            for &join in &frontiers[block] {
                if live[join] == variable && std::mem::replace(&mut seen[join], variable) != variable {
                    let &super::Variable { name, ty, .. } = &function.variables[variable];
                    let span = begin(function, join);
                    let phi = function.values.push(Value { op: Op::Phi(Vec::new()), ty, name, span });
                    phis[join].push((variable, phi));
                    todo.push(join);
                }
            }
        }
    }
    for (block, phis) in phis.iter_enumerated() {
        if !phis.is_empty() {
            function.blocks[block].values.splice(0..0, phis.iter().map(|&(_, phi)| phi));
        }
    }
    phis
}

/// Returns the source location of the beginning of a block.
fn begin(function: &Function, block: BlockId) -> Span {
    let block = &function.blocks[block];
    block.values.first().map_or(block.end, |&value| function.values[value].span)
}

/// Replaces each read with the last written value, along the dominator tree.
fn rename(function: &mut Function, phis: &Phis, dominators: &Dominators) {
    enum Step {
        Enter(BlockId),
        /// Restores the variables to their state before a block: `undo` from this index on.
        Leave(usize),
    }
    let children = dominators.children();
    let mut current: IndexVec<VariableId, Option<ValueId>> = index_vec![None; function.variables.len()];
    let mut undo: Vec<(VariableId, Option<ValueId>)> = Vec::new();
    let mut replaced: IndexVec<ValueId, Option<ValueId>> = index_vec![None; function.values.len()];
    let mut undefined: FxHashMap<Ty, ValueId> = FxHashMap::default();
    let mut steps = vec![Step::Enter(Function::ENTRY)];
    while let Some(step) = steps.pop() {
        let block = match step {
            Step::Enter(block) => block,
            Step::Leave(mark) => {
                for (variable, value) in undo.drain(mark..).rev() {
                    current[variable] = value;
                }
                continue;
            }
        };
        steps.push(Step::Leave(undo.len()));
        steps.extend(children[block].iter().rev().map(|&child| Step::Enter(child)));
        for &(variable, phi) in &phis[block] {
            undo.push((variable, current[variable].replace(phi)));
        }
        let mut values = std::mem::take(&mut function.blocks[block].values);
        values.retain(|&id| {
            function.values[id].op.operands_mut(|operand| *operand = replaced[*operand].unwrap_or(*operand));
            match function.values[id].op {
                Op::Get(variable) => {
                    let ty = function.variables[variable].ty;
                    let value = current[variable].unwrap_or_else(|| {
                        *undefined.entry(ty).or_insert_with(|| undefined_of(function, ty, &mut replaced))
                    });
                    replaced[id] = Some(value);
                    false
                }
                Op::Set(variable, value) => {
                    undo.push((variable, current[variable].replace(value)));
                    let held = &mut function.values[value];
                    if held.name.is_none() && !held.op.is_leaf() {
                        held.name = function.variables[variable].name;
                    }
                    false
                }
                _ => true,
            }
        });
        function.blocks[block].values = values;
        let mut terminator =
            std::mem::replace(&mut function.blocks[block].terminator, Terminator::Unreachable);
        if let Some(operand) = terminator.operand_mut() {
            *operand = replaced[*operand].unwrap_or(*operand);
        }
        for successor in terminator.successors() {
            for &(variable, phi) in &phis[successor] {
                let ty = function.variables[variable].ty;
                let value = current[variable].unwrap_or_else(|| {
                    *undefined.entry(ty).or_insert_with(|| undefined_of(function, ty, &mut replaced))
                });
                if let Op::Phi(incoming) = &mut function.values[phi].op {
                    incoming.push((block, value));
                }
            }
        }
        function.blocks[block].terminator = terminator;
    }
    // Sort the operands of phis by the number of the predecessor instead of the order of the walk.
    for phis in phis {
        for &(_, phi) in phis {
            if let Op::Phi(incoming) = &mut function.values[phi].op {
                incoming.sort_by_key(|&(from, _)| from);
            }
        }
    }
}

fn undefined_of(
    function: &mut Function,
    ty: Ty,
    replaced: &mut IndexVec<ValueId, Option<ValueId>>,
) -> ValueId {
    replaced.push(None);
    let span = function.span;
    function.values.push(Value { op: Op::Constant(Constant::Undefined), ty, name: None, span })
}

/// Replaces each phi whose operands are one value, or the phi itself, with that value.
fn remove_trivial_phis(function: &mut Function) {
    let mut users: IndexVec<ValueId, Vec<ValueId>> = function.values.iter().map(|_| Vec::new()).collect();
    let mut todo: Vec<ValueId> = Vec::new();
    for block in &function.blocks {
        for &id in &block.values {
            let Op::Phi(incoming) = &function.values[id].op else { break };
            incoming.iter().for_each(|&(_, value)| users[value].push(id));
            todo.push(id);
        }
    }
    if todo.is_empty() {
        return;
    }
    let mut replaced: IndexVec<ValueId, Option<ValueId>> = index_vec![None; function.values.len()];
    // A replacement may be replaced later: follow the chain, and shorten it.
    let find = |replaced: &mut IndexVec<ValueId, Option<ValueId>>, value: ValueId| {
        let mut end = value;
        while let Some(next) = replaced[end] {
            end = next;
        }
        let mut value = value;
        while let Some(next) = replaced[value] {
            replaced[value] = Some(end);
            value = next;
        }
        end
    };
    todo.reverse();
    while let Some(phi) = todo.pop() {
        if replaced[phi].is_some() {
            continue;
        }
        let Op::Phi(incoming) = &function.values[phi].op else { continue };
        let mut only = None;
        let mut trivial = true;
        for &(_, value) in incoming {
            let value = find(&mut replaced, value);
            if value != phi && only.is_some_and(|only| only != value) {
                trivial = false;
                break;
            }
            if value != phi {
                only = Some(value);
            }
        }
        if let Some(only) = only
            && trivial
        {
            replaced[phi] = Some(only);
            let waiting = std::mem::take(&mut users[phi]);
            users[only].extend_from_slice(&waiting);
            todo.extend(waiting);
        }
    }
    for id in function.values.indices() {
        let mut op = std::mem::replace(&mut function.values[id].op, Op::Phi(Vec::new()));
        op.operands_mut(|operand| *operand = find(&mut replaced, *operand));
        function.values[id].op = op;
    }
    for block in &mut function.blocks {
        if let Some(operand) = block.terminator.operand_mut() {
            *operand = find(&mut replaced, *operand);
        }
        block.values.retain(|&id| replaced[id].is_none());
    }
}

/// Returns whether an operation must be kept even if its result is unused.
fn has_effect(op: &Op) -> bool {
    match op {
        Op::Set(..)
        | Op::Store { .. }
        | Op::Copy { .. }
        | Op::Clear { .. }
        | Op::Call(_)
        | Op::Token(_)
        | Op::Unknown { what: Unknown::Statement | Unknown::Assembly, .. } => true,
        Op::Load { volatile, .. } => *volatile,
        _ => false,
    }
}

/// Removes unused values, and renumbers the others: parameters and constants first, then in block order.
pub fn remove_unused(function: &mut Function) {
    let mut needed: IndexVec<ValueId, bool> = index_vec![false; function.values.len()];
    let mut todo: Vec<ValueId> = function.parameters.iter().map(|parameter| parameter.value).collect();
    for block in &function.blocks {
        todo.extend(block.values.iter().filter(|&&id| has_effect(&function.values[id].op)));
        todo.extend(block.terminator.operand());
    }
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut needed[id], true) {
            function.values[id].op.operands(|&operand| {
                if !needed[operand] {
                    todo.push(operand);
                }
            });
        }
    }
    let leaves = function.values.iter_enumerated().filter(|(_, value)| value.op.is_leaf()).map(|(id, _)| id);
    let in_blocks = function.blocks.iter().flat_map(|block| block.values.iter().copied());
    let order: Vec<ValueId> = leaves.chain(in_blocks).filter(|&id| needed[id]).collect();
    let mut numbers: IndexVec<ValueId, ValueId> = function.values.indices().collect();
    for (number, &id) in order.iter().enumerate() {
        numbers[id] = ValueId::new(number);
    }
    let mut old: IndexVec<ValueId, Option<Value>> =
        std::mem::take(&mut function.values).into_iter().map(Some).collect();
    for id in order {
        let mut value = old[id].take().expect("a value has one position");
        value.op.operands_mut(|operand| *operand = numbers[*operand]);
        function.values.push(value);
    }
    for block in &mut function.blocks {
        block.values.retain(|&id| needed[id]);
        block.values.iter_mut().for_each(|id| *id = numbers[*id]);
        if let Some(operand) = block.terminator.operand_mut() {
            *operand = numbers[*operand];
        }
    }
    for parameter in &mut function.parameters {
        parameter.value = numbers[parameter.value];
    }
}
