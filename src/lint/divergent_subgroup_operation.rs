//! `divergent-subgroup-operation`: an operation of the sub-group that part of the sub-group may not reach.
//!
//! Those of `cl_khr_subgroups` must be reached by all, or the behaviour is undefined: an error. Some are made for whoever comes, and are no
//! finding. What is between, such as shuffles, is a note.

use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Grammar;

use super::divergence::Context;
use super::divergent_barrier::describe;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{Group, Partial, Scope};
use crate::uniformity::cause::Subject;

const RULE: &str = "divergent-subgroup-operation";

pub(super) fn check(context: &Context, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for operation in &known.operations {
            // A function with an operation of the work-group as well is another rule's matter.
            let (Some(name), None) = (operation.runs.of_subgroup, operation.runs.of_group) else { continue };
            let Some(severity) = severity(context, name) else { continue };
            let control = known.analysis.control[operation.block];
            let Some(blame) = context.blame(id, Subject::Control(operation.block), control, Scope::Subgroup)
            else {
                continue;
            };
            let mut what = vec![format!("`{}`", operation.name)];
            if operation.function.is_some() {
                what.insert(0, format!("`{}`, which runs `{name}`,", operation.name));
            }
            let mut diagnostic = describe(context, RULE, id, operation, &blame, Scope::Subgroup, &what);
            diagnostic.severity = severity;
            found.push(diagnostic.with_help(match severity {
                Severity::Error if context.dialect.words().grammar() == Grammar::Device => {
                    "let all threads of the warp run it, and branch on its result; or give it the group of those who come"
                }
                Severity::Error => {
                    "an operation that is made for those who come (`sub_group_non_uniform_…`) is defined here"
                }
                _ => "what it reads from a work-item that is not here is undefined",
            }));
        }
    }
}

/// How much it matters that part of a sub-group does not reach an operation.
pub(super) fn severity(context: &Context, name: Symbol) -> Option<Severity> {
    let row = context.builtins.get(name)?;
    // What differs in a sub-group may be the same in each of its tiles.
    if row.group < Group::Subgroup {
        return None;
    }
    match row.partial? {
        Partial::Undefined => Some(Severity::Error),
        Partial::Values => Some(Severity::Note),
        Partial::Defined => None,
    }
}
