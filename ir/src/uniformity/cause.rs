//! The shortest chain of what makes a verdict so.
//!
//! ```text
//! barrier at 5:3  <-  branch at 4:7  <-  `i` at 3:11  <-  get_local_id at 3:15
//! ```
//!
//! Breadth first over the contributions of the analysis that are divergent in the scope that is asked for, until one that is divergent by
//! itself, or that the caller has to answer for.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Fact;
use super::analysis::{Analysis, Reason};
use crate::flow::{BlockId, ValueId};
use crate::scope::Scope;

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A value at its definition.
    Value(ValueId),
    /// That threads part at the branch of a block.
    Branch(BlockId),
    /// That some threads do not reach a block.
    Control(BlockId),
    /// What an operation writes to memory.
    Write(ValueId),
}

/// One step of a chain: the subject, and why it is divergent. The reason of each but the last leads to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub subject: Subject,
    pub reason: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    Reason(Reason),
    /// The branch of the block decides whether the subject is reached.
    DependsOn(BlockId),
    /// All threads that reach the branch of the block take the same way, but not all reach it.
    Inside(BlockId),
}

impl Why {
    /// What is to be explained next. None: the chain ends here.
    fn next(self) -> Option<Subject> {
        match self {
            Why::DependsOn(branch)
            | Why::Reason(
                Reason::Join(branch)
                | Reason::Temporal(branch)
                | Reason::NotConverged(branch)
                | Reason::StoredUnder(branch),
            ) => Some(Subject::Branch(branch)),
            Why::Inside(branch) => Some(Subject::Control(branch)),
            Why::Reason(Reason::Operand(value)) => Some(Subject::Value(value)),
            Why::Reason(Reason::Stored(writer)) => Some(Subject::Write(writer)),
            Why::Reason(_) => None,
        }
    }
}

/// What counts as divergent.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// Two threads of a group of this scope may differ, whatever the function is passed.
    Within(Scope),
    /// It depends on this parameter.
    Parameter(u32),
}

impl Question {
    fn holds(self, fact: Fact) -> bool {
        match self {
            Question::Within(scope) => fact.divergence.within(scope),
            Question::Parameter(number) => {
                fact.values.contains(number as usize) || fact.pointees.contains(number as usize)
            }
        }
    }
}

/// The shortest chain from a subject to what is divergent by itself. Empty if the subject is not divergent.
pub fn chain(analysis: &Analysis, subject: Subject, question: Question) -> Vec<Link> {
    // For each subject, the link that led there.
    let mut from: FxHashMap<Subject, Option<Link>> = FxHashMap::from_iter([(subject, None)]);
    let mut todo = VecDeque::from([subject]);
    while let Some(subject) = todo.pop_front() {
        let mut reasons = reasons(analysis, subject, question);
        // Of chains of one length, that through operands says most to a reader.
        reasons.sort_by_key(|reason| !matches!(reason, Why::Reason(Reason::Operand(_) | Reason::Source(_))));
        for reason in reasons {
            let link = Link { subject, reason };
            match reason.next() {
                None => {
                    let mut chain = vec![link];
                    let mut at = subject;
                    while let Some(Some(link)) = from.get(&at) {
                        chain.push(*link);
                        at = link.subject;
                    }
                    chain.reverse();
                    return chain;
                }
                Some(next) => {
                    from.entry(next).or_insert_with(|| {
                        todo.push_back(next);
                        Some(link)
                    });
                }
            }
        }
    }
    Vec::new()
}

fn reasons(analysis: &Analysis, subject: Subject, question: Question) -> Vec<Why> {
    let mut reasons = Vec::new();
    let mut add = |reason: Reason, fact: Fact| {
        if !question.holds(fact) {
            return;
        }
        reasons.push(match reason {
            Reason::StoredUnder(branch) if !question.holds(analysis.branches[branch]) => Why::Inside(branch),
            reason => Why::Reason(reason),
        });
    };
    match subject {
        Subject::Value(value) => {
            // A verdict that the user limits has no reasons beyond it.
            if question.holds(analysis.values[value]) {
                analysis.of_value(value, &mut add);
            }
        }
        Subject::Write(writer) => analysis.of_stored(writer, &mut add),
        Subject::Branch(block) => analysis.of_branch(block, &mut add),
        Subject::Control(block) => analysis.of_control(block, &mut |branch, fact| {
            if question.holds(analysis.branches[branch]) {
                reasons.push(Why::DependsOn(branch));
            } else if question.holds(fact) {
                reasons.push(Why::Inside(branch));
            }
        }),
    }
    reasons
}
