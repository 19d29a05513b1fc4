//! The candidates that the rules examine: the verdicts on their values and blocks show that a rule may report them.
//!
//! ```c
//! for (int i = 0; i < n; i++) barrier(1);                  // a candidate, but no suspect: the trip count is uniform
//! for (int i = 0; i < get_local_id(0); i++) barrier(1);    // a suspect
//! ```
//!
//! The result for a candidate is cached until the candidate or one of its callees changes. So after an edit, the costs
//! depend on the edited function and the suspects, and not on the number of barriers in the file.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::locks::may_take_lock;
use super::partial_mask::has_partial_mask;
use super::shuffles::constant_width;
use crate::interests::{self, Interest};
use crate::items::bodies_with_doubts;
use tangle_analysis::flow::Call;
use tangle_analysis::program::{Definition, DefinitionId};
use tangle_analysis::tangle::Model;
use tangle_analysis::uniformity::causes::calls;
use tangle_analysis::uniformity::context::Context;
use tangle_analysis::uniformity::unit::{FunctionFacts, FunctionInContext, UnitFacts};
use tangle_analysis::uniformity::warp::MAX_LANES;
use tangle_hir::bodies;
use tangle_hir::body::StmtKind;
use tangle_hir::scope::Scoped;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Argument, Builtin, BuiltinKind};
use tangle_syntax::source::{Settings, SourceFile};

/// The suspects and their direct and indirect callers and callees, in source order.
pub struct ExaminedFunctions<'a> {
    pub functions: Vec<FunctionEntry<'a>>,
}

pub struct FunctionEntry<'a> {
    pub at: DefinitionId,
    pub definition: &'a Definition<'a>,
    pub function: FunctionInContext<'a>,
    pub suspect: bool,
}

impl<'a> ExaminedFunctions<'a> {
    /// Returns the suspects among the candidates. `None` if there are none.
    pub fn among(
        db: &'a dyn Db,
        (file, settings, model): (SourceFile, Settings, Model),
        facts: &UnitFacts<'a>,
        candidates: &FxHashSet<DefinitionId>,
    ) -> Option<ExaminedFunctions<'a>> {
        let functions = facts.functions();
        let in_doubt: FxHashSet<DefinitionId> = bodies_with_doubts(db, file, settings, model)
            .filter_map(|(item, body)| functions.of_body(item, body))
            .flat_map(|at| functions.instantiations(at))
            .collect();
        let mut members: BTreeMap<DefinitionId, FunctionEntry> = BTreeMap::new();
        for &at in candidates {
            let definition = functions.get(at);
            if definition.replaced {
                continue;
            }
            let function = facts.in_context(at);
            let FunctionInContext { scoped, body, context } = function;
            let suspect = in_doubt.contains(&at) || is_suspect(db, scoped, body, settings, context);
            // A block literal that is never evaluated has no facts.
            if suspect && function.facts(db, settings).is_some() {
                members.insert(at, FunctionEntry { at, definition, function, suspect });
            }
        }
        if members.is_empty() {
            return None;
        }
        // The cause of a finding may be an argument from a caller.
        let suspects: Vec<DefinitionId> = members.keys().copied().collect();
        let graph = facts.graph();
        let in_unit = (db, settings, facts);
        add_reachable(in_unit, &mut members, suspects.clone(), |at| graph.callers(at).to_vec());
        // Callees contain operations, and causes of divergent results.
        add_reachable(in_unit, &mut members, suspects, |at| graph.callees(at).to_vec());
        Some(ExaminedFunctions { functions: members.into_values().collect() })
    }
}

/// Adds the functions that are reachable from `todo` by `next`. Stops at functions that are already members.
fn add_reachable<'a>(
    (db, settings, facts): (&'a dyn Db, Settings, &UnitFacts<'a>),
    members: &mut BTreeMap<DefinitionId, FunctionEntry<'a>>,
    mut todo: Vec<DefinitionId>,
    next: impl Fn(DefinitionId) -> Vec<DefinitionId>,
) {
    while let Some(at) = todo.pop() {
        for at in next(at) {
            let definition = facts.functions().get(at);
            if members.contains_key(&at) || definition.replaced {
                continue;
            }
            let function = facts.in_context(at);
            if function.facts(db, settings).is_some() {
                members.insert(at, FunctionEntry { at, definition, function, suspect: false });
                todo.push(at);
            }
        }
    }
}

/// Whether some rule may report a body.
///
/// True if the body contains an operation that some rule [needs](Need). The rules use facts that are computed with more
/// information, and that are never more divergent than the facts here.
#[salsa::tracked(returns(copy))]
fn is_suspect<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> bool {
    let function = FunctionInContext { scoped, body: number, context };
    let Some(FunctionFacts { function, uniformity }) = function.facts(db, settings) else { return false };
    let builtins = settings.builtins(db);
    let body = &bodies(db, scoped.item(db)).0[number as usize];
    let is_parted = || {
        body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Continue(_)))
            && uniformity.branches.iter().any(|branch| !branch.is_uniform())
    };
    let differs = |call: &Call, argument: &Argument| {
        argument.of(&call.arguments).is_some_and(|(value, _)| !uniformity.values[*value].is_uniform())
    };
    calls(function).any(|(block, value, call)| {
        if interests::is_needed(Interest::Lock) && may_take_lock(builtins, function, call) {
            return true;
        }
        if !call.convergent {
            return false;
        }
        let row = call.callee.row().and_then(|name| builtins.get(name)).filter(|row| row.convergent);
        let mut of_all = row.iter().flat_map(|row| &row.uniform_arguments);
        !uniformity.control[block].is_uniform() && interests::unreached(row)
            || interests::is_needed(Interest::DifferingArgument)
                && of_all.any(|argument| differs(call, argument))
            || interests::parted_loop(row) && is_parted()
            || interests::is_needed(Interest::PartialMask)
                && row.is_some_and(|row| has_partial_mask(function, value, row))
            || interests::is_needed(Interest::ShuffleWidth)
                && constant_width(builtins, function, value).is_some_and(|width| width != 32)
            || interests::is_needed(Interest::LaneMask)
                && context.launch(db).sub_group_size == Some(MAX_LANES)
                && row.is_some_and(|row| matches!(row.kind, Some(BuiltinKind::Ballot | BuiltinKind::Vote)))
            || interests::is_needed(Interest::ActiveMask) && row.is_some_and(Builtin::yields_active_mask)
            || interests::is_needed(Interest::Deprecated)
                && row.is_some_and(Builtin::is_deprecated_warp_operation)
    })
}
