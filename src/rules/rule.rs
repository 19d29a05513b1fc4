//! The entry of a rule in the registry: its id and page, the operations that it looks for, and its check.

use tangle_diagnostic::{Diagnostic, Rule};

use crate::comments::Comments;
use crate::divergence::facts::SharedFacts;
use crate::file::FileFacts;
use crate::interests::Interest;
use crate::item_context::ItemContext;
use crate::literals::UnreadLiteralCalls;

/// The entry of one rule.
pub(crate) struct Entry {
    pub rule: Rule,
    /// The operations that it looks for in functions. Empty if it is not about divergence, or uses facts that are
    /// computed for another rule.
    pub required: &'static [Interest],
    /// The event by which an execution confirms a finding. `None` if no execution does.
    pub evidence: Option<Evidence>,
    pub check: Check,
}

/// The event by which an execution confirms a finding at a convergent operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Threads that the operation needs do not execute it with the others: they are elsewhere, or wait forever.
    MissingThreads,
    /// The result of the operation is undefined for a thread that reads from a lane that takes no part, and the results
    /// of the program depend on it.
    UndefinedResult,
    /// A thread passes a width that is not a power of two, or exceeds the sub-group.
    InvalidWidth,
    /// Threads that execute the operation together pass different values for the argument of the finding.
    DifferingArgument,
    /// Two accesses are in a race, and the finding is at one of them.
    Race,
    /// Two allowed executions of one launch differ in the threads that execute the operation together.
    TwoReadings,
    /// Without convergence tokens, other threads execute the operation together than the source requires.
    WithoutTokens,
}

/// The check of a rule, by its input. A check appends its findings to a list, in any order.
pub(crate) enum Check {
    /// Runs for each item of device code with a problem, a doubt or a pattern.
    Items(fn(&FileFacts, &ItemContext, &mut Vec<Diagnostic>)),
    /// Runs once for a file and its headers.
    Files(fn(&FileFacts, &mut Vec<Diagnostic>)),
    /// Runs once for a file, on the functions that divergence may affect.
    Functions(fn(&SharedFacts, &mut Vec<Diagnostic>)),
    /// Runs after all other rules, for the `tangle:` comments of a file.
    Comments(fn(&mut Comments, &mut Vec<Diagnostic>)),
    /// Other rules make its findings, because the confidence of a cause decides between them and this rule.
    ByConfidence,
    /// Runs for the string literals of a host program.
    Literals(fn(&UnreadLiteralCalls, &mut Vec<Diagnostic>)),
}
