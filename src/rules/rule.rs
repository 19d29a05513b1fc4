//! What a file of `rules/` says of its rule: how it is called, what it looks for, and when it is asked.

use tangle_diagnostic::{Diagnostic, Rule};

use crate::comments::Comments;
use crate::divergence::told::Facts;
use crate::file::File;
use crate::literals::Literals;
use crate::needs::Need;
use crate::subject::Subject;

/// A rule.
pub(crate) struct Entry {
    pub rule: Rule,
    /// What it looks for in functions, if it is about divergence.
    pub needs: &'static [Need],
    pub check: Check,
}

/// When a rule is asked, and of what. A rule adds its findings to a list, in any order.
pub(crate) enum Check {
    /// Of each item with a problem, a doubt or a pattern.
    Items(fn(&File, &Subject, &mut Vec<Diagnostic>)),
    /// Of a file with what it includes.
    Files(fn(&File, &mut Vec<Diagnostic>)),
    /// Of the functions of a file in which divergence may matter.
    Functions(fn(&Facts, &mut Vec<Diagnostic>)),
    /// Of the comments for tangle, when the findings of other rules are known.
    Comments(fn(&mut Comments, &mut Vec<Diagnostic>)),
    /// Of string literals in a program of the host.
    Literals(fn(&Literals, &mut Vec<Diagnostic>)),
}
