//! No execution contradicts a *uniform* verdict (`docs/semantics.md` §7: soundness before precision); and LLVM's own analysis beside ours.
//!
//! `program` lowers a source, or makes a graph, and has its kernels executed by 4 to 16 threads in each of two work-groups (`tangle-simulate`,
//! which also says which dynamic instances are converged); `evidence` holds what threads did against what was claimed (`claims`). `source`, `waiting_source` and `graphs` make random programs, `shrink` cuts down those that contradict. The evaluator
//! itself is held to account by `naive`, an analysis by the letter of the spec: nothing may contradict it, and something each of its
//! mutilations (`wrong`, `generated`); the product's own analysis has mistakes put into it that executions contradict (`mistaken`, `waiting`). Nor does the executor let anybody come late (`together`). `llvm` compares with LLVM, and `excuse` finds what we know more than it does.
//!
//! ```text
//! TANGLE_PROGRAMS=1000000 cargo test --release --test graphs uniformity:: contradicts_the_analysis
//! ```

mod claims;
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
