//! The facts of the functions of a unit, computed on demand.
//!
//! The facts depend on the function's item, the meanings of its names, and the facts of its callees ([`Context`]).
//! Units with equal inputs share the facts, and other changes do not invalidate them. **Summary**: the facts of a
//! function that its callers use. **Passed**: the argument summary, which the function gets from its callers
//! ([`argument_summary`](super::argument_summary)).
//!
//! Summaries are computed callees first ([`call_graph`]), so queries do not nest deeply. Mutually recursive functions
//! are analysed until their summaries no longer change. Their summaries begin as uniform, and only grow.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;

use super::analysis::{Analysis, Environment, FinishedAnalysis, SharedReads, Uniformity, UnknownAssumption};
use super::argument_summary::{ArgumentSummary, passed_to_group};
use super::barriers::{analyse, is_barrier_row};
use super::context::{AnalysisInputs, CalleeFacts, Context};
use super::early_exits::without_early_exits;
use super::graph::Graph;
use super::run_operations::{RunOperations, runs};
use super::waits::{waits, waits_at};
use super::{Divergence, Fact, Launch, Summary};
use crate::flow::shape::GraphAnalysis;
use crate::flow::skeletons::{Irreducible, skeletons};
use crate::flow::tokens::{self, TokenMethod};
use crate::flow::{BlockId, Callee, Function, Op, ValueId, unknown};
use crate::program::graph::{CallGraph, call_graph};
use crate::program::launches::{Launches, launches};
use crate::program::purity::pure;
use crate::program::{
    CallTarget, Convergent, ConvergentCallee, Definition, DefinitionId, FunctionId, FunctionKey, Functions,
    convergent, functions,
};
use tangle_hir::assertions::{AssertedValue, Assertion, Assertions, assertions};
use tangle_hir::bodies;
use tangle_hir::scope::{Scoped, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtins, Scope};
use tangle_syntax::source::{Settings, SourceFile};

/// Returns the targets of the calls of each body of an item, without repetition, in the order of the operations.
#[salsa::tracked]
fn callees<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Box<[Box<[CallTarget]>]> {
    let of = |function: &Function| {
        let mut seen: FxHashSet<CallTarget> = FxHashSet::default();
        let targets = function.values.iter().filter_map(|value| match &value.op {
            Op::Call(call) => Some(CallTarget::of(&call.callee)),
            _ => None,
        });
        targets.filter(|&target| seen.insert(target)).collect()
    };
    let skeletons = skeletons(db, scoped, Irreducible::Anchor).0.iter();
    skeletons.map(|skeleton| skeleton.as_ref().map_or_else(Box::default, |it| of(&it.function))).collect()
}

/// The facts of one function in one unit.
#[derive(Clone, Copy, Debug)]
pub struct FunctionFacts<'db> {
    /// The function with its tokens.
    pub function: &'db Function,
    pub uniformity: &'db Uniformity,
}

/// A function with the inputs of its facts. It does not depend on the rest of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct FunctionInContext<'db> {
    /// The item of the function.
    pub scoped: Scoped<'db>,
    /// The number of its body in the item.
    pub body: u32,
    pub context: Context<'db>,
}

