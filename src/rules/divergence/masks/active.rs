//! Masks of `__activemask()` whose lanes the code takes for more than they are.
//!
//! **Active mask**: the lanes that happen to execute the operation together. Lanes that reach it a moment later are missing,
//! also without divergence (*CUDA C++ Programming Guide*, *Warp Vote Functions*). A mask may be passed to functions. It is
//! fine to count its lanes, and to let one of them act for the others. Two uses assume more:
//!
//! ```c
//! unsigned m = __activemask();
//! x = __shfl_sync(m, x, __ffs(m) - 1);              // fine: a lane of the mask
//! x = __shfl_sync(m, x, 0);                         // an unrelated lane, which may be missing
//! n += __popc(__ballot_sync(m, x > 0));
//! if (lane == 0) *total = n;                        // one fixed lane for all: others may have voted apart
//! ```

use rustc_hash::FxHashSet;

use super::origin::{argument, plain};
use super::search::{NamingArguments, Search, Variant};
use crate::divergence::{FunctionFacts, Operation};
use tangle_analysis::flow::{BlockId, Op, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::warp::WarpEntry;
use tangle_analysis::uniformity::warp::WarpFlow;
use tangle_grammar::ast::Span;
use tangle_ir::operation::{self, CollectiveOp};

/// The limit on values that are visited to find out whether one derives from another.
const MAX_VISITED: usize = 512;

/// The limit on nested calls that pass a mask on.
const MAX_PASSED: u32 = 4;

/// A use of an active mask that assumes more than it says.
pub(crate) struct ActiveMaskUse {
    pub function: DefinitionId,
    /// The shuffle that reads a lane, or the operation that yields the mask.
    pub operation: Operation,
    pub mistake: ActiveMaskMistake,
}

/// The assumption of a use of an active mask.
pub(crate) enum ActiveMaskMistake {
    /// The shuffle reads a lane that does not follow from the mask. The mask is from this call in this function.
    UnrelatedLane(DefinitionId, Operation),
    /// Lanes that the number of the thread chooses store a result of the mask, at this location.
    FixedLanes(Span),
}

impl ActiveMaskUse {
    /// Whether it is a read of a lane with the mask of this call.
    fn is_of(&self, function: DefinitionId, active: &Operation) -> bool {
        match &self.mistake {
            ActiveMaskMistake::UnrelatedLane(of, source) => *of == function && source == active,
            ActiveMaskMistake::FixedLanes(_) => false,
        }
    }
}

impl Search<'_, '_, '_> {
    /// Returns the uses of active masks in the examined functions that assume more than they say.
    pub(super) fn active_mask_uses(&self) -> Vec<ActiveMaskUse> {
        let mut found = Vec::new();
        if !self.context.masks_name_threads {
            return found;
        }
        for (id, known) in self.context.all() {
            for operation in &known.operations {
                match self.collective(operation) {
                    Some(CollectiveOp::Shuffle { by, .. }) => {
                        found.extend(self.unrelated_lane(id, known, operation, by));
                    }
                    Some(CollectiveOp::Active) => {
                        // A lane that is read tells more.
                        let is_read = known.operations.iter().any(|other| {
                            let Some(CollectiveOp::Shuffle { by, .. }) = self.collective(other) else {
                                return false;
                            };
                            let by_mask = self.unrelated_lane(id, known, other, by);
                            by_mask.is_some_and(|it| it.is_of(id, operation))
                        });
                        if is_read {
                            continue;
                        }
                        let at = self.fixed_lanes(id, known, operation.value);
                        found.extend(at.map(|at| ActiveMaskUse {
                            function: id,
                            operation: *operation,
                            mistake: ActiveMaskMistake::FixedLanes(at),
                        }));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn collective(&self, operation: &Operation) -> Option<CollectiveOp> {
        self.context.builtin(operation)?;
        match self.context.builtins.operation(operation.name)? {
            operation::Operation::Collective(collective) => Some(collective.op),
            _ => None,
        }
    }

    /// Returns the call that yields the active mask which a value is, here or in a caller.
    fn active(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        value: ValueId,
        depth: u32,
    ) -> Option<(DefinitionId, Operation)> {
        let value = plain(known.function, value);
        match &known.function.values[value].op {
            Op::Call(_) => {
                let operation = known.operations.iter().find(|operation| operation.value == value)?;
                let is_active = matches!(self.collective(operation), Some(CollectiveOp::Active));
                is_active.then_some((id, *operation))
            }
            Op::Parameter(number) => self.context.calls_of(id).iter().find_map(|site| {
                let caller = self.context.known(site.caller);
                let argument = argument(caller.function, site.value, *number)?;
                self.active(site.caller, caller, argument, depth.checked_sub(1)?)
            }),
            _ => None,
        }
    }

    /// Returns a shuffle with an active mask that reads a lane which does not follow from the mask.
    fn unrelated_lane(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        operation: &Operation,
        by: u16,
    ) -> Option<ActiveMaskUse> {
        let row = self.context.builtin(operation)?;
        let NamingArguments { mask, .. } = self.naming_arguments(operation.name, row)?;
        let mask = argument(known.function, operation.value, mask?.into())?;
        let by = argument(known.function, operation.value, by.into())?;
        let (of, source) = self.active(id, known, mask, MAX_PASSED)?;
        let is_related =
            self.derives(known, by, mask).is_some() || self.is_related_in_callers(id, known, mask, by);
        if is_related || self.is_used_for_lanes_of(known, operation.value, mask) {
            return None;
        }
        let mistake = ActiveMaskMistake::UnrelatedLane(of, source);
        Some(ActiveMaskUse { function: id, operation: *operation, mistake })
    }

    /// Whether a mask and a lane are parameters, and all callers pass a lane that derives from the mask.
    fn is_related_in_callers(
        &self,
        id: DefinitionId,
        known: &FunctionFacts,
        mask: ValueId,
        lane: ValueId,
    ) -> bool {
        let number = |value: ValueId| match known.function.values[plain(known.function, value)].op {
            Op::Parameter(number) => Some(number),
            _ => None,
        };
        let (Some(mask), Some(lane)) = (number(mask), number(lane)) else { return false };
        let sites = self.context.calls_of(id);
        !sites.is_empty()
            && sites.iter().all(|site| {
                let caller = self.context.known(site.caller);
                let given = |number| argument(caller.function, site.value, number);
                given(lane)
                    .zip(given(mask))
                    .is_some_and(|(lane, mask)| self.derives(caller, lane, mask).is_some())
            })
    }

    /// Whether all uses of a result depend on a condition that derives from the mask: it may say whether the lane was there.
    fn is_used_for_lanes_of(&self, known: &FunctionFacts, result: ValueId, mask: ValueId) -> bool {
        let function = known.function;
        let asks = |condition: Option<ValueId>| {
            condition.is_some_and(|condition| self.derives(known, condition, mask).is_some())
        };
        let is_asked = |user: ValueId| match &function.values[user].op {
            Op::Select { condition, .. } => asks(Some(*condition)),
            _ => known.graph().home[user].is_some_and(|block| {
                let mut branches = known.graph().controllers[block].iter();
                branches.any(|&branch| asks(function.blocks[branch].terminator.operand()))
            }),
        };
        let users = function.values.indices().filter(|&user| {
            let mut uses = false;
            function.values[user].op.operands(|&operand| uses |= operand == result);
            uses
        });
        let mut users = users.peekable();
        users.peek().is_some() && users.all(is_asked)
    }

    /// Returns the location of a store of a result of an active mask by lanes that the number of the thread chooses.
    fn fixed_lanes(&self, id: DefinitionId, known: &FunctionFacts, mask: ValueId) -> Option<Span> {
        let function = known.function;
        let stored = |value: ValueId| match &function.values[value].op {
            Op::Store { value, .. } => vec![*value],
            Op::Call(call) => {
                match call.callee.row().and_then(|name| self.context.builtins.operation(name)) {
                    Some(operation::Operation::Atomic(_) | operation::Operation::Store) => {
                        call.arguments.iter().skip(1).map(|&(value, _)| value).collect()
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        let depends = |value: &ValueId| self.derives(known, *value, mask) == Some(Derivation::OfLanes);
        let stores = function.values.indices().filter(|&value| stored(value).iter().any(depends));
        let stores: Vec<(ValueId, BlockId)> =
            stores.filter_map(|value| Some((value, known.graph().home[value]?))).collect();
        if stores.is_empty() {
            return None;
        }
        let mut flow = None;
        let variant = Variant { function, verdicts: known.verdicts };
        self.with_warp(id, known, variant, (0, WarpEntry::default()), &mut |warp| {
            flow = Some(warp.flow().clone())
        });
        let flow: WarpFlow = flow?;
        let is_chosen = |block: BlockId| {
            let branches = &known.graph().controllers[block];
            let condition = |branch: BlockId| function.blocks[branch].terminator.operand();
            let is_related = |&branch: &BlockId| {
                condition(branch).is_some_and(|condition| self.derives(known, condition, mask).is_some())
            };
            let lanes = flow.reaching(block).possibly;
            lanes != 0 && lanes != flow.all() && !branches.iter().any(is_related)
        };
        stores.into_iter().find(|&(_, block)| is_chosen(block)).map(|(value, _)| function.values[value].span)
    }

    /// Returns how a value derives from another one, by operations, calls, and conditions that choose it. `None`: it does
    /// not.
    fn derives(&self, known: &FunctionFacts, value: ValueId, from: ValueId) -> Option<Derivation> {
        let function = known.function;
        let from = plain(function, from);
        let mut seen: FxHashSet<(ValueId, bool)> = FxHashSet::default();
        let mut todo = vec![(value, false)];
        let mut found = None;
        while let Some((value, of_lanes)) = todo.pop() {
            if plain(function, value) == from {
                match of_lanes {
                    true => return Some(Derivation::OfLanes),
                    false => found = Some(Derivation::OfNumber),
                }
            }
            if seen.len() == MAX_VISITED || !seen.insert((value, of_lanes)) {
                continue;
            }
            let op = &function.values[value].op;
            match op {
                Op::Phi(incoming) => {
                    let condition = |block: BlockId| function.blocks[block].terminator.operand();
                    for &(from, value) in incoming {
                        todo.push((value, of_lanes));
                        let branches = known.graph().controllers[from].iter().copied().chain([from]);
                        todo.extend(branches.filter_map(condition).map(|condition| (condition, true)));
                    }
                }
                Op::Call(call) => {
                    let of_lanes = of_lanes || call.convergent;
                    todo.extend(call.arguments.iter().map(|&(argument, _)| (argument, of_lanes)));
                }
                _ => op.operands(|&operand| todo.push((operand, of_lanes))),
            }
        }
        found
    }
}

/// How a value derives from a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Derivation {
    /// It is computed from the number, as when lanes are counted.
    OfNumber,
    /// Other lanes take part: by an operation with this mask, or because a bit of the mask decides.
    OfLanes,
}
