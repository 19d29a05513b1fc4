//! The text of the paths that meet at a statement where they need not reconverge.
//!
//! ```text
//! reached in sequence and by `goto out`                       how
//! if (p[0]) goto out;     work-items jump from here to `out`  places
//!           ^^^^^^^^
//! ```

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;

use tangle_analysis::tangle::print::{label_span, statement_head};
use tangle_analysis::tangle::{Arrival, ImplementationDefined, JumpKind, Model, Tangles};
use tangle_hir::body::{Body, StmtId};
use tangle_syntax::dialect::Vocabulary;

/// The maximum number of paths that a message names. It counts the others: generated code can have thousands of paths
/// at each of thousands of operations.
const NAMED_ARRIVALS: usize = 4;

/// The maximum number of paths whose places are shown.
const SHOWN_ARRIVALS: usize = 4;

/// A doubt, with the context of its text.
pub struct Arrivals<'a> {
    pub vocabulary: &'a Vocabulary,
    pub body: &'a Body,
    pub tangles: &'a Tangles,
    pub doubt: &'a ImplementationDefined,
    pub model: Model,
    /// Returns a label as in the source, without its colon: `out`, `case 2`, `default`.
    pub label: &'a dyn Fn(StmtId) -> String,
}

impl Arrivals<'_> {
    /// Returns how threads reach the statement: the first few paths, and the number of other jumps. `in_brief` omits
    /// the iterations that the threads come from. The labels of the places contain them.
    pub fn summary(&self, in_brief: bool) -> String {
        let (mut phrases, mut named): (Vec<String>, FxHashSet<_>) = Default::default();
        let mut left_out: FxHashSet<(StmtId, StmtId)> = FxHashSet::default();
        for arrival in self.tangles.arrivals(self.doubt) {
            // Jumps to one label have the same phrase. It is used once.
            let reads_as = match arrival {
                Arrival::InSequence | Arrival::Marked(_) => None,
                Arrival::Jump { target, leaves, .. } => Some((target, leaves.is_some(), false)),
                Arrival::CycleExit { target, .. } => Some((target, true, true)),
            };
            if phrases.len() < NAMED_ARRIVALS {
                let phrase = self.arrival(&arrival, in_brief);
                if !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
                named.insert(reads_as);
            } else if let Arrival::Jump { source, target, .. } | Arrival::CycleExit { source, target } =
                arrival
                && !named.contains(&reads_as)
            {
                // A jump can have two arrivals: its own threads, and a cycle that it closes. It counts once.
                left_out.insert((source, target));
            }
        }
        let at_least = if self.doubt.is_truncated() { "at least " } else { "" };
        match left_out.len() {
            0 => {}
            1 => phrases.push(format!("by {at_least}one other jump")),
            more => phrases.push(format!("by {at_least}{more} other jumps")),
        }
        match phrases.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("reached {} and {last}", before.join(", "))
            }
            // One phrase: for a single arrival, or for several jumps to one label.
            _ => match self.doubt.count() {
                1 => format!("reached {}", phrases.concat()),
                jumps => format!("reached {} from {at_least}{jumps} places", phrases.concat()),
            },
        }
    }

    fn arrival(&self, arrival: &Arrival, in_brief: bool) -> String {
        match *arrival {
            Arrival::InSequence => "in sequence".into(),
            Arrival::Marked(_) => "at a statement marked `noconvergent`".into(),
            Arrival::Jump { kind: JumpKind::Goto, target, leaves: Some(_), .. } if !in_brief => {
                format!("by `goto {}` from different iterations of a loop", self.label(target))
            }
            Arrival::Jump { kind: JumpKind::Goto, target, .. } => format!("by `goto {}`", self.label(target)),
            Arrival::Jump { target, .. } => format!("at `{}`", self.label(target)),
            Arrival::CycleExit { target, .. } if in_brief => {
                format!("from the cycle of `goto {}`", self.label(target))
            }
            Arrival::CycleExit { target, .. } if self.model == Model::Revised => {
                format!("in different iterations of the cycle of `goto {}`", self.label(target))
            }
            Arrival::CycleExit { target, .. } => {
                format!("from different iterations of the cycle of `goto {}`", self.label(target))
            }
        }
    }

    /// Returns the jumps and labels of the paths, each with its label in the finding. A jump comes before its label.
    pub fn places(&self) -> Vec<(Span, String)> {
        let threads = self.vocabulary.threads();
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
                    let text = format!("`noconvergent`: any {threads} can begin this statement together");
                    add(statement_head(self.body, stmt), text);
                }
                Arrival::Jump { kind: JumpKind::Goto, source, target, leaves } => {
                    let label = self.label(target);
                    add(statement_head(self.body, source), format!("{threads} jump from here to `{label}`"));
                    if let Some(left) = leaves {
                        add(statement_head(self.body, left), "in any iteration of this loop".into());
                    }
                    add(label_span(self.body, target), format!("{threads} arrive here, at `{label}`"));
                }
                Arrival::Jump { source, target, .. } => {
                    add(statement_head(self.body, source), format!("{threads} jump from here"));
                    add(
                        label_span(self.body, target),
                        format!("some {threads} arrive here, at `{}`", self.label(target)),
                    );
                }
                Arrival::CycleExit { source, target } => {
                    let label = self.label(target);
                    add(
                        statement_head(self.body, source),
                        format!("`goto {label}` begins the next iteration"),
                    );
                    add(
                        label_span(self.body, target),
                        format!("{threads} come from the cycle that begins here, in any iteration"),
                    );
                }
            }
        }
        labels
    }

    fn label(&self, stmt: StmtId) -> String {
        (self.label)(stmt)
    }

    /// Returns the help, as an imperative. `operation`: the operation in backquotes.
    pub fn help(&self, operation: &str) -> String {
        let threads = self.vocabulary.threads();
        let any =
            |test: fn(&Arrival) -> bool| self.tangles.arrivals(self.doubt).any(|arrival| test(&arrival));
        if any(|arrival| matches!(arrival, Arrival::CycleExit { .. })) {
            format!(
                "replace the backward `goto` by a loop: {threads} that leave a loop by its condition or `break` reconverge"
            )
        } else if any(|arrival| matches!(arrival, Arrival::Jump { kind: JumpKind::Goto, .. })) {
            format!(
                "replace the `goto` by `if`, `break` or `continue`, or move {operation} to a place where {threads} reconverge"
            )
        } else {
            format!(
                "end each `case` with `break`, or move {operation} after the `switch`, where {threads} reconverge"
            )
        }
    }
}
