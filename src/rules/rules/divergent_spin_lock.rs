//! `divergent-spin-lock`: a spin lock that several threads of one sub-group try to take, and release after the loop.
//!
//! **Lock loop**: a loop whose exit depends on the result of an atomic with constant operands, while the release is
//! after the loop. If only one thread tries, or the release is in the loop, no thread waits for another thread of its
//! sub-group.

use crate::interests::Interest;
use crate::rule::{Check, Entry};
use rustc_hash::FxHashSet;

use crate::divergence::locks::may_take_lock;
use crate::divergence::{DivergenceContext, FunctionFacts};
use crate::item_context::{finding, place, with_macros};
use tangle_analysis::flow::cycles::CycleId;
use tangle_analysis::flow::{BlockId, Call, Function, Op, Terminator, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::address::{constant, is_same_address};
use tangle_analysis::uniformity::causes::calls;
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::typed::{Comparison, Conversion};
use tangle_syntax::dialect::{Builtin, BuiltinKind, Builtins, ResultUniformity};

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "divergent-spin-lock",
        severity: Severity::Warning,
        on: true,
        summary: "a spin lock that several work-items of one sub-group try to take",
        page: include_str!("../pages/divergent-spin-lock.md"),
    },
    required: &[Interest::Lock],
    evidence: None,
    check: Check::Functions(|facts, found| check(facts.context, found)),
};

/// The maximum length of a call chain that is searched for a branch that only one thread passes.
const MAX_CALL_DEPTH: usize = 8;

fn check(context: &DivergenceContext, found: &mut Vec<Diagnostic>) {
    for (id, known) in context.suspects() {
        for (block, value, call) in calls(known.function) {
            if !may_take_lock(&context.builtins, known.function, call) {
                continue;
            }
            let cycles = &known.graph().cycles;
            let locks = |&cycle: &CycleId| {
                decides(known, cycle, value) && is_lock(&context.builtins, known, cycle, call, value)
            };
            let Some(cycle) = cycles.around(block).find(locks) else { continue };
            let header = cycles.cycles[cycle].header;
            if !is_limited_to_one_thread(context, id, header, MAX_CALL_DEPTH) {
                found.push(describe(context, known, value, header));
            }
        }
    }
}

/// Whether an exit of a cycle depends on the result of a call.
fn decides(known: &FunctionFacts, cycle: CycleId, result: ValueId) -> bool {
    let function = known.function;
    let mut todo: Vec<ValueId> = known.graph().exit_branches[cycle]
        .iter()
        .filter_map(|&branch| function.blocks[branch].terminator.operand())
        .collect();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    while let Some(id) = todo.pop() {
        if id == result {
            return true;
        }
        let op = &function.values[id].op;
        let computed = matches!(
            op,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Convert { .. }
                | Op::Select { .. }
        );
        if seen.insert(id) && computed {
            op.operands(|&operand| todo.push(operand));
        }
    }
    false
}

/// Whether the call in a cycle takes a lock that is released outside the cycle, or in another function, but not in the
/// cycle.
fn is_lock(builtins: &Builtins, known: &FunctionFacts, cycle: CycleId, call: &Call, taking: ValueId) -> bool {
    let function = known.function;
    let Some(&(lock, _)) = call.arguments.first() else { return false };
    let mut after = false;
    for (id, block) in function.blocks.iter_enumerated() {
        for &value in block.values.iter().filter(|&&value| value != taking) {
            if releases(builtins, function, value, lock) {
                if known.graph().cycles.contains(cycle, id) {
                    return false;
                }
                after = true;
            }
        }
    }
    after || !function.kernel
}

fn releases(builtins: &Builtins, function: &Function, value: ValueId, lock: ValueId) -> bool {
    let address = match &function.values[value].op {
        Op::Store { address, .. } => *address,
        Op::Call(call) => {
            let row = call.callee.row().and_then(|name| builtins.get(name));
            let gives = row.is_some_and(|row| row.kind == Some(BuiltinKind::Atomic) && !row.keeps_lock);
            match call.arguments.first() {
                Some(&(address, _)) if gives => address,
                _ => return false,
            }
        }
        _ => return false,
    };
    is_same_address(function, address, lock)
}

