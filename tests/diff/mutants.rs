//! Wrong transformations of a function.

use tangle_analysis::flow::{Block, BlockId, Callee, Function, Op, Terminator, Token, Value, ValueId};

/// A kind of wrong transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// Two operations of different blocks are exchanged.
    Swap,
    /// The heart of a loop is removed. Its uses have the token outside of the loop.
    DropHeart,
    /// One predecessor of a block with an operation gets its own copy of the block.
    ThreadJump,
    /// A loop executes its body twice between two tests of its condition.
    Unroll,
    /// An operation is moved before a branch.
    Hoist,
}

/// The changed place of a mutant, in the original function.
#[derive(Clone, Copy, Debug)]
pub enum Site {
    Swap([ValueId; 2]),
    DropHeart(ValueId),
    ThreadJump { block: BlockId, from: BlockId },
    Unroll { body: BlockId },
    Hoist { block: BlockId, before: BlockId },
}

/// A changed function.
pub struct Mutated {
    pub site: Site,
    pub function: Function,
}

impl Mutation {
    pub const ALL: [Mutation; 5] =
        [Mutation::Swap, Mutation::DropHeart, Mutation::ThreadJump, Mutation::Unroll, Mutation::Hoist];

    /// Returns all mutants of one kind.
    pub fn mutants(self, function: &Function) -> Vec<Mutated> {
        match self {
            Mutation::Swap => swapped(function),
            Mutation::DropHeart => without_hearts(function),
            Mutation::ThreadJump => threaded(function),
            Mutation::Unroll => unrolled(function),
            Mutation::Hoist => hoisted(function),
        }
    }
}

/// Returns the calls of convergent builtins, with their blocks.
fn operations(function: &Function) -> Vec<(BlockId, ValueId)> {
    let is_operation = |value: ValueId| {
        matches!(&function.values[value].op,
            Op::Call(call) if call.convergent && matches!(call.callee, Callee::Builtin { .. }))
    };
    let blocks = function.blocks.iter_enumerated();
    blocks
        .flat_map(|(id, block)| block.values.iter().map(move |&value| (id, value)))
        .filter(|&(_, value)| is_operation(value))
        .collect()
}

fn is_leaf(function: &Function, value: ValueId) -> bool {
    function.values[value].op.is_leaf()
}

fn swapped(function: &Function) -> Vec<Mutated> {
    let all = operations(function);
    let mut mutants = Vec::new();
    for (number, &(block, one)) in all.iter().enumerate() {
        for &(other_block, other) in &all[number + 1..] {
            let (Op::Call(first), Op::Call(second)) = (&function.values[one].op, &function.values[other].op)
            else {
                continue;
            };
            let constants = |function: &Function, value: ValueId| match &function.values[value].op {
                Op::Call(call) => {
                    call.arguments.iter().map(|(it, _)| function.values[*it].op.clone()).collect::<Vec<_>>()
                }
                _ => Vec::new(),
            };
            let are_leaves =
                first.arguments.iter().chain(&second.arguments).all(|(it, _)| is_leaf(function, *it));
            let same_type = function.values[one].ty == function.values[other].ty;
            let are_equal =
                first.callee == second.callee && constants(function, one) == constants(function, other);
            if block == other_block || !are_leaves || !same_type || are_equal {
                continue;
            }
            let mut mutant = function.clone();
            let (mut new_first, mut new_second) = (second.clone(), first.clone());
            (new_first.token, new_second.token) = (first.token, second.token);
            mutant.values[one].op = Op::Call(new_first);
            mutant.values[other].op = Op::Call(new_second);
            mutants.push(Mutated { site: Site::Swap([one, other]), function: mutant });
        }
    }
    mutants
}

