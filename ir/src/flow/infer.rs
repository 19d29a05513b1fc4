//! Infers convergence tokens from a graph alone, by the procedure *Inferring Tokens* for uncontrolled operations.
//!
//! 1. [`dispatch`](super::dispatch) makes irreducible cycles reducible, before SSA form. A remaining irreducible cycle
//!    gets anchors, because a token from outside must not be used in it.
//! 2. `entry` is at the start of the entry block.
//! 3. A `loop` heart is at the start of each loop header. Its parent is the heart of the enclosing loop, or `entry`.
//! 4. Each operation gets the heart of the innermost loop around it, or `entry`.
//!
//! ```text
//! entry:               entry:
//!   jump body            %0 = entry
//! body:                  jump body
//!   call op()          body:
//!   branch %c, …         %1 = loop with %0
//!                        call op() with %1
//! ```
//!
//! A token without uses is omitted, because it would only hinder optimisers. For a function with loop statements, the
//! result may differ from that of [`tokens`](super::tokens): here, a call before a `break` is outside the loop.

use super::plan::{Choice, Plan, TokenGraph};
use super::shape::GraphAnalysis;
use super::{BlockId, Function, Op, ValueId};

/// Gives each call that is marked convergent its token. The function must be in SSA form and have no tokens yet, and
/// `shape` must be its shape.
pub fn infer(function: &mut Function, shape: &GraphAnalysis) {
    let calls = convergent_calls(function);
    let graph = TokenGraph::of(shape);
    function.convergent = place_by_graph(function, &graph, &calls, false);
}

/// Gives calls the tokens of their levels. Returns whether the function depends on the set of threads that call it.
pub(super) fn place_by_graph(
    function: &mut Function,
    graph: &TokenGraph,
    calls: &[(BlockId, ValueId)],
    opportunistic: bool,
) -> bool {
    let plan = Plan::new(graph, calls, &|_, _, _| Choice::Base);
    plan.put(function, opportunistic);
    plan.needs_callers()
}

/// Returns the convergent calls, in the order of the blocks.
pub(super) fn convergent_calls(function: &Function) -> Vec<(BlockId, ValueId)> {
    let blocks = function.blocks.iter_enumerated();
    let values = blocks.flat_map(|(id, block)| block.values.iter().map(move |&value| (id, value)));
    values
        .filter(|&(_, value)| matches!(&function.values[value].op, Op::Call(call) if call.convergent))
        .collect()
}
