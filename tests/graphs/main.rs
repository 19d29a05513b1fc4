//! LLVM IR and uniformity, before LLVM 19, clang 19 and executions.

mod lowering;
mod uniformity;
