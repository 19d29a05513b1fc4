//! The facts that the rules about divergence share: the functions that they examine, with uniformity and operations.
//!
//! **Operation**: a convergent call, of a builtin with a scope or of a function that contains one.
//!
//! Three steps select the functions, and each step passes fewer of them on. [`candidates`] tests the text of a
//! function. [`suspects`] tests its verdicts, which are cached across edits. The rules then examine the suspects, one
//! [`component`] after the other. They are [explained] with all causes.

pub(crate) mod barriers;
pub(crate) mod bypass;
pub(crate) mod cause_text;
pub(crate) mod component;
pub(crate) mod confidence;
pub(crate) mod facts;
pub(crate) mod flags;
pub(crate) mod group_by_branch;
pub(crate) mod locks;
pub(crate) mod masks;
pub(crate) mod mismatched;
pub(crate) mod partial_mask;
mod preselection;
pub(crate) mod shuffles;
mod suspects;
pub(crate) mod unreached;

use std::cell::OnceCell;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use self::component::{Component, Member, PlacedComponent, TargetFacts};
use self::suspects::ExaminedFunctions;
use crate::comments::Comments;
use crate::item_context::Subject;
use crate::quote::source_text;
use tangle_analysis::flow::dominators::Dominators;
use tangle_analysis::flow::{BlockId, Callee, Function, Op, ValueId};
use tangle_analysis::program::{CallTarget, Convergent, DefinitionId};
use tangle_analysis::tangle::Model;
use tangle_analysis::uniformity::analysis::{Analysis, Uniformity};
use tangle_analysis::uniformity::barriers::Unprotected;
use tangle_analysis::uniformity::causes::{
    AnalysedFunctions, CallSite, CauseAcrossCalls, LazyAnalysis, calls, explained,
};
use tangle_analysis::uniformity::graph::Graph;
use tangle_analysis::uniformity::jumps::settled_calls;
use tangle_analysis::uniformity::run_operations::RunOperations;
use tangle_analysis::uniformity::unit::{FunctionInContext, UnitFacts};
use tangle_analysis::uniformity::{Fact, Launch, cause};
use tangle_diagnostic::Place;
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtin, Builtins, Dialect, Scope, Vocabulary};
use tangle_syntax::items::{Item, Locator};
use tangle_syntax::source::{Settings, SourceFile};

/// A convergent call in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub value: ValueId,
    pub block: BlockId,
    pub call: CallId,
    /// The callee.
    pub target: CallTarget,
    /// The name of the callee in messages.
    pub name: Symbol,
    /// The definition of the callee, if it is a function that the unit defines.
    pub function: Option<DefinitionId>,
    /// The operations that the call runs: the builtin itself, or the operations in the callee.
    pub operations_run: RunOperations,
}

/// The functions of a component, with the facts about their callees that the rules need.
pub(crate) struct DivergenceContext<'a, 'e> {
    pub db: &'a dyn Db,
    pub builtins: Arc<Builtins>,
    pub dialect: Dialect,
    /// Whether the mask of an operation, and not control flow, selects its threads.
    pub masks_name_threads: bool,
    component: Component<'a>,
    targets: &'a FxHashMap<CallTarget, TargetFacts>,
    /// In source order.
    functions: IndexMap<DefinitionId, FunctionFacts<'a, 'e>, FxBuildHasher>,
    explained: &'a AnalysedFunctions<'e>,
}

/// A read of a flag in shared memory that decides whether threads leave a loop. No barrier separates it from a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExitFlagRead {
    pub function: DefinitionId,
    pub load: ValueId,
    pub write: Unprotected,
}

/// A function with its facts.
pub(crate) struct FunctionFacts<'a, 'e> {
    pub function: &'a Function,
    /// The verdicts. They are cached, so a rule asks them before it asks for causes.
    pub verdicts: &'a Uniformity,
    /// The analysis, which has the causes. Usually the one that found the verdicts.
    pub analysis: &'a LazyAnalysis<'e>,
    pub operations: Vec<Operation>,
    /// Its unknown callees, each with the first call. Computed on first use.
    unknown: OnceCell<Vec<(Option<Symbol>, Span)>>,
    /// Its undeclared variables. Computed on first use.
    undeclared: OnceCell<FxHashSet<Symbol>>,
    /// The function without its early exits, and its uniformity. `None` without early exits, and for other functions than
    /// kernels. Computed on first use.
    without_exited: OnceCell<Option<(Function, Uniformity)>>,
    member: &'a Member<'a>,
    body: &'a Body,
}

