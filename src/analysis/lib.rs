//! The analyses of functions and units: which threads arrive together, and which values are uniform.
//!
//! | room | from | to |
//! |---|---|---|
//! | [`tangle`] | bodies | candidate tangles of every statement, doubts with their causes |
//! | [`program`] | bodies, types, tangles | the functions of a unit: who calls whom, who is convergent |
//! | [`flow`] | bodies, types, tangles | control-flow graphs in SSA form with convergence tokens |
//! | [`uniformity`] | flow graphs | the values that are uniform in a group, and the operations that all of its threads reach |
//! | [`lookup`] | a place of a file | the item, function, statement and name there |
//!
//! Analyses return facts with causes, not words. `docs/semantics.md` decides their meaning.

pub mod flow;
pub mod lookup;
pub mod program;
pub mod tangle;
pub mod uniformity;
