//! `subgroup-operation-before-break`: an operation of the sub-group before a divergent exit from a loop. It is inside
//! the loop of the source, but outside the cycle of the flow graph.
//!
//! Its token is the heart of the loop, but its block is not in the cycle: an extended cycle
//! (`convergent-operations.rst`).
//! An operation of a tile names its threads and is unaffected by other threads: it is not reported.

use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::{DivergenceContext, FunctionFacts, Operation};
use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry, Evidence};
use tangle_analysis::flow::{BlockId, Op, Token};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::tangle::print::statement_head;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_syntax::dialect::{Group, Scope};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "subgroup-operation-before-break",
        severity: Severity::Warning,
        on: true,
        summary: "a sub-group operation before a divergent exit from a loop",
        page: include_str!("../pages/subgroup-operation-before-break.md"),
    },
    required: &[Interest::Unreached(OfSubgroup)],
    evidence: Some(Evidence::WithoutTokens),
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

fn check(context: &DivergenceContext, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for operation in &known.operations {
            let Some(name) = operation.operations_run.of_subgroup else { continue };
            let names_threads = context.builtins.get(name).is_some_and(|row| row.group < Group::Subgroup);
            if names_threads || operation.operations_run.of_group.is_some() {
                continue;
            }
            if let Some(branch) = divergent_exit(known, operation) {
                found.extend(describe(context, id, operation, branch));
            }
        }
    }
}

/// Returns the branch at which threads of one sub-group diverge when they leave the loop of an operation. `None` if the
/// block of the operation is in the cycle.
fn divergent_exit(known: &FunctionFacts, operation: &Operation) -> Option<BlockId> {
    let function = known.function;
    let Op::Call(call) = &function.values[operation.value].op else { return None };
    let token = call.token?;
    let Op::Token(Token::Loop(_)) = function.values[token].op else { return None };
    let graph = known.graph();
    let cycle = graph.cycles.innermost(graph.home[token]?)?;
    if graph.cycles.contains(cycle, operation.block) {
        return None;
    }
    let parts = |&&branch: &&BlockId| known.verdicts.branches[branch].divergence.within(Scope::Subgroup);
    graph.exit_branches[cycle].iter().find(parts).copied()
}

fn describe(
    context: &DivergenceContext,
    id: DefinitionId,
    operation: &Operation,
    branch: BlockId,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let body = known.body();
    let entered = innermost_loop(body, body.calls[operation.call].stmt)?;
    let (exit, word) = exit(body, entered, body.calls[operation.call].stmt)?;
    let blame =
        context.blame(id, Subject::Branch(branch), known.verdicts.branches[branch], Scope::Subgroup)?;
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(operation));
    let at = |span| place(context.db, &subject.locator.locate(span).at);
    let name = operation.name;
    let vocabulary = context.vocabulary();
    let threads = vocabulary.threads();
    let before = [
        format!("a compiler can move this `{name}` before `{word}` out of the loop: the exit depends on "),
        format!("a compiler can move `{name}` before `{word}` out of the loop: the exit depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!(
            "here: the {threads} that leave in this iteration; after the loop: all {threads} that ever leave"
        ))
        .with_related(at(statement_head(body, entered)), format!("`{name}` is in this loop"))
        .with_related(at(statement_head(body, exit)), format!("{threads} leave the loop here"));
    let diagnostic = with_places(context, id, &blame, Scope::Subgroup, diagnostic);
    let diagnostic = with_macros(context.db, diagnostic, &located);
    Some(diagnostic.with_help(format!(
        "call `{name}` before the branch to run it in each iteration, or after the loop to run it once"
    )))
}

/// Returns the innermost loop around a statement, or the statement if it is a loop.
pub(crate) fn innermost_loop(body: &Body, stmt: StmtId) -> Option<StmtId> {
    let around = std::iter::successors(body.stmts[stmt].parent, |&at| body.stmts[at].parent);
    std::iter::once(stmt).chain(around).find(|&at| body.stmts[at].kind.is_loop())
}

/// Returns the first statement from `from` on that leaves the loop `entered`, with its keyword.
fn exit(body: &Body, entered: StmtId, from: StmtId) -> Option<(StmtId, &'static str)> {
    let inside = body.stmts.iter_enumerated().filter(|&(id, _)| id >= from && body.contains(entered, id));
    inside.into_iter().find_map(|(id, stmt)| match stmt.kind {
        StmtKind::Break(Some(left)) if body.contains(left, entered) => Some((id, "break")),
        StmtKind::Return => Some((id, "return")),
        StmtKind::Goto(Some(target)) if !body.contains(entered, target) => Some((id, "goto")),
        _ => None,
    })
}
