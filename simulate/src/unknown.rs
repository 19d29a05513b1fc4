//! Chooses values for unknowns: one of the values that `docs/semantics.md` §9 allows, and the same for each execution
//! with one seed.
//!
//! The result of an unknown function, and the values that it writes through its pointers, depend on its arguments and
//! on the memory that they point to. If all its arguments are constants or unknown names, the values are random.
//!
//! ```c
//! if (i < SIZE)        // SIZE: a number, the same for all threads
//!     x = f(i, &y);    // x, y: numbers that depend on `i` and on the old value of `y`
//! z = g();             // z: a random number for each thread
//! ```

use tangle_ir::flow::{Call, Function, Op, Unknown, ValueId};
use tangle_ir::types::{Ty, TyKind};

use crate::machine::Machine;
use crate::memory::size;
use crate::observer::Observer;
use crate::races::AccessKind;
use crate::value::{Base, Pointer, Value, binary, compare, hash_of, small, wrap};

impl<O: Observer> Machine<'_, O> {
    /// The result of an operation with an unknown name, type or operand.
    pub(crate) fn unknown(
        &mut self,
        (value, is_same_number): (ValueId, bool),
        what: Unknown,
        operands: &[Value],
        ty: Ty,
    ) -> Value {
        match what {
            Unknown::Name(name) | Unknown::Dependent(name) => {
                small(ty, hash_of(&(self.launch.seed, name.as_str())))
            }
            Unknown::Variable(_) => self.any(ty),
            Unknown::Value | Unknown::Arithmetic(_) | Unknown::Compare(_)
                if operands.contains(&Value::Undefined) =>
            {
                Value::Undefined
            }
            // A conversion of an integer to an unknown type, or back, keeps the number.
            Unknown::Value if let ([Value::Int(number)], true) = (operands, is_same_number) => {
                Value::Int(if ty.is_unknown() { *number } else { wrap(*number, ty) })
            }
            // Operands of an unknown type count as integers, as in the analysis.
            Unknown::Arithmetic(op)
                if let Some(result) = of_integers(operands, |a, b| {
                    binary(op, a, b, if ty.as_integer().is_some() { ty } else { Ty::INT })
                }) =>
            {
                result
            }
            Unknown::Compare(op)
                if let Some(result) = of_integers(operands, |a, b| compare(op, a, b, Ty::INT, Ty::INT)) =>
            {
                result
            }
            Unknown::Value | Unknown::Arithmetic(_) | Unknown::Compare(_) => {
                small(ty, hash_of(&(self.launch.seed, value.index(), operands)))
            }
            Unknown::Member(name) if ty.as_pointer().is_none() => {
                small(ty, hash_of(&(self.launch.seed, name.as_str(), operands)))
            }
            Unknown::Address | Unknown::Member(_) => operands.first().cloned().unwrap_or(Value::Undefined),
            Unknown::Statement | Unknown::Assembly => Value::Undefined,
        }
    }

    /// The result of an unknown function. The function also writes through its pointers to private memory that it may
    /// change.
    pub(crate) fn unknown_call(
        &mut self,
        thread: usize,
        function: &Function,
        call: &Call,
        arguments: &[Value],
        ty: Ty,
    ) -> Value {
        let is_reported = |op: &Op| {
            let constant = matches!(op, Op::Constant(_) | Op::String(_) | Op::Function(_));
            !constant && !matches!(op, Op::Unknown { what: Unknown::Name(_) | Unknown::Dependent(_), .. })
        };
        let reported = call.arguments.iter().any(|(it, _)| is_reported(&function.values[*it].op));
        let parameters = call.callee.ty().as_function().map_or(&[][..], |ty| &ty.parameters);
        let mut contents = Vec::new();
        let mut written = Vec::new();
        for (number, (argument, (value, _))) in arguments.iter().zip(&call.arguments).enumerate() {
            let Some(pointer) = function.values[*value].ty.as_pointer() else { continue };
            // The first element represents an array.
            let of = match pointer.pointee.kind() {
                TyKind::Array { element, .. } => *element,
                _ => pointer.pointee,
            };
            let Value::Pointer(Pointer { base: Base::Private(..), .. }) = argument else { continue };
            if size(of) > 0 && !matches!(of.kind(), TyKind::Array { .. } | TyKind::Record(_)) {
                contents.push(self.load(thread, argument, of, AccessKind::Plain));
                let declared = parameters.get(number).copied().and_then(|ty| ty.as_pointer().cloned());
                if !declared.map_or(pointer.constant, |declared| declared.constant) {
                    written.push((number, of));
                }
            }
        }
        // Undefined contents count as 0.
        contents.iter_mut().for_each(|it| {
            if *it == Value::Undefined {
                *it = Value::Int(0);
            }
        });
        let name = call.callee.name();
        let of_arguments =
            hash_of(&(self.launch.seed, name.as_ref().map(|it| it.as_str()), arguments, contents));
        let number = match reported {
            true => of_arguments,
            false => self.random.below(1 << 20) as u64,
        };
        for (argument, of) in written {
            let value = small(of, hash_of(&(number, argument)));
            self.store(thread, &arguments[argument], &value, of, AccessKind::Plain);
        }
        small(ty, number)
    }
}

/// Applies an operator to two integers. `None` if the operands are not two integers, or the result is undefined.
fn of_integers(operands: &[Value], operator: impl FnOnce(&Value, &Value) -> Value) -> Option<Value> {
    let [a @ Value::Int(_), b @ Value::Int(_)] = operands else { return None };
    Some(operator(a, b)).filter(|result| *result != Value::Undefined)
}