/// Whether a branch around a block, or around all calls of its function, lets only one thread of a sub-group pass.
/// `paths`: the remaining length of the call chain.
fn is_limited_to_one_thread(
    context: &DivergenceContext,
    id: DefinitionId,
    block: BlockId,
    paths: usize,
) -> bool {
    let known = context.known(id);
    let controllers = &known.graph().controllers;
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut todo = vec![block];
    while let Some(block) = todo.pop() {
        for &branch in &controllers[block] {
            if chooses_one(&context.builtins, known.function, branch) {
                return true;
            }
            if seen.insert(branch) {
                todo.push(branch);
            }
        }
    }
    let calls = context.calls_of(id);
    if known.function.kernel || paths == 0 {
        return false;
    }
    // A function that is never called takes no lock.
    calls.iter().all(|call| is_limited_to_one_thread(context, call.caller, call.block, paths - 1))
}

/// Whether a builtin distinguishes one thread from the others: it returns an id, or whether the thread is elected.
fn distinguishes_one_thread(row: &Builtin) -> bool {
    row.result == Some(ResultUniformity::Divergent)
        && matches!(row.kind, Some(BuiltinKind::Id | BuiltinKind::Vote))
}

/// Whether a branch selects one thread: it compares an id with a constant, or tests an id or the result of an election.
fn chooses_one(builtins: &Builtins, function: &Function, branch: BlockId) -> bool {
    let Terminator::Branch { condition, .. } = function.blocks[branch].terminator else { return false };
    let is_id = |mut at: ValueId| loop {
        match &function.values[at].op {
            Op::Convert { operand, .. } => at = *operand,
            Op::Call(call) => {
                let row = call.callee.row().and_then(|name| builtins.get(name));
                return row.is_some_and(distinguishes_one_thread);
            }
            _ => return false,
        }
    };
    let mut at = condition;
    loop {
        match &function.values[at].op {
            Op::Compare { op: Comparison::Equal | Comparison::NotEqual, left, right } => {
                let one_of = |a: ValueId, b: ValueId| is_id(a) && constant(function, b).is_some();
                return one_of(*left, *right) || one_of(*right, *left);
            }
            Op::Convert { conversion: Conversion::ToBool | Conversion::Integer, operand } => at = *operand,
            Op::Unary { operand, .. } => at = *operand,
            _ => return is_id(at),
        }
    }
}

fn describe(
    context: &DivergenceContext,
    known: &FunctionFacts,
    value: ValueId,
    header: BlockId,
) -> Diagnostic {
    let function = known.function;
    let subject = context.subject(known);
    let Op::Call(call) = &function.values[value].op else { unreachable!("only calls take locks") };
    let name = call.callee.name().map_or("?", |name| name.as_str());
    let span = call.call.map_or(function.values[value].span, |call| known.body().calls[call].span);
    let located = subject.locator.locate(span);
    let vocabulary = context.vocabulary();
    let (thread, threads, subgroup) = (&vocabulary.thread, vocabulary.threads(), &vocabulary.subgroup);
    let message = format!("`{name}` can deadlock: several {threads} of one {subgroup} take this spin lock");
    let at = place(context.db, &subject.locator.locate(function.blocks[header].end).at);
    let diagnostic = finding(context.db, &RULE.rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(format!("one {thread} gets the lock, and waits for the rest of its {subgroup}"))
        .with_related(at, format!("the other {threads} of the {subgroup} wait in this loop for the lock"));
    let diagnostic = with_macros(context.db, diagnostic, &located);
    diagnostic.with_help(format!(
        "do the locked work and release the lock inside the loop, or let one {thread} of each {subgroup} take the lock"
    ))
}
