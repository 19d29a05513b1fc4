//! Languages as the analyses read them: samples, names, types, macros, and what must not run again.

mod causes;
mod clang;
mod declarations;
mod dialect;
mod extents;
mod identity;
mod incremental;
mod laws;
mod layout;
mod macros;
mod overloads;
mod renaming;
mod samples;
mod scoping;
mod suppression;
mod unknown;
