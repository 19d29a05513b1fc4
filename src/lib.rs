//! `tangle`: which threads of a GPU kernel arrive together.

pub mod cli;
pub mod diagnostic;
pub mod lint;
