//! `legacy-warp-intrinsic`: a warp operation without a mask, in a language that has replaced it by one with a mask.

use crate::divergence::facts::SharedFacts;
use crate::interests::Interest;
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "legacy-warp-intrinsic",
        severity: Severity::Note,
        on: true,
        summary: "a deprecated warp operation without a mask",
        page: include_str!("../pages/legacy-warp-intrinsic.md"),
    },
    required: &[Interest::Deprecated],
    evidence: None,
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let context = facts.context;
    for (_, known) in context.suspects() {
        for operation in &known.operations {
            let row = context.builtin(operation).filter(|row| row.is_deprecated_warp_operation());
            let Some(deprecated) = row.and_then(|row| row.deprecated.as_deref()) else { continue };
            let located = context.subject(known).locator.locate(known.span(operation));
            let since = deprecated.split(';').next().unwrap_or(deprecated);
            let name = operation.name;
            let message = format!("`{name}` does not say which lanes take part; it is deprecated {since}");
            let help = deprecated.split(';').nth(1).unwrap_or("use the operation with a mask").trim();
            let diagnostic = finding(context.db, &RULE.rule, &located, message)
                .in_function(known.name())
                .in_instantiation(known.instantiation());
            found.push(with_macros(context.db, diagnostic, &located).with_help(help.to_owned()));
        }
    }
}
