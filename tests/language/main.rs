//! Tests of the language: samples, names, types, macros, and the queries that an edit must not execute again.

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
