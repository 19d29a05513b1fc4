//! The functions of a unit, and how they hang together: who defines what, who calls whom, who is convergent and why.
//!
//! **Key** of a function ([`FunctionKey`]): by what calls name it. **Identity** ([`FunctionId`]): one definition of a unit. An edit in a body keeps
//! the identity, so that facts kept under it stay comparable. **Target** of a call ([`Target`]): whom it means, as far as types tell.
//!
//! ```c
//! __attribute__((overloadable)) void step(int);    // key: step(int)
//! __attribute__((overloadable)) void step(float);  // key: step(float)
//! kernel void k(void) { step(1); }                 // target: the function step(int)
//! ```
//!
//! [`functions`] numbers the definitions, [`calls`] finds what each body calls, [`graph`] orders functions so that callees come first, and
//! [`convergence`] follows calls back from what is convergent by itself, [`purity`] finds what declarations say of functions without a body,
//! and [`launches`] what is known of the launches in which each function runs. All later stages read these, and none decides again.

pub mod calls;
pub mod convergence;
pub mod definitions;
pub mod graph;
pub mod launches;
pub mod purity;

pub use calls::{Target, Targets, targets};
pub use convergence::{Called, Convergent, convergent};
pub use definitions::{Definition, DefinitionId, FunctionId, Functions, functions};
pub use tangle_ir::key::FunctionKey;
