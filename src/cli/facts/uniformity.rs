//! `tangle show --what uniformity`: the divergent branches and values, with their causes.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use crate::module::pretty;
use tangle_analysis::flow::{BlockId, Op, Terminator};
use tangle_analysis::program::Definition;
use tangle_analysis::uniformity::Divergence;
use tangle_analysis::uniformity::analysis::Analysis;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_diagnostic::SourceText;
use tangle_hir::scope::typed_body;
use tangle_rules::wording::cause::Text;
use tangle_rules::wording::uniformity as uniformity_texts;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Scope, Vocabulary};
use tangle_syntax::items::Locator;
use tangle_syntax::items::find::spelled;
use tangle_syntax::source::{Settings, SourceFile};

/// The facts of one function in the output.
pub(super) struct Function {
    name: Symbol,
    name_line: usize,
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

/// One step of a chain of causes, which leads from the branch to the source of divergence.
struct Step {
    at: (usize, usize),
    what: String,
}

struct Named {
    name: Symbol,
    at: (usize, usize),
    divergence: Divergence,
    /// The scope in which a comment states that the value is uniform.
    asserted: Option<Scope>,
}

/// Returns the functions of the file itself, or the functions of the unit with the given name.
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

/// Returns the lines and the divergence of all branches, by the name of the function and the line of that name.
pub(super) fn branches(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    name: Option<&str>,
) -> HashMap<(Symbol, usize), Vec<(usize, Divergence)>> {
    let functions = functions(db, file, settings, name).into_iter();
    let branches = |branches: Vec<Branch>| branches.into_iter().map(|it| (it.at.0, it.divergence)).collect();
    functions
        .map(|Function { name, name_line, branches: all, .. }| ((name, name_line), branches(all)))
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
        let divergence = analysis.state.branches[id].divergence;
        let cause = match uniformity_texts::smallest_divergent_scope(divergence) {
            Some(scope) => steps(analysis, Subject::Branch(id), scope, &text, &mut place),
            None => Vec::new(),
        };
        branches.push(Branch { at: place(block.end), kind: kind(analysis, id), divergence, cause });
    }
    let mut named: IndexMap<Symbol, Divergence> = IndexMap::new();
    for (id, value) in function.values.iter_enumerated() {
        if let Some(name) = value.name.or_else(|| parameter(analysis, &value.op)) {
            let known = named.entry(name).or_default();
            *known = (*known).max(analysis.state.values[id].divergence);
        }
    }
    for (id, slot) in function.slots.iter_enumerated() {
        if let Some(name) = slot.name {
            let known = named.entry(name).or_default();
            *known = (*known).max(analysis.slot(id).divergence);
        }
    }
    let typed = typed_body(db, definition.item.scoped, definition.body as usize);
    let vars = typed.iter().flat_map(|body| &body.vars);
    let values = vars.filter_map(|var| {
        let name = var.name.as_ref()?;
        Some(Named {
            name: name.text,
            at: place(name.span),
            divergence: *named.get(&name.text)?,
            asserted: facts.assertion(definition.key, name.text).map(|assertion| assertion.scope),
        })
    });
    let values = values.collect();
    let own = &definition.body(db).name;
    Function { name: own.text, name_line: place(own.span).0, line: place(function.span).0, branches, values }
}

fn parameter(analysis: &Analysis, op: &Op) -> Option<Symbol> {
    match op {
        Op::Parameter(number) => analysis.function.parameters.get(*number as usize)?.name,
        _ => None,
    }
}

/// Returns the kind of source construct that the branch of a block comes from.
fn kind(analysis: &Analysis, block: BlockId) -> &'static str {
    let blocks = &analysis.function.blocks;
    let terminator = &blocks[block].terminator;
    if matches!(terminator, Terminator::Switch { .. }) {
        return "switch";
    }
    let names: Vec<&str> = terminator.successors().iter().map(|&next| blocks[next].kind.name()).collect();
    let first = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    // An operand can branch directly to the blocks of the enclosing statement, so right operands come first.
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
    let steps = uniformity_texts::steps(analysis, subject, scope, text).into_iter();
    steps.map(|step| Step { at: place(step.span), what: step.what }).collect()
}

