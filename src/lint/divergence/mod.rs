//! What the rules about divergence share: the functions of a file that they look at, with their uniformity, and where each operation stands.
//!
//! **Operation**: a call that is convergent, either a builtin of a scope or a function that contains one. **Blame**: why part of a group
//! may not reach it: something in its own function, or what some caller passes.
//!
//! ```c
//! void sync_if(int n) { if (n) barrier(1); }                    // the barrier: to blame is the parameter `n` …
//! kernel void k(void) { sync_if(get_local_id(0) & 1); }         // … which differs in this call
//! ```
//!
//! Three steps, each of which leaves less to the next: [`candidates`] by the text, [`suspects`] by facts that are kept from one key press to
//! the next, and the rules themselves, for which the suspects are analysed once more, with all causes.

mod candidates;
mod jumps;
pub(super) mod memory;
pub(super) mod sides;
mod suspects;
pub(super) mod words;

use std::cell::LazyCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use self::suspects::Suspects;
use super::check::{Subject, place};
use super::{Asked, REGISTRY, implementation_defined};
use crate::db::Db;
use crate::diagnostic::{Diagnostic, Place};
use crate::dialect::{Builtin, Builtins, Scope};
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Callee, Function, Op, Value, ValueId};
use crate::hir::assertions::{Asserted, Assertions};
use crate::hir::bodies;
use crate::hir::body::{Body, CallId};
use crate::program::{Called, Convergent, Definition, DefinitionId, Target};
use crate::source::{Settings, SourceFile};
use crate::syntax::Locator;
use crate::tangle::Model;
use crate::uniformity::analysis::{Analysis, Environment};
use crate::uniformity::cause::{self, Link, Question};
use crate::uniformity::effect::effect;
use crate::uniformity::runs::Runs;
use crate::uniformity::unit::UnitFacts;
use crate::uniformity::{Divergence, Fact};

/// A convergent call in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub value: ValueId,
    pub block: BlockId,
    pub call: CallId,
    /// The callee.
    pub target: Target,
    /// What people call it.
    pub name: Symbol,
    /// The callee is a function of the program: its definition, if the unit has one.
    pub function: Option<DefinitionId>,
    /// What runs by it: itself, or what is in the function that is called.
    pub runs: Runs,
}

/// The functions of a file that the rules look at, those that call them, and the convergent ones that they call.
pub(super) struct Context<'a> {
    pub db: &'a dyn Db,
    pub convergent: &'a Convergent,
    pub builtins: Arc<Builtins>,
    model: Model,
    /// In the order of the text.
    pub functions: Vec<Known<'a>>,
    /// For each function, its calls: the number of the caller, the block, and the call.
    calls: FxHashMap<DefinitionId, Vec<(usize, BlockId, ValueId)>>,
    numbers: FxHashMap<DefinitionId, usize>,
}

/// Operations of which some rule has spoken, and the loads of flags that it found, each with the number of its function.
pub(super) type Told = FxHashSet<(usize, ValueId)>;

/// A function with its facts.
pub(super) struct Known<'a> {
    pub function: &'a Function,
    /// With causes. Made when it is looked at: of most callers and callees it never is.
    pub analysis: LazyCell<Analysis<'a>, Box<dyn FnOnce() -> Analysis<'a> + 'a>>,
    pub operations: Vec<Operation>,
    pub at: DefinitionId,
    definition: &'a Definition<'a>,
    body: &'a Body,
    /// Rules look at it.
    suspect: bool,
}

/// Why part of a group does not reach an operation, or brings another value.
pub(super) struct Blame {
    /// In the function of the operation.
    pub chain: Vec<Link>,
    /// The calls through which it comes from a caller, from the operation's function outwards.
    pub calls: Vec<(usize, ValueId)>,
    /// In the outermost of these callers.
    pub passed: Vec<Link>,
}

/// A step from a function to a caller, along which a parameter decides.
struct Step {
    /// The number of the function that the way has come to.
    at: usize,
    /// The parameter of that function, and the fact in which it counts.
    parameter: u32,
    fact: Fact,
    /// The step before, and the call through which this one came. None: it begins here.
    before: Option<(usize, ValueId)>,
}

/// Whether a fact depends on what a function is passed for a parameter.
fn depends(fact: Fact, parameter: u32) -> bool {
    fact.values.contains(parameter as usize) || fact.pointees.contains(parameter as usize)
}

