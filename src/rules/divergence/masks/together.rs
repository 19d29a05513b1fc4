//! Where the threads of a group stay together, although threads of their warp may diverge: [`Together`].
//!
//! **Group**: the threads of a tile, or the lanes that one mask names. A group is **divided** at a branch if its threads
//! may take different sides.
//!
//! ```c
//! unsigned mask = 0xffu << (threadIdx.x % 32 / 8 * 8);   // the group: 8 lanes
//! int segment = threadIdx.x / 8;                         // the same in the group
//! if (length[segment] > 3)                               // does not divide it: all 8 lanes read one element
//!   v += __shfl_xor_sync(mask, v, 1);
//! if (v > 3) …                                           // divides it
//! ```
//!
//! Algorithm: first, all values count as the same in the group, and no branch divides it. Then values are removed until
//! nothing changes: a value with an operand that differs; a phi where threads of different sides of a dividing branch
//! meet; a use after a cycle that threads leave in different iterations.

use rustc_hash::FxHashSet;

use super::origin::{argument, stored};
use super::search::{EvaluatedWarp, Search, Variant};
use crate::divergence::FunctionFacts;
use tangle_analysis::flow::{BlockId, Call, Function, Op, Unknown, ValueId};
use tangle_analysis::uniformity::Fact;
use tangle_analysis::uniformity::graph::Labels;
use tangle_analysis::uniformity::warp::MAX_LANES;
use tangle_ir::operation::{Collective, CollectiveOp, Operation, Outside};
use tangle_ir::value::{Arithmetic, Constant};
use tangle_syntax::dialect::{Builtin, GroupProperty, ResultUniformity, Scope};

/// Threads that may stay together.
#[derive(Clone, Copy)]
pub(super) enum Group<'w> {
    /// The threads of a tile, by its size.
    Tile(ValueId),
    /// The lanes that one mask names.
    Named {
        /// The warp of the lanes.
        warp: &'w EvaluatedWarp,
        /// The lanes.
        named: u64,
    },
    /// The lanes of a mask that an operation yields: the operation.
    Yielded(ValueId),
}

/// Where the threads of a group stay together.
pub(super) struct Together {
    dividing: FxHashSet<BlockId>,
}

