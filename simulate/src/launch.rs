//! What is asked of an execution: how many threads, with which arguments, by which rules, for how long.
//!
//! **Strategy**: which relation between dynamic instances is meant by *converged*. [`Strategy::Tokens`] is the controlled
//! maximal converged-with relation (`convergent-operations.rst`); [`Strategy::Graph`] the maximal one of the bare graph
//! (`convergence-and-uniformity.rst`), as if no operation had a token.
//!
//! [`Strategy::Tangles`] and [`Strategy::Revised`] follow the source instead (`thread-convergence.rst`, and its revision).
//!
//! **Policy**: what an implementation does where the text leaves it a choice, and nothing else. In a graph there are two such places: which of
//! the threads at an `anchor` get one token, and which entry of an irreducible cycle is its header. Let *there* be the threads whose instances are
//! converged by the maximal relation of the cycle hierarchy that [`Headers`] picks.
//!
//! | policy | at an `anchor` | in an irreducible cycle |
//! |---|---|---|
//! | [`Policy::Early`] | all that are there get one token | as the headers say |
//! | [`Policy::Must`] | each thread gets a token of its own | no instance is converged with another |
//! | [`Policy::Random`] | each that is there draws one of two tokens | as the headers say |
//!
//! In the source they are the statements with implementation-defined convergence, and those marked `noconvergent`:
//!
//! | policy | unrelated candidate tangles | irreducible loops and goto cycles (revised); `noconvergent` |
//! |---|---|---|
//! | [`Policy::Early`] | are one | all that are in the same iterations are together |
//! | [`Policy::Must`] | stay apart | each thread alone |
//! | [`Policy::Random`] | dice say for each jump whether those that it brings stay apart | each thread draws one of two parts |
//!
//! All of them refine, or are, a maximal relation of some hierarchy, so *converged-before* stays a strict order.
//!
//! No policy decides who goes first: a thread waits at a convergent operation until nobody may come to a converged instance of it
//! any more. Where it may be reached is asked of the graph, and there is always someone who waits for nobody: of those that wait, the one whose
//! iterations are least, and among these the first in the order in which threads come to blocks. Only operations that need all of their group can be
//! waited at for ever.

use std::fmt;

use crate::grid::Grid;

/// The relation between dynamic instances by which threads take part together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// As tokens say; operations without a token as the graph says.
    #[default]
    Tokens,
    /// As the graph says, whatever the tokens.
    Graph,
    /// As the tangles of the source say (`thread-convergence.rst`), whatever the graph.
    Tangles,
    /// As *converged-with* of its revision says.
    Revised,
}

impl Strategy {
    /// All of them, the default first.
    pub const ALL: &[Strategy] = &[Strategy::Tokens, Strategy::Graph, Strategy::Tangles, Strategy::Revised];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Tokens => "tokens",
            Strategy::Graph => "graph",
            Strategy::Tangles => "tangles",
            Strategy::Revised => "revised",
        }
    }

    /// Whether it asks for the source, and not for the graph.
    pub fn is_of_source(self) -> bool {
        matches!(self, Strategy::Tangles | Strategy::Revised)
    }
}

/// What is done where an implementation is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// As many threads together as may be.
    #[default]
    Early,
    /// Only those together that must be.
    Must,
    /// Dice, the same for a seed.
    Random,
}

impl Policy {
    /// All of them, the default first.
    pub const ALL: &[Policy] = &[Policy::Early, Policy::Must, Policy::Random];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Early => "early",
            Policy::Must => "must",
            Policy::Random => "random",
        }
    }
}

/// Which entry of an irreducible cycle is its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Headers {
    /// The one that LLVM's walk meets first.
    #[default]
    Llvm,
    /// The one that a walk meets first which takes ways in random order.
    Random,
}

/// A number of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// For integers and `bool`, cut to the width of the type.
    Integer(i128),
    /// For floats.
    Float(f64),
}

/// What a kernel is passed for one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A small number; for a pointer, memory of so many bytes that holds small numbers (in `local` memory: nothing yet).
    Random {
        /// The size of the memory, for a pointer.
        bytes: u32,
    },
    /// This number; for a pointer, memory for so many elements.
    Number(Number),
    /// Memory that holds these numbers, for a pointer to numbers. Not in `local` memory.
    Array(Vec<Number>),
    /// The same memory as that of an earlier parameter.
    Same(usize),
}

/// How a kernel is executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Threads of a work-group in each direction; each at least 1.
    pub local_size: [u32; 3],
    /// Work-groups, in a row; at least 1.
    pub groups: u32,
    /// Threads of a sub-group: 1 to 128. The last one of a work-group may be smaller.
    pub sub_group_size: u32,
    /// In the order of the parameters, without that of a returned record; for those that are missing: random, 65,536 bytes.
    pub arguments: Vec<Argument>,
    /// What all dice depend on: the order of threads, random arguments, headers and policy, what is not known of builtins.
    pub seed: u64,
    /// What the dice of the policy depend on besides, so that one launch with the same inputs may be decided in other ways.
    pub choices: u64,
    /// Who takes part together.
    pub strategy: Strategy,
    /// What is done where an implementation is free.
    pub policy: Policy,
    /// Which cycle hierarchy holds.
    pub headers: Headers,
    /// Whether threads go on where the program has no meaning: past barriers that others do not reach, and past accesses outside of
    /// objects, which read something undefined. A thread stops at an undefined branch and at the end of its steps; others go on.
    pub lenient: bool,
    /// Operations of one thread.
    pub steps: u32,
    /// Operations of one thread before another one has its turn: at least 1. How many they are at a time is random up to this number.
    pub turn: u32,
    /// Bytes for all memory of the execution, the executor's own records included.
    pub memory: u64,
    /// Calls inside of each other: 1 to 255.
    pub depth: u32,
    /// Whether data races are looked for. What is remembered for that takes a quarter of `memory` at most, beside it.
    pub races: bool,
}

impl Launch {
    /// No launch has more threads than this.
    pub const MOST_THREADS: u64 = 1 << 16;

    /// The size of the memory behind a pointer of which nothing is said.
    pub const RANDOM_BYTES: u32 = 1 << 16;

    /// The threads.
    pub fn grid(&self) -> Grid {
        let local = self.local_size.map(|size| size as usize);
        Grid::new(self.groups as usize, local, self.sub_group_size as usize)
    }
}

impl Default for Launch {
    /// One work-group of 8 threads in sub-groups of 4, a million operations for each thread, 512 MiB.
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
            races: false,
        }
    }
}

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such function.
    Function,
    /// Sizes that are zero, or too many threads.
    Size,
    /// An argument does not fit its parameter.
    Argument {
        /// The number of the parameter.
        parameter: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Function => f.write_str("the module has no such function"),
            Refused::Size => write!(
                f,
                "a launch needs 1 to {} threads, sub-groups of 1 to 128 threads, turns of at least 1 step, and a call depth of 1 to 255",
                Launch::MOST_THREADS
            ),
            Refused::Argument { why, .. } => f.write_str(why),
        }
    }
}