impl<'db> FunctionInContext<'db> {
    /// Returns the facts of the function. None for a block literal that is never evaluated.
    pub fn facts(self, db: &'db dyn Db, settings: Settings) -> Option<FunctionFacts<'db>> {
        let FunctionInContext { scoped, body, context } = self;
        let function = function(db, scoped, body, context).as_deref()?;
        let Verdicts { uniformity, .. } = uniformity(db, scoped, body, settings, context).as_ref()?;
        Some(FunctionFacts { function, uniformity })
    }

    /// Returns the function with the analysis that found its facts. None if the function has no facts.
    pub fn analysed(self, db: &'db dyn Db, settings: Settings) -> Option<AnalysedFunction<'db>> {
        let FunctionInContext { scoped, body, context } = self;
        let function = function(db, scoped, body, context).as_deref()?;
        let verdicts = uniformity(db, scoped, body, settings, context).as_ref()?;
        let inputs = AnalysisInputs::of(db, settings, context);
        let analysis = verdicts.analysis(db, function, &inputs);
        Some(AnalysedFunction { function, inputs, analysis })
    }

    /// Returns a kernel without its early exits, and its uniformity. None without early exits, and for other functions.
    /// `reached`: a block that stays in the kernel, although its threads may exit before they meet the others.
    pub fn without_exited(
        self,
        db: &'db dyn Db,
        settings: Settings,
        reached: Option<BlockId>,
    ) -> Option<(Function, Uniformity)> {
        let (staying, analysed) = self.staying_function(db, settings, reached)?;
        let verdicts = analyse(&staying, &analysed.inputs, &analysed.reads().agreed, |it| it.result());
        Some((staying, verdicts))
    }

    /// Returns the same as [`without_exited`](FunctionInContext::without_exited), without assumptions about unknowns.
    fn without_exited_or_assumptions(
        self,
        db: &'db dyn Db,
        settings: Settings,
    ) -> Option<(Function, Uniformity)> {
        let (staying, analysed) = self.staying_function(db, settings, None)?;
        let verdicts = match unknown::first(&staying) {
            Some(_) => analysed.without_assumptions(|environment, reads| {
                let graph = Arc::new(Graph::of(&staying, GraphAnalysis::of(&staying)));
                Analysis::with_graph(&staying, graph, environment, reads).result()
            }),
            None => analyse(&staying, &analysed.inputs, &analysed.reads().agreed, |it| it.result()),
        };
        Some((staying, verdicts))
    }

    /// Returns a kernel without its early exits, and the analysis of the kernel with them.
    fn staying_function(
        self,
        db: &'db dyn Db,
        settings: Settings,
        reached: Option<BlockId>,
    ) -> Option<(Function, AnalysedFunction<'db>)> {
        let analysed = self.analysed(db, settings)?;
        let AnalysedFunction { function, inputs, .. } = &analysed;
        let body = &bodies(db, self.scoped.item(db)).0[self.body as usize];
        let waits = |value: ValueId| {
            waits_at(&function.values[value].op, inputs.builtins, |call| {
                inputs.summary(&call.callee).and_then(|summary| summary.barrier_writes)
            })
        };
        Some((without_early_exits(function, body, &waits, reached)?, analysed))
    }
}

/// A function with the analysis that found its facts.
pub struct AnalysedFunction<'db> {
    pub function: &'db Function,
    pub inputs: AnalysisInputs<'db>,
    pub analysis: Arc<FinishedAnalysis>,
}

impl AnalysedFunction<'_> {
    /// Returns the agreed reads and raced calls of the function.
    pub fn reads(&self) -> &SharedReads {
        &self.analysis.state.reads
    }

    /// Calls `run` with an environment without assumptions about unknowns, and with the reads that are right in it.
    fn without_assumptions<R>(mut self, run: impl FnOnce(&Environment, SharedReads) -> R) -> R {
        // Agreed loads may rest on an assumption that their addresses are uniform.
        let reads = SharedReads { agreed: FxHashSet::default(), ..self.reads().clone() };
        self.inputs.assumed = UnknownAssumption::Nothing;
        self.inputs.run(|environment| run(environment, reads))
    }

    /// Calls `explain` with the analysis, which has the causes of the verdicts.
    pub fn explain<R>(&self, explain: impl FnOnce(&Analysis) -> R) -> R {
        self.inputs.run(|environment| explain(&Analysis::resumed(self.function, environment, &self.analysis)))
    }
}

/// Returns a body in SSA form with tokens.
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
    let convergent: FxHashSet<CallTarget> = convergent.map(|it| it.target).collect();
    let is_convergent = |callee: &Callee| convergent.contains(&CallTarget::of(callee));
    let shape = GraphAnalysis::of(&function);
    tokens::place(&mut function, &shape, &body.nest(), &is_convergent, TokenMethod::Placed);
    Some(Arc::new(function))
}

/// The verdicts on a function, with its agreed reads and raced calls. With these, one propagation reproduces the verdicts.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Verdicts {
    uniformity: Arc<Uniformity>,
    reads: Arc<SharedReads>,
    recent: RecentAnalysis,
}

/// The analysis that found verdicts, while it is [recent](Db::recent_analyses). It is not part of the verdicts, so any
/// two are equal.
#[derive(Clone)]
struct RecentAnalysis(Arc<Mutex<Weak<FinishedAnalysis>>>);

impl PartialEq for RecentAnalysis {
    fn eq(&self, _: &RecentAnalysis) -> bool {
        true
    }
}

impl Eq for RecentAnalysis {}

impl fmt::Debug for RecentAnalysis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("RecentAnalysis")
    }
}

