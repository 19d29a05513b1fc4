//! Checks operators: converts their operands, and computes the types of their results.
//!
//! ```c
//! char c; float4 v;
//! c + 1       // an `int`: the operands are promoted and converted to one type
//! v < 1       // an `int4`: computed lane by lane, because one operand is a vector
//! ```

use tangle_grammar::ast::{self, AddressSpace, BinaryOp, UnaryOp as AstUnary};

use super::convert::{common_integer, common_pointer, common_type, compatible, promoted_type};
use super::expr::is_integer;
use super::{Checker, ConversionContext, Qualified, TypeProblemKind};
use crate::declare::{mask_element, pointer_to};
use crate::typed::{Arithmetic, Comparison, Constant, Conversion, ExprId, ExprKind, UnaryOp, Unknown};
use crate::types::{Opaque, Ty, TyKind};

/// A binary operator, by its effect on types.
enum BinaryKind {
    Arithmetic(Arithmetic),
    Compare(Comparison),
    Logical { and: bool },
}

fn kind_of(op: BinaryOp) -> BinaryKind {
    use BinaryOp as B;
    match op {
        B::Mul => BinaryKind::Arithmetic(Arithmetic::Mul),
        B::Div => BinaryKind::Arithmetic(Arithmetic::Div),
        B::Rem => BinaryKind::Arithmetic(Arithmetic::Rem),
        B::Add => BinaryKind::Arithmetic(Arithmetic::Add),
        B::Sub => BinaryKind::Arithmetic(Arithmetic::Sub),
        B::Shl => BinaryKind::Arithmetic(Arithmetic::Shl),
        B::Shr => BinaryKind::Arithmetic(Arithmetic::Shr),
        B::BitAnd => BinaryKind::Arithmetic(Arithmetic::And),
        B::BitXor => BinaryKind::Arithmetic(Arithmetic::Xor),
        B::BitOr => BinaryKind::Arithmetic(Arithmetic::Or),
        B::Less => BinaryKind::Compare(Comparison::Less),
        B::Greater => BinaryKind::Compare(Comparison::Greater),
        B::LessEqual => BinaryKind::Compare(Comparison::LessEqual),
        B::GreaterEqual => BinaryKind::Compare(Comparison::GreaterEqual),
        B::Equal => BinaryKind::Compare(Comparison::Equal),
        B::NotEqual => BinaryKind::Compare(Comparison::NotEqual),
        B::And => BinaryKind::Logical { and: true },
        B::Or => BinaryKind::Logical { and: false },
    }
}