/// The examined functions of a file and its headers.
pub(crate) struct ExaminedUnit<'a> {
    db: &'a dyn Db,
    settings: Settings,
    facts: UnitFacts<'a>,
    functions: ExaminedFunctions<'a>,
}

impl<'a> ExaminedUnit<'a> {
    /// Returns the examined functions of a file and its headers. `None` if there are none.
    pub fn of(
        db: &'a dyn Db,
        file: SourceFile,
        settings: Settings,
        model: Model,
        convergent: &Convergent,
    ) -> Option<ExaminedUnit<'a>> {
        let candidates = preselection::candidates(db, (file, settings, model), convergent);
        if candidates.is_empty() {
            return None;
        }
        let facts = UnitFacts::of(db, file, settings);
        let functions = ExaminedFunctions::among(db, (file, settings, model), &facts, &candidates)?;
        Some(ExaminedUnit { db, settings, facts, functions })
    }

    /// Returns the doubtful calls whose doubts are settled: all threads of the group take each jump, or none does. Each
    /// call has its item and the number of its body.
    pub fn settled_calls(&self, model: Model) -> FxHashSet<(Item<'a>, usize, CallId)> {
        let mut settled = FxHashSet::default();
        for it in self.functions.functions.iter().filter(|it| it.suspect) {
            let item = it.function.scoped.item(self.db);
            let calls = settled_calls(self.db, it.definition.id, model);
            settled.extend(calls.iter().map(|&call| (item, it.function.body as usize, call)));
        }
        settled
    }

    /// Returns the components of the functions, ordered by their first suspects.
    pub fn components(&self, comments: &Comments) -> Vec<PlacedComponent<'a>> {
        component::components(self.db, self.settings, &self.facts, &self.functions, comments)
    }
}

/// Calls `then` with the functions of a component.
pub(crate) fn with_context(db: &dyn Db, component: Component, then: impl FnOnce(&DivergenceContext)) {
    let settings = component.settings(db);
    let members = component.members(db);
    let functions: Vec<(DefinitionId, FunctionInContext)> =
        members.iter().enumerate().map(|(at, it)| (DefinitionId::from_usize(at), it.function)).collect();
    let known: Vec<_> = functions
        .iter()
        .map(|&(_, it)| it.facts(db, settings).expect("only functions with facts are members"))
        .collect();
    let targets: FxHashMap<CallTarget, TargetFacts> = component.targets(db).iter().copied().collect();
    let defined = |callee: &Callee| targets.get(&CallTarget::of(callee))?.defined;
    let explainable: Vec<(DefinitionId, &Function, FunctionInContext)> =
        functions.iter().zip(&known).map(|(&(at, it), facts)| (at, facts.function, it)).collect();
    explained(db, settings, &explainable, &defined, |explained| {
        let known = members.iter().zip(&known).zip(&functions).map(|((member, facts), &(at, _))| {
            let function = facts.function;
            let body = &bodies(db, member.function.scoped.item(db)).0[member.function.body as usize];
            // A call of a lambda has the name of the variable that holds it.
            let written =
                |call: CallId| Symbol::intern(&source_text(&subject(db, member), body.calls[call].span));
            let operations = calls(function).filter_map(|(block, value, call)| {
                operation(&targets, CallTarget::of(&call.callee), (block, value), call.call?, &written)
            });
            let known = FunctionFacts {
                function,
                verdicts: facts.uniformity,
                analysis: explained.analysis(at),
                operations: operations.collect(),
                unknown: OnceCell::new(),
                undeclared: OnceCell::new(),
                without_exited: OnceCell::new(),
                member,
                body,
            };
            (at, known)
        });
        then(&DivergenceContext {
            db,
            builtins: settings.builtins(db).clone(),
            dialect: settings.dialect(db),
            masks_name_threads: settings.masks_name_threads(db),
            component,
            targets: &targets,
            functions: known.collect(),
            explained,
        });
    });
}

/// Returns the item of a function as the subject of findings, with locations in the component text.
fn subject<'a>(db: &'a dyn Db, member: &'a Member<'a>) -> Subject<'a> {
    let scoped = member.function.scoped;
    let locator = Locator::in_text(db, &member.text, member.start);
    Subject { db, item: scoped.item(db), scoped, locator }
}

