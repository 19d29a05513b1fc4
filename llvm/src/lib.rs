//! Reads the text of LLVM IR (versions 15 to 20) as flow graphs.
//!
//! The result can be verified, printed and executed like a graph that a source was lowered to. Each operation has the
//! range of its instruction in the text as its location. A call has the token of its `convergencectrl` bundle, and is
//! convergent if it, or its callee, has the attribute `convergent`.
//!
//! | module | contents |
//! |---|---|
//! | [`error`](Error) | errors with their location |
//! | `lex`, `reader` | tokens; types and attributes |
//! | `types`, `constant` | types of LLVM IR and their counterparts; constants and initial values |
//! | `callee` | which builtin a symbol or an intrinsic is |
//! | `module` | the parts of a module |
//! | `function` | functions: blocks and instructions |
//!
//! ```
//! use tangle_ir::text;
//!
//! let module = tangle_llvm::read("k.ll", "\
//! define spir_kernel void @k(ptr addrspace(1) %p) convergent {
//!   %t = call token @llvm.experimental.convergence.entry()
//!   %i = call i64 @_Z13get_global_idj(i32 0)
//!   call void @_Z7barrierj(i32 1) [ \"convergencectrl\"(token %t) ]
//!   ret void
//! }
//! declare token @llvm.experimental.convergence.entry()
//! declare i64 @_Z13get_global_idj(i32)
//! declare void @_Z7barrierj(i32) convergent
//! ", &|name| ["barrier", "get_global_id"].contains(&name.as_str())).unwrap();
//! assert!(text::print(&module.functions[0]).contains("call barrier(uint 1) with %t"));
//! ```
//!
//! Signs are lost in LLVM IR, so a number is signed in the graph, and is converted where an instruction needs another
//! sign. An instruction that the graph does not have becomes a call of `__builtin_llvm_NAME`, whose result depends only
//! on its operands.
//!
//! The time and the memory of reading are proportional to the length of the text, apart from aggregates: a value that is
//! an aggregate has at most 512 leaves.

#![warn(missing_docs)]

mod callee;
mod constant;
mod error;
mod function;
mod lex;
mod module;
mod reader;
mod types;

pub use callee::{Language, language};
pub use error::{Error, ErrorKind};
pub use module::{adopt_parameters, read};
