//! The text of the derivation of a candidate tangle, for a statement in an editor.
//!
//! ```text
//! T0  the work-items of the work-group that runs `k`
//! T1  work-items of T0 for which `p[0]` is true (line 2)
//! T2  work-items of T0 that continue to line 4
//! T3  work-items of T1 that jump to `out` (line 3)
//! ```

use tangle_grammar::ast::Span;

use tangle_analysis::tangle::print::{label_span, name};
use tangle_analysis::tangle::{Arrival, CandidateId, ImplementationDefined, JumpKind, Rule, Tangles};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_syntax::dialect::Vocabulary;

/// The source text of a body.
pub trait BodySource {
    /// Returns the line where a span begins.
    fn line(&self, span: Span) -> usize;
    /// Returns the tokens of a span on one line.
    fn text(&self, span: Span) -> String;
    /// Returns the span of the condition of an `if` or a loop, if it has one.
    fn condition(&self, stmt: StmtId) -> Option<Span>;
}

/// Returns a description of the threads of a candidate, by its rule and its parent.
pub fn describe(
    vocabulary: &Vocabulary,
    body: &Body,
    tangles: &Tangles,
    id: CandidateId,
    source: &dyn BodySource,
) -> String {
    let threads = vocabulary.threads();
    let candidate = &tangles.candidates[id];
    let parent = candidate.parent.map(|parent| name(tangles, parent)).unwrap_or_default();
    let line = source.line(candidate.site);
    // The statement to which the rule applies: for the condition of a loop, the loop. `None` for an operand.
    let site = body.stmts.iter_enumerated().find(|(_, stmt)| stmt.span == candidate.site).map(|(id, _)| id);
    let parent_of_site = site.and_then(|site| body.stmts[site].parent);
    let condition = |stmt: Option<StmtId>| {
        let span = source.condition(stmt?)?;
        Some(format!("`{}`", source.text(span)))
    };
    let text = match candidate.rule {
        Rule::FunctionBody if body.kernel => {
            format!("the {threads} of the {} that runs `{}`", vocabulary.workgroup, body.name.text)
        }
        Rule::FunctionBody => format!("the {threads} that call `{}` together", body.name.text),
        Rule::Sequence => format!("{threads} of {parent} that continue to line {line}"),
        Rule::IfBranch => {
            let branch = parent_of_site.map(|stmt| &body.stmts[stmt].kind);
            let otherwise = matches!(branch, Some(StmtKind::If { then, .. }) if Some(*then) != site);
            let holds = if otherwise { "is false" } else { "is true" };
            match condition(parent_of_site) {
                Some(condition) => {
                    format!("{threads} of {parent} for which {condition} {holds} (line {line})")
                }
                None => format!("{threads} of {parent} for which the condition {holds} (line {line})"),
            }
        }
        Rule::LoopEntry => {
            format!("{threads} of {parent} that enter the loop at line {line}")
        }
        Rule::LoopBody => {
            let around = parent_of_site.map_or(line, |stmt| source.line(body.stmts[stmt].span));
            match condition(parent_of_site) {
                Some(condition) => {
                    format!(
                        "{threads} of {parent} for which {condition} is true, in any iteration of the loop at line {around}"
                    )
                }
                None => format!("{threads} of {parent} in any iteration of the loop at line {around}"),
            }
        }
        Rule::NextIteration => {
            format!("{threads} of {parent} that begin the next iteration of the loop at line {line}")
        }
        Rule::CaseLabel | Rule::GotoLabel => {
            let label = site.map_or(candidate.site, |site| label_span(body, site));
            let label = source.text(label);
            format!(
                "{threads} of {parent} that jump to `{}` (line {line})",
                label.trim_end_matches([' ', ':'])
            )
        }
        Rule::Operand => {
            format!("{threads} of {parent} that evaluate `{}` (line {line})", source.text(candidate.site))
        }
    };
    match candidate.family {
        true => format!("{text}: one tangle for each iteration; they need not reconverge"),
        false => text,
    }
}

/// Returns a candidate and its ancestors, the candidate first: at most 64, because derivations can be as long as the
/// source.
pub fn derivation(tangles: &Tangles, id: CandidateId) -> impl Iterator<Item = CandidateId> + '_ {
    let mut seen = Vec::new();
    std::iter::successors(Some(id), |&id| tangles.candidates[id].parent).take_while(move |&id| {
        let new = !seen.contains(&id) && seen.len() < 64;
        seen.push(id);
        new
    })
}

/// Returns the reasons why convergence is implementation-defined: a line for each of the first `most` paths that meet.
pub fn arrivals(
    body: &Body,
    tangles: &Tangles,
    doubt: &ImplementationDefined,
    source: &dyn BodySource,
    most: usize,
) -> Vec<String> {
    let label = |stmt: StmtId| {
        let text = source.text(label_span(body, stmt));
        text.trim_end_matches([' ', ':']).to_owned()
    };
    let line = |stmt: StmtId| source.line(body.stmts[stmt].span);
    let arrival = |arrival: Arrival| match arrival {
        Arrival::InSequence => "in sequence".to_owned(),
        Arrival::Marked(stmt) => format!("by the `noconvergent` statement at line {}", line(stmt)),
        Arrival::Jump { kind: JumpKind::Goto, source, target, leaves } => {
            let leaves = leaves.map_or(String::new(), |left| {
                format!(", out of any iteration of the loop at line {}", line(left))
            });
            format!("by `goto {}` at line {}{leaves}", label(target), line(source))
        }
        Arrival::Jump { source, target, .. } => {
            format!("from the `switch` at line {} to `{}`", line(source), label(target))
        }
        Arrival::CycleExit { source, target } => format!(
            "out of any iteration of the cycle from `{}` to the `goto` at line {}",
            label(target),
            line(source)
        ),
    };
    tangles.arrivals(doubt).take(most).map(arrival).collect()
}
