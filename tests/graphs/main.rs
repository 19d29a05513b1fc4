//! LLVM IR and uniformity, compared with LLVM 19, clang 19 and executions.

mod lowering;
mod uniformity;
