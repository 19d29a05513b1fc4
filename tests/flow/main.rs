//! Flow graphs: cycles, the verifier, and the placement of tokens.
//!
//! Some tests compare with LLVM 19 (`opt-19`). Without it, they print a message and pass.

mod cycles;
mod loops;
mod opt;
mod placement;
mod random;
mod source;
mod text;
mod verifier;
