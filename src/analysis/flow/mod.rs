//! From typed bodies to flow graphs with tokens (`tangle-ir`).
//!
//! A function is made in steps: [`build`] gives a graph whose variables are read and written in place; [`dispatch`], if asked for, makes
//! irreducible cycles reducible; [`ssa`] turns variables into values; [`tokens`] places tokens from how the statements
//! nest (or [`infer`] from the graph alone); [`verify`] holds the result against the static rules.

pub mod build;
pub mod module;

pub use tangle_ir::flow::*;
