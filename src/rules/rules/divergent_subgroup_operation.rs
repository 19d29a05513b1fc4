//! `divergent-subgroup-operation`: an operation of the sub-group that not all of its threads reach.
//!
//! For the operations of `cl_khr_subgroups` this is undefined behaviour: an error. Others are defined in divergent control flow: no finding. For
//! the rest, such as shuffles, only values of inactive threads are undefined: a note.

use crate::needs::Need;
use crate::needs::Operations::OfSubgroup;
use crate::rule::{Check, Entry};
use tangle_grammar::symbol::Symbol;

use crate::divergence::Context;
use crate::divergence::unreached::Unreached;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::{Builtins, Group, Partial, Scope, Vocabulary};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-subgroup-operation",
        severity: Severity::Note,
        on: true,
        summary: "a sub-group operation that not all work-items of the sub-group reach",
        page: include_str!("../pages/divergent-subgroup-operation.md"),
    },
    needs: &[Need::Unreached(OfSubgroup)],
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

fn check(context: &Context, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for operation in &known.operations {
            // `divergent-barrier` reports a function that also has an operation of the work-group.
            let (Some(name), None) = (operation.runs.of_subgroup, operation.runs.of_group) else { continue };
            let Some(severity) = severity(context, name) else { continue };
            let control = known.analysis.control[operation.block];
            let Some(blame) = context.blame(id, Subject::Control(operation.block), control, Scope::Subgroup)
            else {
                continue;
            };
            let unreached = Unreached {
                rule: &RULE.rule,
                severity: Some(severity),
                early: false,
                id,
                operation,
                blame: &blame,
                scope: Scope::Subgroup,
                runs: name,
            };
            let diagnostic = unreached.describe(context);
            let (thread, operation) = (&context.vocabulary().thread, operation.name);
            found.push(diagnostic.with_help(
                match (severity, divergent_variant(context.vocabulary(), &context.builtins, name)) {
                    (Severity::Error, Some(variant)) => {
                        format!(
                            "use `{variant}`, which is defined in divergent control flow, or {}",
                            unreached.help(context)
                        )
                    }
                    (Severity::Error, None) => unreached.help(context),
                    _ => {
                        format!(
                            "read only values of active {thread}s, or let every {thread} reach `{operation}`"
                        )
                    }
                },
            ));
        }
    }
}

/// The variant of an operation that is defined in divergent control flow, if the language has one.
pub fn divergent_variant(vocabulary: &Vocabulary, builtins: &Builtins, name: Symbol) -> Option<String> {
    let (from, to) = vocabulary.divergent_variant.as_ref()?;
    let variant = format!("{to}{}", name.as_str().strip_prefix(from.as_str())?);
    let row = builtins.get(Symbol::intern(&variant))?;
    matches!(row.partial, None | Some(Partial::Defined)).then_some(variant)
}

/// The severity of an operation that not all threads of a sub-group reach. `None` if that is well-defined.
pub(crate) fn severity(context: &Context, name: Symbol) -> Option<Severity> {
    let row = context.builtins.get(name)?;
    // A value that is divergent in a sub-group can be uniform in each of its tiles.
    if row.group < Group::Subgroup {
        return None;
    }
    match row.partial? {
        Partial::Undefined => Some(Severity::Error),
        Partial::Values => Some(Severity::Note),
        Partial::Defined => None,
    }
}