/// Returns the operation of a call. `None` if the call is not convergent, or if its operations are unknown, as for a
/// call through a pointer.
fn operation(
    targets: &FxHashMap<CallTarget, TargetFacts>,
    target: CallTarget,
    (block, value): (BlockId, ValueId),
    call: CallId,
    written: &dyn Fn(CallId) -> Symbol,
) -> Option<Operation> {
    let &TargetFacts { convergent: true, function, runs, .. } = targets.get(&target)? else { return None };
    let name = target.name().unwrap_or_else(|| written(call));
    Some(Operation { value, block, call, target, name, function, operations_run: runs? })
}

impl<'a, 'e> DivergenceContext<'a, 'e> {
    /// Returns the functions that the rules examine.
    pub fn suspects(&self) -> impl Iterator<Item = (DefinitionId, &FunctionFacts<'a, 'e>)> {
        self.functions.iter().filter(|(_, known)| known.member.suspect).map(|(&at, known)| (at, known))
    }

    /// Returns these functions, and their direct and indirect callers and callees.
    pub fn all(&self) -> impl Iterator<Item = (DefinitionId, &FunctionFacts<'a, 'e>)> {
        self.functions.iter().map(|(&at, known)| (at, known))
    }

    /// Returns one of the functions. Panics if the function is not among them.
    pub fn known(&self, at: DefinitionId) -> &FunctionFacts<'a, 'e> {
        &self.functions[&at]
    }

    /// Returns the item of a function as the subject of findings.
    pub fn subject<'b>(&'b self, known: &'b FunctionFacts) -> Subject<'b> {
        subject(self.db, known.member)
    }

    /// Whether a comment suppresses findings of a rule at a location.
    pub fn suppresses(&self, rule: &str, place: &Place) -> bool {
        self.component.suppressed(self.db).iter().any(|suppressed| suppressed.includes(rule, place))
    }

