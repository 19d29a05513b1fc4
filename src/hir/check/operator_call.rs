//! Calls that no callee names: operators and conversions that classes define.
//!
//! ```c
//! struct pack { float &operator[](int i); operator float *(); float part[4]; };
//! p[2] = 1;          // calls `operator[]`
//! float *all = p;    // calls `operator float *`
//! ```
//!
//! If an operand is an object, an operator means a method of the left operand, or a function of its name: the types select
//! one. If they select none, the only conversion of the class converts the operand, or the effect is unknown.

use tangle_grammar::ast::{BinaryOp, Span, UnaryOp};
use tangle_grammar::symbol::Symbol;

use super::callee::{accepts, by_value, has_object};
use super::{Checker, FunctionMeaning, LookupKey};
use crate::def::functions::{assignment_function, conversions, operator_function};
use crate::typed::{Constant, ExprId, ExprKind};
use crate::types::{Pointer, RecordName, Ty};

impl Checker<'_> {
    /// Checks a unary operator as a call.
    pub(super) fn unary_call(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> Option<ExprId> {
        let name = op.spelling()?;
        self.class_of(operand)?;
        // `x++` passes a number that `++x` does not pass.
        let is_behind = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
        let number = is_behind.then(|| self.push(ExprKind::Constant(Constant::Integer(0)), Ty::INT, span));
        let operands: Vec<ExprId> = [operand].into_iter().chain(number).collect();
        self.operator_call(name, &operands, span)
    }

    /// Checks a binary operator as a call.
    pub(super) fn binary_call(
        &mut self,
        op: BinaryOp,
        (left, right): (ExprId, ExprId),
        span: Span,
    ) -> Option<ExprId> {
        self.operator_call(op.spelling(), &[left, right], span)
    }

    /// Checks an assignment as a call. An object is copied, unless its class says otherwise.
    pub(super) fn assignment_call(
        &mut self,
        op: Option<BinaryOp>,
        (left, right): (ExprId, ExprId),
        span: Span,
    ) -> Option<ExprId> {
        self.class_of(left)?;
        self.call_of_operator(assignment_function(op.map_or("", BinaryOp::spelling)), &[left, right], span)
    }

    /// Checks an operator with this spelling as a call.
    pub(super) fn operator_call(
        &mut self,
        spelling: &str,
        operands: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        if operands.iter().all(|&operand| self.class_of(operand).is_none()) {
            return None;
        }
        self.call_of_operator(operator_function(spelling), operands, span)
    }

    /// Calls the function of this name for an operator. `None`: no operand is an object, or the types select no function.
    fn call_of_operator(&mut self, name: Symbol, operands: &[ExprId], span: Span) -> Option<ExprId> {
        if !self.cpp || operands.iter().all(|&operand| self.class_of(operand).is_none()) {
            return None;
        }
        let (&left, rest) = operands.split_first()?;
        if let Some(class) = self.class_of(left) {
            let candidates = self.methods_of(class, name);
            if let Some(function) = self.only_fitting(candidates, rest, true) {
                let object = self.address_of_object(left, span);
                return Some(self.call_of(function, Some(object), rest.to_vec(), None, span));
            }
        }
        let mut candidates = self.functions(LookupKey::Ordinary(name));
        self.add_by_arguments(name, operands, &mut candidates);
        let function = self.only_fitting(candidates, operands, false)?;
        Some(self.call_of(function, None, operands.to_vec(), None, span))
    }

    /// Returns the candidate that the types of the arguments select.
    fn only_fitting(
        &mut self,
        mut candidates: Vec<FunctionMeaning>,
        arguments: &[ExprId],
        is_method: bool,
    ) -> Option<FunctionMeaning> {
        candidates.retain(|it| accepts(it, arguments.len(), is_method));
        let candidates: Vec<FunctionMeaning> = candidates
            .iter()
            .map(|&function| self.instance_of(function, &[], &candidates, arguments))
            // A template whose arguments the operands do not tell means another function.
            .filter(|function| {
                function.template.is_none_or(|it| it.parameters().is_empty()) || function.key.is_instance()
            })
            .collect();
        let found = self.types_by_name(arguments);
        let types: Vec<Ty> =
            candidates.iter().map(|it| by_value(it.ty, usize::from(has_object(it)))).collect();
        self.only_of_types(&candidates, &types, &found)
    }

    /// Converts an object by a conversion function of its class, to a type if one is asked for. `None`: not exactly one
    /// function of the class gives this type.
    pub(super) fn conversion_call(&mut self, object: ExprId, to: Option<Ty>) -> Option<ExprId> {
        let class = self.class_of(object)?;
        let all = self.methods_of(class, conversions());
        let result =
            |it: &FunctionMeaning| it.ty.as_function().map_or(Ty::UNKNOWN, |function| function.result);
        let gives = |it: &&FunctionMeaning| to.is_none_or(|to| unqualified(result(it)) == unqualified(to));
        let number = |it: &&FunctionMeaning| to.is_some_and(Ty::is_arithmetic) && result(it).is_arithmetic();
        let only = |found: Vec<&FunctionMeaning>| match found[..] {
            [only] => Some(*only),
            _ => None,
        };
        let exact = |it: &&FunctionMeaning| to == Some(result(it));
        let function = only(all.iter().filter(exact).collect())
            .or_else(|| only(all.iter().filter(gives).collect()))
            .or_else(|| only(all.iter().filter(number).collect()))?;
        let span = self.exprs[object].span;
        let address = self.address_of_object(object, span);
        Some(self.call_of(function, Some(address), Vec::new(), None, span))
    }

    /// Returns an object as a value of the type that its only conversion function gives, and other expressions unchanged.
    pub(super) fn operand_as_value(&mut self, operand: ExprId) -> ExprId {
        match self.cpp {
            true => self.conversion_call(operand, None).unwrap_or(operand),
            false => operand,
        }
    }

    /// Returns an object as a value of another type, if its class can convert it, and other expressions unchanged.
    pub(super) fn as_converted_object(&mut self, operand: ExprId, to: Ty) -> ExprId {
        let is_other =
            self.cpp && self.class_of(operand).is_some() && to.as_record().is_none() && !to.is_unknown();
        match is_other {
            true => self.conversion_call(operand, Some(to)).unwrap_or(operand),
            false => operand,
        }
    }

    fn class_of(&self, operand: ExprId) -> Option<RecordName> {
        self.exprs[operand].ty.as_record()?.tag
    }

    fn address_of_object(&mut self, object: ExprId, span: Span) -> ExprId {
        match self.place(object) {
            Some(place) if !place.partial => self.address_of(object, span),
            _ => self.address_of_value(object),
        }
    }
}

/// Returns a type without the address space and the qualifiers of its pointee.
fn unqualified(ty: Ty) -> Ty {
    match ty.as_pointer() {
        Some(pointer) => {
            let space = tangle_grammar::ast::AddressSpace::Generic;
            let plain = Pointer { space, constant: false, volatile: false, restrict: false, ..*pointer };
            Ty::new(crate::types::TyKind::Pointer(plain))
        }
        None => ty,
    }
}
