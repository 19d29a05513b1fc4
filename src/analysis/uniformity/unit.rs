//! The facts of the functions of a unit, each when it is asked for.
//!
//! They depend on the function's item, the meanings of its names, and what is known of its callees ([`Context`]). They are shared by all
//! units that agree in these, and stay when something else changes. **Summary**: what a caller has to know of a function. **Passed**: what a
//! function has to know of its callers ([`passed`](super::passed)).
//!
//! Summaries are found callees first ([`call_graph`]), so that no query waits for a long chain of others. Functions that call each
//! other are gone through until their summaries no longer change: they begin as if nothing were divergent, and only grow.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::Named;

use super::analysis::{Analysis, Assumed, Uniformity};
use super::barriers::{self, is_barrier_row};
use super::context::{Context, Known, Surroundings};
use super::passed::{Passed, passed_to_group};
use super::runs::{Runs, runs};
use super::waits::waits;
use super::{Divergence, Fact, Launch, Summary};
use crate::flow::module::{Irreducible, skeletons};
use crate::flow::shape::Shape;
use crate::flow::tokens::{self, Tokens};
use crate::flow::{Callee, Function, Op, ValueId, unknown};
use crate::program::graph::{CallGraph, call_graph};
use crate::program::launches::{Launches, launches};
use crate::program::purity::pure;
use crate::program::{
    Called, Convergent, Definition, DefinitionId, FunctionId, FunctionKey, Functions, Target, convergent,
    functions,
};
use tangle_hir::assertions::{Asserted, Assertion, Assertions, assertions};
use tangle_hir::bodies;
use tangle_hir::scope::{Scoped, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtins, Scope};
use tangle_syntax::source::{Settings, SourceFile};

/// What each body of an item calls, each once, in the order of its operations.
#[salsa::tracked]
fn callees<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Box<[Box<[Target]>]> {
    let of = |function: &Function| {
        let mut seen: FxHashSet<Target> = FxHashSet::default();
        let targets = function.values.iter().filter_map(|value| match &value.op {
            Op::Call(call) => Some(Target::of(&call.callee)),
            _ => None,
        });
        targets.filter(|&target| seen.insert(target)).collect()
    };
    let skeletons = skeletons(db, scoped, Irreducible::Anchor).0.iter();
    skeletons.map(|skeleton| skeleton.as_ref().map_or_else(Box::default, |it| of(&it.function))).collect()
}

/// What is known of one function in one unit.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'db> {
    /// With its tokens.
    pub function: &'db Function,
    pub uniformity: &'db Uniformity,
}

/// The facts of a body. None: it is a block literal that nothing evaluates.
pub fn facts<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> Option<Facts<'db>> {
    let function = function(db, scoped, number, context).as_deref()?;
    let Verdicts { uniformity, .. } = uniformity(db, scoped, number, settings, context).as_ref()?;
    Some(Facts { function, uniformity })
}

/// A body in SSA form with tokens.
#[salsa::tracked]
fn function<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    context: Context<'db>,
) -> Option<Arc<Function>> {
    let skeleton = skeletons(db, scoped, Irreducible::Anchor).0.get(number as usize)?;
    let mut function = skeleton.as_ref()?.function.clone();
    let body = &bodies(db, scoped.item(db)).0[number as usize];
    let convergent = context.callees(db).iter().filter(|it| it.convergent);
    let convergent: FxHashSet<Target> = convergent.map(|it| it.target).collect();
    let is_convergent = |callee: &Callee| convergent.contains(&Target::of(callee));
    let shape = Shape::of(&function);
    tokens::place(&mut function, &shape, &body.nest(), &is_convergent, Tokens::Placed);
    Some(Arc::new(function))
}

/// What the analysis found of a function, and the loads that are [agreed](barriers): with these it finds it again at once.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Verdicts {
    uniformity: Arc<Uniformity>,
    agreed: Arc<[ValueId]>,
}

#[salsa::tracked]
fn uniformity<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: u32,
    settings: Settings,
    context: Context<'db>,
) -> Option<Verdicts> {
    let function = function(db, scoped, number, context).as_deref()?;
    let mut surroundings = Surroundings::of(db, settings, context);
    let uniformity = Arc::new(barriers::analyse(function, &mut surroundings));
    let mut agreed: Vec<ValueId> = surroundings.agreed.into_iter().collect();
    agreed.sort_unstable();
    Some(Verdicts { uniformity, agreed: agreed.into() })
}

