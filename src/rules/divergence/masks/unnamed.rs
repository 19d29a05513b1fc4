//! Lanes that execute an operation and are not in their own mask, and lanes that name others which pass another mask.
//!
//! ```c
//! x = __shfl_sync(0x1f, x, 0);                       // lanes 5 to 31 are unnamed callers
//! x = __shfl_sync(0xff << (lane & 16), x, 0);        // so are lanes 8 to 15, and 24 to 31
//! x = __shfl_sync(lane < 4 ? 0xff : ~0u, x, 0);      // lanes 0 to 3 name lane 4, which passes another mask
//! if (p[lane]) x = __shfl_sync(0xffff, x, 0);        // lanes 16 to 31 may be unnamed callers
//! ```

use rustc_hash::FxHashSet;
use tangle_analysis::flow::{BlockId, Function};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_analysis::uniformity::warp::WarpFlow;
use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::Scope;

use super::search::{EvaluatedWarp, Search, Variant};
use crate::divergence::partial_mask::has_partial_mask;
use crate::divergence::{FunctionFacts, Operation};

/// An operation whose masks are wrong for the lanes that execute it.
pub(crate) struct UnnamedCallers {
    pub function: DefinitionId,
    pub operation: Operation,
    /// The builtin: the operation itself, or an operation in the callee.
    pub name: Symbol,
    pub mistake: MaskMistake,
    /// The lanes with this mistake, in one warp.
    pub lanes: u64,
    /// The mask that the first of these lanes passes.
    pub mask: u64,
    /// Whether all of these lanes pass this mask.
    pub is_one_mask: bool,
    /// Whether all lanes of the warp reach the operation, in every execution that gets there.
    pub all_reach: bool,
    /// Whether the lanes with the mistake surely reach the operation. Otherwise, values decide.
    pub surely: bool,
    /// Whether the lanes exist only in blocks with more threads than the mask names, and the size of the block is unknown.
    pub may_not_exist: bool,
}

/// The mistake in the masks of some lanes.
pub(crate) enum MaskMistake {
    /// The lanes are not in their own mask.
    Unnamed,
    /// The lanes name this lane, which passes this mask.
    Mixed {
        /// The other lane.
        other: u32,
        /// Its mask.
        mask: u64,
    },
    /// The mask is the result of a ballot, and lanes with a false vote also execute the operation. The vote is divergent
    /// for this cause. The lanes are unknown.
    FalseVote(Box<CauseAcrossCalls>),
}

impl Search<'_, '_, '_> {
    /// Returns the operations with unnamed callers or mixed masks in the examined functions.
    pub(super) fn unnamed_callers(&self) -> Vec<UnnamedCallers> {
        let mut found = Vec::new();
        // A helper is checked at its calls: its callers decide which lanes enter it.
        for (id, known) in self.context.all().filter(|(_, known)| known.function.kernel) {
            let operations: Vec<Operation> =
                known.operations.iter().filter(|it| self.passes_mask(known, it)).copied().collect();
            if operations.is_empty() {
                continue;
            }
            let variant = Variant { function: known.function, verdicts: known.verdicts };
            let is_known = self.context.launch(id).work_group_size().is_some();
            let is_ballot = |it: &Operation| self.yielded(known, it.value).is_some_and(|mask| mask.is_ballot);
            // The first warp to get to an operation decides, if further ones may not exist.
            let all_are_needed = is_known || operations.iter().any(is_ballot);
            let mut warps: Vec<EvaluatedWarp> = Vec::new();
            for warp in self.warps(id, known, variant, &operations) {
                warps.push(warp);
                let is_reached =
                    |it: &Operation| warps.iter().any(|warp| warp.flow.reaching(it.block).possibly != 0);
                if !all_are_needed && operations.iter().all(is_reached) {
                    break;
                }
            }
            for (number, operation) in operations.iter().enumerate() {
                let reached = warps.iter().filter(|warp| warp.flow.reaching(operation.block).possibly != 0);
                // If the first warp to get there is right, blocks may have no further one.
                let first = match is_known {
                    true => reached.filter_map(|warp| unnamed(warp, number, operation, id)).next(),
                    false => reached.take(1).find_map(|warp| unnamed(warp, number, operation, id)),
                };
                match first {
                    Some(first) => found
                        .push(UnnamedCallers { may_not_exist: !is_known && first.may_not_exist, ..first }),
                    None if warps.iter().all(|warp| warp.is_uniform_vote[number]) => {}
                    None => found.extend(self.outside_ballot(id, known, operation, &warps)),
                }
            }
        }
        found
    }

    /// Returns an operation that lanes with a false vote execute, although its mask is the result of that vote.
    fn outside_ballot(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        operation: &Operation,
        warps: &[EvaluatedWarp],
    ) -> Option<UnnamedCallers> {
        let mask = self.yielded(known, operation.value).filter(|mask| mask.is_ballot)?;
        let vote = mask.choice?;
        let controllers = &known.graph().controllers;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![operation.block];
        while let Some(block) = todo.pop() {
            for &branch in &controllers[block] {
                let divides = warps.iter().any(|warp| divides(known.function, &warp.flow, branch));
                if divides && mask.is_related(known, branch) {
                    return None;
                }
                if seen.insert(branch) {
                    todo.push(branch);
                }
            }
        }
        let blame =
            self.context.blame(id, Subject::Value(vote), known.verdicts.values[vote], Scope::Subgroup)?;
        Some(UnnamedCallers {
            function: id,
            operation: *operation,
            name: operation.name,
            mistake: MaskMistake::FalseVote(Box::new(blame)),
            lanes: 0,
            mask: 0,
            is_one_mask: false,
            all_reach: false,
            surely: true,
            may_not_exist: false,
        })
    }

    /// Whether an operation passes a mask that may be partial, or calls a function that passes one.
    fn passes_mask(&self, known: &FunctionFacts, operation: &Operation) -> bool {
        if let Some(row) = self.context.builtin(operation) {
            return has_partial_mask(known.function, operation.value, row);
        }
        let callee = operation.function.and_then(|callee| self.context.examined(callee));
        operation.operations_run.of_group.is_none()
            && callee.is_some_and(|callee| {
                callee.operations.iter().any(|inner| {
                    let row = self.context.builtin(inner);
                    row.map_or(inner.operations_run.of_subgroup.is_some(), |row| {
                        has_partial_mask(callee.function, inner.value, row)
                    })
                })
            })
    }
}

