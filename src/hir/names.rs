//! The names that an item uses and does not declare: what a missing header may have been meant for.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{Ast, ExprKind, TypeSpecifier};
use tangle_grammar::symbol::Symbol;

use crate::dialect::Dialect;

/// The names in expressions that the item itself does not declare in any scope, and the dialect does not have.
pub(super) fn of(ast: &Ast, dialect: Dialect) -> Vec<Symbol> {
    let mut declared: FxHashSet<Symbol> = FxHashSet::default();
    for (_, decl) in ast.decls.iter() {
        declared.extend(decl.name.map(|name| name.text));
        declared.extend(enumerators(&decl.specifiers.types));
    }
    for (_, ty) in ast.types.iter() {
        declared.extend(enumerators(&ty.specifiers.types));
    }
    let mut names: Vec<Symbol> = ast
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr.kind {
            ExprKind::Name(name) if !declared.contains(&name) => Some(name),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|&name| !dialect.is_own_name(name));
    names
}

/// The constants of the `enum`s among type specifiers.
pub(super) fn enumerators(types: &[TypeSpecifier]) -> Vec<Symbol> {
    let lists = types.iter().filter_map(|ty| match ty {
        TypeSpecifier::Enum { enumerators: Some(list), .. } => Some(list),
        _ => None,
    });
    lists.flat_map(|list| list.iter().map(|(name, ..)| name.text)).collect()
}
