//! Barriers and collectives of a work-group, cluster or grid that not all of its threads reach.

use tangle_grammar::symbol::Symbol;

use super::mismatched::Mismatch;
use super::{DivergenceContext, ExitFlagRead, Operation};
use tangle_analysis::flow::BlockId;
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::{Subject, shared_load};
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::Severity;
use tangle_syntax::dialect::{ExitedThreads, Scope};

/// An operation that not all threads of a group reach.
pub(crate) struct UnreachedBarrier {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The convergent operation: the builtin itself, or an operation in the callee.
    pub name: Symbol,
    pub scope: Scope,
    pub blame: CauseAcrossCalls,
    /// The severity, if all threads that do not reach it have exited the kernel, and the barrier does not wait for
    /// exited threads.
    pub exited_severity: Option<Severity>,
}

/// Returns the barriers that not all threads reach. Barriers of mismatches are omitted, and so are barriers with an
/// unprotected flag as the only cause.
pub(crate) fn unreached(
    context: &DivergenceContext,
    mismatches: &[Mismatch],
    flags: &[ExitFlagRead],
) -> Vec<UnreachedBarrier> {
    let mut found = Vec::new();
    for (id, known) in context.suspects() {
        let own = mismatches.iter().filter(|mismatch| mismatch.function == id);
        let mismatched: Vec<&Operation> =
            own.flat_map(|mismatch| mismatch.on_sides.iter().flatten()).collect();
        let is_flag = |load| flags.iter().any(|flag| flag.function == id && flag.load == load);
        let mut by_flag: Vec<(Operation, Symbol, Scope)> = Vec::new();
        let mut add = |operation: Operation, name: Symbol, scope: Scope, blame: CauseAcrossCalls| {
            let left = left(context, id, &operation, name, scope);
            found.push(UnreachedBarrier {
                function: id,
                operation,
                name,
                scope,
                blame,
                exited_severity: left,
            });
        };
        for operation in &known.operations {
            let Some((name, scope)) = operation.operations_run.of_group else { continue };
            if mismatched.iter().any(|other| other.value == operation.value) {
                continue;
            }
            let control = known.verdicts.control[operation.block];
            let Some(blame) = context.blame(id, Subject::Control(operation.block), control, scope) else {
                continue;
            };
            match shared_load(&blame.chain).is_some_and(is_flag) {
                true => by_flag.push((*operation, name, scope)),
                false => add(*operation, name, scope, blame),
            }
        }
        if by_flag.is_empty() {
            continue;
        }
        // A flag does not hide an operation that is also divergent for another reason.
        let blocks: Vec<(BlockId, Scope)> =
            by_flag.iter().map(|(operation, _, scope)| (operation.block, *scope)).collect();
        let beside = context.cause_without_flags(id, flags, &blocks);
        for ((operation, name, scope), blame) in by_flag.into_iter().zip(beside) {
            if let Some(blame) = blame {
                add(operation, name, scope, blame);
            }
        }
    }
    found
}

/// Returns the severity of a barrier that some threads do not reach, if all of them have exited the kernel, and the
/// barrier does not wait for exited threads. `None` if it does, if the behaviour is undefined, or if some threads are
/// elsewhere.
fn left(
    context: &DivergenceContext,
    id: DefinitionId,
    operation: &Operation,
    name: Symbol,
    scope: Scope,
) -> Option<Severity> {
    let severity = match context.builtins.get(name)?.left {
        ExitedThreads::Uncounted => Severity::Note,
        ExitedThreads::Warned => Severity::Warning,
        ExitedThreads::Counted => return None,
    };
    context.only_exited_are_missing(id, operation.block, scope).then_some(severity)
}
