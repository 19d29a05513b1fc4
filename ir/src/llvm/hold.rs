//! Keeps tokens where they are: what LLVM 19 does to them and must not. `docs/lowering.md` has the smallest IR for each, and what nothing here prevents.
//!
//! **A token sinks.** LLVM 19 (`IndVarSimplify`) moves what a loop does not use from before the loop to behind it, if only what is behind it uses it, and does
//! not except `entry` and `anchor`. (It spares hearts: LLVM 19 takes a call with a bundle for one that writes memory.) An `entry` then leaves the entry
//! block, and LLVM's own verifier refuses the module. The loop may come from a function that is called and then inlined:
//!
//! ```text
//! entry:  %t = entry                  entry:  br loop
//! loop:   br c, loop, end        ->   loop:   br c, loop, end
//! end:    call op() with %t           end:    %t = entry; call op() with %t
//! ```
//!
//! What the token's own block uses stays there. So such a token is *held* there, by a call that does nothing:
//!
//! ```text
//! call void @llvm.sideeffect() convergent [ "convergencectrl"(token %t) ]
//! ```
//!
//! LLVM does not remove the call, since it has a side effect, and does not move it, since it is convergent. No instruction comes of it.
//!
//! **A loop gets another header.** LLVM 19 (`SimplifyCFG`) merges what stands both before a loop and at the end of some iterations. The block for it becomes the
//! header, and the heart no longer dominates its cycle:
//!
//! ```text
//! before: store; br head              before: br both
//! head:   %h = loop %t; …             both:   store; br head
//! some:   store; br head         ->   head:   %h = loop %t; …
//!                                     some:   br both
//! ```
//!
//! So what jumps into a loop with a heart ends with such a call, which is not at the end of an iteration. Where all iterations end in one
//! block, nothing is merged that does harm.
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
//!
//! **A hub is undone.** Where a block only says by a phi which way it was reached, and then chooses by that, LLVM 19 (`SimplifyCFG`) leads each predecessor to
//! where it goes from there. Hubs hold a token against it: a block with a convergent call is passed by by nobody.

use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::cycles::CycleId;
use crate::flow::exits::Hub;
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Call, Callee, Function, Module, Op, Terminator, Token, ValueId};
use crate::key::FunctionKey;

/// What the text of a function says beside what its graph says.
#[derive(Default)]
pub struct Holds {
    /// Tokens that are held right behind their definitions.
    pub tokens: FxHashSet<ValueId>,
    /// Blocks before whose ends a token is held: those that jump into a loop with a heart, with the token that the heart names, and hubs, with
    /// theirs.
    pub ends: FxHashMap<BlockId, ValueId>,
    /// The blocks that close loops with a heart, each with the header of its loop. Loops that one block closes together count as one, since a
    /// terminator can name but one loop: they all go by the header of one of them.
    pub latches: FxHashMap<BlockId, BlockId>,
}

/// Of each function of the module what holds its tokens. `hubs`: of each function the blocks through which loops are left ([`exits`](crate::flow::exits)).
pub fn holds(module: &Module, hubs: &[Vec<Hub>]) -> Vec<Holds> {
    let bodies = module.functions.iter().any(has_tokens).then(|| Bodies::of(module));
    let of = |function: &Function| match &bodies {
        Some(bodies) if has_tokens(function) => Graph::of(function, bodies).holds(),
        _ => Holds::default(),
    };
    let with = |function: &Function, hubs: &[Hub]| {
        let mut holds = of(function);
        holds.ends.extend(hubs.iter().map(|hub| (hub.block, hub.token)));
        holds
    };
    module.functions.iter().zip(hubs).map(|(function, hubs)| with(function, hubs)).collect()
}

fn has_tokens(function: &Function) -> bool {
    function.values.iter().any(|value| matches!(value.op, Op::Token(_)))
}

/// What inlining may bring.
struct Bodies {
    /// The functions that the module defines.
    defined: FxHashSet<FunctionKey>,
    /// Those with a cycle, and those that call one of these.
    looping: FxHashSet<FunctionKey>,
}

