//! The results of calls in the lanes of a warp: ids, sizes, masks and operations of the warp.

use super::lane_values::{LaneValue, LaneValues, truth};
use super::{MAX_LANES, Warp, is_number};
use crate::flow::{Call, ValueId};
use crate::operation::{Collective, CollectiveOp, Index, Lane, Mask, Math, Operation, Outside, Size};
use crate::types::Ty;

impl Warp<'_> {
    pub(super) fn call(&mut self, id: ValueId, call: &Call, depth: u32) -> Option<LaneValues> {
        let Some(operation) = (self.inputs.operation)(&call.callee) else {
            if !is_number(self.inputs.function.values[id].ty) {
                return None;
            }
            let arguments = self.arguments_of(call, depth);
            return (self.inputs.result)(call, &arguments);
        };
        let argument = |number: u16| call.arguments.get(usize::from(number)).map(|&(value, _)| value);
        match operation {
            Operation::Index(index) => {
                let dimension = match argument(0) {
                    Some(value) => self.values_at(value, depth).constant()?,
                    None => 0,
                };
                self.index(index, usize::try_from(dimension).ok()?)
            }
            Operation::Size(size) => {
                let dimension = match argument(0) {
                    Some(value) => self.values_at(value, depth).constant()?,
                    None => 0,
                };
                self.size_of(size, usize::try_from(dimension).ok()?)
            }
            Operation::Math(math) => {
                let ty = self.inputs.function.values[argument(0)?].ty;
                let all = self.arguments_of(call, depth);
                let one = |lane: usize| {
                    let numbers: Option<Vec<i128>> =
                        all.iter().map(|values| values.at(lane).exact()).collect();
                    numbers.and_then(|numbers| computation(math, &numbers, ty))
                };
                Some(self.each(|lane| one(lane).map_or(LaneValue::UNKNOWN, LaneValue::new)))
            }
            Operation::Mask(mask) => self.mask(mask),
            Operation::Argument | Operation::Bits
                if is_number(self.inputs.function.values[argument(0)?].ty) =>
            {
                Some(self.values_at(argument(0)?, depth))
            }
            Operation::Collective(collective) => self.collective(id, call, collective, depth),
            _ => None,
        }
    }

    /// Returns the values of the arguments of a call.
    pub fn arguments(&mut self, call: &Call) -> Vec<LaneValues> {
        self.arguments_of(call, 0)
    }

    fn arguments_of(&mut self, call: &Call, depth: u32) -> Vec<LaneValues> {
        call.arguments.iter().map(|&(value, _)| self.values_at(value, depth)).collect()
    }

    /// Returns the position of each thread in a dimension.
    fn index(&self, index: Index, dimension: usize) -> Option<LaneValues> {
        let lanes = 0..i128::from(self.size);
        let first = i128::from(self.number) * i128::from(self.size);
        let sizes = self.inputs.launch.work_group_size();
        match index {
            Index::Lane => Some(LaneValues::of(lanes.map(LaneValue::new))),
            Index::SubGroup => Some(self.same(LaneValue::new(self.number.into()))),
            Index::LocalLinear if sizes.is_some() || self.inputs.launch.rows_are_whole_sub_groups => {
                Some(match sizes {
                    Some(_) => LaneValues::of(lanes.map(|lane| LaneValue::new(first + lane))),
                    // The row of the warp is unknown.
                    None => LaneValues::lane_numbers(self.size.trailing_zeros(), self.size),
                })
            }
            Index::Local => match sizes {
                Some([x, y, _]) => {
                    let (x, y) = (i128::from(x), i128::from(y));
                    let position = |linear: i128| match dimension {
                        0 => linear % x,
                        1 => linear / x % y,
                        _ => linear / (x * y),
                    };
                    Some(LaneValues::of(lanes.map(|lane| LaneValue::new(position(first + lane)))))
                }
                None if dimension == 0 && self.inputs.launch.rows_are_whole_sub_groups => {
                    Some(LaneValues::of(lanes.map(|lane| LaneValue::new(first + lane))))
                }
                None => None,
            },
            Index::Global if dimension == 0 && self.inputs.launch.rows_are_whole_sub_groups => {
                Some(LaneValues::lane_numbers(self.size.trailing_zeros(), self.size))
            }
            _ => None,
        }
    }

    /// Returns a number of threads.
    fn size_of(&self, size: Size, dimension: usize) -> Option<LaneValues> {
        let launch = self.inputs.launch;
        // The sizes of work-groups and of the grid are multiples of the warp size.
        let multiple = || LaneValues::shared(self.size.trailing_zeros(), self.size);
        let of_rows = launch.rows_are_whole_sub_groups;
        let same = |number: i128| self.same(LaneValue::new(number));
        Some(match size {
            Size::MaxSubGroup => same(launch.sub_group_size?.into()),
            Size::Local => match launch.local_size.get(dimension)? {
                Some(size) => same((*size).into()),
                None if dimension == 0 && of_rows => multiple(),
                None => return None,
            },
            Size::LocalLinear => match launch.work_group_size() {
                Some(sizes) => same(sizes.iter().map(|&size| i128::from(size)).product()),
                None if of_rows => multiple(),
                None => return None,
            },
            Size::Global if dimension == 0 && of_rows => multiple(),
            _ => return None,
        })
    }

    /// Returns a mask of lanes that follows from the number of the lane.
    fn mask(&self, mask: Mask) -> Option<LaneValues> {
        let all = i128::from(u64::MAX >> (MAX_LANES - self.size));
        let of = |lane: u32| {
            let below = (1i128 << lane) - 1;
            let own = 1i128 << lane;
            Some(LaneValue::new(match mask {
                Mask::Equal => own,
                Mask::Less => below,
                Mask::LessOrEqual => below | own,
                Mask::Greater => all & !(below | own),
                Mask::GreaterOrEqual => all & !below,
                _ => return None,
            }))
        };
        let lanes: Option<Vec<LaneValue>> = (0..self.size).map(of).collect();
        Some(LaneValues::of(lanes?.into_iter()))
    }

    /// Returns the result of a vote or shuffle, if all lanes that take part are known.
    fn collective(&mut self, id: ValueId, call: &Call, it: Collective, depth: u32) -> Option<LaneValues> {
        let block = self.inputs.graph.home[id]?;
        let argument = |number: u16| call.arguments.get(usize::from(number)).map(|&(value, _)| value);
        let named = self.named(call, it.mask, it.tile);
        let values = self.values_at(argument(it.value)?, depth);
        let here = self.flow.blocks[block];
        let size = self.size as usize;
        // The value of a lane that takes part. Lanes that possibly reach the operation may have exited.
        let of = |lane: usize| match here.surely >> lane & 1 != 0 {
            true => values.at(lane),
            false => LaneValue::UNKNOWN,
        };
        let members = |mask: u64| (0..size).filter(move |lane| mask >> lane & 1 != 0);
        let bits = |mask: u64, holds: &dyn Fn(LaneValue) -> Option<bool>| {
            let bit = |lane| Some(u64::from(holds(of(lane))?) << lane);
            members(mask).try_fold(0, |bits, lane| Some(bits | bit(lane)?))
        };
        let is_true = |value: LaneValue| value.is_true();
        let by = match it.op {
            CollectiveOp::Shuffle { by, .. } => Some(self.values_at(argument(by)?, depth)),
            _ => None,
        };
        let width = match it.op {
            CollectiveOp::Shuffle { outside: Outside::Segments { size }, .. } => match argument(size) {
                Some(value) => self.values_at(value, depth).constant()?,
                None => self.size.into(),
            },
            _ => self.size.into(),
        };
        let result = |lane: usize| -> Option<LaneValue> {
            let mask = named[lane]? & self.flow.all;
            Some(match it.op {
                CollectiveOp::Ballot => LaneValue::new(bits(mask, &is_true)?.into()),
                CollectiveOp::All => truth(bits(mask, &is_true)? == mask),
                CollectiveOp::Any => truth(bits(mask, &is_true)? != 0),
                CollectiveOp::MatchAny => {
                    let own = of(lane).exact()?;
                    let equals = |value: LaneValue| value.exact().map(|value| value == own);
                    LaneValue::new(bits(mask, &equals)?.into())
                }
                CollectiveOp::Shuffle { from, outside: Outside::Ranked, .. } => {
                    let by = by.as_ref()?.at(lane).exact()?;
                    of(from.ranked(mask, lane as u32, by)??.try_into().ok()?)
                }
                CollectiveOp::Shuffle { from, .. } => {
                    of(source(from, lane, by.as_ref()?.at(lane).exact()?, width)?.filter(|it| *it < size)?)
                }
                _ => return None,
            })
        };
        Some(self.each(|lane| result(lane).unwrap_or(LaneValue::UNKNOWN)))
    }

    /// Returns the lanes that each lane names at a call, as bits. `None` for a lane: unknown. `mask`: the argument with
    /// the mask; `tile`: the argument with the number of threads of a tile. Without both, all lanes are named.
    pub fn named(&mut self, call: &Call, mask: Option<u16>, tile: Option<u16>) -> Vec<Option<u64>> {
        let argument =
            |number: Option<u16>| call.arguments.get(usize::from(number?)).map(|&(value, _)| value);
        let every = u64::MAX >> (MAX_LANES - self.size);
        // The type of the group is unknown.
        if tile.is_some() && argument(tile).is_none() {
            return vec![None; self.size as usize];
        }
        if let Some(value) = argument(tile) {
            let sizes = self.values(value).exact();
            let of = |(lane, size): (u32, &Option<i128>)| {
                let size = u32::try_from((*size)?).ok().filter(|size| size.is_power_of_two())?;
                let size = size.min(self.size);
                Some(u64::MAX >> (MAX_LANES - size) << (lane - lane % size))
            };
            return (0..self.size).zip(sizes.iter()).map(of).collect();
        }
        match argument(mask) {
            Some(value) => {
                let masks = self.values(value).exact();
                masks.into_iter().map(|mask| Some(mask? as u64 & every)).collect()
            }
            None => vec![Some(every); self.size as usize],
        }
    }
}