/// A unit as its summaries need it.
struct Program<'db> {
    db: &'db dyn Db,
    settings: Settings,
    functions: &'db Functions<'db>,
    convergent: &'db Convergent,
    assertions: &'db Assertions,
    launches: &'db Launches,
    /// What declarations say of functions without a body.
    pure: &'db FxHashSet<Symbol>,
}

impl<'db> Program<'db> {
    fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Program<'db> {
        Program {
            db,
            settings,
            functions: functions(db, file, settings),
            convergent: convergent(db, file, settings),
            assertions: assertions(db, file, settings),
            launches: launches(db, file, settings),
            pure: pure(db, file, settings),
        }
    }

    /// What the facts of a function depend on, given the summaries of the functions that it calls.
    fn context(
        &self,
        definition: &Definition<'db>,
        summary: &dyn Fn(DefinitionId) -> Option<Summary>,
    ) -> Context<'db> {
        let callees = callees(self.db, definition.item.scoped).get(definition.body as usize);
        let of = |&target: &Target| {
            let asserted = self.asserted(target);
            let candidates = self.candidates(target);
            let known = candidates.iter().map(|&at| summary(at)).collect::<Option<Vec<Summary>>>();
            let summary = known.and_then(|known| known.into_iter().reduce(|all, one| all.join(&one)));
            let is_pure = || target.row().is_some_and(|name| self.pure.contains(&name));
            let summary =
                summary.or_else(|| (candidates.is_empty() && is_pure()).then(Summary::of_arguments));
            let summary = summary.map(Arc::new);
            Known { target, convergent: self.convergent.call(target).is_some(), summary, asserted }
        };
        let callees: Vec<Known> = callees.into_iter().flatten().map(of).collect();
        let assertions: Vec<Assertion> = self.assertions.of(definition.key).collect();
        let launch = self
            .functions
            .of_id(definition.id)
            .map_or(self.settings.launch(self.db), |at| self.launches.of(at));
        Context::new(self.db, callees, assertions, launch)
    }

    /// The definition that a call runs, if types tell it.
    fn defined(&self, target: Target) -> Option<DefinitionId> {
        match target {
            Target::Function(key) => self.functions.of_key(key),
            Target::Builtin(name) => self.functions.of_key(FunctionKey::plain(name)),
            Target::Pointer | Target::Unresolved(_) | Target::Unknown => None,
        }
    }

    /// The definitions that a call may run.
    fn candidates(&self, target: Target) -> SmallVec<[DefinitionId; 1]> {
        match target {
            // The arguments of one that returns a record are counted in another way.
            Target::Unresolved(named) => {
                let named = self.functions.named(named);
                let returns_record = |at: DefinitionId| {
                    let Definition { item, body, .. } = self.functions.get(at);
                    let ty = typed(self.db, item.scoped).0.bodies[*body as usize].ty;
                    ty.as_function().is_some_and(|ty| ty.result.as_record().is_some())
                };
                match named.iter().any(|&at| returns_record(at)) {
                    true => SmallVec::new(),
                    false => named.into_iter().collect(),
                }
            }
            target => self.defined(target).into_iter().collect(),
        }
    }

    /// The widest scope in which users say that the result of a callee is uniform.
    fn asserted(&self, target: Target) -> Option<Scope> {
        let key = match target {
            Target::Function(key) => key,
            Target::Builtin(name) | Target::Unresolved(Named::Function(name)) => FunctionKey::plain(name),
            Target::Pointer | Target::Unresolved(_) | Target::Unknown => return None,
        };
        Some(self.assertions.get(key, Asserted::Result)?.scope)
    }

    /// Whether a callee is a barrier, or waits on every way through it.
    fn may_wait(&self, callee: &Known) -> bool {
        let builtins = self.settings.builtins(self.db);
        let row = callee.target.row().and_then(|name| builtins.get(name));
        row.is_some_and(is_barrier_row) || callee.summary.as_ref().is_some_and(|it| it.waits.is_some())
    }

    /// The summary of a function, given those of its callees. None: it has no facts.
    fn summarised(
        &self,
        definition: &Definition<'db>,
        summary: &dyn Fn(DefinitionId) -> Option<Summary>,
    ) -> Option<Summary> {
        let context = self.context(definition, summary);
        let facts = facts(self.db, definition.item.scoped, definition.body, self.settings, context)?;
        let mut summary = if definition.kernel {
            // Whoever calls a kernel passes what it likes.
            let called = Function { kernel: false, ..facts.function.clone() };
            barriers::analyse(&called, &mut Surroundings::of(self.db, self.settings, context)).summary
        } else {
            facts.uniformity.summary.clone()
        };
        // Most functions call nothing that waits.
        if context.callees(self.db).iter().any(|callee| self.may_wait(callee)) {
            summary.waits = waits(facts.function, &Surroundings::of(self.db, self.settings, context));
        }
        if let Some(assertion) = self.assertions.get(definition.key, Asserted::Result) {
            summary.result = Fact::of(Divergence::uniform_in(assertion.scope));
            summary.counted = None;
        }
        Some(summary)
    }
}