impl Bodies {
    fn of(module: &Module) -> Bodies {
        let mut callers: FxHashMap<FunctionKey, Vec<FunctionKey>> = FxHashMap::default();
        let mut todo = Vec::new();
        for function in &module.functions {
            for value in &function.values {
                if let Op::Call(Call { callee: Callee::Function { key, .. }, .. }) = &value.op {
                    callers.entry(*key).or_default().push(function.key);
                }
            }
            if !Shape::of(function).cycles.cycles.is_empty() {
                todo.push(function.key);
            }
        }
        let mut looping = FxHashSet::default();
        while let Some(key) = todo.pop() {
            if looping.insert(key) {
                todo.extend(callers.get(&key).into_iter().flatten());
            }
        }
        Bodies { defined: module.functions.iter().map(|function| function.key).collect(), looping }
    }

    /// Whether a loop may stand in place of the call once what is called is inlined.
    fn may_loop(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Function { key, .. } => self.looping.contains(key),
            Callee::Pointer { .. } | Callee::Unknown { .. } => !self.looping.is_empty(),
            Callee::Builtin { .. } | Callee::Compiler { .. } => false,
        }
    }

    /// Whether other blocks may stand in place of the call once what is called is inlined.
    fn may_be_inlined(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Function { key, .. } => self.defined.contains(key),
            Callee::Pointer { .. } | Callee::Unknown { .. } => true,
            Callee::Builtin { .. } | Callee::Compiler { .. } => false,
        }
    }
}

/// A function with tokens.
struct Graph<'a> {
    function: &'a Function,
    bodies: &'a Bodies,
    shape: Shape,
}

impl<'a> Graph<'a> {
    fn of(function: &'a Function, bodies: &'a Bodies) -> Graph<'a> {
        Graph { function, bodies, shape: Shape::of(function) }
    }

    fn holds(&self) -> Holds {
        let hearts = self.hearts();
        let jumps = self.jumps(&hearts);
        Holds { tokens: self.tokens(&hearts, &jumps), latches: self.latches(&hearts), ends: jumps }
    }

    /// Blocks with a heart, each with the token that the heart names.
    fn hearts(&self) -> FxHashMap<BlockId, ValueId> {
        let mut hearts = FxHashMap::default();
        for (id, block) in self.function.blocks.iter_enumerated() {
            for &value in &block.values {
                if let Op::Token(Token::Loop(outside)) = self.function.values[value].op {
                    hearts.insert(id, outside);
                }
            }
        }
        hearts
    }

    fn call(&self, value: ValueId) -> Option<&'a Call> {
        match &self.function.values[value].op {
            Op::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Of [`Holds::ends`] those that jump.
    fn jumps(&self, hearts: &FxHashMap<BlockId, ValueId>) -> FxHashMap<BlockId, ValueId> {
        let Shape { cycles, predecessors, .. } = &self.shape;
        let mut jumps = FxHashMap::default();
        for (id, cycle) in cycles.cycles.iter_enumerated() {
            let Some(&outside) = hearts.get(&cycle.header).filter(|_| self.may_end_differently(id)) else {
                continue;
            };
            let before = predecessors[cycle.header].iter().filter(|&&block| !cycles.contains(id, block));
            let jumping = before
                .filter(|&&block| matches!(self.function.blocks[block].terminator, Terminator::Jump(_)));
            jumps.extend(jumping.map(|&block| (block, outside)));
        }
        jumps
    }

    /// Whether iterations of the cycle may end in different blocks: threads may take different ways through it.
    fn may_end_differently(&self, id: CycleId) -> bool {
        let Shape { cycles, .. } = &self.shape;
        let cycle = &cycles.cycles[id];
        !cycle.children.is_empty()
            || cycle.own.iter().any(|&block| {
                let block = &self.function.blocks[block];
                let mut inside =
                    block.terminator.successors().into_iter().filter(|&next| cycles.contains(id, next));
                let first = inside.next();
                inside.any(|next| Some(next) != first)
                    || block
                        .values
                        .iter()
                        .filter_map(|&value| self.call(value))
                        .any(|call| self.bodies.may_be_inlined(call))
            })
    }

    /// See [`Holds::tokens`].
    fn tokens(
        &self,
        hearts: &FxHashMap<BlockId, ValueId>,
        jumps: &FxHashMap<BlockId, ValueId>,
    ) -> FxHashSet<ValueId> {
        let mut held = FxHashSet::default();
        // Those that nothing keeps in their blocks, each with its block.
        let mut loose: FxHashMap<ValueId, BlockId> = FxHashMap::default();
        for (id, block) in self.function.blocks.iter_enumerated() {
            for (at, &value) in block.values.iter().enumerate() {
                if matches!(self.function.values[value].op, Op::Token(Token::Entry | Token::Anchor))
                    && !self.is_kept(value, &block.values[at + 1..], jumps.get(&id) == Some(&value))
                {
                    loose.insert(value, id);
                }
            }
        }
        if loose.is_empty() {
            return held;
        }
        let cycles = &self.shape.cycles;
        let alive = Alive::of(self, &loose);
        let nesting = |token: ValueId| cycles.innermost(loose[&token]);
        // Those that live across a loop of the function, which no heart there names.
        for (_, cycle) in cycles.cycles.iter_enumerated() {
            let named = hearts.get(&cycle.header);
            let over = alive
                .at(cycle.header)
                .filter(|&token| nesting(token) == cycle.parent && named != Some(&token));
            held.extend(over);
        }
        // Those that live across one that is inlined.
        for (id, block) in self.function.blocks.iter_enumerated() {
            let loops = |&value: &ValueId| self.call(value).is_some_and(|call| self.bodies.may_loop(call));
            let Some(at) = block.values.iter().position(loops) else { continue };
            let defined = block.values[..at].iter().copied().filter(|value| loose.contains_key(value));
            let over = alive.at(id).chain(defined).filter(|&token| {
                nesting(token) == cycles.innermost(id)
                    && alive.behind(self, token, id, &block.values[at + 1..])
            });
            held.extend(over);
        }
        held
    }

    /// Whether a use that stays keeps the token in its block: that of a call which is not inlined, or the one before a jump, and nothing that
    /// is inlined stands before it. `behind`: the values behind the token.
    fn is_kept(&self, token: ValueId, behind: &[ValueId], before_jump: bool) -> bool {
        for call in behind.iter().filter_map(|&value| self.call(value)) {
            if self.bodies.may_be_inlined(call) {
                return false;
            }
            if call.token == Some(token) {
                return true;
            }
        }
        before_jump
    }

    /// See [`Holds::latches`].
    fn latches(&self, hearts: &FxHashMap<BlockId, ValueId>) -> FxHashMap<BlockId, BlockId> {
        let mut latches = FxHashMap::default();
        if hearts.is_empty() {
            return latches;
        }
        let mut same: UnionFind<usize> = UnionFind::new(self.function.blocks.len());
        for (id, block) in self.function.blocks.iter_enumerated() {
            let successors = block.terminator.successors().into_iter();
            let closed = successors
                .filter(|next| hearts.contains_key(next) && self.shape.dominators.dominates(*next, id));
            for header in closed {
                let first = *latches.entry(id).or_insert(header);
                same.union(first.index(), header.index());
            }
        }
        latches.values_mut().for_each(|header| *header = BlockId::from(same.find(header.index())));
        latches
    }
}