/// The lanes that a shuffle reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadLanes {
    /// The lane that each lane reads. `None` for a lane: unknown, or no lane of the warp.
    Exact(Vec<Option<usize>>),
    /// Unknown lanes with greater numbers.
    Above,
    /// Unknown lanes with smaller numbers.
    Below,
    /// Unknown lanes with greater and with smaller numbers.
    Both,
}

impl Warp<'_> {
    /// Returns the lanes that a shuffle reads. `None`: it is no shuffle, or they are unknown.
    pub fn read_lanes(&mut self, call: &Call, of: Collective) -> Option<ReadLanes> {
        let argument = |number: u16| call.arguments.get(usize::from(number)).map(|&(value, _)| value);
        let CollectiveOp::Shuffle { from, by, outside } = of.op else { return None };
        if outside == Outside::Ranked {
            let named = self.named(call, of.mask, of.tile);
            let by = self.values(argument(by)?).exact();
            let one = |(lane, (mask, by)): (u32, (&Option<u64>, &Option<i128>))| {
                from.ranked((*mask)?, lane, (*by)?).flatten().map(|lane| lane as usize)
            };
            let all = named.iter().zip(&by);
            let is_known = all.clone().all(|(mask, by)| mask.is_some() && by.is_some());
            return is_known.then(|| ReadLanes::Exact((0..).zip(all).map(one).collect()));
        }
        let size = match (of.tile, outside) {
            (Some(tile), _) => Some(argument(tile)?),
            (None, Outside::Segments { size }) => argument(size),
            (None, Outside::Undefined | Outside::Ranked) => None,
        };
        let width = match size {
            Some(size) => self.values(size).constant()?,
            None => self.size.into(),
        };
        let by = self.values(argument(by)?).exact();
        let one = |(lane, by): (usize, &Option<i128>)| source(from, lane, (*by)?, width).flatten();
        match from {
            _ if by.iter().all(Option::is_some) => {
                Some(ReadLanes::Exact(by.iter().enumerate().map(one).collect()))
            }
            Lane::Down => Some(ReadLanes::Above),
            Lane::Up => Some(ReadLanes::Below),
            Lane::Xor => Some(ReadLanes::Both),
            Lane::Absolute | Lane::Rotate | Lane::Any => None,
        }
    }
}

