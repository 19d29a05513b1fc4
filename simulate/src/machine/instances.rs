//! Which dynamic instance a thread executes (`keys` says when two are converged).
//!
//! Only who needs an instance asks for it: convergent operations, tokens, calls that may come to one, and an observer that wants to see values
//! or blocks.

use smallvec::SmallVec;
use tangle_ir::flow::{Function, Op, Token, ValueId};
use tangle_ir::nest::StmtId;

use super::{Frame, Machine};
use crate::keys::{Instance, Key, Keys, Point, token_of};
use crate::launch::{Launch, Policy, Strategy};
use crate::observer::Observer;
use crate::random::Random;
use crate::way::Marks;

impl<'p, O: Observer> Machine<'p, O> {
    /// The instance of something that no token controls.
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
                // A token that is live is made, in a graph that keeps the rules.
                live[at].iter().filter_map(|token| frame.token(*token)).collect()
            }
            _ => SmallVec::new(),
        };
        let activation = frame.activation;
        self.keys.of(Instance::Uncontrolled { activation, point, headers, tokens, part })
    }

    /// The instance of something by the rules of the source.
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
            // A mark holds for all who bear it, or for none.
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
        self.keys.of(Instance::Source { activation, point, iterations, marks, part })
    }

    /// The instance of an operation that is about to be executed.
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
                    self.keys.of(Instance::Heart { activation, value, token, count })
                }
                _ => self.keys.of(Instance::Controlled { activation, value, token }),
            },
        }
    }

    /// How often a frame has executed a heart with a token of its parent.
    pub fn met(&self, frame: &Frame, heart: ValueId, parent: Key) -> u32 {
        match frame.token(heart).map(|last| self.keys.instance(last)) {
            Some(Instance::Heart { token, count, .. }) if *token == parent => *count,
            _ => 0,
        }
    }

    /// Counts the keys made so far against the memory.
    pub(super) fn settle_keys(&mut self, thread: usize) {
        let bytes = self.keys.len() as u64 * Keys::BYTES + self.marks.len() as u64 * Marks::BYTES;
        if bytes + self.taken > self.launch.memory {
            self.settle(self.launch.memory, thread);
        }
    }
}

/// One of two numbers for something, the same whenever it is asked for.
fn dice(seed: u64, of: &[u64]) -> u32 {
    let mixed = of.iter().fold(seed, |mixed, it| mixed.wrapping_mul(0x0100_0000_01b3) ^ it);
    Random::new(mixed).below(2) as u32
}

/// The statement that a call of the source stands in.
fn statement(function: &Function, point: Point) -> Option<StmtId> {
    let Point::Operation(value) = point else { return None };
    let Op::Call(call) = &function.values[value].op else { return None };
    function.calls.get(call.call?).copied()
}

/// The statement in the source that leaves open who executes a call together, if one does.
fn opportunistic(function: &Function, value: ValueId) -> Option<StmtId> {
    let Op::Call(call) = &function.values[value].op else { return None };
    let at = function.opportunistic.binary_search_by_key(&call.call?, |(call, _)| *call).ok()?;
    Some(function.opportunistic[at].1)
}