/// Where tokens are used later on.
struct Alive {
    /// The tokens that are alive at the begin of a block.
    at: FxHashMap<BlockId, FxHashSet<ValueId>>,
}

impl Alive {
    fn of(graph: &Graph, tokens: &FxHashMap<ValueId, BlockId>) -> Alive {
        let mut alive = Alive { at: FxHashMap::default() };
        let mut uses: Vec<(ValueId, BlockId)> = Vec::new();
        for (id, block) in graph.function.blocks.iter_enumerated() {
            uses.extend(block.values.iter().filter_map(|&value| Some((used(graph, value)?, id))));
        }
        while let Some((token, block)) = uses.pop() {
            if tokens.get(&token).is_none_or(|&defined| defined == block)
                || !alive.at.entry(block).or_default().insert(token)
            {
                continue;
            }
            uses.extend(graph.shape.predecessors[block].iter().map(|&before| (token, before)));
        }
        alive
    }

    fn at(&self, block: BlockId) -> impl Iterator<Item = ValueId> {
        self.at.get(&block).into_iter().flatten().copied()
    }

    /// Whether the token is used behind a place in a block. `values`: those of the block behind that place.
    fn behind(&self, graph: &Graph, token: ValueId, block: BlockId, values: &[ValueId]) -> bool {
        values.iter().any(|&value| used(graph, value) == Some(token))
            || graph.function.blocks[block]
                .terminator
                .successors()
                .iter()
                .any(|next| self.at.get(next).is_some_and(|alive| alive.contains(&token)))
    }
}

/// The token that a value uses.
fn used(graph: &Graph, value: ValueId) -> Option<ValueId> {
    match &graph.function.values[value].op {
        Op::Token(Token::Loop(outside)) => Some(*outside),
        Op::Call(call) => call.token,
        _ => None,
    }
}
