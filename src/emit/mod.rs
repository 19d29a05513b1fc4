//! What the flow graph is written as, for people and programs.

pub mod llvm;
