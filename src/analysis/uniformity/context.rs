//! What the facts of a function depend on beside itself.
//!
//! **Context** of a function in a unit: for each callee whether it is convergent and what a caller has to know of it, and what users assert of
//! the function. Units that agree in it share the facts. **Surroundings**: a context, and what was found under it so far, as the analysis
//! asks for it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;

use super::analysis::{Assumed, Effect, Environment};
use super::effect::effect;
use super::{Divergence, Launch, Summary};
use crate::flow::{Callee, Op, Value, ValueId};
use crate::program::Target;
use tangle_hir::assertions::{Asserted, Assertion};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtins, Scope};
use tangle_syntax::source::Settings;

/// What the facts of a function depend on beside itself.
#[salsa::interned(debug)]
pub struct Context<'db> {
    /// What it calls, in the order of its operations.
    #[returns(ref)]
    pub callees: Vec<Known>,
    #[returns(ref)]
    pub assertions: Vec<Assertion>,
    /// What is known of each launch in which it runs.
    #[returns(copy)]
    pub launch: Launch,
}

/// What is known of a callee.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    pub target: Target,
    pub convergent: bool,
    /// What a caller has to know of it. None: nothing is known.
    pub summary: Option<Arc<Summary>>,
    /// Users say that its result is uniform in this scope.
    pub asserted: Option<Scope>,
}

/// What a function is analysed under.
pub struct Surroundings<'db> {
    pub builtins: &'db Builtins,
    summaries: FxHashMap<Target, &'db Arc<Summary>>,
    /// How divergent users say that variables, and results of callees, are at most.
    variables: FxHashMap<Symbol, Divergence>,
    results: FxHashMap<Target, Divergence>,
    /// Operations whose reads are [agreed](super::barriers).
    pub agreed: FxHashSet<ValueId>,
    /// What is assumed of what the unit does not declare.
    pub assumed: Assumed,
    launch: Launch,
}

impl<'db> Surroundings<'db> {
    /// With nothing agreed yet.
    pub fn of(db: &'db dyn Db, settings: Settings, context: Context<'db>) -> Surroundings<'db> {
        let mut variables: FxHashMap<Symbol, Divergence> = FxHashMap::default();
        for assertion in context.assertions(db) {
            if let Asserted::Variable(name) = assertion.what {
                let said = Divergence::uniform_in(assertion.scope);
                let least = variables.entry(name).or_insert(said);
                *least = said.min(*least);
            }
        }
        let callees = context.callees(db).iter();
        let result = |it: &Known| Some((it.target, Divergence::uniform_in(it.asserted?)));
        Surroundings {
            builtins: settings.builtins(db),
            summaries: callees.clone().filter_map(|it| Some((it.target, it.summary.as_ref()?))).collect(),
            variables,
            results: callees.filter_map(result).collect(),
            agreed: FxHashSet::default(),
            assumed: Assumed::default(),
            launch: context.launch(db),
        }
    }

    /// What the table says of a callee. What the unit defines is not what the language has under that name; but what users say of a name
    /// holds for its definition, too.
    pub fn builtin(&self, callee: &Callee) -> Option<Effect> {
        let name = callee.row()?;
        let is_replaced = self.summary(callee).is_some() && self.builtins.own(name).is_none();
        if is_replaced { None } else { effect(self.builtins, name) }
    }

    pub fn summary(&self, callee: &Callee) -> Option<&'db Arc<Summary>> {
        self.summaries.get(&Target::of(callee)).copied()
    }

    /// How divergent a value is at most, by what users say.
    pub fn limit(&self, value: &Value) -> Option<Divergence> {
        let named = value.name.and_then(|name| self.variables.get(&name));
        let result = match &value.op {
            Op::Call(call) => self.results.get(&Target::of(&call.callee)),
            _ => None,
        };
        named.into_iter().chain(result).copied().min()
    }

    /// Runs something under these surroundings.
    pub fn run<R>(&self, run: impl FnOnce(&Environment) -> R) -> R {
        let builtin = |callee: &Callee| self.builtin(callee);
        let summary = |callee: &Callee| self.summary(callee).cloned();
        let limit = |value: &Value| self.limit(value);
        let agreed = |id: ValueId| self.agreed.contains(&id);
        let implied = |name: Symbol| self.builtins.conventions().implied(name);
        let (assumed, launch) = (self.assumed, self.launch);
        run(&Environment {
            builtin: &builtin,
            summary: &summary,
            limit: &limit,
            agreed: &agreed,
            implied: &implied,
            assumed,
            launch,
        })
    }
}
