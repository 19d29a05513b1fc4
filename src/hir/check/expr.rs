//! Expressions, from the leaves up.
//!
//! The nodes of an expression are listed, operands before operators, and checked in that order: left operands may be a hundred
//! thousand deep. What a node's operand has become stands in `done`.

use tangle_grammar::ast::{self, AddressSpace, BinaryOp, ExprKind as Ast, UnaryOp as AstUnary};
use tangle_grammar::literal::{Number, Precision, number};
use tangle_grammar::symbol::Symbol;

use super::convert::{common_integer, common_pointer, common_type, compatible, promoted_type};
use super::{Checker, Meaning, Qualified, TypeProblemKind, Use};
use crate::hir::declare::{mask_element, pointer_to};
use crate::hir::layout::layout;
use crate::hir::overload;
use crate::hir::typed::{
    Arithmetic, Comparison, Constant, Conversion, ExprId, ExprKind, Storage, UnaryOp, Var,
};
use crate::hir::types::{Opaque, Pointer, Ty, TyKind};

/// A binary operator, by what it does to types.
enum Kind {
    Arithmetic(Arithmetic),
    Compare(Comparison),
    Logical { and: bool },
}

fn kind_of(op: BinaryOp) -> Kind {
    use BinaryOp as B;
    match op {
        B::Mul => Kind::Arithmetic(Arithmetic::Mul),
        B::Div => Kind::Arithmetic(Arithmetic::Div),
        B::Rem => Kind::Arithmetic(Arithmetic::Rem),
        B::Add => Kind::Arithmetic(Arithmetic::Add),
        B::Sub => Kind::Arithmetic(Arithmetic::Sub),
        B::Shl => Kind::Arithmetic(Arithmetic::Shl),
        B::Shr => Kind::Arithmetic(Arithmetic::Shr),
        B::BitAnd => Kind::Arithmetic(Arithmetic::And),
        B::BitXor => Kind::Arithmetic(Arithmetic::Xor),
        B::BitOr => Kind::Arithmetic(Arithmetic::Or),
        B::Less => Kind::Compare(Comparison::Less),
        B::Greater => Kind::Compare(Comparison::Greater),
        B::LessEqual => Kind::Compare(Comparison::LessEqual),
        B::GreaterEqual => Kind::Compare(Comparison::GreaterEqual),
        B::Equal => Kind::Compare(Comparison::Equal),
        B::NotEqual => Kind::Compare(Comparison::NotEqual),
        B::And => Kind::Logical { and: true },
        B::Or => Kind::Logical { and: false },
    }
}

fn spelling(op: BinaryOp) -> &'static str {
    use BinaryOp as B;
    match op {
        B::Mul => "*",
        B::Div => "/",
        B::Rem => "%",
        B::Add => "+",
        B::Sub => "-",
        B::Shl => "<<",
        B::Shr => ">>",
        B::BitAnd => "&",
        B::BitXor => "^",
        B::BitOr => "|",
        B::Less => "<",
        B::Greater => ">",
        B::LessEqual => "<=",
        B::GreaterEqual => ">=",
        B::Equal => "==",
        B::NotEqual => "!=",
        B::And => "&&",
        B::Or => "||",
    }
}

/// Whether only integers have the operator.
fn needs_integers(op: Arithmetic) -> bool {
    use Arithmetic as A;
    matches!(op, A::Rem | A::Shl | A::Shr | A::And | A::Xor | A::Or)
}

