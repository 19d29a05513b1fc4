//! No execution contradicts a *uniform* verdict (`docs/semantics.md` §7: soundness before precision).
//!
//! `program` lowers a source, and executes its kernels with 4 to 16 threads in each of two work-groups.
//! `tangle-simulate` also decides which dynamic instances are converged. `evidence` compares the actions of the threads
//! with the `claims` of the analysis. `source`, `cuda_source`, `waiting_source` and `graphs` make random programs, and `shrink`
//! reduces failing ones.
//!
//! The method itself is tested as well. `naive` is an analysis by the letter of the specification: no execution may
//! contradict it, and some must if a rule is missing (`wrong`, `generated`). Executions must also contradict our
//! analysis with inserted mistakes (`mistaken`, `waiting`). No thread arrives late in the executor (`together`). `llvm`
//! compares our verdicts with LLVM's, and `excuse` explains the differences. `confidence` checks the levels of verdicts.
//!
//! ```text
//! TANGLE_PROGRAMS=1000000 cargo test --release --test graphs uniformity:: contradicts_the_analysis
//! ```

mod claims;
mod confidence;
mod cuda_mistaken;
mod cuda_source;
mod evidence;
mod excuse;
mod found;
mod generated;
mod graphs;
mod llvm;
mod mistaken;
mod naive;
mod program;
mod samples;
mod shrink;
mod source;
mod together;
mod waiting;
mod waiting_source;
mod wrong;
