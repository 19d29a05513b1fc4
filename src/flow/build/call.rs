//! Calls: records go by address, and what the compiler's own functions mean.

use super::operation::{is_record, whole};
use super::{Build, Builder};
use crate::flow::{self, Call, Op, Passing, Terminator, ValueId};
use crate::hir::body::CallId;
use crate::hir::typed::{Callee, Constant, ExprId};
use crate::hir::types::{Ty, TyKind};

use tangle_grammar::ast::{AddressSpace, Span};

impl Builder<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        arguments: &[ExprId],
        call: Option<CallId>,
        ty: Ty,
        span: Span,
    ) -> Build<ValueId> {
        let callee = match callee {
            Callee::Function { key, ty } => flow::Callee::Function { key: *key, ty: *ty },
            Callee::Builtin { name, ty } => flow::Callee::Builtin { name: *name, ty: *ty },
            Callee::Compiler { name, ty } => {
                if let Some(value) = self.compiler_function(name.as_str(), arguments, ty.to_owned(), span)? {
                    return Ok(value);
                }
                flow::Callee::Compiler { name: *name, ty: *ty }
            }
            Callee::Pointer(target) => {
                let TyKind::Pointer(pointer) = self.typed.exprs[*target].ty.kind() else {
                    return Err(self.stop(span, "a call of a block is not lowered"));
                };
                let address = self.value(*target)?;
                flow::Callee::Pointer { address, ty: pointer.pointee }
            }
        };
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if is_record(ty) {
            values.push((self.slot(None, ty, span), Passing::Result));
        } else {
            self.known(ty, span)?;
        }
        for &argument in arguments {
            let of = self.complete(self.typed.exprs[argument].ty);
            self.known(of, self.typed.exprs[argument].span)?;
            let value = self.value(argument)?;
            match is_record(of) {
                true => values.push((self.in_private_memory(value, of), Passing::Copy)),
                false => values.push((value, Passing::Value)),
            }
        }
        self.span = span;
        let result = values.first().filter(|(_, passing)| *passing == Passing::Result).map(|&(slot, _)| slot);
        let op = Op::Call(Call { callee, arguments: values, call, convergent: false, token: None });
        match result {
            Some(slot) => {
                self.effect(op);
                Ok(slot)
            }
            None => Ok(self.push(op, ty)),
        }
    }

    /// A record that is passed: a copy of its own if it is in other memory.
    fn in_private_memory(&mut self, from: ValueId, ty: Ty) -> ValueId {
        let private =
            self.ty(from).as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Private);
        if private {
            return from;
        }
        let to = self.slot(None, ty, self.span);
        self.effect(Op::Copy { to, from, ty });
        to
    }

    /// Functions of the compiler that are no calls.
    fn compiler_function(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        ty: Ty,
        span: Span,
    ) -> Build<Option<ValueId>> {
        match (name, arguments) {
            ("__builtin_unreachable", _) => {
                self.span = span;
                self.block_in_hand();
                self.terminate(Terminator::Unreachable);
                Ok(Some(self.constant(Constant::Undefined, Ty::VOID)))
            }
            ("__builtin_shufflevector", [vector, lanes]) => {
                let vector = self.value(*vector)?;
                let lanes = self.value(*lanes)?;
                self.span = span;
                Ok(Some(self.lanes_by_number(vector, lanes)))
            }
            ("__builtin_shufflevector", [left, right, lanes @ ..]) => {
                let left = self.value(*left)?;
                let right = self.value(*right)?;
                let result = ty.as_function().map_or(Ty::UNKNOWN, |function| function.result);
                let mut numbers = Vec::with_capacity(lanes.len());
                for &lane in lanes {
                    let lane = self.value(lane)?;
                    let lane = whole(&self.function.values[lane].op);
                    numbers.push(lane.and_then(|lane| u8::try_from(lane).ok()));
                }
                self.span = span;
                let op = Op::Shuffle { left, right, lanes: numbers.into() };
                Ok(Some(self.push(op, result)))
            }
            _ => Ok(None),
        }
    }
}
