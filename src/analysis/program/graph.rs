//! The call graph of a unit, and an order of its functions, callees first.
//!
//! **Group**: a strongly connected component of the call graph. Nearly all groups have one function. **Recursive**
//! group: a group with a call inside it.

use tangle_ir::uniformity::groups::groups;

use index_vec::{IndexVec, define_index_type, index_vec};
use smallvec::SmallVec;

use super::calls::{CallTarget, calls, instance_calls};
use super::definitions::{DefinitionId, functions};
use tangle_hir::scope::{segment_items, segments};
use tangle_ir::key::FunctionKey;
use tangle_syntax::db::Db;
use tangle_syntax::source::{Settings, SourceFile};

define_index_type! {
    /// A group of a unit. The groups of callees have smaller numbers.
    pub struct GroupId = u32;
}

/// The calls between the functions that a unit defines.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct CallGraph {
    /// The callees of each definition, sorted and without repetition.
    callees: IndexVec<DefinitionId, Box<[DefinitionId]>>,
    callers: IndexVec<DefinitionId, Vec<DefinitionId>>,
    groups: IndexVec<GroupId, Box<[DefinitionId]>>,
    group_of: IndexVec<DefinitionId, GroupId>,
}

impl CallGraph {
    /// Returns the definitions that a function may call.
    pub fn callees(&self, at: DefinitionId) -> &[DefinitionId] {
        &self.callees[at]
    }

    /// Returns the definitions that may call a function.
    pub fn callers(&self, at: DefinitionId) -> &[DefinitionId] {
        &self.callers[at]
    }

    /// Returns the members of a function's group, in source order.
    pub fn group(&self, at: DefinitionId) -> &[DefinitionId] {
        &self.groups[self.group_of[at]]
    }

    /// Returns the groups, callers before callees.
    pub fn callers_first(&self) -> impl Iterator<Item = &[DefinitionId]> {
        self.groups.iter().rev().map(|group| &**group)
    }

    /// Whether a function calls itself, directly or indirectly.
    pub fn is_recursive(&self, at: DefinitionId) -> bool {
        self.group(at).len() > 1 || self.callees[at].contains(&at)
    }

    /// Sorts functions so that callees come first.
    pub fn sort(&self, functions: &mut [DefinitionId]) {
        functions.sort_unstable_by_key(|&at| (self.group_of[at], at));
    }
}

/// Computes the call graph of a unit.
#[salsa::tracked(lru = 16)]
pub fn call_graph(db: &dyn Db, file: SourceFile, settings: Settings) -> CallGraph {
    let functions = functions(db, file, settings);
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); functions.len()];
    let meant = |target: CallTarget| -> SmallVec<[DefinitionId; 4]> {
        match target {
            CallTarget::Function(key) => functions.of_key(key).into_iter().collect(),
            CallTarget::Builtin(name) => functions.of_key(FunctionKey::plain(name)).into_iter().collect(),
            CallTarget::Unresolved(named) => functions.named(named),
            CallTarget::Pointer | CallTarget::Unknown => SmallVec::new(),
        }
    };
    for (_, segment) in segments(db, file, settings) {
        let items = segment_items(db, segment);
        for (&target, callers) in &calls(db, segment).callers {
            let meant = meant(target);
            if meant.is_empty() {
                continue;
            }
            for caller in callers {
                let item = items[caller.item as usize].0.item(db);
                let at = functions.of_body(item, caller.body).or_else(|| functions.of_key(caller.key));
                // The calls of an instance depend on its arguments.
                if let Some(at) = at.filter(|&at| functions.get(at).instantiation.is_none()) {
                    callees[at.index()].extend(meant.iter().map(|callee| callee.index()));
                }
            }
        }
    }
    for (at, definition) in functions.with_instances().filter(|(_, it)| it.instantiation.is_some()) {
        for (&target, callers) in &instance_calls(db, definition.item.scoped).callers {
            if callers.iter().any(|caller| caller.body == definition.body) {
                callees[at.index()].extend(meant(target).iter().map(|callee| callee.index()));
            }
        }
    }
    for callees in &mut callees {
        callees.sort_unstable();
        callees.dedup();
    }
    let groups: IndexVec<GroupId, Box<[DefinitionId]>> = groups(&callees)
        .into_iter()
        .map(|group| group.into_iter().map(DefinitionId::new).collect())
        .collect();
    let mut group_of = index_vec![GroupId::new(0); functions.len()];
    for (id, group) in groups.iter_enumerated() {
        group.iter().for_each(|&at| group_of[at] = id);
    }
    let mut callers = index_vec![Vec::new(); functions.len()];
    for (caller, callees) in callees.iter().enumerate() {
        callees.iter().for_each(|&callee| callers[callee].push(DefinitionId::new(caller)));
    }
    let callees =
        callees.into_iter().map(|callees| callees.into_iter().map(DefinitionId::new).collect()).collect();
    CallGraph { callees, callers, groups, group_of }
}
