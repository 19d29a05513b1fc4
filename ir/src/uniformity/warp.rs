//! The values and the control flow of a function in each lane of one warp.
//!
//! **Lane value**: the number that an integer has in one lane, as far as it follows from constants and from the numbers
//! of the threads. It is exact, or only its low bits are known. **Shared base**: the values of all lanes are one unknown
//! number, a multiple of a power of two, plus a known offset in each lane. **Reaching lanes** of a block: the lanes that
//! surely reach it, and the lanes that possibly reach it.
//!
//! ```c
//! int lane = threadIdx.x & 31;
//! if (lane < 16) f();                              // lanes 0 to 15 reach the call, surely
//! if (p[lane] > 0) g();                            // all lanes possibly reach it, none surely
//! unsigned m = 0xffu << (lane & 24);               // lane 9: 0xff00
//! int i = blockIdx.x * blockDim.x + threadIdx.x;   // lane 9: an unknown multiple of 32, the same in all lanes, plus 9
//! if (i < 64) h();                                 // all lanes, or none
//! ```
//!
//! All results are about launches where the warp gets to the block: if all lanes take the same side of a branch, each side
//! counts as reached. A lane that reaches a block in any iteration of a loop reaches it.
//!
//! We assume that a row of a block consists of whole warps if the size of the block is unknown, as `ids` does. We assume
//! that sums and products of numbers that are not negative do not wrap. A constant of the build with an unknown value
//! counts as a multiple of the warp size: most such constants that are compared with ids are numbers of threads.
//!
//! **Algorithm**: one pass over the blocks in reverse post-order finds the lanes of each edge. Values are computed on
//! demand from their operands, at most `MAX_DEPTH` deep, and kept. A phi has the value of the edges that a lane may
//! take. A phi of a loop is first assumed to have a shared base in each iteration, with the offsets of its first value;
//! this holds if the value for the next iteration confirms it.
//!
//! | module | contents |
//! |---|---|
//! | `lane_values` | the values of lanes, and their arithmetic |
//! | `flow` | the lanes that reach blocks, as data |
//! | `reach` | finds these lanes |
//! | `calls` | the results of calls |

mod calls;
mod flow;
mod lane_values;
mod reach;

use index_vec::index_vec;
use rustc_hash::{FxHashMap, FxHashSet};

pub use calls::ReadLanes;
pub use flow::{ReachingLanes, WarpFlow};
pub use lane_values::{LaneValue, LaneValues};

use lane_values::{Lanes, arithmetic, comparison, shared_arithmetic, shared_comparison, truth, unary};

use super::Launch;
use super::graph::Graph;
use crate::flow::{BlockId, Call, Callee, Function, Op, Terminator, Unknown, ValueId};
use crate::operation::Operation;
use crate::types::{Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Constant, Conversion};

/// The limit on operations between a value and the values that it is computed from.
const MAX_DEPTH: u32 = 64;

/// The limit on phis of loops whose values are assumed at the same time.
const MAX_ASSUMED: u32 = 3;

/// The greatest number of lanes of a warp.
pub const MAX_LANES: u32 = 64;

/// The inputs of the evaluation of a function.
#[derive(Clone, Copy)]
pub struct WarpInputs<'a> {
    /// The function. A branch of [`graph`](WarpInputs::graph) may be a jump in it.
    pub function: &'a Function,
    /// Its graph.
    pub graph: &'a Graph,
    /// Returns the operation of a builtin.
    pub operation: &'a dyn Fn(&Callee) -> Option<Operation>,
    /// Returns the result of a call of another function, given the values of its arguments. `None`: unknown.
    pub result: &'a dyn Fn(&Call, &[LaneValues]) -> Option<LaneValues>,
    /// Whether the branch at the end of a block may be divergent in a warp.
    pub is_divergent: &'a dyn Fn(BlockId) -> bool,
    /// Whether a value is the same in all threads of a warp.
    pub is_uniform: &'a dyn Fn(ValueId) -> bool,
    /// The loads whose value one store wrote, with the stored value ([`Uniformity::forwarded`](super::analysis::Uniformity)).
    pub forwarded: &'a FxHashMap<ValueId, ValueId>,
    /// The known properties of the launches.
    pub launch: Launch,
}

/// The state of a warp at the entry of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpEntry {
    /// The lanes that possibly enter it.
    pub lanes: u64,
    /// The arguments. Missing ones at the end are unknown.
    pub arguments: Vec<LaneValues>,
    /// The values of loads of objects that callers pass. Missing ones are unknown.
    pub given: FxHashMap<ValueId, LaneValues>,
}

impl Default for WarpEntry {
    /// All lanes, with unknown arguments.
    fn default() -> WarpEntry {
        WarpEntry { lanes: u64::MAX, arguments: Vec::new(), given: FxHashMap::default() }
    }
}

