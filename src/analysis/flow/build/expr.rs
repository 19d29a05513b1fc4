//! Lowers expressions to values, to truth values, and to branches on conditions.
//!
//! Generated code has left-associative chains of thousands of operators: they are lowered by a loop. All other nesting
//! uses recursion on a growing stack.

use super::operation::whole;
use super::{Builder, Leaf, label_number};
use crate::flow::{BlockId, BlockKind, Op, Terminator, ValueId, VariableId};
use tangle_hir::body::{StmtId, StmtKind};
use tangle_hir::typed::{Arithmetic, Comparison, Constant, Conversion, ExprId, ExprKind};
use tangle_hir::types::{Ty, TyKind};

/// The storage for the result of the branches of `?:`.
#[derive(Clone, Copy)]
enum Join {
    Nowhere,
    Variable(VariableId),
    /// The address and type of a record.
    Memory(ValueId, Ty),
}

impl Builder<'_> {
    /// Evaluates an expression to a value; a record to its address.
    pub(super) fn value(&mut self, id: ExprId) -> ValueId {
        // Goes down the first operands, then evaluates upwards.
        let mut chain = vec![id];
        let mut at = id;
        while let Some(first) = self.first_operand(at) {
            chain.push(first);
            at = first;
        }
        let innermost = chain.pop().unwrap_or(id);
        let mut value = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.value_of(innermost));
        while let Some(above) = chain.pop() {
            value = self.value_from(above, value);
        }
        value
    }

    /// Returns the operand that is evaluated first, if the expression depends only on the values of its operands.
    fn first_operand(&self, id: ExprId) -> Option<ExprId> {
        let expr = &self.typed.exprs[id];
        match expr.kind {
            ExprKind::Convert { conversion: Conversion::Discard, .. } => None,
            ExprKind::Convert { conversion: Conversion::ToBool, operand } if self.is_truth(operand) => None,
            ExprKind::Convert { operand, .. } | ExprKind::Unary { operand, .. } => Some(operand),
            ExprKind::Not(operand) if expr.ty.as_vector().is_some() => Some(operand),
            ExprKind::Binary { left, .. }
            | ExprKind::LogicalLanes { left, .. }
            | ExprKind::Difference { left, .. } => Some(left),
            ExprKind::Compare { left, .. } => Some(left),
            ExprKind::Offset { pointer, .. } => Some(pointer),
            _ => None,
        }
    }

    /// Evaluates such an expression, given the value of its first operand.
    fn value_from(&mut self, id: ExprId, first: ValueId) -> ValueId {
        let expr = &self.typed.exprs[id];
        let ty = self.complete(expr.ty);
        match expr.kind {
            ExprKind::Convert { conversion, .. } => {
                self.span = expr.span;
                self.convert(conversion, first, ty)
            }
            ExprKind::Unary { op, .. } => {
                self.span = expr.span;
                self.push(Op::Unary { op, operand: first }, ty)
            }
            ExprKind::Not(_) => {
                self.span = expr.span;
                let zero = self.constant(Constant::Zero, self.ty(first));
                self.push(Op::Compare { op: Comparison::Equal, left: first, right: zero }, ty)
            }
            ExprKind::Binary { op, right, .. } => {
                let right = self.value(right);
                self.span = expr.span;
                self.binary(op, first, right)
            }
            ExprKind::Compare { op, right, .. } => {
                let right = self.value(right);
                self.span = expr.span;
                match ty.as_vector() {
                    Some(_) => self.push(Op::Compare { op, left: first, right }, ty),
                    None => {
                        let truth = self.push(Op::Compare { op, left: first, right }, Ty::BOOL);
                        self.convert(Conversion::Integer, truth, ty)
                    }
                }
            }
            ExprKind::LogicalLanes { and, right, .. } => {
                let right = self.value(right);
                self.span = expr.span;
                let lanes = [first, right].map(|lanes| {
                    let zero = self.constant(Constant::Zero, self.ty(lanes));
                    self.push(Op::Compare { op: Comparison::NotEqual, left: lanes, right: zero }, ty)
                });
                let op = if and { Arithmetic::And } else { Arithmetic::Or };
                self.push(Op::Binary { op, left: lanes[0], right: lanes[1] }, ty)
            }
            ExprKind::Offset { index, negative, .. } => {
                let index = self.value(index);
                self.span = expr.span;
                self.offset(first, index, negative, ty)
            }
            ExprKind::Difference { right, .. } => {
                let pointee = self.typed.exprs[right].ty.as_pointer().map_or(Ty::CHAR, |it| it.pointee);
                let right = self.value(right);
                self.span = expr.span;
                let size = match pointee.kind() {
                    TyKind::Void | TyKind::Function(_) => 1,
                    _ => match tangle_hir::layout::layout(self.complete(pointee)) {
                        Some(layout) => layout.size.max(1),
                        None => return self.unknown([first, right], ty),
                    },
                };
                let left = self.convert(Conversion::PointerToInt, first, Ty::LONG);
                let right = self.convert(Conversion::PointerToInt, right, Ty::LONG);
                let bytes = self.push(Op::Binary { op: Arithmetic::Sub, left, right }, Ty::LONG);
                match size {
                    1 => bytes,
                    size => {
                        let right = self.integer(size.into(), Ty::LONG);
                        self.push(Op::Binary { op: Arithmetic::Div, left: bytes, right }, Ty::LONG)
                    }
                }
            }
            _ => unreachable!("`first_operand` covers only the kinds above"),
        }
    }

    fn value_of(&mut self, id: ExprId) -> ValueId {
        let expr = &self.typed.exprs[id];
        self.span = expr.span;
        let ty = self.complete(expr.ty);
        match &expr.kind {
            ExprKind::Unknown { what, operands } => self.unknown_value(id, *what, operands, ty),
            ExprKind::Load(place) => {
                let place = self.place(*place);
                self.span = expr.span;
                self.load(&place)
            }
            ExprKind::Variable(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Field { .. }
            | ExprKind::Lanes { .. }
            | ExprKind::Lane { .. }
            | ExprKind::String(_)
            | ExprKind::Compound { .. } => {
                let place = self.place(id);
                self.span = expr.span;
                self.load(&place)
            }
            ExprKind::Constant(constant) => self.constant(constant.clone(), ty),
            ExprKind::Function(key) => self.leaf(Leaf::Function(*key), ty),
            ExprKind::Label(label) => self.integer(label_number(*label), ty),
            ExprKind::Decay(place) | ExprKind::AddressOf(place) => {
                let place = self.place(*place);
                self.span = expr.span;
                self.address(&place)
            }
            // From here on: operators whose operands `value` has not evaluated.
            ExprKind::Convert { conversion: Conversion::Discard, operand } => {
                self.discard(*operand);
                self.constant(Constant::Undefined, Ty::VOID)
            }
            ExprKind::Convert { .. } => self.truth(id),
            ExprKind::Not(operand) => {
                let truth = self.truth(*operand);
                self.span = expr.span;
                let not = self.negated(truth);
                self.convert(Conversion::Integer, not, ty)
            }
            ExprKind::Logical { .. } => {
                let truth = self.truth(id);
                self.span = expr.span;
                self.convert(Conversion::Integer, truth, ty)
            }
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::LogicalLanes { .. }
            | ExprKind::Offset { .. }
            | ExprKind::Difference { .. } => unreachable!("`value` evaluates their first operands"),
            ExprKind::Assign { place, value } => {
                let place = self.place(*place);
                let value = self.value(*value);
                self.span = expr.span;
                self.store(&place, value)
            }
            &ExprKind::CompoundAssign { place, op, compute, value } => {
                let place = self.place(place);
                let right = self.value(value);
                self.span = expr.span;
                if matches!(place.ty(self).kind(), TyKind::Atomic(_)) {
                    return self.atomic(&place, &[right], ty);
                }
                let old = self.load(&place);
                let of = self.ty(old);
                if ty.as_pointer().is_some() {
                    let new = self.offset(old, right, op == Arithmetic::Sub, ty);
                    return self.store(&place, new);
                }
                let left = self.arithmetic_as(old, compute);
                let new = self.binary(op, left, right);
                let new = self.arithmetic_as(new, of);
                self.store(&place, new)
            }
            &ExprKind::Step { place, increment, prefix } => {
                let place = self.place(place);
                self.span = expr.span;
                if matches!(place.ty(self).kind(), TyKind::Atomic(_)) {
                    return self.atomic(&place, &[], ty);
                }
                let old = self.load(&place);
                let new = self.stepped(old, increment);
                let stored = self.store(&place, new);
                if prefix { stored } else { old }
            }
            &ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, ty)
            }
            &ExprKind::Elvis { value, otherwise } => {
                let value = self.value(value);
                self.span = expr.span;
                let condition = self.tested(value);
                let join = self.variable(None, ty, expr.span);
                self.effect(Op::Set(join, value));
                let else_block = self.block(BlockKind::ConditionalElse, self.stmt);
                let end = self.block(BlockKind::ConditionalEnd, self.stmt);
                self.terminate(Terminator::Branch { condition, then: end, otherwise: else_block });
                self.begin(else_block);
                let value = self.value(otherwise);
                self.span = expr.span;
                self.effect(Op::Set(join, value));
                self.begin(end);
                self.push(Op::Get(join), ty)
            }
            &ExprKind::ConditionalLanes { condition, then, otherwise } => {
                let condition = self.value(condition);
                let then = self.value(then);
                let otherwise = self.value(otherwise);
                self.span = expr.span;
                self.push(Op::Select { condition, then, otherwise }, ty)
            }
            ExprKind::Comma { .. } => {
                let last = self.left_of_commas(id);
                self.value(last)
            }
            ExprKind::Call { callee, arguments, call } => self.call(callee, arguments, *call, ty, expr.span),
            ExprKind::Vector(parts) => self.vector(parts, ty, expr.span),
            &ExprKind::Statement { body, value } => self.statement_expression(body, value, ty),
            ExprKind::Block => self.unknown([], ty),
        }
    }

    /// Evaluates an expression for its side effects.
    pub(super) fn discard(&mut self, id: ExprId) {
        let expr = &self.typed.exprs[id];
        match &expr.kind {
            ExprKind::Convert { conversion: Conversion::Discard, operand } => self.nested_discard(*operand),
            ExprKind::Comma { .. } => {
                let last = self.left_of_commas(id);
                self.nested_discard(last)
            }
            &ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, Ty::VOID);
            }
            ExprKind::Logical { .. } => _ = self.truth(id),
            &ExprKind::Statement { body, .. } => _ = self.statement_expression(body, false, Ty::VOID),
            ExprKind::Variable(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::Field { .. }
            | ExprKind::Lanes { .. }
            | ExprKind::Lane { .. }
            | ExprKind::String(_)
            | ExprKind::Compound { .. } => _ = self.place(id),
            _ => _ = self.value(id),
        }
    }

    fn nested_discard(&mut self, id: ExprId) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.discard(id))
    }

    /// Evaluates all operands of a chain of commas except the last. Returns the last.
    fn left_of_commas(&mut self, id: ExprId) -> ExprId {
        let mut rights = Vec::new();
        let mut at = id;
        while let ExprKind::Comma { left, right } = self.typed.exprs[at].kind {
            rights.push(right);
            at = left;
        }
        for next in rights.into_iter().rev() {
            self.nested_discard(at);
            at = next;
        }
        at
    }

    /// Whether a scalar expression is a truth value: a comparison or logical operator, whose result is 0 or 1.
    fn is_truth(&self, id: ExprId) -> bool {
        let expr = &self.typed.exprs[id];
        match expr.kind {
            ExprKind::Compare { .. } | ExprKind::Not(_) => expr.ty.as_vector().is_none(),
            ExprKind::Logical { .. } => true,
            _ => false,
        }
    }

    /// Evaluates whether a scalar is not zero, as a `bool`.
    pub(super) fn truth(&mut self, id: ExprId) -> ValueId {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.truth_of(id))
    }

    fn truth_of(&mut self, id: ExprId) -> ValueId {
        let expr = &self.typed.exprs[id];
        match expr.kind {
            ExprKind::Convert { conversion: Conversion::ToBool, operand } => self.truth(operand),
            ExprKind::Compare { op, left, right } if expr.ty.as_vector().is_none() => {
                let left = self.value(left);
                let right = self.value(right);
                self.span = expr.span;
                self.push(Op::Compare { op, left, right }, Ty::BOOL)
            }
            ExprKind::Not(operand) if expr.ty.as_vector().is_none() => {
                let truth = self.truth(operand);
                self.span = expr.span;
                self.negated(truth)
            }
            ExprKind::Logical { and, .. } => {
                self.span = expr.span;
                let join = self.variable(None, Ty::BOOL, expr.span);
                let end = self.block(if and { BlockKind::AndEnd } else { BlockKind::OrEnd }, self.stmt);
                // The result is constant if a left operand decides; otherwise it is the value of the last operand.
                let known = self.integer((!and).into(), Ty::BOOL);
                self.effect(Op::Set(join, known));
                let last = self.left_of_logical(id, and, end);
                let value = self.truth(last);
                self.span = expr.span;
                self.effect(Op::Set(join, value));
                self.begin(end);
                self.push(Op::Get(join), Ty::BOOL)
            }
            _ => {
                let value = self.value(id);
                self.span = expr.span;
                self.tested(value)
            }
        }
    }

    fn tested(&mut self, value: ValueId) -> ValueId {
        match self.ty(value) {
            Ty::BOOL => value,
            _ => self.convert(Conversion::ToBool, value, Ty::BOOL),
        }
    }

    fn negated(&mut self, truth: ValueId) -> ValueId {
        if let Op::Constant(Constant::Integer(value)) = self.function.values[truth].op {
            return self.integer((value == 0).into(), Ty::BOOL);
        }
        let right = self.integer(0, Ty::BOOL);
        self.push(Op::Compare { op: Comparison::Equal, left: truth, right }, Ty::BOOL)
    }

    /// Evaluates a condition, and branches to one of two blocks.
    pub(super) fn branch(&mut self, id: ExprId, then: BlockId, otherwise: BlockId) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.branch_of(id, then, otherwise))
    }

    fn branch_of(&mut self, id: ExprId, then: BlockId, otherwise: BlockId) {
        let (mut id, mut then, mut otherwise) = (id, then, otherwise);
        loop {
            match self.typed.exprs[id].kind {
                ExprKind::Convert { conversion: Conversion::ToBool, operand } => id = operand,
                ExprKind::Not(operand) => {
                    id = operand;
                    (then, otherwise) = (otherwise, then);
                }
                ExprKind::Comma { .. } => id = self.left_of_commas(id),
                _ => break,
            }
        }
        let ExprKind::Logical { and, .. } = self.typed.exprs[id].kind else {
            let condition = self.truth(id);
            self.block_in_hand();
            self.terminate(match self.function.values[condition].op {
                Op::Constant(Constant::Integer(0) | Constant::Zero) => Terminator::Jump(otherwise),
                Op::Constant(Constant::Integer(_)) => Terminator::Jump(then),
                _ => Terminator::Branch { condition, then, otherwise },
            });
            return;
        };
        let last = self.left_of_logical(id, and, if and { otherwise } else { then });
        self.branch(last, then, otherwise)
    }

    /// Branches on all operands of a chain of one logical operator except the last. Returns the last. An operand that
    /// decides the result branches to `decided`.
    fn left_of_logical(&mut self, id: ExprId, and: bool, decided: BlockId) -> ExprId {
        // `a && b && c` is left-associative. Each operand except the last branches to the next one or to `decided`.
        let mut rights = Vec::new();
        let mut at = id;
        loop {
            match self.typed.exprs[at].kind {
                ExprKind::Logical { and: same, left, right } if same == and => {
                    rights.push(right);
                    at = left;
                }
                ExprKind::Convert { conversion: Conversion::ToBool, operand } if self.is_truth(operand) => {
                    at = operand;
                }
                _ => break,
            }
        }
        for right in rights.into_iter().rev() {
            let next = self.block(if and { BlockKind::AndRight } else { BlockKind::OrRight }, self.stmt);
            match and {
                true => self.branch(at, next, decided),
                false => self.branch(at, decided, next),
            }
            self.begin(next);
            at = right;
        }
        at
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: Ty) -> ValueId {
        let span = self.span;
        let join = match ty.kind() {
            TyKind::Void => Join::Nowhere,
            TyKind::Record(_) => Join::Memory(self.slot(None, ty, span), ty),
            _ => Join::Variable(self.variable(None, ty, span)),
        };
        let then_block = self.block(BlockKind::ConditionalThen, self.stmt);
        let else_block = self.block(BlockKind::ConditionalElse, self.stmt);
        let end = self.block(BlockKind::ConditionalEnd, self.stmt);
        self.branch(condition, then_block, else_block);
        self.begin(then_block);
        self.arm(then, join);
        self.jump(end);
        self.begin(else_block);
        self.arm(otherwise, join);
        self.begin(end);
        self.span = span;
        match join {
            Join::Nowhere => self.constant(Constant::Undefined, Ty::VOID),
            Join::Memory(address, _) => address,
            Join::Variable(variable) => self.push(Op::Get(variable), ty),
        }
    }

    fn arm(&mut self, id: ExprId, join: Join) {
        match join {
            Join::Nowhere => self.nested_discard(id),
            Join::Variable(variable) => {
                let value = self.value(id);
                self.effect(Op::Set(variable, value));
            }
            Join::Memory(to, ty) => {
                let from = self.value(id);
                self.effect(Op::Copy { to, from, ty });
            }
        }
    }

    fn statement_expression(&mut self, body: StmtId, value: bool, ty: Ty) -> ValueId {
        let (stmt, span) = (self.stmt, self.span);
        let mut last = match &self.body.stmts[body].kind {
            StmtKind::Compound(children) if value => children.last().copied(),
            _ => None,
        };
        while let Some(StmtKind::Label(inner)) = last.map(|last| &self.body.stmts[last].kind) {
            last = Some(*inner);
        }
        if let Some(last) = last {
            self.captured.insert(last, None);
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.statements(body));
        (self.stmt, self.span) = (stmt, span);
        let captured = last.and_then(|last| self.captured.remove(&last)).flatten();
        match captured {
            Some(value) => value,
            None if value => self.unknown([], ty),
            None => self.constant(Constant::Undefined, ty),
        }
    }

    /// Adds an index to a pointer, or subtracts it, in elements.
    pub(super) fn offset(&mut self, pointer: ValueId, index: ValueId, negative: bool, ty: Ty) -> ValueId {
        let pointee = ty.as_pointer().map_or(Ty::CHAR, |pointer| pointer.pointee);
        let element = match pointee.kind() {
            TyKind::Void | TyKind::Function(_) => Ty::CHAR,
            _ => self.complete(pointee),
        };
        let index = match (negative, whole(&self.function.values[index].op)) {
            (false, _) => index,
            (true, Some(constant)) => self.integer(-constant, Ty::LONG),
            (true, None) => {
                let operand = self.convert(Conversion::Integer, index, Ty::LONG);
                self.push(Op::Unary { op: tangle_hir::typed::UnaryOp::Negate, operand }, Ty::LONG)
            }
        };
        self.push(Op::Element { base: pointer, index, element }, ty)
    }
}
