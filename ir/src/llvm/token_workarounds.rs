//! Workarounds that keep tokens in place in LLVM 19's optimiser. `docs/lowering.md` has the smallest IR for each case,
//! and the cases without a workaround.
//!
//! **A token sinks.** If only code after a loop uses a value from before the loop, LLVM 19 (`IndVarSimplify`) moves the
//! value after the loop. It does not except `entry` and `anchor`. (It does not move hearts, because LLVM 19 assumes
//! that a call with a bundle writes memory.) An `entry` then leaves the entry block, and LLVM's own verifier rejects
//! the module. The loop may also be in a callee that is inlined:
//!
//! ```text
//! entry:  %t = entry                  entry:  br loop
//! loop:   br c, loop, end        ->   loop:   br c, loop, end
//! end:    call op() with %t           end:    %t = entry; call op() with %t
//! ```
//!
//! A token with a use in its own block stays there. So such a token is *held* there, by a call without effect:
//!
//! ```text
//! call void @llvm.sideeffect() convergent [ "convergencectrl"(token %t) ]
//! ```
//!
//! LLVM does not remove the call, because it counts as a side effect. It does not move the call either, because it is
//! convergent. The call generates no instruction.
//!
//! **A loop gets another header.** LLVM 19 (`SimplifyCFG`) merges equal code before a loop and at the end of some of
//! its iterations. The merged block becomes the header, and the heart no longer dominates its cycle:
//!
//! ```text
//! before: store; br head              before: br both
//! head:   %h = loop %t; …             both:   store; br head
//! some:   store; br head         ->   head:   %h = loop %t; …
//!                                     some:   br both
//! ```
//!
//! So each block that jumps into a loop with a heart ends with such a call. The ends of iterations have no such call
//! and are not merged with it. If all iterations end in one block, a merge does no harm, and there is no call.
//!
//! **A heart is copied.** LLVM 19 (`LoopUnroll`) unrolls a loop with a heart completely, and keeps the heart of every
//! iteration. If blocks are merged then, a heart follows the convergent operations of the iteration before. The static
//! rules and LLVM's verifier forbid this:
//!
//! ```text
//! loop:   %h = loop %t; call op() with %h; br c, loop, end
//!  ->     %h = loop %t; call op() with %h; %g = loop %t; call op() with %g
//! ```
//!
//! So the metadata of a loop with a heart disables unrolling.
//!
//! **A hub is removed.** If a block only has a phi for the incoming edge and a branch on this phi, LLVM 19
//! (`SimplifyCFG`) redirects each predecessor to the final target. A call that holds a token prevents this: no path can
//! bypass a block with a convergent call.

use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::cycles::CycleId;
use crate::flow::exits::ExitHub;
use crate::flow::shape::GraphAnalysis;
use crate::flow::{BlockId, Call, Callee, Function, Module, Op, Terminator, Token, ValueId};
use crate::key::FunctionKey;

/// The workarounds in the text of a function, in addition to its graph.
#[derive(Default)]
pub struct TokenHolds {
    /// The tokens that are held directly after their definitions.
    pub tokens: FxHashSet<ValueId>,
    /// The blocks where a token is held before the end: hubs, with their tokens, and blocks that jump to a loop with a
    /// heart, with the token that the heart names.
    pub ends: FxHashMap<BlockId, ValueId>,
    /// The blocks with a back edge to a header with a heart, each with the header of its loop. A terminator can name
    /// only one loop. Loops that share such a block therefore count as one, with the header of one of them.
    pub latches: FxHashMap<BlockId, BlockId>,
}

/// Returns the workarounds for each function of the module. `hubs` are the blocks that all exits of a loop lead through
/// ([`exits`](crate::flow::exits)), for each function.
pub fn holds(module: &Module, hubs: &[Vec<ExitHub>]) -> Vec<TokenHolds> {
    let bodies = module.functions.iter().any(has_tokens).then(|| InliningEffects::of(module));
    let of = |function: &Function| match &bodies {
        Some(bodies) if has_tokens(function) => Graph::of(function, bodies).holds(),
        _ => TokenHolds::default(),
    };
    let with = |function: &Function, hubs: &[ExitHub]| {
        let mut holds = of(function);
        holds.ends.extend(hubs.iter().map(|hub| (hub.block, hub.token)));
        holds
    };
    module.functions.iter().zip(hubs).map(|(function, hubs)| with(function, hubs)).collect()
}

fn has_tokens(function: &Function) -> bool {
    function.values.iter().any(|value| matches!(value.op, Op::Token(_)))
}

/// The possible effects of inlining.
struct InliningEffects {
    /// The functions that the module defines.
    defined: FxHashSet<FunctionKey>,
    /// The functions with a cycle, and the functions that call one of these.
    looping: FxHashSet<FunctionKey>,
}

