//! Verdicts and their causes in words, for whoever shows them beside the source.

use tangle_grammar::ast::Span;

use crate::dialect::Scope;
use crate::flow::{BlockId, Op, ValueId};
use crate::uniformity::Divergence;
use crate::uniformity::address::object;
use crate::uniformity::analysis::{Analysis, Reason, Source};
use crate::uniformity::cause::{Question, Subject, Why, chain};
use crate::uniformity::versions::{Held, Made};
use crate::wording::cause::writer;

/// One step of a chain of causes, away from what is explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub span: Span,
    /// `branch`, `join`, `loop-exit`, `irreducible-cycle`, `store`, `memory`, or a name: of a variable, of what is called, of what is read.
    pub what: String,
}

/// A verdict as people say it.
pub fn verdict(divergence: Divergence) -> &'static str {
    match divergence {
        Divergence::None => "uniform",
        Divergence::Grid => "uniform in the work-group, divergent in the grid",
        Divergence::Cluster => "uniform in the work-group, divergent in the cluster",
        Divergence::Workgroup => "uniform in the subgroup, divergent in the work-group",
        Divergence::Subgroup => "divergent",
    }
}

/// The smallest group in which threads may disagree.
pub fn widest(divergence: Divergence) -> Option<Scope> {
    match divergence {
        Divergence::None => None,
        Divergence::Grid => Some(Scope::Grid),
        Divergence::Cluster => Some(Scope::Cluster),
        Divergence::Workgroup => Some(Scope::Workgroup),
        Divergence::Subgroup => Some(Scope::Subgroup),
    }
}

/// Why something is divergent in a scope, step by step.
pub fn steps(analysis: &Analysis, subject: Subject, scope: Scope) -> Vec<Step> {
    let function = analysis.function;
    let mut steps: Vec<Step> = Vec::new();
    for link in chain(analysis, subject, Question::Within(scope)) {
        let branch = |block: BlockId| function.blocks[block].end;
        if let Some(by) = writer(link) {
            steps.push(Step { span: function.values[by].span, what: "store".to_owned() });
        }
        let (span, what) = match link.reason {
            Why::DependsOn(block) | Why::Inside(block) => (branch(block), "branch".to_owned()),
            Why::Reason(Reason::Join(block)) => (branch(block), "join".to_owned()),
            Why::Reason(Reason::Temporal(block)) => (branch(block), "loop-exit".to_owned()),
            Why::Reason(Reason::NotConverged(block)) => (branch(block), "irreducible-cycle".to_owned()),
            // What has no name in the source says nothing to a reader.
            Why::Reason(Reason::Operand(value)) => match function.values[value].name {
                Some(name) => (function.values[value].span, name.to_string()),
                None => continue,
            },
            Why::Reason(Reason::Held(_) | Reason::Kept(_)) => continue,
            Why::Reason(Reason::Parameter(number) | Reason::Pointee(number)) => {
                let Some(parameter) = function.parameters.get(number as usize) else { continue };
                let name = parameter.name.map_or_else(|| "parameter".to_owned(), |name| name.to_string());
                (parameter.span, name)
            }
            Why::Reason(reason) => {
                let (Subject::Value(value) | Subject::Held(Held { made: Made::Write(value), .. })) =
                    link.subject
                else {
                    continue;
                };
                (function.values[value].span, source(analysis, value, reason))
            }
        };
        steps.push(Step { span, what });
    }
    steps
}

/// What is divergent by itself, in a word.
fn source(analysis: &Analysis, value: ValueId, reason: Reason) -> String {
    match &analysis.function.values[value].op {
        Op::Call(call) => match call.callee.name() {
            Some(name) => name.to_string(),
            None => "call through a pointer".to_owned(),
        },
        _ => match reason {
            Reason::Source(Source::SharedMemory(_) | Source::EscapedMemory) => {
                object(analysis.function, value).map_or_else(|| "memory".to_owned(), |name| name.to_string())
            }
            _ => "memory".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_assert_is_told_in_scopes_that_all_languages_have() {
        for scope in [Scope::Subgroup, Scope::Workgroup, Scope::Grid] {
            let said = verdict(Divergence::uniform_in(scope));
            assert!(!said.contains("cluster"), "{said}");
        }
    }
}
