//! Limits the height of a syntax tree, so that later stages can rely on a maximum depth.

use crate::ast::{Ast, ExprId, ExprKind, Span, StmtId, StmtKind, UnaryOp};

/// The maximum height of a tree, counted in nodes from the root to the farthest leaf.
///
/// Chains that generated code often has do not count: the left operands of a chain of operators, `else if`,
/// `?:` in the last operand of `?:`, and stacked labels. Nesting without brackets counts: `!!!!x`, and
/// `if (a) if (b) if (c) …`. The nesting of brackets has its own limit.
pub const MAX_HEIGHT: u32 = 1000;

/// Returns the first node whose tree is higher than [`MAX_HEIGHT`], with the error message.
pub(crate) fn too_high(ast: &Ast) -> Option<(Span, String)> {
    let message = || format!("nested too deeply: the limit is {MAX_HEIGHT} levels");
    let mut heights: Vec<u32> = Vec::with_capacity(ast.exprs.len().max(ast.stmts.len()));
    for (_, expr) in ast.exprs.iter() {
        let mut height = 1;
        expr.kind.each_child(|child, chain| {
            let below = heights[child.into_raw().into_u32() as usize];
            height = height.max(if chain { below } else { below + 1 });
        });
        if height > MAX_HEIGHT {
            return Some((expr.span, message()));
        }
        heights.push(height);
    }
    heights.clear();
    for (_, stmt) in ast.stmts.iter() {
        let mut height = 1;
        stmt.kind.each_child(|child, chain| {
            let below = heights[child.into_raw().into_u32() as usize];
            height = height.max(if chain { below } else { below + 1 });
        });
        if height > MAX_HEIGHT {
            return Some((stmt.span, message()));
        }
        heights.push(height);
    }
    None
}

impl ExprKind {
    /// Calls `each` with every direct child expression, and whether the child continues a chain (see
    /// [`MAX_HEIGHT`]). Expressions inside a type, an initialiser or a statement are not children.
    pub fn each_child(&self, mut each: impl FnMut(ExprId, bool)) {
        match self {
            ExprKind::Error
            | ExprKind::Name(_)
            | ExprKind::Number(_)
            | ExprKind::Character(_)
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::SizeofType(_)
            | ExprKind::Type(_)
            | ExprKind::AlignofType(_)
            | ExprKind::Statement(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Block { .. }
            | ExprKind::Path(_)
            | ExprKind::Braces(_)
            | ExprKind::This
            | ExprKind::Lambda(_) => {}
            ExprKind::Paren(inner)
            | ExprKind::ConstantExpr(inner)
            | ExprKind::SizeofExpr(inner)
            | ExprKind::AlignofExpr(inner)
            | ExprKind::Arguments(inner)
            | ExprKind::Expansion(inner)
            | ExprKind::Element { range: inner } => each(*inner, false),
            ExprKind::Call { callee, arguments } => {
                each(*callee, true);
                arguments.iter().for_each(|argument| each(*argument, false));
            }
            ExprKind::Index { base, index } => {
                each(*base, true);
                each(*index, false);
            }
            ExprKind::Member { base, .. } | ExprKind::MemberPath { base, .. } => each(*base, true),
            ExprKind::Construct { arguments: operands, .. }
            | ExprKind::Fold { operands }
            | ExprKind::Opaque { operands, .. } => operands.iter().for_each(|operand| each(*operand, false)),
            ExprKind::Launch { callee, configuration, arguments } => {
                each(*callee, true);
                configuration.iter().chain(arguments).for_each(|operand| each(*operand, false));
            }
            ExprKind::Unary { op, operand } => {
                let postfix = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
                each(*operand, postfix);
            }
            ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
                each(*left, true);
                each(*right, false);
            }
            ExprKind::Assign { left, right, .. } => {
                each(*left, false);
                each(*right, false);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                each(*condition, false);
                if let Some(then) = then {
                    each(*then, false);
                }
                each(*otherwise, true);
            }
            ExprKind::Cast { operand, .. }
            | ExprKind::Offsetof { member: operand, .. }
            | ExprKind::Astype { operand, .. }
            | ExprKind::VaArg { list: operand, .. } => each(*operand, false),
            ExprKind::Generic { control, arms } => {
                each(*control, false);
                arms.iter().for_each(|(_, value)| each(*value, false));
            }
        }
    }
}

impl StmtKind {
    /// Calls `each` with every direct child statement, and whether the child continues a chain (see
    /// [`MAX_HEIGHT`]).
    pub fn each_child(&self, mut each: impl FnMut(StmtId, bool)) {
        match self {
            StmtKind::Error
            | StmtKind::Declaration(_)
            | StmtKind::Expression(_)
            | StmtKind::Empty
            | StmtKind::Goto(_)
            | StmtKind::ComputedGoto(_)
            | StmtKind::Continue
            | StmtKind::Break
            | StmtKind::Return(_)
            | StmtKind::Asm(_)
            | StmtKind::Opaque(_) => {}
            StmtKind::Compound(statements) => statements.iter().for_each(|statement| each(*statement, false)),
            StmtKind::If { then, otherwise, .. } => {
                each(*then, false);
                if let Some(otherwise) = otherwise {
                    each(*otherwise, true);
                }
            }
            StmtKind::Switch { body, .. } | StmtKind::While { body, .. } | StmtKind::Do { body, .. } => {
                each(*body, false);
            }
            StmtKind::For { init, body, .. } => {
                each(*init, false);
                each(*body, false);
            }
            StmtKind::RangeFor { init, body, .. } => {
                each(*init, false);
                each(*body, false);
            }
            StmtKind::Label { statement, .. }
            | StmtKind::Case { statement, .. }
            | StmtKind::Default { statement } => {
                each(*statement, true);
            }
        }
    }
}
