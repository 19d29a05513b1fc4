//! No execution contradicts a *uniform* verdict.

mod builtin;
mod claims;
mod collective;
mod evidence;
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
