//! Uniformity in the functions of a unit: runs the analysis of `tangle-ir` for each definition, and derives more facts.
//!
//! | module | contents |
//! |---|---|
//! | [`unit`](mod@unit) | the facts of each function of a unit, as queries |
//! | [`context`] | the inputs of these facts: callees, their summaries, assertions of users |
//! | [`effect`] | the effect of a callee according to the table of the dialect |
//! | [`argument_summary`] | argument summaries: the join of all call sites of a function |
//! | [`run_operations`](mod@run_operations) | the operations that a call runs |
//! | [`barriers`] | accesses to shared memory that barriers separate |
//! | [`waits`](mod@waits) | functions that wait for the whole work-group |
//! | [`jumps`] | uniform jumps, which cause no divergence |
//! | [`early_exits`] | the threads that exit a kernel, and the kernel without their exits |
//! | [`causes`] | the causes of divergence, across the calls of a unit |
//! | [`branch_regions`] | the blocks on each side of a branch |
//! | [`address`], [`paths`] | the computation of addresses; the operations before and after an operation |

pub mod address;
pub mod argument_summary;
pub mod barriers;
pub mod branch_regions;
pub mod causes;
pub mod context;
pub mod early_exits;
pub mod effect;
pub mod jumps;
pub mod paths;
pub mod run_operations;
#[cfg(test)]
mod tests;
pub mod unit;
pub mod waits;

pub use tangle_ir::uniformity::*;
