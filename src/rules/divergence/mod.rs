//! The facts that the rules about divergence share: the functions that they examine, with uniformity and operations.
//!
//! **Operation**: a convergent call, of a builtin with a scope or of a function that contains one.
//!
//! Three steps select the functions, and each step passes fewer of them on. [`candidates`] tests the text of a
//! function. [`suspects`] tests its verdicts, which are cached across edits. The rules then examine the suspects, which
//! are [explained] with all causes.

pub(crate) mod barriers;
pub(crate) mod bypass;
pub(crate) mod cause_text;
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
use rustc_hash::{FxBuildHasher, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use self::suspects::ExaminedFunctions;
use crate::item_context::ItemContext;
use crate::quote::source_text;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{BlockId, Callee, Function, Op, ValueId};
use tangle_analysis::program::{CallTarget, Convergent, ConvergentCallee, Definition, DefinitionId};
use tangle_analysis::tangle::Model;
use tangle_analysis::uniformity::analysis::{Analysis, Uniformity};
use tangle_analysis::uniformity::barriers::Unprotected;
use tangle_analysis::uniformity::causes::{
    AnalysedFunctions, CallSite, CauseAcrossCalls, LazyAnalysis, LazyGraph, calls, explained,
};
use tangle_analysis::uniformity::jumps::settled_calls;
use tangle_analysis::uniformity::run_operations::RunOperations;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_analysis::uniformity::{Fact, Launch, cause};
use tangle_hir::bodies;
use tangle_hir::body::{Body, CallId};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtin, Builtins, Dialect, Scope, Vocabulary};
use tangle_syntax::items::Item;
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

/// The functions of a file that the rules examine, and their direct and indirect callers and callees.
pub(crate) struct DivergenceContext<'a, 'e> {
    pub db: &'a dyn Db,
    pub convergent: &'a Convergent,
    pub builtins: Arc<Builtins>,
    pub dialect: Dialect,
    /// Whether the mask of an operation, and not control flow, selects its threads.
    pub masks_name_threads: bool,
    model: Model,
    facts: &'a UnitFacts<'a>,
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
    /// The analysis with causes. It runs on first use.
    pub analysis: &'a LazyAnalysis<'e>,
    /// The graph. It is computed on first use.
    pub graph: &'a LazyGraph<'e>,
    pub operations: Vec<Operation>,
    /// Its unknown callees, each with the first call. Computed on first use.
    unknown: OnceCell<Vec<(Option<Symbol>, Span)>>,
    /// Its undeclared variables. Computed on first use.
    undeclared: OnceCell<FxHashSet<Symbol>>,
    /// The function without its early exits, and its uniformity. `None` without early exits, and for other functions than
    /// kernels. Computed on first use.
    without_exited: OnceCell<Option<(Function, Uniformity)>>,
    definition: &'a Definition<'a>,
    body: &'a Body,
    /// Whether the rules examine it.
    suspect: bool,
}

/// Calls `then` with the functions of a file and its headers that the rules examine. `None` if there are none.
pub(crate) fn in_context(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    model: Model,
    convergent: &Convergent,
    then: impl FnOnce(Option<&DivergenceContext>),
) {
    let candidates = preselection::candidates(db, (file, settings, model), convergent);
    if candidates.is_empty() {
        return then(None);
    }
    let facts = UnitFacts::of(db, file, settings);
    match ExaminedFunctions::among(db, (file, settings, model), &facts, &candidates) {
        Some(suspects) => {
            with_context(db, settings, &facts, &suspects, convergent, model, |it| then(Some(it)))
        }
        None => then(None),
    }
}

fn with_context(
    db: &dyn Db,
    settings: Settings,
    facts: &UnitFacts,
    suspects: &ExaminedFunctions,
    convergent: &Convergent,
    model: Model,
    then: impl FnOnce(&DivergenceContext),
) {
    let functions: Vec<(DefinitionId, &Function)> =
        suspects.functions.iter().map(|it| (it.at, it.facts.function)).collect();
    explained(facts, &functions, |explained| {
        let known = suspects.functions.iter().map(|it| {
            let function = it.facts.function;
            let body = &bodies(db, it.definition.item.scoped.item(db)).0[it.definition.body as usize];
            // A call of a lambda has the name of the variable that holds it.
            let written = |call: CallId| {
                let subject = ItemContext::of_definition(db, model, convergent, it.definition);
                Symbol::intern(&source_text(&subject, body.calls[call].span))
            };
            let operations = calls(function).filter_map(|(block, value, call)| {
                operation(facts, CallTarget::of(&call.callee), (block, value), call.call?, &written)
            });
            let known = FunctionFacts {
                function,
                verdicts: it.facts.uniformity,
                analysis: explained.analysis(it.at),
                graph: explained.graph(it.at),
                operations: operations.collect(),
                unknown: OnceCell::new(),
                undeclared: OnceCell::new(),
                without_exited: OnceCell::new(),
                definition: it.definition,
                body,
                suspect: it.suspect,
            };
            (it.at, known)
        });
        let builtins = settings.builtins(db).clone();
        let dialect = settings.dialect(db);
        then(&DivergenceContext {
            db,
            convergent,
            builtins,
            dialect,
            masks_name_threads: settings.masks_name_threads(db),
            model,
            facts,
            functions: known.collect(),
            explained,
        });
    });
}

