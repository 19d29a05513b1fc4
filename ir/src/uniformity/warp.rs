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

use std::rc::Rc;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Launch;
use super::graph::Graph;
use crate::flow::{BlockId, Call, Callee, Function, Op, Terminator, Unknown, ValueId};
use crate::operation::{Collective, CollectiveOp, Index, Lane, Mask, Math, Operation, Outside, Size};
use crate::types::{Integer, Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

/// The limit on operations between a value and the values that it is computed from.
const MAX_DEPTH: u32 = 64;

/// The limit on phis of loops whose values are assumed at the same time.
const MAX_ASSUMED: u32 = 3;

/// The greatest number of lanes of a warp.
pub const MAX_LANES: u32 = 64;

/// The known part of a number in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneValue {
    /// The number if it is exact. Otherwise its known low bits; the other bits are 0.
    number: i128,
    /// How many low bits are known, at most 64. `None`: the number is exact.
    low: Option<u32>,
}

impl LaneValue {
    /// Nothing is known of the number.
    pub const UNKNOWN: LaneValue = LaneValue { number: 0, low: Some(0) };

    /// Returns a number that is known exactly.
    pub const fn new(number: i128) -> LaneValue {
        LaneValue { number, low: None }
    }

    /// Returns a number with the lowest `low` bits of `number`. Its other bits are unknown.
    fn with_low_bits(number: i128, low: u32) -> LaneValue {
        let low = low.min(64);
        LaneValue { number: number & ((1 << low) - 1), low: Some(low) }
    }

    /// Returns the number. `None` if it is not known exactly.
    pub fn exact(self) -> Option<i128> {
        match self.low {
            None => Some(self.number),
            Some(_) => None,
        }
    }

    /// Returns the number of known low bits. 64 if the number is exact.
    fn known_bits(self) -> u32 {
        self.low.unwrap_or(64)
    }

    /// Returns the number of low bits that are known to be 0.
    fn zeros(self) -> u32 {
        match self.number {
            0 => self.known_bits(),
            number => number.trailing_zeros(),
        }
    }

    /// Whether the number is known not to be the other one.
    fn differs(self, other: LaneValue) -> bool {
        let common = self.known_bits().min(other.known_bits());
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => a != b,
            _ => ((self.number ^ other.number) & ((1 << common) - 1)) != 0,
        }
    }

    /// Returns the common part of two numbers, for a number that is one of them.
    fn either(self, other: LaneValue) -> LaneValue {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) if a == b => self,
            _ => {
                let equal = (self.number ^ other.number).trailing_zeros();
                let low = self.known_bits().min(other.known_bits()).min(equal);
                LaneValue::with_low_bits(self.number, low)
            }
        }
    }

    /// Returns the number in an integer type.
    fn wrapped(self, ty: Ty) -> LaneValue {
        let TyKind::Integer(integer) = ty.kind() else { return self };
        if matches!(integer, Integer::Int128 | Integer::UInt128) {
            return self;
        }
        let bits = integer.bits();
        match self.low {
            Some(low) if low < bits => self,
            _ => {
                let low = self.number & ((1 << bits) - 1);
                let is_negative = integer.signed() && low >> (bits - 1) != 0;
                LaneValue::new(if is_negative { low - (1 << bits) } else { low })
            }
        }
    }

    /// Whether the number is not 0. `None`: unknown.
    fn is_true(self) -> Option<bool> {
        match self.exact() {
            Some(number) => Some(number != 0),
            None => (self.number != 0).then_some(true),
        }
    }
}

/// The value in each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneValues {
    lanes: Rc<[LaneValue]>,
    /// The values have a shared base, a multiple of 2 to this power. The lanes then have the offsets, as exact numbers.
    shared: Option<u32>,
}

impl LaneValues {
    /// Returns the number in each lane. `None` for a lane: it is not known exactly.
    pub fn exact(&self) -> Vec<Option<i128>> {
        (0..self.lanes.len()).map(|lane| self.at(lane).exact()).collect()
    }

