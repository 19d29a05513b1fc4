//! The parameters of an execution: the threads, the arguments, the rules of convergence, and limits.
//!
//! **Strategy**: the relation between dynamic instances that *converged* means. [`Strategy::Tokens`] is the controlled
//! maximal converged-with relation (`convergent-operations.rst`). [`Strategy::Graph`] is the maximal relation of the
//! graph alone (`convergence-and-uniformity.rst`), as if no operation had a token.
//!
//! [`Strategy::Tangles`] and [`Strategy::Revised`] follow the source instead (`thread-convergence.rst` and its
//! revision).
//!
//! **Policy**: the behaviour where the text leaves a choice to the implementation. In a graph there are two such
//! choices: which of the threads at an `anchor` get one token, and which entry of an irreducible cycle is its header.
//! In the table, *converged there* means: by the maximal relation of the cycle hierarchy that [`Headers`] selects.
//!
//! | policy | at an `anchor` | in an irreducible cycle |
//! |---|---|---|
//! | [`Policy::Early`] | all threads that are converged there get one token | by the selected headers |
//! | [`Policy::Must`] | each thread gets its own token | no instance is converged with another |
//! | [`Policy::Random`] | each thread that is converged there gets one of two tokens | by the selected headers |
//!
//! In the source, the choices are at statements with implementation-defined convergence and at statements marked
//! `noconvergent`:
//!
//! | policy | unrelated candidate tangles | irreducible loops and goto cycles (revised); `noconvergent` |
//! |---|---|---|
//! | [`Policy::Early`] | take part together | all threads in the same iterations are converged |
//! | [`Policy::Must`] | stay separate | each thread alone |
//! | [`Policy::Random`] | random for each jump: its threads stay separate or not | each thread gets one of two groups |
//!
//! Each policy gives a maximal relation of some hierarchy, or refines one, so *convergence-before* stays a strict
//! order.
//!
//! A policy does not decide which thread runs first. A thread waits at a convergent operation until no other thread can
//! reach a converged instance of it; the graph decides which threads can. At least one waiting thread waits for no
//! other: the first in the order of iterations, and then in the order of blocks. Only at operations that need their
//! whole group can a thread wait forever.

use std::fmt;

use crate::grid::Grid;

/// The relation between dynamic instances that decides which threads take part together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Operations with a token: by the token. All other operations: by the graph.
    #[default]
    Tokens,
    /// By the graph, independent of tokens.
    Graph,
    /// By the tangles of the source (`thread-convergence.rst`), independent of the graph.
    Tangles,
    /// By *converged-with* of its revision.
    Revised,
}

impl Strategy {
    /// All strategies, the default first.
    pub const ALL: &[Strategy] = &[Strategy::Tokens, Strategy::Graph, Strategy::Tangles, Strategy::Revised];

    /// The name of the strategy in options and output.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Tokens => "tokens",
            Strategy::Graph => "graph",
            Strategy::Tangles => "tangles",
            Strategy::Revised => "revised",
        }
    }

    /// Whether it follows the source instead of the graph.
    pub fn is_of_source(self) -> bool {
        matches!(self, Strategy::Tangles | Strategy::Revised)
    }
}

/// The behaviour where an implementation is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// As many threads as possible are together.
    #[default]
    Early,
    /// Only threads that must be together are.
    Must,
    /// Random, but the same for each execution with one seed.
    Random,
}

impl Policy {
    /// All policies, the default first.
    pub const ALL: &[Policy] = &[Policy::Early, Policy::Must, Policy::Random];

    /// The name of the policy in options and output.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Early => "early",
            Policy::Must => "must",
            Policy::Random => "random",
        }
    }
}

/// The rule for the header of an irreducible cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Headers {
    /// The entry that LLVM's depth-first search visits first.
    #[default]
    Llvm,
    /// The entry that a depth-first search visits first if it takes successors in random order.
    Random,
}

/// A number of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// For integers and `bool`. It wraps to the width of the type.
    Integer(i128),
    /// For floats.
    Float(f64),
}

/// The argument of a kernel for one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A small number. For a pointer, memory that holds small numbers; `local` memory is undefined.
    Random {
        /// The size of the memory, for a pointer.
        bytes: u32,
    },
    /// This number. For a pointer, memory for this number of elements.
    Number(Number),
    /// For a pointer to numbers: memory that holds these numbers. Not allowed for `local` memory.
    Array(Vec<Number>),
    /// The memory of an earlier parameter, which has this number.
    Same(usize),
}

