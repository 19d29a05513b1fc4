//! The text of verdicts and their causes, for output beside the source.

use tangle_grammar::ast::Span;

use crate::wording::cause::{Text, writer};
use tangle_analysis::flow::{BlockId, Op, ValueId};
use tangle_analysis::uniformity::Divergence;
use tangle_analysis::uniformity::address::object;
use tangle_analysis::uniformity::analysis::{Analysis, DivergenceSource, Reason};
use tangle_analysis::uniformity::cause::{LinkReason, Question, Subject, chain};
use tangle_analysis::uniformity::versions::{VersionOrigin, VersionRef};
use tangle_syntax::dialect::{Scope, Vocabulary};

/// One step of a chain of causes. The first step is next to the explained value or branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub span: Span,
    /// `branch`, `join`, `loop-exit`, `irreducible-cycle`, `store`, `memory`, or a name: of a variable, a callee, or an
    /// index as in the source.
    pub what: String,
}

/// Returns the text of a verdict.
pub fn verdict(vocabulary: &Vocabulary, divergence: Divergence) -> String {
    let between = |uniform: Scope, divergent: Scope| {
        let (uniform, divergent) = (vocabulary.group(uniform), vocabulary.group(divergent));
        format!("uniform in the {uniform}, divergent in the {divergent}")
    };
    match divergence {
        Divergence::None => "uniform".to_owned(),
        Divergence::Grid => between(Scope::Workgroup, Scope::Grid),
        Divergence::Cluster => between(Scope::Workgroup, Scope::Cluster),
        Divergence::Workgroup => between(Scope::Subgroup, Scope::Workgroup),
        Divergence::Subgroup => "divergent".to_owned(),
    }
}

/// Returns the smallest group with divergent threads. `None` for a uniform value or branch.
pub fn smallest_divergent_scope(divergence: Divergence) -> Option<Scope> {
    match divergence {
        Divergence::None => None,
        Divergence::Grid => Some(Scope::Grid),
        Divergence::Cluster => Some(Scope::Cluster),
        Divergence::Workgroup => Some(Scope::Workgroup),
        Divergence::Subgroup => Some(Scope::Subgroup),
    }
}

/// Returns the steps from a divergent subject to its source of divergence in a scope. `text` returns the source text of
/// a span.
pub fn steps(analysis: &Analysis, subject: Subject, scope: Scope, text: Text) -> Vec<Step> {
    let function = analysis.function;
    let mut steps: Vec<Step> = Vec::new();
    for link in chain(analysis, subject, Question::strongest(analysis.verdict(subject), scope)) {
        let branch = |block: BlockId| function.blocks[block].end;
        if let Some(by) = writer(link) {
            steps.push(Step { span: function.values[by].span, what: "store".to_owned() });
        }
        let (span, what) = match link.reason {
            LinkReason::DependsOn(block) | LinkReason::ControlOf(block) => {
                (branch(block), "branch".to_owned())
            }
            LinkReason::Reason(Reason::Join(block)) => (branch(block), "join".to_owned()),
            LinkReason::Reason(Reason::Temporal(block)) => (branch(block), "loop-exit".to_owned()),
            LinkReason::Reason(Reason::NotConverged(block)) => {
                (branch(block), "irreducible-cycle".to_owned())
            }
            // A value without a name in the source gives the reader no information.
            LinkReason::Reason(Reason::Operand(value)) => match function.values[value].name {
                Some(name) => (function.values[value].span, name.to_string()),
                None => continue,
            },
            LinkReason::Reason(Reason::Held(_) | Reason::Kept(_)) => continue,
            LinkReason::Reason(Reason::Parameter(number) | Reason::Pointee(number)) => {
                let Some(parameter) = function.parameters.get(number as usize) else { continue };
                let name = parameter.name.map_or_else(|| "parameter".to_owned(), |name| name.to_string());
                (parameter.span, name)
            }
            LinkReason::Reason(reason) => {
                let (Subject::Value(value)
                | Subject::Held(VersionRef { made: VersionOrigin::Write(value), .. })) = link.subject
                else {
                    continue;
                };
                (function.values[value].span, source(analysis, value, reason, text))
            }
        };
        steps.push(Step { span, what });
    }
    steps
}

/// Returns the name of a source of divergence.
fn source(analysis: &Analysis, value: ValueId, reason: Reason, text: Text) -> String {
    let it = &analysis.function.values[value];
    match &it.op {
        // An index variable of the language: `threadIdx.x`.
        Op::Call(call) if call.call.is_none() => text(it.span),
        Op::Call(call) => match call.callee.name() {
            Some(name) => name.to_string(),
            None => "call through a pointer".to_owned(),
        },
        _ => match reason {
            Reason::Source(DivergenceSource::SharedMemory(_) | DivergenceSource::EscapedMemory) => {
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
    fn verdicts_of_assertions_never_mention_clusters() {
        for scope in [Scope::Subgroup, Scope::Workgroup, Scope::Grid] {
            let said = verdict(&Vocabulary::default(), Divergence::uniform_in(scope));
            assert!(!said.contains("cluster"), "{said}");
        }
    }
}
