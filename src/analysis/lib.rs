//! The analyses of functions and units: which threads arrive together, and which values are uniform.
//!
//! | module | input | result |
//! |---|---|---|
//! | [`tangle`] | bodies | candidate tangles of every statement, doubts with their causes |
//! | [`program`] | bodies, types, tangles | the functions of a unit: call graph, convergent functions |
//! | [`flow`] | bodies, types, tangles | control-flow graphs in SSA form with convergence tokens |
//! | [`uniformity`] | flow graphs | the values that are uniform in a group, the operations that all its threads reach |
//! | [`lookup`] | an offset in a file | the item, function, statement and name there |
//!
//! The analyses return facts with causes as data, not as text. `docs/semantics.md` defines their meaning.

pub mod flow;
pub mod lookup;
pub mod program;
pub mod tangle;
pub mod uniformity;
