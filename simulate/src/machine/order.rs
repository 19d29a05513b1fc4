//! What orders memory: the search for races is told of atomics, fences, barriers and copies of groups.

use super::Machine;
use crate::language::Builtin;
use crate::observer::Observer;
use crate::operation::{Fence, Operation, Order};
use crate::races;
use crate::value::Val;

impl<'p, O: Observer> Machine<'p, O> {
    /// An atomic reads what others left at an address.
    pub fn observe(&mut self, thread: usize, address: &Val, order: Order) {
        if let (Some(search), Some(pointer)) = (&mut self.search, address.as_pointer()) {
            search.observe(thread, pointer, order);
        }
    }

    /// An atomic writes. `updates`: what it writes is made of what it read.
    pub fn publish(&mut self, thread: usize, address: &Val, order: Order, updates: bool) {
        if let (Some(search), Some(pointer)) = (&mut self.search, address.as_pointer()) {
            search.publish(thread, pointer, order, updates);
        }
    }

    pub fn fence(&mut self, thread: usize, fence: Fence, arguments: &[Val]) {
        if let Some(search) = &mut self.search {
            let (memories, order) = races::fence(fence, arguments);
            search.fence(thread, memories, order);
        }
    }

    /// Threads of one work-group are about to copy as a whole.
    pub fn begin_copy(&mut self, threads: &[usize]) {
        if let Some(search) = &mut self.search {
            search.copy(threads);
        }
    }

    /// Threads of one group execute a builtin together.
    pub fn order_together(&mut self, threads: &[usize], builtin: Builtin, arguments: &[Val]) {
        let Some(search) = &mut self.search else { return };
        match builtin.operation {
            Operation::Barrier(barrier) => {
                let (memories, among) = races::barrier(barrier, arguments, builtin.scope);
                search.barrier(threads, memories, among);
            }
            Operation::AwaitCopies => search.copied(threads),
            _ => {}
        }
    }
}
