//! The exit status of a command.

/// The result of a run, which determines the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Clean = 0,
    Findings = 1,
    Trouble = 2,
    /// The command has not ended: the caller must run the language server on the streams of the process.
    Serves,
}
