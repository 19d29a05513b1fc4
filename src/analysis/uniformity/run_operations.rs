//! The operations that a call runs.
//!
//! **Runs**: a call runs the operations in the body of its callee, and the operations that the calls in that body run.
//! The caller waits where these operations wait.
//!
//! ```c
//! void sync(void) { barrier(1); }              // runs barrier, of the work-group
//! void step(void) { sync(); sub_group_barrier(1); }   // runs barrier, and sub_group_barrier of the sub-group
//! ```
//!
//! Computed callees first. All functions of a recursive group run the same operations.

use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;

use crate::flow::Op;
use crate::flow::skeletons::{Irreducible, skeletons};
use crate::program::graph::call_graph;
use crate::program::{
    CallTarget, ConvergentCallee, Definition, DefinitionId, FunctionId, convergent, functions,
};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// The convergent operations that a call of a function runs: one of each kind, the first in the order of its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct RunOperations {
    /// An operation whose scope is the work-group, the cluster or the grid.
    pub of_group: Option<(Symbol, Scope)>,
    /// An operation whose scope is the sub-group.
    pub of_subgroup: Option<Symbol>,
}

impl RunOperations {
    /// Returns the effect of running a single operation.
    pub fn operation(name: Symbol, scope: Scope) -> RunOperations {
        match scope {
            Scope::Workgroup | Scope::Cluster | Scope::Grid => {
                RunOperations { of_group: Some((name, scope)), of_subgroup: None }
            }
            Scope::Subgroup => RunOperations { of_group: None, of_subgroup: Some(name) },
            Scope::None => RunOperations::default(),
        }
    }

    /// Returns the widest scope that waits. None if no operation waits.
    pub fn scope(self) -> Option<Scope> {
        let subgroup = self.of_subgroup.map(|_| Scope::Subgroup);
        self.of_group.map(|(_, scope)| scope).or(subgroup)
    }

    /// Returns what runs in both cases. An operation of a group also counts as an operation of a sub-group.
    pub fn common(self, other: RunOperations) -> RunOperations {
        let both = self.of_group.is_some() && other.of_group.is_some();
        let waits = |it: RunOperations| it.of_subgroup.or(it.of_group.map(|(name, _)| name));
        let in_subgroup = waits(self).filter(|_| waits(other).is_some());
        RunOperations {
            of_group: self.of_group.filter(|_| both),
            of_subgroup: if both { self.of_subgroup } else { in_subgroup },
        }
    }

    fn merge(self, other: RunOperations) -> RunOperations {
        RunOperations {
            of_group: self.of_group.or(other.of_group),
            of_subgroup: self.of_subgroup.or(other.of_subgroup),
        }
    }
}

/// Returns the operations that a call of a function runs.
// Query the callees first: see `UnitFacts::runs`.
#[salsa::tracked(returns(copy))]
pub(super) fn runs<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> RunOperations {
    let (file, settings) = (id.file(db), id.settings(db));
    let functions = functions(db, file, settings);
    let graph = call_graph(db, file, settings);
    let convergent = convergent(db, file, settings);
    let Some(at) = functions.of_id(id) else { return RunOperations::default() };
    let group = graph.group(at);
    let mut found = RunOperations::default();
    for &member in group {
        for target in calls(db, functions.get(member)) {
            let may_run = match target {
                CallTarget::Unresolved(named) => functions.named(named),
                _ => SmallVec::new(),
            };
            let of = |&at: &DefinitionId| match group.contains(&at) {
                true => None,
                false => Some(runs(db, functions.get(at).id)),
            };
            if let [first, others @ ..] = &may_run[..]
                && !others.is_empty()
            {
                // The operations that all candidates run.
                let all = others.iter().filter_map(of).fold(of(first), |all, one| Some(all?.common(one)));
                found = found.merge(all.unwrap_or_default());
                continue;
            }
            let runs_here = match convergent.call(target) {
                Some(ConvergentCallee::Operation(name, scope)) => RunOperations::operation(name, scope),
                Some(ConvergentCallee::Function(key)) => match functions.of_key(key) {
                    Some(callee) if !group.contains(&callee) => runs(db, functions.get(callee).id),
                    _ => continue,
                },
                Some(ConvergentCallee::Pointer) | None => continue,
            };
            found = found.merge(runs_here);
        }
    }
    found
}

/// Returns the targets of the calls of a function, in the order of its blocks.
fn calls<'db>(db: &'db dyn Db, definition: &Definition<'db>) -> Vec<CallTarget> {
    let skeletons = &skeletons(db, definition.item.scoped, Irreducible::Anchor).0;
    let Some(Some(skeleton)) = skeletons.get(definition.body as usize) else { return Vec::new() };
    let values = skeleton.function.blocks.iter().flat_map(|block| &block.values);
    let targets = values.filter_map(|&value| match &skeleton.function.values[value].op {
        Op::Call(call) => Some(CallTarget::of(&call.callee)),
        _ => None,
    });
    targets.collect()
}
