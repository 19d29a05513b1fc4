//! No execution contradicts a *uniform* verdict (SEMANTICS §7: soundness before precision); and LLVM's own analysis beside ours.
//!
//! `program` lowers a source, or makes a graph; `machine` executes its kernels by 8 to 32 threads in random order (`schedule`, `builtin`,
//! `collective`, `value`, `memory`, `grid`); `keys` says which dynamic instances are converged; `evidence` holds what threads did against
//! what was claimed (`claims`). `source` and `graphs` make random programs, `shrink` cuts down those that contradict. The evaluator
//! itself is held to account by `naive`, an analysis by the letter of the spec: nothing may contradict it, and something each of its
//! mutilations (`wrong`, `generated`). `llvm` compares with LLVM, and `excuse` finds what we know more than it does.
//!
//! ```text
//! TANGLE_PROGRAMS=1000000 cargo test --release --test uniformity contradicts_the_analysis
//! ```

mod builtin;
mod claims;
mod collective;
mod evidence;
mod excuse;
mod found;
mod generated;
mod graphs;
mod grid;
mod keys;
mod llvm;
mod machine;
mod memory;
mod naive;
mod program;
mod random;
mod samples;
mod schedule;
mod shrink;
mod source;
mod value;
mod wrong;
