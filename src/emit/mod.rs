//! What the flow graph is written as, for people and programs.

pub mod dot;
pub mod json;
pub mod layout;
pub mod llvm;
pub mod picture;
pub mod source;
pub mod svg;
mod xml;
