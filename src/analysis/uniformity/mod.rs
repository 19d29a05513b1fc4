//! What is uniform in the functions of a unit: the analysis of `tangle-ir`, run for what the unit defines, and what follows from it.
//!
//! | room | knows |
//! |---|---|
//! | [`unit`](mod@unit) | the facts of each function of a unit, shared by all who ask |
//! | [`context`] | what they depend on: callees, their summaries, what users assert |
//! | [`effect`] | what the table of a dialect says of a callee |
//! | [`passed`] | what the callers of a function pass, all together |
//! | [`runs`](mod@runs) | which operations run inside a call |
//! | [`barriers`] | shared memory that barriers keep apart |
//! | [`waits`](mod@waits) | functions whose callers wait for all of the work-group |
//! | [`jumps`] | jumps that no thread takes without the others |
//! | [`leavers`] | which threads leave a kernel, and what would be without them |
//! | [`blame`] | why threads disagree, over the calls of a unit |
//! | [`sides`] | what each side of a branch reaches |
//! | [`address`], [`ways`] | what addresses are computed from; what is ahead of an operation and behind it |

pub mod address;
pub mod barriers;
pub mod blame;
pub mod context;
pub mod effect;
pub mod jumps;
pub mod leavers;
pub mod passed;
pub mod runs;
pub mod sides;
#[cfg(test)]
mod tests;
pub mod unit;
pub mod waits;
pub mod ways;

pub use tangle_ir::uniformity::*;
