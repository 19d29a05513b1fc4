//! Which of the main warnings are settled: no thread of the group jumps without the others, and there is nothing to warn of.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;

use super::Context;
use crate::dialect::Scope;
use crate::hir::body::CallId;
use crate::lint::check::doubtful_calls;
use crate::tangle::{DoubtId, tangles_of};
use crate::uniformity::Fact;
use crate::uniformity::cause::Subject;
use crate::uniformity::jumps::Jumps;

/// The operations of a function, each by the place of its callee, at which every jump that raises a doubt is taken by all threads of
/// the operation's group or by none.
pub(in crate::lint) fn settled(context: &Context, number: usize) -> FxHashSet<Span> {
    let known = &context.functions[number];
    let mut settled = FxHashSet::default();
    let item = known.definition.item.scoped.item(context.db);
    let operations: FxHashMap<CallId, _> =
        known.operations.iter().map(|operation| (operation.call, operation)).collect();
    let agree = |scope: Scope, subject: Subject, fact: Fact| agree(context, number, subject, fact, scope);
    let mut jumps = None;
    let mut judged: FxHashMap<(usize, DoubtId, Scope), bool> = FxHashMap::default();
    for &(body, call) in doubtful_calls(context.db, item, context.model) {
        let tangles = &tangles_of(context.db, item, context.model).0[body];
        let Some(operation) = operations.get(&call) else { continue };
        let scope = match (operation.runs.of_group, operation.runs.of_subgroup) {
            (Some((_, scope)), _) => scope,
            (None, Some(_)) => Scope::Subgroup,
            (None, None) => continue,
        };
        let Some(doubt) = tangles.calls[call].doubt else { continue };
        if known.span(operation) != known.body().calls[call].span {
            continue;
        }
        let jumps = jumps.get_or_insert_with(|| Jumps::of(&known.analysis, known.body(), &agree));
        let judged = judged.entry((body, doubt, scope));
        if *judged.or_insert_with(|| jumps.are_settled(tangles, &tangles.doubts[doubt], scope)) {
            settled.insert(known.span(operation));
        }
    }
    settled
}

/// Whether all threads of a group agree on something, whoever calls the function.
fn agree(context: &Context, number: usize, subject: Subject, fact: Fact, scope: Scope) -> bool {
    let known = &context.functions[number];
    // Who calls a function that is called from nowhere here is not known.
    let answered = known.function.kernel
        || (fact.values.is_empty() && fact.pointees.is_empty())
        || (known.function.internal && !context.calls_of(known.at).is_empty());
    // Whom to blame is looked for only where that may be nobody: to find the chain to what differs takes time.
    answered && !fact.divergence.within(scope) && context.blame(number, subject, fact, scope).is_none()
}
