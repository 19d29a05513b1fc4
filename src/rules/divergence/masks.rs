//! Operations whose threads a mask or a tile names, and the lanes that are named without executing them.
//!
//! **Named** lanes: the lanes in the mask that a lane passes, or in its tile. **Absent** lanes: named lanes that have not
//! left the kernel, do not reach the call, and execute no same operation with the same mask on another side of a branch
//! (`docs/semantics.md` §10). They are absent **provably** if the numbers of the threads decide it, in some warp that
//! reaches the call. Otherwise a divergent branch decides, with the confidence of its cause.
//!
//! ```c
//! if (lane < 16) x = __shfl_sync(0xffffffff, x, 0);      // lanes 16 to 31 are provably absent
//! if (p[lane]) x = __shfl_sync(0xffffffff, x, 0);        // some lanes may be absent
//! if (lane % 16 == 0) x = __shfl_sync(0x10001, x, 0);    // no lane is absent
//! if (i >= n) return; x = __shfl_sync(~0u, x, 0);        // the others have left the kernel
//! ```
//!
//! **Unnamed** callers: lanes that execute an operation and are not in their own mask. **Mixed** masks: a lane names another
//! one that passes another mask at the same call. Both are wrong whatever the other lanes do.
//!
//! A mask that depends on anything but constants and the numbers of the threads is unknown, and is not checked. The
//! operations of a callee count at its call, evaluated with the lane values of the arguments.
//!
//! | module | contents |
//! |---|---|
//! | `search` | the evaluation of functions and their callees |
//! | `origin` | masks that an operation yields |
//! | `together` | the branches that do not divide the threads of a group |
//! | `absent`, `unnamed`, `narrow`, `active`, `inactive` | the mistakes |

mod absent;
mod active;
mod inactive;
mod narrow;
mod origin;
mod search;
mod together;
mod unnamed;

pub(crate) use absent::AbsentLanes;
pub(crate) use active::{ActiveMaskMistake, ActiveMaskUse};
pub(crate) use inactive::{InactiveRead, Inactivity};
pub(crate) use narrow::NarrowMask;
pub(crate) use unnamed::{MaskMistake, UnnamedCallers};

use super::DivergenceContext;
use absent::absent_lanes;
use search::Search;

/// The mistakes with masks in a file.
pub(crate) struct MaskFacts {
    pub unnamed: Vec<UnnamedCallers>,
    /// Operations with unnamed callers are omitted.
    pub absent: Vec<AbsentLanes>,
    pub narrow: Vec<NarrowMask>,
    pub active: Vec<ActiveMaskUse>,
    pub inactive: Vec<InactiveRead>,
}

impl MaskFacts {
    /// Returns the mistakes in the functions that the rules examine.
    pub fn of(context: &DivergenceContext) -> MaskFacts {
        let search = Search::of(context);
        let unnamed = search.unnamed_callers();
        let mut absent = absent_lanes(&search);
        let is_reported = |it: &AbsentLanes| {
            unnamed.iter().any(|other| other.function == it.function && other.operation == it.operation)
        };
        absent.retain(|it| !is_reported(it));
        let mut inactive = search.inactive_reads();
        inactive.retain(|it| {
            !unnamed.iter().any(|other| other.function == it.function && other.operation == it.operation)
        });
        MaskFacts {
            unnamed,
            absent,
            narrow: search.narrow_masks(),
            active: search.active_mask_uses(),
            inactive,
        }
    }
}
