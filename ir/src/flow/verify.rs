//! Holds a function against the rules of SSA form and the static rules of `convergent-operations.rst`.
//!
//! A **definition** is an operation that yields a token, a **use** of it a convergent call that it controls, or a heart whose parent it
//! is. A **region** is where a token is live: the points that its definition dominates and from which a use is reached.
//!
//! | rule | says |
//! |---|---|
//! | `structure` | successors, operands and phis are of this function; a phi has one operand for each predecessor |
//! | `dominance` | a definition dominates its uses |
//! | `entry-placement` | `entry` stands in the entry block, before any other convergent operation, at most once |
//! | `entry-in-convergent-function` | a function with `entry` is convergent |
//! | `loop-placement` | `loop` stands before any other convergent operation of its block |
//! | `token-operand` | what controls a call, or is the parent of a heart, is a token; nothing else has a token for an operand |
//! | `mixed` | controlled and uncontrolled convergent operations are not mixed in a function |
//! | `use-in-cycle` | *closed paths 1*: in a cycle without its definition a token is used by a heart only |
//! | `one-use-in-cycle` | *closed paths 2, 3*: a cycle uses one token at most that is defined outside, and once |
//! | `heart-dominates` | *closed paths 4*: that use dominates the cycle: it stands in the header of a natural loop |
//! | `nested-regions` | a region that contains a use of another token contains its definition |
//!
//! It is sufficient to hold cycles, and not all closed paths, against the rules about closed paths (*Sufficient Conditions*).
//!
//! A use is **reached** along paths that do not pass the definition again: behind that, another dynamic instance of the token is live.
//! Intrinsics make a function controlled even if nothing uses their tokens. In both the verifier of LLVM 19 reads the text the same way; it
//! differs in code that nothing reaches, where an edge into a cycle counts as an entry for it.

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::{CycleId, Cycles};
use super::dominators::Dominators;
use super::regions::{overlaps, token_of};
use super::{BlockId, Function, Op, Token, ValueId};
use crate::types::Ty;

/// A rule of this module, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    Structure,
    Dominance,
    EntryPlacement,
    EntryInConvergentFunction,
    LoopPlacement,
    TokenOperand,
    Mixed,
    UseInCycle,
    OneUseInCycle,
    HeartDominates,
    NestedRegions,
}

/// Where a function breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    /// The operation, and the block that it stands in.
    pub value: Option<ValueId>,
    pub block: BlockId,
}

/// What breaks a rule, in the order of the blocks; empty if nothing does.
pub fn verify(function: &Function) -> Vec<Violation> {
    // What follows looks along edges, then along operands.
    let lost = lost_targets(function);
    if !lost.is_empty() {
        return lost;
    }
    let mut verifier = Verifier::new(function);
    verifier.structure();
    if verifier.violations.is_empty() {
        verifier.placement();
        verifier.dominance();
    }
    let unclear = [Rule::Structure, Rule::TokenOperand, Rule::Dominance];
    if !verifier.violations.iter().any(|violation| unclear.contains(&violation.rule)) {
        verifier.cycles();
        verifier.regions();
    }
    verifier.violations
}

/// Jumps to the entry, or to what is no block.
fn lost_targets(function: &Function) -> Vec<Violation> {
    let is_lost = |target: BlockId| target.index() >= function.blocks.len() || target == Function::ENTRY;
    let blocks = function.blocks.iter_enumerated();
    let lost = blocks.filter(|(_, block)| block.terminator.successors().into_iter().any(is_lost));
    lost.map(|(block, _)| Violation { rule: Rule::Structure, value: None, block }).collect()
}

struct Verifier<'a> {
    function: &'a Function,
    dominators: Dominators,
    /// The block of each value, and its place there; None for what stands in no block.
    places: IndexVec<ValueId, Option<(BlockId, usize)>>,
    violations: Vec<Violation>,
}

/// Whether an operation is convergent: the intrinsics are, too.
fn is_convergent(op: &Op) -> bool {
    match op {
        Op::Call(call) => call.convergent || call.token.is_some(),
        Op::Token(_) => true,
        _ => false,
    }
}

