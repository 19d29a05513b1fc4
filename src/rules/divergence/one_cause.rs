//! One finding for each divergent branch: of the operations that threads miss because they diverge at one branch, the first has the finding,
//! and the others are shown in it.
//!
//! ```c
//! if (get_local_id(0) < n) {        // the cause
//!   barrier(CLK_LOCAL_MEM_FENCE);   // the finding
//!   barrier(CLK_LOCAL_MEM_FENCE);   // shown in it
//! }
//! ```
//!
//! A suppressed finding is not joined with others.

use rustc_hash::FxHashMap;

use tangle_diagnostic::{Diagnostic, Label, Place, Severity, counted};

/// Further places that a finding shows.
const SHOWN: usize = 8;

/// Joins the findings of one cause. `found` is in the order of the text.
pub fn gather(found: &mut Vec<Diagnostic>) {
    let mut first: FxHashMap<(&str, Severity, Option<&str>, &Place), usize> = FxHashMap::default();
    // For each finding the one that shows it.
    let mut told_by: Vec<Option<usize>> = Vec::with_capacity(found.len());
    for (number, finding) in found.iter().enumerate() {
        let cause = finding.cause.as_ref().filter(|_| finding.suppression.is_none());
        let key = cause.map(|cause| (finding.rule, finding.severity, finding.function.as_deref(), cause));
        told_by.push(key.map(|key| *first.entry(key).or_insert(number)).filter(|&by| by != number));
    }
    let further: Vec<(usize, Label)> = told_by
        .iter()
        .zip(&*found)
        .filter_map(|(by, it)| Some(((*by)?, Label::new(it.place.clone(), &*it.label))))
        .collect();
    for (by, label) in further {
        let finding = &mut found[by];
        finding.also.push(label.place.clone());
        if finding.also.len() <= SHOWN {
            finding.related.push(label);
        }
    }
    for finding in &mut *found {
        let more = finding.also.len().saturating_sub(SHOWN);
        if more > 0 {
            finding.help.push(format!("{} after the branch not shown", counted(more, "more operation")));
        }
    }
    let mut told_by = told_by.into_iter();
    found.retain(|_| told_by.next().flatten().is_none());
}
