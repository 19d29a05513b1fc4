//! `ambiguous-loop-nest`: several divergent back edges to one loop header. The flow graph does not show whether they
//! belong to one loop or to two.

use super::divergent_subgroup_operation::severity;
use super::subgroup_operation_before_break::innermost_loop;
use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::{DivergenceContext, FunctionFacts, Operation};
use crate::interests::Interest;
use crate::interests::OperationClass::OfSubgroup;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry};
use tangle_analysis::flow::{BlockId, BlockKind};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::tangle::print::statement_head;
use tangle_analysis::uniformity::cause::Subject;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::body::{Body, ConstantCondition, StmtId, StmtKind};
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "ambiguous-loop-nest",
        severity: Severity::Note,
        on: true,
        summary: "a loop with several divergent back edges, which can be read as one loop or as two",
        page: include_str!("../pages/ambiguous-loop-nest.md"),
    },
    required: &[Interest::Unreached(OfSubgroup), Interest::PartedLoop(OfSubgroup)],
    evidence: None,
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

/// The reason why the graph is ambiguous.
struct Ambiguity {
    /// The branch at which threads diverge.
    branch: BlockId,
    /// The `continue`, or the outer of two loops.
    stmt: StmtId,
}

fn check(context: &DivergenceContext, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for operation in &known.operations {
            let Some(name) = operation.operations_run.of_subgroup else { continue };
            // `divergent-subgroup-operation` reports an operation that all threads must reach.
            if operation.operations_run.of_group.is_some() || severity(context, name) == Some(Severity::Error)
            {
                continue;
            }
            let body = known.body();
            let Some(around) = innermost_loop(body, body.calls[operation.call].stmt) else { continue };
            if let Some(ambiguity) = by_continue(known, around).or_else(|| by_nest(known, operation, around))
            {
                found.extend(describe(context, id, operation, around, &ambiguity));
            }
        }
    }
}

/// Returns a divergent `continue` of a loop that jumps directly to the loop header.
fn by_continue(known: &FunctionFacts, around: StmtId) -> Option<Ambiguity> {
    let body = known.body();
    let graph = known.graph();
    // At the step of a `for` and the condition of a `do`, threads reconverge before the next iteration.
    let meets_at_header = match body.stmts[around].kind {
        StmtKind::While { .. } => true,
        StmtKind::For { .. } => !known
            .function
            .blocks
            .iter()
            .any(|block| block.kind == BlockKind::ForStep && block.stmt == around),
        _ => false,
    };
    if !meets_at_header {
        return None;
    }
    let continues =
        body.stmts.iter_enumerated().filter(|(_, stmt)| stmt.kind == StmtKind::Continue(Some(around)));
    continues.map(|(id, _)| id).find_map(|stmt| {
        // The `continue` ends the last block that begins before it.
        let blocks = known.function.blocks.iter_enumerated();
        let own = blocks.filter(|(_, block)| block.stmt <= stmt && body.contains(around, block.stmt));
        let (block, _) = own.max_by_key(|(id, block)| (block.stmt, *id))?;
        let parts = |&&branch: &&BlockId| {
            known.verdicts.branches[branch].divergence.within(Scope::Subgroup)
                && body.contains(around, known.function.blocks[branch].stmt)
        };
        let branch = graph.controllers[block].iter().find(parts).copied()?;
        Some(Ambiguity { branch, stmt })
    })
}

/// Returns the outer loop around a loop with a divergent exit, if it evaluates nothing before the inner loop.
fn by_nest(known: &FunctionFacts, operation: &Operation, inner: StmtId) -> Option<Ambiguity> {
    let body = known.body();
    if !matches!(body.stmts[inner].kind, StmtKind::While { .. } | StmtKind::Do { .. }) {
        return None;
    }
    let outer = begins_with(body, inner)?;
    let graph = known.graph();
    let cycle = graph.cycles.innermost(operation.block)?;
    let parts = |&&branch: &&BlockId| known.verdicts.branches[branch].divergence.within(Scope::Subgroup);
    let branch = graph.exit_branches[cycle].iter().find(parts).copied()?;
    Some(Ambiguity { branch, stmt: outer })
}

/// Returns the loop whose body begins with a statement, if the loop evaluates nothing before it.
fn begins_with(body: &Body, stmt: StmtId) -> Option<StmtId> {
    let mut at = stmt;
    loop {
        let parent = body.stmts[at].parent?;
        match &body.stmts[parent].kind {
            StmtKind::Compound(children) if children.first() == Some(&at) => at = parent,
            StmtKind::Do { .. } => return Some(parent),
            StmtKind::While { condition: ConstantCondition::AlwaysTrue, .. } => return Some(parent),
            &StmtKind::For { condition: ConstantCondition::AlwaysTrue, body: inner, .. } if inner == at => {
                return Some(parent);
            }
            _ => return None,
        }
    }
}

fn describe(
    context: &DivergenceContext,
    id: DefinitionId,
    operation: &Operation,
    around: StmtId,
    ambiguity: &Ambiguity,
) -> Option<Diagnostic> {
    let known = context.known(id);
    let body = known.body();
    let fact = known.verdicts.branches[ambiguity.branch];
    let blame = context.blame(id, Subject::Branch(ambiguity.branch), fact, Scope::Subgroup)?;
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(operation));
    let at = |span| place(context.db, &subject.locator.locate(span).at);
    let by_continue = matches!(body.stmts[ambiguity.stmt].kind, StmtKind::Continue(_));
    let how = match by_continue {
        true => "this loop with `continue` has the same flow graph as two nested loops",
        false => "these two loops with one header have the same flow graph as one loop",
    };
    let (name, threads) = (operation.name, context.vocabulary().threads());
    let before = [
        format!("the iterations that run `{name}` together are ambiguous: the back edge depends on "),
        format!("the iterations that run `{name}` are ambiguous: the back edge depends on "),
    ];
    let message = headline(context, id, &blame, &before);
    let (first, second) = match by_continue {
        true => ("the loop".to_owned(), format!("some {threads} begin the next iteration from here")),
        false => ("the inner loop".to_owned(), "the outer loop, with the same header".to_owned()),
    };
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(how)
        .with_related(at(statement_head(body, around)), first)
        .with_related(at(statement_head(body, ambiguity.stmt)), second);
    let diagnostic = with_places(context, id, &blame, Scope::Subgroup, diagnostic);
    let diagnostic = with_macros(context.db, diagnostic, &located);
    Some(diagnostic.with_help(match by_continue {
        true => {
            "put the rest of the body under `if` instead of `continue`, so that the loop has one back edge"
        }
        false => "add a statement to the outer loop before the inner one, or merge the two loops",
    }))
}
