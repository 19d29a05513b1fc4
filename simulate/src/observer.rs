//! Who watches an execution.
//!
//! The keys of dynamic instances cost time and memory. They are computed for what is convergent; for everything else only while an
//! observer asks for them. `()` asks for nothing, and the executor made for it has no trace of observing.

use tangle_ir::flow::{BlockId, ValueId};

use crate::keys::Key;
use crate::outcome::Communication;
use crate::value::Val;

/// Told of what threads do, in the order in which the executor does it. Converged instances come one after the other, at any distance.
pub trait Observer {
    /// Whether [`value`](Observer::value) and [`branched`](Observer::branched) are wanted from here on. May change only from true to false.
    fn wants_values(&self) -> bool {
        false
    }

    /// Whether [`visited`](Observer::visited) is wanted from here on. May change only from true to false.
    fn wants_blocks(&self) -> bool {
        false
    }

    /// A thread enters a function of the module. Of a function without convergent operations the activation has a key only if values or
    /// blocks are wanted; else it is that of the function around.
    fn entered(&mut self, activation: Key, function: usize, thread: usize, arguments: &[Val]) {
        let _ = (activation, function, thread, arguments);
    }

    /// A thread returns.
    fn left(&mut self, activation: Key, thread: usize) {
        let _ = (activation, thread);
    }

    /// A parameter, phi or operation has a value.
    fn value(&mut self, activation: Key, value: ValueId, key: Key, thread: usize, result: &Val) {
        let _ = (activation, value, key, thread, result);
    }

    /// A `branch` or `switch` at the end of a block leads somewhere.
    fn branched(&mut self, activation: Key, block: BlockId, key: Key, thread: usize, target: BlockId) {
        let _ = (activation, block, key, thread, target);
    }

    /// A thread comes to a block of a function.
    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        let _ = (activation, function, block, key, thread);
    }

    /// What a thread loads, and what another one stores, are in a [race](crate::races): told at the second access, in launches that look for races.
    fn raced(&mut self, loads: usize, stores: usize) {
        let _ = (loads, stores);
    }

    /// Threads have executed a convergent operation together.
    fn together(&mut self, communication: &Communication) {
        let _ = communication;
    }
}

impl Observer for () {}
