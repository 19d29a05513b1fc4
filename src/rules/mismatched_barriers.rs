//! `mismatched-barriers`: threads that diverged at a branch wait at different barriers.

use rustc_hash::FxHashMap;

use super::check::{finding, place, with_macros};
use super::divergence::words::{headline, with_places};
use super::divergence::{Context, Operation, Told};
use tangle_analysis::flow::{BlockId, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::sides::Sides;
use tangle_diagnostic::Diagnostic;
use tangle_syntax::dialect::Scope;

const RULE: &str = "mismatched-barriers";

/// Adds the operations that it reports to `told`.
pub(super) fn check(context: &Context, told: &mut Told, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        let waits = |operation: &&Operation| {
            operation.runs.of_group.is_some()
                && known.analysis.control[operation.block].divergence.within(Scope::Workgroup)
        };
        let waiting: Vec<&Operation> = known.operations.iter().filter(waits).collect();
        if waiting.len() < 2 {
            continue;
        }
        let (sides, waiting) = (Sides::of(known.analysis), by_block(&waiting));
        for branch in known.function.blocks.indices().filter(|&block| is_branch(known.function, block)) {
            if !known.analysis.branches[branch].divergence.within(Scope::Workgroup) {
                continue;
            }
            let on_sides = on_sides(&sides.at(branch), &waiting);
            let mut all: Vec<&Operation> = on_sides.iter().flatten().copied().collect();
            all.sort_by_key(|operation| known.span(operation));
            let new = all.iter().any(|operation| !told.contains(&(id, operation.value)));
            // Threads of one side can have returned: if all remaining threads reach an operation, none waits elsewhere.
            let differ =
                all.iter().any(|operation| !on_sides.iter().all(|side| holds(side, operation.value)));
            if on_sides.len() < 2 || !new || !differ {
                continue;
            }
            told.extend(all.iter().map(|operation| (id, operation.value)));
            found.extend(describe(context, id, branch, &on_sides, all[0]));
        }
    }
}

/// Whether an operation is on a side.
pub(super) fn holds(side: &[&Operation], value: ValueId) -> bool {
    side.iter().any(|operation| operation.value == value)
}

/// Operations by their blocks, each with its number.
pub(super) type ByBlock<'a> = FxHashMap<BlockId, Vec<(usize, &'a Operation)>>;

pub(super) fn by_block<'a>(operations: &[&'a Operation]) -> ByBlock<'a> {
    let mut by_block = ByBlock::default();
    for (number, &operation) in operations.iter().enumerate() {
        by_block.entry(operation.block).or_default().push((number, operation));
    }
    by_block
}

/// The operations on each side that has any.
pub(super) fn on_sides<'a>(sides: &[Vec<BlockId>], operations: &ByBlock<'a>) -> Vec<Vec<&'a Operation>> {
    let of = |side: &Vec<BlockId>| {
        let own = side.iter().filter_map(|block| operations.get(block)).flatten();
        let mut own: Vec<(usize, &Operation)> = own.copied().collect();
        own.sort_unstable_by_key(|(number, _)| *number);
        own.into_iter().map(|(_, operation)| operation).collect::<Vec<_>>()
    };
    sides.iter().map(of).filter(|side| !side.is_empty()).collect()
}

fn describe(
    context: &Context,
    id: DefinitionId,
    branch: BlockId,
    on_sides: &[Vec<&Operation>],
    first: &Operation,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let fact = known.analysis.branches[branch];
    let blame = context.blame(id, Subject::Branch(branch), fact, Scope::Workgroup)?;
    let (name, _) = first.runs.of_group?;
    let located = context.subject(known).locator.locate(known.span(first));
    let vocabulary = context.vocabulary();
    let (threads, group) = (vocabulary.threads(), &vocabulary.workgroup);
    let before = [
        format!("{threads} of one {group} wait at different barriers: the condition depends on "),
        format!("{threads} wait at different barriers: the condition depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let mut diagnostic = finding(context.db, RULE, &located, message)
        .in_function(known.name())
        .with_label(format!("some {threads} wait at this `{name}`"));
    for other in others(on_sides, first) {
        let at = context.subject(known).locator.locate(known.span(other)).at;
        diagnostic = diagnostic.with_related(place(context.db, &at), format!("other {threads} wait here"));
    }
    let diagnostic = with_places(context, id, &blame, Scope::Workgroup, diagnostic);
    let diagnostic = with_macros(context.db, diagnostic, &located);
    Some(diagnostic.with_help(format!("call `{name}` once after the branch, where all {threads} meet")))
}

/// For each side, an operation at which the other sides do not wait. A loop can lead several sides to `first`.
fn others<'a>(on_sides: &'a [Vec<&'a Operation>], first: &Operation) -> impl Iterator<Item = &'a Operation> {
    let first = first.value;
    on_sides.iter().filter_map(move |side| {
        if !holds(side, first) {
            return side.first().copied();
        }
        let everywhere = |operation: &&Operation| on_sides.iter().all(|side| holds(side, operation.value));
        side.iter()
            .copied()
            .find(|operation| !everywhere(operation))
            .filter(|operation| operation.value != first)
    })
}
