//! The exit status of a command.

/// How a run ended, as the exit status tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Clean = 0,
    Findings = 1,
    Trouble = 2,
    /// The command has not ended: the caller serves an editor on the streams of the process.
    Serves,
}
