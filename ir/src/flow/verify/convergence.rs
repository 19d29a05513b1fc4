//! The static rules of `convergent-operations.rst`.
//!
//! A **definition** is an operation that yields a token. A **use** of the token is a convergent call that it controls,
//! or a heart whose parent it is. A **region** is the set of points where a token is live: the points that its
//! definition dominates and that reach a use.
//!
//! It is sufficient to check the rules about closed paths for cycles instead of all closed paths (*Sufficient
//! Conditions*).
//!
//! A use is **reached** along paths that do not pass the definition again, because after the definition another dynamic
//! instance of the token is live. Intrinsics make a function controlled even if their tokens are unused. The verifier
//! of LLVM 19 has the same interpretation of both points. It differs in unreachable code, where it counts an edge into
//! a cycle as an entry of the cycle.

use rustc_hash::FxHashSet;

use super::{Context, Violations};
use crate::flow::cycles::CycleId;
use crate::flow::regions::{overlaps, token_of};
use crate::flow::{BlockId, Function, Op, Token, ValueId};

/// Returns whether an operation is convergent. The intrinsics are, too.
fn is_convergent(op: &Op) -> bool {
    match op {
        Op::Call(call) => call.convergent || call.token.is_some(),
        Op::Token(_) => true,
        _ => false,
    }
}

/// Returns the first convergent operation of each block.
fn first(subject: &Context) -> FxHashSet<ValueId> {
    let mut begun: FxHashSet<BlockId> = FxHashSet::default();
    let convergent = subject.operations().filter(|(.., op)| is_convergent(op));
    convergent.filter(|&(block, ..)| begun.insert(block)).map(|(_, value, _)| value).collect()
}

pub(super) fn entry_placement(subject: &Context, found: &mut Violations) {
    let first = first(subject);
    for (block, value, op) in subject.operations() {
        let is_entry = matches!(op, Op::Token(Token::Entry));
        if is_entry && (block != Function::ENTRY || !first.contains(&value)) {
            found.at(block, value);
        }
    }
}

pub(super) fn entry_in_convergent_function(subject: &Context, found: &mut Violations) {
    for (block, value, op) in subject.operations() {
        if matches!(op, Op::Token(Token::Entry)) && !subject.function.convergent {
            found.at(block, value);
        }
    }
}

pub(super) fn loop_placement(subject: &Context, found: &mut Violations) {
    let first = first(subject);
    for (block, value, op) in subject.operations() {
        if matches!(op, Op::Token(Token::Loop(_))) && !first.contains(&value) {
            found.at(block, value);
        }
    }
}

pub(super) fn mixed(subject: &Context, found: &mut Violations) {
    let (mut controlled, mut uncontrolled) = (false, None);
    for (block, value, op) in subject.operations() {
        match op {
            Op::Call(call) if call.token.is_none() && call.convergent => uncontrolled = Some((block, value)),
            _ => controlled |= is_convergent(op),
        }
    }
    if let (true, Some((block, value))) = (controlled, uncontrolled) {
        found.at(block, value);
    }
}

/// A use of a token inside cycles that do not contain the definition of the token.
struct UseInside {
    block: BlockId,
    user: ValueId,
    is_heart: bool,
    /// These cycles, from the inside out.
    cycles: Vec<CycleId>,
}

fn uses_inside(subject: &Context) -> Vec<UseInside> {
    let cycles = &subject.shape.cycles;
    let uses = subject.operations().filter_map(|(block, user, op)| {
        let (definition, _) = subject.places[token_of(op)?]?;
        let without = cycles.around(block).take_while(|&cycle| !cycles.contains(cycle, definition));
        let is_heart = matches!(op, Op::Token(Token::Loop(_)));
        Some(UseInside { block, user, is_heart, cycles: without.collect() })
    });
    uses.filter(|it| !it.cycles.is_empty()).collect()
}

pub(super) fn use_in_cycle(subject: &Context, found: &mut Violations) {
    for it in uses_inside(subject).into_iter().filter(|it| !it.is_heart) {
        found.at(it.block, it.user);
    }
}

pub(super) fn one_use_in_cycle(subject: &Context, found: &mut Violations) {
    let mut hearts: FxHashSet<CycleId> = FxHashSet::default();
    for it in uses_inside(subject).into_iter().filter(|it| it.is_heart) {
        for cycle in it.cycles {
            if !hearts.insert(cycle) {
                found.at(it.block, it.user);
            }
        }
    }
}

pub(super) fn heart_dominates(subject: &Context, found: &mut Violations) {
    for it in uses_inside(subject).into_iter().filter(|it| it.is_heart) {
        let outermost = it.cycles.last().map(|&cycle| &subject.shape.cycles.cycles[cycle]);
        if outermost.is_some_and(|cycle| !cycle.is_reducible() || cycle.header != it.block) {
            found.at(it.block, it.user);
        }
    }
}

pub(super) fn nested_regions(subject: &Context, found: &mut Violations) {
    for overlap in overlaps(subject.function, subject.shape) {
        found.at(overlap.block, overlap.user);
    }
}
