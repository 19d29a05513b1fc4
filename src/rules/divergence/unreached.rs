//! The words for an operation that not all threads of a group reach.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::bypass::{Bypass, Condition, Exit};
use super::words::{headline, with_places};
use super::{Context, Known, Operation};
use crate::subject::{finding, place, with_macros};
use tangle_analysis::flow::Op;
use tangle_analysis::program::DefinitionId;
use tangle_analysis::tangle::print::statement_head;
use tangle_analysis::uniformity::blame::Blame;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_syntax::dialect::Scope;

/// An operation that not all threads of a group reach, as a rule words it.
pub(crate) struct Unreached<'a> {
    pub rule: &'static Rule,
    /// If it is another one than that of the rule. An error that rests on assumptions becomes a warning.
    pub severity: Option<Severity>,
    /// Only threads that returned early do not reach it.
    pub early: bool,
    pub id: DefinitionId,
    pub operation: &'a Operation,
    pub blame: &'a Blame,
    pub scope: Scope,
    /// The convergent operation inside of a function that is called.
    pub runs: Symbol,
}

impl Unreached<'_> {
    /// How threads bypass the operation.
    fn bypass(&self, known: &Known) -> Bypass {
        let body = known.body();
        let branch = branch(known, self.blame);
        branch.map_or(Bypass::Before, |branch| Bypass::of(body, body.calls[self.operation.call].stmt, branch))
    }

    /// The help: how to let every thread reach the operation.
    pub fn help(&self, context: &Context) -> String {
        let known = context.known(self.id);
        let subject = context.subject(known);
        let condition = branch(known, self.blame).map(|branch| Condition::of(&subject, branch));
        let name = self.operation.name.as_str();
        self.bypass(known).help(context.vocabulary(), name, &condition.unwrap_or_default())
    }

    /// The finding, without a help.
    pub fn describe(&self, context: &Context) -> Diagnostic {
        let &Unreached { rule, severity, early, id, operation, blame, scope, runs } = self;
        let known = context.known(id);
        let subject = context.subject(known);
        let locator = &subject.locator;
        let located = locator.locate(known.span(operation));
        let vocabulary = context.vocabulary();
        let (threads, group) = (vocabulary.threads(), vocabulary.group(scope));
        let name = operation.name;
        let bypass = self.bypass(known);
        let what = match operation.function {
            Some(_) => {
                vec![format!("this call of `{name}` (it runs `{runs}`)"), format!("this call of `{name}`")]
            }
            None => vec![format!("this `{name}`")],
        };
        // The operation implies the group, except for the larger ones.
        let of_group = match scope {
            Scope::None | Scope::Subgroup | Scope::Workgroup => String::new(),
            Scope::Cluster | Scope::Grid => format!(" of the {group}"),
        };
        let beginning = |what: &String| match early {
            true => format!("{threads} that returned early never reach {what}: the `return` depends on "),
            false => format!("not all {threads}{of_group} reach {what}: {} depends on ", bypass.decides()),
        };
        let before: Vec<String> = what.iter().map(beginning).collect();
        let this = match operation.function {
            Some(_) => format!("this call of `{name}`, which runs `{runs}`"),
            None => format!("this `{name}`"),
        };
        let label = match early {
            true => format!("only the {threads} that did not return reach {this}"),
            false => format!("only part of the {group} reaches {this}"),
        };
        let at = |span| place(context.db, &locator.locate(span).at);
        let mut diagnostic = finding(context.db, rule, &located, headline(context, id, blame, &before))
            .in_function(known.name())
            .because_of(branch(known, blame).map(at))
            .with_label(label);
        diagnostic.severity = severity.unwrap_or(diagnostic.severity);
        if let Bypass::Exit(stmt, exit, _) = bypass {
            let message = match exit {
                Exit::Return => format!("{threads} that return here never reach the `{name}`"),
                _ => format!("{threads} that take this `{}` do not reach the `{name}`", exit.as_str()),
            };
            diagnostic = diagnostic.with_step(at(statement_head(known.body(), stmt)), message);
        }
        let diagnostic = with_places(context, id, blame, scope, diagnostic);
        let diagnostic = with_callee(context, operation, diagnostic);
        with_macros(context.db, diagnostic, &located)
    }
}

/// The branch at which threads diverge.
fn branch(known: &Known, blame: &Blame) -> Option<Span> {
    let branches = blame.chain.iter().filter_map(|link| match link.subject {
        Subject::Branch(block) => Some(known.function.blocks[block].end),
        _ => None,
    });
    branches.take(1).find(|span| span.start < span.end)
}

/// Adds the operation in the callee.
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
            diagnostic.with_related(
                place(context.db, &at),
                format!("`{}` runs `{}` here", operation.name, inner.name),
            )
        }
        _ => diagnostic,
    }
}
