//! Stands in for the checking of expressions: constants of literals and enumerators only.

use tangle_grammar::ast::{self, BinaryOp, ExprKind, Initializer, Span, UnaryOp};
use tangle_grammar::literal::{Number, number};

use super::{Checker, Meaning, Qualified, TypeProblem, TypeProblemKind};
use crate::hir::layout::layout;
use crate::hir::types::{Ty, TyKind};

impl Checker<'_> {
    pub(in crate::hir) fn problem(&mut self, span: Span, kind: TypeProblemKind) {
        self.problems.push(TypeProblem { span, kind });
    }

    pub(in crate::hir) fn constant_integer(&mut self, expr: ast::ExprId) -> Option<i128> {
        Some(match &self.ast.exprs[expr].kind {
            ExprKind::Number(text) => match number(text.as_str()) {
                Ok(Number::Integer { value, .. }) => i128::from(value),
                _ => return None,
            },
            ExprKind::Name(name) => match self.lookup(*name)? {
                Meaning::Enumerator { value, .. } => value,
                _ => return None,
            },
            ExprKind::Paren(inner) => self.constant_integer(*inner)?,
            ExprKind::Unary { op: UnaryOp::Minus, operand } => -self.constant_integer(*operand)?,
            ExprKind::SizeofType(ty) => {
                let ty = self.type_name(*ty).ty;
                i128::from(layout(ty)?.size)
            }
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.constant_integer(*left)?, self.constant_integer(*right)?);
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Sub => left - right,
                    BinaryOp::Mul => left * right,
                    BinaryOp::Div => left.checked_div(right)?,
                    BinaryOp::Shl => left << right,
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    pub(in crate::hir) fn type_of_expr(&mut self, _: ast::ExprId) -> Qualified {
        Qualified { ty: Ty::UNKNOWN, space: None, constant: false, volatile: false, restrict: false }
    }

    /// An array without a length, with the length that the initialiser gives it; any other type as it is.
    pub(in crate::hir) fn completed_by(&mut self, ty: Ty, initializer: &Initializer) -> Ty {
        match (ty.kind(), initializer) {
            (TyKind::Array { element, length: None }, Initializer::List(list)) => {
                Ty::array(*element, Some(list.len() as u64))
            }
            _ => ty,
        }
    }
}
