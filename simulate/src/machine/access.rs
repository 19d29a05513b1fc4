//! Memory as a thread sees it: private memory of its frames, `local` memory of its work-group, and global memory.
//!
//! The search for races sees each access.
//!
//! An access to no object, or outside of its object, is undefined and ends the execution. In a lenient launch, such a
//! load yields an undefined value, and such a store writes nothing.

use tangle_ir::types::Ty;

use super::Machine;
use crate::memory::{Object, Outside, size};
use crate::observer::Observer;
use crate::outcome::{Outcome, Undefined};
use crate::races::AccessKind;
use crate::value::{Base, Value};

impl<'p, O: Observer> Machine<'p, O> {
    fn object(&mut self, thread: usize, base: Base) -> Option<&mut Object> {
        match base {
            Base::Private(depth, number) => {
                self.threads[thread].frames.get_mut(depth as usize)?.memory.get_mut(number as usize)
            }
            Base::Local(number) => self.locals[self.threads[thread].place.group].get_mut(number as usize),
            Base::Global(number) => self.globals.get_mut(number as usize),
            Base::Null | Base::Function(_) => None,
        }
    }

    /// Applies `what` to the object at an address. `None`, and undefined behaviour, if there is no such object or the
    /// access is outside of it.
    pub(super) fn access<T>(
        &mut self,
        thread: usize,
        address: &Value,
        bytes: u64,
        (stores, manner): (bool, AccessKind),
        what: impl FnOnce(&mut Object, i64) -> Result<T, Outside>,
    ) -> Option<T> {
        let Some(pointer) = address.as_pointer() else {
            self.undefined(thread, Undefined::Pointer);
            return None;
        };
        let Some(object) = self.object(thread, pointer.base) else {
            self.undefined(thread, Undefined::Address);
            return None;
        };
        match what(object, pointer.offset) {
            Ok(result) => {
                if self.search.is_some() {
                    let spot = self.here(thread);
                    if let Some(search) = &mut self.search {
                        let raced = |first, has_stored| match (has_stored, stores) {
                            (true, false) => self.observer.raced(thread, first),
                            (false, true) => self.observer.raced(first, thread),
                            _ => {}
                        };
                        search.access(thread, pointer, bytes, (stores, manner), spot, raced);
                    }
                }
                Some(result)
            }
            Err(Outside) => {
                let size = object.size();
                self.undefined(thread, Undefined::Bounds { offset: pointer.offset, bytes, size });
                None
            }
        }
    }

    /// Records undefined behaviour, which ends the execution. A lenient launch continues where it can.
    pub(super) fn undefined(&mut self, thread: usize, what: Undefined) {
        if !self.launch.lenient && self.ended.is_none() {
            let spot = self.here(thread);
            self.ended = Some(Outcome::Undefined { what, thread, spot });
        }
    }

    pub fn load(&mut self, thread: usize, address: &Value, ty: Ty, manner: AccessKind) -> Value {
        let read = |object: &mut Object, offset| object.read(offset, ty);
        self.access(thread, address, size(ty), (false, manner), read).unwrap_or(Value::Undefined)
    }

    pub fn store(&mut self, thread: usize, address: &Value, value: &Value, ty: Ty, manner: AccessKind) {
        // The size of an unknown type is an assumption. A store to a smaller object is defined, and writes nothing.
        let write = |object: &mut Object, offset| match ty.is_unknown() && object.size() < size(ty) {
            true => Ok(()),
            false => object.write(offset, value, ty),
        };
        self.access(thread, address, size(ty), (true, manner), write);
    }

    pub fn set_bytes(&mut self, thread: usize, to: &Value, value: u8, bytes: u64) {
        if self.charge(thread, bytes / 64) {
            let set = |object: &mut Object, offset| object.set(offset, bytes, value);
            self.access(thread, to, bytes, (true, AccessKind::Plain), set);
        }
    }

    pub fn copy(&mut self, thread: usize, to: &Value, from: &Value, bytes: u64, manner: AccessKind) {
        let read = |object: &mut Object, offset| object.part(offset, bytes);
        if self.charge(thread, bytes / 64)
            && let Some(part) = self.access(thread, from, bytes, (false, manner), read)
        {
            self.access(thread, to, bytes, (true, manner), |object, offset| object.put(offset, &part));
        }
    }
}
