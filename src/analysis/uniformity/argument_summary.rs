//! Argument summaries: the join of the arguments at all call sites of a function.
//!
//! **Passed** for a parameter: the greatest divergence of the argument at any call site of the unit. It includes the
//! divergence that the caller gets from its own callers. With it, a verdict that depends on parameters becomes a
//! verdict for all callers. **Open** function: a function that code outside the unit can call, with unknown arguments.
//! A function without callers in the unit counts as open. A kernel is not: the host passes the same arguments to all
//! threads.
//!
//! ```c
//! static void sync_if(int n) { if (n) barrier(1); }     // passed: uniform in the grid
//! static void twice(int n) { sync_if(n); sync_if(2); }  // passed: uniform in the grid
//! kernel void k(int n) { twice(n); }
//! ```
//!
//! Computed callers first. Mutually recursive functions are iterated until nothing changes.

use rustc_hash::FxHashMap;

use super::unit::UnitFacts;
use super::{Divergence, Fact};
use crate::flow::Op;
use crate::program::graph::call_graph;
use crate::program::{DefinitionId, FunctionId, functions};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// The argument summary of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct ArgumentSummary {
    open: bool,
    /// First by parameter, then by [byte range](super::Inputs) of the targets of parameters. Entries beyond the end
    /// have no argument at any call site: uniform.
    arguments: Vec<ArgumentFacts<Divergence>>,
}

/// The divergence of an argument, for each property that a fact may depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ArgumentFacts<T> {
    value: T,
    /// The contents of its target.
    pointee: T,
    /// The target, because other threads may write it.
    shared: T,
    /// The target, if it is private memory with unknown contents.
    private: T,
}

impl ArgumentSummary {
    /// Returns the divergence of a fact of the function at the call sites of the unit.
    pub fn verdict(&self, fact: Fact) -> Divergence {
        let argument = |number: usize| self.arguments.get(number).copied().unwrap_or_default();
        let value = |number: usize| Fact::of(argument(number).value);
        let pointee = |number: usize| Fact::of(argument(number).pointee);
        let shared = |number: usize| Fact::of(argument(number).shared);
        let private = |number: usize| Fact::of(argument(number).private);
        fact.substituted(value, pointee, shared, private).divergence
    }

    /// Whether a fact is uniform in each group of a scope, for all callers.
    pub fn is_uniform(&self, fact: Fact, scope: Scope) -> bool {
        (!self.open || !fact.depends_on_caller()) && !self.verdict(fact).within(scope)
    }
}

/// The facts of the arguments that a function passes to each callee in the unit. Joined over its calls of the callee.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct CallArguments(FxHashMap<DefinitionId, Vec<ArgumentFacts<Fact>>>);

#[salsa::tracked]
fn passes<'db>(db: &'db dyn Db, caller: FunctionId<'db>) -> CallArguments {
    let facts = UnitFacts::of(db, caller.file(db), caller.settings(db));
    let mut passes = CallArguments::default();
    let Some(at) = facts.functions().of_id(caller) else { return passes };
    facts.explain(at, |analysis| {
        for (id, value) in analysis.function.values.iter_enumerated() {
            let Op::Call(call) = &value.op else { continue };
            let Some(callee) = facts.defined(&call.callee) else { continue };
            let known = passes.0.entry(callee).or_default();
            if known.len() < call.arguments.len() {
                known.resize(call.arguments.len(), ArgumentFacts::default());
            }
            let summary = (analysis.environment.summary)(&call.callee).unwrap_or_default();
            let inputs = &summary.inputs;
            for (number, input) in (inputs.parameters..).zip(&inputs.ranges) {
                let Some(&(argument, _)) = call.arguments.get(input.parameter as usize) else { continue };
                if known.len() <= number {
                    known.resize(number + 1, ArgumentFacts::default());
                }
                if analysis.function.values[argument].ty.as_pointer().is_some() {
                    known[number].pointee.add(analysis.read_input(id, argument, input));
                }
            }
            for (known, &(argument, _)) in known.iter_mut().zip(&call.arguments) {
                known.value.add(analysis.state.values[argument]);
                if analysis.function.values[argument].ty.as_pointer().is_some() {
                    known.pointee.add(analysis.read(id, argument));
                    known.shared.add(analysis.sharing(argument));
                    known.private.add(analysis.privacy(argument));
                }
            }
        }
    });
    passes
}

/// Computes the argument summaries of the functions of a group, in the order of the group. `first` is its first
/// function.
// Query the callers first: see `UnitFacts::passed`.
#[salsa::tracked]
pub(super) fn passed_to_group<'db>(db: &'db dyn Db, first: FunctionId<'db>) -> Box<[ArgumentSummary]> {
    let (file, settings) = (first.file(db), first.settings(db));
    let functions = functions(db, file, settings);
    let graph = call_graph(db, file, settings);
    let Some(at) = functions.of_id(first) else { return Box::default() };
    let group = graph.group(at);
    let by_nobody = |&member: &DefinitionId| ArgumentSummary {
        open: !functions.get(member).kernel,
        arguments: Vec::new(),
    };
    let mut known: Vec<ArgumentSummary> = group.iter().map(by_nobody).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (place, &member) in group.iter().enumerate() {
            let own = functions.get(member);
            let mut passed = known[place].clone();
            for &caller in graph.callers(member).iter().filter(|&&it| !functions.get(it).replaced) {
                let Some(arguments) = passes(db, functions.get(caller).id).0.get(&member) else { continue };
                let to_caller = match group.iter().position(|&it| it == caller) {
                    Some(place) => known[place].clone(),
                    None => {
                        let group = graph.group(caller);
                        let place = group.iter().position(|&it| it == caller).unwrap_or_default();
                        passed_to_group(db, functions.get(group[0]).id)[place].clone()
                    }
                };
                passed.open &= !own.internal;
                if passed.arguments.len() < arguments.len() {
                    passed.arguments.resize(arguments.len(), ArgumentFacts::default());
                }
                for (known, argument) in passed.arguments.iter_mut().zip(arguments) {
                    known.value = known.value.max(to_caller.verdict(argument.value));
                    known.pointee = known.pointee.max(to_caller.verdict(argument.pointee));
                    known.shared = known.shared.max(to_caller.verdict(argument.shared));
                    known.private = known.private.max(to_caller.verdict(argument.private));
                }
            }
            changed |= passed != known[place];
            known[place] = passed;
        }
    }
    known.into()
}

/// Returns the argument summary of one function, as a query for the language server.
#[salsa::tracked]
pub fn passed<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> ArgumentSummary {
    let facts = UnitFacts::of(db, id.file(db), id.settings(db));
    facts.functions().of_id(id).map(|at| facts.passed(at).clone()).unwrap_or_default()
}
