//! `divergent-collective-argument`: an argument that must be the same in all threads that take part in an operation, and is not.

use super::check::{finding, with_macros};
use super::divergence::words::{headline, with_places};
use super::divergence::{Context, Operation};
use crate::diagnostic::Diagnostic;
use crate::dialect::{Argument, Scope};
use crate::flow::{Op, ValueId};
use crate::program::DefinitionId;
use crate::uniformity::cause::Subject;
use crate::wording::cause::group;

const RULE: &str = "divergent-collective-argument";

/// How arguments are counted in a message.
const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

pub(super) fn check(context: &Context, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for operation in &known.operations {
            let Some(builtin) = context.builtin(operation) else { continue };
            let Op::Call(call) = &known.function.values[operation.value].op else { continue };
            let differing = builtin.uniform_arguments.iter().find_map(|&argument| {
                let &(value, _) = argument.of(&call.arguments)?;
                describe(context, id, operation, builtin.scope, argument, value)
            });
            found.extend(differing);
        }
    }
}

fn describe(
    context: &Context,
    id: DefinitionId,
    operation: &Operation,
    scope: Scope,
    argument: Argument,
    value: ValueId,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let fact = known.analysis.values[value];
    let blame = context.blame(id, Subject::Value(value), fact, scope)?;
    let located = context.subject(known).locator.locate(known.span(operation));
    let argument = usize::from(argument.0);
    let which = ORDINALS
        .get(argument)
        .map_or_else(|| format!("argument {}", argument + 1), |it| format!("{it} argument"));
    let (name, group) = (operation.name, group(scope));
    let before = [
        format!("the {which} of `{name}` must be the same in every work-item of the {group}: it depends on "),
        format!("`{name}` needs the same {which} in the whole {group}: it depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let diagnostic = finding(context.db, RULE, &located, message)
        .in_function(known.name())
        .with_label(format!("its {which} differs between work-items"));
    let diagnostic = with_places(context, id, &blame, scope, diagnostic);
    Some(with_macros(context.db, diagnostic, &located))
}
