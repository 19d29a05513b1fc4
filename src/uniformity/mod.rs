//! What is uniform in the functions of a unit: the analysis of `tangle-ir`, run for what the unit defines.

pub mod effect;
pub mod jumps;
pub mod runs;
#[cfg(test)]
mod tests;
pub mod unit;

pub use tangle_ir::uniformity::*;
