//! Executes calls of builtins: ids, sizes, barriers, votes, shuffles and accesses.

use super::effects::orders_all;
use super::machine::{Frame, Machine};
use super::number::{DIVERGENT, Key, LANES, Lanes, Number, UNIFORM, each_lane};
use crate::flow::{BlockId, Call, Callee, ValueId};
use crate::operation::{
    Barrier, Collective, CollectiveOp, Index, Lane, Mask, Math, Operation, Outside, Size,
};
use crate::scope::Scope;

impl<'a> Machine<'a, '_> {
    /// Executes a call of a builtin or of an unknown function. `None`: the result is unknown, and uniform if the arguments
    /// are.
    pub(super) fn builtin(
        &mut self,
        at: (&Frame<'a>, BlockId, ValueId),
        call: &Call,
        arguments: &[Number],
        lanes: Lanes,
    ) -> Option<Number> {
        let Some(builtin) = (self.inputs.builtin)(&call.callee) else {
            // An unknown function may contain a barrier, and may write through its arguments.
            if !matches!(call.callee, Callee::CompilerBuiltin { .. }) {
                self.order_all();
            }
            arguments.iter().for_each(|argument| self.forget(argument));
            // Without arguments, the result can be an id. So can the output of inline assembly.
            let is_assembly = matches!(call.callee, Callee::Unknown { named: None, .. });
            let may_be_id = is_assembly || arguments.is_empty();
            return may_be_id.then(|| self.atoms.fresh(DIVERGENT));
        };
        if orders_all(&builtin) {
            self.order_all();
        }
        let (frame, _, id) = at;
        let ty = frame.type_of(id);
        match builtin.operation {
            Operation::Index(index) => self.index(index, arguments),
            Operation::Size(size) => self.size(size, arguments),
            Operation::Barrier(barrier) => {
                let mask = builtin.mask.and_then(|mask| arguments.get(usize::from(mask)));
                self.barrier(builtin.scope, barrier, mask, arguments, lanes);
                None
            }
            Operation::Collective(collective) => {
                Some(self.collective(collective, builtin.scope, arguments, lanes))
            }
            Operation::Argument | Operation::Bits => arguments.first().cloned(),
            Operation::Mask(mask) => self.lane_mask(mask),
            Operation::Math(math) => self.math(math, builtin.operation, arguments, lanes),
            Operation::Load => Some(self.load(at, arguments.first()?, ty, false, lanes)),
            Operation::Store => {
                let value = arguments.get(1)?.clone();
                let ty = frame.type_of(call.arguments.get(1)?.0);
                self.store(at, arguments.first()?, (value, ty), false, lanes);
                None
            }
            Operation::Atomic(_) => {
                self.forget(arguments.first()?);
                Some(self.atoms.data(DIVERGENT))
            }
            Operation::Fence(_) | Operation::Print | Operation::Nothing | Operation::Vector => None,
            Operation::Convert { .. } => None,
            Operation::CopyBytes { .. } | Operation::SetBytes => {
                self.forget(arguments.first()?);
                None
            }
            Operation::Other if !builtin.convergent => {
                arguments.iter().for_each(|argument| self.forget(argument));
                builtin.divergent.then(|| self.atoms.fresh(DIVERGENT))
            }
            Operation::LoadVector | Operation::StoreVector => None,
            Operation::AsyncCopy { .. } | Operation::AwaitCopies | Operation::Other => {
                arguments.iter().for_each(|argument| self.forget(argument));
                None
            }
        }
    }

    fn barrier(
        &mut self,
        scope: Scope,
        barrier: Barrier,
        mask: Option<&Number>,
        arguments: &[Number],
        lanes: Lanes,
    ) {
        self.writes += 1;
        if scope != Scope::Subgroup {
            return self.log.barrier(Lanes::MAX);
        }
        if let Some(tile) = barrier.tile {
            let size = arguments.get(usize::from(tile)).and_then(Number::constant);
            let Some(size) =
                size.and_then(|size| u32::try_from(size).ok()).filter(|size| (1..32).contains(size))
            else {
                return self.log.barrier(Lanes::MAX);
            };
            let tile: Lanes = (1 << size) - 1;
            for first in (0..32).step_by(size as usize) {
                if lanes >> first & tile != 0 {
                    self.log.barrier(tile << first);
                }
            }
            return;
        }
        let mut masks: Vec<Lanes> = match mask {
            Some(mask) => {
                each_lane(lanes).map(|lane| mask.exact(lane).map_or(Lanes::MAX, |it| it as Lanes)).collect()
            }
            None => vec![Lanes::MAX],
        };
        masks.sort_unstable();
        masks.dedup();
        masks.into_iter().for_each(|mask| self.log.barrier(mask));
    }

    fn dimension(&self, arguments: &[Number]) -> Option<usize> {
        match arguments.first() {
            Some(dimension) => {
                dimension.constant().and_then(|it| usize::try_from(it).ok()).filter(|it| *it < 3)
            }
            None => Some(0),
        }
    }

    fn threads(&self) -> i64 {
        self.inputs.local_size.iter().fold(1_i64, |all, &size| all.saturating_mul(size.into()))
    }

    fn index(&mut self, index: Index, arguments: &[Number]) -> Option<Number> {
        let [x, y, _] = self.inputs.local_size.map(i64::from);
        let local = move |dimension: usize| {
            Number::each(move |lane| {
                let lane = lane as i64;
                match dimension {
                    0 => lane % x.max(1),
                    1 => lane / x.max(1) % y.max(1),
                    _ => lane / (x * y).max(1),
                }
            })
        };
        let lane = || Number::each(|lane| lane as i64);
        Some(match index {
            Index::Local => local(self.dimension(arguments)?),
            Index::Group => self.unknown_index(index, self.dimension(arguments)?),
            Index::Global => {
                let dimension = self.dimension(arguments)?;
                let size = i64::from(self.inputs.local_size[dimension]);
                let group = self.unknown_index(Index::Group, dimension);
                local(dimension).plus(&group, size)
            }
            Index::GlobalOffset | Index::SubGroup => Number::new(0),
            Index::LocalLinear | Index::Lane => lane(),
            Index::TileLane => {
                let size = arguments.first()?.constant().filter(|size| *size > 0)?;
                Number::each(move |lane| lane as i64 % size)
            }
            Index::GroupLinear => self.unknown_index(index, 0),
            Index::GlobalLinear | Index::Launch => {
                let group = self.unknown_index(Index::GroupLinear, 0);
                lane().plus(&group, self.threads())
            }
        })
    }

    /// Returns an unknown index of the block, which is not negative.
    fn unknown_index(&mut self, index: Index, dimension: usize) -> Number {
        let key = Key::Computed(Operation::Index(index), vec![Number::new(dimension as i64)]);
        let number = self.atoms.of(key, UNIFORM);
        self.decisions.assume_at_least(&number, 0);
        number
    }

    fn size(&mut self, size: Size, arguments: &[Number]) -> Option<Number> {
        let threads = self.threads();
        Some(match size {
            Size::Local => Number::new(self.inputs.local_size[self.dimension(arguments)?].into()),
            Size::LocalLinear => Number::new(threads),
            Size::SubGroup => Number::new(threads.min(LANES as i64)),
            Size::MaxSubGroup => Number::new(LANES as i64),
            Size::SubGroups => Number::new((threads + LANES as i64 - 1) / LANES as i64),
            Size::Global | Size::Launch | Size::Groups | Size::GroupsLinear | Size::Dimensions => {
                let number = self.atoms.of(Key::Computed(Operation::Size(size), arguments.to_vec()), UNIFORM);
                self.decisions.assume_at_least(&number, 1);
                number
            }
        })
    }

    fn lane_mask(&mut self, mask: Mask) -> Option<Number> {
        let of = |lane: usize| {
            let own = 1_i64 << lane;
            let below = own - 1;
            match mask {
                Mask::Equal => own,
                Mask::Less => below,
                Mask::LessOrEqual => below | own,
                Mask::Greater => 0xffff_ffff & !(below | own),
                _ => 0xffff_ffff & !below,
            }
        };
        let is_of_lane = matches!(
            mask,
            Mask::Equal | Mask::Less | Mask::LessOrEqual | Mask::Greater | Mask::GreaterOrEqual
        );
        is_of_lane.then(|| Number::each(of))
    }

    fn math(
        &mut self,
        math: Math,
        operation: Operation,
        arguments: &[Number],
        lanes: Lanes,
    ) -> Option<Number> {
        let exact = |of: &dyn Fn(i64, i64) -> i64| match arguments {
            [a, b] if a.terms.is_empty() && b.terms.is_empty() => {
                Some(Number::each(|lane| of(a.offsets.at(lane), b.offsets.at(lane))))
            }
            _ => None,
        };
        let found = match math {
            Math::Min => exact(&|x, y| x.min(y)),
            Math::Max => exact(&|x, y| x.max(y)),
            _ => None,
        };
        let spread = arguments.iter().map(|argument| self.atoms.spread(argument, lanes)).min();
        let computed = || Key::Computed(operation, arguments.to_vec());
        Some(found.unwrap_or_else(|| self.atoms.of(computed(), spread.unwrap_or(UNIFORM))))
    }

    /// Returns the result of a vote or shuffle.
    fn collective(&mut self, of: Collective, scope: Scope, arguments: &[Number], lanes: Lanes) -> Number {
        let is_uniform = match of.op {
            CollectiveOp::All
            | CollectiveOp::Any
            | CollectiveOp::AllEqual
            | CollectiveOp::Count
            | CollectiveOp::Ballot
            | CollectiveOp::Active
            | CollectiveOp::BroadcastFirst
            | CollectiveOp::BroadcastThread
            | CollectiveOp::MatchAll
            | CollectiveOp::Reduce(_) => true,
            CollectiveOp::MatchAny | CollectiveOp::Elect | CollectiveOp::Scan { .. } => false,
            CollectiveOp::BroadcastLane | CollectiveOp::Shuffle { .. } => {
                return self.shuffled(of, arguments, lanes);
            }
        };
        // The lanes of each tile get their own result.
        let tile = of.tile.and_then(|tile| arguments.get(usize::from(tile))?.constant());
        let tile = tile.and_then(|tile| u32::try_from(tile).ok()).filter(|tile| tile.is_power_of_two());
        let spread = match is_uniform {
            false => DIVERGENT,
            true if scope != Scope::Subgroup || of.tile.is_none() => UNIFORM,
            true => tile.unwrap_or(DIVERGENT).min(UNIFORM),
        };
        self.atoms.data(spread)
    }

    fn shuffled(&mut self, of: Collective, arguments: &[Number], lanes: Lanes) -> Number {
        let argument = |number: u16| arguments.get(usize::from(number));
        let (from, by, size) = match of.op {
            CollectiveOp::Shuffle { from, by, outside: Outside::Segments { size } } => {
                (from, by, argument(size).map_or(Some(LANES as i64), Number::constant))
            }
            CollectiveOp::Shuffle { from, by, outside: Outside::Ranked } => (from, by, None),
            CollectiveOp::Shuffle { from, by, outside: Outside::Undefined } => (from, by, Some(LANES as i64)),
            _ => (Lane::Absolute, of.value + 1, Some(LANES as i64)),
        };
        let is_whole = size == Some(LANES as i64) && of.tile.is_none();
        let (Some(value), Some(by)) = (argument(of.value), argument(by)) else {
            return self.atoms.data(DIVERGENT);
        };
        // All lanes read one lane.
        if from == Lane::Absolute && is_whole && self.atoms.spread(by, lanes) == UNIFORM {
            return match by.constant() {
                Some(lane @ 0..32) if self.atoms.spread_of_terms(value) == UNIFORM => {
                    let offset = value.offsets.at(lane as usize);
                    Number { terms: value.terms.clone(), ..Number::new(offset) }
                }
                _ => self.atoms.data(UNIFORM),
            };
        }
        self.atoms.data(DIVERGENT)
    }
}
