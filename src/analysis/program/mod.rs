//! The functions of a unit: definitions, the call graph, and which functions are convergent and why.
//!
//! **Key** of a function ([`FunctionKey`]): its name as a callee. **Identity** ([`FunctionId`]): one definition in a
//! unit. An edit in a body keeps the identity, so that cached facts stay comparable. **Target** of a call ([`CallTarget`]):
//! the callee, as far as the types determine it.
//!
//! ```c
//! __attribute__((overloadable)) void step(int);    // key: step(int)
//! __attribute__((overloadable)) void step(float);  // key: step(float)
//! kernel void k(void) { step(1); }                 // target: the function step(int)
//! ```
//!
//! [`defined`] and [`calls`] find the functions of each segment and their calls, and [`instances`] the instances of templates that they need. [`functions`]
//! numbers the definitions, and [`graph`] orders them, callees first. [`convergence`] follows calls backwards from convergent operations. [`purity`] finds the functions
//! declared `const` or `pure`, and [`launches`] the known launch sizes of each function. All later stages use these
//! results, and none computes them again.

pub mod calls;
pub mod convergence;
pub mod defined;
pub mod definitions;
pub mod graph;
pub mod instances;
pub mod launches;
pub mod purity;

pub use calls::{CallTarget, Targets, targets};
pub use convergence::{Convergent, ConvergentCallee, convergent};
pub use definitions::{Definition, DefinitionId, FunctionId, Functions, functions};
pub use tangle_ir::key::FunctionKey;
