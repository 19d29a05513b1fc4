//! Executes the examples of the normative texts about source code, and checks which threads are converged.
//!
//! The examples are in `samples/thread-tables`, with an operation at each place that a text names (`led`). `tables`:
//! threads take the paths of the rows of a thread table. `claims`: threads take all paths, and each statement of a text
//! about two threads is checked for every two threads.

mod claims;
mod led;
mod tables;