fn verdict(divergence: Divergence, scope: Scope) -> &'static str {
    if divergence.within(scope) { "divergent" } else { "uniform" }
}

/// Writes the functions as text: branches with their causes, then variables.
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
                uniformity_texts::verdict(vocabulary, branch.divergence)
            )?;
            for Step { at, what } in &branch.cause {
                write!(out, " <- {what} at {}:{}", at.0, at.1)?;
            }
            writeln!(out)?;
        }
        for value in &function.values {
            let place = format!("{}:{}", value.at.0, value.at.1);
            let name = value.name.as_str();
            writeln!(
                out,
                "  {place:<8} {name:<12} {}",
                uniformity_texts::verdict(vocabulary, value.divergence)
            )?;
        }
    }
    Ok(())
}

/// The verdicts on the branches and variables of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle show --what uniformity --format json")]
struct Document<'a> {
    file: &'a str,
    functions: Vec<FunctionFields<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Function")]
struct FunctionFields<'a> {
    name: &'a str,
    line: usize,
    /// The branches, in the order of the flow graph.
    branches: Vec<BranchFields<'a>>,
    /// The parameters and variables.
    values: Vec<ValueFields<'a>>,
}

/// A branch, at its condition.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Branch")]
struct BranchFields<'a> {
    line: usize,
    column: usize,
    /// `if`, `while`, `do`, `for`, `switch`, `conditional`, `and` or `or`.
    kind: &'static str,
    #[serde(flatten)]
    verdicts: Verdicts,
    /// The steps from the branch to the source of divergence. Empty if it is uniform.
    cause: Vec<StepFields<'a>>,
}

/// A step of a chain of causes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Step")]
struct StepFields<'a> {
    line: usize,
    column: usize,
    /// The name of a variable, callee or array, an index, or a word such as `branch`.
    what: &'a str,
}

/// A parameter or variable, at its declaration.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Value")]
struct ValueFields<'a> {
    name: &'a str,
    line: usize,
    column: usize,
    #[serde(flatten)]
    verdicts: Verdicts,
    /// The scope of a comment that states that the value is uniform.
    asserted: Option<&'static str>,
}

/// `uniform` or `divergent`, in each scope.
#[derive(Serialize, JsonSchema)]
struct Verdicts {
    grid: &'static str,
    workgroup: &'static str,
    subgroup: &'static str,
}

impl<'a> FunctionFields<'a> {
    fn of(function: &'a Function) -> FunctionFields<'a> {
        let step = |step: &'a Step| StepFields { line: step.at.0, column: step.at.1, what: &step.what };
        let branches = function.branches.iter().map(|branch| BranchFields {
            line: branch.at.0,
            column: branch.at.1,
            kind: branch.kind,
            verdicts: Verdicts::of(branch.divergence),
            cause: branch.cause.iter().map(step).collect(),
        });
        let values = function.values.iter().map(|value| ValueFields {
            name: value.name.as_str(),
            line: value.at.0,
            column: value.at.1,
            verdicts: Verdicts::of(value.divergence),
            asserted: value.asserted.map(Scope::as_str),
        });
        FunctionFields {
            name: function.name.as_str(),
            line: function.line,
            branches: branches.collect(),
            values: values.collect(),
        }
    }
}

impl Verdicts {
    fn of(divergence: Divergence) -> Verdicts {
        Verdicts {
            grid: verdict(divergence, Scope::Grid),
            workgroup: verdict(divergence, Scope::Workgroup),
            subgroup: verdict(divergence, Scope::Subgroup),
        }
    }
}

/// The schema of the JSON output.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

/// Writes the functions as JSON (`docs/json.md`).
pub(super) fn write_json(file: &str, functions: &[Function], out: &mut dyn Write) -> io::Result<()> {
    let functions = functions.iter().map(FunctionFields::of).collect();
    pretty(out, &Document { file, functions })
}
