//! Words that the crates of tangle share: interned names, namespaces, patterns of names, spans of an item, address spaces.
//!
//! Both the grammar of a source language and the flow graph that functions become speak of these, and neither knows the other.
#![warn(missing_docs)]

mod namespace;
pub mod pattern;
mod space;
mod span;
pub mod symbol;

pub use namespace::Namespace;
pub use space::{Access, AddressSpace};
pub use span::Span;
pub use symbol::Symbol;
