//! The lanes of a warp that reach the blocks of a function, as data.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::BlockId;

/// The lanes that reach a block or take an edge, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReachingLanes {
    /// The lanes that do so in every launch where the warp gets there.
    pub surely: u64,
    /// The lanes that do so in some launch.
    pub possibly: u64,
    /// The lanes that do so in every launch where the warp executes the function.
    pub(super) always: u64,
}

impl ReachingLanes {
    pub(super) fn of_all(lanes: u64) -> ReachingLanes {
        ReachingLanes { surely: lanes, possibly: lanes, always: lanes }
    }

    /// The lanes of two edges between the same two blocks.
    pub(super) fn union(self, other: ReachingLanes) -> ReachingLanes {
        ReachingLanes {
            surely: self.surely | other.surely,
            possibly: self.possibly | other.possibly,
            always: self.always | other.always,
        }
    }

    /// The lanes that reach a block by its edges. The warp may get there by any one of them, so a lane surely does so if
    /// it takes each edge that the warp takes, or some edge in every launch.
    pub(super) fn joined(edges: impl Iterator<Item = ReachingLanes>) -> ReachingLanes {
        let taken = edges.filter(|edge| edge.possibly != 0);
        let join = |all: ReachingLanes, edge: ReachingLanes| ReachingLanes {
            surely: all.surely & edge.surely,
            ..all.union(edge)
        };
        let all = taken.reduce(join).unwrap_or_default();
        ReachingLanes { surely: all.surely | all.always, ..all }
    }
}

/// The lanes of one warp that reach the blocks of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpFlow {
    /// The lanes with a thread, as bits.
    pub(super) all: u64,
    pub(super) blocks: IndexVec<BlockId, ReachingLanes>,
    /// The lanes of each edge. Edges between the same two blocks are joined.
    pub(super) edges: FxHashMap<(BlockId, BlockId), ReachingLanes>,
    /// The blocks with a branch at which lanes diverge in some launch, and the numbers of the threads do not decide which
    /// lanes.
    pub(super) undecided: FxHashSet<BlockId>,
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