/// The findings of the rules about divergence in a file and what it includes.
pub(super) fn check(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    model: Model,
    convergent: &Convergent,
    found: &mut Vec<Diagnostic>,
) {
    let candidates = candidates::candidates(db, (file, settings, model), convergent);
    if candidates.is_empty() {
        return;
    }
    let facts = UnitFacts::of(db, file, settings);
    let Some(suspects) = Suspects::among(db, (file, settings, model), &facts, &candidates) else {
        return;
    };
    with_context(db, settings, &facts, &suspects, convergent, model, |context| {
        settle_doubts(context, found);
        let mut told = Told::default();
        for entry in REGISTRY {
            if let Asked::OfSuspectsFirst(check) = entry.asked {
                check(context, &mut told, found);
            }
        }
        for entry in REGISTRY {
            if let Asked::OfSuspects(check) = entry.asked {
                check(context, &mut told, found);
            }
        }
    });
}

/// Takes back the main warning where no thread jumps without the others of its group.
fn settle_doubts(context: &Context, found: &mut Vec<Diagnostic>) {
    let mut settled: FxHashSet<Place> = FxHashSet::default();
    for (number, known) in context.suspects() {
        let locator = context.subject(known).locator;
        let spans = jumps::settled(context, number);
        settled.extend(spans.into_iter().map(|span| place(context.db, &locator.locate(span).at)));
    }
    found.retain(|finding| finding.rule != implementation_defined::RULE || !settled.contains(&finding.place));
}

fn with_context(
    db: &dyn Db,
    settings: Settings,
    facts: &UnitFacts,
    suspects: &Suspects,
    convergent: &Convergent,
    model: Model,
    then: impl FnOnce(&Context),
) {
    let builtins = settings.builtins(db);
    let functions: Vec<&Function> = suspects.functions.iter().map(|it| it.facts.function).collect();
    let summary = |callee: &Callee| facts.summary_of(callee);
    let limit = |function: &Function, value: &Value| limit(facts.assertions(), function, value);
    let builtin = |callee: &Callee| effect(builtins, callee);
    let (summary, limit, builtin) = (&summary, &limit, &builtin);
    let agreed = functions.iter().map(|&function| {
        LazyCell::new(move || {
            memory::agreed_loads(function, builtins, summary, &|_, value| limit(function, value))
        })
    });
    let agreed: Vec<LazyCell<FxHashSet<ValueId>, _>> = agreed.collect();
    let limits = functions.iter().zip(&agreed).map(|(&function, agreed)| {
        move |id: ValueId, value: &Value| {
            let own = agreed.contains(&id).then_some(Divergence::Grid);
            own.into_iter().chain(limit(function, value)).min()
        }
    });
    let limits: Vec<_> = limits.collect();
    let environments: Vec<Environment> =
        limits.iter().map(|limit| Environment { builtin, summary, limit }).collect();
    let mut context = Context {
        db,
        convergent,
        builtins: builtins.clone(),
        model,
        functions: Vec::new(),
        calls: FxHashMap::default(),
        numbers: suspects.functions.iter().enumerate().map(|(number, it)| (it.at, number)).collect(),
    };
    for ((number, it), environment) in suspects.functions.iter().enumerate().zip(&environments) {
        let function = it.facts.function;
        let mut operations = Vec::new();
        for (block, value, call) in calls(function) {
            if let Some(callee) = facts.defined(&call.callee) {
                context.calls.entry(callee).or_default().push((number, block, value));
            }
            if let Some(own) = call.call {
                operations.extend(operation(facts, Target::of(&call.callee), (block, value), own));
            }
        }
        context.functions.push(Known {
            function,
            analysis: LazyCell::new(Box::new(move || {
                Analysis::of(function, Shape::of(function), environment)
            })),
            operations,
            at: it.at,
            definition: it.definition,
            body: &bodies(db, it.definition.item.scoped.item(db)).0[it.definition.body as usize],
            suspect: it.suspect,
        });
    }
    then(&context);
}

/// How divergent the user says that a value is at most.
fn limit(asserted: &Assertions, function: &Function, value: &Value) -> Option<Divergence> {
    if asserted.is_empty() {
        return None;
    }
    let own = value.name.and_then(|name| asserted.get(function.key.name, Asserted::Variable(name)));
    let result = match &value.op {
        Op::Call(call) => call.callee.name().and_then(|name| asserted.get(name, Asserted::Result)),
        _ => None,
    };
    own.into_iter().chain(result).map(|assertion| Divergence::uniform_in(assertion.scope)).min()
}

/// The calls of a function, in the order of its blocks.
pub(super) fn calls(function: &Function) -> impl Iterator<Item = (BlockId, ValueId, &crate::flow::Call)> {
    function.blocks.iter_enumerated().flat_map(move |(id, block)| {
        block.values.iter().filter_map(move |&value| match &function.values[value].op {
            Op::Call(call) => Some((id, value, call)),
            _ => None,
        })
    })
}

