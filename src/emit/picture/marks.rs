//! The facts about a function that a picture shows besides the flow graph. The caller computes them.

use std::sync::Arc;

use tangle_analysis::uniformity::Divergence;
use tangle_diagnostic::Severity;
use tangle_grammar::ast::Span;
use tangle_hir::body::StmtId;

/// The marks of a function. Branches and labels are identified as in its flow graph.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub branches: Vec<DivergentBranch>,
    /// The labels (`case 3:`, `out:`), each with the statement of the block that it names.
    pub labels: Vec<(StmtId, Span)>,
    pub findings: Vec<Finding>,
}

/// A branch where threads diverge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentBranch {
    /// The end of its block.
    pub span: Span,
    pub divergence: Divergence,
    /// The verdict with the source of divergence: `divergent: get_local_id(0)`.
    pub verdict: String,
    /// The chain of causes after the branch, each with its location.
    pub causes: Vec<(Span, String)>,
}

/// A finding of the linter. Lines and columns begin at 1, and the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub rule: &'static str,
    pub headline: String,
    pub file: Arc<str>,
    pub start: (usize, usize),
    pub end: (usize, usize),
}

/// The symbol of a severity. Readers who cannot distinguish the colours distinguish the symbols.
pub fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✖",
        Severity::Warning => "▲",
        Severity::Note => "●",
    }
}
