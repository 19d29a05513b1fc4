//! A flow graph of GPU kernels in which every convergent operation says which threads execute it together.
//!
//! | room | what it holds |
//! |---|---|
//! | [`types`], [`layout`], [`display`] | interned types; their sizes and offsets; their spelling |
//! | [`value`] | constants, and the operators of operations |
//! | [`key`] | by what a program knows its functions |
//! | [`nest`] | how the statements of a source nest, as data |
//! | [`flow`] | functions, blocks and operations; cycles, dominators, tokens, their verifier |
//! | [`scope`] | groups of threads |
//! | [`uniformity`] | what is the same in all threads of a group, and what all of them reach |
//! | [`llvm`] | LLVM 19's IR as text |
//!
//! The crate knows no source language: a frontend builds functions, tells how its statements nest and what its builtins do, and gets
//! tokens, verdicts and LLVM IR.

pub mod display;
pub mod flow;
pub mod key;
pub mod layout;
pub mod llvm;
pub mod nest;
pub mod scope;
pub mod types;
pub mod uniformity;
pub mod value;

pub use tangle_base::{Access, AddressSpace, Span, Symbol};
