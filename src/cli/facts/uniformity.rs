//! `tangle show --what uniformity`: the divergent branches and values, with their causes.

use std::io::{self, Write};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use crate::db::Database;
use crate::diagnostic::SourceText;
use crate::dialect::{Scope, Vocabulary};
use crate::flow::{BlockId, Op, Terminator};
use crate::hir::scope::typed;
use crate::program::Definition;
use crate::source::{Settings, SourceFile};
use crate::syntax::Locator;
use crate::syntax::find::spelled;
use crate::uniformity::Divergence;
use crate::uniformity::analysis::Analysis;
use crate::uniformity::cause::Subject;
use crate::uniformity::graph::is_branch;
use crate::uniformity::unit::UnitFacts;
use crate::wording::cause::Text;
use crate::wording::uniformity as words;

/// What is shown of one function.
pub(super) struct Function {
    name: Symbol,
    line: usize,
    branches: Vec<Branch>,
    values: Vec<Named>,
}

struct Branch {
    at: (usize, usize),
    kind: &'static str,
    divergence: Divergence,
    cause: Vec<Step>,
}

/// One step of a chain of causes, away from what is explained.
struct Step {
    at: (usize, usize),
    what: String,
}

struct Named {
    name: Symbol,
    at: (usize, usize),
    divergence: Divergence,
    /// The user says that it is uniform in this scope.
    asserted: Option<Scope>,
}

/// The functions of the file itself, or that of a name.
pub(super) fn functions(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    name: Option<&str>,
) -> Vec<Function> {
    let facts = UnitFacts::of(db, file, settings);
    let shown = facts.functions().iter().filter(|(_, definition)| match name {
        Some(name) => definition.body(db).name.text.as_str() == name,
        None => definition.item.chunk.file == file.id(db),
    });
    shown
        .filter_map(|(at, definition)| {
            facts.explain(at, |analysis| function(db, &facts, definition, analysis))
        })
        .collect()
}

fn function(db: &Database, facts: &UnitFacts, definition: &Definition, analysis: &Analysis) -> Function {
    let item = definition.item.scoped.item(db);
    let len = item.tokens(db).0.tokens().len();
    let locator = Locator::new(db, &definition.item.chunk, definition.item.first, len);
    let mut texts: Vec<(SourceFile, Arc<SourceText>)> = Vec::new();
    let mut place = |span: Span| {
        let at = locator.locate(span).at;
        let text = match texts.iter().find(|(file, _)| *file == at.file) {
            Some((_, text)) => text.clone(),
            None => {
                let text = Arc::new(SourceText::new(at.file.text(db).to_string()));
                texts.push((at.file, text.clone()));
                text
            }
        };
        let start = text.position(at.range.start);
        (start.line, start.column)
    };
    let text = |span: Span| {
        spelled(item.tokens(db).0.tokens().get(span.start as usize..span.end as usize).unwrap_or_default())
    };
    let function = analysis.function;
    let mut branches = Vec::new();
    for (id, block) in function.blocks.iter_enumerated().filter(|(id, _)| is_branch(function, *id)) {
        let divergence = analysis.branches[id].divergence;
        let cause = match words::widest(divergence) {
            Some(scope) => steps(analysis, Subject::Branch(id), scope, &text, &mut place),
            None => Vec::new(),
        };
        branches.push(Branch { at: place(block.end), kind: kind(analysis, id), divergence, cause });
    }
    let mut named: IndexMap<Symbol, Divergence> = IndexMap::new();
    for (id, value) in function.values.iter_enumerated() {
        if let Some(name) = value.name.or_else(|| parameter(analysis, &value.op)) {
            let known = named.entry(name).or_default();
            *known = (*known).max(analysis.values[id].divergence);
        }
    }
    for (id, slot) in function.slots.iter_enumerated() {
        if let Some(name) = slot.name {
            let known = named.entry(name).or_default();
            *known = (*known).max(analysis.slot(id).divergence);
        }
    }
    let vars = &typed(db, definition.item.scoped).0.bodies[definition.body as usize].vars;
    let values = vars.iter().filter_map(|var| {
        let name = var.name.as_ref()?;
        Some(Named {
            name: name.text,
            at: place(name.span),
            divergence: *named.get(&name.text)?,
            asserted: facts.assertion(definition.key, name.text).map(|assertion| assertion.scope),
        })
    });
    let values = values.collect();
    Function { name: definition.body(db).name.text, line: place(function.span).0, branches, values }
}

