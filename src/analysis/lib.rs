//! The analyses of functions and units: which threads arrive together, and which values are uniform.
//!
//! | module | input | result |
//! |---|---|---|
//! | [`tangle`] | bodies | candidate tangles of every statement, doubts with their causes |
//! | [`program`] | bodies, types, tangles | the functions of a unit: call graph, convergent functions |
//! | [`flow`] | bodies, types, tangles | control-flow graphs in SSA form with convergence tokens |
//! | [`uniformity`] | flow graphs | the values that are uniform in a group, the operations that all its threads reach |
//! | [`races`] | flow graphs | accesses of lanes of a warp to the same memory that no barrier orders |
//! | [`lookup`] | an offset in a file | the item, function, statement and name there |
//!
//! The analyses return facts with causes as data, not as text. `docs/semantics.md` defines their meaning.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_analysis::flow::module::{Options, lower};
//! use tangle_analysis::program::functions;
//! use tangle_analysis::tangle::{Model, tangles_of};
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let text = "kernel void k(int n) { if (get_local_id(0)) goto out; n = 1; out: barrier(1); }";
//! let file = db.set_text("k.cl", text);
//!
//! // The threads that jump to the label and the threads that reach it from above can be in one tangle or in two.
//! let (_, function) = functions(&db, file, settings).iter().next().unwrap();
//! let tangles = &tangles_of(&db, function.item.scoped.item(&db), Model::Tangles).0[0];
//! assert!(tangles.calls.iter().any(|call| call.doubt.is_some()));
//! assert_eq!(lower(&db, file, settings, &Options::default()).module.functions.len(), 1);
//! ```

pub mod flow;
pub mod lookup;
pub mod program;
pub mod races;
pub mod tangle;
pub mod uniformity;
