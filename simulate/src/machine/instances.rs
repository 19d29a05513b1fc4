//! Computes the dynamic instance that a thread executes. `keys` defines when two instances are converged.
//!
//! An instance is computed only where it is used: for convergent operations, for tokens, for calls that may reach them,
//! and for observers of values or blocks.

use smallvec::SmallVec;
use tangle_ir::flow::{Function, Op, Token, ValueId};
use tangle_ir::nest::StmtId;

use super::{Frame, Machine};
use crate::keys::{InstanceData, Key, Keys, Point, token_of};
use crate::launch::{Launch, Policy, Strategy};
use crate::observer::Observer;
use crate::position::Marks;
use crate::random::Random;

impl<'p, O: Observer> Machine<'p, O> {
    /// The instance of an operation or block that no token controls.
    pub(super) fn uncontrolled(&mut self, thread: usize, point: Point, part: u32) -> Key {
        if self.launch.strategy.is_of_source() {
            return self.of_source(thread, point);
        }
        let frame = self.frame(thread);
        let rounds = &self.rounds[frame.function];
        let around = rounds.cycles.around(frame.block);
        let headers = around.map(|cycle| frame.headers[cycle.index()]).collect();
        let alone = self.launch.policy == Policy::Must && rounds.is_irreducible(frame.block);
        let part = if alone { thread as u32 + 1 } else { part };
        let live = &self.prepared(frame).live;
        let tokens = match (self.launch.strategy, live.get(frame.block.index())) {
            (Strategy::Tokens, Some(live)) => {
                let at = if matches!(point, Point::Block(_)) { 0 } else { frame.at };
                // In a graph that satisfies the rules, every live token is defined.
                live[at].iter().filter_map(|token| frame.token(*token)).collect()
            }
            _ => SmallVec::new(),
        };
        let activation = frame.activation;
        self.keys.of(InstanceData::Uncontrolled { activation, point, headers, tokens, part })
    }

    /// The instance of an operation or block by the rules of the source.
    fn of_source(&mut self, thread: usize, point: Point) -> Key {
        let frame = self.frame(thread);
        let function = self.function(frame);
        let Launch { strategy, policy, seed, choices, .. } = *self.launch;
        let seed = seed.wrapping_add(choices.rotate_left(32));
        let Some(way) = &frame.way else { unreachable!("with this strategy, a frame records its path") };
        let iterations = way.iterations(function).collect();
        let stmt = statement(function, point).unwrap_or(function.blocks[way.place()].stmt);
        let marks = match (strategy, policy) {
            (Strategy::Tangles, Policy::Must) => way.marks(stmt).collect(),
            // A mark counts for all threads that have it, or for no thread.
            (Strategy::Tangles, Policy::Random) => {
                way.marks(stmt).filter(|mark| dice(seed, &[self.marks.hash(*mark)]) == 0).collect()
            }
            _ => SmallVec::new(),
        };
        let prepared = self.prepared(frame);
        let free = match strategy {
            Strategy::Revised => prepared.free_part(function, way.place()),
            _ => None,
        };
        let free = free.or_else(|| match point {
            Point::Operation(value) => opportunistic(function, value).map(|stmt| [1, stmt.raw()]),
            _ => None,
        });
        let part = match (free, policy) {
            (None, _) | (_, Policy::Early) => 0,
            (Some(_), Policy::Must) => thread as u32 + 1,
            (Some([kind, number]), Policy::Random) => {
                dice(seed, &[kind.into(), number.into(), thread as u64]) + 1
            }
        };
        let activation = frame.activation;
        self.keys.of(InstanceData::Source { activation, point, iterations, marks, part })
    }

    /// The instance of the next operation of a thread.
    pub(super) fn instance(&mut self, thread: usize, value: ValueId) -> Key {
        let frame = self.frame(thread);
        let op = &self.function(frame).values[value].op;
        let activation = frame.activation;
        let token = token_of(op).filter(|_| self.launch.strategy == Strategy::Tokens);
        match token.and_then(|token| frame.token(token)) {
            None => {
                let part = match (op, self.launch.policy) {
                    (Op::Token(Token::Anchor), Policy::Must) => thread as u32 + 1,
                    (Op::Token(Token::Anchor), Policy::Random) => self.choices.below(2) as u32 + 1,
                    _ => 0,
                };
                self.uncontrolled(thread, Point::Operation(value), part)
            }
            Some(token) => match op {
                Op::Token(_) => {
                    let count = self.met(frame, value, token) + 1;
                    self.keys.of(InstanceData::Heart { activation, value, token, count })
                }
                _ => self.keys.of(InstanceData::Controlled { activation, value, token }),
            },
        }
    }

    /// The number of times that a frame has executed the heart `heart` with the token `parent`.
    pub fn met(&self, frame: &Frame, heart: ValueId, parent: Key) -> u32 {
        match frame.token(heart).map(|last| self.keys.instance(last)) {
            Some(InstanceData::Heart { token, count, .. }) if *token == parent => *count,
            _ => 0,
        }
    }

    /// Accounts for the memory of all keys and marks so far.
    pub(super) fn settle_keys(&mut self, thread: usize) {
        let bytes = self.keys.len() as u64 * Keys::BYTES + self.marks.len() as u64 * Marks::BYTES;
        if bytes + self.taken > self.launch.memory {
            self.settle(self.launch.memory, thread);
        }
    }
}

/// Returns 0 or 1, the same for each call with the same arguments.
fn dice(seed: u64, of: &[u64]) -> u32 {
    let mixed = of.iter().fold(seed, |mixed, it| mixed.wrapping_mul(0x0100_0000_01b3) ^ it);
    Random::new(mixed).below(2) as u32
}

/// The statement that contains a call of the source.
fn statement(function: &Function, point: Point) -> Option<StmtId> {
    let Point::Operation(value) = point else { return None };
    let Op::Call(call) = &function.values[value].op else { return None };
    function.calls.get(call.call?).copied()
}

/// The innermost statement around a call that is marked `noconvergent`.
fn opportunistic(function: &Function, value: ValueId) -> Option<StmtId> {
    let Op::Call(call) = &function.values[value].op else { return None };
    let at = function.noconvergent_calls.binary_search_by_key(&call.call?, |(call, _)| *call).ok()?;
    Some(function.noconvergent_calls[at].1)
}
