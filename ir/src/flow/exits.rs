//! Gives a loop a single exit if its token is used after the loop.
//!
//! A convergent operation before a `break` keeps the token of the loop's heart, although its block is outside the
//! cycle. A code generator that leads all exits of a cycle through one block cannot preserve the token there, because a
//! phi does not accept tokens. This pass leads them through one block in advance: a **hub**. A phi in the hub says
//! which exit was taken, and a `switch` continues there.
//!
//! ```text
//! head:  %h = loop %t; branch a, end, body        head:  %h = loop %t; branch a, hub, body
//! body:  branch b, out, head                      body:  branch b, hub, head
//! out:   call op() with %h; jump end        ->    hub:   %way = phi [head: 0], [body: 1]; switch %way [0: end, default: out]
//! end:   …                                        out:   call op() with %h; jump end
//! ```
//!
//! The **tail** of a loop consists of the blocks after the loop on paths to uses of its tokens. All exits of a tail
//! lead through a second hub, so that no other code can be moved before the tail or into it. If the tail also leaves an
//! outer loop, the second hub makes the tail a part of that loop in the graph, because a path from the hub continues in
//! the loop.
//!
//! The pass does not change which threads execute an operation together: hearts and the users of tokens keep their
//! positions, and a hub is not a convergent operation. A value that no longer dominates one of its uses is passed
//! through a phi of the hub.

use index_vec::IndexVec;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::{Span, Symbol};

use super::cycles::CycleId;
use super::dominators::Dominators;
use super::shape::GraphAnalysis;
use super::{Block, BlockId, BlockKind, Function, Op, Terminator, Token, Value, ValueId};
use crate::types::Ty;
use crate::value::{Comparison, Constant};

/// The maximum number of rounds, larger than the nesting depth of any real source.
const MAX_ROUNDS: usize = 1000;

/// A block through which all exits of a set of blocks lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitHub {
    /// The block.
    pub block: BlockId,
    /// The token of the loop that the hub belongs to. It dominates the hub.
    pub token: ValueId,
}

type Blocks = FxHashSet<BlockId>;

/// Gives each reducible cycle a single exit if one of its tokens is used outside the cycle. The function must be in SSA
/// form. A cycle stays unchanged if such a token does not dominate all exits. A tail gets no hub if it uses a token
/// from outside the loop. Returns the new hubs.
pub fn unify_exits(function: &mut Function) -> Vec<ExitHub> {
    let mut hubs = Vec::new();
    if !has_hearts(function) {
        return hubs;
    }
    for _ in 0..MAX_ROUNDS {
        let graph = Graph::of(function);
        // Inner cycles come first.
        let ids = graph.shape.cycles.cycles.indices().rev();
        let Some(step) = ids.into_iter().find_map(|id| graph.step(id)) else { break };
        let HubStep { inside, heart } = step;
        split_returns(function, &inside);
        hubs.push(ExitHub { block: insert_hub(function, &inside), token: heart });
    }
    hubs
}

/// Returns whether a function has hearts. Without them, [`unify_exits`] does nothing.
pub fn has_hearts(function: &Function) -> bool {
    function.values.iter().any(|value| matches!(value.op, Op::Token(Token::Loop(_))))
}

/// The next step: all exits of these blocks are led through a hub.
struct HubStep {
    inside: Blocks,
    heart: ValueId,
}

/// A function with the positions of its tokens.
struct Graph<'a> {
    function: &'a Function,
    shape: GraphAnalysis,
    placed: IndexVec<ValueId, Option<BlockId>>,
    /// The uses of tokens: the token, and the block of the use.
    uses: Vec<(ValueId, BlockId)>,
    /// The same by the block that defines the token. Blocks without tokens have no entry.
    uses_of_tokens_in: FxHashMap<BlockId, Vec<(ValueId, BlockId)>>,
}

