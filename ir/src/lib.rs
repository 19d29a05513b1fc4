//! Control-flow graphs of GPU kernels. A token at each convergent operation says which threads execute it together.
//!
//! | module | contents |
//! |---|---|
//! | [`types`], [`layout`], [`display`] | interned types; sizes and offsets; names of types for people |
//! | [`value`] | constants, and the operators of operations |
//! | [`key`] | keys that identify functions and variables in a program |
//! | [`nest`] | the nesting of the statements of a source function, as data |
//! | [`flow`] | functions, blocks and operations; their builder; cycles, dominators, tokens; the verifier |
//! | [`text`] | a text form of functions: printer and reader |
//! | [`scope`] | groups of threads |
//! | [`operation`] | the operations of builtins |
//! | [`uniformity`] | which values are uniform in a group of threads, and which operations all its threads reach |
//! | [`llvm`] | LLVM IR (version 19) as text |
//!
//! The crate is independent of the source language. A frontend [builds](flow::builder) functions, and passes on the
//! [nesting](nest) of the statements and the effects of its builtins. It gets tokens, verdicts and LLVM IR.
//! `examples/simt.rs` is a frontend for a toy language. It processes a function as follows:
//!
//! ```
//! use tangle_ir::flow::verify::verify_shaped;
//! use tangle_ir::flow::{Callee, Module, infer, ssa};
//! use tangle_ir::llvm::{self, NoLocations, Options, PlainNames, Target};
//! use tangle_ir::scope::Scope;
//! use tangle_ir::text;
//! use tangle_ir::uniformity::Divergence;
//! use tangle_ir::uniformity::analysis::{Analysis, BuiltinEffect, Environment};
//!
//! // A function is built, or read from a text as here. `lane` returns a different number in each thread.
//! let mut function = text::read("\
//! function k(%n: int) kernel {
//! entry:
//!   %0 = call int lane()
//!   %1 = lt %0, %n
//!   branch %1, if.then, if.end
//! if.then:
//!   call barrier() convergent
//!   jump if.end
//! if.end:
//!   return
//! }
//! ").unwrap();
//!
//! // Convert to SSA form. This returns the shape of the graph, which all later steps use. Then infer the tokens.
//! let shape = ssa::construct(&mut function);
//! infer::infer(&mut function, &shape);
//! assert_eq!(verify_shaped(&function, &shape), []);
//! assert!(text::print(&function).contains("call barrier() with %0"));
//!
//! // Threads diverge at the branch, so not all of them reach the barrier.
//! let effect = |callee: &Callee| {
//!     let result = if callee.name()?.as_str() == "lane" { Divergence::Subgroup } else { Divergence::None };
//!     Some(BuiltinEffect { result, of_arguments: false, of_argument: None, moved: None, of_tile: None, alike: Default::default(), atomic: false, loads: false, index: None })
//! };
//! let environment = Environment::of(&effect);
//! let analysis = Analysis::of(&function, shape, &environment);
//! let then = function.blocks.indices().nth(1).unwrap();
//! assert!(analysis.state.control[then].divergence.within(Scope::Workgroup));
//!
//! let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
//! let options = Options { target: Target::None, language: &PlainNames, debug: false };
//! let llvm = llvm::emit(&module, &options, &NoLocations).unwrap();
//! assert!(llvm.contains("\"convergencectrl\"(token %entry.token)"));
//! ```

#![warn(missing_docs)]

pub mod display;
pub mod flow;
pub mod key;
pub mod layout;
pub mod llvm;
pub mod nest;
pub mod operation;
pub mod scope;
pub mod text;
pub mod types;
pub mod uniformity;
pub mod value;
pub mod warp_races;

pub use tangle_base::{Access, AddressSpace, Namespace, Span, Symbol};
