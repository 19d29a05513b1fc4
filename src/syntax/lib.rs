//! Files to tokens to parsed items.
//!
//! | room | from | to |
//! |---|---|---|
//! | [`dialect`] | texts | a language as data, which the stages ask |
//! | [`preprocess`] | tokens of files | chunks of top-level items, each token with its origin |
//! | [`source`], [`db`] | paths, settings | files as inputs of the database |
//! | [`items`] | items | syntax trees (crate `tangle-grammar`) |
//!
//! The unit of parsing and analysis is the item. Items are interned by their tokens, and source locations are stored separately, so an edit
//! elsewhere, or a move, runs nothing again.

pub mod db;
pub mod dialect;
pub mod items;
pub mod preprocess;
pub mod source;
