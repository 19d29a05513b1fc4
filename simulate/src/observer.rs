//! The interface for code that records an execution.
//!
//! The keys of dynamic instances cost time and memory. They are always computed for convergent operations, and for
//! other instances only if an observer requests them. `()` requests nothing, and the executor that is compiled for it
//! contains no code for observation.

use tangle_ir::flow::{BlockId, ValueId};

use crate::keys::{AnchorUse, Key};
use crate::outcome::Communication;
use crate::value::Value;

/// Receives the actions of threads, in the order of their execution. Converged instances of different threads arrive
/// one after the other, with any number of other actions between them.
pub trait Observer {
    /// Whether to call [`value`](Observer::value) and [`branched`](Observer::branched) from here on. May change only
    /// from true to false.
    fn wants_values(&self) -> bool {
        false
    }

    /// Whether to call [`visited`](Observer::visited) from here on. May change only from true to false.
    fn wants_blocks(&self) -> bool {
        false
    }

    /// A thread enters a function of the module. For a function without convergent operations, `activation` is a new
    /// key only if values or blocks are requested. Otherwise it is the activation of the caller.
    fn entered(&mut self, activation: Key, function: usize, thread: usize, arguments: &[Value]) {
        let _ = (activation, function, thread, arguments);
    }

    /// A thread returns.
    fn left(&mut self, activation: Key, thread: usize) {
        let _ = (activation, thread);
    }

    /// A parameter, phi or operation has a value.
    fn value(&mut self, activation: Key, value: ValueId, key: Key, thread: usize, result: &Value) {
        let _ = (activation, value, key, thread, result);
    }

    /// A `branch` or `switch` at the end of a block continues at `target`.
    fn branched(&mut self, activation: Key, block: BlockId, key: Key, thread: usize, target: BlockId) {
        let _ = (activation, block, key, thread, target);
    }

    /// A thread reaches a block of a function.
    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        let _ = (activation, function, block, key, thread);
    }

    /// A load of one thread and a store of another one are in a [race](crate::races). Called at the second access, if
    /// the launch enables the search for races.
    fn raced(&mut self, loads: usize, stores: usize) {
        let _ = (loads, stores);
    }

    /// Threads have executed a convergent operation together.
    fn together(&mut self, communication: &Communication) {
        let _ = communication;
    }

    /// Whether to call [`exchanged`](Observer::exchanged).
    fn wants_exchanges(&self) -> bool {
        false
    }

    /// The values of a convergent operation. Called after [`together`](Observer::together).
    fn exchanged(&mut self, communication: &Communication, exchange: Exchange) {
        let _ = (communication, exchange);
    }
}

/// The values that threads give to a convergent operation and get from it.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The arguments of each thread, in the order of the threads.
    pub arguments: Vec<Vec<Value>>,
    /// The result of each thread.
    pub results: Vec<Value>,
    /// The `anchor` that selects the threads. None: no `anchor` does.
    pub anchor: Option<AnchorUse>,
}

impl Observer for () {}

/// One copy of the executor's code for all observers: slower, and a smaller program.
impl Observer for &mut dyn Observer {
    fn wants_values(&self) -> bool {
        (**self).wants_values()
    }

    fn wants_blocks(&self) -> bool {
        (**self).wants_blocks()
    }

    fn entered(&mut self, activation: Key, function: usize, thread: usize, arguments: &[Value]) {
        (**self).entered(activation, function, thread, arguments);
    }

    fn left(&mut self, activation: Key, thread: usize) {
        (**self).left(activation, thread);
    }

    fn value(&mut self, activation: Key, value: ValueId, key: Key, thread: usize, result: &Value) {
        (**self).value(activation, value, key, thread, result);
    }

    fn branched(&mut self, activation: Key, block: BlockId, key: Key, thread: usize, target: BlockId) {
        (**self).branched(activation, block, key, thread, target);
    }

    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        (**self).visited(activation, function, block, key, thread);
    }

    fn raced(&mut self, loads: usize, stores: usize) {
        (**self).raced(loads, stores);
    }

    fn together(&mut self, communication: &Communication) {
        (**self).together(communication);
    }

    fn wants_exchanges(&self) -> bool {
        (**self).wants_exchanges()
    }

    fn exchanged(&mut self, communication: &Communication, exchange: Exchange) {
        (**self).exchanged(communication, exchange);
    }
}