    /// Returns the vocabulary of the language.
    pub fn vocabulary(&self) -> &'static Vocabulary {
        self.dialect.vocabulary()
    }

    /// Returns the row of an operation in the table of builtins. `None` if the callee is a function of the unit.
    pub fn builtin(&self, operation: &Operation) -> Option<&Builtin> {
        if operation.function.is_some() { None } else { self.builtins.get(operation.name) }
    }

    /// Returns the calls of a function by the functions of this context.
    pub fn calls_of(&self, at: DefinitionId) -> &[CallSite] {
        self.explained.calls_of(at)
    }

    /// Returns the function that an operation calls, if it is in this context.
    pub fn called(&self, operation: &Operation) -> Option<&FunctionFacts<'a, 'e>> {
        self.functions.get(&operation.function?)
    }

    /// Returns the cause of a divergent fact of a function. `None` if the fact is uniform in each group of the scope.
    pub fn blame(
        &self,
        at: DefinitionId,
        subject: cause::Subject,
        fact: Fact,
        scope: Scope,
    ) -> Option<CauseAcrossCalls> {
        self.explained.blame(at, subject, fact, scope)
    }

    /// Returns one of the functions. `None` if the function is not among them.
    pub fn examined(&self, at: DefinitionId) -> Option<&FunctionFacts<'a, 'e>> {
        self.functions.get(&at)
    }

    /// Returns the definition that a call runs, if it is in the unit and types determine it.
    pub fn defined(&self, callee: &Callee) -> Option<DefinitionId> {
        self.targets.get(&CallTarget::of(callee))?.defined
    }

    /// Returns a function of the unit, and its verdicts. `None` if it has no facts.
    pub fn verdicts(&self, at: DefinitionId) -> Option<(&Function, &Uniformity)> {
        let facts = self.in_context(at)?.facts(self.db, self.component.settings(self.db))?;
        Some((facts.function, facts.uniformity))
    }

    /// Returns the known properties of the launches of a function.
    pub fn launch(&self, at: DefinitionId) -> Launch {
        self.in_context(at).map_or_else(Launch::default, |function| function.context.launch(self.db))
    }

    /// Returns one of the functions, or a function that they call.
    fn in_context(&self, at: DefinitionId) -> Option<FunctionInContext<'a>> {
        let members = self.component.members(self.db);
        let other = |at: usize| self.component.other_callees(self.db).get(at).copied();
        match members.get(at.index()) {
            Some(member) => Some(member.function),
            None => other(at.index() - members.len()),
        }
    }

    /// Whether all threads of a group that do not reach a block of a kernel have exited the kernel before.
    pub fn only_exited_are_missing(&self, at: DefinitionId, block: BlockId, scope: Scope) -> bool {
        let is_missing_none =
            |(_, staying): &(Function, Uniformity)| !staying.control[block].divergence.within(scope);
        match self.without_exited(at) {
            Some((staying, _)) if !Dominators::of(staying, &staying.predecessors()).is_reachable(block) => {
                self.without_exited_but(at, block).as_ref().is_some_and(is_missing_none)
            }
            staying => staying.is_some_and(is_missing_none),
        }
    }

    /// Returns a kernel with a block, but without the early exits of threads that do not reach it, and its uniformity.
    /// `None` without such exits.
    pub fn without_exited_but(&self, at: DefinitionId, block: BlockId) -> Option<(Function, Uniformity)> {
        let settings = self.component.settings(self.db);
        self.known(at).member.function.without_exited(self.db, settings, Some(block))
    }

    /// Returns a kernel without its early exits, and its uniformity. `None` without early exits, and for other functions.
    pub fn without_exited(&self, at: DefinitionId) -> Option<&(Function, Uniformity)> {
        let known = self.known(at);
        let settings = self.component.settings(self.db);
        let function = known.member.function;
        let staying = known.without_exited.get_or_init(|| function.without_exited(self.db, settings, None));
        staying.as_ref()
    }

    /// Returns the cause why not all threads of a group reach each block, for the case that these flags are uniform.
    /// `None` for a block that all threads then reach. Also `None` if the cause is a read of shared memory at a uniform
    /// address: that value may depend on the flags.
    pub fn cause_without_flags(
        &self,
        at: DefinitionId,
        flags: &[ExitFlagRead],
        blocks: &[(BlockId, Scope)],
    ) -> Vec<Option<CauseAcrossCalls>> {
        let settings = self.component.settings(self.db);
        let own = self.known(at).member.function;
        let Some(analysed) = own.analysed(self.db, settings) else {
            return blocks.iter().map(|_| None).collect();
        };
        let function = analysed.function;
        let mut reads = analysed.reads().clone();
        reads.agreed.extend(flags.iter().filter(|flag| flag.function == at).map(|flag| flag.load));
        analysed.inputs.run(|environment| {
            let mut analysis = Analysis::resumed(function, environment, &analysed.analysis);
            analysis.assume(reads);
            let blame = |&(block, scope): &(BlockId, Scope)| {
                let confidence = analysis.state.control[block].confidence(scope)?;
                let question = cause::Question::Within(scope, confidence);
                let chain = cause::chain(&analysis, cause::Subject::Control(block), question);
                let at_one_place =
                    cause::shared_load(&chain).is_some_and(|load| match &function.values[load].op {
                        Op::Load { address, .. } => !analysis.state.values[*address].divergence.within(scope),
                        _ => true,
                    });
                (!at_one_place).then(|| self.explained.blame_of(at, chain, scope, confidence))
            };
            blocks.iter().map(blame).collect()
        })
    }
}

impl FunctionFacts<'_, '_> {
    pub fn body(&self) -> &Body {
        self.body
    }

    /// Returns the flow graph of the function, with the facts that depend only on it.
    pub fn graph(&self) -> &Graph {
        &self.analysis.model.graph
    }

    /// Returns the name of the function. A block literal has the name of the function around it.
    pub fn name(&self) -> &'static str {
        self.body.name.text.as_str()
    }

    /// Returns the name of the instantiation, if the function is one.
    pub fn instantiation(&self) -> Option<&str> {
        self.member.instantiation.as_deref()
    }

    /// Returns the number of the body in its item.
    pub fn number(&self) -> usize {
        self.member.function.body as usize
    }

    /// Returns a noun phrase for the function, for messages.
    pub fn described(&self) -> String {
        match self.body.block {
            true => format!("a block in `{}`", self.name()),
            false => format!("`{}`", self.function.key.template()),
        }
    }

    /// Returns the span of the callee of an operation in the source.
    pub fn span(&self, operation: &Operation) -> Span {
        self.body().calls[operation.call].span
    }
}
