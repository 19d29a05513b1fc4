//! Keeps tokens where they are: what LLVM 19 does to them and must not.
//!
//! **A token sinks.** LLVM 19 (`IndVarSimplify`) moves what a loop does not use from before the loop to behind it, if only what is behind it uses it, and does
//! not except tokens. An `entry` then leaves the entry block, and LLVM's own verifier refuses the module:
//!
//! ```text
//! entry:  %t = entry                  entry:  br loop
//! loop:   br c, loop, end        ->   loop:   br c, loop, end
//! end:    call op() with %t           end:    %t = entry; call op() with %t
//! ```
//!
//! So a loop across which a token lives gets a heart with that token for its parent. It controls nothing, and says only what is so:
//! *Inferring Tokens* has one in every loop.
//!
//! **A heart is copied.** LLVM 19 (`LoopUnroll`) unrolls a loop with a heart for good and keeps the heart of every iteration. Where blocks are merged
//! then, a heart stands behind the convergent operations of the iteration before, which the static rules forbid, and LLVM's
//! verifier too:
//!
//! ```text
//! loop:   %h = loop %t; call op() with %h; br c, loop, end
//!  ->     %h = loop %t; call op() with %h; %g = loop %t; call op() with %g
//! ```
//!
//! So a loop with a heart asks not to be unrolled.

use std::borrow::Cow;

use index_vec::IndexVec;
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::cycles::CycleId;
use crate::flow::dominators::Dominators;
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Function, Module, Op, Token, Value, ValueId};
use crate::types::Ty;

/// A module with a heart in every loop across which a token lives.
pub struct Held<'a> {
    pub module: Cow<'a, Module>,
    /// Of each function the blocks that close loops with a heart, each with the header of its loop. Loops that one block closes together
    /// count as one, since a terminator can name but one loop: they all go by the header of one of them.
    pub latches: Vec<Latches>,
}

/// The header of the loop that a block closes.
pub type Latches = FxHashMap<BlockId, BlockId>;

pub fn held(module: &Module) -> Held<'_> {
    let (changed, latches): (Vec<Option<Function>>, Vec<Latches>) =
        module.functions.iter().map(held_function).unzip();
    if changed.iter().all(Option::is_none) {
        return Held { module: Cow::Borrowed(module), latches };
    }
    let functions = module.functions.iter().zip(changed);
    let functions = functions.map(|(function, changed)| changed.unwrap_or_else(|| function.clone()));
    let module =
        Module { file: module.file.clone(), functions: functions.collect(), globals: module.globals.clone() };
    Held { module: Cow::Owned(module), latches }
}

/// The function with hearts, and its latches. None: it is fine as it is.
fn held_function(function: &Function) -> (Option<Function>, Latches) {
    if !function.values.iter().any(|value| matches!(value.op, Op::Token(_))) {
        return (None, Latches::default());
    }
    let shape = Shape::of(function);
    let with_hearts = with_hearts(function, &shape);
    let latches = latches(with_hearts.as_ref().unwrap_or(function), &shape.dominators);
    (with_hearts, latches)
}

fn with_hearts(function: &Function, shape: &Shape) -> Option<Function> {
    let Shape { predecessors, dominators, cycles } = shape;
    let tokens = Tokens::of(function, predecessors);
    let mut hearts: Vec<(CycleId, ValueId)> = Vec::new();
    for (id, cycle) in cycles.cycles.iter_enumerated() {
        if !cycle.is_reducible() || tokens.hearts.contains(&cycle.header) {
            continue;
        }
        // Those alive at the header that come from before the loop, and from the same nesting.
        let alive = tokens.alive.get(&cycle.header).into_iter().flatten().copied();
        let before = alive.filter(|token| {
            let block = tokens.blocks[token];
            !cycles.contains(id, block) && cycle.parent.is_none_or(|parent| cycles.contains(parent, block))
        });
        // The innermost: it is dominated by all others.
        if let Some(token) = before.max_by_key(|token| (dominators.depth(tokens.blocks[token]), *token)) {
            hearts.push((id, token));
        }
    }
    if hearts.is_empty() {
        return None;
    }
    let mut function = function.clone();
    for (cycle, parent) in hearts {
        let header = cycles.cycles[cycle].header;
        let span = function.blocks[header].end;
        let op = Op::Token(Token::Loop(parent));
        let heart = function.values.push(Value { op, ty: Ty::TOKEN, name: None, span });
        let values = &function.values;
        let block = &mut function.blocks[header].values;
        let at =
            block.iter().position(|&value| !matches!(values[value].op, Op::Phi(_))).unwrap_or(block.len());
        block.insert(at, heart);
    }
    Some(function)
}

fn latches(function: &Function, dominators: &Dominators) -> Latches {
    let is_heart = |&value: &ValueId| matches!(function.values[value].op, Op::Token(Token::Loop(_)));
    let headers: FxHashSet<BlockId> = function
        .blocks
        .iter_enumerated()
        .filter(|(_, block)| block.values.iter().any(is_heart))
        .map(|(id, _)| id)
        .collect();
    let mut latches = Latches::default();
    if headers.is_empty() {
        return latches;
    }
    let mut same: UnionFind<usize> = UnionFind::new(function.blocks.len());
    for (id, block) in function.blocks.iter_enumerated() {
        let successors = block.terminator.successors();
        let closed =
            successors.into_iter().filter(|next| headers.contains(next) && dominators.dominates(*next, id));
        for header in closed {
            let first = *latches.entry(id).or_insert(header);
            same.union(first.index(), header.index());
        }
    }
    latches.values_mut().for_each(|header| *header = BlockId::from(same.find(header.index())));
    latches
}

/// The tokens of a function.
struct Tokens {
    /// Where each is defined.
    blocks: FxHashMap<ValueId, BlockId>,
    /// Blocks that have a heart.
    hearts: FxHashSet<BlockId>,
    /// The tokens that are alive at the begin of a block.
    alive: FxHashMap<BlockId, Vec<ValueId>>,
}

impl Tokens {
    fn of(function: &Function, predecessors: &IndexVec<BlockId, Vec<BlockId>>) -> Tokens {
        let mut tokens = Tokens {
            blocks: FxHashMap::default(),
            hearts: FxHashSet::default(),
            alive: FxHashMap::default(),
        };
        let mut uses: Vec<(ValueId, BlockId)> = Vec::new();
        for (id, block) in function.blocks.iter_enumerated() {
            for &value in &block.values {
                match &function.values[value].op {
                    Op::Token(token) => {
                        tokens.blocks.insert(value, id);
                        if let Token::Loop(parent) = token {
                            tokens.hearts.insert(id);
                            uses.push((*parent, id));
                        }
                    }
                    Op::Call(call) => uses.extend(call.token.map(|token| (token, id))),
                    _ => {}
                }
            }
        }
        let mut seen: FxHashSet<(ValueId, BlockId)> = FxHashSet::default();
        while let Some((token, block)) = uses.pop() {
            if tokens.blocks.get(&token) == Some(&block) || !seen.insert((token, block)) {
                continue;
            }
            tokens.alive.entry(block).or_default().push(token);
            uses.extend(predecessors[block].iter().map(|&before| (token, before)));
        }
        tokens
    }
}
