//! The first line of a hover: whether threads part at a branch or reach an operation together, why not, and where they
//! meet again.
//!
//! ```text
//! if (gid >= n)      Divergent (work-group): `gid` ← `get_global_id(0)`, line 2. Reconverges at line 5.
//! barrier(1);        Reached by part of the work-group: `return`, line 3 ← `gid` ← `get_global_id(0)`, line 2.
//! ```
//!
//! The line is about the statement whose keyword or label is at the position, or about the call of a convergent operation.
//! The other lines of the hover are about expressions and tangles.

use tangle_analysis::flow::{Block, BlockId, Function, Op};
use tangle_analysis::tangle::CandidateId;
use tangle_analysis::uniformity::Fact;
use tangle_analysis::uniformity::analysis::Analysis;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::jumps::block_of_jump;
use tangle_grammar::ast::Span;
use tangle_grammar::token::TokenKind;
use tangle_hir::body::{Body, CallId, StmtId, StmtKind};
use tangle_syntax::dialect::Scope;

use super::cause::{self, linked};
use super::position::{BodyLookup, ItemAt, TokenAt};
use super::uniform::{deciding_arguments, is_open};

/// Returns the line about the statement whose keyword or label is here.
pub fn of_statement(at: &TokenAt, body: BodyLookup) -> Option<String> {
    let stmt = at.stmt(body)?;
    let kind = &body.body.stmts[stmt].kind;
    if !body.tangles.stmts[stmt].reachable || !is_at_head(at, body.body, stmt) {
        return None;
    }
    let part = match kind {
        StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_) => "Reached",
        StmtKind::Goto(_) | StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return => "Taken",
        _ => return of_branch(&at.item, body, stmt),
    };
    at.item.analysed(body, |analysis| {
        let block = block_of(analysis, body.body, stmt)?;
        Some(of_control((&at.item, body.body), analysis, (block, Scope::Workgroup), part))
    })?
}

/// Returns the line about the call of a convergent operation that waits for the threads of a scope, or exchanges values
/// with them.
pub fn of_operation(item: &ItemAt, body: BodyLookup, call: CallId, scope: Scope) -> Option<String> {
    if scope == Scope::None {
        return None;
    }
    item.analysed(body, |analysis| {
        let values = analysis.function.values.iter_enumerated();
        let mut calls = values.filter(|(_, it)| matches!(&it.op, Op::Call(it) if it.call == Some(call)));
        let block = calls.find_map(|(value, _)| analysis.model.graph.home[value])?;
        Some(of_control((item, body.body), analysis, (block, scope), "Reached"))
    })?
}

/// Whether the keyword or the label of a statement is here.
fn is_at_head(at: &TokenAt, body: &Body, stmt: StmtId) -> bool {
    let tokens = at.item.placed.item.tokens(at.view.db).0.tokens();
    let Some(token) = tokens.get(at.token as usize) else { return false };
    match token.kind {
        TokenKind::If | TokenKind::Else | TokenKind::Switch | TokenKind::While | TokenKind::Do => true,
        TokenKind::For | TokenKind::Goto | TokenKind::Break | TokenKind::Continue => true,
        TokenKind::Return | TokenKind::Case | TokenKind::Default => true,
        _ => matches!(body.stmts[stmt].kind, StmtKind::Label(_)) && at.token == body.stmts[stmt].span.start,
    }
}

/// Returns the line about an `if`, a `switch` or a loop.
fn of_branch(item: &ItemAt, body: BodyLookup, stmt: StmtId) -> Option<String> {
    let condition = item.condition(body.body, stmt)?;
    let vocabulary = item.vocabulary();
    let mut line = item.analysed(body, |analysis| {
        let function = analysis.function;
        let is_inside = |span: Span| condition.start <= span.start && span.end <= condition.end;
        let blocks = function.blocks.iter_enumerated();
        let branches = blocks.filter(|(id, block)| is_branch(function, *id) && is_inside(block.end));
        let facts = branches.map(|(id, _)| (id, analysis.state.branches[id]));
        let most = facts.max_by_key(|&(_, fact)| (fact.divergence, is_open(function, fact)));
        // A constant condition makes no branch.
        let (block, fact) = most.unwrap_or((Function::ENTRY, Fact::UNIFORM));
        if fact.divergence.within(Scope::Workgroup) {
            let subject = (Subject::Branch(block), fact, Scope::Workgroup);
            let chain = after_colon(&cause::chain((item, body.body), analysis, subject));
            let group = match fact.divergence.within(Scope::Subgroup) {
                true => vocabulary.workgroup.clone(),
                false => format!("{}, not {}", vocabulary.workgroup, vocabulary.group(Scope::Subgroup)),
            };
            return Some(format!("**Divergent** ({group}){chain}."));
        }
        Some(match is_open(function, fact) {
            true => format!(
                "Uniform in the {} if these arguments are: {}.",
                vocabulary.workgroup,
                deciding_arguments(analysis, fact).join(", ")
            ),
            false => format!(
                "Uniform: the {} of a {} that get here take the same path.",
                vocabulary.threads(),
                vocabulary.workgroup
            ),
        })
    })??;
    if line.starts_with("**") {
        line += &match reconvergence(body, stmt) {
            Some(Reconvergence::At(span)) => format!(" Reconverges at {}.", linked(item, span)),
            Some(Reconvergence::EndOf(span)) => {
                format!(
                    " Reconverges at the end of the block, {}.",
                    linked(item, Span::new(span.end - 1, span.end))
                )
            }
            None => String::new(),
        };
    }
    Some(line)
}