fn without_hearts(function: &Function) -> Vec<Mutated> {
    let hearts = function.values.iter_enumerated().filter_map(|(id, value)| match value.op {
        Op::Token(Token::Loop(parent)) => Some((id, parent)),
        _ => None,
    });
    let without = |(heart, parent): (ValueId, ValueId)| {
        let mut mutant = function.clone();
        for value in &mut mutant.values {
            value.op.operands_mut(|operand| {
                if *operand == heart {
                    *operand = parent;
                }
            });
            if let Op::Call(call) = &mut value.op
                && call.token == Some(heart)
            {
                call.token = Some(parent);
            }
        }
        mutant.blocks.iter_mut().for_each(|block| block.values.retain(|&value| value != heart));
        Mutated { site: Site::DropHeart(heart), function: mutant }
    };
    hearts.map(without).collect()
}

fn predecessors(function: &Function, of: BlockId) -> Vec<BlockId> {
    let blocks = function.blocks.iter_enumerated();
    blocks.filter(|(_, block)| block.terminator.successors().contains(&of)).map(|(id, _)| id).collect()
}

/// Returns whether a path leads from one block to another.
fn reaches(function: &Function, from: BlockId, to: BlockId) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut todo = vec![from];
    while let Some(block) = todo.pop() {
        for next in function.blocks[block].terminator.successors() {
            if next == to {
                return true;
            }
            if !std::mem::replace(&mut seen[next.index()], true) {
                todo.push(next);
            }
        }
    }
    false
}

/// Appends a copy of a block. `renamed`: replacements of operands. It gets the copies of the values. Phis of the block
/// are not copied; they must have replacements.
fn copied(function: &mut Function, of: BlockId, renamed: &mut Vec<(ValueId, ValueId)>) -> BlockId {
    let Block { values, mut terminator, .. } = function.blocks[of].clone();
    let replaced = |renamed: &[(ValueId, ValueId)], value: ValueId| {
        renamed.iter().rev().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
    };
    let mut copies = Vec::new();
    for value in values {
        if matches!(function.values[value].op, Op::Phi(_)) {
            continue;
        }
        let mut copy: Value = function.values[value].clone();
        copy.op.operands_mut(|operand| *operand = replaced(renamed, *operand));
        if let Op::Call(call) = &mut copy.op {
            call.token = call.token.map(|token| replaced(renamed, token));
        }
        let number = function.values.push(copy);
        renamed.push((value, number));
        copies.push(number);
    }
    if let Some(operand) = terminator.operand_mut() {
        *operand = replaced(renamed, *operand);
    }
    let block = Block { values: copies, terminator, ..function.blocks[of].clone() };
    function.blocks.push(block)
}

fn set_target(terminator: &mut Terminator, from: BlockId, to: BlockId) {
    let change = |target: &mut BlockId| {
        if *target == from {
            *target = to;
        }
    };
    match terminator {
        Terminator::Jump(target) => change(target),
        Terminator::Branch { then, otherwise, .. } => {
            change(then);
            change(otherwise);
        }
        Terminator::Switch { cases, otherwise, .. } => {
            cases.iter_mut().for_each(|(.., target)| change(target));
            change(otherwise);
        }
        Terminator::Return(_) | Terminator::Unreachable => {}
    }
}

/// Returns whether a value of a block is used elsewhere, except by phis at the end of the block's edges.
fn is_used_elsewhere(function: &Function, block: BlockId) -> bool {
    let own = &function.blocks[block].values;
    let is_own = |value: ValueId| own.contains(&value);
    function.blocks.iter_enumerated().filter(|(id, _)| *id != block).any(|(_, other)| {
        let of_end = other.terminator.operand().is_some_and(is_own);
        of_end
            || other.values.iter().any(|&value| match &function.values[value].op {
                Op::Phi(incoming) => incoming.iter().any(|&(from, value)| from != block && is_own(value)),
                op => {
                    let mut used = false;
                    op.operands(|&operand| used |= is_own(operand));
                    let of_token = matches!(op, Op::Call(call) if call.token.is_some_and(is_own));
                    used || of_token
                }
            })
    })
}