/// The operation that a call is. None: it is not convergent, or a call through a pointer, of which nothing is known.
fn operation(
    facts: &UnitFacts,
    target: Target,
    (block, value): (BlockId, ValueId),
    call: CallId,
) -> Option<Operation> {
    let name = target.name()?;
    let (function, runs) = match facts.convergent().call(target)? {
        Called::Operation(_, Scope::None) | Called::Pointer => return None,
        Called::Operation(name, scope) => (None, Runs::operation(name, scope)),
        Called::Function(key) => {
            let at = facts.functions().of_key(key)?;
            (Some(at), facts.runs(at))
        }
    };
    Some(Operation { value, block, call, target, name, function, runs })
}

impl<'a> Context<'a> {
    /// The functions that rules look at, with their numbers.
    pub fn suspects(&self) -> impl Iterator<Item = (usize, &Known<'a>)> {
        self.functions.iter().enumerate().filter(|(_, known)| known.suspect)
    }

    /// What words are made from, for a function.
    pub fn subject<'b>(&'b self, known: &'b Known) -> Subject<'b> {
        let at = &known.definition.item;
        let item = at.scoped.item(self.db);
        let locator = Locator::new(self.db, &at.chunk, at.first, item.tokens(self.db).0.tokens().len());
        Subject {
            db: self.db,
            item,
            scoped: at.scoped,
            model: self.model,
            convergent: self.convergent,
            locator,
        }
    }

    /// The row of the table for an operation that is a builtin.
    pub fn builtin(&self, operation: &Operation) -> Option<&Builtin> {
        if operation.function.is_some() { None } else { self.builtins.get(operation.name) }
    }

    /// The calls of a function: the number of the caller, the block, and the call.
    pub fn calls_of(&self, at: DefinitionId) -> &[(usize, BlockId, ValueId)] {
        self.calls.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The function that an operation calls, if it is one of these.
    pub fn called(&self, operation: &Operation) -> Option<&Known<'a>> {
        Some(&self.functions[*self.numbers.get(&operation.function?)?])
    }

    /// Whom to blame for a fact of the function with this number: none, if all threads of a group of the scope agree.
    pub fn blame(&self, number: usize, subject: cause::Subject, fact: Fact, scope: Scope) -> Option<Blame> {
        let own = &self.functions[number].analysis;
        if fact.divergence.within(scope) {
            let chain = cause::chain(own, subject, Question::Within(scope));
            return Some(Blame { chain, calls: Vec::new(), passed: Vec::new() });
        }
        // Breadth first over the parameters on which it depends, and those of callers on which these depend.
        let mut seen: FxHashSet<(usize, u32)> = FxHashSet::default();
        let mut steps: Vec<Step> = Vec::new();
        let count = |number: usize| self.functions[number].function.parameters.len() as u32;
        for parameter in (0..count(number)).filter(|&it| depends(fact, it)) {
            seen.insert((number, parameter));
            steps.push(Step { at: number, parameter, fact, before: None });
        }
        let mut next = 0;
        while next < steps.len() {
            let Step { at, parameter, fact: depends_on, .. } = steps[next];
            for &(caller, _, call) in self.calls_of(self.functions[at].at) {
                let it = &self.functions[caller];
                let Op::Call(passed) = &it.function.values[call].op else { continue };
                let Some(&(argument, _)) = passed.arguments.get(parameter as usize) else { continue };
                let mut fact = Fact::UNIFORM;
                if depends_on.values.contains(parameter as usize) {
                    fact.add(it.analysis.values[argument]);
                }
                if depends_on.pointees.contains(parameter as usize) {
                    fact.add(it.analysis.read(argument));
                }
                if fact.divergence.within(scope) {
                    let (calls, first) = way(&steps, next, (caller, call));
                    let chain = cause::chain(own, subject, Question::Parameter(first));
                    let of_value = cause::Subject::Value(argument);
                    let passed = cause::chain(&it.analysis, of_value, Question::Within(scope));
                    return Some(Blame { chain, calls, passed });
                }
                for parameter in (0..count(caller)).filter(|&it| depends(fact, it)) {
                    if seen.insert((caller, parameter)) {
                        steps.push(Step { at: caller, parameter, fact, before: Some((next, call)) });
                    }
                }
            }
            next += 1;
        }
        None
    }
}

/// The calls of a way whose last step is known, from the outset outwards, and the parameter with which it began.
fn way(steps: &[Step], last: usize, outermost: (usize, ValueId)) -> (Vec<(usize, ValueId)>, u32) {
    let mut calls = vec![outermost];
    let mut at = last;
    while let Some((before, call)) = steps[at].before {
        calls.push((steps[at].at, call));
        at = before;
    }
    calls.reverse();
    (calls, steps[at].parameter)
}

impl Known<'_> {
    pub fn body(&self) -> &Body {
        self.body
    }

    /// The callee of an operation as it is written.
    pub fn span(&self, operation: &Operation) -> Span {
        self.body().calls[operation.call].span
    }
}