/// Returns the operation of a call. `None` if the call is not convergent, or if its operations are unknown, as for a
/// call through a pointer.
fn operation(
    facts: &UnitFacts,
    target: CallTarget,
    (block, value): (BlockId, ValueId),
    call: CallId,
    written: &dyn Fn(CallId) -> Symbol,
) -> Option<Operation> {
    let runs = facts.runs_by(target)?;
    let function = match facts.convergent().call(target)? {
        ConvergentCallee::Function(key) => facts.functions().of_key(key),
        ConvergentCallee::Operation(..) | ConvergentCallee::Pointer => None,
    };
    let name = target.name().unwrap_or_else(|| written(call));
    Some(Operation { value, block, call, target, name, function, operations_run: runs })
}

impl<'a, 'e> DivergenceContext<'a, 'e> {
    /// Returns the functions that the rules examine.
    pub fn suspects(&self) -> impl Iterator<Item = (DefinitionId, &FunctionFacts<'a, 'e>)> {
        self.functions.iter().filter(|(_, known)| known.suspect).map(|(&at, known)| (at, known))
    }

    /// Returns these functions, and their direct and indirect callers and callees.
    pub fn all(&self) -> impl Iterator<Item = (DefinitionId, &FunctionFacts<'a, 'e>)> {
        self.functions.iter().map(|(&at, known)| (at, known))
    }

    /// Returns the doubtful calls whose doubts are settled: all threads of the group take each jump, or none does. Each
    /// call has its item and the number of its body.
    pub fn settled_calls(&self) -> FxHashSet<(Item<'a>, usize, CallId)> {
        let mut settled = FxHashSet::default();
        for (_, known) in self.suspects() {
            let item = known.definition.item.scoped.item(self.db);
            let calls = settled_calls(self.db, known.definition.id, self.model);
            settled.extend(calls.iter().map(|&call| (item, known.number(), call)));
        }
        settled
    }

    /// Returns one of the functions. Panics if the function is not among them.
    pub fn known(&self, at: DefinitionId) -> &FunctionFacts<'a, 'e> {
        &self.functions[&at]
    }

    /// Returns the item of a function as the subject of findings.
    pub fn subject<'b>(&'b self, known: &'b FunctionFacts) -> ItemContext<'b> {
        ItemContext::of_definition(self.db, self.model, self.convergent, known.definition)
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
        self.facts.defined(callee)
    }

    /// Returns a function of the unit, and its verdicts. `None` if it has no facts.
    pub fn verdicts(&self, at: DefinitionId) -> Option<(&Function, &Uniformity)> {
        let facts = self.facts.facts(at)?;
        Some((facts.function, facts.uniformity))
    }

    /// Returns the known properties of the launches of a function.
    pub fn launch(&self, at: DefinitionId) -> Launch {
        self.facts.launch(at)
    }

    /// Whether all threads of a group that do not reach a block of a kernel have exited the kernel before.
    pub fn only_exited_are_missing(&self, at: DefinitionId, block: BlockId, scope: Scope) -> bool {
        let staying = self.without_exited(at);
        staying.is_some_and(|(_, staying)| !staying.control[block].divergence.within(scope))
    }

    /// Returns a kernel without its early exits, and its uniformity. `None` without early exits, and for other functions.
    pub fn without_exited(&self, at: DefinitionId) -> Option<&(Function, Uniformity)> {
        let known = self.known(at);
        let staying = known.without_exited.get_or_init(|| self.facts.without_exited(at));
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
        let Some((function, mut surroundings)) = self.facts.surroundings(at) else {
            return blocks.iter().map(|_| None).collect();
        };
        surroundings.agreed.extend(flags.iter().filter(|flag| flag.function == at).map(|flag| flag.load));
        surroundings.run(|environment| {
            let analysis = Analysis::of(function, GraphAnalysis::of(function), environment);
            let blame = |&(block, scope): &(BlockId, Scope)| {
                let confidence = analysis.control[block].confidence(scope)?;
                let question = cause::Question::Within(scope, confidence);
                let chain = cause::chain(&analysis, cause::Subject::Control(block), question);
                let at_one_place =
                    cause::shared_load(&chain).is_some_and(|load| match &function.values[load].op {
                        Op::Load { address, .. } => !analysis.values[*address].divergence.within(scope),
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

    /// Returns the name of the function. A block literal has the name of the function around it.
    pub fn name(&self) -> &'static str {
        self.body.name.text.as_str()
    }

    /// Returns the name of the instantiation, if the function is one.
    pub fn instantiation(&self) -> Option<&str> {
        self.definition.instantiation.as_deref()
    }

    /// Returns the number of the body in its item.
    pub fn number(&self) -> usize {
        self.definition.body as usize
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