/// What a caller has to know of a function. None: it has no facts.
// To be asked for callees first: see [`UnitFacts::prepare`].
#[salsa::tracked]
fn summary<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Option<Summary> {
    let (file, settings) = (id.file(db), id.settings(db));
    let program = Program::of(db, file, settings);
    let graph = call_graph(db, file, settings);
    let at = program.functions.of_id(id)?;
    if graph.is_recursive(at) {
        let first = program.functions.get(*graph.group(at).first()?).id;
        let place = graph.group(at).iter().position(|&member| member == at)?;
        return recursive_summaries(db, first).get(place)?.clone();
    }
    let of = |callee: DefinitionId| summary(db, program.functions.get(callee).id).clone();
    program.summarised(program.functions.get(at), &of)
}

/// The summaries of the functions of a group, in their order, that call each other; this is the first of them.
#[salsa::tracked]
fn recursive_summaries<'db>(db: &'db dyn Db, first: FunctionId<'db>) -> Box<[Option<Summary>]> {
    let (file, settings) = (first.file(db), first.settings(db));
    let program = Program::of(db, file, settings);
    let graph = call_graph(db, file, settings);
    let Some(at) = program.functions.of_id(first) else { return Box::default() };
    let group = graph.group(at);
    let known: RefCell<FxHashMap<DefinitionId, Option<Summary>>> =
        RefCell::new(group.iter().map(|&member| (member, Some(Summary::default()))).collect());
    let of = |callee: DefinitionId| match known.borrow().get(&callee) {
        Some(summary) => summary.clone(),
        None => summary(db, program.functions.get(callee).id).clone(),
    };
    loop {
        let mut changed = false;
        for &member in group {
            let found = program.summarised(program.functions.get(member), &of);
            let mut known = known.borrow_mut();
            let before = known.get(&member).cloned().flatten();
            let joined = match (&before, found) {
                (Some(before), Some(found)) => Some(before.join(&found)),
                (before, found) => before.clone().or(found),
            };
            changed |= joined != before;
            known.insert(member, joined);
        }
        if !changed {
            break;
        }
    }
    let known = known.into_inner();
    group.iter().map(|member| known.get(member).cloned().flatten()).collect()
}

/// A unit, and which of its summaries can be asked for already.
pub struct UnitFacts<'db> {
    program: Program<'db>,
    graph: &'db CallGraph,
    /// Functions whose callees all have summaries that are up to date.
    ready: RefCell<FxHashSet<DefinitionId>>,
    /// The same for [`runs`](mod@super::runs).
    running: RefCell<FxHashSet<DefinitionId>>,
    /// Functions whose callers all know what they are [passed](super::passed).
    passing: RefCell<FxHashSet<DefinitionId>>,
}

