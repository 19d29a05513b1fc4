//! The features of the server. Each file answers one kind of request, or helps to answer it.

pub mod actions;
pub mod callable;
pub mod calls;
pub mod cause;
pub mod chain;
pub mod compare;
pub mod completion;
pub mod definition;
pub mod headline;
pub mod hints;
pub mod hover;
pub mod names;
pub mod panels;
pub mod position;
pub mod rename;
pub mod semantic;
pub mod signature;
pub mod spelling;
pub mod structure;
pub mod text_kind;
pub mod threads;
pub mod uniform;
pub mod witness;
pub mod workspace;
