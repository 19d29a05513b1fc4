//! Files to tokens to parsed items.
//!
//! | module | from | to |
//! |---|---|---|
//! | [`dialect`] | data files | a language as data, for all later stages |
//! | [`preprocess`] | tokens of files | chunks of top-level items, with the origin of each token |
//! | [`source`], [`db`] | paths, settings | files as inputs of the database |
//! | [`items`] | items | syntax trees (crate `tangle-grammar`) |
//!
//! The unit of parsing and analysis is the item. Items are interned by their tokens, and source locations are stored
//! separately. So if an item moves or the text around it changes, no query on the item runs again.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_syntax::db::Database;
//! use tangle_syntax::items;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let file = db.set_text("k.cl", "#define N 4\nkernel void k(global int *p) { p[N] = 1; }\nvoid f(void) {}\n");
//!
//! let unit = items::unit(&db, file, settings);
//! let own = unit.0.parts.iter().filter(|part| matches!(part, tangle_syntax::preprocess::Part::Item { .. }));
//! assert_eq!(own.count(), 2);
//! ```

pub mod db;
pub mod dialect;
pub mod items;
pub mod preprocess;
pub mod source;
