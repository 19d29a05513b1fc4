//! What a function is, apart from how it is written: bodies with typed indices, jumps with their targets, the tables of
//! builtins.

pub mod body;
pub mod builtins;
mod constant;
pub mod lower;