/// Whether the operator requires integers.
fn needs_integers(op: Arithmetic) -> bool {
    use Arithmetic as A;
    matches!(op, A::Rem | A::Shl | A::Shr | A::And | A::Xor | A::Or)
}

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: AstUnary, operand: ExprId, span: ast::Span) -> ExprId {
        let name = match op {
            AstUnary::Plus => "+",
            AstUnary::Minus => "-",
            AstUnary::Not => "!",
            AstUnary::Complement => "~",
            AstUnary::Deref => "*",
            AstUnary::AddressOf => return self.address_of(operand, span),
            AstUnary::PreIncrement => return self.increment(operand, true, true, span),
            AstUnary::PreDecrement => return self.increment(operand, false, true, span),
            AstUnary::PostIncrement => return self.increment(operand, true, false, span),
            AstUnary::PostDecrement => return self.increment(operand, false, false, span),
            AstUnary::Extension => return operand,
            AstUnary::Real | AstUnary::Imag => {
                let ty = self.exprs[operand].ty;
                return self.wrong(
                    span,
                    TypeProblemKind::Operand { op: "__real__", operand: ty },
                    &[operand],
                );
            }
        };
        let operand = self.value(operand);
        let ty = self.exprs[operand].ty;
        if ty.is_unknown() {
            let what = if op == AstUnary::Deref { Unknown::ElementOrTarget } else { Unknown::Value };
            return self.unknown_as(what, &[operand], Ty::UNKNOWN, span);
        }
        match op {
            AstUnary::Deref => match ty.as_pointer() {
                Some(pointer) if pointer.pointee.as_function().is_some() => operand,
                Some(pointer) => {
                    let pointee = self.complete(pointer.pointee);
                    self.push(ExprKind::Deref(operand), pointee, span)
                }
                None => self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty }, &[operand]),
            },
            AstUnary::Not => match ty.kind() {
                TyKind::Vector { element, lanes, .. } => {
                    let mask = ty.similar_vector(mask_element(*element), *lanes);
                    self.push(ExprKind::Not(operand), mask, span)
                }
                TyKind::Bool
                | TyKind::Integer(_)
                | TyKind::Float(_)
                | TyKind::Pointer(_)
                | TyKind::BlockPointer(_) => self.push(ExprKind::Not(operand), Ty::INT, span),
                _ => self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty }, &[operand]),
            },
            _ => {
                let operand = if ty.is_arithmetic() { self.promoted(operand) } else { operand };
                let promoted = self.exprs[operand].ty;
                let element = promoted.lanes().map(|(element, _)| element);
                let integer = element.is_some_and(|element| element.as_integer().is_some());
                let fits = element.is_some() && (op != AstUnary::Complement || integer);
                if !fits {
                    return self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty }, &[operand]);
                }
                let op = match op {
                    AstUnary::Plus => return operand,
                    AstUnary::Minus => UnaryOp::Negate,
                    _ => UnaryOp::Complement,
                };
                if let ExprKind::Constant(constant) = &self.exprs[operand].kind
                    && let Some(folded) = super::constant::unary(op, constant, promoted)
                {
                    return self.push(ExprKind::Constant(folded), promoted, span);
                }
                self.push(ExprKind::Unary { op, operand }, promoted, span)
            }
        }
    }

    pub(super) fn address_of(&mut self, operand: ExprId, span: ast::Span) -> ExprId {
        let expr = &self.exprs[operand];
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Function(_) => return operand,
            ExprKind::Unknown { .. } => {
                return self.unknown_as(Unknown::Address, &[operand], Ty::UNKNOWN, span);
            }
            _ => {}
        }
        // Images, samplers and pipes are in no memory that a program can address.
        if let TyKind::Opaque(Opaque::Image { .. } | Opaque::Sampler | Opaque::Pipe { .. }) = ty.kind() {
            return self.wrong(span, TypeProblemKind::NoAddress, &[operand]);
        }
        match self.place(operand) {
            Some(place) if !place.partial => {
                let q = Qualified {
                    ty,
                    space: Some(place.space),
                    constant: place.constant,
                    volatile: place.volatile,
                    restrict: false,
                    of_device: false,
                };
                self.push(ExprKind::AddressOf(operand), pointer_to(q, false), span)
            }
            // The address of one lane of a vector in memory is permitted, contrary to the standard: kernels use it.
            Some(place) if matches!(&self.exprs[operand].kind, ExprKind::Lane { .. }) => {
                let q =
                    Qualified { space: Some(place.space), constant: place.constant, ..Qualified::plain(ty) };
                self.push(ExprKind::AddressOf(operand), pointer_to(q, false), span)
            }
            _ if ty.is_unknown() => self.unknown(&[operand], Ty::UNKNOWN, span),
            _ => self.wrong(span, TypeProblemKind::NoAddress, &[operand]),
        }
    }

    pub(super) fn increment(
        &mut self,
        place: ExprId,
        increment: bool,
        prefix: bool,
        span: ast::Span,
    ) -> ExprId {
        let ty = self.exprs[place].ty;
        if !self.assignable(place, span) {
            return self.unknown(&[place], ty, span);
        }
        if ty.is_unknown() {
            let op = if increment { Arithmetic::Add } else { Arithmetic::Sub };
            return self.unknown_as(Unknown::Update(Some(op)), &[place], ty, span);
        }
        let value = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        // Floats have `++` and `--`, but vectors of floats do not.
        let fits = match value.as_vector() {
            Some((element, _)) => element.as_float().is_none(),
            None => value.is_arithmetic() || value.as_pointer().is_some(),
        };
        if fits {
            self.strides(value, span);
        }
        if !fits {
            let op = if increment { "++" } else { "--" };
            return self.wrong(span, TypeProblemKind::Operand { op, operand: ty }, &[place]);
        }
        self.push(ExprKind::Step { place, increment, prefix }, value, span)
    }

    /// Whether an expression can be assigned to; reports it if not. An unknown expression always can. In C++ a constant
    /// can, too: the initialisers of a constructor assign to constant members.
    fn assignable(&mut self, id: ExprId, span: ast::Span) -> bool {
        let ty = self.exprs[id].ty;
        if ty.is_unknown() || matches!(self.exprs[id].kind, ExprKind::Unknown { .. }) {
            return true;
        }
        match self.place(id) {
            None => {
                self.problem(span, TypeProblemKind::NotAPlace);
                false
            }
            Some(place) if place.constant && !self.cpp || place.space == AddressSpace::Constant => {
                self.problem(span, TypeProblemKind::Constant { ty });
                false
            }
            Some(_) if matches!(ty.kind(), TyKind::Array { .. } | TyKind::Function(_)) => {
                self.problem(span, TypeProblemKind::NotAPlace);
                false
            }
            Some(_) => true,
        }
    }

    pub(super) fn assign(&mut self, place: ExprId, value: ExprId, span: ast::Span) -> ExprId {
        let ty = self.exprs[place].ty;
        let assignable = self.assignable(place, self.exprs[place].span);
        if !assignable {
            let value = self.value(value);
            return self.unknown(&[place, value], ty, span);
        }
        if let TyKind::Opaque(Opaque::Image { .. } | Opaque::Sampler | Opaque::Pipe { .. }) = ty.kind() {
            let kind = TypeProblemKind::Operand { op: "=", operand: ty };
            return self.wrong(span, kind, &[place, value]);
        }
        let value = self.assigned(value, ty, ConversionContext::Assign);
        let ty = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        self.push(ExprKind::Assign { place, value }, ty, span)
    }

    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        place: ExprId,
        value: ExprId,
        span: ast::Span,
    ) -> ExprId {
        let ty = self.exprs[place].ty;
        let assignable = self.assignable(place, self.exprs[place].span);
        let value = self.value(value);
        let right = self.exprs[value].ty;
        let operands = [place, value];
        if !assignable {
            return self.unknown(&operands, ty, span);
        }
        // The effect of an operator of a class is unknown.
        let of_class = self.cpp && (ty.as_record().is_some() || right.as_record().is_some());
        if right.is_unknown() || ty.is_unknown() || of_class {
            let arithmetic = match kind_of(op) {
                BinaryKind::Arithmetic(arithmetic) if !of_class => Some(arithmetic),
                _ => None,
            };
            return self.unknown_as(Unknown::Update(arithmetic), &operands, ty, span);
        }
        let wrong = TypeProblemKind::Operands { op: op.spelling(), left: ty, right };
        let BinaryKind::Arithmetic(arithmetic) = kind_of(op) else {
            return self.wrong(span, wrong, &operands);
        };
        let ty = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        if ty.as_pointer().is_some() {
            if !matches!(arithmetic, Arithmetic::Add | Arithmetic::Sub) || !is_integer(right) {
                return self.wrong(span, wrong, &operands);
            }
            self.strides(ty, span);
            return self.push(
                ExprKind::CompoundAssign { place, op: arithmetic, compute: ty, value },
                ty,
                span,
            );
        }
        let Some((element, _)) = ty.lanes() else { return self.wrong(span, wrong, &operands) };
        let Some((right_element, _)) = right.lanes() else { return self.wrong(span, wrong, &operands) };
        let floats = element.as_float().is_some() || right_element.as_float().is_some();
        if needs_integers(arithmetic) && floats {
            return self.wrong(span, wrong, &operands);
        }
        let shift = matches!(arithmetic, Arithmetic::Shl | Arithmetic::Shr);
        let (compute, value) = match (ty.as_vector(), right.as_vector()) {
            (Some(_), Some(_)) if ty == right || (shift && same_lanes(ty, right)) => (ty, value),
            (Some(_), None) if shift || self.can_splat(value, element) => (ty, self.splat(value, ty)),
            (None, None) if shift => {
                let value = self.promoted(value);
                (promoted_type(ty), value)
            }
            (None, None) => match common_type(ty, right) {
                Some(common) => (common, self.as_scalar(value, common)),
                None => return self.wrong(span, wrong, &operands),
            },
            _ => return self.wrong(span, wrong, &operands),
        };
        self.push(ExprKind::CompoundAssign { place, op: arithmetic, compute, value }, ty, span)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: ast::Span) -> ExprId {
        let (left, right) = (self.value(left), self.value(right));
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        let kind = kind_of(op);
        if l.is_unknown() || r.is_unknown() {
            // Only integers can be added to a pointer, so the unknown operand is one.
            if let (true, BinaryKind::Arithmetic(Arithmetic::Add)) = (self.cpp, &kind)
                && let Some((pointer, index, ty)) = match (l.as_pointer(), r.as_pointer()) {
                    (Some(_), _) => Some((left, right, l)),
                    (_, Some(_)) => Some((right, left, r)),
                    _ => None,
                }
            {
                return self.push(ExprKind::Offset { pointer, index, negative: false }, ty, span);
            }
            // A comparison of scalars has type `int`, but an operand of unknown type may be a vector.
            return match kind {
                BinaryKind::Logical { and } if l.as_vector().is_none() && r.as_vector().is_none() => {
                    let (left, right) = (self.condition(left), self.condition(right));
                    self.push(ExprKind::Logical { and, left, right }, Ty::UNKNOWN, span)
                }
                BinaryKind::Logical { .. } => self.unknown(&[left, right], Ty::UNKNOWN, span),
                BinaryKind::Arithmetic(op) => {
                    self.unknown_as(Unknown::Arithmetic(op), &[left, right], Ty::UNKNOWN, span)
                }
                BinaryKind::Compare(op) => {
                    self.unknown_as(Unknown::Compare(op), &[left, right], Ty::UNKNOWN, span)
                }
            };
        }
        let checked = match kind {
            BinaryKind::Arithmetic(op) => self.arithmetic(op, left, right, span),
            BinaryKind::Compare(op) => self.compare(op, left, right, span),
            BinaryKind::Logical { and } => self.logical(and, left, right, span),
        };
        checked.unwrap_or_else(|| {
            let kind = TypeProblemKind::Operands { op: op.spelling(), left: l, right: r };
            self.wrong(span, kind, &[left, right])
        })
    }

    fn arithmetic(&mut self, op: Arithmetic, left: ExprId, right: ExprId, span: ast::Span) -> Option<ExprId> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        match (l.as_pointer(), r.as_pointer(), op) {
            (Some(_), None, Arithmetic::Add | Arithmetic::Sub) if is_integer(r) => {
                self.strides(l, span);
                let negative = op == Arithmetic::Sub;
                return Some(self.push(ExprKind::Offset { pointer: left, index: right, negative }, l, span));
            }
            (None, Some(_), Arithmetic::Add) if is_integer(l) => {
                self.strides(r, span);
                return Some(self.push(
                    ExprKind::Offset { pointer: right, index: left, negative: false },
                    r,
                    span,
                ));
            }
            (Some(a), Some(b), Arithmetic::Sub) if compatible(a.pointee, b.pointee) => {
                let common = common_pointer(a, b)?;
                self.strides(common, span);
                let (left, right) = (self.pointer_as(left, common), self.pointer_as(right, common));
                return Some(self.push(ExprKind::Difference { left, right }, Ty::LONG, span));
            }
            _ => {}
        }
        let (le, re) = (l.lanes()?.0, r.lanes()?.0);
        if needs_integers(op) && (le.as_float().is_some() || re.as_float().is_some()) {
            return None;
        }
        if matches!(op, Arithmetic::Shl | Arithmetic::Shr) {
            return self.shift(op, left, right, span);
        }
        let (left, right, ty) = self.usual_conversions(left, right)?;
        if let (ExprKind::Constant(a), ExprKind::Constant(b)) =
            (&self.exprs[left].kind, &self.exprs[right].kind)
            && let Some(folded) = super::constant::binary(op, a, b, ty)
        {
            return Some(self.push(ExprKind::Constant(folded), ty, span));
        }
        Some(self.push(ExprKind::Binary { op, left, right }, ty, span))
    }

    fn shift(&mut self, op: Arithmetic, left: ExprId, right: ExprId, span: ast::Span) -> Option<ExprId> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        let (left, right) = match (l.as_vector(), r.as_vector()) {
            (Some(_), Some(_)) if same_lanes(l, r) => (left, right),
            (Some(_), None) => (left, self.splat(right, l)),
            (None, None) => (self.promoted(left), self.promoted(right)),
            _ => return None,
        };
        let ty = self.exprs[left].ty;
        if let (ExprKind::Constant(a), ExprKind::Constant(b)) =
            (&self.exprs[left].kind, &self.exprs[right].kind)
            && let Some(folded) = super::constant::binary(op, a, b, ty)
        {
            return Some(self.push(ExprKind::Constant(folded), ty, span));
        }
        Some(self.push(ExprKind::Binary { op, left, right }, ty, span))
    }

    fn compare(&mut self, op: Comparison, left: ExprId, right: ExprId, span: ast::Span) -> Option<ExprId> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        let (left, right) = match (l.kind(), r.kind()) {
            (TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(Opaque::Queue), _)
                if self.is_null(right) =>
            {
                (left, self.null(right, l))
            }
            (_, TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Opaque(Opaque::Queue))
                if self.is_null(left) =>
            {
                (self.null(left, r), right)
            }
            (TyKind::Pointer(a), TyKind::Pointer(b)) => {
                let common = common_pointer(a, b)?;
                (self.pointer_as(left, common), self.pointer_as(right, common))
            }
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), TyKind::Integer(_) | TyKind::Bool) => {
                (left, self.converted(right, l, Conversion::IntToPointer))
            }
            (TyKind::Integer(_) | TyKind::Bool, TyKind::Pointer(_) | TyKind::BlockPointer(_)) => {
                (self.converted(left, r, Conversion::IntToPointer), right)
            }
            (TyKind::Opaque(Opaque::Queue), TyKind::Opaque(Opaque::Queue)) => (left, right),
            _ => {
                let (left, right, ty) = self.usual_conversions(left, right)?;
                if let Some((element, lanes)) = ty.as_vector() {
                    let mask = ty.similar_vector(mask_element(element), lanes);
                    return Some(self.push(ExprKind::Compare { op, left, right }, mask, span));
                }
                if let (ExprKind::Constant(a), ExprKind::Constant(b)) =
                    (&self.exprs[left].kind, &self.exprs[right].kind)
                    && let Some(result) = super::constant::compare(op, a, b, ty)
                {
                    let constant = Constant::Integer(result.into());
                    return Some(self.push(ExprKind::Constant(constant), Ty::INT, span));
                }
                (left, right)
            }
        };
        Some(self.push(ExprKind::Compare { op, left, right }, Ty::INT, span))
    }

    /// Adds the null value of a type.
    fn null(&mut self, id: ExprId, ty: Ty) -> ExprId {
        let span = self.exprs[id].span;
        self.push(ExprKind::Constant(Constant::Zero), ty, span)
    }

    fn pointer_as(&mut self, id: ExprId, ty: Ty) -> ExprId {
        if self.exprs[id].ty == ty { id } else { self.converted(id, ty, Conversion::Pointer) }
    }

    fn logical(&mut self, and: bool, left: ExprId, right: ExprId, span: ast::Span) -> Option<ExprId> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        if l.as_vector().is_some() || r.as_vector().is_some() {
            let (left, right, ty) = self.usual_conversions(left, right)?;
            let (element, lanes) = ty.as_vector()?;
            let mask = ty.similar_vector(mask_element(element), lanes);
            return Some(self.push(ExprKind::LogicalLanes { and, left, right }, mask, span));
        }
        let truth =
            |ty: Ty| ty.is_arithmetic() || matches!(ty.kind(), TyKind::Pointer(_) | TyKind::BlockPointer(_));
        if !truth(l) || !truth(r) {
            return None;
        }
        let (left, right) = (self.condition(left), self.condition(right));
        Some(self.push(ExprKind::Logical { and, left, right }, Ty::INT, span))
    }

    pub(super) fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        span: ast::Span,
    ) -> ExprId {
        let condition = self.value(condition);
        let ty = self.exprs[condition].ty;
        let otherwise = self.value(otherwise);
        let Some(then) = then else { return self.elvis(condition, otherwise, span) };
        let then = self.value(then);
        if ty.is_unknown() {
            // The condition is assumed to be a scalar.
            let (t, o) = (self.exprs[then].ty, self.exprs[otherwise].ty);
            let ty = if t == o { t } else { Ty::UNKNOWN };
            return self.push(ExprKind::Conditional { condition, then, otherwise }, ty, span);
        }
        if let Some((_, lanes)) = ty.as_vector() {
            return self.conditional_lanes(condition, lanes, then, otherwise, span);
        }
        if ty.as_float().is_some() {
            // OpenCL C 3.0, 6.3.i: a scalar float is not permitted either.
            let kind = TypeProblemKind::FloatCondition { ty };
            return self.wrong(self.exprs[condition].span, kind, &[condition, then, otherwise]);
        }
        let condition = self.condition(condition);
        match self.same_type(then, otherwise, span) {
            Ok((then, otherwise, ty)) => {
                self.push(ExprKind::Conditional { condition, then, otherwise }, ty, span)
            }
            Err(id) => id,
        }
    }

    fn conditional_lanes(
        &mut self,
        condition: ExprId,
        lanes: u8,
        then: ExprId,
        otherwise: ExprId,
        span: ast::Span,
    ) -> ExprId {
        let (t, o) = (self.exprs[then].ty, self.exprs[otherwise].ty);
        let operands = [condition, then, otherwise];
        if t.is_unknown() || o.is_unknown() {
            return self.unknown(&operands, Ty::UNKNOWN, span);
        }
        let wrong = TypeProblemKind::Operands { op: "?:", left: t, right: o };
        let Some((mask, _)) =
            self.exprs[condition].ty.as_vector().filter(|(mask, _)| mask.as_float().is_none())
        else {
            let ty = self.exprs[condition].ty;
            return self.wrong(span, TypeProblemKind::FloatCondition { ty }, &operands);
        };
        // Two scalars are widened to the lanes of the condition without promotion.
        let (then, otherwise) = if t.is_arithmetic() && o.is_arithmetic() {
            let common = if t == o { Some(t) } else { common_integer(t, o).or_else(|| common_type(t, o)) };
            let Some(common) = common else { return self.wrong(span, wrong, &operands) };
            let vector = self.exprs[condition].ty.similar_vector(common, lanes);
            (self.splat(then, vector), self.splat(otherwise, vector))
        } else {
            match self.usual_conversions(then, otherwise) {
                Some((then, otherwise, _)) => (then, otherwise),
                None => return self.wrong(span, wrong, &operands),
            }
        };
        let ty = self.exprs[then].ty;
        // A lane of the condition must have the same size as the lane that it selects.
        let fits = ty
            .as_vector()
            .is_some_and(|(element, found)| found == lanes && mask_element(element) == mask_element(mask));
        if !fits {
            return self.wrong(span, wrong, &operands);
        }
        self.push(ExprKind::ConditionalLanes { condition, then, otherwise }, ty, span)
    }

    pub(super) fn elvis(&mut self, value: ExprId, otherwise: ExprId, span: ast::Span) -> ExprId {
        let ty = self.exprs[value].ty;
        if let Some((_, lanes)) = ty.as_vector() {
            // Rare: the type is checked, but the value is only assumed to depend on both operands.
            let chosen = self.conditional_lanes(value, lanes, value, otherwise, span);
            let ty = self.exprs[chosen].ty;
            return self.unknown(&[value, otherwise], ty, span);
        }
        let scalar = matches!(ty.kind(), TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Unknown);
        if ty.as_float().is_some() {
            let kind = TypeProblemKind::FloatCondition { ty };
            return self.wrong(self.exprs[value].span, kind, &[value, otherwise]);
        }
        if !scalar && !ty.is_arithmetic() {
            return self.wrong(span, TypeProblemKind::Condition { ty }, &[value, otherwise]);
        }
        // The value is promoted, even if the other operand is a vector.
        let value = self.promoted(value);
        match self.same_type(value, otherwise, span) {
            Ok((value, otherwise, ty)) => self.push(ExprKind::Elvis { value, otherwise }, ty, span),
            Err(id) => id,
        }
    }

    /// Converts both branches of `?:` to one type.
    fn same_type(
        &mut self,
        then: ExprId,
        otherwise: ExprId,
        span: ast::Span,
    ) -> Result<(ExprId, ExprId, Ty), ExprId> {
        let (t, o) = (self.exprs[then].ty, self.exprs[otherwise].ty);
        if t.is_unknown() || o.is_unknown() {
            let known = if t.is_unknown() { o } else { t };
            // The unknown operand is assumed to have the type of the other one, if that is a number, vector or pointer.
            let known =
                if known.lanes().is_some() || known.as_pointer().is_some() { known } else { Ty::UNKNOWN };
            return Ok((then, otherwise, known));
        }
        if t == o && !t.is_arithmetic() {
            return Ok((then, otherwise, t));
        }
        match (t.kind(), o.kind()) {
            (TyKind::Void, _) | (_, TyKind::Void) => {
                let discard = |checker: &mut Self, id: ExprId| match checker.exprs[id].ty.is_void() {
                    true => id,
                    false => checker.cast(id, Ty::VOID, span),
                };
                return Ok((discard(self, then), discard(self, otherwise), Ty::VOID));
            }
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), _) if self.is_null(otherwise) => {
                return Ok((then, self.null(otherwise, t), t));
            }
            (_, TyKind::Pointer(_) | TyKind::BlockPointer(_)) if self.is_null(then) => {
                return Ok((self.null(then, o), otherwise, o));
            }
            (TyKind::Pointer(a), TyKind::Pointer(b)) => {
                if let Some(common) = common_pointer(a, b) {
                    return Ok((self.pointer_as(then, common), self.pointer_as(otherwise, common), common));
                }
            }
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), TyKind::Integer(_) | TyKind::Bool) => {
                return Ok((then, self.converted(otherwise, t, Conversion::IntToPointer), t));
            }
            (TyKind::Integer(_) | TyKind::Bool, TyKind::Pointer(_) | TyKind::BlockPointer(_)) => {
                return Ok((self.converted(then, o, Conversion::IntToPointer), otherwise, o));
            }
            (TyKind::Record(_), TyKind::Record(_)) if compatible(t, o) => return Ok((then, otherwise, t)),
            _ => {
                if let Some(same) = self.usual_conversions(then, otherwise) {
                    return Ok(same);
                }
            }
        }
        Err(self.wrong(span, TypeProblemKind::Operands { op: "?:", left: t, right: o }, &[then, otherwise]))
    }
}

fn same_lanes(left: Ty, right: Ty) -> bool {
    match (left.as_vector(), right.as_vector()) {
        (Some((_, a)), Some((element, b))) => a == b && element.as_integer().is_some(),
        _ => false,
    }
}
