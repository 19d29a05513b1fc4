//! Random kernels, and the tangles of their threads, derived from the text of *Thread Convergence* alone.
//!
//! [`source`] makes kernels and their text, [`shape`] numbers their statements and finds their goto cycles, [`derivation`] executes one thread and derives
//! its tangles, [`explore`] follows all paths. What `tangle` finds out is compared with these; nothing here looks at it.

pub mod derivation;
pub mod explore;
pub mod shape;
pub mod source;
