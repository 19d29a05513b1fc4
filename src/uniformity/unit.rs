//! The facts of the functions of a unit, each when it is asked for.
//!
//! They depend on the function's item, the meanings of its names, and what is known of its callees ([`Context`]). They are shared by all
//! units that agree in these, and stay when something else changes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use super::analysis::{Analysis, Environment, Uniformity};
use super::effect::effect;
use super::groups::groups;
use super::module::of_callee;
use super::{Divergence, Summary};
use crate::db::Db;
use crate::flow::module::{Irreducible, skeletons};
use crate::flow::tokens::{self, Tokens};
use crate::flow::{Callee, Function, Op, Value, ValueId};
use crate::hir::assertions::{Asserted, Assertion, Assertions, assertions};
use crate::hir::scope::{Scoped, ScopedItem, scoped_items, typed};
use crate::hir::{bodies, declared};
use crate::source::{Settings, SourceFile};
use crate::syntax::Item;
use crate::tangle::convergent::{Convergent, of_unit};

/// What the facts of a function depend on beside itself.
#[salsa::interned(debug)]
pub struct Context<'db> {
    /// The functions of the unit that it calls, sorted by name: whether they are convergent, and what a caller has to know of them.
    #[returns(ref)]
    callees: Vec<(Symbol, bool, Option<Summary>)>,
    #[returns(ref)]
    assertions: Vec<Assertion>,
}

/// The functions that each body of an item calls by name, sorted by their text.
#[salsa::tracked]
fn callees<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Box<[Box<[Symbol]>]> {
    let of = |function: &Function| {
        let mut names = BTreeSet::new();
        for value in &function.values {
            if let Op::Call(call) = &value.op
                && let Callee::Function { .. } | Callee::Builtin { .. } = call.callee
                && let Some(name) = call.callee.name()
            {
                names.insert(name.as_str());
            }
        }
        names.into_iter().map(Symbol::intern).collect()
    };
    let skeletons = skeletons(db, scoped, Irreducible::Anchor).0.iter();
    skeletons
        .map(|skeleton| skeleton.as_ref().map_or_else(|_| Box::default(), |it| of(&it.function)))
        .collect()
}

/// What is known of one function in one unit.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'db> {
    /// With its tokens.
    pub function: &'db Function,
    pub uniformity: &'db Uniformity,
}

/// The facts of a body. None: it cannot be lowered.
pub fn facts<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> Option<Facts<'db>> {
    let function = function(db, scoped, number, settings, context).as_deref()?;
    let uniformity = uniformity(db, scoped, number, settings, context).as_deref()?;
    Some(Facts { function, uniformity })
}

/// A body in SSA form with tokens.
#[salsa::tracked]
fn function<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> Option<Arc<Function>> {
    let skeleton = skeletons(db, scoped, Irreducible::Anchor).0.get(number as usize)?;
    let mut function = skeleton.as_ref().ok()?.function.clone();
    let body = &bodies(db, scoped.item(db)).0[number as usize];
    let is_convergent = |callee: &Callee| context.is_convergent(db, settings, callee);
    tokens::place(&mut function, &body.nest(), &is_convergent, Tokens::Placed);
    Some(Arc::new(function))
}

#[salsa::tracked]
fn uniformity<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> Option<Arc<Uniformity>> {
    let function = function(db, scoped, number, settings, context).as_deref()?;
    let of = |environment: &Environment| Analysis::of(function, environment).result();
    Some(Arc::new(with_environment(db, settings, context, of)))
}

fn with_environment<R>(
    db: &dyn Db,
    settings: Settings,
    context: Context,
    run: impl FnOnce(&Environment) -> R,
) -> R {
    let callees = context.callees(db);
    let summaries: FxHashMap<Symbol, Summary> =
        callees.iter().filter_map(|(name, _, summary)| Some((*name, summary.clone()?))).collect();
    let asserted: FxHashMap<Asserted, Divergence> = context
        .assertions(db)
        .iter()
        .map(|assertion| (assertion.what, Divergence::uniform_in(assertion.scope)))
        .collect();
    let limit = |_: ValueId, value: &Value| asserted.get(&Asserted::Variable(value.name?)).copied();
    let summary = |callee: &Callee| of_callee(&summaries, callee);
    let builtins = settings.builtins(db);
    let builtin = |callee: &Callee| effect(builtins, callee);
    run(&Environment { builtin: &builtin, summary: &summary, limit: &limit })
}