/// The parameters of one execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The number of threads of a work-group in each dimension, at least 1 each.
    pub local_size: [u32; 3],
    /// The number of work-groups, all in the first dimension; at least 1.
    pub groups: u32,
    /// The number of threads of a sub-group, from 1 to 128. The last sub-group of a work-group may be smaller.
    pub sub_group_size: u32,
    /// The arguments, in the order of the parameters, without the parameter for a returned record. Missing ones are
    /// random, of 65,536 bytes.
    pub arguments: Vec<Argument>,
    /// The seed of all random numbers: the order of threads, arguments, headers, the policy, and unknown results.
    pub seed: u64,
    /// An additional seed for the policy, so that launches with the same inputs can make other choices.
    pub choices: u64,
    /// The relation between dynamic instances.
    pub strategy: Strategy,
    /// The behaviour where an implementation is free.
    pub policy: Policy,
    /// The rule that selects the cycle hierarchy.
    pub headers: Headers,
    /// Whether threads continue after undefined behaviour: past barriers that others do not reach, and past accesses
    /// outside of objects, which read undefined values. A thread stops at an undefined branch and at the end of its
    /// steps; the others continue.
    pub lenient: bool,
    /// The maximum number of steps of one thread.
    pub steps: u32,
    /// The maximum number of steps of a thread before another one runs, at least 1. The actual number is random.
    pub turn: u32,
    /// The maximum memory of the execution in bytes, with the records of the executor.
    pub memory: u64,
    /// The maximum depth of nested calls, from 1 to 255.
    pub depth: u32,
    /// Whether the threads that a mask or a tile names must all execute the operation. Otherwise a mask only divides the
    /// threads that come.
    pub masks: bool,
    /// Whether each thread that has returned counts as one that returned early, also if it only bypassed an operation: in
    /// LLVM IR, a compiler may have joined all returns.
    pub all_returns_exit: bool,
    /// Whether `local` memory starts with zeros instead of undefined values.
    pub zero_local_memory: bool,
    /// The number that a thread gets that reads from a lane that takes no part in a shuffle or broadcast. `None`: an
    /// undefined value.
    pub unread: Option<i32>,
    /// Whether to search for data races. The search uses at most a quarter of `memory`, in addition to it.
    pub races: bool,
}

impl Launch {
    /// The maximum number of threads of a launch.
    pub const MAX_THREADS: u64 = 1 << 16;

    /// The size in bytes of the memory for a pointer without an argument.
    pub const RANDOM_BYTES: u32 = 1 << 16;

    /// The threads of the launch.
    pub fn grid(&self) -> Grid {
        let local = self.local_size.map(|size| size as usize);
        Grid::new(self.groups as usize, local, self.sub_group_size as usize)
    }
}

impl Default for Launch {
    /// One work-group of 8 threads in sub-groups of 4, a million steps for each thread, 512 MiB of memory.
    fn default() -> Launch {
        Launch {
            local_size: [8, 1, 1],
            groups: 1,
            sub_group_size: 4,
            arguments: Vec::new(),
            seed: 0,
            choices: 0,
            strategy: Strategy::default(),
            policy: Policy::default(),
            headers: Headers::default(),
            lenient: false,
            steps: 1_000_000,
            turn: 512,
            memory: 512 << 20,
            depth: 200,
            masks: false,
            all_returns_exit: false,
            zero_local_memory: false,
            unread: None,
            races: false,
        }
    }
}

/// Why a launch is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// The module has no function with this number.
    Function,
    /// A size, the call depth or the turn is out of range, or there are too many threads.
    Size,
    /// An argument does not fit its parameter.
    Argument {
        /// The number of the parameter.
        parameter: usize,
        /// The problem, as a message.
        why: &'static str,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Function => f.write_str("the module has no such function"),
            LaunchError::Size => write!(
                f,
                "a launch needs 1 to {} threads, sub-groups of 1 to 128 threads, turns of at least 1 step, and a call depth of 1 to 255",
                Launch::MAX_THREADS
            ),
            LaunchError::Argument { why, .. } => f.write_str(why),
        }
    }
}
