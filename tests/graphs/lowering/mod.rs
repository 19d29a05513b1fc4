//! Types and lowering before their referees: clang 19 for what has a type and for what a kernel computes, LLVM 19 for what is
//! valid IR. Tests that miss one say so and pass.

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
