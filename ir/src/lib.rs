//! A flow graph of GPU kernels in which every convergent operation says which threads execute it together.
//!
//! | room | what it holds |
//! |---|---|
//! | [`types`], [`layout`], [`display`] | interned types; their sizes and offsets; their spelling |
//! | [`value`] | constants, and the operators of operations |
//! | [`key`] | by what a program knows its functions |
//! | [`nest`] | how the statements of a source nest, as data |
//! | [`flow`] | functions, blocks and operations; their builder; cycles, dominators, tokens; the verifier |
//! | [`text`] | functions as text: printed, and read back |
//! | [`scope`] | groups of threads |
//! | [`uniformity`] | what is the same in all threads of a group, and what all of them reach |
//! | [`llvm`] | LLVM 19's IR as text |
//!
//! The crate knows no source language: a frontend [builds](flow::builder) functions, tells how its statements [nest] and what its
//! builtins do, and gets tokens, verdicts and LLVM IR. `examples/simt.rs` is one for a toy language; this is what it does with a function:
//!
//! ```
//! use tangle_ir::flow::verify::verify_shaped;
//! use tangle_ir::flow::{Callee, Module, infer, ssa};
//! use tangle_ir::llvm::{self, NoPlaces, Options, PlainNames, Target};
//! use tangle_ir::scope::Scope;
//! use tangle_ir::text;
//! use tangle_ir::uniformity::Divergence;
//! use tangle_ir::uniformity::analysis::{Analysis, Effect, Environment};
//!
//! // Built, or read: `lane` is another number for each thread.
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
//! // SSA form, and the shape of the graph, which all that follows looks at; then tokens for what is convergent.
//! let shape = ssa::construct(&mut function);
//! infer::infer(&mut function, &shape);
//! assert_eq!(verify_shaped(&function, &shape), []);
//! assert!(text::print(&function).contains("call barrier() with %0"));
//!
//! // Threads part at the branch, so not all of them reach the barrier.
//! let effect = |callee: &Callee| {
//!     let result = if callee.name()?.as_str() == "lane" { Divergence::Subgroup } else { Divergence::None };
//!     Some(Effect { result, of_arguments: false, of_argument: None, moved: None, alike: Default::default(), atomic: false, loads: false, index: None })
//! };
//! let environment = Environment::of(&effect);
//! let analysis = Analysis::of(&function, shape, &environment);
//! let then = function.blocks.indices().nth(1).unwrap();
//! assert!(analysis.control[then].divergence.within(Scope::Workgroup));
//!
//! let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
//! let options = Options { target: Target::None, language: &PlainNames, debug: false };
//! let llvm = llvm::emit(&module, &options, &NoPlaces).unwrap();
//! assert!(llvm.contains("\"convergencectrl\"(token %entry.token)"));
//! ```

#![warn(missing_docs)]

pub mod display;
pub mod flow;
pub mod key;
pub mod layout;
pub mod llvm;
pub mod nest;
pub mod scope;
pub mod text;
pub mod types;
pub mod uniformity;
pub mod value;

pub use tangle_base::{Access, AddressSpace, Namespace, Span, Symbol};
