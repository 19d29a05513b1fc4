//! The messages about an operation that not all threads of a group reach.

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::bypass::{Bypass, Condition, Exit};
use super::cause_text::{headline, with_places};
use super::confidence::{graded, severity};
use super::{DivergenceContext, FunctionFacts, Operation};
use crate::item_context::{finding, place, with_macros};
use crate::wording::lanes;
use tangle_analysis::flow::Op;
use tangle_analysis::program::DefinitionId;
use tangle_analysis::tangle::print::statement_head;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::{Diagnostic, Place, Rule, Severity};
use tangle_syntax::dialect::Scope;
use tangle_syntax::items::Located;

/// An operation that not all threads of a group reach, as a rule reports it.
pub(crate) struct Unreached<'a> {
    pub rule: &'static Rule,
    /// The severity if the finding rests on no assumptions. `None` for the severity of the rule.
    pub firm_severity: Option<Severity>,
    /// Whether only threads that returned early do not reach it.
    pub early: bool,
    pub id: DefinitionId,
    pub operation: &'a Operation,
    pub blame: &'a CauseAcrossCalls,
    pub scope: Scope,
    /// The convergent operation: the builtin itself, or an operation in the callee.
    pub runs: Symbol,
    /// The lanes that the operation names. `None` if control flow decides which threads take part.
    pub named: Option<NamedLanes>,
}

/// The lanes that an operation names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NamedLanes {
    /// Whether an object that represents a group names the lanes, and not a mask.
    pub of_group_object: bool,
    /// The lanes that one of the callers names. `None`: unknown.
    pub named: Option<u64>,
    /// The named lanes that do not reach the operation, if they are known.
    pub absent: Option<u64>,
}

impl NamedLanes {
    /// Returns a noun for the source of the names.
    fn by(self) -> String {
        match (self.of_group_object, self.named) {
            (true, _) => "the group".to_owned(),
            (false, Some(mask)) => format!("the mask {}", lanes::mask(mask)),
            (false, None) => "the mask".to_owned(),
        }
    }

    /// Returns the beginnings of a headline about an operation, the most detailed first. They end before the cause.
    fn beginnings(self, what: &str, decides: &str) -> Vec<String> {
        let short = if self.of_group_object { "the group" } else { "the mask" };
        let by = [&self.by(), short];
        let what = [what, what.strip_prefix("this `").map_or(what, |_| &what["this ".len()..])];
        let absent = self.absent.map(|absent| {
            let verb = if absent.count_ones() == 1 { "does" } else { "do" };
            (lanes::lanes(absent), format!("{verb} not reach"))
        });
        let all = absent.into_iter().chain([("not all lanes".to_owned(), "reach".to_owned())]);
        let mut beginnings = Vec::new();
        for (which, verb) in all {
            for what in what {
                let beginning = |by: &str| format!("{which} of {by} {verb} {what}: {decides} depends on ");
                beginnings.extend(by.map(beginning));
            }
        }
        beginnings
    }

    /// Returns the label at an operation.
    fn label(self, what: &str) -> String {
        let by = self.by();
        match self.absent {
            Some(absent) => {
                let verb = if absent.count_ones() == 1 { "does" } else { "do" };
                format!("{by} names {}, which {verb} not reach {what}", lanes::lanes(absent))
            }
            None => format!("not all lanes of {by} reach {what}"),
        }
    }
}

