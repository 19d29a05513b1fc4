//! Incorrect token placements. The comparison must detect each of them.

use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{BlockId, Function, Op, Token, ValueId};

/// Makes one kind of mistake in a function. Returns false if the function has no place for it.
pub type Mistake = fn(&mut Function) -> bool;

pub const MISTAKES: [(&str, Mistake); 4] = [
    ("`entry` for the heart of a cycle that was left", entry_for_extended_heart),
    ("the outer for the inner heart", outer_for_inner_heart),
    ("an anchor for a heart", anchor_for_heart),
    ("a heart hangs on its parent's parent", parent_exchanged),
];

/// Returns the parent token of a heart.
fn parent(function: &Function, token: ValueId) -> Option<ValueId> {
    match function.values[token].op {
        Op::Token(Token::Loop(parent)) => Some(parent),
        _ => None,
    }
}

fn calls(function: &Function) -> Vec<(BlockId, ValueId, ValueId)> {
    let values = function
        .blocks
        .iter_enumerated()
        .flat_map(|(id, block)| block.values.iter().map(move |it| (id, *it)));
    let token = |value: ValueId| match &function.values[value].op {
        Op::Call(call) => call.token,
        _ => None,
    };
    values.filter_map(|(block, value)| Some((block, value, token(value)?))).collect()
}

fn set_token(function: &mut Function, call: ValueId, token: ValueId) {
    if let Op::Call(call) = &mut function.values[call].op {
        call.token = Some(token);
    }
}

fn entry_for_extended_heart(function: &mut Function) -> bool {
    let shape = GraphAnalysis::of(function);
    let entry =
        function.values.indices().find(|&it| matches!(function.values[it].op, Op::Token(Token::Entry)));
    let Some(entry) = entry else { return false };
    let mut changed = false;
    for (block, call, token) in calls(function) {
        let home = function.blocks.indices().find(|&it| function.blocks[it].values.contains(&token));
        let cycle = home.and_then(|home| shape.cycles.innermost(home));
        let left = cycle.is_some_and(|cycle| !shape.cycles.contains(cycle, block));
        if left && parent(function, token).is_some() {
            set_token(function, call, entry);
            changed = true;
        }
    }
    changed
}

fn outer_for_inner_heart(function: &mut Function) -> bool {
    let mut changed = false;
    for (_, call, token) in calls(function) {
        if let Some(outer) = parent(function, token).filter(|&outer| parent(function, outer).is_some()) {
            set_token(function, call, outer);
            changed = true;
        }
    }
    changed
}

fn anchor_for_heart(function: &mut Function) -> bool {
    let hearts: Vec<ValueId> =
        function.values.indices().filter(|&it| parent(function, it).is_some()).collect();
    for &heart in &hearts {
        function.values[heart].op = Op::Token(Token::Anchor);
    }
    !hearts.is_empty()
}

/// Changes only hearts outside their parent's cycle: the rules of the graph forbid any other change.
fn parent_exchanged(function: &mut Function) -> bool {
    let shape = GraphAnalysis::of(function);
    let home = |function: &Function, value: ValueId| {
        function.blocks.indices().find(|&it| function.blocks[it].values.contains(&value))
    };
    let mut changed = false;
    for heart in function.values.indices() {
        let Some(outer) = parent(function, heart) else { continue };
        let Some(grandparent) = parent(function, outer) else { continue };
        let (Some(at), Some(around)) = (home(function, heart), home(function, outer)) else { continue };
        let left = shape.cycles.innermost(around).is_some_and(|cycle| !shape.cycles.contains(cycle, at));
        if left {
            function.values[heart].op = Op::Token(Token::Loop(grandparent));
            changed = true;
        }
    }
    changed
}
