//! The tangles of a file as JSON. The output is written while it is computed, because the causes of 10,000 labels
//! would need too much memory.
//!
//! Fields are in alphabetical order.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use tangle_grammar::ast::Span;

use super::known::Known;
use tangle_analysis::tangle::print::{self, PrintContext};
use tangle_analysis::tangle::{Candidate, CandidateId, ImplementationDefined, Tangles};
use tangle_emit::json::LazySeq;
use tangle_hir::body::{Body, CallId, StmtId};

/// The candidate tangles of the functions of a file.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle show --format json")]
pub(super) struct Document<'a, F: Serialize> {
    pub file: &'a str,
    /// In source order.
    pub functions: F,
    /// `tangles` or `revised`.
    pub model: &'static str,
}

/// The tangles of a function, with the facts that the output needs.
pub(super) struct Function<'a> {
    pub body: &'a Body,
    pub tangles: &'a Tangles,
    pub known: Known<'a>,
}

/// A function.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Function")]
struct FunctionFields<'a, T: Serialize, S: Serialize> {
    /// A block literal.
    block: bool,
    column: usize,
    /// It matters which threads call it together.
    convergent: bool,
    /// A kernel, or a block literal that is only enqueued.
    kernel: bool,
    line: usize,
    name: &'a str,
    /// All statements of the body, nested ones too, in source order.
    statements: S,
    /// The candidates. Empty in the model `revised`.
    tangles: T,
}

/// A candidate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Candidate")]
struct CandidateFields<'a> {
    column: usize,
    /// Several unrelated tangles, for example of different iterations.
    family: bool,
    /// Its number in the function.
    id: usize,
    line: usize,
    /// `trivial`, `forward` or `stacked`.
    marks: Vec<&'a str>,
    /// The candidate that it derives from.
    parent: Option<usize>,
    /// How it derives: `function-body`, `sequence`, `if-branch` and others.
    rule: &'a str,
}

/// A statement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Statement")]
struct StatementFields<'a, C: Serialize> {
    /// The jumps and labels that make convergence implementation-defined.
    causes: C,
    /// The number of further paths, which `causes` does not list.
    causes_left_out: usize,
    column: usize,
    /// The convergent operations, without the operations of nested statements.
    convergent_calls: Vec<CallFields<'a>>,
    end_column: usize,
    end_line: usize,
    /// Convergence is implementation-defined at the statement.
    implementation_defined: bool,
    /// Only because an enclosing statement is.
    inherited: bool,
    kind: &'a str,
    line: usize,
    /// False if no thread can reach it.
    reachable: bool,
    /// The end of the statement after which the threads reconverge. Null if convergence is defined.
    rejoins: Option<Place>,
    /// In effect one tangle, because the jumps are uniform in the work-group.
    settled: bool,
    /// The candidates that execute it.
    tangles: Vec<usize>,
}

/// A jump or a label.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cause")]
struct CauseFields {
    column: usize,
    line: usize,
    /// `goto`, `case`, `default`, `label`, `loop-exit` or `noconvergent`.
    what: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    column: usize,
    line: usize,
}

/// A convergent operation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Call")]
struct CallFields<'a> {
    /// Null for a call through a pointer.
    callee: Option<&'a str>,
    column: usize,
    implementation_defined: bool,
    line: usize,
    /// The group of threads that matters.
    scope: &'static str,
    settled: bool,
    /// The candidates that execute it.
    tangles: Vec<usize>,
}

/// The schema of the JSON output. A `Vec` represents a list that is written while it is computed.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    type Statements = Vec<StatementFields<'static, Vec<CauseFields>>>;
    type Functions = Vec<FunctionFields<'static, Vec<CandidateFields<'static>>, Statements>>;
    generator.into_root_schema_for::<Document<'static, Functions>>()
}

impl Serialize for Function<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.body;
        let (line, column) = self.start(body.name.span);
        let calls = body.calls_by_stmt();
        FunctionFields {
            block: body.block,
            column,
            convergent: self.known.convergent(),
            kernel: body.kernel,
            line,
            name: body.name.text.as_str(),
            statements: LazySeq(|| {
                let calls = &calls;
                body.stmts.indices().map(move |id| Statement { of: self, id, calls: &calls[id] })
            }),
            tangles: LazySeq(|| {
                self.tangles.candidates.iter_enumerated().map(|(id, candidate)| self.candidate(id, candidate))
            }),
        }
        .serialize(serializer)
    }
}

impl Function<'_> {
    fn start(&self, span: Span) -> (usize, usize) {
        self.known.place(span).0
    }

    fn candidate<'a>(&self, id: CandidateId, candidate: &'a Candidate) -> CandidateFields<'a> {
        let (line, column) = self.start(candidate.site);
        CandidateFields {
            column,
            family: candidate.family,
            id: id.index(),
            line,
            marks: candidate.marks.iter().map(|mark| mark.as_str()).collect(),
            parent: candidate.parent.map(|id| id.index()),
            rule: candidate.rule.as_str(),
        }
    }
}

struct Statement<'a> {
    of: &'a Function<'a>,
    id: StmtId,
    calls: &'a [CallId],
}

impl Serialize for Statement<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Function { body, tangles, known } = self.of;
        let stmt = &body.stmts[self.id];
        let ((line, column), (end_line, end_column)) = known.place(stmt.span);
        let facts = &tangles.stmts[self.id];
        let doubt = facts.doubt.map(|doubt| &tangles.doubts[doubt]);
        let causes = doubt.map(|doubt| print::causes(body, tangles, doubt)).unwrap_or_default();
        StatementFields {
            causes: LazySeq(|| {
                causes.iter().map(|cause| {
                    let (line, column) = self.of.start(cause.span);
                    CauseFields { column, line, what: cause.what }
                })
            }),
            causes_left_out: doubt.map_or(0, print::untold),
            column,
            convergent_calls: self.calls.iter().filter_map(|&call| self.call(call)).collect(),
            end_column,
            end_line,
            implementation_defined: doubt.is_some(),
            inherited: doubt.is_some_and(|doubt| doubt.inherited),
            kind: print::kind_name(&stmt.kind),
            line,
            reachable: facts.reachable,
            rejoins: doubt.map(|doubt| self.rejoins(doubt)),
            settled: facts.doubt.is_some_and(|doubt| known.is_settled(doubt)),
            tangles: numbers(&facts.candidates),
        }
        .serialize(serializer)
    }
}

impl Statement<'_> {
    fn rejoins(&self, doubt: &ImplementationDefined) -> Place {
        let (_, (line, column)) = self.of.known.place(self.of.body.stmts[doubt.reconverges_after].span);
        Place { column, line }
    }

    /// Returns `None` for a call that is not convergent.
    fn call(&self, id: CallId) -> Option<CallFields<'_>> {
        let call = &self.of.body.calls[id];
        let scope = self.of.known.scope(id)?.as_str();
        let settled = self.of.known.is_settled_call(id);
        let (line, column) = self.of.start(call.span);
        let facts = &self.of.tangles.calls[id];
        let callee = call.callee.name();
        let implementation_defined = facts.doubt.is_some();
        let tangles = numbers(&facts.candidates);
        Some(CallFields { callee, column, implementation_defined, line, scope, settled, tangles })
    }
}

fn numbers(candidates: &[CandidateId]) -> Vec<usize> {
    candidates.iter().map(|id| id.index()).collect()
}
