//! Prints the tangles of a body as text, for tests and for the notes that `tangle show` prints beside the source.

use std::fmt::{self, Write};

use tangle_grammar::ast::Span;

use super::{Arrival, CandidateId, DoubtId, ImplementationDefined, TangleFacts, Tangles};
use crate::tangle::streams::JumpKind;
use tangle_hir::body::{Body, CallId, StmtId, StmtKind};
use tangle_ir::scope::Scope;

/// Facts that the body alone does not contain: source locations, convergent calls and settled doubts.
pub trait PrintContext {
    /// Returns the line and column of the first token of a span, and of the end of its last token.
    fn place(&self, span: Span) -> ((usize, usize), (usize, usize));
    /// Returns the scope of a convergent call; None if the call is not convergent.
    fn scope(&self, call: CallId) -> Option<Scope>;
    /// Whether the function is convergent.
    fn convergent(&self) -> bool;
    /// Whether the jumps of a doubt are uniform in the work-group, so that threads cannot diverge there.
    fn is_settled(&self, doubt: DoubtId) -> bool;
    /// The same for the doubt of a call, in the scope of the call.
    fn is_settled_call(&self, call: CallId) -> bool;
    /// Returns the name of the group of a scope in the language of the file.
    fn group(&self, scope: Scope) -> &str;
}

/// Returns the name of a statement kind (`docs/json.md`).
pub fn kind_name(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Compound(_) => "compound",
        StmtKind::If { .. } => "if",
        StmtKind::Switch { .. } => "switch",
        StmtKind::While { .. } => "while",
        StmtKind::Do { .. } => "do",
        StmtKind::For { .. } => "for",
        StmtKind::Goto(_) | StmtKind::ComputedGoto(_) => "goto",
        StmtKind::Break(_) => "break",
        StmtKind::Continue(_) => "continue",
        StmtKind::Return => "return",
        StmtKind::Label(_) => "label",
        StmtKind::Case(_) => "case",
        StmtKind::Default(_) => "default",
        StmtKind::Declaration => "declaration",
        StmtKind::Expression | StmtKind::Asm(_) | StmtKind::Error => "expression",
        StmtKind::Empty => "empty",
    }
}

/// A location that makes convergence implementation-defined, with the name of its kind in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    pub what: &'static str,
    pub span: Span,
}

/// The maximum number of arrivals that are printed for one doubt. A body with thousands of jumps can have thousands.
pub const MAX_PRINTED_ARRIVALS: usize = 64;

/// Returns the causes of a doubt: each jump and its label, the loops that jumps leave, and `noconvergent` statements.
/// Covers the first [`MAX_PRINTED_ARRIVALS`] arrivals, in source order and without repetition.
pub fn causes(body: &Body, tangles: &Tangles, doubt: &ImplementationDefined) -> Vec<Cause> {
    let span = |stmt: StmtId| body.stmts[stmt].span;
    let label = |stmt: StmtId| label_span(body, stmt);
    let mut causes = Vec::new();
    for arrival in tangles.arrivals(doubt).take(MAX_PRINTED_ARRIVALS) {
        match arrival {
            Arrival::InSequence => {}
            Arrival::Marked(stmt) => {
                causes.push(Cause { what: "noconvergent", span: statement_head(body, stmt) });
            }
            Arrival::Jump { kind: JumpKind::Goto, source, target, leaves } => {
                causes.push(Cause { what: "goto", span: span(source) });
                causes.push(Cause { what: "label", span: label(target) });
                causes.extend(leaves.map(|left| Cause { what: "loop-exit", span: span(left) }));
            }
            Arrival::Jump { kind: JumpKind::Case, target, .. } => {
                causes.push(Cause { what: "case", span: label(target) });
            }
            Arrival::Jump { kind: JumpKind::Default, target, .. } => {
                causes.push(Cause { what: "default", span: label(target) });
            }
            Arrival::CycleExit { source, target } => {
                causes.push(Cause { what: "goto", span: span(source) });
                causes.push(Cause { what: "label", span: label(target) });
            }
        }
    }
    causes.sort_by_key(|cause| (cause.span, cause.what));
    causes.dedup();
    causes
}

/// Returns the number of stored arrivals that [`causes`] omits.
pub fn untold(doubt: &ImplementationDefined) -> usize {
    doubt.count().saturating_sub(MAX_PRINTED_ARRIVALS)
}

/// Returns the span of the label itself, without its substatement.
pub fn label_span(body: &Body, stmt: StmtId) -> Span {
    let own = &body.stmts[stmt];
    match own.kind {
        StmtKind::Label(inner) | StmtKind::Case(inner) | StmtKind::Default(inner) => {
            let after = body.stmts[inner].span.start.max(own.span.start + 1);
            Span::new(own.span.start, after)
        }
        _ => own.span,
    }
}

/// Returns the span of the first token of a statement; for a `goto`, the whole statement without its semicolon.
pub fn statement_head(body: &Body, stmt: StmtId) -> Span {
    let Span { start, end } = body.stmts[stmt].span;
    match body.stmts[stmt].kind {
        StmtKind::Goto(_) | StmtKind::ComputedGoto(_) if end > start + 1 => Span::new(start, end - 1),
        _ => Span::new(start, start + 1),
    }
}

/// Prints a body: its candidates, then its statements and convergent calls with their candidates and doubts.
pub fn print(body: &Body, tangles: &Tangles, context: &dyn PrintContext) -> String {
    let mut text = String::new();
    write_body(&mut text, body, tangles, context).expect("writing to a string succeeds");
    text
}

