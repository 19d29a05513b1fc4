//! Flow graphs: cycles, the verifier, and where tokens are placed.
//!
//! Some tests ask LLVM 19 (`opt-19`) whether it agrees; without it they say so and pass.

mod cycles;
mod loops;
mod opt;
mod placement;
mod random;
mod source;
mod text;
mod verifier;