/// A function definition of a unit.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Definition<'db> {
    pub item: ScopedItem<'db>,
    /// The number of its body in the item.
    pub body: u32,
    pub name: Symbol,
    pub key: FunctionKey,
    pub kernel: bool,
}

/// The function definitions of a unit.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Definitions<'db> {
    /// In the order of the text.
    pub all: Vec<Definition<'db>>,
    by_name: FxHashMap<Symbol, Vec<usize>>,
    by_body: FxHashMap<(Item<'db>, u32), usize>,
}

impl<'db> Definitions<'db> {
    /// The number of a definition in the order of the text.
    pub fn number(&self, item: Item<'db>, body: u32) -> Option<usize> {
        self.by_body.get(&(item, body)).copied()
    }
}

// The chunks in it change with every edit: to compare them would be in vain.
#[salsa::tracked(no_eq)]
pub fn definitions(db: &dyn Db, file: SourceFile, settings: Settings) -> Definitions<'_> {
    let mut found = Definitions::default();
    for item in scoped_items(db, file, settings) {
        let source = item.scoped.item(db);
        if !declared(db, source).functions.iter().any(|function| function.defined) {
            continue;
        }
        for (number, body) in (0..).zip(&bodies(db, source).0).filter(|(_, body)| !body.block) {
            let index = found.all.len();
            found.by_name.entry(body.name.text).or_default().push(index);
            found.by_body.insert((source, number), index);
            let (name, kernel) = (body.name.text, body.kernel);
            let key = typed(db, item.scoped).0.bodies[number as usize].key;
            found.all.push(Definition { item: item.clone(), body: number, name, key, kernel });
        }
    }
    found
}

/// A unit, and what has been found out of its functions so far.
pub struct UnitFacts<'db> {
    db: &'db dyn Db,
    settings: Settings,
    convergent: &'db Convergent,
    assertions: &'db Assertions,
    definitions: &'db Definitions<'db>,
    /// What callers have to know, once it is known.
    summaries: RefCell<FxHashMap<Symbol, Option<Summary>>>,
}

impl Context<'_> {
    /// Whether a call is convergent in the unit, by its callee.
    pub fn is_convergent(self, db: &dyn Db, settings: Settings, callee: &Callee) -> bool {
        let callees = self.callees(db);
        match callee.name() {
            Some(name) => match callees.binary_search_by_key(&name.as_str(), |(name, ..)| name.as_str()) {
                Ok(found) => callees[found].1,
                Err(_) => settings.builtins(db).convergent(name).is_some(),
            },
            None => true,
        }
    }
}

