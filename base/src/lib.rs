//! Data types that the crates of tangle share: interned names, namespaces, patterns of names, spans in an item, and
//! address spaces.
//!
//! Both the grammar of a source language and the flow graph of a function use them, but these two do not depend on each
//! other.
//!
//! ```
//! use tangle_base::{AddressSpace, Symbol};
//!
//! let name = Symbol::intern("barrier");
//! assert_eq!(name, Symbol::intern("barrier"));
//! assert_eq!(name.as_str(), "barrier");
//! assert_ne!(AddressSpace::Local, AddressSpace::Global);
//! ```
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