fn threaded(function: &Function) -> Vec<Mutated> {
    let mut mutants = Vec::new();
    let mut blocks: Vec<BlockId> = operations(function).into_iter().map(|(block, _)| block).collect();
    blocks.dedup();
    for block in blocks {
        let of = &function.blocks[block];
        let before = predecessors(function, block);
        let defines_token = of.values.iter().any(|&value| matches!(function.values[value].op, Op::Token(_)));
        if before.len() < 2
            || defines_token
            || before.iter().any(|&it| reaches(function, block, it) && it >= block)
            || is_used_elsewhere(function, block)
        {
            continue;
        }
        for &from in &before {
            let edges = function.blocks[from].terminator.successors();
            if edges.iter().filter(|&&it| it == block).count() != 1 {
                continue;
            }
            let mut mutant = function.clone();
            let mut renamed = Vec::new();
            for &value in &of.values {
                if let Op::Phi(incoming) = &mut mutant.values[value].op {
                    let of_edge = incoming.iter().find(|(it, _)| *it == from).map(|(_, value)| *value);
                    incoming.retain(|(it, _)| *it != from);
                    renamed.push((value, of_edge.expect("a phi has an operand for each edge")));
                }
            }
            let copy = copied(&mut mutant, block, &mut renamed);
            set_target(&mut mutant.blocks[from].terminator, block, copy);
            for next in mutant.blocks[copy].terminator.successors() {
                for value in mutant.blocks[next].values.clone() {
                    let Op::Phi(incoming) = &mut mutant.values[value].op else { continue };
                    if incoming.iter().any(|(it, _)| *it == copy) {
                        continue;
                    }
                    let Some(&(_, given)) = incoming.iter().find(|(it, _)| *it == block) else { continue };
                    let given = renamed.iter().rev().find(|(old, _)| *old == given).map_or(given, |it| it.1);
                    incoming.push((copy, given));
                }
            }
            mutants.push(Mutated { site: Site::ThreadJump { block, from }, function: mutant });
        }
    }
    mutants
}

fn unrolled(function: &Function) -> Vec<Mutated> {
    let mut mutants = Vec::new();
    let mut bodies: Vec<BlockId> = operations(function).into_iter().map(|(block, _)| block).collect();
    bodies.dedup();
    for body in bodies {
        let Terminator::Jump(header) = function.blocks[body].terminator else { continue };
        if header == body
            || predecessors(function, body) != [header]
            || !predecessors(function, header).contains(&body)
            || is_used_elsewhere(function, body)
        {
            continue;
        }
        let mut mutant = function.clone();
        let mut renamed = Vec::new();
        for &value in &function.blocks[header].values {
            if let Op::Phi(incoming) = &function.values[value].op {
                let next = incoming.iter().find(|(it, _)| *it == body).map(|(_, value)| *value);
                renamed.push((value, next.expect("a phi has an operand for each edge")));
            }
        }
        let copy = copied(&mut mutant, body, &mut renamed);
        mutant.blocks[body].terminator = Terminator::Jump(copy);
        for &value in &function.blocks[header].values {
            let Op::Phi(incoming) = &mut mutant.values[value].op else { continue };
            for (from, given) in incoming.iter_mut().filter(|(from, _)| *from == body) {
                *from = copy;
                *given = renamed.iter().rev().find(|(old, _)| old == given).map_or(*given, |it| it.1);
            }
        }
        mutants.push(Mutated { site: Site::Unroll { body }, function: mutant });
    }
    mutants
}

fn hoisted(function: &Function) -> Vec<Mutated> {
    let mut mutants = Vec::new();
    for (block, value) in operations(function) {
        let [before] = predecessors(function, block)[..] else { continue };
        let is_own = |value: ValueId| function.blocks[block].values.contains(&value);
        let Op::Call(call) = &function.values[value].op else { continue };
        let depends = call.arguments.iter().map(|(it, _)| *it).chain(call.token).any(is_own);
        if depends || !matches!(function.blocks[before].terminator, Terminator::Branch { .. }) {
            continue;
        }
        let mut mutant = function.clone();
        mutant.blocks[block].values.retain(|&it| it != value);
        mutant.blocks[before].values.push(value);
        mutants.push(Mutated { site: Site::Hoist { block, before }, function: mutant });
    }
    mutants
}
