//! Executions that confirm a finding.

use std::fmt;

use super::Place;

/// The result of a search for an execution that confirms a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The finding occurs in this execution.
    Confirmed(Box<Witness>),
    /// No execution confirms the finding.
    NotConfirmed {
        /// The number of executions.
        executions: usize,
    },
    /// No execution was tried.
    NotTried(NotTried),
}

/// Why no execution was tried for a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotTried {
    /// The finding is outside of all functions of the file: for example, in a string literal.
    OutsideOfFunctions,
    /// A function cannot be lowered or executed.
    NotExecutable {
        /// The error, as a message.
        message: String,
    },
    /// The executed code does not contain the operation.
    NotContained {
        /// The executed function.
        function: String,
    },
}

impl fmt::Display for NotTried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTried::OutsideOfFunctions => f.write_str("the finding is not inside a function of this file"),
            NotTried::NotExecutable { message } => f.write_str(message),
            NotTried::NotContained { function } => {
                write!(f, "the code that `{function}` executes does not contain the operation")
            }
        }
    }
}

/// An execution that confirms a finding. The command line repeats it, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Witness {
    /// The executed function.
    pub function: String,
    /// The definition of this function.
    pub definition: Option<Place>,
    pub local_size: [u32; 3],
    /// The number of work-groups.
    pub groups: u32,
    pub sub_group_size: u32,
    /// The arguments that are not random, by parameter, as written for `--arg`.
    pub arguments: Vec<(String, String)>,
    pub strategy: &'static str,
    pub policy: &'static str,
    pub seed: u64,
    /// Whether local memory starts with zeros.
    pub zero_local_memory: bool,
    /// The sizes and arguments, in the words of the language: `8 work-items, sub-groups of 4, n = 4`.
    pub launch: String,
    /// The `tangle simulate` command that repeats the execution.
    pub command: String,
    /// The threads of one work-group at the moment when the finding occurs.
    pub threads: Vec<ThreadsAt>,
    /// The number of threads of a work-group.
    pub threads_per_group: usize,
    /// The number of executions that were needed to find it.
    pub executions: usize,
    /// A second execution of the same launch, if the finding is that both are allowed.
    pub alternative: Option<Alternative>,
}

/// An allowed execution that differs from another one of the same launch in the threads that execute an operation
/// together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alternative {
    pub strategy: &'static str,
    pub policy: &'static str,
    /// The `tangle simulate` command that repeats the execution.
    pub command: String,
    /// The same threads as in the first execution.
    pub threads: Vec<ThreadsAt>,
    /// A difference between the results: "`out[1]` is 3 in the first execution, and 1 in the second". `None` if the results
    /// are equal.
    pub difference: Option<String>,
}

/// Threads of a work-group that are at one location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadsAt {
    pub place: Place,
    /// The line of the location, from 1.
    pub line: usize,
    /// The number of the work-group.
    pub group: usize,
    /// Numbers within the work-group, in ascending order.
    pub threads: Vec<usize>,
    pub part: Part,
    /// The threads and their activity: "work-items 0-3 wait in `barrier`".
    pub activity: String,
}

/// The part of threads in the execution of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// They execute the operation.
    Executes,
    /// They wait at an operation.
    Waits,
    /// They are elsewhere or have returned.
    Absent,
}

impl Part {
    /// Returns the name for editors.
    pub fn name(self) -> &'static str {
        match self {
            Part::Executes => "executes",
            Part::Waits => "waits",
            Part::Absent => "absent",
        }
    }
}

/// The maximum number of threads in a diagram.
const MAX_LANES: usize = 64;

impl Witness {
    /// Returns the execution as lines of text: the launch, a diagram with a row per location and a column per thread, and
    /// the command line. `file`: the file of the finding, whose name is not repeated.
    pub fn lines(&self, file: &str) -> Vec<String> {
        let further = self.alternative.iter().flat_map(|it| &it.threads);
        let lines = self.threads.iter().chain(further).map(|it| it.line.to_string().len());
        let width = lines.max().unwrap_or(0);
        let row = |it: &ThreadsAt| {
            let foreign =
                if *it.place.file == *file { String::new() } else { format!(" ({})", it.place.file) };
            format!("line {:>width$}: {}{}{foreign}", it.line, self.lanes(&it.threads), it.activity)
        };
        let mut all = Vec::new();
        match &self.alternative {
            None => {
                all.push(format!("confirmed by an execution with {}", self.launch));
                all.extend(self.threads.iter().map(row));
                all.push(self.command.clone());
            }
            Some(Alternative { command, threads, difference, .. }) => {
                all.push(format!("confirmed: two executions are possible with {}", self.launch));
                all.push("first execution:".to_owned());
                all.extend(self.threads.iter().map(row));
                all.push("second execution:".to_owned());
                all.extend(threads.iter().map(row));
                all.push(difference.clone().unwrap_or_else(|| "the results are equal".to_owned()));
                all.extend([self.command.clone(), command.clone()]);
            }
        }
        all
    }

    /// Returns a column for each thread: `#` for the given threads. Empty if the work-group is too large.
    fn lanes(&self, threads: &[usize]) -> String {
        if self.threads_per_group > MAX_LANES {
            return String::new();
        }
        let lane = |thread: usize| if threads.contains(&thread) { '#' } else { '.' };
        (0..self.threads_per_group).map(lane).chain([' ']).collect()
    }
}

impl Evidence {
    /// Returns whether an execution confirms the finding.
    pub fn is_confirmed(&self) -> bool {
        matches!(self, Evidence::Confirmed(_))
    }

    /// Returns the lines of text for people.
    pub fn lines(&self, file: &str) -> Vec<String> {
        match self {
            Evidence::Confirmed(witness) => witness.lines(file),
            Evidence::NotConfirmed { executions } => {
                vec![format!("not confirmed in {}", super::counted(*executions, "execution"))]
            }
            Evidence::NotTried(reason) => vec![format!("no execution was tried: {reason}")],
        }
    }
}
