//! The functions of a module, callees first.
//!
//! Functions that call each other are gone through until their summaries no longer change: they begin as if nothing were
//! divergent, and only grow.

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

use super::analysis::{Analysis, Environment, Uniformity};
use super::{Divergence, Summary};
use crate::flow::{Callee, Function, Module, Op, Value, ValueId};
use crate::hir::builtins::Builtins;

/// What users say of values: for a function, how divergent one of its values is at most.
pub type Limit<'a> = &'a dyn Fn(&Function, ValueId, &Value) -> Option<Divergence>;

/// The facts of each function of a module, in its order.
pub fn uniformity(module: &Module, builtins: &Builtins, limit: Limit) -> Vec<Uniformity> {
    let summaries = summaries(module, builtins, limit);
    let summary = |callee: &Callee| of_callee(&summaries, callee);
    let of = |function: &Function| {
        let limit = |id: ValueId, value: &Value| limit(function, id, value);
        let environment = Environment { builtins, summary: &summary, limit: &limit };
        Analysis::of(function, &environment).result()
    };
    module.functions.iter().map(of).collect()
}

/// The summaries of the functions of a module, by name. Functions that share a name share a summary.
pub fn summaries(module: &Module, builtins: &Builtins, limit: Limit) -> FxHashMap<Symbol, Summary> {
    let mut by_name: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for (number, function) in module.functions.iter().enumerate() {
        by_name.entry(function.name).or_default().push(number);
    }
    let callees: Vec<Vec<usize>> =
        module.functions.iter().map(|function| callees(function, &by_name)).collect();
    let mut summaries: FxHashMap<Symbol, Summary> =
        by_name.keys().map(|&name| (name, Summary::default())).collect();
    for group in groups(&callees) {
        let again = group.len() > 1 || callees[group[0]].contains(&group[0]);
        loop {
            let mut changed = false;
            for &number in &group {
                let function = &module.functions[number];
                let found = summarise(function, &summaries, builtins, limit);
                if let Some(known) = summaries.get_mut(&function.name) {
                    let joined = join(known, &found);
                    changed |= *known != joined;
                    *known = joined;
                }
            }
            if !changed || !again {
                break;
            }
        }
    }
    summaries
}

/// The summary of a function, given those of its callees.
pub fn summarise(
    function: &Function,
    summaries: &FxHashMap<Symbol, Summary>,
    builtins: &Builtins,
    limit: Limit,
) -> Summary {
    let summary = |callee: &Callee| of_callee(summaries, callee);
    // Whoever calls a kernel passes what it likes.
    let called;
    let function = if function.kernel {
        called = Function { kernel: false, ..function.clone() };
        &called
    } else {
        function
    };
    let limit = |id: ValueId, value: &Value| limit(function, id, value);
    let environment = Environment { builtins, summary: &summary, limit: &limit };
    Analysis::of(function, &environment).summary()
}

pub fn of_callee(summaries: &FxHashMap<Symbol, Summary>, callee: &Callee) -> Option<Summary> {
    match callee {
        Callee::Function { name, .. } | Callee::Builtin { name, .. } => summaries.get(name).cloned(),
        Callee::Compiler { .. } | Callee::Pointer { .. } => None,
    }
}

pub(super) fn join(a: &Summary, b: &Summary) -> Summary {
    let count = a.writes.len().max(b.writes.len());
    let write = |number: usize| {
        let (a, b) = (a.writes.get(number).copied().flatten(), b.writes.get(number).copied().flatten());
        match (a, b) {
            (Some(a), Some(b)) => Some(a.join(b)),
            (a, b) => a.or(b),
        }
    };
    Summary {
        result: a.result.join(b.result),
        writes: (0..count).map(write).collect(),
        escapes: a.escapes.union(b.escapes),
        writes_shared: a.writes_shared || b.writes_shared,
    }
}

fn callees(function: &Function, by_name: &FxHashMap<Symbol, Vec<usize>>) -> Vec<usize> {
    let mut callees = Vec::new();
    for value in &function.values {
        if let Op::Call(call) = &value.op
            && let Callee::Function { name, .. } | Callee::Builtin { name, .. } = &call.callee
        {
            callees.extend(by_name.get(name).into_iter().flatten().copied());
        }
    }
    callees.sort_unstable();
    callees.dedup();
    callees
}

/// Functions that reach each other by calls, callees first (Tarjan, without recursion).
pub(super) fn groups(callees: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; callees.len()];
    let mut low = vec![0; callees.len()];
    let mut open = vec![false; callees.len()];
    let (mut stack, mut groups, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..callees.len() {
        if index[root] != NEW {
            continue;
        }
        let mut todo = vec![(root, 0)];
        while let Some(&(at, edge)) = todo.last() {
            if edge == 0 {
                (index[at], low[at], open[at]) = (next, next, true);
                next += 1;
                stack.push(at);
            }
            if let Some(&callee) = callees[at].get(edge) {
                if let Some(last) = todo.last_mut() {
                    last.1 += 1;
                }
                if index[callee] == NEW {
                    todo.push((callee, 0));
                } else if open[callee] {
                    low[at] = low[at].min(index[callee]);
                }
                continue;
            }
            todo.pop();
            if let Some(&(caller, _)) = todo.last() {
                low[caller] = low[caller].min(low[at]);
            }
            if low[at] == index[at] {
                let begin = stack.iter().position(|&it| it == at).unwrap_or(0);
                let mut group = stack.split_off(begin);
                group.iter().for_each(|&it| open[it] = false);
                group.sort_unstable();
                groups.push(group);
            }
        }
    }
    groups
}
