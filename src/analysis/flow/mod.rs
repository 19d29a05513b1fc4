//! Lowers typed bodies to flow graphs with tokens (`tangle-ir`).
//!
//! A function is lowered in steps. [`build`] makes a graph with loads and stores of variables. [`dispatch`], if
//! requested, makes irreducible cycles reducible. [`ssa`] turns variables into values. [`tokens`] places tokens by the
//! nesting of the statements, or infers them from the graph alone ([`infer`]). [`verify`] checks the result against the
//! static rules.

pub mod build;
pub mod instances;
pub mod module;
pub mod skeletons;

pub use tangle_ir::flow::*;