/// The maximum number of indented levels. Stacked labels and `else if` may nest deeper than a line is wide.
const MAX_INDENTED: usize = 40;

/// Formats the start of a span as `line:column`.
fn start(context: &dyn PrintContext, span: Span) -> String {
    let ((line, column), _) = context.place(span);
    format!("{line}:{column}")
}

/// Returns the heading of a body, such as `kernel k, convergent`.
pub fn heading(body: &Body, context: &dyn PrintContext) -> String {
    let what = match (body.block, body.kernel) {
        (true, _) => "block in",
        (_, true) => "kernel",
        _ => "function",
    };
    let convergent = if context.convergent() { ", convergent" } else { "" };
    format!("{what} {}{convergent}", body.name.text)
}

/// Prints the candidates, one per line.
pub fn candidates(tangles: &Tangles, context: &dyn PrintContext) -> String {
    let mut text = String::new();
    for (id, candidate) in tangles.candidates.iter_enumerated() {
        let name = name(tangles, id);
        text += &format!("  {name:<4} {} {}", candidate.rule.as_str(), start(context, candidate.site));
        if let Some(parent) = candidate.parent {
            text += &format!(" of {}", self::name(tangles, parent));
        }
        for mark in &candidate.marks {
            text += &format!(" [{}]", mark.as_str());
        }
        text.push('\n');
    }
    text
}

fn write_body(out: &mut String, body: &Body, tangles: &Tangles, context: &dyn PrintContext) -> fmt::Result {
    let at = |span: Span| start(context, span);
    writeln!(out, "{}", heading(body, context))?;
    out.push_str(&candidates(tangles, context));
    let calls = body.calls_by_stmt();
    let mut depth = Vec::new();
    for (id, stmt) in body.stmts.iter_enumerated() {
        while depth.last().is_some_and(|&end| end <= id) {
            depth.pop();
        }
        let facts = &tangles.stmts[id];
        let indent = 2 * depth.len().min(MAX_INDENTED);
        let head = format!("{:<7} {:indent$}{}", at(stmt.span), "", kind_name(&stmt.kind));
        let settled = facts.doubt.is_some_and(|doubt| context.is_settled(doubt)).then_some(Scope::Workgroup);
        writeln!(out, "  {head:<34} {}", describe(body, tangles, facts, settled, &at, context))?;
        for &call_id in &calls[id] {
            let call = &body.calls[call_id];
            let Some(scope) = context.scope(call_id) else { continue };
            let callee = call.callee.name().unwrap_or("a pointer");
            let head = format!("{:<7} {:indent$}  calls {callee} ({})", at(call.span), "", scope.as_str());
            let settled = context.is_settled_call(call_id).then_some(scope);
            let facts = &tangles.calls[call_id];
            writeln!(out, "  {head:<34} {}", describe(body, tangles, facts, settled, &at, context))?;
        }
        depth.push(stmt.end);
    }
    Ok(())
}

/// Returns the text for a doubt that is settled for a group.
pub fn settled_text(group: &str) -> String {
    format!("in effect one tangle: the jumps here are uniform in the {group}")
}

/// Returns the name of a candidate: `T3`, or `T3*` for a family.
pub fn name(tangles: &Tangles, id: CandidateId) -> String {
    let star = if tangles.candidates[id].family { "*" } else { "" };
    format!("T{}{star}", id.index())
}

fn describe(
    body: &Body,
    tangles: &Tangles,
    facts: &TangleFacts,
    settled: Option<Scope>,
    at: &dyn Fn(Span) -> String,
    context: &dyn PrintContext,
) -> String {
    if !facts.reachable && facts.candidates.is_empty() {
        return "unreachable".into();
    }
    let mut names: Vec<String> = facts.candidates.iter().map(|&id| name(tangles, id)).collect();
    if let Some(doubt) = facts.doubt {
        names.push(describe_doubt(body, tangles, doubt, at, context));
    }
    let mut text = names.join(" ");
    if let Some(scope) = settled {
        text += "; ";
        text += &settled_text(context.group(scope));
    }
    text
}

/// Returns the text of a doubt: its causes, and where the threads reconverge.
pub fn doubt(
    body: &Body,
    tangles: &Tangles,
    doubt: DoubtId,
    settled: Option<Scope>,
    context: &dyn PrintContext,
) -> String {
    let text = describe_doubt(body, tangles, doubt, &|span| start(context, span), context);
    match settled {
        Some(scope) => format!("{text}; {}", settled_text(context.group(scope))),
        None => text,
    }
}

fn describe_doubt(
    body: &Body,
    tangles: &Tangles,
    doubt: DoubtId,
    at: &dyn Fn(Span) -> String,
    context: &dyn PrintContext,
) -> String {
    let doubt = &tangles.doubts[doubt];
    let mut causes: Vec<String> = causes(body, tangles, doubt)
        .iter()
        .map(|cause| format!("{} {}", cause.what, at(cause.span)))
        .collect();
    causes.extend(match untold(doubt) {
        0 => None,
        more => Some(format!("{}{more} more", if doubt.is_truncated() { "at least " } else { "" })),
    });
    let (_, (line, column)) = context.place(body.stmts[doubt.reconverges_after].span);
    let inherited = if doubt.inherited { ", inherited" } else { "" };
    format!("implementation-defined ({}{inherited}) until {line}:{column}", causes.join(", "))
}
