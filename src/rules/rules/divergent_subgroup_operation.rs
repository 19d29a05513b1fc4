//! `divergent-subgroup-operation`: an operation of the sub-group that not all of its threads reach.
//!
//! For the operations of `cl_khr_subgroups`, this is undefined behaviour: an error. Some operations are defined in
//! divergent control flow: no finding. For others, such as shuffles, only values of inactive threads are undefined: a
//! note.

use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::rule::{Check, Entry, Evidence};
use tangle_grammar::symbol::Symbol;

use crate::divergence::facts::SharedFacts;
use crate::divergence::unreached::Unreached;
use crate::divergence::{DivergenceContext, Operation, group_by_branch};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::{Builtins, Group, PartialExecution, Scope, Vocabulary};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-subgroup-operation",
        severity: Severity::Note,
        on: true,
        summary: "a sub-group operation that not all work-items of the sub-group reach",
        page: include_str!("../pages/divergent-subgroup-operation.md"),
    },
    required: &[Interest::Unreached(OfSubgroup)],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

/// An operation of the sub-group that not all threads reach.
struct Missed<'c> {
    function: DefinitionId,
    operation: &'c Operation,
    /// The convergent operation: the builtin itself, or an operation in the callee.
    name: Symbol,
    severity: Severity,
    blame: CauseAcrossCalls,
}

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let context = facts.context;
    let missed = missed(context);
    let unreached: Vec<Unreached> = missed
        .iter()
        .map(|Missed { function, operation, name, severity, blame }| Unreached {
            rule: &RULE.rule,
            firm_severity: Some(*severity),
            early: false,
            id: *function,
            operation,
            blame,
            scope: Scope::Subgroup,
            runs: *name,
            named: None,
        })
        .collect();
    found.extend(group_by_branch::findings(facts, &unreached, |it| help(context, it)));
}

fn missed<'c>(context: &'c DivergenceContext) -> Vec<Missed<'c>> {
    let mut missed = Vec::new();
    for (function, known) in context.suspects() {
        for operation in &known.operations {
            // `divergent-barrier` reports a function that also has an operation of the work-group.
            let (Some(name), None) =
                (operation.operations_run.of_subgroup, operation.operations_run.of_group)
            else {
                continue;
            };
            let Some(severity) = severity(context, name) else { continue };
            let control = known.verdicts.control[operation.block];
            let subject = Subject::Control(operation.block);
            if let Some(blame) = context.blame(function, subject, control, Scope::Subgroup) {
                missed.push(Missed { function, operation, name, severity, blame });
            }
        }
    }
    missed
}

fn help(context: &DivergenceContext, unreached: &Unreached) -> String {
    let variant = divergent_variant(context.vocabulary(), &context.builtins, unreached.runs);
    match (unreached.firm_severity, variant) {
        (Some(Severity::Error), Some(variant)) => format!(
            "use `{variant}`, which is defined in divergent control flow, or {}",
            unreached.help(context)
        ),
        (Some(Severity::Error), None) => unreached.help(context),
        _ => format!(
            "read only values of active {}s, or let every {0} reach `{}`",
            context.vocabulary().thread,
            unreached.operation.name
        ),
    }
}

/// Returns the variant of an operation that is defined in divergent control flow, if the language has one.
pub fn divergent_variant(vocabulary: &Vocabulary, builtins: &Builtins, name: Symbol) -> Option<String> {
    let (from, to) = vocabulary.divergent_variant.as_ref()?;
    let variant = format!("{to}{}", name.as_str().strip_prefix(from.as_str())?);
    let row = builtins.get(Symbol::intern(&variant))?;
    matches!(row.partial, None | Some(PartialExecution::Defined)).then_some(variant)
}

/// Returns the severity of an operation that not all threads of a sub-group reach. `None` if this is defined, or if the
/// table of builtins does not say.
pub(crate) fn severity(context: &DivergenceContext, name: Symbol) -> Option<Severity> {
    let row = context.builtins.get(name)?;
    // A value that is divergent in a sub-group can be uniform in each of its tiles.
    if row.group < Group::Subgroup {
        return None;
    }
    match row.partial? {
        PartialExecution::Undefined => Some(Severity::Error),
        PartialExecution::Values => Some(Severity::Note),
        PartialExecution::Defined => None,
    }
}