impl<'db> UnitFacts<'db> {
    pub fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> UnitFacts<'db> {
        UnitFacts {
            db,
            settings,
            convergent: of_unit(db, file, settings),
            assertions: assertions(db, file, settings),
            definitions: definitions(db, file, settings),
            summaries: RefCell::default(),
        }
    }

    /// In the order of the text.
    pub fn definitions(&self) -> &'db [Definition<'db>] {
        &self.definitions.all
    }

    /// What the user says.
    pub fn assertions(&self) -> &Assertions {
        self.assertions
    }

    /// What the user says of a parameter or variable of a function.
    pub fn assertion(&self, function: Symbol, variable: Symbol) -> Option<Assertion> {
        self.assertions.get(function, Asserted::Variable(variable))
    }

    /// The number of a definition in the order of the text.
    pub fn number(&self, item: Item<'db>, body: u32) -> Option<usize> {
        self.definitions.number(item, body)
    }

    /// The numbers of the definitions of a name, in the order of the text.
    pub fn numbers(&self, name: Symbol) -> &[usize] {
        self.definitions.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Whether calls of a function are convergent in the unit.
    pub fn is_convergent(&self, name: Symbol) -> bool {
        self.convergent.function(name)
    }

    /// The definitions of a name: several, if it is overloaded.
    pub fn named(&self, name: Symbol) -> impl Iterator<Item = &Definition<'db>> + '_ {
        self.numbers(name).iter().map(|&number| &self.definitions.all[number])
    }

    /// The facts of a function. None: it cannot be lowered.
    pub fn facts(&self, definition: &Definition<'db>) -> Option<Facts<'db>> {
        let context = self.context_of(definition);
        facts(self.db, definition.item.scoped, definition.body, self.settings, context)
    }

    /// What the facts of a function depend on in this unit, beside itself.
    pub fn context_of(&self, definition: &Definition<'db>) -> Context<'db> {
        self.prepare(definition, false);
        self.context(definition)
    }

    /// What a caller has to know of a callee. None: nothing is known of it.
    pub fn summary_of(&self, callee: &Callee) -> Option<Summary> {
        match callee {
            Callee::Function { .. } | Callee::Builtin { .. } => {
                let name = callee.name()?;
                self.summary(name).or_else(|| self.asserted(name))
            }
            Callee::Compiler { .. } | Callee::Pointer { .. } => None,
        }
    }

    /// What a caller has to know of a function of the unit. None: there is none of this name, or it cannot be lowered.
    pub fn summary(&self, name: Symbol) -> Option<Summary> {
        let first = self.named(name).next()?;
        self.prepare(first, true);
        self.summaries.borrow().get(&name).cloned().flatten()
    }

    /// Calls `explain` with the analysis of a function, which knows the causes of its verdicts.
    pub fn explain<R>(
        &self,
        definition: &Definition<'db>,
        explain: impl FnOnce(&Analysis) -> R,
    ) -> Option<R> {
        let context = self.context_of(definition);
        let (scoped, number) = (definition.item.scoped, definition.body);
        let function = function(self.db, scoped, number, self.settings, context).as_deref()?;
        Some(with_environment(self.db, self.settings, context, |environment| {
            explain(&Analysis::of(function, environment))
        }))
    }

    /// Sorted by their text.
    fn callees(&self, definition: &Definition<'db>) -> &'db [Symbol] {
        callees(self.db, definition.item.scoped).get(definition.body as usize).map_or(&[], |names| names)
    }

    fn context(&self, definition: &Definition<'db>) -> Context<'db> {
        let summaries = self.summaries.borrow();
        let callee = |&name: &Symbol| {
            let defined = self.definitions.by_name.contains_key(&name);
            let summary = defined.then(|| summaries.get(&name).cloned().flatten()).flatten();
            (name, self.convergent.function(name), summary.or_else(|| self.asserted(name)))
        };
        let callees: Vec<_> = self.callees(definition).iter().map(callee).collect();
        Context::new(self.db, callees, self.assertions.of(definition.name).to_vec())
    }

    /// What the user says of the result of a function that is not defined here.
    fn asserted(&self, name: Symbol) -> Option<Summary> {
        let assertion = self.assertions.get(name, Asserted::Result)?;
        let mut summary = Summary::unknown(64);
        summary.result = super::Fact::of(Divergence::uniform_in(assertion.scope));
        Some(summary)
    }

    /// Finds the summaries of all that a function calls, and of itself, if that is wanted or it calls itself.
    fn prepare(&self, definition: &Definition<'db>, itself: bool) {
        if self.summaries.borrow().contains_key(&definition.name) {
            return;
        }
        // What it reaches by calls and is not known yet.
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut reached: Vec<usize> = Vec::new();
        let mut callees: Vec<Vec<usize>> = Vec::new();
        let mut todo: Vec<usize> =
            self.definitions.by_name.get(&definition.name).cloned().unwrap_or_default();
        while let Some(at) = todo.pop() {
            if numbers.contains_key(&at) {
                continue;
            }
            numbers.insert(at, reached.len());
            reached.push(at);
            let names = self.callees(&self.definitions.all[at]);
            let called = names.iter().flat_map(|&name| {
                let known = self.summaries.borrow().contains_key(&name);
                self.definitions.by_name.get(&name).filter(|_| !known).into_iter().flatten().copied()
            });
            let called: Vec<usize> = called.collect();
            todo.extend(&called);
            callees.push(called);
        }
        let callees: Vec<Vec<usize>> =
            callees.into_iter().map(|called| called.iter().map(|at| numbers[at]).collect()).collect();
        for group in groups(&callees) {
            let again = group.len() > 1 || callees[group[0]].contains(&group[0]);
            if !(again || itself) && self.definitions.all[reached[group[0]]].name == definition.name {
                continue;
            }
            if again {
                let mut summaries = self.summaries.borrow_mut();
                for &member in &group {
                    summaries.insert(self.definitions.all[reached[member]].name, Some(Summary::default()));
                }
            }
            loop {
                let mut changed = false;
                for &member in &group {
                    let definition = &self.definitions.all[reached[member]];
                    let found = self.summarised(definition);
                    let mut summaries = self.summaries.borrow_mut();
                    let known = summaries.get(&definition.name).cloned().flatten();
                    let joined = match (known, found) {
                        (Some(known), Some(found)) => Some(known.join(&found)),
                        (known, found) => known.or(found),
                    };
                    changed |= summaries.insert(definition.name, joined.clone()) != Some(joined);
                }
                if !changed || !again {
                    break;
                }
            }
        }
    }

    /// The summary of a function as far as its callees are known.
    fn summarised(&self, definition: &Definition<'db>) -> Option<Summary> {
        let context = self.context(definition);
        let facts = facts(self.db, definition.item.scoped, definition.body, self.settings, context)?;
        let mut summary = if definition.kernel {
            // Whoever calls a kernel passes what it likes.
            let called = Function { kernel: false, ..facts.function.clone() };
            with_environment(self.db, self.settings, context, |environment| {
                Analysis::of(&called, environment).summary()
            })
        } else {
            facts.uniformity.summary.clone()
        };
        if let Some(assertion) = self.assertions.get(definition.name, Asserted::Result) {
            summary.result = super::Fact::of(Divergence::uniform_in(assertion.scope));
        }
        Some(summary)
    }
}

/// A function that can be analysed outside of queries, as an editor does.
///
/// What is looked up outside of queries by several keys stays for good, and so would every version of a function that was ever looked at.
/// This is looked up by the number of the definition, of which there are few.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Kept<'db> {
    function: Arc<Function>,
    context: Context<'db>,
}

impl Kept<'_> {
    /// Calls `explain` with the analysis of the function, which knows the causes of its verdicts.
    pub fn explain<R>(&self, db: &dyn Db, settings: Settings, explain: impl FnOnce(&Analysis) -> R) -> R {
        with_environment(db, settings, self.context, |environment| {
            explain(&Analysis::of(&self.function, environment))
        })
    }
}

/// The definition with this number in [`definitions`]. None: it cannot be lowered.
#[salsa::tracked]
pub fn kept(db: &dyn Db, file: SourceFile, settings: Settings, number: u32) -> Option<Kept<'_>> {
    let facts = UnitFacts::of(db, file, settings);
    let definition = facts.definitions().get(number as usize)?;
    let context = facts.context_of(definition);
    let function = function(db, definition.item.scoped, definition.body, settings, context).clone()?;
    Some(Kept { function, context })
}

/// A function and its facts, which are shared with what computed them.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Shared {
    pub function: Arc<Function>,
    pub uniformity: Arc<Uniformity>,
}

/// The facts of all definitions that are written in one file of a unit, by their numbers in [`definitions`]; but of those that cannot be
/// lowered.
#[salsa::tracked]
pub fn facts_of_file(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    written: SourceFile,
) -> FxHashMap<u32, Shared> {
    let facts = UnitFacts::of(db, file, settings);
    let shared = |definition: &Definition| {
        let context = facts.context_of(definition);
        let function = function(db, definition.item.scoped, definition.body, settings, context).clone()?;
        let uniformity =
            uniformity(db, definition.item.scoped, definition.body, settings, context).clone()?;
        Some(Shared { function, uniformity })
    };
    let own = (0..).zip(facts.definitions()).filter(|(_, it)| it.item.chunk.file == written.id(db));
    own.filter_map(|(number, definition)| Some((number, shared(definition)?))).collect()
}
