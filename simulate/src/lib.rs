//! Executes kernels of a flow graph with many threads, and records which threads execute an operation together.
//!
//! ```text
//! Module, Language -> Program          everything that depends on the module alone, computed once
//! Program, Launch, Observer -> Run     one execution: its outcome, and the threads of each convergent operation
//! Trace (an observer) -> Table         the thread table of convergence-and-uniformity.rst
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`launch`] | the parameters of an execution: sizes, arguments, strategy, policy, limits |
//! | [`language`], [`operation`] | the properties of builtins; their operations, independent of their names |
//! | `grid`, `random`, `value`, `memory` | work-groups and sub-groups; random numbers; values; objects in memory |
//! | `keys`, `order`, `position` | keys of converged instances; the order of blocks; positions of threads in the source |
//! | [`outcome`] | how an execution ended, with location and threads |
//! | [`races`] | data races: unordered accesses |
//! | `observer` | the interface for code that records an execution |
//! | `program` | a module prepared for execution |
//! | `unknown` | the values of unknown names, operations and calls |
//! | `machine`, `schedule` | the steps of a thread; the choice of the next thread, and waiting |
//! | `builtin`, `mask`, `collective` | the results of builtins |
//! | [`trace`] | thread tables |
//!
//! Two executions of the same launch are identical, byte for byte. An execution ends within the limits of the launch
//! for every kernel, and never panics: undefined behaviour is an [`Outcome`].
//!
//! ```
//! use tangle_ir::{Symbol, flow::Module, scope::Scope, text};
//! use tangle_simulate::operation::{Barrier, Index, Operation};
//! use tangle_simulate::{Builtin, Language, Launch, Outcome, PartialArrival, Program, ResultUniformity, Trace};
//!
//! struct Toy;
//!
//! impl Language for Toy {
//!     fn builtin(&self, name: Symbol) -> Option<Builtin> {
//!         let plain = Builtin {
//!             operation: Operation::Index(Index::Local), scope: Scope::None, convergent: false,
//!             gives: ResultUniformity::Divergent, partial: PartialArrival::Executes, counts_returned: true,
//!             names: None,
//!         };
//!         match name.as_str() {
//!             "get_local_id" => Some(plain),
//!             "barrier" => Some(Builtin {
//!                 operation: Operation::Barrier(Barrier::default()), scope: Scope::Workgroup, convergent: true,
//!                 partial: PartialArrival::Waits, ..plain
//!             }),
//!             _ => None,
//!         }
//!     }
//! }
//!
//! // Threads 0 and 1 reach the barrier, and all others return.
//! let function = text::read("\
//! function k() convergent kernel {
//! entry:
//!   %0 = entry
//!   %1 = call int builtin get_local_id()
//!   %2 = lt %1, 2
//!   branch %2, if.then, if.end
//! if.then:
//!   call builtin barrier() with %0
//!   jump if.end
//! if.end:
//!   return
//! }
//! ").unwrap();
//! let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
//!
//! let program = Program::new(&module, &Toy).unwrap();
//! let launch = Launch { local_size: [4, 1, 1], ..Launch::default() };
//! let run = program.run(0, &launch, &mut ()).unwrap();
//! let Outcome::Deadlock { waiting, returned } = &run.outcome else { panic!("{run:?}") };
//! assert_eq!((&*waiting[0].threads, &**returned), (&[0, 1][..], &[2, 3][..]));
//!
//! let mut trace = Trace::new(1000);
//! program.run(0, &launch, &mut trace).unwrap();
//! let steps: Vec<_> = trace.table(&program, &run.grid).steps.into_iter().map(|step| step.instances).collect();
//! assert_eq!(steps[0][0].threads, [0, 1, 2, 3]);
//! assert_eq!(steps[1][0].threads, [0, 1]);
//! ```
#![warn(missing_docs)]

mod builtin;
mod collective;
mod grid;
mod keys;
pub mod language;
pub mod launch;
mod machine;
mod mask;
mod memory;
mod observer;
mod order;
pub mod outcome;
mod position;
mod program;
pub mod races;
mod random;
mod schedule;
pub mod trace;
mod unknown;
mod value;

pub use grid::{Grid, ThreadPosition};
pub use keys::{AnchorUse, Key, Point};
pub use language::{Builtin, Language, NamedThreads, PartialArrival, ResultUniformity};
pub use launch::{Argument, Headers, Launch, LaunchError, Number, Policy, Strategy};
pub use observer::{Exchange, Observer};
pub use outcome::{Communication, EndState, Limit, Location, Named, Outcome, ThreadEnd, Undefined, Waiting};
pub use program::{Program, ProgramError};
pub use random::Random;
pub use schedule::Run;
pub use tangle_ir::operation::{self, Operation};
pub use trace::{Instance, Step, Table, Trace};
pub use value::{Base, Pointer, Value};
