//! Lowers calls. Records are passed and returned by address. Some functions of the compiler become operations.

use super::Builder;
use super::operation::{is_record, whole};
use crate::flow::{self, Call, Op, Passing, Terminator, ValueId};
use tangle_hir::body::CallId;
use tangle_hir::typed::{Callee, Constant, Conversion, ExprId};
use tangle_hir::types::{Ty, TyKind};

use tangle_grammar::ast::{AddressSpace, Span};

impl Builder<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        arguments: &[ExprId],
        call: Option<CallId>,
        ty: Ty,
        span: Span,
    ) -> ValueId {
        let callee = match callee {
            Callee::Function { key, ty } => flow::Callee::Function { key: *key, ty: *ty },
            Callee::Builtin { name, ty } => flow::Callee::Builtin { name: *name, ty: *ty },
            Callee::Compiler { name, ty } => {
                if let Some(value) = self.compiler_function(name.as_str(), arguments, ty.to_owned(), span) {
                    return value;
                }
                flow::Callee::CompilerBuiltin { name: *name, ty: *ty }
            }
            Callee::Pointer(target) => {
                let ty = match self.typed.exprs[*target].ty.kind() {
                    TyKind::Pointer(pointer) => pointer.pointee,
                    TyKind::BlockPointer(function) => *function,
                    _ => Ty::UNKNOWN,
                };
                let address = self.value(*target);
                flow::Callee::Pointer { address, ty }
            }
        };
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if is_record(ty) {
            values.push((self.slot(None, ty, span), Passing::Result));
        }
        let callee_ty = callee.ty();
        let parameters = callee_ty.as_function().map_or(&[][..], |function| &function.parameters);
        for (number, &argument) in arguments.iter().enumerate() {
            let of = self.complete(self.typed.exprs[argument].ty);
            let value = self.value(argument);
            if let (true, Some(&parameter)) = (self.ty(value).is_unknown(), parameters.get(number))
                && !is_record(parameter)
            {
                values.push((self.convert_to_known(value, parameter), Passing::Value));
                continue;
            }
            let (value, of) = match parameters.get(number) {
                Some(&parameter) if self.ty(value).is_unknown() => {
                    (self.record_of(value, parameter), parameter)
                }
                _ => (value, of),
            };
            match (is_record(of), parameters.get(number)) {
                (true, _) => values.push((self.in_private_memory(value, of), Passing::Copy)),
                // The address of an undeclared variable.
                (false, Some(&parameter)) if of.is_unknown() && self.is_in_other_space(value, parameter) => {
                    values.push((self.convert(Conversion::Pointer, value, parameter), Passing::Value));
                }
                (false, _) => values.push((value, Passing::Value)),
            }
        }
        self.span = span;
        let result = values.first().filter(|(_, passing)| *passing == Passing::Result).map(|&(slot, _)| slot);
        let op = Op::Call(Call { callee, arguments: values, call, convergent: false, token: None });
        match result {
            Some(slot) => {
                self.effect(op);
                slot
            }
            None => self.push(op, ty),
        }
    }

    /// Whether a value is a pointer to another address space than a pointer type.
    fn is_in_other_space(&self, value: ValueId, ty: Ty) -> bool {
        let spaces = self.ty(value).as_pointer().zip(ty.as_pointer());
        spaces.is_some_and(|(own, other)| own.space != other.space)
    }

    /// Returns the address of a passed record in private memory. Copies the record if it is in other memory.
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

    /// Lowers the functions of the compiler that do not become calls. None for other functions.
    fn compiler_function(&mut self, name: &str, arguments: &[ExprId], ty: Ty, span: Span) -> Option<ValueId> {
        match (name, arguments) {
            ("__builtin_unreachable", _) => {
                self.span = span;
                self.block_in_hand();
                self.terminate(Terminator::Unreachable);
                Some(self.constant(Constant::Undefined, Ty::VOID))
            }
            ("__builtin_shufflevector", [vector, lanes]) => {
                let vector = self.value(*vector);
                let lanes = self.value(*lanes);
                self.span = span;
                Some(self.lanes_by_number(vector, lanes))
            }
            ("__builtin_shufflevector", [left, right, lanes @ ..]) => {
                let left = self.value(*left);
                let right = self.value(*right);
                let result = ty.as_function().map_or(Ty::UNKNOWN, |function| function.result);
                let mut numbers = Vec::with_capacity(lanes.len());
                for &lane in lanes {
                    let lane = self.value(lane);
                    let lane = whole(&self.function.values[lane].op);
                    numbers.push(lane.and_then(|lane| u8::try_from(lane).ok()));
                }
                self.span = span;
                let op = Op::Shuffle { left, right, lanes: numbers.into() };
                Some(self.push(op, result))
            }
            _ => None,
        }
    }
}
