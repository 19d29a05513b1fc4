//! Exit flags of loops with a barrier: flags in shared memory that are read and written without a barrier in between.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;
use tangle_grammar::ast::AddressSpace;

use super::{DivergenceContext, ExitFlagRead, FunctionFacts};
use tangle_analysis::flow::cycles::CycleId;
use tangle_analysis::flow::{BlockId, Op, Unknown, ValueId};
use tangle_analysis::uniformity::address::root;
use tangle_analysis::uniformity::barriers::{is_barrier, unprotected};
use tangle_analysis::uniformity::paths::Paths;
use tangle_syntax::dialect::Scope;

/// Returns the reads of shared memory that decide whether a loop exits, and that no barrier separates from a write.
/// Each read is listed once.
pub(crate) fn unprotected_flags(context: &DivergenceContext) -> Vec<ExitFlagRead> {
    let mut found: Vec<ExitFlagRead> = Vec::new();
    for (id, known) in context.suspects() {
        let waits = |block: BlockId| {
            let values = &known.function.blocks[block].values;
            values.iter().any(|&id| is_barrier(&known.function.values[id].op, &context.builtins))
        };
        if !known.function.blocks.indices().any(waits) {
            continue;
        }
        // Most loops have no flag.
        let paths = LazyCell::new(|| Paths::of(known.function));
        let cycles = &known.graph().cycles;
        let mut reported: FxHashSet<ValueId> = FxHashSet::default();
        for cycle in cycles.cycles.indices() {
            if !cycles.blocks(cycle).into_iter().any(waits) {
                continue;
            }
            for load in flags(known, cycle) {
                if reported.contains(&load) {
                    continue;
                }
                if let Some(write) = unprotected(known.analysis, &paths, &context.builtins, cycle, load) {
                    reported.insert(load);
                    found.push(ExitFlagRead { function: id, load, write });
                }
            }
        }
    }
    found
}

/// Returns the reads of shared memory that decide whether threads leave a cycle.
fn flags(known: &FunctionFacts, cycle: CycleId) -> Vec<ValueId> {
    let function = known.function;
    let graph = known.graph();
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
                    // All threads of a work-group share a flag. If the address is divergent, they do not.
                    let same = !known.verdicts.values[*address].divergence.within(Scope::Workgroup);
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
