//! Output formats of the flow graph, for people and programs.
//!
//! - [`llvm`]: LLVM IR with convergence tokens. [`language`] gives it the builtins of a language, and [`mangle`] their names
//!   in a library of builtins.
//! - [`picture`]: a flow graph as data, which [`dot`] and [`svg`] draw. [`layout`] places the blocks for SVG.
//! - [`json`]: a flow graph for programs.
//! - [`source`]: what these formats need from the source.
//!
//! ```
//! use tangle_emit::dot;
//! use tangle_emit::picture::Picture;
//!
//! let picture = Picture { file: "k.cl".to_owned(), graphs: Vec::new() };
//! let mut out = Vec::new();
//! dot::write(&mut out, &picture).unwrap();
//! assert!(String::from_utf8(out).unwrap().starts_with("digraph \"k.cl\" {"));
//! ```

pub mod dot;
pub mod json;
pub mod language;
pub mod layout;
pub mod mangle;
pub mod picture;
pub mod source;
pub mod svg;
pub mod xml;

pub use tangle_ir::llvm;
