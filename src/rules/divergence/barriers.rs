//! Barriers and collectives of the work-group that not all of its threads reach.

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
    /// The convergent operation, which a function that is called may contain.
    pub name: Symbol,
    pub scope: Scope,
    pub blame: Blame,
    /// How much it matters, if all who do not reach it have left the kernel, and the language says what happens then.
    pub left: Option<Severity>,
}

/// The barriers that not all threads reach, but for those of mismatches and those that only an unprotected flag keeps threads from.
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
        // A flag never hides an operation with a cause of its own.
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

/// The severity of a barrier that some threads do not reach, if all of these threads have exited the kernel and the language says what
/// happens then. `None` if the behaviour is undefined, or if some threads are elsewhere.
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
