//! `divergent-collective-argument`: an argument of a collective that must be uniform, and is divergent. The finding is
//! at the argument.

use crate::interests::Interest;
use crate::rule::{Check, Entry, Evidence};
use tangle_grammar::ast::Span;

use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::confidence::graded;
use crate::divergence::{DivergenceContext, FunctionFacts, Operation};
use crate::item_context::{finding, with_macros};
use crate::quote::source_text;
use crate::wording::cause::quoted;
use tangle_analysis::flow::{Op, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::scope::typed_body;
use tangle_hir::typed::ExprKind;
use tangle_syntax::dialect::{Argument, Scope};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-collective-argument",
        severity: Severity::Error,
        on: true,
        summary: "an argument of a collective that must be uniform, and is divergent",
        page: include_str!("../pages/divergent-collective-argument.md"),
    },
    required: &[Interest::DifferingArgument],
    evidence: Some(Evidence::DifferingArgument),
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

fn check(context: &DivergenceContext, found: &mut Vec<Diagnostic>) {
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
    context: &DivergenceContext,
    id: DefinitionId,
    operation: &Operation,
    scope: Scope,
    argument: Argument,
    value: ValueId,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let fact = known.verdicts.values[value];
    let blame = context.blame(id, Subject::Value(value), fact, scope)?;
    let subject = context.subject(known);
    let locator = &subject.locator;
    let span = span(context, known, operation, argument).unwrap_or_else(|| known.span(operation));
    let located = locator.locate(span);
    let vocabulary = context.vocabulary();
    let (thread, threads, group) = (&vocabulary.thread, vocabulary.threads(), vocabulary.group(scope));
    let name = operation.name;
    let number = usize::from(argument.0) + 1;
    let before = [
        format!("argument {number} of `{name}` must be uniform in the {group}, but depends on "),
        format!("argument {number} of `{name}` must be uniform, but depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!("this argument differs between {threads} of the {group}"));
    let diagnostic = graded(context, id, &blame, with_places(context, id, &blame, scope, diagnostic));
    let text = source_text(&subject, span);
    Some(with_macros(context.db, diagnostic, &located).with_help(format!(
        "pass a value that is the same in every {thread} of the {group} instead of {}",
        quoted(text)
    )))
}

/// Returns the span of an argument. `None` if the types of the body are unknown.
fn span(
    context: &DivergenceContext,
    known: &FunctionFacts,
    operation: &Operation,
    argument: Argument,
) -> Option<Span> {
    let typed = typed_body(context.db, context.subject(known).scoped, known.number())?;
    let exprs = &typed.exprs;
    exprs.iter().find_map(|expr| match &expr.kind {
        ExprKind::Call { arguments, call: Some(call), .. } if *call == operation.call => {
            let span = exprs[*arguments.get(usize::from(argument.0))?].span;
            (span.start < span.end).then_some(span)
        }
        _ => None,
    })
}
