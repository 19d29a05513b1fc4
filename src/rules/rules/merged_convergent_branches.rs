//! `merged-convergent-branches`: the same convergent call on both sides of a divergent branch.

use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::rule::{Check, Entry};
use rustc_hash::FxHashSet;

use super::divergent_subgroup_operation::severity;
use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::mismatched::{by_block, contains, divergent_branches, operations_by_side};
use crate::divergence::{DivergenceContext, Operation};
use crate::item_context::{finding, place, with_macros};
use tangle_analysis::flow::{BlockId, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "merged-convergent-branches",
        severity: Severity::Note,
        on: true,
        summary: "the same convergent call on both sides of a divergent branch",
        page: include_str!("../pages/merged-convergent-branches.md"),
    },
    required: &[Interest::Unreached(OfSubgroup)],
    evidence: None,
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

fn check(context: &DivergenceContext, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        let of_subgroup = |operation: &&Operation| {
            operation.operations_run.of_group.is_none()
                && operation
                    .operations_run
                    .of_subgroup
                    .is_some_and(|name| severity(context, name) != Some(Severity::Error))
        };
        let operations: Vec<Operation> = known.operations.iter().filter(of_subgroup).copied().collect();
        let mut seen = FxHashSet::default();
        if !operations.iter().any(|operation| !seen.insert(operation.target)) {
            continue;
        }
        let branches = divergent_branches(known, Scope::Subgroup);
        if branches.is_empty() {
            continue;
        }
        let mut reported: FxHashSet<ValueId> = FxHashSet::default();
        let (sides, operations) = (BranchRegions::of(known.function, known.graph()), by_block(&operations));
        for branch in branches {
            let on_sides = operations_by_side(&sides.regions_of(branch), &operations);
            let Some((first, second)) = matching_pair(&on_sides) else { continue };
            let all = on_sides.iter().flatten().filter(|operation| operation.target == first.target);
            let before = reported.len();
            reported.extend(all.map(|operation| operation.value));
            if reported.len() > before + 1 {
                found.extend(describe(context, id, branch, first, second));
            }
        }
    }
}

/// Returns two operations with one name, each on one side only. Both sides of `a && c || b && c` contain the operations
/// after the condition.
fn matching_pair(on_sides: &[Vec<Operation>]) -> Option<(&Operation, &Operation)> {
    let (first, others) = on_sides.split_first()?;
    let on_one_side_each = |one: &Operation, other: &Operation, side: &[Operation]| {
        other.name == one.name && !contains(side, one.value) && !contains(first, other.value)
    };
    let pair = first.iter().find_map(|one| {
        let mut on_others =
            others.iter().filter_map(|side| side.iter().find(|other| on_one_side_each(one, other, side)));
        Some((one, on_others.next()?))
    });
    pair.or_else(|| matching_pair(others))
}

fn describe(
    context: &DivergenceContext,
    id: DefinitionId,
    branch: BlockId,
    one: &Operation,
    other: &Operation,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let (first, second) = if known.span(one) <= known.span(other) { (one, other) } else { (other, one) };
    let blame =
        context.blame(id, Subject::Branch(branch), known.verdicts.branches[branch], Scope::Subgroup)?;
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(first));
    let at = place(context.db, &subject.locator.locate(known.span(second)).at);
    let name = first.name;
    let vocabulary = context.vocabulary();
    let threads = vocabulary.threads();
    let before = [
        format!("`{name}` runs separately on the two sides of a branch: the condition depends on "),
        format!("`{name}` runs separately on both sides of a branch: the condition depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!("only the {threads} of this side take part in this `{name}`"))
        .with_related(at, format!("only the other {threads} take part in this `{name}`"));
    let diagnostic = with_places(context, id, &blame, Scope::Subgroup, diagnostic);
    let diagnostic = with_macros(context.db, diagnostic, &located);
    Some(diagnostic.with_help(format!(
        "to include all {threads} of the {}, select the arguments in the branch and call `{name}` once after it",
        vocabulary.subgroup
    )))
}
