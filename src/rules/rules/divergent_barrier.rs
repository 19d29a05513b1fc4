//! `divergent-barrier`: a work-group barrier or collective that not all threads of the work-group reach.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use crate::divergence::Context;
use crate::divergence::barriers::Barrier;
use crate::divergence::told::Facts;
use crate::divergence::unreached::Unreached;
use crate::needs::Need;
use crate::needs::Operations::OfGroup;
use crate::rule::{Check, Entry};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-barrier",
        severity: Severity::Error,
        on: true,
        summary: "a work-group barrier or collective that not all work-items reach",
        page: include_str!("../pages/divergent-barrier.md"),
    },
    needs: &[Need::Unreached(OfGroup)],
    check: Check::Functions(check),
};

fn check(facts: &Facts, found: &mut Vec<Diagnostic>) {
    let barriers = facts.barriers.iter().filter(|barrier| barrier.left.is_none());
    found.extend(barriers.map(|barrier| finding(facts.context, barrier, &RULE.rule)));
}

/// The finding of a barrier that not all threads reach.
pub(crate) fn finding(context: &Context, barrier: &Barrier, rule: &'static Rule) -> Diagnostic {
    let Barrier { function: id, operation, name, scope, blame, left } = barrier;
    let (severity, id, scope, runs) = (*left, *id, *scope, *name);
    let unreached = Unreached { rule, severity, early: left.is_some(), id, operation, blame, scope, runs };
    unreached.describe(context).with_help(unreached.help(context))
}
