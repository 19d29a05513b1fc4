//! Which dynamic instances are converged: those with the same key.
//!
//! A key holds all that the spec compares, so that threads need not be compared pair by pair. Two threads' instances of one static
//! instance `X` are converged iff
//!
//! - **call**: both threads entered the function by converged instances of one call (a kernel: always; what the group is, is the
//!   question of whoever compares);
//! - **header**: of the cycles around `X`, both threads executed no header yet, or converged instances of the same header last
//!   (*Dependence on Cycles Headers*, the three cases about `Q1` and `Q2`: "the last point of convergence, with no other header being
//!   executed before executing `X`"). Headers are those of one hierarchy; it is chosen at random for each run, because what is
//!   uniform must be so in every hierarchy;
//! - **tokens**: both executed converged instances of each token definition whose region holds `X` (*Controlled Maximal
//!   converged-with Relation*, 2.1). The region is where the token is live.
//!
//! The header instances in turn have keys of the same kind. An operation that uses a token is different, *Controlled Maximal* 1: its
//! key is that of the token alone; of a `loop`, the token and how often the thread has executed it with that token. The
//! implementation-defined `anchor` has the key of an uncontrolled operation.
//!
//! ```text
//! H1 B1 L1 H3 L3        H1: (H, none)   H3: (H, (H, none))   B1: (B, (H, none))
//! H2 L2 H4 B2 L4        H2: (H, none)   H4: (H, (H, none))   B2: (B, (H, (H, none)))   so B1 and B2 are not converged
//! ```

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle::flow::cycles::{CycleId, Cycles};
use tangle::flow::{BlockId, Function, Op, Terminator, Token, ValueId};

use crate::random::Random;

/// A dynamic instance, up to convergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u32);

/// What is executed: the block as a whole (its header instance, if it is one), its end, or an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    Parameter(ValueId),
    Block(BlockId),
    Operation(ValueId),
    End(BlockId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instance {
    Kernel,
    /// The activation of a function, by its number, through a call.
    Activation {
        function: usize,
        call: Key,
    },
    Uncontrolled {
        activation: Key,
        point: Point,
        header: Option<Key>,
        tokens: Vec<Key>,
    },
    Controlled {
        activation: Key,
        value: ValueId,
        token: Key,
    },
    Heart {
        activation: Key,
        value: ValueId,
        token: Key,
        count: u32,
    },
}

#[derive(Default)]
pub struct Keys {
    numbers: FxHashMap<Instance, Key>,
    instances: Vec<Instance>,
}

impl Keys {
    pub fn of(&mut self, instance: Instance) -> Key {
        *self.numbers.entry(instance).or_insert_with_key(|instance| {
            self.instances.push(instance.clone());
            Key(self.instances.len() as u32 - 1)
        })
    }

    pub fn instance(&self, key: Key) -> &Instance {
        &self.instances[key.0 as usize]
    }

    /// For the instance of a header: the header, and the instance of a header before it.
    pub fn header(&self, key: Key) -> Option<(BlockId, Option<Key>)> {
        match self.instance(key) {
            Instance::Uncontrolled { point: Point::Block(block), header, .. } => Some((*block, *header)),
            _ => None,
        }
    }
}

/// What is known of a function before it runs.
pub struct Shape {
    pub cycles: Cycles,
    /// Of each header its cycle.
    pub cycle_of: IndexVec<BlockId, Option<CycleId>>,
    /// Of each cycle itself and those nested in it.
    pub within: IndexVec<CycleId, Vec<CycleId>>,
    /// Tokens that are live before each operation of a block; the last list is that of its end.
    pub live: IndexVec<BlockId, Vec<Vec<ValueId>>>,
}

/// The hierarchy that a walk finds which takes successors in another order.
fn hierarchy(function: &Function, random: &mut Random) -> Cycles {
    let mut turned = function.clone();
    for block in &mut turned.blocks {
        match &mut block.terminator {
            Terminator::Branch { then, otherwise, .. } if random.chance(50) => {
                std::mem::swap(then, otherwise)
            }
            Terminator::Switch { cases, otherwise, .. } => {
                for at in 0..cases.len() {
                    match random.below(cases.len() + 1) {
                        with if with < cases.len() => {
                            let target = cases[with].2;
                            cases[with].2 = std::mem::replace(&mut cases[at].2, target);
                        }
                        _ => std::mem::swap(&mut cases[at].2, otherwise),
                    }
                }
            }
            _ => {}
        }
    }
    tangle::flow::shape::Shape::of(&turned).cycles
}

/// The token that an operation uses.
pub fn token_of(op: &Op) -> Option<ValueId> {
    match op {
        Op::Call(call) => call.token,
        Op::Token(Token::Loop(parent)) => Some(*parent),
        _ => None,
    }
}

/// Before each operation, and at the end, the tokens that are used later without being defined anew.
fn live_tokens(function: &Function) -> IndexVec<BlockId, Vec<Vec<ValueId>>> {
    let mut live: IndexVec<BlockId, Vec<Vec<ValueId>>> =
        function.blocks.iter().map(|block| vec![Vec::new(); block.values.len() + 1]).collect();
    let uses = function.values.iter().any(|value| token_of(&value.op).is_some());
    let mut changed = uses;
    while changed {
        changed = false;
        for (id, block) in function.blocks.iter_enumerated().rev() {
            let mut now: Vec<ValueId> = Vec::new();
            for next in block.terminator.successors() {
                now.extend(&live[next][0]);
            }
            for at in (0..=block.values.len()).rev() {
                if let Some(&value) = block.values.get(at) {
                    now.retain(|&token| token != value);
                    now.extend(token_of(&function.values[value].op));
                }
                now.sort_unstable();
                now.dedup();
                if live[id][at] != now {
                    live[id][at].clone_from(&now);
                    changed = true;
                }
            }
        }
    }
    live
}

impl Shape {
    pub fn new(function: &Function, random: &mut Random) -> Shape {
        let cycles = hierarchy(function, random);
        let mut cycle_of = index_vec![None; function.blocks.len()];
        for (id, cycle) in cycles.cycles.iter_enumerated() {
            cycle_of[cycle.header] = Some(id);
        }
        let within = cycles
            .cycles
            .indices()
            .map(|outer| cycles.cycles.indices().filter(|&inner| cycles.is_around(outer, inner)).collect());
        Shape { within: within.collect(), cycle_of, live: live_tokens(function), cycles }
    }

    /// Whether a way leads from behind an operation to another one (or, with None, the begin of a block) that enters none of the blocks
    /// to avoid.
    pub fn leads(
        &self,
        function: &Function,
        (from, after): (BlockId, usize),
        (to, before): (BlockId, Option<usize>),
        avoid: &[BlockId],
    ) -> bool {
        if from == to && before.is_some_and(|before| after < before) {
            return true;
        }
        let mut seen: IndexVec<BlockId, bool> = index_vec![false; function.blocks.len()];
        let mut todo = vec![from];
        while let Some(block) = todo.pop() {
            for next in function.blocks[block].terminator.successors() {
                if next == to && (before.is_none() || !avoid.contains(&next)) {
                    return true;
                }
                if !avoid.contains(&next) && !std::mem::replace(&mut seen[next], true) {
                    todo.push(next);
                }
            }
        }
        false
    }
}
