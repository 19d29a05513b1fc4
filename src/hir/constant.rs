//! Constant integer expressions, as far as reachability needs them: literals, operators, and the names of truth values.

use la_arena::ArenaMap;
use tangle_grammar::ast::{Ast, BinaryOp, Expr, ExprId, ExprKind, UnaryOp};
use tangle_grammar::literal::{Number, number};

use super::body::ConstantCondition;
use tangle_syntax::dialect::Dialect;

/// The values of the constant expressions of an item. Computed in one pass: in the arena, operands precede operators.
pub struct Constants(ArenaMap<ExprId, i128>);

impl Constants {
    pub fn of(ast: &Ast, dialect: Dialect) -> Constants {
        let mut values = ArenaMap::default();
        for (id, expr) in ast.exprs.iter() {
            if let Some(value) = evaluate(expr, &values, dialect) {
                values.insert(id, value);
            }
        }
        Constants(values)
    }

    pub fn condition(&self, expr: ExprId) -> ConstantCondition {
        match self.0.get(expr) {
            Some(0) => ConstantCondition::AlwaysFalse,
            Some(_) => ConstantCondition::AlwaysTrue,
            None => ConstantCondition::Unknown,
        }
    }
}

/// Returns the value of an expression. None: it is not constant, overflows or divides by zero.
fn evaluate(expr: &Expr, values: &ArenaMap<ExprId, i128>, dialect: Dialect) -> Option<i128> {
    let value = |id: &ExprId| values.get(*id).copied();
    Some(match &expr.kind {
        ExprKind::Number(text) => match number(text.as_str()) {
            Ok(Number::Integer { value, .. }) => i128::from(value),
            _ => return None,
        },
        ExprKind::Name(name) => i128::from(dialect.truth(*name)?),
        ExprKind::Paren(inner) | ExprKind::ConstantExpr(inner) => value(inner)?,
        ExprKind::Unary { op, operand } => {
            let operand = value(operand)?;
            match op {
                UnaryOp::Plus | UnaryOp::Extension => operand,
                UnaryOp::Minus => operand.checked_neg()?,
                UnaryOp::Not => i128::from(operand == 0),
                UnaryOp::Complement => !operand,
                _ => return None,
            }
        }
        // One constant operand can decide `&&` and `||` alone.
        ExprKind::Binary { op: BinaryOp::And, left, right } => match (value(left), value(right)) {
            (Some(0), _) | (_, Some(0)) => 0,
            (Some(_), Some(_)) => 1,
            _ => return None,
        },
        ExprKind::Binary { op: BinaryOp::Or, left, right } => match (value(left), value(right)) {
            (Some(0), Some(0)) => 0,
            (Some(l), _) if l != 0 => 1,
            (_, Some(r)) if r != 0 => 1,
            _ => return None,
        },
        ExprKind::Binary { op, left, right } => binary(*op, value(left)?, value(right)?)?,
        ExprKind::Conditional { condition, then, otherwise } => {
            let condition = value(condition)?;
            match then {
                _ if condition == 0 => value(otherwise)?,
                Some(then) => value(then)?,
                None => condition,
            }
        }
        _ => return None,
    })
}

fn binary(op: BinaryOp, left: i128, right: i128) -> Option<i128> {
    Some(match op {
        BinaryOp::Mul => left.checked_mul(right)?,
        BinaryOp::Div => left.checked_div(right)?,
        BinaryOp::Rem => left.checked_rem(right)?,
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Sub => left.checked_sub(right)?,
        BinaryOp::Shl => left.checked_shl(u32::try_from(right).ok()?)?,
        BinaryOp::Shr => left.checked_shr(u32::try_from(right).ok()?)?,
        BinaryOp::Less => i128::from(left < right),
        BinaryOp::Greater => i128::from(left > right),
        BinaryOp::LessEqual => i128::from(left <= right),
        BinaryOp::GreaterEqual => i128::from(left >= right),
        BinaryOp::Equal => i128::from(left == right),
        BinaryOp::NotEqual => i128::from(left != right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitOr => left | right,
        BinaryOp::And | BinaryOp::Or => return None,
    })
}