    /// Returns the known part of the value in a lane.
    fn at(&self, lane: usize) -> LaneValue {
        let value = self.lanes[lane];
        self.shared.map_or(value, |low| LaneValue::with_low_bits(value.number, low))
    }

    /// Whether all lanes have the same number, known or unknown.
    pub fn is_uniform(&self) -> bool {
        self.based().is_some_and(|(_, offsets)| are_equal(&offsets))
    }

    /// Returns the number that all lanes have. `None`: it is unknown, or lanes differ.
    fn constant(&self) -> Option<i128> {
        let first = self.lanes.first()?.exact().filter(|_| self.shared.is_none())?;
        self.lanes.iter().all(|value| value.exact() == Some(first)).then_some(first)
    }

    /// Returns the power of two that divides the shared base, and the offsets. An exact value has the base 0, which
    /// every power divides. `None`: neither.
    fn based(&self) -> Option<(u32, Vec<i128>)> {
        let offsets = self.lanes.iter().map(|value| value.exact());
        Some((self.shared.unwrap_or(64), offsets.collect::<Option<Vec<i128>>>()?))
    }

    /// Returns what is known of each lane alone.
    fn without_base(&self) -> LaneValues {
        LaneValues::of((0..self.lanes.len()).map(|lane| self.at(lane)))
    }

    fn of(lanes: impl Iterator<Item = LaneValue>) -> LaneValues {
        LaneValues { lanes: lanes.collect(), shared: None }
    }

    fn with_base(low: u32, offsets: impl Iterator<Item = i128>) -> LaneValues {
        LaneValues { lanes: offsets.map(LaneValue::new).collect(), shared: Some(low.min(64)) }
    }

    /// Returns the values in an integer type. A shared base does not wrap in a type of at least 32 bits.
    fn wrapped(&self, ty: Ty) -> LaneValues {
        let keeps_base = ty.as_integer().map_or(ty.is_unknown(), |integer| integer.bits() >= 32);
        match self.shared {
            Some(_) if keeps_base || ty == Ty::BOOL => self.clone(),
            _ => LaneValues::of((0..self.lanes.len()).map(|lane| self.at(lane).wrapped(ty))),
        }
    }
}

/// The lanes that reach a block or take an edge, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachingLanes {
    /// The lanes that do so in every launch where the warp gets there.
    pub surely: u64,
    /// The lanes that do so in some launch.
    pub possibly: u64,
}

impl ReachingLanes {
    fn of_all(lanes: u64) -> ReachingLanes {
        ReachingLanes { surely: lanes, possibly: lanes }
    }

    fn union(self, other: ReachingLanes) -> ReachingLanes {
        ReachingLanes { surely: self.surely | other.surely, possibly: self.possibly | other.possibly }
    }
}

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
    /// The known properties of the launches.
    pub launch: Launch,
}

/// The lanes of one warp that reach the blocks of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpFlow {
    /// The lanes with a thread, as bits.
    all: u64,
    blocks: IndexVec<BlockId, ReachingLanes>,
    /// The lanes of each edge. Edges between the same two blocks are joined.
    edges: FxHashMap<(BlockId, BlockId), ReachingLanes>,
    /// The blocks with a branch at which lanes diverge in some launch, and the numbers of the threads do not decide which
    /// lanes.
    undecided: FxHashSet<BlockId>,
}

impl WarpFlow {
    /// Returns the lanes with a thread, as bits.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Returns the lanes that reach a block.
    pub fn reaching(&self, block: BlockId) -> ReachingLanes {
        self.blocks[block]
    }

    /// Returns the lanes that take the edge between two blocks.
    pub fn on_edge(&self, from: BlockId, to: BlockId) -> ReachingLanes {
        self.edges.get(&(from, to)).copied().unwrap_or_default()
    }

