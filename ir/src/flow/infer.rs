//! Infers convergence tokens from a graph alone: the procedure of *Inferring Tokens* for uncontrolled operations.
//!
//! 1. Irreducible cycles become reducible: that is [`dispatch`](super::dispatch)'s, before SSA form. One that is left gets anchors, since no
//!    token from outside may be used in it.
//! 2. `entry` stands at the start of the entry block.
//! 3. A `loop` heart stands at the start of each loop's header; its parent is the heart of the loop around, or `entry`.
//! 4. Each operation gets the token of its sibling: the heart of the innermost loop around it, or `entry`.
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
//! A token that controls nothing is left out: it would only keep optimisers from their work. Of a function with loop statements the result may
//! differ from what [`tokens`](super::tokens) places: here a call before a `break` is outside of the loop.

use super::plan::{Choice, Graph, Plan};
use super::shape::Shape;
use super::{BlockId, Function, Op, ValueId};

/// Gives the calls that are marked convergent their tokens. The function has none yet, is in SSA
/// form, and has the shape.
pub fn infer(function: &mut Function, shape: &Shape) {
    let calls = convergent_calls(function);
    let graph = Graph::of(shape);
    function.convergent = place_by_graph(function, &graph, &calls, false);
}

/// Gives calls the tokens of their levels; says whether the threads that call the function matter to it.
pub(super) fn place_by_graph(
    function: &mut Function,
    graph: &Graph,
    calls: &[(BlockId, ValueId)],
    opportunistic: bool,
) -> bool {
    let plan = Plan::new(graph, calls, &|_, _, _| Choice::Base);
    plan.put(function, opportunistic);
    plan.needs_callers()
}

/// The convergent calls that the entry reaches, in the order of the blocks.
pub(super) fn convergent_calls(function: &Function) -> Vec<(BlockId, ValueId)> {
    let blocks = function.blocks.iter_enumerated();
    let values = blocks.flat_map(|(id, block)| block.values.iter().map(move |&value| (id, value)));
    values
        .filter(|&(_, value)| matches!(&function.values[value].op, Op::Call(call) if call.convergent))
        .collect()
}
