//! `divergent-barrier`: a work-group barrier or collective that part of the work-group may not reach; and `barrier-after-return`: one that does without
//! those who have left the kernel, where all others reach it.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::check::{finding, place, with_macros};
use super::divergence::help::help;
use super::divergence::words::{headline, with_places};
use super::divergence::{Context, Known, Operation, Told};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::{Left, Scope};
use crate::flow::{BlockId, Op};
use crate::program::DefinitionId;
use crate::uniformity::blame::Blame;
use crate::uniformity::cause::{Subject, shared_load};
use crate::wording::cause::group;

const RULE: &str = "divergent-barrier";
const AFTER_RETURN: &str = "barrier-after-return";

/// `told`: operations of which a rule that knows more has spoken, and the loads of flags that it found.
pub(super) fn check(context: &Context, told: &Told, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        let mut by_flag: Vec<(&Operation, Symbol, Scope)> = Vec::new();
        let mut tell = |operation: &Operation, name: Symbol, scope: Scope, blame: &Blame| {
            let mut what = vec![format!("`{}`", operation.name)];
            if operation.function.is_some() {
                what.insert(0, format!("`{}`, which waits in `{name}`,", operation.name));
            }
            if let Some(severity) = left(context, id, operation, name, scope) {
                let mut finding = describe(context, AFTER_RETURN, id, operation, blame, scope, &what);
                finding.severity = severity;
                found.push(finding.with_help(STAY));
                return;
            }
            let finding = describe(context, RULE, id, operation, blame, scope, &what);
            let branch = branch(known, blame);
            let body = known.body();
            let help = branch.map(|branch| help(body, body.calls[operation.call].stmt, branch));
            found.push(help.into_iter().fold(finding, Diagnostic::with_help));
        };
        for operation in &known.operations {
            let Some((name, scope)) = operation.runs.of_group else { continue };
            if told.contains(&(id, operation.value)) {
                continue;
            }
            let control = known.analysis.control[operation.block];
            let Some(blame) = context.blame(id, Subject::Control(operation.block), control, scope) else {
                continue;
            };
            match shared_load(&blame.chain).is_some_and(|load| told.contains(&(id, load))) {
                true => by_flag.push((operation, name, scope)),
                false => tell(operation, name, scope, &blame),
            }
        }
        if by_flag.is_empty() {
            continue;
        }
        // A flag never hides what has a cause of its own.
        let blocks: Vec<(BlockId, Scope)> =
            by_flag.iter().map(|(operation, _, scope)| (operation.block, *scope)).collect();
        let beside = context.blame_beside(id, told, &blocks);
        for ((operation, name, scope), blame) in by_flag.into_iter().zip(beside) {
            if let Some(blame) = blame {
                tell(operation, name, scope, &blame);
            }
        }
    }
}

const STAY: &str = "let those who leave stay, and guard what they must not do";

/// How much it matters that work-items do not reach a barrier, if all of these have left the kernel, and the language says what becomes of
/// the barrier then. None: it is undefined, or some are elsewhere.
fn left(
    context: &Context,
    id: DefinitionId,
    operation: &Operation,
    name: Symbol,
    scope: Scope,
) -> Option<Severity> {
    let severity = match context.builtins.get(name)?.left {
        Left::Uncounted => Severity::Note,
        Left::Warned => Severity::Warning,
        Left::Counted => return None,
    };
    context.is_for_want_of_leavers(id, operation.block, scope).then_some(severity)
}

/// That some threads may not reach an operation, and why. `what`: how to call it, the fullest name first.
pub(super) fn describe(
    context: &Context,
    rule: &'static str,
    id: DefinitionId,
    operation: &Operation,
    blame: &Blame,
    scope: Scope,
    what: &[String],
) -> Diagnostic {
    let known = context.known(id);
    let locator = context.subject(known).locator;
    let located = locator.locate(known.span(operation));
    let group = group(scope);
    let before: Vec<String> = match rule {
        AFTER_RETURN => what
            .iter()
            .map(|what| format!("{what} does without those who left before: that depends on "))
            .collect(),
        _ => {
            let before = what.iter().map(|what| {
                format!("{what} may not be reached by every work-item of the {group}: it depends on ")
            });
            let shorter = what
                .last()
                .map(|what| format!("{what} may not be reached by all of the {group}: it depends on "));
            before.chain(shorter).collect()
        }
    };
    let label = match rule {
        AFTER_RETURN => {
            format!("all of the {group} reach this `{}` but those who left the kernel", operation.name)
        }
        _ => format!("not every work-item of the {group} may reach this `{}`", operation.name),
    };
    let message = headline(context, id, blame, &before);
    let diagnostic = finding(context.db, rule, &located, message)
        .in_function(known.name())
        .because_of(branch(known, blame).map(|span| place(context.db, &locator.locate(span).at)))
        .with_label(label);
    let diagnostic = with_places(context, id, blame, scope, diagnostic);
    let diagnostic = with_callee(context, operation, diagnostic);
    with_macros(context.db, diagnostic, &located)
}

/// The branch at which threads part, of those that keep them from an operation.
fn branch(known: &Known, blame: &Blame) -> Option<Span> {
    let branches = blame.chain.iter().filter_map(|link| match link.subject {
        Subject::Branch(block) => Some(known.function.blocks[block].end),
        _ => None,
    });
    branches.take(1).find(|span| span.start < span.end)
}

/// Adds the operation in the function that is called, where that is all there is to go.
fn with_callee(context: &Context, operation: &Operation, diagnostic: Diagnostic) -> Diagnostic {
    if operation.function.is_none() {
        return diagnostic;
    }
    let callee = context.called(operation);
    let inner = callee.and_then(|known| {
        let wanted = |inner: &&Operation| {
            inner.runs.of_group == operation.runs.of_group
                && inner.runs.of_subgroup.is_some() == operation.runs.of_subgroup.is_some()
        };
        known.operations.iter().find(wanted).map(|inner| (known, inner))
    });
    match inner {
        Some((known, inner)) if matches!(known.function.values[inner.value].op, Op::Call(_)) => {
            let at = context.subject(known).locator.locate(known.span(inner)).at;
            diagnostic.with_related(place(context.db, &at), format!("`{}` runs this", operation.name))
        }
        _ => diagnostic,
    }
}
