//! The hover at a position: the [headline](headline), the name, the convergent operation, the verdict, and the tangles of
//! the statement.
//!
//! ```text
//! Reached by all …                                     the headline
//! Convergent (barrier), scope work-group.              the name
//! T2, T3 take part. Whether …                          the operation
//! `i` is divergent … Cause: `get_local_id` …           the expression
//! T2: work-items of T0 that continue to line 4         the statement
//! `divergent-barrier`: confirmed by an execution …      the finding, if its execution is known
//! ```

use std::fmt::Write;

use tangle_analysis::program::{CallTarget, ConvergentCallee};
use tangle_analysis::tangle::print::{kind_name, name, settled_text};
use tangle_analysis::tangle::{Rule, TangleFacts};
use tangle_analysis::uniformity::run_operations::RunOperations;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_hir::body::{Body, CallId, StmtId};
use tangle_rules::wording::tangles as tangle_texts;
use tangle_syntax::dialect::{BuiltinKind, Scope};
use tangle_syntax::items::find::spelled;
use tower_lsp::lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use super::position::{BodyLookup, ItemAt, TokenAt, convergent, shortened};
use super::{definition, headline, names, uniform, witness};
use crate::snapshot::View;

/// The maximum number of listed candidates. Generated code has thousands.
const MAX_LISTED: usize = 12;
/// The maximum number of shown tokens of an expansion.
const EXPANDED: usize = 300;

pub fn hover(view: &View, position: Position) -> Option<Hover> {
    let mut parts = Vec::new();
    let at = TokenAt::find(*view, position);
    if at.as_ref().is_some_and(|at| at.item.is_host()) {
        return None;
    }
    let range = at.as_ref().map(TokenAt::range);
    match &at {
        Some(at) => {
            parts.extend(at.body().and_then(|body| first_line(at, body)));
            parts.extend(macro_use(at));
            parts.extend(names::describe(at));
            if let Some(body) = at.body() {
                parts.extend(operation(at, body));
                parts.extend(uniform::describe(at, body));
                parts.extend(at.stmt(body).map(|stmt| statement(&at.item, body, stmt)));
            }
        }
        None => match definition::included(view, position) {
            Some(file) => parts.push(format!("`{}`", file.path(view.db))),
            None => parts.extend(names::macro_definition_at(view, position)),
        },
    }
    parts.extend(witness::known(view, position));
    if parts.is_empty() {
        return None;
    }
    let value = parts.join("\n\n---\n\n");
    let contents = match view.snapshot.client.markdown {
        true => MarkupContent { kind: MarkupKind::Markdown, value },
        false => MarkupContent { kind: MarkupKind::PlainText, value: plain(&value) },
    };
    Some(Hover { contents: HoverContents::Markup(contents), range })
}

/// Removes the markup from Markdown.
pub fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```") && *line != "---");
    lines.map(|line| without_links(line).replace("**", "").replace('`', "")).collect::<Vec<_>>().join("\n")
}

/// Removes the addresses of links: `[line 6](file:///k.cl#L6)` becomes `line 6`.
fn without_links(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((before, link)) = rest.split_once("[line ")
        && let Some((label, after)) = link.split_once("](")
        && let Some((_, after)) = after.split_once(')')
    {
        text += &format!("{before}line {label}");
        rest = after;
    }
    text + rest
}

/// Describes the macro that is used here: its definition and its expansion.
fn macro_use(at: &TokenAt) -> Option<String> {
    let view = at.view;
    let file = view.file.id(view.db);
    let expansion = at.item.placed.expansion_at(file, at.file_token)?;
    let definition = names::macro_definition(view, expansion.definition)?;
    let tokens = at.item.placed.item.tokens(view.db).0.tokens();
    let from = at.item.placed.tokens_from(file, at.file_token);
    let (first, last) = (*from.first()? as usize, *from.last()? as usize);
    let end = (last + 1).min(first + EXPANDED);
    let more = if last >= end { " …" } else { "" };
    Some(format!("{definition}\n\nexpands to\n```c\n{}{more}\n```", spelled(&tokens[first..end])))
}

