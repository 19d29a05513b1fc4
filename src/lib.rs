//! `tangle`: which threads of a GPU kernel arrive together.
