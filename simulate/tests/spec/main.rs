//! What the texts about graphs say of who is converged, executed: each thread is led on the way that a text gives it (`led`), and the executor
//! has to find the table.
//!
//! `graphs`: `convergence-and-uniformity.rst`; `operations`: `convergent-operations.rst`.

mod graphs;
mod led;
mod operations;
