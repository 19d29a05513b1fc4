//! Types and lowering, compared with clang 19 (types, results of kernels) and LLVM 19 (valid IR). Without the tool, a
//! test prints a message and passes.

mod device;
mod expressions;
mod functions;
mod libclc;
mod library;
mod llvm;
mod loops;
mod optimizer;
mod parts;
mod runtime;
mod same_results;
mod text;
mod tokens;
mod tools;
mod types;