impl<'db> UnitFacts<'db> {
    pub fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> UnitFacts<'db> {
        UnitFacts {
            program: Program::of(db, file, settings),
            graph: call_graph(db, file, settings),
            ready: RefCell::default(),
            running: RefCell::default(),
            passing: RefCell::default(),
        }
    }

    pub fn functions(&self) -> &'db Functions<'db> {
        self.program.functions
    }

    pub fn graph(&self) -> &'db CallGraph {
        self.graph
    }

    pub fn convergent(&self) -> &'db Convergent {
        self.program.convergent
    }

    /// The table of the language, with what the user adds.
    pub fn builtins(&self) -> &'db Arc<Builtins> {
        self.program.settings.builtins(self.program.db)
    }

    /// What is known of each launch in which a function runs.
    pub fn launch(&self, at: DefinitionId) -> Launch {
        self.program.launches.of(at)
    }

    /// What the user says of a parameter or variable of a function.
    pub fn assertion(&self, function: FunctionKey, variable: Symbol) -> Option<Assertion> {
        self.program.assertions.get(function, Asserted::Variable(variable))
    }

    /// The definition that a call runs, if it is one of the unit.
    pub fn defined(&self, callee: &Callee) -> Option<DefinitionId> {
        self.program.defined(Target::of(callee))
    }

    /// The facts of a function. None: it is a block literal that nothing evaluates.
    pub fn facts(&self, at: DefinitionId) -> Option<Facts<'db>> {
        let Program { db, settings, functions, .. } = self.program;
        let definition = functions.get(at);
        facts(db, definition.item.scoped, definition.body, settings, self.context(at))
    }

    /// What the facts of a function depend on in this unit, beside itself.
    pub fn context(&self, at: DefinitionId) -> Context<'db> {
        self.prepare(at);
        let Program { db, functions, .. } = self.program;
        self.program.context(functions.get(at), &|callee| summary(db, functions.get(callee).id).clone())
    }

    /// What runs by a call of a function.
    pub fn runs(&self, at: DefinitionId) -> Runs {
        let Program { db, functions, .. } = self.program;
        let mut running = self.running.borrow_mut();
        for callee in self.reached(at, &mut running) {
            runs(db, functions.get(callee).id);
        }
        runs(db, functions.get(at).id)
    }

    /// What runs by a call, if it is convergent. None: it is not, or it is made through a pointer, or it may as well run a function that is not convergent.
    /// Of a call that may run several functions: what all of them run.
    pub fn runs_by(&self, target: Target) -> Option<Runs> {
        if let Target::Unresolved(named) = target
            && let [first, others @ ..] = &*self.program.functions.named(named)
        {
            let runs = |&at: &DefinitionId| {
                let key = self.program.functions.get(at).id.key(self.program.db);
                self.program.convergent.function(key).then(|| self.runs(at))
            };
            return others.iter().try_fold(runs(first)?, |all, at| Some(all.and(runs(at)?)));
        }
        match self.program.convergent.call(target)? {
            Called::Operation(_, Scope::None) | Called::Pointer => None,
            Called::Operation(name, scope) => Some(Runs::operation(name, scope)),
            Called::Function(key) => Some(self.runs(self.program.functions.of_key(key)?)),
        }
    }

    /// What the callers of a function pass.
    pub fn passed(&self, at: DefinitionId) -> &'db Passed {
        let Program { db, functions, .. } = self.program;
        let of = |at: DefinitionId| {
            let group = self.graph.group(at);
            let place = group.iter().position(|&member| member == at).unwrap_or_default();
            &passed_to_group(db, functions.get(group[0]).id)[place]
        };
        let mut passing = self.passing.borrow_mut();
        let mut callers = reached(at, &mut passing, |at| self.graph.callers(at));
        self.graph.sort(&mut callers);
        for caller in callers.into_iter().rev() {
            of(caller);
        }
        of(at)
    }

    /// A function with its surroundings, agreed loads among them. None: it has no facts.
    pub fn surroundings(&self, at: DefinitionId) -> Option<(&'db Function, Surroundings<'db>)> {
        let Program { db, settings, functions, .. } = self.program;
        let definition = functions.get(at);
        let context = self.context(at);
        let function = function(db, definition.item.scoped, definition.body, context).as_deref()?;
        let verdicts = uniformity(db, definition.item.scoped, definition.body, settings, context).as_ref()?;
        let mut surroundings = Surroundings::of(db, settings, context);
        surroundings.agreed.extend(verdicts.agreed.iter().copied());
        Some((function, surroundings))
    }

    /// Whether all is known of the functions through which a function may be called.
    pub fn is_known_above(&self, at: DefinitionId) -> bool {
        let mut above = reached(at, &mut FxHashSet::default(), |at| self.graph.callers(at)).into_iter();
        let is_known = |facts: Facts| unknown::first(facts.function).is_none();
        above.all(|caller| caller == at || self.facts(caller).is_some_and(is_known))
    }

    /// The facts of a function of which not all is known, if nothing is taken for granted of that. None: all is known.
    pub fn doubting(&self, at: DefinitionId) -> Option<Uniformity> {
        let (function, mut surroundings) = self.surroundings(at)?;
        unknown::first(function)?;
        surroundings.assumed = Assumed::Nothing;
        // That their addresses are the same for all may have been taken for granted.
        surroundings.agreed.clear();
        Some(
            surroundings.run(|environment| Analysis::of(function, Shape::of(function), environment).result()),
        )
    }

    /// Calls `explain` with the analysis of a function, which knows the causes of its verdicts. None: it has no facts.
    pub fn explain<R>(&self, at: DefinitionId, explain: impl FnOnce(&Analysis) -> R) -> Option<R> {
        let (function, surroundings) = self.surroundings(at)?;
        Some(
            surroundings
                .run(|environment| explain(&Analysis::of(function, Shape::of(function), environment))),
        )
    }

    /// Finds the summaries of all that a function reaches by calls, callees first: so no query waits for another that is not done.
    fn prepare(&self, at: DefinitionId) {
        let Program { db, functions, .. } = self.program;
        let mut ready = self.ready.borrow_mut();
        for callee in self
            .reached(at, &mut ready)
            .into_iter()
            .filter(|&callee| callee != at || self.graph.is_recursive(at))
        {
            summary(db, functions.get(callee).id);
        }
    }

    /// The functions that one reaches by calls, itself among them, and that were not reached before: callees first.
    fn reached(&self, at: DefinitionId, before: &mut FxHashSet<DefinitionId>) -> Vec<DefinitionId> {
        let mut reached = reached(at, before, |at| self.graph.callees(at));
        self.graph.sort(&mut reached);
        reached
    }
}

