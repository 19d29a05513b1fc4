//! LLVM IR of a module.

pub mod mangle;