impl InliningEffects {
    fn of(module: &Module) -> InliningEffects {
        let mut callers: FxHashMap<FunctionKey, Vec<FunctionKey>> = FxHashMap::default();
        let mut todo = Vec::new();
        for function in &module.functions {
            for value in &function.values {
                if let Op::Call(Call { callee: Callee::Function { key, .. }, .. }) = &value.op {
                    callers.entry(*key).or_default().push(function.key);
                }
            }
            if !GraphAnalysis::of(function).cycles.cycles.is_empty() {
                todo.push(function.key);
            }
        }
        let mut looping = FxHashSet::default();
        while let Some(key) = todo.pop() {
            if looping.insert(key) {
                todo.extend(callers.get(&key).into_iter().flatten());
            }
        }
        InliningEffects { defined: module.functions.iter().map(|function| function.key).collect(), looping }
    }

    /// Whether inlining may put a loop in place of a call.
    fn may_loop(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Function { key, .. } => self.looping.contains(key),
            Callee::Pointer { .. } | Callee::Unknown { .. } => !self.looping.is_empty(),
            Callee::Builtin { .. } | Callee::CompilerBuiltin { .. } => false,
        }
    }

    /// Whether inlining may put other blocks in place of a call.
    fn may_be_inlined(&self, call: &Call) -> bool {
        match &call.callee {
            Callee::Function { key, .. } => self.defined.contains(key),
            Callee::Pointer { .. } | Callee::Unknown { .. } => true,
            Callee::Builtin { .. } | Callee::CompilerBuiltin { .. } => false,
        }
    }
}

/// A function with tokens.
struct Graph<'a> {
    function: &'a Function,
    bodies: &'a InliningEffects,
    shape: GraphAnalysis,
}

impl<'a> Graph<'a> {
    fn of(function: &'a Function, bodies: &'a InliningEffects) -> Graph<'a> {
        Graph { function, bodies, shape: GraphAnalysis::of(function) }
    }

    fn holds(&self) -> TokenHolds {
        let hearts = self.hearts();
        let jumps = self.jumps(&hearts);
        TokenHolds { tokens: self.tokens(&hearts, &jumps), latches: self.latches(&hearts), ends: jumps }
    }

    /// Returns the blocks with a heart, each with the token that the heart names.
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

    /// Returns the blocks of [`TokenHolds::ends`] that jump to a loop with a heart.
    fn jumps(&self, hearts: &FxHashMap<BlockId, ValueId>) -> FxHashMap<BlockId, ValueId> {
        let GraphAnalysis { cycles, predecessors, .. } = &self.shape;
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

    /// Whether iterations of the cycle may end in different blocks, because there are several paths through it.
    fn may_end_differently(&self, id: CycleId) -> bool {
        let GraphAnalysis { cycles, .. } = &self.shape;
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

    /// See [`TokenHolds::tokens`].
    fn tokens(
        &self,
        hearts: &FxHashMap<BlockId, ValueId>,
        jumps: &FxHashMap<BlockId, ValueId>,
    ) -> FxHashSet<ValueId> {
        let mut held = FxHashSet::default();
        // The tokens that no use keeps in their blocks, each with its block.
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
        let alive = TokenLiveness::of(self, &loose);
        let nesting = |token: ValueId| cycles.innermost(loose[&token]);
        // Tokens that are live across a loop of the function whose heart does not name them.
        for (_, cycle) in cycles.cycles.iter_enumerated() {
            let named = hearts.get(&cycle.header);
            let over = alive
                .at(cycle.header)
                .filter(|&token| nesting(token) == cycle.parent && named != Some(&token));
            held.extend(over);
        }
        // Tokens that are live across a loop that inlining may insert.
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

    /// Whether a use keeps the token in its block: a call that is not inlined, or the call that holds it before a jump.
    /// No call before this use may be inlined. `behind` has the values after the token.
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

    /// See [`TokenHolds::latches`].
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

/// The liveness of tokens.
struct TokenLiveness {
    /// The tokens that are live at the start of each block.
    at: FxHashMap<BlockId, FxHashSet<ValueId>>,
}

impl TokenLiveness {
    fn of(graph: &Graph, tokens: &FxHashMap<ValueId, BlockId>) -> TokenLiveness {
        let mut alive = TokenLiveness { at: FxHashMap::default() };
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

    /// Whether the token is used after a position in a block. `values` has the values of the block after that position.
    fn behind(&self, graph: &Graph, token: ValueId, block: BlockId, values: &[ValueId]) -> bool {
        values.iter().any(|&value| used(graph, value) == Some(token))
            || graph.function.blocks[block]
                .terminator
                .successors()
                .iter()
                .any(|next| self.at.get(next).is_some_and(|alive| alive.contains(&token)))
    }
}

/// Returns the token that a value uses.
fn used(graph: &Graph, value: ValueId) -> Option<ValueId> {
    match &graph.function.values[value].op {
        Op::Token(Token::Loop(outside)) => Some(*outside),
        Op::Call(call) => call.token,
        _ => None,
    }
}
