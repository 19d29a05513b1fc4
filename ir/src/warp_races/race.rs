//! Races as data.

use tangle_base::Symbol;

use crate::flow::ValueId;

/// An access in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of the function.
    pub function: u32,
    /// The operation.
    pub value: ValueId,
}

/// Two accesses to the same memory by two lanes of a warp that no barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that the execution performed first.
    pub first: Place,
    /// The other one.
    pub second: Place,
    /// The lane of the first access.
    pub first_lane: usize,
    /// The lane of the second access.
    pub second_lane: usize,
    /// Whether the first access stores. The other one reads then, and the reverse.
    pub first_stores: bool,
    /// Whether both surely touch the same memory. Otherwise one of them touches an element of the same array that is unknown
    /// in each lane.
    pub is_certain: bool,
    /// The variable in shared memory. `None`: other memory.
    pub shared: Option<Symbol>,
}