/// Returns the lane that a shuffle reads. `Some(None)`: it reads no lane. `None`: unknown.
fn source(from: Lane, lane: usize, by: i128, width: i128) -> Option<Option<usize>> {
    if width <= 0 || width & (width - 1) != 0 {
        return None;
    }
    let own = lane as i128;
    let first = own - own % width;
    let read = match from {
        Lane::Absolute => first + by.rem_euclid(width),
        Lane::Xor => own ^ by,
        Lane::Up => own - by,
        Lane::Down => own + by,
        Lane::Rotate | Lane::Any => return None,
    };
    let is_outside = match from {
        Lane::Up => read < first,
        _ => read >= first + width,
    };
    // A lane outside of its segment keeps its own value.
    let read = if is_outside { own } else { read };
    Some(usize::try_from(read).ok())
}

/// Returns the result of a computation on integers of type `ty`. `None`: it is not defined here.
fn computation(math: Math, numbers: &[i128], ty: Ty) -> Option<i128> {
    let bits = ty.as_integer()?.bits();
    let low = |number: i128| number & ((1i128 << bits.min(64)) - 1);
    Some(match (math, numbers) {
        (Math::Min, &[a, b]) => a.min(b),
        (Math::Max, &[a, b]) => a.max(b),
        (Math::Clamp, &[value, least, greatest]) if least <= greatest => value.clamp(least, greatest),
        (Math::Abs, &[value]) => value.checked_abs()?,
        (Math::CountOnes, &[value]) => low(value).count_ones().into(),
        (Math::FindFirst, &[value]) => match low(value) {
            0 => 0,
            value => i128::from(value.trailing_zeros()) + 1,
        },
        (Math::LeadingZeros, &[value]) => i128::from(low(value).leading_zeros() + bits.min(64)) - 128,
        (Math::ReverseBits, &[value]) => {
            (low(value) as u128).reverse_bits().wrapping_shr(128 - bits.min(64)) as i128
        }
        _ => return None,
    })
}
