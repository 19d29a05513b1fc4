//! `shuffle-width`: the width of a shuffle is not a power of two, or exceeds the warp.

use crate::divergence::facts::SharedFacts;
use crate::divergence::shuffles::{constant_width, deciding_template_argument};
use crate::interests::Interest;
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry, Evidence};
use tangle_analysis::uniformity::warp::MAX_LANES;
use tangle_diagnostic::{Confidence, Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "shuffle-width",
        severity: Severity::Error,
        on: true,
        summary: "a width of a shuffle that is not a power of two, or exceeds the warp",
        page: include_str!("../pages/shuffle-width.md"),
    },
    required: &[Interest::ShuffleWidth],
    evidence: Some(Evidence::InvalidWidth),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let context = facts.context;
    for (id, known) in context.suspects() {
        let warp = context.launch(id).sub_group_size.unwrap_or(MAX_LANES);
        for operation in known.operations.iter().filter(|it| context.builtin(it).is_some()) {
            let width = constant_width(&context.builtins, known.function, operation.value);
            let Some(width) = width.filter(|width| !is_valid(*width, warp)) else { continue };
            let located = context.subject(known).locator.locate(known.span(operation));
            let (name, group) = (operation.name, &context.vocabulary().subgroup);
            let message = match u32::try_from(width).is_ok_and(u32::is_power_of_two) {
                true => {
                    format!("the width {width} of this `{name}` exceeds the {group}, which has {warp} lanes")
                }
                false => format!("the width {width} of this `{name}` is not a power of two"),
            };
            let mut diagnostic = finding(context.db, &RULE.rule, &located, message)
                .in_function(known.name())
                .in_instantiation(known.instantiation());
            let help =
                format!("pass a power of two that is at most {warp}, and move lanes within such groups");
            diagnostic = with_macros(context.db, diagnostic, &located).with_help(help);
            if let Some(argument) = deciding_template_argument(known.function, known.graph(), operation.block)
            {
                diagnostic.severity = Severity::Note;
                diagnostic.confidence = Confidence::Possible;
                diagnostic = diagnostic.with_help(format!(
                    "`{argument}` depends on template arguments, and decides whether this `{name}` exists: we \
                     assume that it does"
                ));
            }
            found.push(diagnostic);
        }
    }
}

/// Whether a width is a power of two that does not exceed the number of lanes.
fn is_valid(width: i128, lanes: u32) -> bool {
    u32::try_from(width).is_ok_and(|width| width.is_power_of_two() && width <= lanes)
}