impl RecentAnalysis {
    /// Keeps an analysis while it is recent.
    fn of(db: &dyn Db, analysis: &Arc<FinishedAnalysis>) -> RecentAnalysis {
        let recent = RecentAnalysis(Arc::default());
        recent.keep(db, analysis);
        recent
    }

    fn keep(&self, db: &dyn Db, analysis: &Arc<FinishedAnalysis>) {
        db.recent_analyses().keep(analysis.clone(), analysis.size());
        *self.0.lock().expect("no panic under this lock") = Arc::downgrade(analysis);
    }
}

impl Verdicts {
    /// Returns the analysis that found the verdicts. Runs it again if it is not recent.
    fn analysis(&self, db: &dyn Db, function: &Function, inputs: &AnalysisInputs) -> Arc<FinishedAnalysis> {
        let recent = self.recent.0.lock().expect("no panic under this lock").upgrade();
        recent.unwrap_or_else(|| {
            let graph = Arc::new(Graph::of(function, GraphAnalysis::of(function)));
            let reads = (*self.reads).clone();
            let again = |environment: &Environment| {
                Analysis::with_graph(function, graph, environment, reads).finished()
            };
            let analysis = Arc::new(inputs.run(again));
            self.recent.keep(db, &analysis);
            analysis
        })
    }
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
    let inputs = AnalysisInputs::of(db, settings, context);
    let found = |analysis: &Analysis| (analysis.result(), analysis.finished());
    let (uniformity, analysis) = analyse(function, &inputs, &FxHashSet::default(), found);
    let reads = Arc::new(analysis.state.reads.clone());
    let recent = RecentAnalysis::of(db, &Arc::new(analysis));
    Some(Verdicts { uniformity: Arc::new(uniformity), reads, recent })
}

/// The facts of a unit that its summaries depend on.
struct UnitInputs<'db> {
    db: &'db dyn Db,
    settings: Settings,
    functions: &'db Functions<'db>,
    convergent: &'db Convergent,
    assertions: &'db Assertions,
    launches: &'db Launches,
    /// The names of the functions that are declared `const` or `pure`.
    pure: &'db FxHashSet<Symbol>,
}