fn parameter(analysis: &Analysis, op: &Op) -> Option<Symbol> {
    match op {
        Op::Parameter(number) => analysis.function.parameters.get(*number as usize)?.name,
        _ => None,
    }
}

/// What the branch of a block is in the source.
fn kind(analysis: &Analysis, block: BlockId) -> &'static str {
    let blocks = &analysis.function.blocks;
    let terminator = &blocks[block].terminator;
    if matches!(terminator, Terminator::Switch { .. }) {
        return "switch";
    }
    let names: Vec<&str> = terminator.successors().iter().map(|&next| blocks[next].kind.name()).collect();
    let first = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    // An operand may go straight to where the statement around it goes.
    for (prefix, kind) in [
        ("and.right", "and"),
        ("or.right", "or"),
        ("cond.", "conditional"),
        ("if.then", "if"),
        ("while.body", "while"),
        ("for.body", "for"),
        ("do.body", "do"),
        ("and.", "and"),
        ("or.", "or"),
    ] {
        if first(prefix) {
            return kind;
        }
    }
    "if"
}

fn steps(
    analysis: &Analysis,
    subject: Subject,
    scope: Scope,
    text: Text,
    place: &mut impl FnMut(Span) -> (usize, usize),
) -> Vec<Step> {
    let steps = words::steps(analysis, subject, scope, text).into_iter();
    steps.map(|step| Step { at: place(step.span), what: step.what }).collect()
}

fn verdict(divergence: Divergence, scope: Scope) -> &'static str {
    if divergence.within(scope) { "divergent" } else { "uniform" }
}

/// The functions as text: branches with their causes, then variables.
pub(super) fn write_text(
    vocabulary: &Vocabulary,
    functions: &[Function],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (number, function) in functions.iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        writeln!(out, "{gap}{} ({})", function.name, function.line)?;
        for branch in &function.branches {
            let place = format!("{}:{}", branch.at.0, branch.at.1);
            write!(
                out,
                "  {place:<8} {:<12} {}",
                branch.kind,
                words::verdict(vocabulary, branch.divergence)
            )?;
            for Step { at, what } in &branch.cause {
                write!(out, " <- {what} at {}:{}", at.0, at.1)?;
            }
            writeln!(out)?;
        }
        for value in &function.values {
            let place = format!("{}:{}", value.at.0, value.at.1);
            let name = value.name.as_str();
            writeln!(out, "  {place:<8} {name:<12} {}", words::verdict(vocabulary, value.divergence))?;
        }
    }
    Ok(())
}

/// The functions as `docs/json.md` describes them.
pub(super) fn to_json(file: &str, functions: &[Function]) -> Json {
    let branch = |branch: &Branch| {
        let step = |step: &Step| json!({ "line": step.at.0, "column": step.at.1, "what": step.what });
        json!({
            "line": branch.at.0, "column": branch.at.1, "kind": branch.kind,
            "grid": verdict(branch.divergence, Scope::Grid),
            "workgroup": verdict(branch.divergence, Scope::Workgroup),
            "subgroup": verdict(branch.divergence, Scope::Subgroup),
            "cause": branch.cause.iter().map(step).collect::<Vec<_>>(),
        })
    };
    let value = |value: &Named| {
        json!({
            "name": value.name.as_str(), "line": value.at.0, "column": value.at.1,
            "grid": verdict(value.divergence, Scope::Grid),
            "workgroup": verdict(value.divergence, Scope::Workgroup),
            "subgroup": verdict(value.divergence, Scope::Subgroup),
            "asserted": value.asserted.map(Scope::as_str),
        })
    };
    let function = |function: &Function| {
        json!({
            "name": function.name.as_str(), "line": function.line,
            "branches": function.branches.iter().map(branch).collect::<Vec<_>>(),
            "values": function.values.iter().map(value).collect::<Vec<_>>(),
        })
    };
    json!({ "file": file, "functions": functions.iter().map(function).collect::<Vec<_>>() })
}
