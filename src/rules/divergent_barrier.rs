//! `divergent-barrier`: a work-group barrier or collective that not all threads of the work-group reach; and `barrier-after-return`: a barrier
//! that only threads miss that returned early, where the language says what happens.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::check::{finding, place, with_macros};
use super::divergence::bypass::{Bypass, Condition, Exit};
use super::divergence::words::{headline, with_places};
use super::divergence::{Context, Known, Operation, Told};
use tangle_analysis::flow::{BlockId, Op};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::tangle::print::statement_head;
use tangle_analysis::uniformity::blame::Blame;
use tangle_analysis::uniformity::cause::{Subject, shared_load};
use tangle_diagnostic::{Diagnostic, Severity};
use tangle_syntax::dialect::{Left, Scope};

const RULE: &str = "divergent-barrier";
const AFTER_RETURN: &str = "barrier-after-return";

/// `told`: operations that a more specific rule has reported, and the loads of flags that it found.
pub(super) fn check(context: &Context, told: &Told, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        let mut by_flag: Vec<(&Operation, Symbol, Scope)> = Vec::new();
        let mut tell = |operation: &Operation, name: Symbol, scope: Scope, blame: &Blame| {
            let left = left(context, id, operation, name, scope);
            let rule = if left.is_some() { AFTER_RETURN } else { RULE };
            let unreached = Unreached { rule, severity: left, id, operation, blame, scope, runs: name };
            found.push(unreached.describe(context).with_help(unreached.help(context)));
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
        // A flag never hides an operation with a cause of its own.
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

/// The severity of a barrier that some threads do not reach, if all of these threads have exited the kernel and the language says what
/// happens then. `None` if the behaviour is undefined, or if some threads are elsewhere.
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

/// An operation that not all threads of a group reach, as a rule words it.
pub(super) struct Unreached<'a> {
    pub rule: &'static str,
    /// If it is another one than that of the rule. An error that rests on assumptions becomes a warning.
    pub severity: Option<Severity>,
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
        let &Unreached { rule, severity, id, operation, blame, scope, runs } = self;
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
        let early = rule == AFTER_RETURN;
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
