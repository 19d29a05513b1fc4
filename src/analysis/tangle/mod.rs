//! Which threads can arrive together at each statement: candidate tangles and their doubts.
//!
//! **Tangle**: a set of threads that take part in a convergent operation together. A statement has *candidate tangles*.
//! Each is derived by a [`Rule`] at a site from a parent. Two candidates are *related* if one derives from the other,
//! or if they are iterations of one loop. A *family* is one candidate whose instances come from different iterations of
//! a loop that the threads left by `goto`. A statement with two unrelated candidates or with a family has
//! **implementation-defined convergence**: a [`ImplementationDefined`]. The doubt records the jumps that caused it, and the statement
//! after which the threads have reconverged.
//!
//! ```c
//! kernel void k(global int *p) { // T0 function-body
//!   if (p[0])                    // T0
//!     goto out;                  // T1 if-branch of T0
//!   p[1] = 0;                    // T2 sequence of T0: the threads that did not jump
//! out:                           // T2 and T3 goto-label of T1: unrelated
//!   barrier(1);                  // implementation-defined, reconverges at the end of the body
//! }
//! ```
//!
//! The algorithm: `points` builds a graph of the paths without jumps. `streams` finds, for each point, the set of
//! streams that pass it (`sets`). `doubt` decides which of these sets are in doubt, and `candidates` names the
//! candidates of each stream. The model `revised` needs only `points` and `streams`, and has its own rules in
//! `revised`.
//!
//! See `docs/semantics.md` §2 to §4, §8 and `thread-convergence.rst`.

mod ancestors;
mod candidates;
mod doubt;
pub mod patterns;
mod points;
pub mod print;
mod revised;
mod sets;
mod streams;

use index_vec::{IndexVec, define_index_type};
use schemars::JsonSchema;
use serde::Deserialize;
use tangle_grammar::ast::Span;

use ancestors::Ancestors;
use points::Points;
use sets::Set;
use streams::{Element, Jump, JumpId, LeftLoopOrCycle, Streams};
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId, OperandId, StmtId};
use tangle_syntax::db::Db;
use tangle_syntax::items::Item;

pub use streams::JumpKind;

define_index_type! {
    /// A candidate tangle of one body.
    pub struct CandidateId = u32;
}
define_index_type! {
    /// A reason why convergence is implementation-defined.
    pub struct DoubtId = u32;
}

/// The rules for which threads are converged (`docs/semantics.md` §4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Tangles, as in the first version of *Thread Convergence* (2024-10-23).
    #[default]
    Tangles,
    /// The converged-with relation, as in the revised version of *Thread Convergence* (2025-04-14).
    Revised,
}

impl Model {
    pub fn as_str(self) -> &'static str {
        match self {
            Model::Tangles => "tangles",
            Model::Revised => "revised",
        }
    }
}

/// How a candidate is derived (`docs/semantics.md` §2). The names are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    FunctionBody,
    Sequence,
    IfBranch,
    LoopEntry,
    LoopBody,
    NextIteration,
    CaseLabel,
    GotoLabel,
    Operand,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::FunctionBody => "function-body",
            Rule::Sequence => "sequence",
            Rule::IfBranch => "if-branch",
            Rule::LoopEntry => "loop-entry",
            Rule::LoopBody => "loop-body",
            Rule::NextIteration => "next-iteration",
            Rule::CaseLabel => "case-label",
            Rule::GotoLabel => "goto-label",
            Rule::Operand => "operand",
        }
    }
}

/// A property of the candidate of a jump (`docs/semantics.md` §8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpMark {
    /// The label immediately follows its `goto`.
    Trivial,
    /// The `goto` jumps forward to a label in a block around it.
    Forward,
    /// `case 1: case 2:` without a statement in between.
    Stacked,
}

impl JumpMark {
    pub fn as_str(self) -> &'static str {
        match self {
            JumpMark::Trivial => "trivial",
            JumpMark::Forward => "forward",
            JumpMark::Stacked => "stacked",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub rule: Rule,
    /// The statement or operand to which the rule applies.
    pub site: Span,
    pub parent: Option<CandidateId>,
    /// Whether the instances of this candidate are unrelated to each other (`docs/semantics.md` §3).
    pub family: bool,
    pub marks: Vec<JumpMark>,
}

/// The results for one statement, call or operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TangleFacts {
    /// Empty if unreachable, and in the model `revised`.
    pub candidates: Box<[CandidateId]>,
    pub reachable: bool,
    /// The reason why convergence is implementation-defined here; None if convergence is defined.
    pub doubt: Option<DoubtId>,
}

/// The reason why convergence is implementation-defined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImplementationDefined {
    /// The arrivals that do not reconverge, as numbers of elements. [`Tangles::arrivals`] decodes them.
    arrivals: Set,
    /// The innermost enclosing statement (or this one) that is marked `noconvergent` (model `revised`).
    marked: Option<StmtId>,
    /// The statement after which the threads have reconverged.
    pub reconverges_after: StmtId,
    /// Whether the doubt comes from an enclosing statement (model `revised`, `docs/semantics.md` §4 (d)).
    pub inherited: bool,
}

