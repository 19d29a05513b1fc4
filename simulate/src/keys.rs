//! Which dynamic instances are converged: those with the same key.
//!
//! A key holds all that the spec compares, so that threads need not be compared pair by pair. Two threads' instances of one static
//! instance `X` are converged iff
//!
//! - **call**: both threads entered the function by converged instances of one call (a kernel: always; what the group is, is the
//!   question of whoever compares);
//! - **headers**: of the cycles around `X`, both threads executed no header yet, or converged instances of the same header last
//!   (*Dependence on Cycles Headers*, the three cases about `Q1` and `Q2`: "the last point of convergence, with no other header being
//!   executed before executing `X`");
//! - **tokens**: both executed converged instances of each token definition whose region holds `X` (*Controlled Maximal
//!   converged-with Relation*, 2.1). The region is where the token is live.
//!
//! Of the headers, numbers say it all. Let `C1 … Ck` be the cycles around `X`, from the outside in, and `n_i` how often the thread has
//! executed the header of `C_i` since it last executed one of `C_1 … C_{i-1}`. The instance of a header depends on those before it in its own
//! cycle and in cycles around it, and forgets those of cycles in it. So the last header instances are converged iff `n_1 … n_k` are equal.
//!
//! ```text
//! H1 B1 L1 H3 L3        H1: 1   H3: 2   B1: 1
//! H2 L2 H4 B2 L4        H2: 1   H4: 2   B2: 2   so B1 and B2 are not converged
//! ```
//!
//! By the strategies of the source all this is different: two instances are converged iff they are in the same iterations of the loops of the source
//! around them, and have the same marks ([`way`](crate::way)).
//!
//! An operation that uses a token is different, *Controlled Maximal* 1: its key is that of the token alone; of a `loop`, the token and how
//! often the thread has executed it with that token. An `anchor` has the key of an uncontrolled operation, and the part of the threads
//! there that get one token ([`Policy`](crate::Policy)).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_ir::flow::{BlockId, Function, Op, Token, ValueId};

use crate::way::Mark;

/// A dynamic instance, up to convergence. The numbers say nothing beyond equality, but are the same in every run of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u32);

/// What is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// A parameter gets its value.
    Parameter(ValueId),
    /// A block as a whole; its header instance, if it is one.
    Block(BlockId),
    /// An operation.
    Operation(ValueId),
    /// The end of a block.
    End(BlockId),
}

/// What a key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Instance {
    Kernel,
    /// The activation of a function, by its number, through a call.
    Activation {
        function: u32,
        call: Key,
    },
    Uncontrolled {
        activation: Key,
        point: Point,
        /// How often headers were executed, as above.
        headers: SmallVec<[u32; 4]>,
        tokens: SmallVec<[Key; 2]>,
        /// Where an implementation is free: 0 for all threads, or which part of them.
        part: u32,
    },
    /// As the source says.
    Source {
        activation: Key,
        point: Point,
        /// Of the loops of the source around it, from the inside out.
        iterations: SmallVec<[u32; 4]>,
        marks: SmallVec<[Mark; 2]>,
        /// Where an implementation is free: 0 for all threads, or which part of them.
        part: u32,
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

/// The keys of one execution.
#[derive(Default)]
pub(crate) struct Keys {
    numbers: FxHashMap<Instance, Key>,
    instances: Vec<Instance>,
}

impl Keys {
    /// About what one key takes, in bytes.
    pub const BYTES: u64 = 4 * size_of::<Instance>() as u64;

    pub fn of(&mut self, instance: Instance) -> Key {
        if let Some(&known) = self.numbers.get(&instance) {
            return known;
        }
        let key = Key(self.instances.len() as u32);
        self.instances.push(instance.clone());
        self.numbers.insert(instance, key);
        key
    }

    pub fn instance(&self, key: Key) -> &Instance {
        &self.instances[key.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.instances.len()
    }
}

/// The token that an operation uses.
pub(crate) fn token_of(op: &Op) -> Option<ValueId> {
    match op {
        Op::Call(call) => call.token,
        Op::Token(Token::Loop(parent)) => Some(*parent),
        _ => None,
    }
}

/// Before each operation of a block, and at its end, the tokens that are used later without being defined anew.
pub(crate) type Live = Vec<Vec<ValueId>>;

/// The live tokens of each block. Empty: the function has no token.
pub(crate) fn live_tokens(function: &Function) -> Vec<Live> {
    if !function.values.iter().any(|value| token_of(&value.op).is_some()) {
        return Vec::new();
    }
    let mut live: Vec<Live> =
        function.blocks.iter().map(|block| vec![Vec::new(); block.values.len() + 1]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, block) in function.blocks.iter_enumerated().rev() {
            let mut now: Vec<ValueId> = Vec::new();
            for next in block.terminator.successors() {
                now.extend(&live[next.index()][0]);
            }
            for at in (0..=block.values.len()).rev() {
                if let Some(&value) = block.values.get(at) {
                    now.retain(|&token| token != value);
                    now.extend(token_of(&function.values[value].op));
                }
                now.sort_unstable();
                now.dedup();
                if live[id.index()][at] != now {
                    live[id.index()][at].clone_from(&now);
                    changed = true;
                }
            }
        }
    }
    live
}
