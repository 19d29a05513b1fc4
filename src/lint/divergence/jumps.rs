//! Jumps that no thread of a group takes without the others: they leave nothing to the implementation.
//!
//! The main warning is about a convergent operation where threads meet that came by different jumps. If all of a group jump, or
//! none, they never part, and there is nothing to warn of (SEMANTICS §5).

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;

use super::{Context, Known};
use crate::flow::{BlockId, Terminator};
use crate::hir::body::{Body, StmtId, StmtKind};
use crate::hir::builtins::Scope;
use crate::lint::check::doubtful_calls;
use crate::tangle::{Arrival, Doubt, tangles_of};
use crate::uniformity::Fact;
use crate::uniformity::cause::Subject;

/// The operations of a function, each by the place of its callee, at which every jump that raises a doubt is taken by all threads of
/// the operation's group or by none.
pub(in crate::lint) fn settled(context: &Context, number: usize) -> FxHashSet<Span> {
    let known = &context.functions[number];
    let mut settled = FxHashSet::default();
    let item = known.definition.item.scoped.item(context.db);
    for &(body, call) in doubtful_calls(context.db, item, context.model) {
        let tangles = &tangles_of(context.db, item, context.model).0[body];
        let Some(operation) = known.operations.iter().find(|operation| operation.call == call) else {
            continue;
        };
        let scope = match (operation.runs.of_group, operation.runs.of_subgroup) {
            (Some((_, scope)), _) => scope,
            (None, Some(_)) => Scope::Subgroup,
            (None, None) => continue,
        };
        let Some(doubt) = tangles.calls[call].doubt else { continue };
        if known.span(operation) == known.body().calls[call].span
            && all_uniform(context, number, &tangles.doubts[doubt], scope)
        {
            settled.insert(known.span(operation));
        }
    }
    settled
}

fn all_uniform(context: &Context, number: usize, doubt: &Doubt, scope: Scope) -> bool {
    let known = &context.functions[number];
    let sources: FxHashSet<StmtId> = doubt
        .arrivals
        .iter()
        .filter_map(|arrival| match *arrival {
            Arrival::InSequence => None,
            Arrival::Jump { source, .. } | Arrival::Cycle { source, .. } => Some(source),
        })
        .collect();
    // Who leaves a loop by a jump does so together with the others only if all stay for the same number of iterations.
    let iterates = doubt
        .arrivals
        .iter()
        .any(|it| matches!(it, Arrival::Cycle { .. } | Arrival::Jump { leaves: Some(_), .. }));
    let exits = &known.analysis.graph.exit_branches;
    if iterates && !exits.iter().flatten().all(|&exit| agree(context, number, known, exit, scope)) {
        return false;
    }
    !sources.is_empty() && sources.iter().all(|&source| is_uniform(context, number, known, source, scope))
}

/// Whether all threads of a group come to a jump together and go the same way there.
fn is_uniform(context: &Context, number: usize, known: &Known, jump: StmtId, scope: Scope) -> bool {
    block_of(known, known.body(), jump).is_some_and(|block| agree(context, number, known, block, scope))
}

/// Whether all threads of a group come to the end of a block together and go the same way there.
fn agree(context: &Context, number: usize, known: &Known, block: BlockId, scope: Scope) -> bool {
    let agree = |subject: Subject, fact: Fact| {
        // Who calls a function that is called from nowhere here is not known.
        let answered = known.function.kernel
            || (fact.values.is_empty() && fact.pointees.is_empty())
            || (known.function.internal && !context.calls_of(known.at).is_empty());
        answered && context.blame(number, subject, fact, scope).is_none()
    };
    agree(Subject::Control(block), known.analysis.control[block])
        && agree(Subject::Branch(block), known.analysis.branches[block])
}

/// The block that ends with a jump.
fn block_of(known: &Known, body: &Body, jump: StmtId) -> Option<BlockId> {
    let own = body.stmts[jump].span;
    let is_switch = matches!(body.stmts[jump].kind, StmtKind::Switch { .. });
    let blocks = known.function.blocks.iter_enumerated();
    let ends = blocks.filter(|(_, block)| {
        let kind = match block.terminator {
            Terminator::Switch { .. } => true,
            Terminator::Jump(_) => !is_switch,
            _ => false,
        };
        kind && own.start <= block.end.start && block.end.end <= own.end
    });
    // Of nested switches the outermost begins first.
    ends.min_by_key(|(_, block)| block.end.start).map(|(id, _)| id)
}
