//! What the texts about source code say of who is converged, executed: the thread tables of the revised text, and what both texts say of
//! their examples. The examples stand in `samples/thread-tables`, with an operation at each place that a text names (`led`).
//!
//! `tables`: threads go as the rows of a table do. `claims`: threads go all ways that there are, and what is said of two threads is asked of
//! every two.

mod claims;
mod led;
mod tables;
