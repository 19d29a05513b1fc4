//! Barriers and collectives of a work-group, cluster or grid that not all of its threads reach.

use tangle_grammar::symbol::Symbol;

use super::mismatched::Mismatch;
use super::{Context, Flag, Operation};
use tangle_analysis::flow::BlockId;
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::blame::Blame;
use tangle_analysis::uniformity::cause::{Subject, shared_load};
use tangle_diagnostic::Severity;
use tangle_syntax::dialect::{Left, Scope};

/// An operation that not all threads of a group reach.
pub(crate) struct Barrier {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The convergent operation: the builtin itself, or an operation in the callee.
    pub name: Symbol,
    pub scope: Scope,
    pub blame: Blame,
    /// The severity, if all threads that do not reach it have exited the kernel, and the barrier does not wait for
    /// exited threads.
    pub left: Option<Severity>,
}

/// Returns the barriers that not all threads reach. Barriers of mismatches are omitted, and so are barriers with an
/// unprotected flag as the only cause.
pub(crate) fn unreached(context: &Context, mismatches: &[Mismatch], flags: &[Flag]) -> Vec<Barrier> {
    let mut found = Vec::new();
    for (id, known) in context.suspects() {
        let own = mismatches.iter().filter(|mismatch| mismatch.function == id);
        let mismatched: Vec<&Operation> =
            own.flat_map(|mismatch| mismatch.on_sides.iter().flatten()).collect();
        let is_flag = |load| flags.iter().any(|flag| flag.function == id && flag.load == load);
        let mut by_flag: Vec<(Operation, Symbol, Scope)> = Vec::new();
        let mut add = |operation: Operation, name: Symbol, scope: Scope, blame: Blame| {
            let left = left(context, id, &operation, name, scope);
            found.push(Barrier { function: id, operation, name, scope, blame, left });
        };
        for operation in &known.operations {
            let Some((name, scope)) = operation.runs.of_group else { continue };
            if mismatched.iter().any(|other| other.value == operation.value) {
                continue;
            }
            let control = known.analysis.control[operation.block];
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
        let beside = context.blame_beside(id, flags, &blocks);
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
    context: &Context,
    id: DefinitionId,
    operation: &Operation,
    name: Symbol,
    scope: Scope,
) -> Option<Severity> {
    let severity = match context.builtins.get(name)?.left {
        Left::Uncounted => Severity::Note,
        Left::Warned => Severity::Warning,
        Left::Counted => return None,
    };
    context.is_for_want_of_leavers(id, operation.block, scope).then_some(severity)
}