impl Unreached<'_> {
    /// Returns how threads bypass the operation.
    fn bypass(&self, known: &FunctionFacts) -> Bypass {
        let body = known.body();
        let branch = branch(known, self.blame);
        branch.map_or(Bypass::Before, |branch| Bypass::of(body, body.calls[self.operation.call].stmt, branch))
    }

    /// Returns the help: how to let every thread reach the operation.
    pub fn help(&self, context: &DivergenceContext) -> String {
        let known = context.known(self.id);
        let subject = context.subject(known);
        let condition = branch(known, self.blame).map(|branch| Condition::of(&subject, branch));
        let name = self.operation.name.as_str();
        self.bypass(known).help(context.vocabulary(), name, &condition.unwrap_or_default())
    }

    /// Returns the location of the operation.
    pub fn place(&self, context: &DivergenceContext) -> Place {
        place(context.db, &self.located(context).at)
    }

    /// Returns the location of the branch at which threads diverge.
    pub fn branch_place(&self, context: &DivergenceContext) -> Option<Place> {
        let known = context.known(self.id);
        let subject = context.subject(known);
        branch(known, self.blame).map(|span| place(context.db, &subject.locator.locate(span).at))
    }

    /// Returns the name of the function, and that of the instantiation if it is one.
    pub fn names<'c>(&self, context: &'c DivergenceContext) -> (&'static str, Option<&'c str>) {
        let known = context.known(self.id);
        (known.name(), known.instantiation())
    }

    /// Returns the severity of the finding.
    pub fn severity(&self, context: &DivergenceContext) -> Severity {
        severity(context, self.id, self.blame, self.firm_severity.unwrap_or(self.rule.severity))
    }

    /// Returns the label at the operation.
    pub fn label(&self, context: &DivergenceContext) -> String {
        let vocabulary = context.vocabulary();
        let (threads, group) = (vocabulary.threads(), vocabulary.group(self.scope));
        let name = self.operation.name;
        let this = match self.operation.function {
            Some(_) => format!("this call of `{name}`, which runs `{}`", self.runs),
            None => format!("this `{name}`"),
        };
        match (self.named, self.early) {
            (Some(named), false) => named.label(&this),
            (_, true) => format!("only the {threads} that did not return reach {this}"),
            (None, false) => format!("only part of the {group} reaches {this}"),
        }
    }

    fn located(&self, context: &DivergenceContext) -> Located {
        let known = context.known(self.id);
        context.subject(known).locator.locate(known.span(self.operation))
    }

    /// Returns the finding, without the help of the rule.
    pub fn describe(&self, context: &DivergenceContext) -> Diagnostic {
        let &Unreached { rule, early, id, operation, blame, scope, runs, named, .. } = self;
        let known = context.known(id);
        let subject = context.subject(known);
        let locator = &subject.locator;
        let located = self.located(context);
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
        // The operation implies its group, except for a cluster or the grid.
        let of_group = match scope {
            Scope::None | Scope::Subgroup | Scope::Workgroup => String::new(),
            Scope::Cluster | Scope::Grid => format!(" of the {group}"),
        };
        let beginning = |what: &String| match early {
            true => format!("{threads} that returned early never reach {what}: the `return` depends on "),
            false => format!("not all {threads}{of_group} reach {what}: {} depends on ", bypass.decides()),
        };
        let before: Vec<String> = match named {
            Some(named) if !early => {
                what.iter().flat_map(|what| named.beginnings(what, &bypass.decides())).collect()
            }
            _ => what.iter().map(beginning).collect(),
        };
        let at = |span| place(context.db, &locator.locate(span).at);
        let mut diagnostic = finding(context.db, rule, &located, headline(context, id, blame, &before))
            .in_function(known.name())
            .in_instantiation(known.instantiation())
            .with_label(self.label(context));
        diagnostic.branch = self.branch_place(context);
        diagnostic.severity = self.firm_severity.unwrap_or(diagnostic.severity);
        if let Bypass::Exit(stmt, exit, _) = bypass {
            let message = match exit {
                Exit::Return => format!("{threads} that return here never reach the `{name}`"),
                _ => format!("{threads} that take this `{}` do not reach the `{name}`", exit.as_str()),
            };
            diagnostic = diagnostic.with_step(at(statement_head(known.body(), stmt)), message);
        }
        let diagnostic = graded(context, id, blame, with_places(context, id, blame, scope, diagnostic));
        let diagnostic = with_callee(context, operation, diagnostic);
        with_macros(context.db, diagnostic, &located)
    }
}

/// Returns the span of the branch at which threads diverge.
fn branch(known: &FunctionFacts, blame: &CauseAcrossCalls) -> Option<Span> {
    let branches = blame.chain.iter().filter_map(|link| match link.subject {
        Subject::Branch(block) => Some(known.function.blocks[block].end),
        _ => None,
    });
    branches.take(1).find(|span| span.start < span.end)
}

/// Adds the location of the operation in the callee.
fn with_callee(context: &DivergenceContext, operation: &Operation, diagnostic: Diagnostic) -> Diagnostic {
    if operation.function.is_none() {
        return diagnostic;
    }
    let callee = context.called(operation);
    let inner = callee.and_then(|known| {
        let wanted = |inner: &&Operation| {
            inner.operations_run.of_group == operation.operations_run.of_group
                && inner.operations_run.of_subgroup.is_some()
                    == operation.operations_run.of_subgroup.is_some()
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