/// Describes whether threads part here, or reach the called operation together.
fn first_line(at: &TokenAt, body: BodyLookup) -> Option<String> {
    let Some((call, called)) = called(at, body) else { return headline::of_statement(at, body) };
    // A mask names the threads that take part.
    let settings = at.view.analysis.settings;
    if let ConvergentCallee::Operation(name, _) = called
        && settings.masks_name_threads(at.view.db)
        && settings.builtins(at.view.db).get(name).is_some_and(|row| row.mask.is_some())
    {
        return None;
    }
    headline::of_operation(&at.item, body, call, scope(at, called))
}

/// Returns the call of a convergent operation whose callee is here.
fn called(at: &TokenAt, body: BodyLookup) -> Option<(CallId, ConvergentCallee)> {
    let calls = body.body.calls.iter_enumerated();
    let (id, _) =
        calls.into_iter().find(|(_, call)| call.span.start <= at.token && at.token < call.span.end)?;
    Some((id, at.item.operations(body).call(id)?))
}

/// Describes the convergent operation that is called here, and the participating tangles.
fn operation(at: &TokenAt, body: BodyLookup) -> Option<String> {
    let (id, called) = called(at, body)?;
    let convergent = convergent(at.view);
    let what = match called {
        ConvergentCallee::Operation(name, _) => format!("`{name}` is a convergent operation"),
        ConvergentCallee::Function(key) => {
            let way: Vec<String> =
                convergent.call_path(key).take(8).map(|callee| format!("`{callee}`")).collect();
            match way.is_empty() {
                true => format!("`{key}` is a convergent function"),
                false => {
                    format!("`{key}` is a convergent function (it calls {})", way.join(", which calls "))
                }
            }
        }
        ConvergentCallee::Pointer => {
            "A call through a pointer is convergent (its callee is unknown)".to_owned()
        }
    };
    let facts = &body.tangles.calls[id];
    let in_doubt = facts.doubt.is_some() && !uniform::is_settled_call(&at.item, body, id);
    let vocabulary = at.item.vocabulary();
    let (thread, group) = (&vocabulary.thread, vocabulary.group(scope(at, called)));
    let who = match &*facts.candidates {
        _ if !facts.reachable => format!("No {thread} reaches this call."),
        [] => String::new(),
        [only] if !in_doubt => format!("**{}** takes part.", name(body.tangles, *only)),
        [only] => format!(
            "**{}** takes part. Its convergence is implementation-defined.",
            name(body.tangles, *only)
        ),
        several => {
            let list: Vec<String> = several
                .iter()
                .take(MAX_LISTED)
                .map(|&id| format!("**{}**", name(body.tangles, id)))
                .collect();
            let together = match facts.doubt {
                Some(_) if in_doubt => {
                    " Whether they take part together is implementation-defined.".to_owned()
                }
                Some(_) => format!(" They are {}.", settled_text(group)),
                None => String::new(),
            };
            format!("{} take part.{together}", list.join(", "))
        }
    };
    let waits = if waits(at, called) {
        format!(" It waits for all {} of the {group}.", vocabulary.threads())
    } else {
        String::new()
    };
    Some(format!("{what}, scope *{group}*.{waits} {who}").trim_end().to_owned())
}

/// Whether a called function runs a barrier. The description of an operation itself says whether it waits.
fn waits(at: &TokenAt, called: ConvergentCallee) -> bool {
    let ConvergentCallee::Function(key) = called else { return false };
    let view = at.view;
    let facts = UnitFacts::of(view.db, view.root, view.analysis.settings);
    let runs = facts.runs_by(CallTarget::Function(key));
    let operation = runs.and_then(|runs| runs.of_group.map(|(name, _)| name).or(runs.of_subgroup));
    let row = operation.and_then(|name| view.analysis.settings.builtins(view.db).get(name));
    row.is_some_and(|row| row.waits && row.kind == Some(BuiltinKind::Barrier))
}

/// Returns the group of an operation. For a function, it is the widest group of the operations that it executes.
fn scope(at: &TokenAt, called: ConvergentCallee) -> Scope {
    let ConvergentCallee::Function(key) = called else { return called.scope() };
    let view = at.view;
    let facts = UnitFacts::of(view.db, view.root, view.analysis.settings);
    facts.runs_by(CallTarget::Function(key)).and_then(RunOperations::scope).unwrap_or(called.scope())
}

