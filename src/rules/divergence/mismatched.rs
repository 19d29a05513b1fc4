//! Threads that diverged at a branch and wait at different barriers.
//!
//! **Side**: the blocks on one of the paths from a divergent branch to the point where all of its threads reconverge.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{DivergenceContext, FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::branch_regions::BranchRegions;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_syntax::dialect::Scope;

/// A divergent branch with different barriers on its sides.
pub(crate) struct Mismatch {
    pub function: DefinitionId,
    pub branch: BlockId,
    /// The operations on each side. Sides without operations are omitted.
    pub on_sides: Vec<Vec<Operation>>,
    /// The first of these operations in source order.
    pub first: Operation,
}

/// Returns the divergent branches with different barriers on their sides. A branch is omitted if earlier branches have
/// all of its operations.
pub(crate) fn mismatches(context: &DivergenceContext) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for (id, known) in context.suspects() {
        let waits = |operation: &&Operation| {
            operation.operations_run.of_group.is_some()
                && known.verdicts.control[operation.block].divergence.within(Scope::Workgroup)
        };
        let waiting: Vec<Operation> = known.operations.iter().filter(waits).copied().collect();
        if waiting.len() < 2 {
            continue;
        }
        let branches = divergent_branches(known, Scope::Workgroup);
        if branches.is_empty() {
            continue;
        }
        let mut reported: FxHashSet<ValueId> = FxHashSet::default();
        let (sides, waiting) = (BranchRegions::of(known.function, known.graph()), by_block(&waiting));
        for branch in branches {
            let on_sides = operations_by_side(&sides.regions_of(branch), &waiting);
            let mut all: Vec<Operation> = on_sides.iter().flatten().copied().collect();
            all.sort_by_key(|operation| known.span(operation));
            let new = all.iter().any(|operation| !reported.contains(&operation.value));
            // Threads on one side can have returned. If all others reach an operation, no thread waits elsewhere.
            let differ =
                all.iter().any(|operation| !on_sides.iter().all(|side| contains(side, operation.value)));
            if on_sides.len() < 2 || !new || !differ {
                continue;
            }
            reported.extend(all.iter().map(|operation| operation.value));
            found.push(Mismatch { function: id, branch, first: all[0], on_sides });
        }
    }
    found
}

/// Returns the blocks of a function at whose branches threads of one group diverge, in ascending order.
pub(crate) fn divergent_branches(known: &FunctionFacts, scope: Scope) -> Vec<BlockId> {
    let diverges = |&block: &BlockId| {
        is_branch(known.function, block) && known.verdicts.branches[block].divergence.within(scope)
    };
    known.function.blocks.indices().filter(diverges).collect()
}

/// Whether an operation is on a side.
pub(crate) fn contains(side: &[Operation], value: ValueId) -> bool {
    side.iter().any(|operation| operation.value == value)
}

/// Operations by their blocks, each with its index in the original list.
pub(crate) type ByBlock = FxHashMap<BlockId, Vec<(usize, Operation)>>;

pub(crate) fn by_block(operations: &[Operation]) -> ByBlock {
    let mut by_block = ByBlock::default();
    for (number, &operation) in operations.iter().enumerate() {
        by_block.entry(operation.block).or_default().push((number, operation));
    }
    by_block
}

/// Returns the operations on each side, in their original order. Sides without operations are omitted.
pub(crate) fn operations_by_side(sides: &[Vec<BlockId>], operations: &ByBlock) -> Vec<Vec<Operation>> {
    let of = |side: &Vec<BlockId>| {
        let own = side.iter().filter_map(|block| operations.get(block)).flatten();
        let mut own: Vec<(usize, Operation)> = own.copied().collect();
        own.sort_unstable_by_key(|(number, _)| *number);
        own.into_iter().map(|(_, operation)| operation).collect::<Vec<_>>()
    };
    sides.iter().map(of).filter(|side| !side.is_empty()).collect()
}