/// A function, what is next to it, and next to that, without what was reached before.
fn reached<'a>(
    at: DefinitionId,
    before: &mut FxHashSet<DefinitionId>,
    next: impl Fn(DefinitionId) -> &'a [DefinitionId],
) -> Vec<DefinitionId> {
    let mut reached = Vec::new();
    let mut todo = vec![at];
    while let Some(at) = todo.pop() {
        if before.insert(at) {
            reached.push(at);
            todo.extend(next(at));
        }
    }
    reached
}

/// A function that can be analysed outside of queries, as an editor does.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Kept<'db> {
    function: Arc<Function>,
    context: Context<'db>,
    agreed: Arc<[ValueId]>,
}

impl Kept<'_> {
    /// Calls `explain` with the analysis of the function, which knows the causes of its verdicts.
    pub fn explain<R>(&self, db: &dyn Db, settings: Settings, explain: impl FnOnce(&Analysis) -> R) -> R {
        let mut surroundings = Surroundings::of(db, settings, self.context);
        surroundings.agreed.extend(self.agreed.iter().copied());
        surroundings
            .run(|environment| explain(&Analysis::of(&self.function, Shape::of(&self.function), environment)))
    }
}

/// A function of a unit with what its analysis needs. None: it has no facts.
///
/// What is looked up outside of queries by several keys stays for good, and so would every version of a function that was ever looked at.
/// This is looked up by the identity of the function, of which there are few.
#[salsa::tracked]
pub fn kept<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Option<Kept<'db>> {
    let (file, settings) = (id.file(db), id.settings(db));
    let facts = UnitFacts::of(db, file, settings);
    let at = facts.functions().of_id(id)?;
    let Definition { item, body, .. } = facts.functions().get(at);
    let context = facts.context(at);
    let function = function(db, item.scoped, *body, context).clone()?;
    let Verdicts { agreed, .. } = uniformity(db, item.scoped, *body, settings, context).clone()?;
    Some(Kept { function, context, agreed })
}

/// A function and its facts, which are shared with what computed them.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Shared {
    pub function: Arc<Function>,
    pub uniformity: Arc<Uniformity>,
}

/// The facts of all definitions that are written in one file of a unit.
#[salsa::tracked]
pub fn facts_of_file(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    written: SourceFile,
) -> FxHashMap<FunctionId<'_>, Shared> {
    let facts = UnitFacts::of(db, file, settings);
    let shared = |at: DefinitionId, definition: &Definition| {
        let context = facts.context(at);
        let function = function(db, definition.item.scoped, definition.body, context).clone()?;
        let verdicts = uniformity(db, definition.item.scoped, definition.body, settings, context).as_ref()?;
        Some(Shared { function, uniformity: verdicts.uniformity.clone() })
    };
    let own = facts.functions().iter().filter(|(_, it)| it.item.chunk.file == written.id(db));
    own.filter_map(|(at, definition)| Some((definition.id, shared(at, definition)?))).collect()
}
