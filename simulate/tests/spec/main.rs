//! Executes the examples of the normative texts about graphs. Each thread takes the path that the text gives (`led`),
//! and the converged instances must equal the table.
//!
//! `graphs`: `convergence-and-uniformity.rst`; `operations`: `convergent-operations.rst`.

mod graphs;
mod led;
mod operations;
