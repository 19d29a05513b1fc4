//! Decides which dynamic instances are converged: instances with the same key.
//!
//! A key holds everything that the specification compares, so threads need not be compared pair by pair. The instances
//! of a static instance `X` in two threads are converged iff all of the following hold:
//!
//! - **call**: both threads entered the function by converged instances of one call. For a kernel this is always true;
//!   the user of the keys also compares the groups.
//! - **headers**: of the cycles around `X`, either neither thread has executed a header yet, or their last header
//!   instances are converged instances of the same header (*Dependence on Cycles Headers*, the three cases about `Q1`
//!   and `Q2`: "the last point of convergence, with no other header being executed before executing `X`").
//! - **tokens**: both threads executed converged instances of each token definition whose region contains `X`
//!   (*Controlled Maximal converged-with Relation*, 2.1). The region is where the token is live.
//!
//! Numbers represent the headers. Let `C1 … Ck` be the cycles around `X`, from the outside in. `n_i` is the number of
//! times that the thread has executed the header of `C_i` since it last executed a header of `C_1 … C_{i-1}`. The
//! instance of a header depends on earlier header instances of its own cycle and of the cycles around it, but not on
//! inner cycles. So the last header instances are converged iff `n_1 … n_k` are equal.
//!
//! ```text
//! H1 B1 L1 H3 L3        H1: 1   H3: 2   B1: 1
//! H2 L2 H4 B2 L4        H2: 1   H4: 2   B2: 2   so B1 and B2 are not converged
//! ```
//!
//! The strategies of the source use a different rule: two instances are converged iff they are in the same iterations
//! of all source loops around them, and have the same marks ([`position`](crate::way)).
//!
//! An operation that uses a token also has a different rule (*Controlled Maximal* 1): its key depends only on the
//! operation and the key of the token. For a `loop`, it also depends on the number of times that the thread has
//! executed the `loop` with that token. An `anchor` has the key of an uncontrolled operation, plus the part of the
//! threads there that get one token ([`Policy`](crate::Policy)).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_ir::flow::{BlockId, Function, Op, Token, ValueId};

use crate::position::Mark;

/// The number of an equivalence class of converged dynamic instances. The numbers have no meaning except equality, but
/// are the same in every run of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(u32);

/// The static instance: the operation, block or parameter that a thread executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The definition of a parameter at the entry of its function.
    Parameter(ValueId),
    /// A block as a whole. For a header, this is the header instance.
    Block(BlockId),
    /// An operation.
    Operation(ValueId),
    /// The end of a block.
    End(BlockId),
}

/// The `anchor` that defines the token of an operation, directly or through other tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnchorUse {
    /// The instance of the `anchor`.
    pub anchor: Key,
    /// The operations from the one with the token to the `anchor`, and how often the thread has executed each `loop` of
    /// them with its token. Two threads with converged instances of the `anchor` execute converged instances of the
    /// operation iff their paths are equal.
    pub path: Vec<(ValueId, u32)>,
}

/// The data that a key represents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InstanceData {
    Kernel,
    /// The activation of a function, given by its number in the program, through a call.
    Activation {
        function: u32,
        call: Key,
    },
    Uncontrolled {
        activation: Key,
        point: Point,
        /// The execution counts of the headers around it, as described above, from the inside out.
        headers: SmallVec<[u32; 4]>,
        tokens: SmallVec<[Key; 2]>,
        /// 0 for all threads; otherwise the part of the threads, where an implementation is free.
        part: u32,
    },
    /// By the strategies of the source.
    Source {
        activation: Key,
        point: Point,
        /// The iterations of the source loops around it, from the inside out.
        iterations: SmallVec<[u32; 4]>,
        marks: SmallVec<[Mark; 2]>,
        /// 0 for all threads; otherwise the part of the threads, where an implementation is free.
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
    numbers: FxHashMap<InstanceData, Key>,
    instances: Vec<InstanceData>,
}

impl Keys {
    /// Approximate size of one key, in bytes.
    pub const BYTES: u64 = 4 * size_of::<InstanceData>() as u64;

    pub fn of(&mut self, instance: InstanceData) -> Key {
        if let Some(&known) = self.numbers.get(&instance) {
            return known;
        }
        let key = Key(self.instances.len() as u32);
        self.instances.push(instance.clone());
        self.numbers.insert(instance, key);
        key
    }

    pub fn instance(&self, key: Key) -> &InstanceData {
        &self.instances[key.0 as usize]
    }

    /// Returns the `anchor` that controls an instance. `is_anchor`: whether an operation of a function, given by its
    /// number in the program, is an `anchor`. `kernel`: the number of the kernel.
    pub fn anchor_of(
        &self,
        mut key: Key,
        kernel: usize,
        is_anchor: impl Fn(usize, ValueId) -> bool,
    ) -> Option<AnchorUse> {
        let mut path = Vec::new();
        loop {
            match *self.instance(key) {
                InstanceData::Controlled { value, token, .. } => {
                    path.push((value, 0));
                    key = token;
                }
                InstanceData::Heart { value, token, count, .. } => {
                    path.push((value, count));
                    key = token;
                }
                InstanceData::Activation { call, .. } => key = call,
                InstanceData::Uncontrolled { activation, point: Point::Operation(value), .. } => {
                    let function = match self.instance(activation) {
                        InstanceData::Activation { function, .. } => *function as usize,
                        _ => kernel,
                    };
                    return is_anchor(function, value).then_some(AnchorUse { anchor: key, path });
                }
                InstanceData::Kernel | InstanceData::Uncontrolled { .. } | InstanceData::Source { .. } => {
                    return None;
                }
            }
        }
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

/// The live tokens before each operation of a block and at its end: tokens that are used later and not redefined before
/// that.
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
