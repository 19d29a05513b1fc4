//! The value that a lane of a vector comes from. The verdict on a lane does not depend on the other lanes.
//!
//! ```c
//! int4 x = (int4)(get_local_id(0));
//! x.xyz = (int3)(n);
//! x.x               // comes from `n`
//! x.w               // comes from `get_local_id(0)`
//! ```
//!
//! A lane is traced back through the operations that build vectors: inserts, shuffles, and scalars that are copied to
//! all lanes. Each lane of each vector is traced once, even if several operations read it.

use rustc_hash::FxHashMap;

use crate::flow::{Function, Op, ValueId};
use crate::value::{Constant, Conversion};

/// The values that the read lanes come from.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// For each operation that reads a lane with a known number, the source of that lane.
    read: FxHashMap<ValueId, ValueId>,
}

impl Lanes {
    /// Traces the lanes that a function reads.
    pub fn of(function: &Function) -> Lanes {
        let mut lanes = Lanes::default();
        let mut known: FxHashMap<(ValueId, i128), ValueId> = FxHashMap::default();
        for (id, value) in function.values.iter_enumerated() {
            let Op::Extract { vector, lane } = value.op else { continue };
            let Some(lane) = number(function, lane) else { continue };
            let mut at = (vector, lane);
            let mut way = Vec::new();
            let found = loop {
                if let Some(&found) = known.get(&at) {
                    break found;
                }
                way.push(at);
                match step(function, at) {
                    Step::To(next) => at = next,
                    Step::Ends(value) => break value,
                }
            };
            way.into_iter().for_each(|at| _ = known.insert(at, found));
            lanes.read.insert(id, found);
        }
        lanes
    }

    /// Returns the value that the lane read by an operation comes from: a scalar, or a vector whose lanes are unknown.
    /// `None` if the number of the lane is unknown.
    pub fn source(&self, extract: ValueId) -> Option<ValueId> {
        self.read.get(&extract).copied()
    }
}

/// One step back to the source of a lane.
enum Step {
    /// A lane of another vector.
    To((ValueId, i128)),
    /// A scalar, or this vector as a whole.
    Ends(ValueId),
}

fn step(function: &Function, (vector, wanted): (ValueId, i128)) -> Step {
    match &function.values[vector].op {
        Op::Insert { vector: rest, lane, value } => match number(function, *lane) {
            Some(lane) if lane == wanted => Step::Ends(*value),
            Some(_) => Step::To((*rest, wanted)),
            None => Step::Ends(vector),
        },
        Op::Shuffle { left, right, lanes } => {
            let lane = usize::try_from(wanted).ok().and_then(|wanted| lanes.get(wanted).copied().flatten());
            let of_left = function.values[*left].ty.lanes().map(|(_, count)| count);
            match (lane, of_left) {
                (Some(lane), Some(count)) if lane < count => Step::To((*left, lane.into())),
                (Some(lane), Some(count)) => Step::To((*right, (lane - count).into())),
                _ => Step::Ends(vector),
            }
        }
        Op::Convert { conversion: Conversion::Splat, operand } => Step::Ends(*operand),
        _ => Step::Ends(vector),
    }
}

fn number(function: &Function, id: ValueId) -> Option<i128> {
    match &function.values[id].op {
        Op::Constant(Constant::Integer(number)) => Some(*number),
        Op::Constant(Constant::Zero) => Some(0),
        _ => None,
    }
}