impl<'a> Verifier<'a> {
    fn new(function: &'a Function) -> Verifier<'a> {
        let mut places = index_vec![None; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            for (place, &value) in block.values.iter().enumerate() {
                if let Some(slot) = places.get_mut(value) {
                    *slot = Some((id, place));
                }
            }
        }
        Verifier { function, dominators: Dominators::of(function), places, violations: Vec::new() }
    }

    fn report(&mut self, rule: Rule, block: BlockId, value: impl Into<Option<ValueId>>) {
        self.violations.push(Violation { rule, value: value.into(), block });
    }

    /// Each operation with its block.
    fn operations(&self) -> impl Iterator<Item = (BlockId, ValueId, &'a Op)> + 'a {
        let function = self.function;
        let blocks = function.blocks.iter_enumerated();
        blocks.flat_map(move |(id, block)| {
            block.values.iter().map(move |&value| (id, value, &function.values[value].op))
        })
    }

    fn structure(&mut self) {
        let function = self.function;
        let mut predecessors = function.predecessors();
        predecessors.iter_mut().for_each(|list| list.sort_unstable());
        let mut placed: IndexVec<ValueId, bool> = index_vec![false; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            let mut phis = true;
            for &value in &block.values {
                let Some(op) = function.values.get(value).map(|value| &value.op) else {
                    self.report(Rule::Structure, id, value);
                    continue;
                };
                let again = std::mem::replace(&mut placed[value], true);
                let mut known = !again && !op.is_leaf() && !matches!(op, Op::Get(_) | Op::Set(..));
                op.operands(|operand| known &= operand.index() < function.values.len());
                if let Op::Phi(incoming) = op {
                    let mut blocks: Vec<BlockId> = incoming.iter().map(|&(block, _)| block).collect();
                    blocks.sort_unstable();
                    known &= phis && blocks == predecessors[id];
                } else {
                    phis = false;
                }
                if !known {
                    self.report(Rule::Structure, id, value);
                }
            }
        }
    }

    fn placement(&mut self) {
        let (mut controlled, mut uncontrolled) = (None, None);
        let mut before: FxHashSet<BlockId> = FxHashSet::default();
        for (block, value, op) in self.operations() {
            let first = !before.contains(&block);
            match op {
                Op::Token(Token::Entry) => {
                    if block != Function::ENTRY || !first {
                        self.report(Rule::EntryPlacement, block, value);
                    }
                    if !self.function.convergent {
                        self.report(Rule::EntryInConvergentFunction, block, value);
                    }
                    controlled = Some((block, value));
                }
                Op::Token(token) => {
                    if matches!(token, Token::Loop(_)) && !first {
                        self.report(Rule::LoopPlacement, block, value);
                    }
                    controlled = Some((block, value));
                }
                Op::Call(call) if call.token.is_some() => controlled = Some((block, value)),
                Op::Call(call) if call.convergent => uncontrolled = Some((block, value)),
                _ => {}
            }
            let is_token = |value: ValueId| self.function.values[value].ty == Ty::TOKEN;
            let mut wrong = false;
            op.operands(|&operand| wrong |= is_token(operand) != (token_of(op) == Some(operand)));
            if wrong {
                self.report(Rule::TokenOperand, block, value);
            }
            if is_convergent(op) {
                before.insert(block);
            }
        }
        if let (Some(_), Some((block, value))) = (controlled, uncontrolled) {
            self.report(Rule::Mixed, block, value);
        }
    }

    fn dominance(&mut self) {
        for (block, value, op) in self.operations() {
            if !self.dominators.is_reachable(block) {
                continue;
            }
            let place = self.places[value].map_or(0, |(_, place)| place);
            let mut fine = true;
            match op {
                Op::Phi(incoming) => {
                    for &(from, operand) in incoming {
                        fine &= self.reaches(operand, from, usize::MAX);
                    }
                }
                _ => op.operands(|&operand| fine &= self.reaches(operand, block, place)),
            }
            if !fine {
                self.report(Rule::Dominance, block, value);
            }
        }
        for (id, block) in self.function.blocks.iter_enumerated() {
            let fine = block.terminator.operand().is_none_or(|operand| self.reaches(operand, id, usize::MAX));
            if !fine && self.dominators.is_reachable(id) {
                self.report(Rule::Dominance, id, None);
            }
        }
    }

    /// Whether a value is there at a place of a block.
    fn reaches(&self, value: ValueId, block: BlockId, place: usize) -> bool {
        match self.places[value] {
            None => self.function.values[value].op.is_leaf(),
            Some((definition, at)) if definition == block => at < place,
            Some((definition, _)) => self.dominators.dominates(definition, block),
        }
    }

    fn cycles(&mut self) {
        let cycles = Cycles::of(self.function);
        let mut hearts: FxHashMap<CycleId, ValueId> = FxHashMap::default();
        for (block, value, op) in self.operations() {
            let Some(token) = token_of(op) else { continue };
            let Some((definition, _)) = self.places[token] else { continue };
            // The cycles around the use that do not contain the definition.
            let without: Vec<CycleId> =
                cycles.around(block).take_while(|&cycle| !cycles.contains(cycle, definition)).collect();
            let Some(&outermost) = without.last() else { continue };
            if !matches!(op, Op::Token(Token::Loop(_))) {
                self.report(Rule::UseInCycle, block, value);
                continue;
            }
            let cycle = &cycles.cycles[outermost];
            if !cycle.is_reducible() || cycle.header != block {
                self.report(Rule::HeartDominates, block, value);
            }
            for cycle in without {
                if hearts.insert(cycle, value).is_some() {
                    self.report(Rule::OneUseInCycle, block, value);
                }
            }
        }
    }

    fn regions(&mut self) {
        for overlap in overlaps(self.function, &self.dominators) {
            self.report(Rule::NestedRegions, overlap.block, overlap.user);
        }
    }
}
