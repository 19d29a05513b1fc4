//! Which operations run inside a call.
//!
//! **Runs**: a call of a function runs the operations that stand in it, and those that run by its own calls. Who calls it waits where
//! these wait.
//!
//! ```c
//! void sync(void) { barrier(1); }              // runs barrier, of the work-group
//! void step(void) { sync(); sub_group_barrier(1); }   // runs barrier, and sub_group_barrier of the subgroup
//! ```
//!
//! Found callees first; functions that call each other run the same.

use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;

use crate::flow::Op;
use crate::flow::module::{Irreducible, skeletons};
use crate::program::graph::call_graph;
use crate::program::{Called, Definition, DefinitionId, FunctionId, Target, convergent, functions};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;

/// The first operations that run by a call of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// For which the work-group or the grid waits.
    pub of_group: Option<(Symbol, Scope)>,
    /// For which the subgroup waits.
    pub of_subgroup: Option<Symbol>,
}

impl Runs {
    /// What an operation is to those who run it.
    pub fn operation(name: Symbol, scope: Scope) -> Runs {
        match scope {
            Scope::Workgroup | Scope::Cluster | Scope::Grid => {
                Runs { of_group: Some((name, scope)), of_subgroup: None }
            }
            Scope::Subgroup => Runs { of_group: None, of_subgroup: Some(name) },
            Scope::None => Runs::default(),
        }
    }

    /// The widest group that waits. None: no group does.
    pub fn scope(self) -> Option<Scope> {
        let subgroup = self.of_subgroup.map(|_| Scope::Subgroup);
        self.of_group.map(|(_, scope)| scope).or(subgroup)
    }

    /// What runs either way: that of a group is more than that of a subgroup.
    pub fn and(self, other: Runs) -> Runs {
        let both = self.of_group.is_some() && other.of_group.is_some();
        let waits = |it: Runs| it.of_subgroup.or(it.of_group.map(|(name, _)| name));
        let in_subgroup = waits(self).filter(|_| waits(other).is_some());
        Runs {
            of_group: self.of_group.filter(|_| both),
            of_subgroup: if both { self.of_subgroup } else { in_subgroup },
        }
    }

    fn or(self, other: Runs) -> Runs {
        Runs {
            of_group: self.of_group.or(other.of_group),
            of_subgroup: self.of_subgroup.or(other.of_subgroup),
        }
    }
}

/// What runs by a call of a function.
// To be asked for callees first.
#[salsa::tracked(returns(copy))]
pub(super) fn runs<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Runs {
    let (file, settings) = (id.file(db), id.settings(db));
    let functions = functions(db, file, settings);
    let graph = call_graph(db, file, settings);
    let convergent = convergent(db, file, settings);
    let Some(at) = functions.of_id(id) else { return Runs::default() };
    let group = graph.group(at);
    let mut found = Runs::default();
    for &member in group {
        for target in calls(db, functions.get(member)) {
            let may_run = match target {
                Target::Unresolved(named) => functions.named(named),
                _ => SmallVec::new(),
            };
            let of = |&at: &DefinitionId| match group.contains(&at) {
                true => None,
                false => Some(runs(db, functions.get(at).id)),
            };
            if let [first, others @ ..] = &may_run[..]
                && !others.is_empty()
            {
                // What all of them run.
                let all = others.iter().filter_map(of).fold(of(first), |all, one| Some(all?.and(one)));
                found = found.or(all.unwrap_or_default());
                continue;
            }
            let runs_here = match convergent.call(target) {
                Some(Called::Operation(name, scope)) => Runs::operation(name, scope),
                Some(Called::Function(key)) => match functions.of_key(key) {
                    Some(callee) if !group.contains(&callee) => runs(db, functions.get(callee).id),
                    _ => continue,
                },
                Some(Called::Pointer) | None => continue,
            };
            found = found.or(runs_here);
        }
    }
    found
}

/// Whom a function calls, in the order of its blocks.
fn calls<'db>(db: &'db dyn Db, definition: &Definition<'db>) -> Vec<Target> {
    let skeletons = &skeletons(db, definition.item.scoped, Irreducible::Anchor).0;
    let Some(Some(skeleton)) = skeletons.get(definition.body as usize) else { return Vec::new() };
    let values = skeleton.function.blocks.iter().flat_map(|block| &block.values);
    let targets = values.filter_map(|&value| match &skeleton.function.values[value].op {
        Op::Call(call) => Some(Target::of(&call.callee)),
        _ => None,
    });
    targets.collect()
}
