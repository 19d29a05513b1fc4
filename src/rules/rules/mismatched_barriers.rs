//! `mismatched-barriers`: threads that diverged at a branch wait at different barriers.

use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::confidence::graded;
use crate::divergence::facts::SharedFacts;
use crate::divergence::mismatched::{Mismatch, contains};
use crate::divergence::{DivergenceContext, Operation};
use crate::interests::Interest;
use crate::interests::OperationClass::OfGroup;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry, Evidence};
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "mismatched-barriers",
        severity: Severity::Error,
        on: true,
        summary: "different barriers on the two sides of a divergent branch",
        page: include_str!("../pages/mismatched-barriers.md"),
    },
    required: &[Interest::Unreached(OfGroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    found.extend(facts.mismatches.iter().filter_map(|mismatch| describe(facts.context, mismatch)));
}

fn describe(context: &DivergenceContext, mismatch: &Mismatch) -> Option<Diagnostic> {
    let Mismatch { function: id, branch, on_sides, first } = mismatch;
    let (id, branch) = (*id, *branch);
    let known = context.known(id);
    let fact = known.verdicts.branches[branch];
    let blame = context.blame(id, Subject::Branch(branch), fact, Scope::Workgroup)?;
    let (name, _) = first.operations_run.of_group?;
    let located = context.subject(known).locator.locate(known.span(first));
    let vocabulary = context.vocabulary();
    let (threads, group) = (vocabulary.threads(), &vocabulary.workgroup);
    let before = [
        format!("{threads} of one {group} wait at different barriers: the condition depends on "),
        format!("{threads} wait at different barriers: the condition depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let mut diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!("some {threads} wait at this `{name}`"));
    for other in others(on_sides, first) {
        let at = context.subject(known).locator.locate(known.span(other)).at;
        diagnostic = diagnostic.with_related(place(context.db, &at), format!("other {threads} wait here"));
    }
    let diagnostic = with_places(context, id, &blame, Scope::Workgroup, diagnostic);
    let diagnostic = graded(context, id, &blame, diagnostic);
    let diagnostic = with_macros(context.db, diagnostic, &located);
    Some(diagnostic.with_help(format!("call `{name}` once after the branch, where all {threads} meet")))
}

/// Returns for each side an operation at which threads of another side do not wait. A loop can lead several sides to
/// `first`.
fn others<'a>(on_sides: &'a [Vec<Operation>], first: &Operation) -> impl Iterator<Item = &'a Operation> {
    let first = first.value;
    on_sides.iter().filter_map(move |side| {
        if !contains(side, first) {
            return side.first();
        }
        let everywhere = |operation: &&Operation| on_sides.iter().all(|side| contains(side, operation.value));
        side.iter().find(|operation| !everywhere(operation)).filter(|operation| operation.value != first)
    })
}