/// One warp that executes a function.
pub struct Warp<'a> {
    inputs: WarpInputs<'a>,
    /// The arguments, in the order of the parameters. Missing ones at the end are unknown.
    arguments: Vec<LaneValues>,
    /// The number of the warp in its block.
    number: u32,
    /// The number of its lanes, 1 to [`MAX_LANES`], including lanes without a thread.
    size: u32,
    values: FxHashMap<ValueId, LaneValues>,
    flow: WarpFlow,
    /// The number of phis of loops whose values are assumed.
    assumed: u32,
    /// The values that were found since the first of them was assumed.
    found_by_assumption: Vec<ValueId>,
}

/// Returns the number of warps of a block, at most `most`. If the size of the block is unknown: `most`.
pub fn count_warps(launch: Launch, most: u32) -> u32 {
    let size = launch.sub_group_size.unwrap_or(32).clamp(1, MAX_LANES);
    match launch.work_group_size() {
        Some(sizes) => {
            let threads = sizes.iter().fold(1_u32, |all, &size| all.saturating_mul(size));
            threads.div_ceil(size).clamp(1, most)
        }
        None => most,
    }
}

impl<'a> Warp<'a> {
    /// Evaluates a function in the warp with this number in its block.
    pub fn of(inputs: WarpInputs<'a>, number: u32, entry: WarpEntry) -> Warp<'a> {
        let size = inputs.launch.sub_group_size.unwrap_or(32).clamp(1, MAX_LANES);
        let mut all = u64::MAX >> (MAX_LANES - size);
        if let Some(sizes) = inputs.launch.work_group_size() {
            let threads = sizes.iter().fold(1_u32, |all, &size| all.saturating_mul(size));
            let left = threads.saturating_sub(number.saturating_mul(size));
            if left < size {
                all &= (1 << left) - 1;
            }
        }
        let WarpEntry { lanes, arguments, given } = entry;
        all &= lanes;
        let blocks = index_vec![ReachingLanes::default(); inputs.function.blocks.len()];
        let flow = WarpFlow { all, blocks, edges: FxHashMap::default(), undecided: FxHashSet::default() };
        let found_by_assumption = Vec::new();
        let mut warp =
            Warp { inputs, arguments, number, size, values: given, flow, assumed: 0, found_by_assumption };
        warp.find_reaching_lanes();
        warp
    }

    /// Returns the lanes that reach the blocks.
    pub fn flow(&self) -> &WarpFlow {
        &self.flow
    }

    /// Returns the result of the function in each lane: that of a `return` that the lane may reach.
    pub fn result(&mut self) -> LaneValues {
        let blocks = self.inputs.function.blocks.iter_enumerated();
        let returned = blocks.filter_map(|(id, block)| match block.terminator {
            Terminator::Return(Some(value)) => Some((self.flow.blocks[id].possibly, value)),
            _ => None,
        });
        let returned: Vec<(u64, ValueId)> = returned.collect();
        self.one_of(&returned, 0)
    }

    /// Returns the value of an integer or `bool` in each lane.
    pub fn values(&mut self, value: ValueId) -> LaneValues {
        self.values_at(value, 0)
    }

    /// Returns an integer constant. `None`: it is none.
    pub fn constant(&self, constant: &Constant) -> Option<LaneValues> {
        match constant {
            Constant::Integer(number) => Some(self.same(LaneValue::new(*number))),
            Constant::Zero => Some(self.same(LaneValue::new(0))),
            _ => None,
        }
    }

    /// Returns a value for which only its uniformity is known.
    fn unknown(&self, id: ValueId) -> LaneValues {
        match (self.inputs.is_uniform)(id) {
            true => LaneValues::shared(0, self.size),
            false => self.same(LaneValue::UNKNOWN),
        }
    }

    fn same(&self, value: LaneValue) -> LaneValues {
        LaneValues::same(value, self.size)
    }

    fn each(&self, value: impl Fn(usize) -> LaneValue) -> LaneValues {
        LaneValues::of((0..self.size as usize).map(value))
    }

    fn values_at(&mut self, id: ValueId, depth: u32) -> LaneValues {
        if let Some(known) = self.values.get(&id) {
            return known.clone();
        }
        if depth > MAX_DEPTH {
            return self.unknown(id);
        }
        // A value that depends on itself is unknown.
        let unknown = self.unknown(id);
        self.values.insert(id, unknown.clone());
        if self.assumed > 0 {
            self.found_by_assumption.push(id);
        }
        let ty = self.inputs.function.values[id].ty;
        let found = self.computed(id, depth + 1).map(|found| found.wrapped(ty));
        let found =
            found.map(|found| if self.is_of_other_iterations(id) { found.without_base() } else { found });
        // If the values of the lanes are unknown, the uniformity of the value still counts.
        let found = found.filter(|found| !found.is_unknown()).unwrap_or(unknown);
        self.values.insert(id, found.clone());
        found
    }

    /// Whether an operand of an operation belongs to a loop that lanes left in different iterations. It is the same in all
    /// lanes of an iteration, but lanes come with values of different iterations.
    fn is_of_other_iterations(&self, id: ValueId) -> bool {
        let Some(block) = self.inputs.graph.home[id] else { return false };
        let mut found = false;
        self.inputs.function.values[id]
            .op
            .operands(|&operand| found |= self.has_left_apart(operand, Some(id), block));
        let stored = self.inputs.forwarded.get(&id);
        found || stored.is_some_and(|&stored| self.has_left_apart(stored, Some(id), block))
    }

    /// Whether lanes may have left a loop of a value in different iterations before its use in a block.
    fn has_left_apart(&self, value: ValueId, user: Option<ValueId>, block: BlockId) -> bool {
        self.inputs.graph.is_left_apart(value, user, block, |branch| (self.inputs.is_divergent)(branch))
    }

    /// Computes a value. The result may be out of the range of its type. `None`: it is unknown.
    fn computed(&mut self, id: ValueId, depth: u32) -> Option<LaneValues> {
        let function = self.inputs.function;
        let value = &function.values[id];
        match &value.op {
            Op::Parameter(number) => self.arguments.get(*number as usize).cloned(),
            Op::Constant(constant) if is_number(value.ty) => self.constant(constant),
            Op::Unary { op, operand } if is_number(value.ty) => {
                let operand = self.values_at(*operand, depth);
                Some(operand.map(|part| unary(*op, part, value.ty)))
            }
            Op::Binary { op, left, right } => self.binary(id, *op, (*left, *right), depth),
            Op::Compare { op, left, right } => self.compare(*op, (*left, *right), depth),
            Op::Unknown { what, operands } => match (what, &**operands) {
                (Unknown::Arithmetic(op), &[left, right]) => self.binary(id, *op, (left, right), depth),
                (Unknown::Compare(op), &[left, right]) => self.compare(*op, (left, right), depth),
                (Unknown::Value, &[operand, ..]) if function.is_same_number(id) => {
                    Some(self.values_at(operand, depth))
                }
                (Unknown::Name(_) | Unknown::Dependent(_), _) => {
                    Some(LaneValues::shared(self.size.trailing_zeros(), self.size))
                }
                _ => None,
            },
            Op::Convert { conversion: Conversion::Integer, operand } => Some(self.values_at(*operand, depth)),
            Op::Convert { conversion: Conversion::ToBool, operand } => {
                let operand = self.values_at(*operand, depth);
                let zero = self.same(LaneValue::new(0));
                let holds = |part: LaneValue| part.is_true().map_or(LaneValue::UNKNOWN, truth);
                let shared = shared_comparison(Comparison::NotEqual, &operand, &zero);
                Some(shared.unwrap_or_else(|| operand.map(holds)))
            }
            Op::Select { condition, then, otherwise } if is_number(value.ty) => {
                let condition = self.values_at(*condition, depth);
                let (then, otherwise) = (self.values_at(*then, depth), self.values_at(*otherwise, depth));
                let either = then.with(&otherwise, LaneValue::either);
                let chosen = |lane: usize| match condition.at(lane).is_true() {
                    Some(true) => then.at(lane),
                    Some(false) => otherwise.at(lane),
                    None => either.at(lane),
                };
                Some(self.each(chosen))
            }
            Op::Phi(incoming) if is_number(value.ty) => self.phi(id, incoming, depth),
            Op::Load { .. } => {
                let stored = *self.inputs.forwarded.get(&id)?;
                Some(self.values_at(stored, depth))
            }
            Op::Call(call) => self.call(id, call, depth),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        id: ValueId,
        op: Arithmetic,
        (left, right): (ValueId, ValueId),
        depth: u32,
    ) -> Option<LaneValues> {
        if !is_number(self.inputs.function.values[id].ty) {
            return None;
        }
        let (left, right) = (self.values_at(left, depth), self.right_operand(id, op, right, depth));
        let lanes = || left.with(&right, |left, right| arithmetic(op, left, right));
        Some(shared_arithmetic(op, &left, &right).unwrap_or_else(lanes))
    }

    fn compare(
        &mut self,
        op: Comparison,
        (left, right): (ValueId, ValueId),
        depth: u32,
    ) -> Option<LaneValues> {
        if !is_number(self.inputs.function.values[left].ty) {
            return None;
        }
        let (left, right) = (self.values_at(left, depth), self.values_at(right, depth));
        let lanes = || left.with(&right, |left, right| comparison(op, left, right));
        Some(shared_comparison(op, &left, &right).unwrap_or_else(lanes))
    }

    /// Returns the values of the right operand of an operation. A shift has a count modulo the width of its type. In some
    /// languages, the result of a shift by more bits is undefined, so it is unknown here.
    fn right_operand(&mut self, id: ValueId, op: Arithmetic, right: ValueId, depth: u32) -> LaneValues {
        let values = &self.inputs.function.values;
        let bits = values[id].ty.as_integer().map_or(0, |integer| i128::from(integer.bits()));
        let reduced = match values[right].op {
            Op::Binary { op: Arithmetic::And, left: count, right: mask }
                if matches!(op, Arithmetic::Shl | Arithmetic::Shr)
                    && values[mask].op == Op::Constant(Constant::Integer(bits - 1)) =>
            {
                count
            }
            _ => return self.values_at(right, depth),
        };
        let count = self.values_at(reduced, depth);
        let is_in_range = |number: &i128| (0..bits).contains(number);
        let one =
            |part: LaneValue| part.exact().filter(is_in_range).map_or(LaneValue::UNKNOWN, LaneValue::new);
        count.map(one)
    }

    fn phi(&mut self, id: ValueId, incoming: &[(BlockId, ValueId)], depth: u32) -> Option<LaneValues> {
        let block = self.inputs.graph.home[id]?;
        if incoming.iter().any(|&(from, _)| !self.is_forward(from, block)) {
            return self.loop_phi(id, incoming, depth);
        }
        let on_edge = |&(from, value): &(BlockId, ValueId)| (self.flow.on_edge(from, block).possibly, value);
        let choices: Vec<(u64, ValueId)> = incoming.iter().map(on_edge).collect();
        Some(self.one_of(&choices, depth))
    }

    /// Returns the value of a phi in a loop, for the lanes that execute an iteration together.
    fn loop_phi(&mut self, id: ValueId, incoming: &[(BlockId, ValueId)], depth: u32) -> Option<LaneValues> {
        if self.assumed == MAX_ASSUMED {
            return None;
        }
        let block = self.inputs.graph.home[id]?;
        let (first, next): (Vec<_>, Vec<_>) =
            incoming.iter().partition(|&&(from, _)| self.is_forward(from, block));
        let [(_, first)] = first[..] else { return None };
        let (power, offsets) = self.values_at(first, depth).based()?;
        for power in [power.min(self.size.trailing_zeros()), 0] {
            let assumed = LaneValues::with_base(power, &offsets, self.size);
            let before = self.values.insert(id, assumed.clone());
            let confirms = |values: LaneValues| {
                let Some((other, next)) = values.based() else { return false };
                let steps = next.with(&offsets, |next, offset| next - offset);
                other >= power && matches!(steps, Lanes::Same(step) if step & ((1 << power) - 1) == 0)
            };
            self.assumed += 1;
            let first = self.found_by_assumption.len();
            let is_confirmed = next.iter().all(|&(_, next)| confirms(self.values_at(next, depth)));
            self.assumed -= 1;
            // They may depend on the assumption.
            for found in self.found_by_assumption.drain(first..) {
                self.values.remove(&found);
            }
            self.values.extend(before.map(|before| (id, before)));
            if is_confirmed {
                return Some(assumed);
            }
        }
        None
    }

    /// Returns the value that a lane may have, if it is one of several. Each has the lanes that may have it.
    fn one_of(&mut self, choices: &[(u64, ValueId)], depth: u32) -> LaneValues {
        let all = u64::MAX >> (MAX_LANES - self.size);
        if choices.iter().all(|&(lanes, _)| lanes & all == all || lanes == 0) {
            let values = choices.iter().filter(|(lanes, _)| *lanes != 0);
            let values = values.map(|&(_, value)| self.values_at(value, depth).without_base());
            let any = values.reduce(|any, value| any.with(&value, LaneValue::either));
            return any.unwrap_or_else(|| self.same(LaneValue::UNKNOWN));
        }
        let mut found: Vec<Option<LaneValue>> = vec![None; self.size as usize];
        for &(lanes, value) in choices.iter().filter(|(lanes, _)| *lanes != 0) {
            let values = self.values_at(value, depth);
            for (lane, found) in found.iter_mut().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
                let value = values.at(lane);
                *found = Some(found.map_or(value, |before| before.either(value)));
            }
        }
        LaneValues::of(found.into_iter().map(|value| value.unwrap_or(LaneValue::UNKNOWN)))
    }
}

/// Whether a value of this type is a number. A value of an unknown type counts as an integer.
fn is_number(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Integer(_) | TyKind::Bool | TyKind::Unknown)
}

#[cfg(test)]
mod tests;
