//! How threads arrive where nothing brings them together, in words: for whoever tells of one such place.
//!
//! ```text
//! threads arrive without a jump and by `goto out`           how
//! if (p[0]) goto out;     threads jump from here to `out`   places
//!           ^^^^^^^^
//! ```

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;

use crate::hir::body::{Body, StmtId};
use crate::tangle::print::{label_span, statement_head};
use crate::tangle::{Arrival, Doubt, JumpKind, Model, Tangles};

/// Ways to arrive that the message names. Generated code has thousands, at each of thousands of operations: the others are counted.
const NAMED_ARRIVALS: usize = 4;

/// Ways to arrive whose places are shown.
const SHOWN_ARRIVALS: usize = 4;

/// A doubt that is told.
pub struct Arrivals<'a> {
    pub body: &'a Body,
    pub tangles: &'a Tangles,
    pub doubt: &'a Doubt,
    pub model: Model,
    /// A label as the source has it, without its colon: `out`, `case 2`, `default`.
    pub label: &'a dyn Fn(StmtId) -> String,
}

impl Arrivals<'_> {
    /// How threads arrive: what the first few ways say, and how many other jumps there are. In brief, the iterations that they come from are left to
    /// the places.
    pub fn how(&self, in_brief: bool) -> String {
        let (mut phrases, mut named): (Vec<String>, FxHashSet<_>) = Default::default();
        let mut left_out: FxHashSet<(StmtId, StmtId)> = FxHashSet::default();
        for arrival in self.tangles.arrivals(self.doubt) {
            // Jumps to one label read the same: one phrase tells of all.
            let reads_as = match arrival {
                Arrival::InSequence | Arrival::Marked(_) => None,
                Arrival::Jump { target, leaves, .. } => Some((target, leaves.is_some(), false)),
                Arrival::Cycle { target, .. } => Some((target, true, true)),
            };
            if phrases.len() < NAMED_ARRIVALS {
                let phrase = self.arrival(&arrival, in_brief);
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
                named.insert(reads_as);
            } else if let Arrival::Jump { source, target, .. } | Arrival::Cycle { source, target } = arrival
                && !named.contains(&reads_as)
            {
                // One jump may bring threads, and close a cycle that others leave.
                left_out.insert((source, target));
            }
        }
        let at_least = if self.doubt.is_cut() { "at least " } else { "" };
        match left_out.len() {
            0 => {}
            1 => phrases.push(format!("by {at_least}one other jump")),
            more => phrases.push(format!("by {at_least}{more} other jumps")),
        }
        match phrases.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("threads arrive {} and {last}", before.join(", "))
            }
            _ => format!("threads arrive {}", phrases.concat()),
        }
    }

    fn arrival(&self, arrival: &Arrival, in_brief: bool) -> String {
        match *arrival {
            Arrival::InSequence => "without a jump".into(),
            Arrival::Marked(_) => "at a statement that is marked `noconvergent`".into(),
            Arrival::Jump { kind: JumpKind::Goto, target, leaves: Some(_), .. } if !in_brief => {
                format!("by `goto {}` from different iterations of a loop", self.label(target))
            }
            Arrival::Jump { kind: JumpKind::Goto, target, .. } => format!("by `goto {}`", self.label(target)),
            Arrival::Jump { target, .. } => format!("at `{}`", self.label(target)),
            Arrival::Cycle { target, .. } if in_brief => {
                format!("over the cycle of `goto {}`", self.label(target))
            }
            Arrival::Cycle { target, .. } if self.model == Model::Revised => {
                format!("in different iterations of the cycle of `goto {}`", self.label(target))
            }
            Arrival::Cycle { target, .. } => {
                format!("from different iterations of the cycle of `goto {}`", self.label(target))
            }
        }
    }

    /// What each place has to do with it, jumps before labels.
    pub fn places(&self) -> Vec<(Span, String)> {
        let mut labels: Vec<(Span, String)> = Vec::new();
        let mut add = |span: Span, text: String| {
            if !labels.iter().any(|(known, _)| *known == span) {
                labels.push((span, text));
            }
        };
        for arrival in self.tangles.arrivals(self.doubt).take(SHOWN_ARRIVALS) {
            match arrival {
                Arrival::InSequence => {}
                Arrival::Marked(stmt) => {
                    let text = "it is left open which threads begin this statement together";
                    add(statement_head(self.body, stmt), text.into());
                }
                Arrival::Jump { kind: JumpKind::Goto, source, target, leaves } => {
                    let label = self.label(target);
                    add(statement_head(self.body, source), format!("threads jump from here to `{label}`"));
                    if let Some(left) = leaves {
                        add(statement_head(self.body, left), "on any iteration of this loop".into());
                    }
                    add(label_span(self.body, target), format!("and arrive here, at `{label}`"));
                }
                Arrival::Jump { source, target, .. } => {
                    add(statement_head(self.body, source), "threads jump from here".into());
                    add(label_span(self.body, target), format!("some to `{}`", self.label(target)));
                }
                Arrival::Cycle { source, target } => {
                    let label = self.label(target);
                    add(
                        statement_head(self.body, source),
                        format!("threads go round again by `goto {label}`"),
                    );
                    add(label_span(self.body, target), format!("from here, at `{label}`, on any iteration"));
                }
            }
        }
        labels
    }

    fn label(&self, stmt: StmtId) -> String {
        (self.label)(stmt)
    }

    /// What may be done about it.
    pub fn advice(&self) -> &'static str {
        let any =
            |test: fn(&Arrival) -> bool| self.tangles.arrivals(self.doubt).any(|arrival| test(&arrival));
        if any(|arrival| matches!(arrival, Arrival::Cycle { .. })) {
            "write the backward `goto` as a loop: threads that leave a loop by its condition or by `break` come together"
        } else if any(|arrival| matches!(arrival, Arrival::Jump { kind: JumpKind::Goto, .. })) {
            "write the jump as `if`, `break` or `continue`, after which threads come together, or move the operation out of its reach"
        } else {
            "end each `case` with `break`, or move the operation behind the `switch`, where threads come together"
        }
    }
}