impl Together {
    /// Finds where the threads of a group stay together.
    pub fn of<'a, 'e>(
        search: &Search<'_, 'a, 'e>,
        known: &FunctionFacts<'a, 'e>,
        variant: Variant,
        group: Group,
    ) -> Together {
        let values = variant.verdicts.values.iter_enumerated();
        let branches = variant.verdicts.branches.iter_enumerated();
        let mut run = Run {
            search,
            known,
            variant,
            group,
            same: values.map(|(value, _)| value).collect(),
            dividing: FxHashSet::default(),
            joined: FxHashSet::default(),
        };
        let values: Vec<ValueId> = run.same.iter().copied().filter(|&it| run.may_differ(it)).collect();
        let branches: Vec<BlockId> =
            branches.filter(|(_, fact)| differs(**fact)).map(|(branch, _)| branch).collect();
        let mut labels = Labels::new(variant.function);
        loop {
            let mut changed = false;
            for &value in &values {
                if run.same.contains(&value) && !run.is_same(value) {
                    run.same.remove(&value);
                    changed = true;
                }
            }
            for &branch in &branches {
                let condition = variant.function.blocks[branch].terminator.operand();
                let is_same = condition.is_some_and(|it| run.is_same_at(it, None, branch));
                if !is_same && run.dividing.insert(branch) {
                    let joins = known.graph().joins(variant.function, branch, &mut labels);
                    run.joined.extend(joins.unwrap_or_else(|| known.graph().everywhere()).blocks);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Together { dividing: run.dividing }
    }

    /// Whether the threads may take different sides of a branch.
    pub fn is_divided_at(&self, branch: BlockId) -> bool {
        self.dividing.contains(&branch)
    }
}

/// Returns the number of threads of the tile that executes a call.
pub(super) fn tile_of(search: &Search, function: &Function, call: ValueId) -> Option<ValueId> {
    let Op::Call(call) = &function.values[call].op else { return None };
    let name = call.callee.row()?;
    let tile = search.naming_arguments(name, search.row(Some(name))?)?.tile?;
    Some(call.arguments.get(usize::from(tile))?.0)
}

/// Whether a value or branch may differ between threads of a warp.
fn differs(fact: Fact) -> bool {
    fact.divergence.within(Scope::Subgroup) || fact.depends_on_caller()
}

/// The search for the branches that divide a group.
struct Run<'r, 'c, 'a, 'e> {
    search: &'r Search<'c, 'a, 'e>,
    known: &'r FunctionFacts<'a, 'e>,
    variant: Variant<'r>,
    group: Group<'r>,
    /// The values that are not known to differ between threads of the group.
    same: FxHashSet<ValueId>,
    /// The branches that divide the group.
    dividing: FxHashSet<BlockId>,
    /// The blocks where threads of different sides of these branches meet.
    joined: FxHashSet<BlockId>,
}

impl Run<'_, '_, '_, '_> {
    /// Whether a value may differ between threads of the group: not between threads of a warp, the numbers of its lanes
    /// are different, and it is not the mask of the group.
    fn may_differ(&self, value: ValueId) -> bool {
        if !differs(self.variant.verdicts.values[value]) {
            return false;
        }
        match self.group {
            Group::Tile(_) => true,
            Group::Named { warp, named } => {
                !warp.numbers.get(&value).is_some_and(|lanes| is_one_number(lanes, named))
            }
            // All lanes of a mask have the same mask.
            Group::Yielded(of) => stored(self.known, value) != of,
        }
    }

    /// Whether a value is the same where an operation uses it, or the terminator of a block.
    fn is_same_at(&self, value: ValueId, user: Option<ValueId>, block: BlockId) -> bool {
        let divides = |branch: BlockId| self.dividing.contains(&branch);
        self.same.contains(&value) && !self.known.graph().is_left_apart(value, user, block, divides)
    }

    /// Whether the rules for operations still allow a value to be the same in the group.
    fn is_same(&self, value: ValueId) -> bool {
        let Some(block) = self.known.graph().home[value] else { return false };
        let is_same = |operand: ValueId| self.is_same_at(operand, Some(value), block);
        match &self.variant.function.values[value].op {
            Op::Call(call) => {
                let Some(row) = self.search.row(call.callee.row()) else { return false };
                // The number of a tile is that of the tile of the thread.
                matches!(self.group, Group::Tile(_)) && row.adds.contains(&GroupProperty::MetaGroupRank)
                    || row.result == Some(ResultUniformity::UniformInTile)
                        && tile_of(self.search, self.variant.function, value)
                            .is_some_and(|size| self.is_size_of_tile(size))
                    || self.is_result_of_mask(value, call, row, &is_same)
                    || self.is_math(call) && call.arguments.iter().all(|&(argument, _)| is_same(argument))
            }
            &Op::Load { address, .. } => {
                let stored = self.known.verdicts.forwarded.get(&value);
                // Lanes that read one address together read one value.
                let contents = || self.known.analysis.read_at_one_address(value);
                stored.is_some_and(|&it| is_same(it))
                    || !contents().divergence.within(Scope::Subgroup) && is_same(address)
            }
            // The number of the tile, computed from the id of the thread.
            Op::Binary { op: Arithmetic::Div, right, .. } if self.is_size_of_tile(*right) => true,
            Op::Unknown { what: Unknown::Arithmetic(Arithmetic::Div), operands }
                if operands.get(1).is_some_and(|&right| self.is_size_of_tile(right)) =>
            {
                true
            }
            Op::Phi(incoming) => {
                let is_one = incoming.iter().all(|(_, it)| *it == incoming[0].1);
                (is_one || !self.joined.contains(&block)) && incoming.iter().all(|&(_, it)| is_same(it))
            }
            op if self.variant.function.is_pure(value) => {
                let mut are_same = true;
                op.operands(|&operand| are_same &= is_same(operand));
                are_same
            }
            _ => false,
        }
    }

    /// Returns the operation that a conversion begins with.
    fn plain(&self, mut value: ValueId) -> &Op {
        let values = &self.variant.function.values;
        while let Op::Convert { operand, .. } = values[value].op {
            value = operand;
        }
        &values[value].op
    }

    fn is_size_of_tile(&self, value: ValueId) -> bool {
        matches!(self.group, Group::Tile(size) if self.plain(value) == self.plain(size))
    }

    /// Whether a call of a builtin computes a number from its arguments alone.
    fn is_math(&self, call: &Call) -> bool {
        let operation = call.callee.row().and_then(|name| self.search.context.builtins.operation(name));
        matches!(operation, Some(Operation::Math(_)))
    }

    /// Whether an operation gives one result to all lanes of the group, because of the mask that it has as an argument.
    fn is_result_of_mask(
        &self,
        value: ValueId,
        call: &Call,
        row: &Builtin,
        is_same: &dyn Fn(ValueId) -> bool,
    ) -> bool {
        let is_of_mask = || match self.group {
            Group::Tile(_) => false,
            Group::Named { warp, named } => self.names_all(call, row, (warp, named)),
            // The mask of a group is the last argument.
            Group::Yielded(of) => {
                let own = call.arguments.last().filter(|_| row.adds.ends_with(&[GroupProperty::Mask]));
                own.is_some_and(|&(mask, _)| stored(self.known, mask) == of)
                    || self.search.yielded(self.known, value).is_some_and(|mask| mask.value == of)
            }
        };
        // All lanes read the same lane.
        if let Some(lane) = row.lane
            && let Some(lane) = argument(self.variant.function, value, lane.0.into())
        {
            return is_same(lane) && is_of_mask();
        }
        matches!(row.result, Some(ResultUniformity::UniformInTile | ResultUniformity::UniformInSubgroup))
            && is_of_mask()
    }

    /// Whether the mask that each of these lanes passes to an operation names all of them. For a shuffle, they must also be
    /// in one segment.
    fn names_all(&self, call: &Call, row: &Builtin, (warp, lanes): (&EvaluatedWarp, u64)) -> bool {
        let constant = |number: u16| match self.plain(call.arguments.get(usize::from(number))?.0) {
            Op::Constant(Constant::Integer(number)) => Some(*number),
            _ => None,
        };
        let has_all = |mask: i128| mask as u64 & lanes == lanes;
        let passes_all = |mask: u16| {
            let value = call.arguments.get(usize::from(mask)).map(|&(value, _)| value);
            let masks = value.and_then(|value| warp.numbers.get(&value));
            masks.is_some_and(|masks| {
                let mut of_lanes = masks.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0);
                of_lanes.all(|(_, mask)| mask.is_some_and(has_all))
            })
        };
        let names = row.mask.is_some_and(|mask| constant(mask.0).is_some_and(has_all) || passes_all(mask.0));
        let operation = call.callee.row().and_then(|name| self.search.context.builtins.operation(name));
        let segment = match operation {
            Some(Operation::Collective(Collective {
                op: CollectiveOp::Shuffle { outside: Outside::Segments { size }, .. },
                ..
            })) if call.arguments.len() > usize::from(size) => constant(size),
            _ => Some(MAX_LANES.into()),
        };
        let is_in_one = |size: i128| match u32::try_from(size) {
            Ok(size) if size.is_power_of_two() => {
                let (first, last) = (lanes.trailing_zeros(), MAX_LANES - 1 - lanes.leading_zeros());
                first / size == last / size
            }
            _ => false,
        };
        names && segment.is_some_and(is_in_one)
    }
}

/// Whether a value is one number in some lanes.
fn is_one_number(lanes: &[Option<i128>], some: u64) -> bool {
    let mut numbers =
        lanes.iter().enumerate().filter(|(lane, _)| some >> lane & 1 != 0).map(|(_, number)| number);
    let Some(Some(first)) = numbers.next() else { return false };
    numbers.all(|number| *number == Some(*first))
}