/// Whether lanes of a warp may take different sides of a branch.
fn divides(function: &Function, flow: &WarpFlow, branch: BlockId) -> bool {
    let all = flow.reaching(branch).possibly;
    let mut sides = function.blocks[branch].terminator.successors().into_iter();
    flow.is_undecided(branch) || sides.any(|side| ![0, all].contains(&flow.on_edge(branch, side).possibly))
}

/// Returns the mistake of one operation in one warp.
fn unnamed(
    warp: &EvaluatedWarp,
    number: usize,
    operation: &Operation,
    function: DefinitionId,
) -> Option<UnnamedCallers> {
    let here = warp.flow.reaching(operation.block);
    let all = warp.flow.all();
    warp.naming[number].iter().filter(|by| !by.of_group_object).find_map(|by| {
        let callers = |lanes: u64| {
            let masks = by.lanes.iter().enumerate();
            masks
                .filter(move |(lane, _)| lanes >> lane & 1 != 0)
                .filter_map(|(lane, mask)| Some((lane, (*mask)?)))
        };
        let missing = |lanes: u64| {
            callers(lanes)
                .filter(|(lane, mask)| mask >> lane & 1 == 0)
                .fold(0, |missing, (lane, _)| missing | 1 << lane)
        };
        let surely = missing(here.surely);
        let lanes = if surely == 0 { missing(here.possibly) } else { surely };
        let (mistake, lanes) = match lanes {
            // A lane that surely comes and names another one that surely comes.
            0 => {
                let mixed = callers(here.surely).find_map(|(lane, mask)| {
                    let other = callers(here.surely & mask).find(|(_, other)| *other != mask)?;
                    Some((lane, MaskMistake::Mixed { other: other.0 as u32, mask: other.1 }))
                })?;
                (mixed.1, 1 << mixed.0)
            }
            lanes => (MaskMistake::Unnamed, lanes),
        };
        let (_, mask) = callers(lanes).next()?;
        let is_one_mask = callers(lanes).all(|(_, other)| other == mask);
        let named = callers(here.possibly).fold(0, |named, (_, mask)| named | mask);
        // In a smaller block, the mask may name all threads of the warp.
        let all_reach = here.surely == all;
        let may_not_exist =
            all_reach && is_one_mask && mask & mask.wrapping_add(1) == 0 && named & all == mask;
        Some(UnnamedCallers {
            function,
            operation: *operation,
            name: by.name,
            lanes,
            mask,
            is_one_mask,
            all_reach,
            surely: surely != 0 || matches!(mistake, MaskMistake::Mixed { .. }),
            mistake,
            may_not_exist,
        })
    })
}
