//! Output formats of the flow graph, for people and programs.

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