/// Describes the candidate tangles of a statement with their derivations, and where the threads reconverge.
fn statement(item: &ItemAt, body: BodyLookup, stmt: StmtId) -> String {
    let facts = &body.tangles.stmts[stmt];
    let kind = kind_name(&body.body.stmts[stmt].kind);
    let source = item.source(body.body);
    let vocabulary = item.vocabulary();
    let settled = facts.doubt.is_some_and(|doubt| uniform::is_settled(item, body, doubt));
    let mut text = match facts.doubt {
        Some(_) if settled => {
            format!("Tangles of this {kind} statement, {}:\n", settled_text(&vocabulary.workgroup))
        }
        Some(_) => format!("Tangles of this {kind} statement, **implementation-defined**:\n"),
        None => format!("Tangles of this {kind} statement:\n"),
    };
    if !facts.reachable && facts.candidates.is_empty() {
        return format!("No {} reaches this {kind} statement.", vocabulary.thread);
    }
    let mut reported = Vec::new();
    for &candidate in &facts.candidates {
        for id in tangle_texts::derivation(body.tangles, candidate) {
            if reported.len() < MAX_LISTED && !reported.contains(&id) {
                reported.push(id);
                let mark = if facts.candidates.contains(&id) { "**" } else { "" };
                let words = tangle_texts::describe(vocabulary, body.body, body.tangles, id, &source);
                let _ = writeln!(text, "- {mark}{}{mark}: {words}", name(body.tangles, id));
            }
        }
    }
    let untold = facts.candidates.iter().filter(|id| !reported.contains(id)).count();
    if untold > 0 {
        let _ = writeln!(text, "- and {untold} more");
    }
    text += &doubt(item, body.body, body, facts);
    if facts.doubt.is_none() {
        text += &rejoins(item, body, stmt);
    }
    text.trim_end().to_owned()
}

/// Describes where the threads that last diverged before this statement reconverge. Empty if this is not certain.
fn rejoins(item: &ItemAt, body: BodyLookup, stmt: StmtId) -> String {
    let all = &body.tangles.stmts;
    let [own] = &*all[stmt].candidates else { return String::new() };
    let diverged =
        |rule: Rule| matches!(rule, Rule::IfBranch | Rule::LoopBody | Rule::CaseLabel | Rule::GotoLabel);
    // The tangle before the innermost branch, loop or label where threads diverged.
    let mut derivation = tangle_texts::derivation(body.tangles, *own);
    let Some(branch) = derivation.find(|&id| diverged(body.tangles.candidates[id].rule)) else {
        return String::new();
    };
    let mut before = body.tangles.candidates[branch].parent;
    // All threads of the tangle before a loop enter it.
    while let Some(entry) = before.filter(|&id| body.tangles.candidates[id].rule == Rule::LoopEntry) {
        before = body.tangles.candidates[entry].parent;
    }
    let Some(before) = before else { return String::new() };
    let Some((last, _)) = headline::meeting(body, stmt, before) else { return String::new() };
    let span = body.body.stmts[last].span;
    let end = tangle_grammar::ast::Span::new(span.end - 1, span.end);
    format!(
        "\nThe {} of {} reconverge after line {}.",
        item.vocabulary().threads(),
        name(body.tangles, before),
        item.line(end)
    )
}

fn doubt(item: &ItemAt, function: &Body, body: BodyLookup, facts: &TangleFacts) -> String {
    let Some(doubt) = facts.doubt.map(|doubt| &body.tangles.doubts[doubt]) else { return String::new() };
    let source = item.source(function);
    let arrivals = tangle_texts::arrivals(function, body.tangles, doubt, &source, MAX_LISTED);
    let shown: Vec<String> = arrivals.into_iter().map(shortened).collect();
    let more = match doubt.count().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more if doubt.is_truncated() => format!("; and at least {more} more"),
        more => format!("; and {more} more"),
    };
    let rejoins = match doubt.reconverges_after == Body::ROOT {
        true => "at the end of the function".to_owned(),
        false => {
            let span = function.stmts[doubt.reconverges_after].span;
            let last = tangle_grammar::ast::Span::new(span.end - 1, span.end);
            format!("after line {}", tangle_texts::BodySource::line(&source, last))
        }
    };
    let inherited = if doubt.inherited { " (inherited from an enclosing statement)" } else { "" };
    let (paths, threads) = (shown.join("; "), item.vocabulary().threads());
    format!("\nPaths to this statement: {paths}{more}{inherited}. The {threads} reconverge {rejoins}.")
}
