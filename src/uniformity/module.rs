//! The functions of a module, callees first.
//!
//! Functions that call each other are gone through until their summaries no longer change: they begin as if nothing were
//! divergent, and only grow.

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

use super::analysis::{Analysis, Environment, Uniformity};
use super::effect::effect;
use super::groups::groups;
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
        let environment =
            Environment { builtin: &|callee| effect(builtins, callee), summary: &summary, limit: &limit };
        Analysis::of(function, &environment).result()
    };
    module.functions.iter().map(of).collect()
}

/// The summaries of the functions of a module, by name. Functions that share a name share a summary.
pub fn summaries(module: &Module, builtins: &Builtins, limit: Limit) -> FxHashMap<Symbol, Summary> {
    let mut by_name: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for (number, function) in module.functions.iter().enumerate() {
        by_name.entry(function.key.name).or_default().push(number);
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
                if let Some(known) = summaries.get_mut(&function.key.name) {
                    let joined = known.join(&found);
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
    let environment =
        Environment { builtin: &|callee| effect(builtins, callee), summary: &summary, limit: &limit };
    Analysis::of(function, &environment).summary()
}

pub fn of_callee(summaries: &FxHashMap<Symbol, Summary>, callee: &Callee) -> Option<Summary> {
    match callee {
        Callee::Function { .. } | Callee::Builtin { .. } => summaries.get(&callee.name()?).cloned(),
        Callee::Compiler { .. } | Callee::Pointer { .. } => None,
    }
}

fn callees(function: &Function, by_name: &FxHashMap<Symbol, Vec<usize>>) -> Vec<usize> {
    let mut callees = Vec::new();
    for value in &function.values {
        if let Op::Call(call) = &value.op
            && let Callee::Function { .. } | Callee::Builtin { .. } = &call.callee
            && let Some(name) = call.callee.name()
        {
            callees.extend(by_name.get(&name).into_iter().flatten().copied());
        }
    }
    callees.sort_unstable();
    callees.dedup();
    callees
}