impl<'db> UnitInputs<'db> {
    fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> UnitInputs<'db> {
        UnitInputs {
            db,
            settings,
            functions: functions(db, file, settings),
            convergent: convergent(db, file, settings),
            assertions: assertions(db, file, settings),
            launches: launches(db, file, settings),
            pure: pure(db, file, settings),
        }
    }

    /// Returns the context of a function, given the summaries of its callees.
    fn context(
        &self,
        definition: &Definition<'db>,
        summary: &dyn Fn(DefinitionId) -> Option<Summary>,
    ) -> Context<'db> {
        let callees = callees(self.db, definition.item.scoped).get(definition.body as usize);
        let of = |&target: &CallTarget| {
            let asserted = self.asserted(target);
            let candidates = self.candidates(target);
            let known = candidates.iter().map(|&at| summary(at)).collect::<Option<Vec<Summary>>>();
            let summary = known.and_then(|known| known.into_iter().reduce(|all, one| all.either(&one)));
            let is_pure = || target.row().is_some_and(|name| self.pure.contains(&name));
            let summary =
                summary.or_else(|| (candidates.is_empty() && is_pure()).then(Summary::of_arguments));
            let summary = summary.map(Arc::new);
            CalleeFacts { target, convergent: self.convergent.call(target).is_some(), summary, asserted }
        };
        let callees: Vec<CalleeFacts> = callees.into_iter().flatten().map(of).collect();
        let assertions: Vec<Assertion> = self.assertions.of(definition.key).collect();
        let launch = self
            .functions
            .of_id(definition.id)
            .map_or(self.settings.launch(self.db), |at| self.launches.of(at));
        Context::new(self.db, callees, assertions, launch)
    }

    /// Returns the definition that a call runs, if types determine it.
    fn defined(&self, target: CallTarget) -> Option<DefinitionId> {
        match target {
            CallTarget::Function(key) => self.functions.of_key(key),
            CallTarget::Builtin(name) => self.functions.of_key(FunctionKey::plain(name)),
            CallTarget::Pointer | CallTarget::Unresolved(_) | CallTarget::Unknown => None,
        }
    }

    /// Returns the definitions that a call may run.
    fn candidates(&self, target: CallTarget) -> SmallVec<[DefinitionId; 1]> {
        match target {
            // A function that returns a record has one more parameter, so its numbers do not match the arguments.
            CallTarget::Unresolved(named) => {
                let named = self.functions.named(named);
                let returns_record = |at: DefinitionId| {
                    let Definition { item, body, .. } = self.functions.get(at);
                    let ty = typed(self.db, item.scoped).types[*body as usize];
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

    /// Returns the widest scope for which the user asserts that the result of a callee is uniform.
    fn asserted(&self, target: CallTarget) -> Option<Scope> {
        let key = match target {
            CallTarget::Function(key) => key,
            CallTarget::Builtin(name) | CallTarget::Unresolved(UnresolvedCallee::Function(name)) => {
                FunctionKey::plain(name)
            }
            CallTarget::Pointer | CallTarget::Unresolved(_) | CallTarget::Unknown => return None,
        };
        Some(self.assertions.get(key, AssertedValue::Result)?.scope)
    }

    /// Whether a callee is a barrier, or waits on every path through it.
    fn may_wait(&self, callee: &CalleeFacts) -> bool {
        let builtins = self.settings.builtins(self.db);
        let row = callee.target.row().and_then(|name| builtins.get(name));
        row.is_some_and(is_barrier_row)
            || callee.summary.as_ref().is_some_and(|it| it.barrier_writes.is_some())
    }

    /// Computes the summary of a function, given the summaries of its callees. None if the function has no facts.
    fn summarised(
        &self,
        definition: &Definition<'db>,
        summary: &dyn Fn(DefinitionId) -> Option<Summary>,
    ) -> Option<Summary> {
        let context = self.context(definition, summary);
        let called = FunctionInContext { scoped: definition.item.scoped, body: definition.body, context };
        let facts = called.facts(self.db, self.settings)?;
        let mut summary = if definition.kernel {
            // Callers of a kernel can pass divergent arguments, unlike the host.
            let as_callee = Function { kernel: false, ..facts.function.clone() };
            let inputs = AnalysisInputs::of(self.db, self.settings, context);
            analyse(&as_callee, &inputs, &FxHashSet::default(), |it| it.summary())
        } else {
            facts.uniformity.summary.clone()
        };
        // Most functions have no call that waits.
        if context.callees(self.db).iter().any(|callee| self.may_wait(callee)) {
            let AnalysedFunction { function, inputs, analysis } = called.analysed(self.db, self.settings)?;
            summary.barrier_writes = waits(function, analysis.memory(), &inputs);
        }
        if let Some(assertion) = self.assertions.get(definition.key, AssertedValue::Result) {
            summary.result = Fact::of(Divergence::uniform_in(assertion.scope));
            summary.affine_result = None;
        }
        Some(summary)
    }
}

/// Returns the summary of a function. None if the function has no facts.
// Query the callees first: see [`UnitFacts::prepare`].
#[salsa::tracked]
fn summary<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Option<Summary> {
    let (file, settings) = (id.file(db), id.settings(db));
    let program = UnitInputs::of(db, file, settings);
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

/// Computes the summaries of a recursive group of functions, in the order of the group. `first` is its first function.
#[salsa::tracked]
fn recursive_summaries<'db>(db: &'db dyn Db, first: FunctionId<'db>) -> Box<[Option<Summary>]> {
    let (file, settings) = (first.file(db), first.settings(db));
    let program = UnitInputs::of(db, file, settings);
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

/// The facts of the functions of a unit. Queries them in an order without deep nesting.
pub struct UnitFacts<'db> {
    program: UnitInputs<'db>,
    graph: &'db CallGraph,
    /// The functions whose callees all have up-to-date summaries.
    ready: RefCell<FxHashSet<DefinitionId>>,
    /// The functions whose callees all have up-to-date [`run_operations`](mod@super::run_operations).
    running: RefCell<FxHashSet<DefinitionId>>,
    /// The functions whose callers all have up-to-date [argument summaries](super::passed).
    passing: RefCell<FxHashSet<DefinitionId>>,
}

impl<'db> UnitFacts<'db> {
    pub fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> UnitFacts<'db> {
        UnitFacts {
            program: UnitInputs::of(db, file, settings),
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

    /// Returns the table of builtins of the language, with the rows of the user.
    pub fn builtins(&self) -> &'db Arc<Builtins> {
        self.program.settings.builtins(self.program.db)
    }

    /// Returns the known launch sizes of a function.
    pub fn launch(&self, at: DefinitionId) -> Launch {
        self.program.launches.of(at)
    }

    /// Returns the user's assertion about a parameter or variable of a function; of several, the one with the widest
    /// scope.
    pub fn assertion(&self, function: FunctionKey, variable: Symbol) -> Option<Assertion> {
        self.program.assertions.get(function, AssertedValue::Variable(variable))
    }

    /// Returns the definition that a call runs, if it is in the unit and types determine it.
    pub fn defined(&self, callee: &Callee) -> Option<DefinitionId> {
        self.defined_by(CallTarget::of(callee))
    }

    /// Returns the definition that a call of this target runs, if it is in the unit and types determine it.
    pub fn defined_by(&self, target: CallTarget) -> Option<DefinitionId> {
        self.program.defined(target)
    }

    /// Returns the facts of a function. None for a block literal that is never evaluated.
    pub fn facts(&self, at: DefinitionId) -> Option<FunctionFacts<'db>> {
        self.in_context(at).facts(self.program.db, self.program.settings)
    }

    /// Returns a function with its context in this unit.
    pub fn in_context(&self, at: DefinitionId) -> FunctionInContext<'db> {
        let definition = self.program.functions.get(at);
        FunctionInContext { scoped: definition.item.scoped, body: definition.body, context: self.context(at) }
    }

    /// Returns the context of a function in this unit: the inputs of its facts besides the function itself.
    pub fn context(&self, at: DefinitionId) -> Context<'db> {
        self.prepare(at);
        let UnitInputs { db, functions, .. } = self.program;
        self.program.context(functions.get(at), &|callee| summary(db, functions.get(callee).id).clone())
    }

    /// Returns the operations that a call of a function runs.
    pub fn runs(&self, at: DefinitionId) -> RunOperations {
        let UnitInputs { db, functions, .. } = self.program;
        let mut running = self.running.borrow_mut();
        for callee in self.reached(at, &mut running) {
            runs(db, functions.get(callee).id);
        }
        runs(db, functions.get(at).id)
    }

    /// Returns the operations that a call runs. If the call may run several functions: the operations that all of them
    /// run. None if the call is not convergent, is through a pointer, or may run a function that is not convergent.
    pub fn runs_by(&self, target: CallTarget) -> Option<RunOperations> {
        if let CallTarget::Unresolved(named) = target
            && let [first, others @ ..] = &*self.program.functions.named(named)
        {
            let runs = |&at: &DefinitionId| {
                let key = self.program.functions.get(at).id.key(self.program.db);
                self.program.convergent.function(key).then(|| self.runs(at))
            };
            return others.iter().try_fold(runs(first)?, |all, at| Some(all.common(runs(at)?)));
        }
        match self.program.convergent.call(target)? {
            ConvergentCallee::Operation(_, Scope::None) | ConvergentCallee::Pointer => None,
            ConvergentCallee::Operation(name, scope) => Some(RunOperations::operation(name, scope)),
            ConvergentCallee::Function(key) => Some(self.runs(self.program.functions.of_key(key)?)),
        }
    }

    /// Returns the argument summary of a function.
    pub fn passed(&self, at: DefinitionId) -> &'db ArgumentSummary {
        let UnitInputs { db, functions, .. } = self.program;
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

    /// Returns a function with the analysis that found its facts. None if it has no facts.
    pub fn analysed(&self, at: DefinitionId) -> Option<AnalysedFunction<'db>> {
        self.in_context(at).analysed(self.program.db, self.program.settings)
    }

    /// Whether no direct or indirect caller of a function contains an unknown.
    pub fn callers_have_no_unknowns(&self, at: DefinitionId) -> bool {
        let mut above = reached(at, &mut FxHashSet::default(), |at| self.graph.callers(at)).into_iter();
        let is_known = |facts: FunctionFacts| unknown::first(facts.function).is_none();
        above.all(|caller| caller == at || self.facts(caller).is_some_and(is_known))
    }

    /// Returns the verdicts on a function with unknowns, without assumptions about them. None if it has no unknowns.
    pub fn verdicts_without_assumptions(&self, at: DefinitionId) -> Option<Uniformity> {
        unknown::first(self.facts(at)?.function)?;
        let analysed = self.analysed(at)?;
        let (function, finished) = (analysed.function, analysed.analysis.clone());
        Some(analysed.without_assumptions(|environment, reads| {
            let mut analysis = Analysis::resumed(function, environment, &finished);
            analysis.assume(reads);
            analysis.result()
        }))
    }

    /// Returns a kernel without its early exits, and its uniformity, without assumptions about unknowns. None without early
    /// exits, and for other functions.
    pub fn without_exited_or_assumptions(&self, at: DefinitionId) -> Option<(Function, Uniformity)> {
        self.in_context(at).without_exited_or_assumptions(self.program.db, self.program.settings)
    }

    /// Calls `explain` with the analysis of a function, which has the causes of its verdicts. None if the function has
    /// no facts.
    pub fn explain<R>(&self, at: DefinitionId, explain: impl FnOnce(&Analysis) -> R) -> Option<R> {
        Some(self.analysed(at)?.explain(explain))
    }

    /// Computes the summaries of the direct and indirect callees of a function, callees first, so that queries do not
    /// nest.
    fn prepare(&self, at: DefinitionId) {
        let UnitInputs { db, functions, .. } = self.program;
        let mut ready = self.ready.borrow_mut();
        for callee in self
            .reached(at, &mut ready)
            .into_iter()
            .filter(|&callee| callee != at || self.graph.is_recursive(at))
        {
            summary(db, functions.get(callee).id);
        }
    }

    /// Returns the function and its direct and indirect callees, callees first. Omits functions in `before`, and adds
    /// the result to it.
    fn reached(&self, at: DefinitionId, before: &mut FxHashSet<DefinitionId>) -> Vec<DefinitionId> {
        let mut reached = reached(at, before, |at| self.graph.callees(at));
        self.graph.sort(&mut reached);
        reached
    }
}

