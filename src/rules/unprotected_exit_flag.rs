//! `unprotected-exit-flag`: the exit of a loop with a barrier depends on a flag in shared memory, and no barrier separates a read of the flag
//! from a write.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::AddressSpace;

use super::check::{finding, place, with_macros};
use super::divergence::{Context, Known, Told};
use super::words::as_written;
use crate::wording::cause::quoted;
use tangle_analysis::flow::cycles::CycleId;
use tangle_analysis::flow::{BlockId, Op, Unknown, ValueId};
use tangle_analysis::uniformity::address::root;
use tangle_analysis::uniformity::barriers::{Unprotected, is_barrier, unprotected};
use tangle_analysis::uniformity::ways::Ways;
use tangle_diagnostic::Diagnostic;
use tangle_syntax::dialect::Scope;

const RULE: &str = "unprotected-exit-flag";

/// Adds the reads that it reports to `told`.
pub(super) fn check(context: &Context, told: &mut Told, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        let waits = |block: BlockId| {
            let values = &known.function.blocks[block].values;
            values.iter().any(|&id| is_barrier(&known.function.values[id].op, &context.builtins))
        };
        if !known.function.blocks.indices().any(waits) {
            continue;
        }
        let ways = Ways::of(known.function);
        let cycles = &known.analysis.graph.cycles;
        for cycle in cycles.cycles.indices() {
            if !cycles.blocks(cycle).into_iter().any(waits) {
                continue;
            }
            for load in flags(known, cycle) {
                if told.contains(&(id, load)) {
                    continue;
                }
                if let Some(write) = unprotected(known.analysis, &ways, &context.builtins, cycle, load) {
                    told.insert((id, load));
                    found.push(describe(context, known, load, write));
                }
            }
        }
    }
}

/// The reads of shared memory that decide whether a cycle is left.
fn flags(known: &Known, cycle: CycleId) -> Vec<ValueId> {
    let function = known.function;
    let graph = &known.analysis.graph;
    let mut found = Vec::new();
    for &branch in &graph.exit_branches[cycle] {
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        let mut todo: Vec<ValueId> = function.blocks[branch].terminator.operand().into_iter().collect();
        while let Some(id) = todo.pop() {
            let inside = graph.home[id].is_some_and(|home| graph.cycles.contains(cycle, home));
            if !inside || !seen.insert(id) {
                continue;
            }
            match &function.values[id].op {
                Op::Load { address, .. } => {
                    let pointer = function.values[*address].ty;
                    let shared = pointer.as_pointer().is_some_and(|pointer| {
                        matches!(
                            pointer.space,
                            AddressSpace::Local | AddressSpace::Global | AddressSpace::Generic
                        )
                    });
                    // A variable that each thread has for itself is no flag.
                    let same = !known.analysis.values[*address].divergence.within(Scope::Workgroup);
                    if shared && same && root(function, *address).is_some() {
                        found.push(id);
                    }
                }
                op @ (Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Convert { .. }
                | Op::Select { .. }
                | Op::Unknown {
                    what: Unknown::Value | Unknown::Arithmetic(_) | Unknown::Compare(_),
                    ..
                }) => {
                    op.operands(|&operand| todo.push(operand));
                }
                _ => {}
            }
        }
    }
    found
}

fn describe(context: &Context, known: &Known, load: ValueId, write: Unprotected) -> Diagnostic {
    let function = known.function;
    let subject = context.subject(known);
    let located = subject.locator.locate(function.values[load].span);
    let flag = quoted(as_written(&subject, function.values[load].span));
    let order = match write.before {
        true => "written and then read",
        false => "read and then written",
    };
    let message = format!("the exit flag {flag} is {order} without a barrier in between");
    let vocabulary = context.vocabulary();
    let (threads, barrier) = (vocabulary.threads(), &vocabulary.barrier);
    let at = place(context.db, &subject.locator.locate(function.values[write.store].span).at);
    let diagnostic = finding(context.db, RULE, &located, message)
        .in_function(known.name())
        .with_label(format!(
            "{threads} can read different values here: some leave the loop, the others wait at a barrier"
        ))
        .with_related(
            at,
            format!("a faster {} can write the flag here before a slower one reads it", vocabulary.thread),
        );
    let diagnostic = with_macros(context.db, diagnostic, &located);
    diagnostic.with_help(format!(
        "read {flag} into a variable, call `{barrier}`, and only then write the flag again"
    ))
}