    /// Whether lanes may diverge at the end of a block, and the numbers of the threads do not decide which lanes.
    pub fn is_undecided(&self, block: BlockId) -> bool {
        self.undecided.contains(&block)
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
    /// Evaluates a function in the warp with this number in its block. `arguments`: the values of its arguments; missing
    /// ones at the end are unknown.
    pub fn of(inputs: WarpInputs<'a>, number: u32, arguments: Vec<LaneValues>) -> Warp<'a> {
        let size = inputs.launch.sub_group_size.unwrap_or(32).clamp(1, MAX_LANES);
        let mut all = u64::MAX >> (MAX_LANES - size);
        if let Some(sizes) = inputs.launch.work_group_size() {
            let threads = sizes.iter().fold(1_u32, |all, &size| all.saturating_mul(size));
            let left = threads.saturating_sub(number.saturating_mul(size));
            if left < size {
                all &= (1 << left) - 1;
            }
        }
        let blocks = index_vec![ReachingLanes::default(); inputs.function.blocks.len()];
        let flow = WarpFlow { all, blocks, edges: FxHashMap::default(), undecided: FxHashSet::default() };
        let values = FxHashMap::default();
        let mut warp = Warp { inputs, arguments, number, size, values, flow, assumed: 0 };
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

    fn find_reaching_lanes(&mut self) {
        let graph = self.inputs.graph;
        for &block in graph.dominators.order() {
            let mut here = match block == Function::ENTRY {
                true => ReachingLanes::of_all(self.flow.all),
                false => self.entering(block),
            };
            if let Some(before) =
                graph.dominators.immediate(block).filter(|&it| self.always_follows(block, it))
            {
                here.surely |= self.flow.blocks[before].surely & here.possibly;
            }
            self.flow.blocks[block] = here;
            for (to, lanes) in self.leaving(block, here) {
                let edge = self.flow.edges.entry((block, to)).or_default();
                *edge = edge.union(lanes);
            }
        }
    }

    /// Returns the lanes that reach a block by its forward edges.
    fn entering(&self, block: BlockId) -> ReachingLanes {
        let before = self.inputs.graph.predecessors()[block].iter();
        let forward = before.filter(|&&from| self.is_forward(from, block));
        forward.fold(ReachingLanes::default(), |all, &from| all.union(self.flow.on_edge(from, block)))
    }

    fn is_forward(&self, from: BlockId, to: BlockId) -> bool {
        let position = |block| self.inputs.graph.dominators.position(block);
        position(from) < position(to)
    }

    /// Whether each thread that reaches the block `before`, which dominates `block`, reaches `block` afterwards: no
    /// branch between the two leads past `block`.
    fn always_follows(&self, block: BlockId, before: BlockId) -> bool {
        let WarpInputs { function, graph, .. } = self.inputs;
        graph.controllers[block].iter().all(|&branch| {
            let is_between =
                graph.dominators.dominates(before, branch) && !graph.dominators.dominates(block, branch);
            !is_between || function.blocks[branch].terminator.successors().len() < 2
        })
    }

    /// Returns the lanes that leave a block by each of its edges.
    fn leaving(&mut self, block: BlockId, here: ReachingLanes) -> Vec<(BlockId, ReachingLanes)> {
        let terminator = &self.inputs.function.blocks[block].terminator;
        let (value, choices) = match terminator {
            Terminator::Branch { condition, then, otherwise } => {
                (*condition, vec![(*then, None), (*otherwise, Some((0, 0)))])
            }
            Terminator::Switch { value, cases, otherwise } => {
                let cases = cases.iter().map(|&(first, last, to)| (to, Some((first, last))));
                (*value, cases.chain([(*otherwise, None)]).collect())
            }
            _ => return terminator.successors().into_iter().map(|to| (to, here)).collect(),
        };
        let is_branch = matches!(terminator, Terminator::Branch { .. });
        let values = self.values(value);
        let is_same =
            values.based().is_some_and(|(_, offsets)| values.shared.is_some() && are_equal(&offsets))
                && !self.has_left_apart(value, None, block);
        let is_divergent = !is_same && (self.inputs.is_divergent)(block);
        // The lanes of each edge, and the lanes whose value is unknown.
        let mut known: Vec<u64> = vec![0; choices.len()];
        let mut open = 0;
        for lane in 0..self.size as usize {
            let value = values.at(lane);
            let decided = if is_branch { value.is_true().map(i128::from) } else { value.exact() };
            match decided {
                Some(number) => {
                    let is_meant = |range: &Option<(i128, i128)>| {
                        range.is_some_and(|(first, last)| (first..=last).contains(&number))
                    };
                    let chosen = choices.iter().position(|(_, range)| is_meant(range));
                    let chosen = chosen.or_else(|| choices.iter().position(|(_, range)| range.is_none()));
                    known[chosen.unwrap_or_default()] |= 1 << lane;
                }
                None => open |= 1 << lane,
            }
        }
        if is_divergent && here.possibly & open != 0 {
            self.flow.undecided.insert(block);
        }
        let edges = choices.iter().zip(known).map(|(&(to, _), known)| {
            let surely = if is_divergent { known } else { known | open };
            let lanes =
                ReachingLanes { surely: here.surely & surely, possibly: here.possibly & (known | open) };
            (to, lanes)
        });
        edges.collect()
    }

    /// Returns the value of an integer or `bool` in each lane.
    pub fn values(&mut self, value: ValueId) -> LaneValues {
        self.values_at(value, 0)
    }

    /// Returns a value for which only its uniformity is known.
    fn unknown(&self, id: ValueId) -> LaneValues {
        match (self.inputs.is_uniform)(id) {
            true => LaneValues::with_base(0, (0..self.size).map(|_| 0)),
            false => self.same(LaneValue::UNKNOWN),
        }
    }

    fn same(&self, value: LaneValue) -> LaneValues {
        LaneValues::of((0..self.size).map(|_| value))
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
        let ty = self.inputs.function.values[id].ty;
        let found = self.computed(id, depth + 1).map(|found| found.wrapped(ty));
        let found =
            found.map(|found| if self.is_of_other_iterations(id) { found.without_base() } else { found });
        // If the values of the lanes are unknown, the uniformity of the value still counts.
        let is_unknown = |found: &LaneValues| {
            found.shared.is_none() && found.lanes.iter().all(|it| *it == LaneValue::UNKNOWN)
        };
        let found = found.filter(|found| !is_unknown(found)).unwrap_or(unknown);
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
        found
    }

    /// Whether lanes may have left a loop of a value in different iterations before its use in a block.
    fn has_left_apart(&self, value: ValueId, user: Option<ValueId>, block: BlockId) -> bool {
        let graph = self.inputs.graph;
        let is_divergent = |&branch: &BlockId| (self.inputs.is_divergent)(branch);
        graph.left(value, user, block).any(|cycle| graph.exit_branches[cycle].iter().any(is_divergent))
    }

    /// Computes a value. The result may be out of the range of its type. `None`: it is unknown.
    fn computed(&mut self, id: ValueId, depth: u32) -> Option<LaneValues> {
        let function = self.inputs.function;
        let value = &function.values[id];
        match &value.op {
            Op::Parameter(number) => self.arguments.get(*number as usize).cloned(),
            Op::Constant(Constant::Integer(number)) => Some(self.same(LaneValue::new(*number))),
            Op::Constant(Constant::Zero) if is_number(value.ty) => Some(self.same(LaneValue::new(0))),
            Op::Unary { op, operand } if is_number(value.ty) => {
                let operand = self.values_at(*operand, depth);
                let is_bool = value.ty == Ty::BOOL;
                let one = |value: LaneValue| match (op, value.low) {
                    (UnaryOp::Complement, _) if is_bool => {
                        value.is_true().map_or(LaneValue::UNKNOWN, |holds| truth(!holds))
                    }
                    (UnaryOp::Negate, None) => LaneValue::new(value.number.wrapping_neg()),
                    (UnaryOp::Complement, None) => LaneValue::new(!value.number),
                    (UnaryOp::Negate, Some(low)) => {
                        LaneValue::with_low_bits(value.number.wrapping_neg(), low)
                    }
                    (UnaryOp::Complement, Some(low)) => LaneValue::with_low_bits(!value.number, low),
                };
                Some(self.each(|lane| one(operand.at(lane))))
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
                    Some(LaneValues::with_base(self.size.trailing_zeros(), (0..self.size).map(|_| 0)))
                }
                _ => None,
            },
            Op::Convert { conversion: Conversion::Integer, operand } => Some(self.values_at(*operand, depth)),
            Op::Convert { conversion: Conversion::ToBool, operand } => {
                let operand = self.values_at(*operand, depth);
                let zero = self.same(LaneValue::new(0));
                let holds = |lane| operand.at(lane).is_true().map_or(LaneValue::UNKNOWN, truth);
                let shared = shared_comparison(Comparison::NotEqual, &operand, &zero);
                Some(shared.unwrap_or_else(|| self.each(holds)))
            }
            Op::Select { condition, then, otherwise } if is_number(value.ty) => {
                let condition = self.values_at(*condition, depth);
                let (then, otherwise) = (self.values_at(*then, depth), self.values_at(*otherwise, depth));
                let chosen = |lane| match condition.at(lane).is_true() {
                    Some(true) => then.at(lane),
                    Some(false) => otherwise.at(lane),
                    None => then.at(lane).either(otherwise.at(lane)),
                };
                Some(self.each(chosen))
            }
            Op::Phi(incoming) if is_number(value.ty) => self.phi(id, incoming, depth),
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
        let lanes = |lane| arithmetic(op, left.at(lane), right.at(lane));
        Some(shared_arithmetic(op, &left, &right).unwrap_or_else(|| self.each(lanes)))
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
        let lanes = |lane| comparison(op, left.at(lane), right.at(lane));
        Some(shared_comparison(op, &left, &right).unwrap_or_else(|| self.each(lanes)))
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
            |lane| count.at(lane).exact().filter(is_in_range).map_or(LaneValue::UNKNOWN, LaneValue::new);
        self.each(one)
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
            let assumed = LaneValues::with_base(power, offsets.iter().copied());
            let before = self.values.clone();
            self.values.insert(id, assumed.clone());
            let confirms = |values: LaneValues| {
                let Some((other, next)) = values.based() else { return false };
                let steps: Vec<i128> =
                    next.iter().zip(&offsets).map(|(next, offset)| next - offset).collect();
                other >= power && are_equal(&steps) && steps[0] & ((1 << power) - 1) == 0
            };
            self.assumed += 1;
            let is_confirmed = next.iter().all(|&(_, next)| confirms(self.values_at(next, depth)));
            self.assumed -= 1;
            // Other values may depend on the assumption.
            self.values = before;
            if is_confirmed {
                return Some(assumed);
            }
        }
        None
    }

    /// Returns the value that a lane may have, if it is one of several. Each has the lanes that may have it.
    fn one_of(&mut self, choices: &[(u64, ValueId)], depth: u32) -> LaneValues {
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

    fn call(&mut self, id: ValueId, call: &Call, depth: u32) -> Option<LaneValues> {
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
                    None => LaneValues::with_base(self.size.trailing_zeros(), lanes),
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
                Some(LaneValues::with_base(self.size.trailing_zeros(), lanes))
            }
            _ => None,
        }
    }

    /// Returns a number of threads.
    fn size_of(&self, size: Size, dimension: usize) -> Option<LaneValues> {
        let launch = self.inputs.launch;
        // The sizes of work-groups and of the grid are multiples of the warp size.
        let multiple = || LaneValues::with_base(self.size.trailing_zeros(), (0..self.size).map(|_| 0));
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

/// Whether a value of this type is a number. A value of an unknown type counts as an integer.
fn is_number(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Integer(_) | TyKind::Bool | TyKind::Unknown)
}

fn truth(holds: bool) -> LaneValue {
    LaneValue::new(holds.into())
}

fn are_equal(numbers: &[i128]) -> bool {
    numbers.iter().all(|number| *number == numbers[0])
}

/// Returns the result of an operation on two values as a value with a shared base, or as exact numbers. One of the values
/// must have a shared base. `None`: the lanes must be considered one by one.
fn shared_arithmetic(op: Arithmetic, left: &LaneValues, right: &LaneValues) -> Option<LaneValues> {
    if left.shared.is_none() && right.shared.is_none() {
        return None;
    }
    let ((a, of_a), (b, of_b)) = (left.based()?, right.based()?);
    let low = a.min(b);
    let pairs = || of_a.iter().zip(&of_b);
    let constant = right.constant();
    // A power of two on the right, as the number of its bit.
    let power = match op {
        Arithmetic::Shl | Arithmetic::Shr => constant.and_then(|it| u32::try_from(it).ok()),
        _ => constant.filter(|it| *it > 0 && it & (it - 1) == 0).map(i128::trailing_zeros),
    };
    let power = power.filter(|&power| power < 64);
    // The part of an offset that belongs to the multiples of the base.
    let multiple = |offset: &i128| offset >> low.min(63);
    let in_one_part = are_equal(&of_a.iter().map(multiple).collect::<Vec<_>>());
    let uniform = LaneValues::with_base(0, of_a.iter().map(|_| 0));
    Some(match (op, power) {
        (Arithmetic::Add, _) => LaneValues::with_base(low, pairs().map(|(x, y)| x.wrapping_add(*y))),
        (Arithmetic::Sub, _) => LaneValues::with_base(low, pairs().map(|(x, y)| x.wrapping_sub(*y))),
        (Arithmetic::Mul, Some(power)) => LaneValues::with_base(a + power, of_a.iter().map(|x| x << power)),
        (Arithmetic::Shl, Some(power)) => LaneValues::with_base(a + power, of_a.iter().map(|x| x << power)),
        (Arithmetic::Div | Arithmetic::Shr, Some(power)) if power <= a => {
            LaneValues::with_base(a - power, of_a.iter().map(|x| x >> power))
        }
        (Arithmetic::Div | Arithmetic::Shr, Some(_)) if in_one_part => uniform,
        (Arithmetic::Rem, Some(power)) if power <= a => {
            LaneValues::of(of_a.iter().map(|x| LaneValue::new(x & ((1 << power) - 1))))
        }
        (Arithmetic::Rem, Some(_)) if in_one_part => {
            LaneValues::with_base(a, of_a.iter().map(|x| x & ((1 << a) - 1)))
        }
        (Arithmetic::Mul, None) if constant.is_some() => {
            let factor = constant?;
            LaneValues::with_base(
                a + factor.trailing_zeros().min(64),
                of_a.iter().map(|x| x.wrapping_mul(factor)),
            )
        }
        (Arithmetic::Mul, None) if left.constant().is_some() => return shared_arithmetic(op, right, left),
        // One number in all lanes.
        _ if are_equal(&of_a) && are_equal(&of_b) => {
            let value = arithmetic(op, left.at(0), right.at(0));
            match value.exact() {
                Some(_) => LaneValues::of(of_a.iter().map(|_| value)),
                None => LaneValues::with_base(value.known_bits(), of_a.iter().map(|_| value.number)),
            }
        }
        _ => return None,
    })
}

/// Returns whether a relation between two values holds, if this is the same in all lanes. One of the values must have a
/// shared base. `None`: the lanes must be considered one by one.
fn shared_comparison(op: Comparison, left: &LaneValues, right: &LaneValues) -> Option<LaneValues> {
    if left.shared.is_none() && right.shared.is_none() {
        return None;
    }
    let ((a, of_a), (b, of_b)) = (left.based()?, right.based()?);
    let low = a.min(b).min(63);
    // The difference is a multiple of the base plus these offsets. Offsets in one part do not change its sign.
    let offsets: Vec<i128> = of_a.iter().zip(&of_b).map(|(x, y)| x.wrapping_sub(*y)).collect();
    let part = |offset: &i128| match op {
        Comparison::Less | Comparison::GreaterEqual => offset >> low,
        Comparison::Greater | Comparison::LessEqual => (offset - 1) >> low,
        Comparison::Equal | Comparison::NotEqual => *offset,
    };
    let is_same = are_equal(&offsets.iter().map(part).collect::<Vec<_>>());
    is_same.then(|| match comparison(op, left.at(0), right.at(0)) {
        known if known.exact().is_some() => LaneValues::of(offsets.iter().map(|_| known)),
        _ => LaneValues::with_base(0, offsets.iter().map(|_| 0)),
    })
}

/// Returns the result of an operation on two integers.
fn arithmetic(op: Arithmetic, a: LaneValue, b: LaneValue) -> LaneValue {
    if let (Some(a), Some(b)) = (a.exact(), b.exact()) {
        return exact_arithmetic(op, a, b).map_or(LaneValue::UNKNOWN, LaneValue::new);
    }
    let low = a.known_bits().min(b.known_bits());
    let (x, y) = (a.number, b.number);
    // A power of two on the right, as the number of its bit.
    let power = b.exact().filter(|&it| it > 0 && it & (it - 1) == 0).map(i128::trailing_zeros);
    let count = || b.exact().and_then(|count| u32::try_from(count).ok()).filter(|&count| count < 64);
    let less = |by: u32| LaneValue::with_low_bits(x >> by, a.known_bits().saturating_sub(by));
    match op {
        Arithmetic::Add => LaneValue::with_low_bits(x.wrapping_add(y), low),
        Arithmetic::Sub => LaneValue::with_low_bits(x.wrapping_sub(y), low),
        Arithmetic::Or => LaneValue::with_low_bits(x | y, low),
        Arithmetic::Xor => LaneValue::with_low_bits(x ^ y, low),
        Arithmetic::Mul => {
            let (of_a, of_b) = (a.low.map(|low| low + b.zeros()), b.low.map(|low| low + a.zeros()));
            let known = of_a.unwrap_or(64).min(of_b.unwrap_or(64));
            LaneValue::with_low_bits(x.wrapping_mul(y), known)
        }
        Arithmetic::And => {
            let fits = |mask: LaneValue, other: LaneValue| {
                mask.exact().is_some_and(|it| it >= 0 && it >> other.known_bits() == 0)
            };
            match fits(a, b) || fits(b, a) {
                true => LaneValue::new(x & y),
                false => LaneValue::with_low_bits(x & y, low),
            }
        }
        Arithmetic::Shl => match count() {
            Some(count) => LaneValue::with_low_bits(x << count, a.known_bits() + count),
            None => LaneValue::UNKNOWN,
        },
        Arithmetic::Shr => count().map_or(LaneValue::UNKNOWN, less),
        Arithmetic::Div => power.map_or(LaneValue::UNKNOWN, less),
        Arithmetic::Rem => match power {
            Some(bits) if bits <= a.known_bits() => LaneValue::new(x & ((1 << bits) - 1)),
            _ => LaneValue::UNKNOWN,
        },
    }
}

/// Returns the result of an operation on two known integers. `None`: it is undefined.
fn exact_arithmetic(op: Arithmetic, a: i128, b: i128) -> Option<i128> {
    let count = || u32::try_from(b).ok().filter(|&count| count < 64);
    match op {
        Arithmetic::Mul => a.checked_mul(b),
        Arithmetic::Div => a.checked_div(b),
        Arithmetic::Rem => a.checked_rem(b),
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Sub => a.checked_sub(b),
        Arithmetic::Shl => a.checked_mul(1 << count()?),
        Arithmetic::Shr => Some(a >> count()?),
        Arithmetic::And => Some(a & b),
        Arithmetic::Or => Some(a | b),
        Arithmetic::Xor => Some(a ^ b),
    }
}

fn comparison(op: Comparison, a: LaneValue, b: LaneValue) -> LaneValue {
    match (a.exact(), b.exact()) {
        (Some(a), Some(b)) => truth(match op {
            Comparison::Less => a < b,
            Comparison::Greater => a > b,
            Comparison::LessEqual => a <= b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }),
        _ if a.differs(b) && op == Comparison::Equal => truth(false),
        _ if a.differs(b) && op == Comparison::NotEqual => truth(true),
        _ => LaneValue::UNKNOWN,
    }
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

#[cfg(test)]
mod tests;
