//! `tangle diff`: transformations whose verdict the text gives, mutations of kernels, LLVM's optimizer, and the command
//! itself.

mod command;
mod equivalence;
mod mutants;
mod mutations;
mod optimizer;
mod samples;
