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

pub mod db;
pub mod dialect;
pub mod items;
pub mod preprocess;
pub mod source;
