//! One finding for each divergent branch. If several operations are unreached because of one branch, the finding is at
//! the first of them in source order, and shows the others.
//!
//! ```c
//! if (get_local_id(0) < n) {        // the cause
//!   barrier(CLK_LOCAL_MEM_FENCE);   // the finding
//!   barrier(CLK_LOCAL_MEM_FENCE);   // shown in the finding
//! }
//! ```
//!
//! Operations are grouped before findings are made. Operations stay separate if they differ in function, severity or confidence. An
//! operation also stays separate if a comment suppresses its finding.

use rustc_hash::FxHashMap;

use super::facts::SharedFacts;
use super::unreached::Unreached;
use tangle_analysis::uniformity::Confidence;
use tangle_diagnostic::{Diagnostic, Label, Place, Severity, counted};

/// The maximum number of further operations that a finding shows.
const SHOWN: usize = 8;

/// The operations of one finding.
struct Group<'u, 'a> {
    first: &'u Unreached<'a>,
    /// In source order.
    further: Vec<(Place, &'u Unreached<'a>)>,
    /// The location of the last operation.
    last: Place,
}

/// Returns the findings for operations of one rule. `help` returns the help for the first operation of a finding.
pub(crate) fn findings(
    facts: &SharedFacts,
    unreached: &[Unreached],
    help: impl Fn(&Unreached) -> String,
) -> Vec<Diagnostic> {
    let finding = |Group { first, further, .. }: Group| {
        let mut finding = first.describe(facts.context).with_help(help(first));
        debug_assert_eq!(finding.severity, first.severity(facts.context));
        for (place, operation) in further.iter().take(SHOWN) {
            finding.related.push(Label::new(place.clone(), operation.label(facts.context)));
        }
        let more = further.len().saturating_sub(SHOWN);
        if more > 0 {
            finding.help.push(format!("{} after the branch not shown", counted(more, "more operation")));
        }
        finding.also = further.into_iter().map(|(place, _)| place).collect();
        finding
    };
    groups(facts, unreached).into_iter().map(finding).collect()
}

/// The function and the instantiation, the severity and the confidence, and the branch. Each instantiation of a template
/// has its own groups.
type GroupKey<'a> = ((&'a str, Option<&'a str>), (Severity, Confidence), Place);

fn groups<'u, 'a>(facts: &SharedFacts, unreached: &'u [Unreached<'a>]) -> Vec<Group<'u, 'a>> {
    let context = facts.context;
    let mut in_order: Vec<(Place, &Unreached)> = unreached.iter().map(|it| (it.place(context), it)).collect();
    in_order.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut groups: Vec<Group> = Vec::new();
    let mut of_branch: FxHashMap<GroupKey, usize> = FxHashMap::default();
    for (place, operation) in in_order {
        let branch = operation.branch_place(context);
        let branch = branch.filter(|_| !context.suppresses(operation.rule.id, &place));
        let how = (operation.severity(context), operation.blame.confidence);
        let key = branch.map(|at| (operation.names(context), how, at));
        match key.as_ref().and_then(|key| of_branch.get(key)) {
            Some(&group) => {
                let group = &mut groups[group];
                // The location of all operations in a macro is its use: one of them is enough.
                if group.last != place {
                    group.further.push((place.clone(), operation));
                    group.last = place;
                }
            }
            None => {
                of_branch.extend(key.map(|key| (key, groups.len())));
                groups.push(Group { first: operation, further: Vec::new(), last: place });
            }
        }
    }
    groups
}
