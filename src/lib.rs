//! `tangle`: which threads of a GPU kernel arrive together.

pub mod preprocess;