impl ImplementationDefined {
    /// Returns the number of arrivals: at least one.
    pub fn count(&self) -> usize {
        self.arrivals.len() + usize::from(self.marked.is_some())
    }

    /// Whether a `noconvergent` statement is the only cause, so that the author of the source asked for it.
    pub fn is_only_noconvergent(&self) -> bool {
        self.marked.is_some() && self.arrivals.is_empty()
    }

    /// Whether there are more arrivals than the set stores. The limit depends on the size of the body.
    pub fn is_truncated(&self) -> bool {
        self.arrivals.is_cut()
    }
}

/// How threads arrive at a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// They continue from the previous statement.
    InSequence,
    /// They jump from `source` to `target`. If `leaves` is set, they leave that loop or goto cycle in any iteration.
    Jump { kind: JumpKind, source: StmtId, target: StmtId, leaves: Option<StmtId> },
    /// They leave the goto cycle from the label `target` to the `goto` at `source`, in any iteration.
    CycleExit { source: StmtId, target: StmtId },
    /// They begin a statement that is marked `noconvergent`.
    Marked(StmtId),
}

/// The tangles of one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tangles {
    pub candidates: IndexVec<CandidateId, Candidate>,
    pub stmts: IndexVec<StmtId, TangleFacts>,
    pub calls: IndexVec<CallId, TangleFacts>,
    pub operands: IndexVec<OperandId, TangleFacts>,
    pub doubts: IndexVec<DoubtId, ImplementationDefined>,
    /// The jumps to which the element numbers in doubts refer.
    jumps: IndexVec<JumpId, Jump>,
}

impl Tangles {
    /// Returns the arrivals of a doubt: first a marked statement and arrival in sequence, then jumps, then exits from
    /// goto cycles. Jumps and cycles are in source order. There may be thousands.
    pub fn arrivals<'a>(&'a self, doubt: &'a ImplementationDefined) -> impl Iterator<Item = Arrival> + 'a {
        let paths = doubt.arrivals.iter().map(|way| match Element::of_number(way, self.jumps.len()) {
            Element::Base => Arrival::InSequence,
            Element::Jump(jump) => {
                let Jump { kind, source, target, leaves, .. } = self.jumps[jump];
                let leaves = leaves.map(|left| match left {
                    LeftLoopOrCycle::Loop(stmt) => stmt,
                    LeftLoopOrCycle::Cycle(cycle) => self.jumps[cycle].target,
                });
                Arrival::Jump { kind, source, target, leaves }
            }
            Element::AfterCycle(cycle) => {
                let Jump { source, target, .. } = self.jumps[cycle];
                Arrival::CycleExit { source, target }
            }
        });
        doubt.marked.map(Arrival::Marked).into_iter().chain(paths)
    }
}

/// The tangles of each body of an item.
pub fn tangles_of<'db>(db: &'db dyn Db, item: Item<'db>, model: Model) -> &'db TanglesOf {
    // Each query has a single key: salsa never frees a key of several arguments that is interned outside a query.
    match model {
        Model::Tangles => tangles_of_draft(db, item),
        Model::Revised => tangles_of_revision(db, item),
    }
}

#[salsa::tracked]
fn tangles_of_draft<'db>(db: &'db dyn Db, item: Item<'db>) -> TanglesOf {
    TanglesOf(bodies(db, item).0.iter().map(|body| tangles(body, Model::Tangles)).collect())
}

#[salsa::tracked]
fn tangles_of_revision<'db>(db: &'db dyn Db, item: Item<'db>) -> TanglesOf {
    TanglesOf(bodies(db, item).0.iter().map(|body| tangles(body, Model::Revised)).collect())
}

/// The value of [`tangles_of`]: one entry for each body, in their order.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct TanglesOf(pub Box<[Tangles]>);

/// Returns the reachable calls of an item with implementation-defined convergence, each with the number of its body.
#[salsa::tracked]
pub fn doubtful_calls<'db>(db: &'db dyn Db, item: Item<'db>, model: Model) -> Box<[(usize, CallId)]> {
    db.depends_on_text();
    let mut doubtful = Vec::new();
    for (body, tangles) in tangles_of(db, item, model).0.iter().enumerate() {
        let calls = tangles.calls.iter_enumerated();
        let in_doubt = calls.filter(|(_, facts)| facts.reachable && facts.doubt.is_some());
        doubtful.extend(in_doubt.map(|(call, _)| (body, call)));
    }
    doubtful.into()
}

/// Computes the tangles of a body.
pub fn tangles(body: &Body, model: Model) -> Tangles {
    let points = Points::of(body);
    let ancestors = Ancestors::of(body);
    let streams = Streams::of(body, &points, &ancestors);
    match model {
        Model::Tangles => candidates::candidates(body, &points, &ancestors, &streams),
        Model::Revised => revised::revised(body, &points, &ancestors, &streams),
    }
}
