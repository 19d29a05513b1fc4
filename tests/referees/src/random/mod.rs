//! Random kernels, and the tangles of their threads, derived only from the text of *Thread Convergence*.
//!
//! [`source`] makes kernels and their text. [`shape`] numbers their statements and finds their goto cycles.
//! [`derivation`] executes one thread and derives its tangles. [`explore`] follows all paths. Tests compare the results
//! of `tangle` with these results; this module does not depend on `tangle`.

pub mod derivation;
pub mod explore;
pub mod shape;
pub mod source;
