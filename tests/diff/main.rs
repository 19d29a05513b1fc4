//! `tangle diff`: transformations whose verdict the text gives, mutations of kernels, and the command itself.

mod command;
mod equivalence;
mod mutants;
mod mutations;
mod samples;
