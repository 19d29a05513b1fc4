//! What the callers of a function pass, all of them together.
//!
//! **Passed** for a parameter: how divergent it is in the call of the unit in which it is most so, what callers of callers pass put in. A verdict
//! that depends on parameters becomes one that holds whoever calls. **Open** function: one that others than the unit may call, with they
//! alone know what. To a kernel the host passes the same in all threads.
//!
//! ```c
//! static void sync_if(int n) { if (n) barrier(1); }     // passed: uniform in the grid
//! static void twice(int n) { sync_if(n); sync_if(2); }  // passed: uniform in the grid
//! kernel void k(int n) { twice(n); }
//! ```
//!
//! Found callers first; functions that call each other are gone through until nothing changes.

use rustc_hash::FxHashMap;

use super::unit::UnitFacts;
use super::{Divergence, Fact};
use crate::flow::Op;
use crate::program::graph::call_graph;
use crate::program::{DefinitionId, FunctionId, functions};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// What a function is passed.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Passed {
    open: bool,
    /// By parameter, and behind them by [part](super::Inputs) of what they point to. What is beyond is passed by nobody.
    arguments: Vec<Argument<Divergence>>,
}

/// What is known of an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Argument<T> {
    value: T,
    /// Of what it points to.
    pointee: T,
    /// Of what it points to, because others may write there.
    shared: T,
    /// The same, because it is private.
    private: T,
}

impl Passed {
    /// How divergent something is that depends on parameters as a fact of the function says, in the calls of the unit.
    pub fn verdict(&self, fact: Fact) -> Divergence {
        let argument = |number: usize| self.arguments.get(number).copied().unwrap_or_default();
        let value = |number: usize| Fact::of(argument(number).value);
        let pointee = |number: usize| Fact::of(argument(number).pointee);
        let shared = |number: usize| Fact::of(argument(number).shared);
        let private = |number: usize| Fact::of(argument(number).private);
        fact.applied(value, pointee, shared, private).divergence
    }

    /// Whether the threads of each group of a scope agree on something, whoever calls.
    pub fn agree(&self, fact: Fact, scope: Scope) -> bool {
        (!self.open || !fact.is_open()) && !self.verdict(fact).within(scope)
    }
}

/// What a function passes to each function of the unit that it calls, by parameter.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Passes(FxHashMap<DefinitionId, Vec<Argument<Fact>>>);

#[salsa::tracked]
fn passes<'db>(db: &'db dyn Db, caller: FunctionId<'db>) -> Passes {
    let facts = UnitFacts::of(db, caller.file(db), caller.settings(db));
    let mut passes = Passes::default();
    let Some(at) = facts.functions().of_id(caller) else { return passes };
    facts.explain(at, |analysis| {
        for (id, value) in analysis.function.values.iter_enumerated() {
            let Op::Call(call) = &value.op else { continue };
            let Some(callee) = facts.defined(&call.callee) else { continue };
            let known = passes.0.entry(callee).or_default();
            if known.len() < call.arguments.len() {
                known.resize(call.arguments.len(), Argument::default());
            }
            let summary = (analysis.environment.summary)(&call.callee).unwrap_or_default();
            let inputs = &summary.inputs;
            for (number, input) in (inputs.parameters..).zip(&inputs.parts) {
                let Some(&(argument, _)) = call.arguments.get(input.parameter as usize) else { continue };
                if known.len() <= number {
                    known.resize(number + 1, Argument::default());
                }
                if analysis.function.values[argument].ty.as_pointer().is_some() {
                    known[number].pointee.add(analysis.read_input(id, argument, input));
                }
            }
            for (known, &(argument, _)) in known.iter_mut().zip(&call.arguments) {
                known.value.add(analysis.values[argument]);
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

/// What the functions of a group that call each other are passed, in their order; this is the first of them.
// To be asked for callers first: see `UnitFacts::passed`.
#[salsa::tracked]
pub(super) fn passed_to_group<'db>(db: &'db dyn Db, first: FunctionId<'db>) -> Box<[Passed]> {
    let (file, settings) = (first.file(db), first.settings(db));
    let functions = functions(db, file, settings);
    let graph = call_graph(db, file, settings);
    let Some(at) = functions.of_id(first) else { return Box::default() };
    let group = graph.group(at);
    let by_nobody =
        |&member: &DefinitionId| Passed { open: !functions.get(member).kernel, arguments: Vec::new() };
    let mut known: Vec<Passed> = group.iter().map(by_nobody).collect();
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
                    passed.arguments.resize(arguments.len(), Argument::default());
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

/// What the callers of a function pass, for whoever looks at one function, as an editor does.
#[salsa::tracked]
pub fn passed<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Passed {
    let facts = UnitFacts::of(db, id.file(db), id.settings(db));
    facts.functions().of_id(id).map(|at| facts.passed(at).clone()).unwrap_or_default()
}
