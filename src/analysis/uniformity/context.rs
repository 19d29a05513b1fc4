//! The inputs of the facts of a function, besides the function itself.
//!
//! **Context** of a function in a unit: whether each callee is convergent, with its summary; the user's assertions
//! about the function; the launch sizes. Units with equal contexts share the facts. **Inputs**: a context in the form that
//! the analysis needs.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

use super::analysis::{BuiltinEffect, Environment, UnknownAssumption};
use super::effect::effect;
use super::{Divergence, Launch, Summary};
use crate::flow::{Callee, Op, Value};
use crate::program::CallTarget;
use tangle_hir::assertions::{AssertedValue, Assertion};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtins, Scope};
use tangle_syntax::source::Settings;

/// The inputs of the facts of a function, besides the function itself.
#[salsa::interned(debug)]
pub struct Context<'db> {
    /// Its callees, in the order of its operations.
    #[returns(ref)]
    pub callees: Vec<CalleeFacts>,
    #[returns(ref)]
    pub assertions: Vec<Assertion>,
    /// The known sizes of its launches.
    #[returns(copy)]
    pub launch: Launch,
}

/// The facts of a callee.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CalleeFacts {
    pub target: CallTarget,
    pub convergent: bool,
    /// None if no facts of the callee are known.
    pub summary: Option<Arc<Summary>>,
    /// The scope for which the user asserts that its result is uniform.
    pub asserted: Option<Scope>,
}

/// The inputs of the analysis of a function.
pub struct AnalysisInputs<'db> {
    pub builtins: &'db Builtins,
    summaries: FxHashMap<CallTarget, &'db Arc<Summary>>,
    /// The greatest divergence of variables that the user asserts.
    variables: FxHashMap<Symbol, Divergence>,
    /// The greatest divergence of results of callees that the user asserts.
    results: FxHashMap<CallTarget, Divergence>,
    /// The assumption about names and functions that the unit does not declare.
    pub assumed: UnknownAssumption,
    launch: Launch,
}

impl<'db> AnalysisInputs<'db> {
    /// Returns the inputs for a context.
    pub fn of(db: &'db dyn Db, settings: Settings, context: Context<'db>) -> AnalysisInputs<'db> {
        let mut variables: FxHashMap<Symbol, Divergence> = FxHashMap::default();
        for assertion in context.assertions(db) {
            if let AssertedValue::Variable(name) = assertion.what {
                let said = Divergence::uniform_in(assertion.scope);
                let least = variables.entry(name).or_insert(said);
                *least = said.min(*least);
            }
        }
        let callees = context.callees(db).iter();
        let result = |it: &CalleeFacts| Some((it.target, Divergence::uniform_in(it.asserted?)));
        AnalysisInputs {
            builtins: settings.builtins(db),
            summaries: callees.clone().filter_map(|it| Some((it.target, it.summary.as_ref()?))).collect(),
            variables,
            results: callees.filter_map(result).collect(),
            assumed: UnknownAssumption::default(),
            launch: context.launch(db),
        }
    }

    /// Returns the effect of a callee according to the table of builtins. A definition in the unit replaces a row of
    /// the language, but not a row of the user.
    pub fn builtin(&self, callee: &Callee) -> Option<BuiltinEffect> {
        let name = callee.row()?;
        let is_replaced = self.summary(callee).is_some() && self.builtins.own(name).is_none();
        if is_replaced { None } else { effect(self.builtins, name) }
    }

    pub fn summary(&self, callee: &Callee) -> Option<&'db Arc<Summary>> {
        self.summaries.get(&CallTarget::of(callee)).copied()
    }

    /// Returns the greatest divergence of a value, if the user asserts one.
    pub fn asserted_divergence(&self, value: &Value) -> Option<Divergence> {
        let named = value.name.and_then(|name| self.variables.get(&name));
        let result = match &value.op {
            Op::Call(call) => self.results.get(&CallTarget::of(&call.callee)),
            _ => None,
        };
        named.into_iter().chain(result).copied().min()
    }

    /// Calls `run` with the environment for these inputs.
    pub fn run<R>(&self, run: impl FnOnce(&Environment) -> R) -> R {
        let builtin = |callee: &Callee| self.builtin(callee);
        let summary = |callee: &Callee| self.summary(callee).cloned();
        let limit = |value: &Value| self.asserted_divergence(value);
        let implied = |name: Symbol| self.builtins.conventions().implied(name);
        let (assumed, launch) = (self.assumed, self.launch);
        run(&Environment {
            builtin: &builtin,
            summary: &summary,
            limit: &limit,
            implied: &implied,
            assumed,
            launch,
        })
    }
}