/// Returns the functions that are reachable from `at` by `next`, including `at`. Omits functions in `before`, and adds
/// the result to it.
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

/// The inputs for an analysis of a function outside of queries, such as in the language server.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct AnalysisSnapshot<'db> {
    function: Arc<Function>,
    context: Context<'db>,
    verdicts: Verdicts,
}

impl AnalysisSnapshot<'_> {
    /// Calls `explain` with the analysis of the function, which has the causes of its verdicts.
    pub fn explain<R>(&self, db: &dyn Db, settings: Settings, explain: impl FnOnce(&Analysis) -> R) -> R {
        let AnalysisSnapshot { function, context, verdicts } = self;
        let inputs = AnalysisInputs::of(db, settings, *context);
        let analysis = verdicts.analysis(db, function, &inputs);
        AnalysedFunction { function, inputs, analysis }.explain(explain)
    }
}

/// Returns a function of a unit with the inputs of its analysis. None if the function has no facts.
///
/// salsa never frees a key of several arguments that is interned outside a query. Such a key would keep every version
/// of a function. So the key of this query is the identity of the function, which all its versions share.
#[salsa::tracked]
pub fn kept<'db>(db: &'db dyn Db, id: FunctionId<'db>) -> Option<AnalysisSnapshot<'db>> {
    let (file, settings) = (id.file(db), id.settings(db));
    let facts = UnitFacts::of(db, file, settings);
    let at = facts.functions().of_id(id)?;
    let Definition { item, body, .. } = facts.functions().get(at);
    let context = facts.context(at);
    let function = function(db, item.scoped, *body, context).clone()?;
    let verdicts = uniformity(db, item.scoped, *body, settings, context).clone()?;
    Some(AnalysisSnapshot { function, context, verdicts })
}

/// A function and its facts, shared with the queries that computed them.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct SharedFacts {
    pub function: Arc<Function>,
    pub uniformity: Arc<Uniformity>,
}

/// Returns the facts of all definitions in the file `written` of a unit.
#[salsa::tracked]
pub fn facts_of_file(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    written: SourceFile,
) -> FxHashMap<FunctionId<'_>, SharedFacts> {
    let facts = UnitFacts::of(db, file, settings);
    let shared = |at: DefinitionId, definition: &Definition| {
        let context = facts.context(at);
        let function = function(db, definition.item.scoped, definition.body, context).clone()?;
        let verdicts = uniformity(db, definition.item.scoped, definition.body, settings, context).as_ref()?;
        Some(SharedFacts { function, uniformity: verdicts.uniformity.clone() })
    };
    let own = facts.functions().with_instances().filter(|(_, it)| it.item.chunk.file == written.id(db));
    own.filter_map(|(at, definition)| Some((definition.id, shared(at, definition)?))).collect()
}
