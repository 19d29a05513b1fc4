//! Passes operations that order memory to the search for races: atomics, fences, barriers and copies of groups.

use super::Machine;
use crate::language::Builtin;
use crate::observer::Observer;
use crate::operation::{Barrier, Fence, Operation, Order};
use crate::races;
use crate::value::Value;

impl<'p, O: Observer> Machine<'p, O> {
    /// Records that an atomic reads from an address.
    pub fn observe(&mut self, thread: usize, address: &Value, order: Order) {
        if let (Some(search), Some(pointer)) = (&mut self.search, address.as_pointer()) {
            search.observe(thread, pointer, order);
        }
    }

    /// Records that an atomic writes to an address. `updates`: it computed the new value from the old one.
    pub fn publish(&mut self, thread: usize, address: &Value, order: Order, updates: bool) {
        if let (Some(search), Some(pointer)) = (&mut self.search, address.as_pointer()) {
            search.publish(thread, pointer, order, updates);
        }
    }

    pub fn fence(&mut self, thread: usize, fence: Fence, arguments: &[Value]) {
        if let Some(search) = &mut self.search {
            let (memories, order) = races::fence(fence, arguments);
            search.fence(thread, memories, order);
        }
    }

    /// Records that threads of one work-group start a copy of the whole group.
    pub fn begin_copy(&mut self, threads: &[usize]) {
        if let Some(search) = &mut self.search {
            search.copy(threads);
        }
    }

    /// Records that threads of one group execute a builtin together.
    pub fn order_together(&mut self, threads: &[usize], builtin: Builtin, arguments: &[Value]) {
        let Some(search) = &mut self.search else { return };
        match builtin.operation {
            Operation::Barrier(barrier) => {
                let (memories, among) = races::barrier(barrier, arguments, builtin.scope);
                search.barrier(threads, memories, among);
            }
            Operation::Collective(collective) if collective.orders_memory => {
                let (memories, among) = races::barrier(Barrier::default(), arguments, builtin.scope);
                search.barrier(threads, memories, among);
            }
            Operation::AwaitCopies => search.copied(threads),
            _ => {}
        }
    }
}
