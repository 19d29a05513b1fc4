//! Gives a loop that counts from the id of each thread the same trip count in all threads of a work-group.
//!
//! ```text
//! for (int i = get_local_id(0); i < n; i += 64) {
//!   tile[i & 63] = in[i];
//!   barrier(1);
//! }
//!
//! for (int i = get_local_id(0); i - (int)get_local_id(0) < n; i += 64) {
//!   const bool is_active = i < n;
//!   if (is_active) tile[i & 63] = in[i];
//!   barrier(1);
//! }
//! ```
//!
//! The loop runs as long as the first thread of the work-group has an element: the bound is rounded up to the size of
//! the group. If all threads had the same trip count before, it does not change.

use tangle_grammar::ast::{self, Span};

use super::edits::{indent, line_end, line_of};
use super::guard::{Exits, Guard};
use super::harm::Effect;
use super::{Rewrite, Site};
use tangle_diagnostic::Applicability;
use tangle_hir::body::{StmtId, StmtKind};
use tangle_hir::typed::StmtExprs;

/// One change for each dimension whose id the loop may count from.
pub(super) fn rounded(site: &Site, around: StmtId) -> Vec<Rewrite> {
    (0..3).filter_map(|dimension| in_dimension(site, around, dimension)).collect()
}

fn in_dimension(site: &Site, around: StmtId, dimension: usize) -> Option<Rewrite> {
    let StmtKind::For { init, body, .. } = site.body.body.stmts[around].kind else { return None };
    let (item, text) = (site.item(), &*site.text);
    let mut guard = Guard::new(site, "is_active", Exits::Continue(around))?;
    let (counter, bound) = comparison(site, around)?;
    let StmtExprs::Declaration(locals) = &guard.typed.stmts[init] else { return None };
    let name = item.text(counter);
    let var = locals.iter().map(|local| &guard.typed.vars[local.var]);
    let var = var.into_iter().find(|var| var.name.is_some_and(|own| own.text.as_str() == name))?;
    let id = site.local_id(dimension, var.ty.as_integer()?)?;
    guard.add_unguarded_effect(guard.own_effect(init))?;
    guard.add_unguarded_effect(guard.own_effect(around))?;
    let condition = item.plain(Span::new(counter.start, bound.end))?;
    guard.is_all_active(body, guard.span(body).start)?;
    guard.branch(body)?;
    if let StmtKind::Compound(children) = &site.body.body.stmts[body].kind
        && guard.edits != Default::default()
    {
        let declaration = guard.declaration(&text[condition]);
        let open = item.plain_start(site.body.body.stmts[body].span)?.end;
        let first = item.bytes(site.body.body.stmts[*children.first()?].span)?.start;
        let line = line_of(text, open);
        match text[open..line.end.max(open)].trim().is_empty() {
            true => {
                let own = indent(text, first).to_owned();
                guard.edits.insert(line.end, format!("{}{own}{declaration}", line_end(text, open)));
            }
            false => guard.edits.insert(open, format!(" {declaration}")),
        }
    }
    guard.edits.insert(item.plain(counter)?.end, format!(" - {id}"));
    let threads = site.item().vocabulary().threads();
    let (title, applicability) = match guard.effect < Effect::Exchanges {
        true => (
            "Round the trip count up to the work-group, and guard the work (keeps the meaning of the program)".to_owned(),
            Applicability::Safe,
        ),
        false => (
            format!(
                "Round the trip count up to the work-group, and guard the work (changes the program: all {threads} take part in the operations)"
            ),
            Applicability::Unsafe,
        ),
    };
    Some(Rewrite { title, edits: guard.edits, applicability, fixes_mistake: true, adds_threads: true })
}

/// The two operands of `i < n` or `i <= n`, if the condition of a `for` compares a plain variable in this way.
fn comparison(site: &Site, around: StmtId) -> Option<(Span, Span)> {
    let ast = site.item().ast();
    let ast::StmtKind::For { condition: Some(condition), .. } =
        ast.stmts[site.body.body.stmts[around].syntax].kind
    else {
        return None;
    };
    let ast::ExprKind::Binary { op, left, right } = ast.exprs[condition].kind else { return None };
    let is_variable = matches!(ast.exprs[left].kind, ast::ExprKind::Name(_));
    let is_less = matches!(op, ast::BinaryOp::Less | ast::BinaryOp::LessEqual);
    (is_variable && is_less).then(|| (ast.exprs[left].span, ast.exprs[right].span))
}