impl<'a> Checker<'a> {
    /// Checks an expression: a place or a value.
    pub(super) fn expr(&mut self, root: ast::ExprId) -> ExprId {
        let mut order = Vec::new();
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            order.push(id);
            operands(&self.ast.exprs[id].kind, &mut todo);
        }
        // Each operator came before its operands: from the end, operands come first.
        for id in order.into_iter().rev() {
            let checked = self.node(id);
            self.done.insert(id, checked);
        }
        self.done[root]
    }

    /// Checks an expression as a value.
    pub(super) fn rvalue(&mut self, root: ast::ExprId) -> ExprId {
        let id = self.expr(root);
        self.value(id)
    }

    /// The type of an expression that is not evaluated.
    pub(in crate::hir) fn type_of_expr(&mut self, root: ast::ExprId) -> Qualified {
        let id = self.expr(root);
        let place = self.place(id);
        let ty = self.exprs[id].ty;
        Qualified {
            ty,
            space: place.map(|place| place.space),
            constant: place.is_some_and(|place| place.constant),
            volatile: place.is_some_and(|place| place.volatile),
            restrict: false,
        }
    }

    /// Whether an expression holds something that is not known: then it is no one's fault that it is no constant.
    pub(in crate::hir) fn depends_on_unknown(&mut self, root: ast::ExprId) -> bool {
        self.quiet += 1;
        let id = self.expr(root);
        self.quiet -= 1;
        self.exprs[id].ty.is_unknown()
    }

    fn node(&mut self, id: ast::ExprId) -> ExprId {
        let ast: &'a ast::Ast = self.ast;
        let expr = &ast.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Ast::Error => self.unknown(span),
            Ast::Name(name) => self.name(*name, span),
            Ast::Number(text) => self.number(*text, span),
            Ast::Character(text) => {
                // A character constant is an `int` in C.
                let value = super::constant::character(text.as_str());
                self.push(ExprKind::Constant(Constant::Integer(i128::from(value))), Ty::INT, span)
            }
            Ast::String(pieces) => {
                let mut bytes = Vec::new();
                pieces.iter().for_each(|piece| super::constant::string(piece.as_str(), &mut bytes));
                bytes.push(0);
                let ty = Ty::array(Ty::CHAR, Some(bytes.len() as u64));
                self.push(ExprKind::String(bytes.into()), ty, span)
            }
            Ast::Paren(inner) => self.done[*inner],
            Ast::Call { callee, arguments } => self.call(*callee, arguments, span),
            Ast::Index { base, index } => self.index(*base, *index, span),
            Ast::Member { base, arrow, name } => self.member(self.done[*base], *arrow, *name, span),
            Ast::Unary { op, operand } => self.unary(*op, self.done[*operand], span),
            Ast::Binary { op, left, right } => self.binary(*op, self.done[*left], self.done[*right], span),
            Ast::Assign { op: None, left, right } => self.assign(self.done[*left], self.done[*right], span),
            Ast::Assign { op: Some(op), left, right } => {
                self.compound_assign(*op, self.done[*left], self.done[*right], span)
            }
            Ast::Conditional { condition, then, otherwise } => {
                let then = then.map(|then| self.done[then]);
                self.conditional(self.done[*condition], then, self.done[*otherwise], span)
            }
            Ast::Comma { left, right } => {
                let left = self.done[*left];
                let right = self.value(self.done[*right]);
                let ty = self.exprs[right].ty;
                self.push(ExprKind::Comma { left, right }, ty, span)
            }
            Ast::Cast { ty, operand } => {
                let to = self.type_name(*ty).ty;
                match to.as_vector() {
                    Some(_) if self.is_vector_literal(*operand) => self.vector_literal(to, *operand, span),
                    _ => self.cast(self.done[*operand], to, span),
                }
            }
            Ast::CompoundLiteral { ty, initializer } => self.compound_literal(*ty, initializer, span),
            Ast::SizeofExpr(operand) => {
                let operand = self.done[*operand];
                let ty = self.exprs[operand].ty;
                if self.bit_field(operand).is_some() {
                    return self.wrong(span, TypeProblemKind::NoAddress);
                }
                self.size(ty, span, |layout| layout.size)
            }
            Ast::SizeofType(ty) => {
                let ty = self.type_name(*ty).ty;
                self.size(ty, span, |layout| layout.size)
            }
            Ast::AlignofExpr(operand) => {
                let operand = self.done[*operand];
                let ty = self.exprs[operand].ty;
                if self.bit_field(operand).is_some() {
                    return self.wrong(span, TypeProblemKind::NoAddress);
                }
                self.size(ty, span, |layout| layout.align.into())
            }
            Ast::AlignofType(ty) => {
                let ty = self.type_name(*ty).ty;
                self.size(ty, span, |layout| layout.align.into())
            }
            // `call` says where a type may stand.
            Ast::Type(ty) => {
                let ty = self.type_name(*ty).ty;
                self.push(ExprKind::Unknown, ty, span)
            }
            Ast::Offsetof { ty, member } => self.offsetof(*ty, *member, span),
            Ast::Astype { operand, ty } => {
                let to = self.type_name(*ty).ty;
                let from = self.exprs[self.done[*operand]].ty;
                if let TyKind::Array { .. } = from.kind() {
                    return self.wrong(span, TypeProblemKind::Convert { from, to, what: Use::Cast });
                }
                let operand = self.value(self.done[*operand]);
                self.reinterpret(operand, to, span)
            }
            Ast::VaArg { ty, .. } => {
                let ty = self.type_name(*ty).ty;
                self.push(ExprKind::Unknown, ty, span)
            }
            Ast::Generic { control, arms } => self.generic(*control, arms, span),
            Ast::Statement(body) => self.statement_expression(*body, span),
            Ast::LabelAddress(label) => {
                let target = self.body.as_ref().and_then(|body| body.labels.get(&label.text)).copied();
                let ty = Ty::pointer(Ty::VOID, AddressSpace::Generic);
                match target {
                    Some(target) => self.push(ExprKind::Label(target), ty, span),
                    None => self.push(ExprKind::Unknown, ty, span),
                }
            }
            Ast::Block { ty, parameters, .. } => self.block(*ty, parameters, span),
        }
    }

    fn name(&mut self, name: Symbol, span: ast::Span) -> ExprId {
        match self.lookup(name) {
            Some(Meaning::Variable(var)) => {
                let ty = self.complete(self.vars[var].ty);
                if let Storage::Extern(global) = self.vars[var].storage {
                    return self.push(ExprKind::Global(global), ty, span);
                }
                self.push(ExprKind::Variable(var), ty, span)
            }
            Some(Meaning::Global { ty, .. }) => {
                let ty = self.complete(ty);
                self.push(ExprKind::Global(name), ty, span)
            }
            Some(Meaning::Enumerator { value, ty }) => {
                self.push(ExprKind::Constant(Constant::Integer(value)), ty, span)
            }
            Some(Meaning::Functions(functions)) => {
                let ty = pointer_to(Qualified::plain(functions[0].ty), false);
                self.push(ExprKind::Function(name), ty, span)
            }
            Some(Meaning::Type(_)) => self.unknown(span),
            None => match name.as_str() {
                "true" => self.push(ExprKind::Constant(Constant::Integer(1)), Ty::BOOL, span),
                "false" => self.push(ExprKind::Constant(Constant::Integer(0)), Ty::BOOL, span),
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    let function = self.body.as_ref().map_or("", |body| body.body.name.text.as_str());
                    let bytes: Vec<u8> = function.bytes().chain([0]).collect();
                    let ty = Ty::array(Ty::CHAR, Some(bytes.len() as u64));
                    self.push(ExprKind::String(bytes.into()), ty, span)
                }
                // Calls of builtins are resolved with their arguments.
                text if text.starts_with("__builtin_")
                    || overload::is_builtin(name)
                    || super::call::reinterpreted(name).is_some()
                    || text == super::call::VEC_STEP =>
                {
                    let ty = Ty::UNKNOWN;
                    self.push(ExprKind::Function(name), ty, span)
                }
                text => match super::constant::dialect(text) {
                    Some((value, ty)) => self.push(ExprKind::Constant(value), ty, span),
                    None => self.wrong(span, TypeProblemKind::UnknownName(name)),
                },
            },
        }
    }

    fn number(&mut self, text: Symbol, span: ast::Span) -> ExprId {
        let (constant, ty) = match number(text.as_str()) {
            Ok(Number::Integer { value, unsigned, long }) => {
                let decimal = !text.as_str().starts_with('0') || text.as_str() == "0";
                let wide =
                    long || value > u64::from(u32::MAX) || (decimal && !unsigned && value > i32::MAX as u64);
                let ty = match (unsigned, wide) {
                    (true, false) => Ty::UINT,
                    (false, false) if value > i32::MAX as u64 => Ty::UINT,
                    (false, false) => Ty::INT,
                    (false, true) if value <= i64::MAX as u64 => Ty::LONG,
                    (_, true) => Ty::ULONG,
                };
                (Constant::Integer(value.into()), ty)
            }
            Ok(Number::Float { value, precision }) => match precision {
                Precision::Half => (Constant::float(super::constant::to_half(value)), Ty::HALF),
                Precision::Single => (Constant::float(f64::from(value as f32)), Ty::FLOAT),
                Precision::Double => (Constant::float(value), Ty::DOUBLE),
            },
            // A syntax error says so.
            Err(_) => return self.unknown(span),
        };
        self.push(ExprKind::Constant(constant), ty, span)
    }

    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: ast::Span) -> ExprId {
        let (base, index) = (self.done[base], self.done[index]);
        if self.exprs[base].ty.as_vector().is_some() {
            let (element, _) = self.exprs[base].ty.as_vector().expect("just seen");
            let index = self.value(index);
            let ty = self.exprs[index].ty;
            if ty.is_unknown() {
                return self.push(ExprKind::Unknown, element, span);
            }
            if !is_integer(ty) {
                let left = self.exprs[base].ty;
                return self.wrong(span, TypeProblemKind::Operands { op: "[]", left, right: ty });
            }
            return self.push(ExprKind::Lane { base, index }, element, span);
        }
        let (base, index) = (self.value(base), self.value(index));
        let (b, i) = (self.exprs[base].ty, self.exprs[index].ty);
        // `2[a]` is `a[2]`.
        let (pointer, index) = if b.as_pointer().is_some() { (base, index) } else { (index, base) };
        let (p, n) = (self.exprs[pointer].ty, self.exprs[index].ty);
        if p.is_unknown() || (p.as_pointer().is_none() && n.is_unknown()) {
            return self.unknown(span);
        }
        let (Some(target), true) = (p.as_pointer(), is_integer(n) || n.is_unknown()) else {
            return self.wrong(span, TypeProblemKind::Operands { op: "[]", left: b, right: i });
        };
        let pointee = self.complete(target.pointee);
        if !self.strides(p, span) {
            return self.push(ExprKind::Unknown, pointee, span);
        }
        let offset = self.push(ExprKind::Offset { pointer, index, negative: false }, p, span);
        self.push(ExprKind::Deref(offset), pointee, span)
    }

    /// Whether one can step from what a pointer points to to the next; says so if not. `void` and functions count as bytes: GNU.
    fn strides(&mut self, pointer: Ty, span: ast::Span) -> bool {
        let Some(target) = pointer.as_pointer() else { return true };
        let pointee = self.complete(target.pointee);
        let known = layout(pointee).is_some() || pointee.is_void() || pointee.as_function().is_some();
        if !known && !mentions_unknown(pointee) {
            self.problem(span, TypeProblemKind::Incomplete { ty: pointee });
        }
        known || mentions_unknown(pointee)
    }

    fn unary(&mut self, op: AstUnary, operand: ExprId, span: ast::Span) -> ExprId {
        let name = match op {
            AstUnary::Plus => "+",
            AstUnary::Minus => "-",
            AstUnary::Not => "!",
            AstUnary::Complement => "~",
            AstUnary::Deref => "*",
            AstUnary::AddressOf => return self.address_of(operand, span),
            AstUnary::PreIncrement => return self.step(operand, true, true, span),
            AstUnary::PreDecrement => return self.step(operand, false, true, span),
            AstUnary::PostIncrement => return self.step(operand, true, false, span),
            AstUnary::PostDecrement => return self.step(operand, false, false, span),
            AstUnary::Extension => return operand,
            AstUnary::Real | AstUnary::Imag => {
                let ty = self.exprs[operand].ty;
                return self.wrong(span, TypeProblemKind::Operand { op: "__real__", operand: ty });
            }
        };
        let operand = self.value(operand);
        let ty = self.exprs[operand].ty;
        if ty.is_unknown() {
            return self.unknown(span);
        }
        match op {
            AstUnary::Deref => match ty.as_pointer() {
                Some(pointer) if pointer.pointee.as_function().is_some() => operand,
                Some(pointer) => {
                    let pointee = self.complete(pointer.pointee);
                    self.push(ExprKind::Deref(operand), pointee, span)
                }
                None => self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty }),
            },
            AstUnary::Not => match ty.kind() {
                TyKind::Vector { element, lanes } => {
                    let mask = Ty::vector(mask_element(*element), *lanes);
                    self.push(ExprKind::Not(operand), mask, span)
                }
                TyKind::Bool
                | TyKind::Integer(_)
                | TyKind::Float(_)
                | TyKind::Pointer(_)
                | TyKind::BlockPointer(_) => self.push(ExprKind::Not(operand), Ty::INT, span),
                _ => self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty }),
            },
            _ => {
                let operand = if ty.is_arithmetic() { self.promoted(operand) } else { operand };
                let promoted = self.exprs[operand].ty;
                let element = promoted.lanes().map(|(element, _)| element);
                let integer = element.is_some_and(|element| element.as_integer().is_some());
                let fits = element.is_some() && (op != AstUnary::Complement || integer);
                if !fits {
                    return self.wrong(span, TypeProblemKind::Operand { op: name, operand: ty });
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

    fn address_of(&mut self, operand: ExprId, span: ast::Span) -> ExprId {
        let expr = &self.exprs[operand];
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Function(_) => return operand,
            ExprKind::Unknown => return self.unknown(span),
            _ => {}
        }
        // Images and samplers are in no memory of the program.
        if let TyKind::Opaque(Opaque::Image { .. } | Opaque::Sampler | Opaque::Pipe { .. }) = ty.kind() {
            return self.wrong(span, TypeProblemKind::NoAddress);
        }
        match self.place(operand) {
            Some(place) if !place.partial => {
                let q = Qualified {
                    ty,
                    space: Some(place.space),
                    constant: place.constant,
                    volatile: place.volatile,
                    restrict: false,
                };
                self.push(ExprKind::AddressOf(operand), pointer_to(q, false), span)
            }
            // One lane of a vector in memory has an address, whatever the standard says: kernels use it.
            Some(place) if matches!(&self.exprs[operand].kind, ExprKind::Lane { .. }) => {
                let q =
                    Qualified { space: Some(place.space), constant: place.constant, ..Qualified::plain(ty) };
                self.push(ExprKind::AddressOf(operand), pointer_to(q, false), span)
            }
            _ if ty.is_unknown() => self.unknown(span),
            _ => self.wrong(span, TypeProblemKind::NoAddress),
        }
    }

    fn step(&mut self, place: ExprId, increment: bool, prefix: bool, span: ast::Span) -> ExprId {
        let ty = self.exprs[place].ty;
        if !self.assignable(place, span) {
            return self.push(ExprKind::Unknown, ty, span);
        }
        let value = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        // Vectors of floats have no `++`, although floats have.
        let fits = match value.as_vector() {
            Some((element, _)) => element.as_float().is_none(),
            None => value.is_arithmetic() || value.as_pointer().is_some(),
        };
        if fits && !self.strides(value, span) {
            return self.push(ExprKind::Unknown, value, span);
        }
        if !fits {
            let op = if increment { "++" } else { "--" };
            return self.wrong(span, TypeProblemKind::Operand { op, operand: ty });
        }
        self.push(ExprKind::Step { place, increment, prefix }, value, span)
    }

    /// Whether something can be stored at an expression; says so if not.
    fn assignable(&mut self, id: ExprId, span: ast::Span) -> bool {
        let ty = self.exprs[id].ty;
        if ty.is_unknown() {
            return false;
        }
        match self.place(id) {
            None => {
                self.problem(span, TypeProblemKind::NotAPlace);
                false
            }
            Some(place) if place.constant || place.space == AddressSpace::Constant => {
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

    fn assign(&mut self, place: ExprId, value: ExprId, span: ast::Span) -> ExprId {
        let ty = self.exprs[place].ty;
        let assignable = self.assignable(place, self.exprs[place].span);
        if !assignable {
            return self.push(ExprKind::Unknown, ty, span);
        }
        if let TyKind::Opaque(Opaque::Image { .. } | Opaque::Sampler | Opaque::Pipe { .. }) = ty.kind() {
            return self.wrong(span, TypeProblemKind::Operand { op: "=", operand: ty });
        }
        let value = self.assigned(value, ty, Use::Assign);
        let ty = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        self.push(ExprKind::Assign { place, value }, ty, span)
    }

    fn compound_assign(&mut self, op: BinaryOp, place: ExprId, value: ExprId, span: ast::Span) -> ExprId {
        let ty = self.exprs[place].ty;
        let assignable = self.assignable(place, self.exprs[place].span);
        let value = self.value(value);
        let right = self.exprs[value].ty;
        if !assignable || right.is_unknown() {
            return self.push(ExprKind::Unknown, ty, span);
        }
        let wrong = TypeProblemKind::Operands { op: spelling(op), left: ty, right };
        let Kind::Arithmetic(arithmetic) = kind_of(op) else { return self.wrong(span, wrong) };
        let ty = match ty.kind() {
            TyKind::Atomic(inner) => *inner,
            _ => ty,
        };
        if ty.as_pointer().is_some() {
            if !matches!(arithmetic, Arithmetic::Add | Arithmetic::Sub) || !is_integer(right) {
                return self.wrong(span, wrong);
            }
            if !self.strides(ty, span) {
                return self.push(ExprKind::Unknown, ty, span);
            }
            return self.push(
                ExprKind::CompoundAssign { place, op: arithmetic, compute: ty, value },
                ty,
                span,
            );
        }
        let Some((element, _)) = ty.lanes() else { return self.wrong(span, wrong) };
        let Some((right_element, _)) = right.lanes() else { return self.wrong(span, wrong) };
        let floats = element.as_float().is_some() || right_element.as_float().is_some();
        if needs_integers(arithmetic) && floats {
            return self.wrong(span, wrong);
        }
        let shift = matches!(arithmetic, Arithmetic::Shl | Arithmetic::Shr);
        let (compute, value) = match (ty.as_vector(), right.as_vector()) {
            (Some(_), Some(_)) if ty == right || (shift && same_lanes(ty, right)) => (ty, value),
            (Some(_), None) if shift || self.widens(value, element) => (ty, self.splat(value, ty)),
            (None, None) if shift => {
                let value = self.promoted(value);
                (promoted_type(ty), value)
            }
            (None, None) => match common_type(ty, right) {
                Some(common) => (common, self.as_scalar(value, common)),
                None => return self.wrong(span, wrong),
            },
            _ => return self.wrong(span, wrong),
        };
        self.push(ExprKind::CompoundAssign { place, op: arithmetic, compute, value }, ty, span)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: ast::Span) -> ExprId {
        let (left, right) = (self.value(left), self.value(right));
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        let kind = kind_of(op);
        if l.is_unknown() || r.is_unknown() {
            // A comparison of scalars is an `int` whatever it compares, but vectors may hide here.
            return self.unknown(span);
        }
        let checked = match kind {
            Kind::Arithmetic(op) => self.arithmetic(op, left, right, span),
            Kind::Compare(op) => self.compare(op, left, right, span),
            Kind::Logical { and } => self.logical(and, left, right, span),
        };
        checked.unwrap_or_else(|| {
            self.wrong(span, TypeProblemKind::Operands { op: spelling(op), left: l, right: r })
        })
    }

    fn arithmetic(&mut self, op: Arithmetic, left: ExprId, right: ExprId, span: ast::Span) -> Option<ExprId> {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        match (l.as_pointer(), r.as_pointer(), op) {
            (Some(_), None, Arithmetic::Add | Arithmetic::Sub) if is_integer(r) => {
                if !self.strides(l, span) {
                    return Some(self.push(ExprKind::Unknown, l, span));
                }
                let negative = op == Arithmetic::Sub;
                return Some(self.push(ExprKind::Offset { pointer: left, index: right, negative }, l, span));
            }
            (None, Some(_), Arithmetic::Add) if is_integer(l) => {
                if !self.strides(r, span) {
                    return Some(self.push(ExprKind::Unknown, r, span));
                }
                return Some(self.push(
                    ExprKind::Offset { pointer: right, index: left, negative: false },
                    r,
                    span,
                ));
            }
            (Some(a), Some(b), Arithmetic::Sub) if compatible(a.pointee, b.pointee) => {
                let common = common_pointer(a, b)?;
                if !self.strides(common, span) {
                    return Some(self.push(ExprKind::Unknown, Ty::LONG, span));
                }
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
        let (left, right, ty) = self.usual(left, right)?;
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
                let (left, right, ty) = self.usual(left, right)?;
                if let Some((element, lanes)) = ty.as_vector() {
                    let mask = Ty::vector(mask_element(element), lanes);
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

    /// Null of a type.
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
            let (left, right, ty) = self.usual(left, right)?;
            let (element, lanes) = ty.as_vector()?;
            let mask = Ty::vector(mask_element(element), lanes);
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

    fn conditional(
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
            let ty = self.exprs[then].ty;
            return self.push(ExprKind::Unknown, ty, span);
        }
        if let Some((_, lanes)) = ty.as_vector() {
            return self.conditional_lanes(condition, lanes, then, otherwise, span);
        }
        if ty.as_float().is_some() {
            // OpenCL C 3.0, 6.3.i: not even a scalar one.
            return self.wrong(self.exprs[condition].span, TypeProblemKind::FloatCondition { ty });
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
        if t.is_unknown() || o.is_unknown() {
            return self.unknown(span);
        }
        let wrong = TypeProblemKind::Operands { op: "?:", left: t, right: o };
        let Some((mask, _)) =
            self.exprs[condition].ty.as_vector().filter(|(mask, _)| mask.as_float().is_none())
        else {
            let ty = self.exprs[condition].ty;
            return self.wrong(span, TypeProblemKind::FloatCondition { ty });
        };
        // Two scalars are widened to the lanes of the condition, and are not promoted.
        let (then, otherwise) = if t.is_arithmetic() && o.is_arithmetic() {
            let common = if t == o { Some(t) } else { common_integer(t, o).or_else(|| common_type(t, o)) };
            let Some(common) = common else { return self.wrong(span, wrong) };
            let vector = Ty::vector(common, lanes);
            (self.splat(then, vector), self.splat(otherwise, vector))
        } else {
            match self.usual(then, otherwise) {
                Some((then, otherwise, _)) => (then, otherwise),
                None => return self.wrong(span, wrong),
            }
        };
        let ty = self.exprs[then].ty;
        // Each lane is chosen by a lane of the same size.
        let fits = ty
            .as_vector()
            .is_some_and(|(element, found)| found == lanes && mask_element(element) == mask_element(mask));
        if !fits {
            return self.wrong(span, wrong);
        }
        self.push(ExprKind::ConditionalLanes { condition, then, otherwise }, ty, span)
    }

    fn elvis(&mut self, value: ExprId, otherwise: ExprId, span: ast::Span) -> ExprId {
        let ty = self.exprs[value].ty;
        if let Some((_, lanes)) = ty.as_vector() {
            // It has a type, but no one writes it: it is not lowered.
            let chosen = self.conditional_lanes(value, lanes, value, otherwise, span);
            let ty = self.exprs[chosen].ty;
            return self.push(ExprKind::Unknown, ty, span);
        }
        let scalar = matches!(ty.kind(), TyKind::Pointer(_) | TyKind::BlockPointer(_) | TyKind::Unknown);
        if ty.as_float().is_some() {
            return self.wrong(self.exprs[value].span, TypeProblemKind::FloatCondition { ty });
        }
        if !scalar && !ty.is_arithmetic() {
            return self.wrong(span, TypeProblemKind::Condition { ty });
        }
        // It is promoted, even beside a vector.
        let value = self.promoted(value);
        match self.same_type(value, otherwise, span) {
            Ok((value, otherwise, ty)) => self.push(ExprKind::Elvis { value, otherwise }, ty, span),
            Err(id) => id,
        }
    }

    /// Both branches of `?:` as one type.
    fn same_type(
        &mut self,
        then: ExprId,
        otherwise: ExprId,
        span: ast::Span,
    ) -> Result<(ExprId, ExprId, Ty), ExprId> {
        let (t, o) = (self.exprs[then].ty, self.exprs[otherwise].ty);
        if t.is_unknown() || o.is_unknown() {
            let known = if t.is_unknown() { o } else { t };
            return Err(self.push(ExprKind::Unknown, known, span));
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
                if let Some(same) = self.usual(then, otherwise) {
                    return Ok(same);
                }
            }
        }
        Err(self.wrong(span, TypeProblemKind::Operands { op: "?:", left: t, right: o }))
    }

    fn size(&mut self, ty: Ty, span: ast::Span, of: impl Fn(crate::hir::layout::Layout) -> u64) -> ExprId {
        let ty = self.complete(ty);
        match layout(ty) {
            Some(layout) => {
                self.push(ExprKind::Constant(Constant::Integer(of(layout).into())), Ty::SIZE, span)
            }
            // GNU's `sizeof(void)` and `sizeof(function)` are 1.
            None if ty.is_void() || ty.as_function().is_some() => {
                self.push(ExprKind::Constant(Constant::Integer(1)), Ty::SIZE, span)
            }
            None => {
                if !mentions_unknown(ty) {
                    self.problem(span, TypeProblemKind::Incomplete { ty });
                }
                self.push(ExprKind::Unknown, Ty::SIZE, span)
            }
        }
    }

    /// `as_T(x)`: the same bits under another type of the same size; 3 lanes count as 4.
    pub(super) fn reinterpret(&mut self, operand: ExprId, to: Ty, span: ast::Span) -> ExprId {
        let from = self.exprs[operand].ty;
        if from.is_unknown() || to.is_unknown() {
            return self.push(ExprKind::Unknown, to, span);
        }
        if from == to {
            return operand;
        }
        let sizes = (layout(from), layout(to));
        let fits = matches!(sizes, (Some(from), Some(to)) if from.size == to.size);
        let pointers = from.as_pointer().is_some() || to.as_pointer().is_some();
        match fits {
            true if pointers => self.cast(operand, to, span),
            true => self.push(ExprKind::Convert { conversion: Conversion::Bits, operand }, to, span),
            false => self.wrong(span, TypeProblemKind::Convert { from, to, what: Use::Cast }),
        }
    }

    fn generic(
        &mut self,
        control: ast::ExprId,
        arms: &[(Option<ast::TypeId>, ast::ExprId)],
        span: ast::Span,
    ) -> ExprId {
        let control = self.value(self.done[control]);
        let ty = self.exprs[control].ty;
        let mut chosen = None;
        for &(of, arm) in arms {
            match of {
                Some(of) if self.type_name(of).ty == ty => {
                    chosen = Some(arm);
                    break;
                }
                Some(_) => {}
                None => chosen = chosen.or(Some(arm)),
            }
        }
        match chosen {
            Some(arm) => self.done[arm],
            None if ty.is_unknown() => self.unknown(span),
            None => self.wrong(span, TypeProblemKind::NoMatchingType { ty }),
        }
    }

    fn block(&mut self, ty: Option<ast::TypeId>, parameters: &[ast::DeclId], span: ast::Span) -> ExprId {
        let result = ty.map_or(Ty::VOID, |ty| self.type_name(ty).ty);
        let parameters: Vec<Ty> = parameters
            .iter()
            .map(|&parameter| {
                let ast = self.ast;
                self.declared(&ast.decls[parameter], crate::hir::declare::Context::Parameter).ty
            })
            .filter(|ty| !ty.is_void())
            .collect();
        let function =
            crate::hir::types::FunctionTy { result, parameters: parameters.into(), variadic: false };
        let function = Ty::new(TyKind::Function(Box::new(function)));
        self.push(ExprKind::Block(0), Ty::new(TyKind::BlockPointer(function)), span)
    }

    /// A variable without a name, such as a compound literal's.
    pub(super) fn unnamed(
        &mut self,
        ty: Ty,
        storage: Storage,
        space: AddressSpace,
        span: ast::Span,
    ) -> super::VarId {
        self.vars.push(Var { name: None, ty, storage, space, constant: false, volatile: false, span })
    }
}

/// Lists the operands of an expression that are checked before it.
fn operands(kind: &Ast, list: &mut Vec<ast::ExprId>) {
    match kind {
        Ast::Error
        | Ast::Name(_)
        | Ast::Number(_)
        | Ast::Character(_)
        | Ast::String(_)
        | Ast::SizeofType(_)
        | Ast::Type(_)
        | Ast::AlignofType(_)
        | Ast::Offsetof { .. }
        | Ast::CompoundLiteral { .. }
        | Ast::Statement(_)
        | Ast::LabelAddress(_)
        | Ast::Block { .. } => {}
        Ast::Paren(operand)
        | Ast::Unary { operand, .. }
        | Ast::Cast { operand, .. }
        | Ast::SizeofExpr(operand)
        | Ast::AlignofExpr(operand)
        | Ast::Astype { operand, .. }
        | Ast::VaArg { list: operand, .. }
        | Ast::Member { base: operand, .. } => list.push(*operand),
        Ast::Index { base: left, index: right }
        | Ast::Binary { left, right, .. }
        | Ast::Assign { left, right, .. }
        | Ast::Comma { left, right } => list.extend([*left, *right]),
        Ast::Conditional { condition, then, otherwise } => {
            list.push(*condition);
            list.extend(then);
            list.push(*otherwise);
        }
        Ast::Call { callee, arguments } => {
            list.push(*callee);
            list.extend(arguments.iter().copied());
        }
        Ast::Generic { control, arms } => {
            list.push(*control);
            list.extend(arms.iter().map(|&(_, arm)| arm));
        }
    }
}

pub(super) fn is_integer(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Integer(_) | TyKind::Bool)
}

fn same_lanes(left: Ty, right: Ty) -> bool {
    match (left.as_vector(), right.as_vector()) {
        (Some((_, a)), Some((element, b))) => a == b && element.as_integer().is_some(),
        _ => false,
    }
}

/// Whether a type is built from one that is not known.
pub(super) fn mentions_unknown(ty: Ty) -> bool {
    let mut ty = ty;
    loop {
        ty = match ty.kind() {
            TyKind::Unknown => return true,
            TyKind::Array { element, length: _ } => *element,
            TyKind::Pointer(Pointer { pointee, .. }) => *pointee,
            TyKind::Atomic(inner) => *inner,
            TyKind::Record(record) => {
                let fields = record.definition.as_ref().map(|definition| &definition.fields);
                return fields.is_some_and(|fields| fields.iter().any(|field| field.ty.is_unknown()));
            }
            _ => return false,
        };
    }
}
