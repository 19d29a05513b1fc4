//! Block literals that execute only as kernels.
//!
//! **Enqueued** block: a literal that is an argument of `enqueue_kernel`, or the initialiser of a variable that is such
//! an argument. If the variable is also called, or used other than as an argument of a builtin, the literal does not
//! count as a kernel: it may be called.
//!
//! ```c
//! enqueue_kernel(q, flags, range, ^{ step(p); });   // enqueued
//! void (^next)(void) = ^{ step(p); };               // enqueued …
//! if (get_kernel_work_group_size(next) > 64)
//!   enqueue_kernel(q, flags, range, next);          // … here
//! ```

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{Ast, ExprId, ExprKind, Initializer, Span, StmtId};

use super::resolve::{self, Entity, ReferenceKind};
use tangle_syntax::dialect::{BuiltinKind, Dialect};

/// Returns the bodies of the block literals that execute as kernels.
pub(super) fn enqueued(ast: &Ast, dialect: Dialect) -> FxHashSet<StmtId> {
    let mut bodies: FxHashSet<StmtId> = FxHashSet::default();
    if !ast.exprs.iter().any(|(_, expr)| matches!(expr.kind, ExprKind::Block { .. })) {
        return bodies;
    }
    let mut names: FxHashSet<Span> = FxHashSet::default();
    let mut harmless: FxHashSet<Span> = FxHashSet::default();
    for (_, expr) in ast.exprs.iter() {
        let ExprKind::Call { callee, arguments } = &expr.kind else { continue };
        let callee = resolve::called(ast, *callee).and_then(|(named, _)| named.table_name());
        let Some(row) = callee.and_then(|name| dialect.builtins().get(name)) else { continue };
        for &argument in arguments {
            for id in alternatives(ast, argument) {
                let expr = &ast.exprs[id];
                match expr.kind {
                    ExprKind::Name(_) => {
                        harmless.insert(expr.span);
                        if row.kind == Some(BuiltinKind::Enqueue) {
                            names.insert(expr.span);
                        }
                    }
                    ExprKind::Block { body, .. } if row.kind == Some(BuiltinKind::Enqueue) => {
                        bodies.insert(body);
                    }
                    _ => {}
                }
            }
        }
    }
    if names.is_empty() {
        return bodies;
    }
    let mut variables: FxHashSet<Span> = FxHashSet::default();
    let mut others: FxHashSet<Span> = FxHashSet::default();
    for reference in resolve::of(ast) {
        let (Entity::Local(at), ReferenceKind::Use | ReferenceKind::Call) =
            (reference.target, reference.role)
        else {
            continue;
        };
        if names.contains(&reference.name.span) {
            variables.insert(at);
        }
        if !harmless.contains(&reference.name.span) {
            others.insert(at);
        }
    }
    for (_, decl) in ast.decls.iter() {
        if let (Some(name), Some(Initializer::Expression(value))) = (decl.name, &decl.initializer)
            && variables.contains(&name.span)
            && !others.contains(&name.span)
        {
            bodies.extend(alternatives(ast, *value).into_iter().filter_map(|id| match ast.exprs[id].kind {
                ExprKind::Block { body, .. } => Some(body),
                _ => None,
            }));
        }
    }
    bodies
}

/// Returns the possible values of an expression: the branches of `?:`, or the expression itself, without parentheses
/// and casts.
fn alternatives(ast: &Ast, of: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut todo = vec![of];
    while let Some(id) = todo.pop() {
        match ast.exprs[id].kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => todo.push(inner),
            ExprKind::Conditional { then: Some(then), otherwise, .. } => todo.extend([then, otherwise]),
            _ => found.push(id),
        }
    }
    found
}