/// Returns the line about a block that all or some threads of a group reach together. `reached`: how they get there.
fn of_control(
    (item, body): (&ItemAt, &Body),
    analysis: &Analysis,
    (block, scope): (BlockId, Scope),
    reached: &str,
) -> String {
    let vocabulary = item.vocabulary();
    let (threads, group) = (vocabulary.threads(), vocabulary.group(scope));
    let fact = analysis.state.control[block];
    if fact.divergence.within(scope) {
        let chain = cause::chain((item, body), analysis, (Subject::Control(block), fact, scope));
        return format!("**{reached} by part of the {group}**{}.", after_colon(&chain));
    }
    match is_open(analysis.function, fact) {
        true => format!(
            "{reached} by all {threads} of the {group} if these arguments are uniform: {}.",
            deciding_arguments(analysis, fact).join(", ")
        ),
        false if analysis.function.kernel => format!("{reached} by all {threads} of the {group}."),
        false => {
            format!("{reached} by all {threads} that call `{}` together.", analysis.function.key.template())
        }
    }
}

fn after_colon(chain: &str) -> String {
    if chain.is_empty() { String::new() } else { format!(": {chain}") }
}

/// Returns the block that begins with a label, or that ends with a jump.
fn block_of(analysis: &Analysis, body: &Body, stmt: StmtId) -> Option<BlockId> {
    let function = analysis.function;
    let is_label = |(_, block): &(BlockId, &Block)| block.stmt == stmt && block.after.is_none();
    match body.stmts[stmt].kind {
        StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_) => {
            function.blocks.iter_enumerated().find(is_label).map(|(id, _)| id)
        }
        _ => block_of_jump(function, body, stmt),
    }
}

/// Where the threads that part at a branch surely meet again.
enum Reconvergence {
    /// At a statement.
    At(Span),
    /// At the end of a block, whose last statement is the branch.
    EndOf(Span),
}

/// Returns where the threads that part at a branch surely meet again. `None` if this is not certain.
fn reconvergence(body: BodyLookup, branch: StmtId) -> Option<Reconvergence> {
    let facts = &body.tangles.stmts[branch];
    let [own] = *facts.candidates else { return None };
    if facts.doubt.is_some() {
        return None;
    }
    let stmts = &body.body.stmts;
    if let Some((_, next)) = meeting(body, branch, own) {
        return Some(Reconvergence::At(stmts[next].span));
    }
    let block = &stmts[stmts[branch].parent?];
    let is_last = matches!(&block.kind, StmtKind::Compound(children) if children.last() == Some(&branch));
    (is_last && !is_left(body.body, branch)).then_some(Reconvergence::EndOf(block.span))
}

/// Whether a jump in a branch can leave the branch.
fn is_left(body: &Body, branch: StmtId) -> bool {
    let mut inside = (branch.index() + 1..body.stmts[branch].end.index()).map(StmtId::new);
    inside.any(|stmt| match &body.stmts[stmt].kind {
        StmtKind::Goto(_) | StmtKind::ComputedGoto(_) | StmtKind::Return => true,
        StmtKind::Asm(labels) => !labels.is_empty(),
        StmtKind::Break(target) | StmtKind::Continue(target) => target.is_none_or(|target| target < branch),
        _ => false,
    })
}

/// Returns the first statement after a statement, or after one around it, that surely only the threads of a tangle
/// execute; and the statement directly before it. `None` if there is no such statement.
pub fn meeting(body: BodyLookup, stmt: StmtId, tangle: CandidateId) -> Option<(StmtId, StmtId)> {
    let (stmts, facts) = (&body.body.stmts, &body.tangles.stmts);
    let mut inner = stmt;
    while let Some(around) = stmts[inner].parent {
        if let StmtKind::Compound(children) = &stmts[around].kind
            && let Some(place) = children.iter().position(|&child| child == inner)
            && let Some(&next) = children.get(place + 1)
            && *facts[next].candidates == [tangle]
            && facts[next].doubt.is_none()
        {
            return Some((inner, next));
        }
        inner = around;
    }
    None
}
