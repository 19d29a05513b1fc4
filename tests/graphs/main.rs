//! Flow graphs, LLVM IR and uniformity, before LLVM 19, clang 19 and executions.

mod flow;
mod lowering;
mod uniformity;