impl<'a> Graph<'a> {
    fn of(function: &'a Function) -> Graph<'a> {
        let mut uses = Vec::new();
        for (id, block) in function.blocks.iter_enumerated() {
            for &value in &block.values {
                function.values[value].op.operands(|&operand| {
                    if function.values[operand].ty == Ty::TOKEN {
                        uses.push((operand, id));
                    }
                });
            }
        }
        let placed = places(function);
        let mut uses_of_tokens_in: FxHashMap<BlockId, Vec<(ValueId, BlockId)>> = FxHashMap::default();
        for &(token, user) in &uses {
            if let Some(block) = placed[token] {
                uses_of_tokens_in.entry(block).or_default().push((token, user));
            }
        }
        Graph { function, shape: GraphAnalysis::of(function), placed, uses, uses_of_tokens_in }
    }

    fn heart(&self, header: BlockId) -> Option<ValueId> {
        let is_heart = |&value: &ValueId| matches!(self.function.values[value].op, Op::Token(Token::Loop(_)));
        self.function.blocks[header].values.iter().copied().find(is_heart)
    }

    /// Returns the tokens of a set of blocks that are used outside it, with the block of each use, in no order.
    fn escaping<'b>(&'b self, inside: &'b Blocks) -> impl Iterator<Item = (ValueId, BlockId)> + 'b {
        let uses = inside.iter().filter_map(|block| self.uses_of_tokens_in.get(block)).flatten();
        uses.copied().filter(|(_, user)| !inside.contains(user))
    }

    /// Returns whether a value is available at the end of each of these blocks.
    fn is_available_at(&self, value: ValueId, mut blocks: impl Iterator<Item = BlockId>) -> bool {
        let Some(placed) = self.placed[value] else { return true };
        blocks.all(|block| self.shape.dominators.dominates(placed, block))
    }

    /// Returns the step for a cycle. All cycles inside it must be finished.
    fn step(&self, id: CycleId) -> Option<HubStep> {
        let cycle = &self.shape.cycles.cycles[id];
        let heart = self.heart(cycle.header).filter(|_| cycle.is_reducible())?;
        let inside: Blocks = self.shape.cycles.blocks(id).into_iter().collect();
        let exits = leaving(self.function, &inside);
        let escaping: Vec<(ValueId, BlockId)> = self.escaping(&inside).collect();
        let is_at_exits = |token| self.is_available_at(token, exits.iter().map(|&(from, _)| from));
        if escaping.is_empty() || !escaping.iter().all(|&(token, _)| is_at_exits(token)) {
            return None;
        }
        let targets = targets(&exits);
        let &start = targets.first()?;
        let inside = if targets.len() == 1 { self.tail(inside, start)? } else { inside };
        Some(HubStep { inside, heart })
    }

    /// Returns the tail of a cycle with a single exit target. None if the tail needs no hub or cannot get one.
    fn tail(&self, mut around: Blocks, start: BlockId) -> Option<Blocks> {
        if !self.shape.predecessors[start].iter().all(|before| around.contains(before)) {
            return None;
        }
        let mut tail = Blocks::from_iter([start]);
        around.insert(start);
        loop {
            let mut todo: Vec<BlockId> = self.escaping(&around).map(|(_, user)| user).collect();
            if todo.is_empty() {
                break;
            }
            while let Some(block) = todo.pop() {
                if around.insert(block) {
                    tail.insert(block);
                    todo.extend(&self.shape.predecessors[block]);
                }
            }
        }
        // The token of the heart is kept live in the hub after the tail, and the use of a token from further outside
        // would end its region.
        let uses = self.uses.iter().filter(|(_, user)| tail.contains(user));
        let is_own = |token: ValueId| self.placed[token].is_some_and(|block| around.contains(&block));
        let fits = uses.map(|&(token, _)| token).all(is_own);
        let ends = tail.iter().filter(|&&block| is_end(self.function, block)).count();
        let paths = targets(&leaving(self.function, &tail)).len() + ends;
        (fits && paths > 1).then_some(tail)
    }
}

/// Returns the block of each value.
fn places(function: &Function) -> IndexVec<ValueId, Option<BlockId>> {
    let mut placed: IndexVec<ValueId, Option<BlockId>> = function.values.iter().map(|_| None).collect();
    for (id, block) in function.blocks.iter_enumerated() {
        block.values.iter().for_each(|&value| placed[value] = Some(id));
    }
    placed
}

/// Returns the edges that leave a set of blocks, in order. Parallel edges are repeated.
fn leaving(function: &Function, inside: &Blocks) -> Vec<(BlockId, BlockId)> {
    let mut edges = Vec::new();
    let mut ids: Vec<BlockId> = inside.iter().copied().collect();
    ids.sort_unstable();
    for id in ids {
        let successors = function.blocks[id].terminator.successors().into_iter();
        edges.extend(successors.filter(|to| !inside.contains(to)).map(|to| (id, to)));
    }
    edges
}

fn targets(edges: &[(BlockId, BlockId)]) -> IndexSet<BlockId> {
    edges.iter().map(|&(_, to)| to).collect()
}

/// Returns whether a block has no successor.
fn is_end(function: &Function, block: BlockId) -> bool {
    matches!(function.blocks[block].terminator, Terminator::Return(_) | Terminator::Unreachable)
}

/// Moves the `return` or `unreachable` of each block without a successor to a new block after it.
fn split_returns(function: &mut Function, blocks: &Blocks) {
    let mut ends: Vec<BlockId> = blocks.iter().copied().filter(|&block| is_end(function, block)).collect();
    ends.sort_unstable();
    for id in ends {
        let Block { stmt, end, source_loop: within, .. } = function.blocks[id];
        let label = Some(Symbol::intern("loop.return"));
        let block = Block {
            label,
            source_loop: within,
            is_inserted: true,
            ..Block::new(BlockKind::Other, stmt, end)
        };
        let behind = function.blocks.push(block);
        let terminator = std::mem::replace(&mut function.blocks[id].terminator, Terminator::Jump(behind));
        function.blocks[behind].terminator = terminator;
    }
}

fn constant(function: &mut Function, constant: Constant, ty: Ty, span: Span) -> ValueId {
    function.values.push(Value { op: Op::Constant(constant), ty, name: None, span })
}

/// Leads all exits of a set of blocks through a new block, and returns that block. There must be several exit targets.
fn insert_hub(function: &mut Function, inside: &Blocks) -> BlockId {
    let before = Dominators::of(function, &function.predecessors());
    let edges = leaving(function, inside);
    let targets = targets(&edges);
    let paths: Vec<ValueId> = (0..targets.len())
        .map(|way| constant(function, Constant::Integer(way as i128), Ty::INT, function.span))
        .collect();
    let way_to = |to: BlockId| targets.get_index_of(&to).map(|way| paths[way]);
    let Block { stmt, end, .. } = function.blocks[edges[0].0];
    let all: Vec<BlockId> = edges.iter().flat_map(|&(from, to)| [from, to]).collect();
    let hub = function.blocks.push(Block {
        label: Some(Symbol::intern("loop.exit")),
        source_loop: function.loop_around_all(&all),
        is_inserted: true,
        ..Block::new(BlockKind::Other, stmt, end)
    });
    let mut incoming = Vec::new();
    for &(from, _) in &edges {
        let way = match incoming.last() {
            Some(&(block, way)) if block == from => way,
            _ => choose(function, from, way_to),
        };
        incoming.push((from, way));
    }
    let way = Value { op: Op::Phi(incoming), ty: Ty::INT, name: Some(Symbol::intern("way")), span: end };
    let way = push(function, hub, way);
    for &to in &targets {
        route_phis(function, inside, &edges, (hub, to));
    }
    for &(from, _) in &edges {
        function.blocks[from].terminator.redirect(|to| {
            if targets.contains(to) {
                *to = hub;
            }
        });
    }
    let last = targets.len() - 1;
    let cases = targets.iter().take(last).enumerate();
    let cases = cases.map(|(way, &to)| (way as i128, way as i128, to)).collect();
    function.blocks[hub].terminator = Terminator::Switch { value: way, cases, otherwise: targets[last] };
    route_values(function, inside, hub, &before);
    hub
}

/// Appends an operation to a block.
fn push(function: &mut Function, block: BlockId, value: Value) -> ValueId {
    let value = function.values.push(value);
    function.blocks[block].values.push(value);
    value
}

/// Returns the number of the exit target for threads that leave from a block. If the block has several targets, the
/// number is computed in the block.
fn choose(function: &mut Function, from: BlockId, way_to: impl Fn(BlockId) -> Option<ValueId>) -> ValueId {
    let chosen = match function.blocks[from].terminator.clone() {
        Terminator::Jump(to) => way_to(to),
        Terminator::Branch { condition, then, otherwise } => match (way_to(then), way_to(otherwise)) {
            (Some(then), Some(otherwise)) => Some(select(function, from, condition, [then, otherwise])),
            (then, otherwise) => then.or(otherwise),
        },
        Terminator::Switch { value, cases, otherwise } => {
            let mut chosen = way_to(otherwise);
            for (low, high, to) in cases {
                let Some(way) = way_to(to) else { continue };
                chosen = Some(match chosen {
                    Some(other) if other != way => {
                        let both = [(Comparison::LessEqual, high), (Comparison::GreaterEqual, low)];
                        let bounds = if low == high { &[(Comparison::Equal, low)][..] } else { &both };
                        bounds.iter().fold(way, |way, &(op, bound)| {
                            let condition = compare(function, from, op, (value, bound));
                            select(function, from, condition, [way, other])
                        })
                    }
                    _ => way,
                });
            }
            chosen
        }
        Terminator::Return(_) | Terminator::Unreachable => None,
    };
    chosen.expect("an edge leaves from the block")
}

/// Returns one of two exit numbers by a condition, without an operation if they are the same.
fn select(
    function: &mut Function,
    at: BlockId,
    condition: ValueId,
    [then, otherwise]: [ValueId; 2],
) -> ValueId {
    if then == otherwise {
        return then;
    }
    let span = function.blocks[at].end;
    push(function, at, Value { op: Op::Select { condition, then, otherwise }, ty: Ty::INT, name: None, span })
}

fn compare(function: &mut Function, at: BlockId, op: Comparison, (left, right): (ValueId, i128)) -> ValueId {
    let span = function.blocks[at].end;
    let right = constant(function, Constant::Integer(right), function.values[left].ty, span);
    push(function, at, Value { op: Op::Compare { op, left, right }, ty: Ty::BOOL, name: None, span })
}

/// Replaces the operands of phis for the redirected edges with one operand from the hub, which gets a phi for them.
fn route_phis(
    function: &mut Function,
    inside: &Blocks,
    edges: &[(BlockId, BlockId)],
    (hub, to): (BlockId, BlockId),
) {
    for target in function.blocks[to].values.clone() {
        let Value { op: Op::Phi(incoming), ty, name, span } = function.values[target].clone() else { break };
        let (given, mut kept): (Vec<_>, Vec<_>) =
            incoming.into_iter().partition(|(from, _)| inside.contains(from));
        let given: FxHashMap<BlockId, ValueId> = given.into_iter().collect();
        let undefined = constant(function, Constant::Undefined, ty, span);
        let through = edges.iter().map(|(from, _)| (*from, given.get(from).copied().unwrap_or(undefined)));
        let op = Op::Phi(through.collect());
        kept.push((hub, push(function, hub, Value { op, ty, name, span })));
        function.values[target].op = Op::Phi(kept);
    }
}

/// Passes values of `inside` through phis of the hub where they no longer dominate a use outside. `before` is the
/// dominator tree before the hub was inserted.
fn route_values(function: &mut Function, inside: &Blocks, hub: BlockId, before: &Dominators) {
    let after = GraphAnalysis::of(function);
    let placed = places(function);
    let is_lost = |value: ValueId, at: BlockId| {
        placed[value].is_some_and(|block| inside.contains(&block) && !after.dominators.dominates(block, at))
            && after.dominators.is_reachable(at)
    };
    let mut handed: IndexMap<ValueId, ValueId> = IndexMap::new();
    let mut hand = |function: &mut Function, value: &mut ValueId, at: BlockId| {
        if is_lost(*value, at) {
            *value = *handed.entry(*value).or_insert_with_key(|&value| {
                let Value { ty, name, span, .. } = function.values[value];
                let undefined = constant(function, Constant::Undefined, ty, span);
                let is_there = |from| placed[value].is_some_and(|block| before.dominates(block, from));
                let froms = after.predecessors[hub].iter();
                let through = froms.map(|&from| (from, if is_there(from) { value } else { undefined }));
                let op = Op::Phi(through.collect());
                function.values.push(Value { op, ty, name, span })
            });
        }
    };
    for id in function.blocks.indices().filter(|id| !inside.contains(id) && *id != hub) {
        for value in function.blocks[id].values.clone() {
            let mut op = function.values[value].op.clone();
            match &mut op {
                Op::Phi(incoming) => {
                    incoming.iter_mut().for_each(|(from, value)| hand(function, value, *from));
                }
                op => op.operands_mut(|value| hand(function, value, id)),
            }
            function.values[value].op = op;
        }
        let mut terminator = function.blocks[id].terminator.clone();
        if let Some(value) = terminator.operand_mut() {
            hand(function, value, id);
        }
        function.blocks[id].terminator = terminator;
    }
    function.blocks[hub].values.splice(0..0, handed.into_values());
}
