//! The causes of a divergent verdict, across the calls of a unit.
//!
//! **Blame**: the cause of divergence: an operation of the function itself, or a divergent argument at some call site.
//! It consists of two chains of causes ([`cause`]), and the calls between them.
//!
//! ```c
//! void sync_if(int n) { if (n) barrier(1); }                    // the barrier depends on the parameter `n` …
//! kernel void k(void) { sync_if(get_local_id(0) & 1); }         // … and its argument is divergent in this call
//! ```
//!
//! A breadth-first search finds the nearest caller with a divergent argument. It begins at the parameters that the
//! verdict depends on, and continues to the parameters of callers that the arguments depend on. The analysis
//! of a function is needed only when the search reaches it. It never reaches most callers.

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{Analysis, Contribution, Environment, Reason, UnknownAssumption};
use super::cause::{self, ArgumentProperty, Link, LinkReason, Question, Subject};
use super::unit::{AnalysedFunction, FunctionInContext};
use super::versions::{VersionOrigin, VersionRef};
use super::{Confidence, Fact, ParameterRange, ParameterRanges};
use tangle_grammar::symbol::Symbol;

use crate::flow::{Block, BlockId, Call, Callee, Function, Op, Passing, Terminator, Value, ValueId};
use crate::program::DefinitionId;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;
use tangle_syntax::source::Settings;

/// The reason why part of a group does not reach an operation, or has a different value there.
pub struct CauseAcrossCalls {
    /// How sure it is that threads diverge: each step of the chains has at least this confidence.
    pub confidence: Confidence,
    /// The chain in the function of the operation.
    pub chain: Vec<Link>,
    /// The calls that pass the divergent argument, each with its caller, from the function of the operation outwards.
    pub calls: Vec<(DefinitionId, ValueId)>,
    /// The chain of the argument in the outermost of these callers.
    pub argument_chain: Vec<Link>,
    /// The chains in callees: each explains the result or write of the call at the end of the previous chain.
    pub callee_chains: Vec<(DefinitionId, Vec<Link>)>,
}

/// A call of a function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub caller: DefinitionId,
    pub block: BlockId,
    pub value: ValueId,
}

/// Functions of a unit with the causes of their verdicts.
pub struct AnalysedFunctions<'a> {
    functions: FxHashMap<DefinitionId, LazyFunction<'a>>,
    /// The callee of each call.
    callees: FxHashMap<(DefinitionId, ValueId), DefinitionId>,
    calls: FxHashMap<DefinitionId, Vec<CallSite>>,
}

struct LazyFunction<'a> {
    function: &'a Function,
    analysis: LazyAnalysis<'a>,
}

/// The analysis of a function, taken from its facts on first use.
pub type LazyAnalysis<'a> = LazyCell<Analysis<'a>, Box<dyn FnOnce() -> Analysis<'a> + 'a>>;

/// The maximum number of nested callees that a chain is followed into.
const DEEPEST: usize = 8;

/// Calls `then` with some functions of a unit, each with its facts. `defined`: the function of the unit that a call runs,
/// if types determine it.
pub fn explained<'db, R>(
    db: &'db dyn Db,
    settings: Settings,
    functions: &[(DefinitionId, &'db Function, FunctionInContext<'db>)],
    defined: &dyn Fn(&Callee) -> Option<DefinitionId>,
    then: impl FnOnce(&AnalysedFunctions) -> R,
) -> R {
    let analysed = functions
        .iter()
        .map(|&(_, _, it)| LazyCell::new(move || it.analysed(db, settings).expect("a function with facts")));
    let analysed: Vec<LazyCell<AnalysedFunction, _>> = analysed.collect();
    let builtins = settings.builtins(db);
    let implied = |name: Symbol| builtins.conventions().implied(name);
    let asked = analysed.iter().map(|it| {
        let builtin = move |callee: &Callee| it.inputs.builtin(callee);
        let summary = move |callee: &Callee| it.inputs.summary(callee).cloned();
        let limit = move |value: &Value| it.inputs.asserted_divergence(value);
        (builtin, summary, limit)
    });
    let asked: Vec<_> = asked.collect();
    let environments =
        asked.iter().zip(functions).map(|((builtin, summary, limit), &(_, _, it))| Environment {
            builtin,
            summary,
            limit,
            implied: &implied,
            assumed: UnknownAssumption::default(),
            launch: it.context.launch(db),
        });
    let environments: Vec<Environment> = environments.collect();
    let mut explained = AnalysedFunctions {
        functions: FxHashMap::default(),
        callees: FxHashMap::default(),
        calls: FxHashMap::default(),
    };
    for ((&(at, function, _), environment), analysed) in functions.iter().zip(&environments).zip(&analysed) {
        for (block, value, call) in calls(function) {
            if let Some(callee) = defined(&call.callee) {
                let site = CallSite { caller: at, block, value };
                explained.calls.entry(callee).or_default().push(site);
                explained.callees.insert((at, value), callee);
            }
        }
        let analysis = move || Analysis::resumed(function, environment, &analysed.analysis);
        let analysis = LazyCell::new(Box::new(analysis) as Box<_>);
        explained.functions.insert(at, LazyFunction { function, analysis });
    }
    then(&explained)
}

/// Returns the calls of a function, in the order of its blocks.
pub fn calls(function: &Function) -> impl Iterator<Item = (BlockId, ValueId, &Call)> {
    function.blocks.iter_enumerated().flat_map(move |(id, block)| {
        block.values.iter().filter_map(move |&value| match &function.values[value].op {
            Op::Call(call) => Some((id, value, call)),
            _ => None,
        })
    })
}

/// A node of the search: a parameter that the verdict depends on.
struct Step {
    /// The function.
    at: DefinitionId,
    /// The parameter of that function.
    parameter: u32,
    /// The property of the argument that the verdict depends on.
    given: ArgumentProperty,
    /// The previous step, and the call that connects the two. None for the start of the search.
    before: Option<(usize, ValueId)>,
}

impl<'a> AnalysedFunctions<'a> {
    /// Returns the analysis of one of the functions.
    pub fn analysis(&self, at: DefinitionId) -> &LazyAnalysis<'a> {
        &self.functions[&at].analysis
    }

    /// Returns the call sites of a function in these functions.
    pub fn calls_of(&self, at: DefinitionId) -> &[CallSite] {
        self.calls.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns the blame for a chain in one of the functions, continued into callees.
    pub fn blame_of(
        &self,
        at: DefinitionId,
        chain: Vec<Link>,
        scope: Scope,
        confidence: Confidence,
    ) -> CauseAcrossCalls {
        let callee_chains = self.inside(at, &chain, (scope, confidence));
        CauseAcrossCalls { confidence, chain, calls: Vec::new(), argument_chain: Vec::new(), callee_chains }
    }

    /// Continues a chain into the callees of the calls at which it ends.
    fn inside(
        &self,
        at: DefinitionId,
        chain: &[Link],
        within: (Scope, Confidence),
    ) -> Vec<(DefinitionId, Vec<Link>)> {
        let mut inside: Vec<(DefinitionId, Vec<Link>)> = Vec::new();
        let mut next = self.called(at, chain, within);
        while let Some((callee, chain)) = next {
            // A callee that is already in the list gives no further reason.
            if inside.len() == DEEPEST || inside.iter().any(|(known, _)| *known == callee) {
                break;
            }
            next = self.called(callee, &chain, within);
            inside.push((callee, chain));
        }
        // The last chain ends at the target of a parameter: the memory at which the first chain ends. Use its source.
        if let (Some(Link { reason: source @ LinkReason::Reason(Reason::Source(_)), .. }), Some((_, last))) =
            (chain.last(), inside.last_mut())
            && let Some(Link { reason: reason @ LinkReason::Reason(Reason::Pointee(_)), .. }) =
                last.last_mut()
        {
            *reason = *source;
        }
        inside
    }

    /// Returns the callee of the call at which a chain ends, and the chain inside it. That chain explains the result or
    /// the write of the call. It ends at a cause in the callee, or where the callee reads the target of an argument
    /// that other threads may write.
    fn called(
        &self,
        at: DefinitionId,
        chain: &[Link],
        (scope, confidence): (Scope, Confidence),
    ) -> Option<(DefinitionId, Vec<Link>)> {
        let Link { subject, reason: LinkReason::Reason(reason) } = *chain.last()? else { return None };
        let call = match subject {
            Subject::Value(value) => value,
            Subject::Held(VersionRef { made: VersionOrigin::Write(by), .. }) => by,
            _ => return None,
        };
        let callee = *self.callees.get(&(at, call))?;
        let caller = self.analysis(at);
        let analysis = &*self.functions.get(&callee)?.analysis;
        match reason {
            Reason::Callee => {
                let question = Question::Within(scope, confidence);
                let subject = yielded(caller, analysis, subject, question)?;
                Some((callee, cause::chain(analysis, subject, question)))
            }
            Reason::Source(_) | Reason::Pointee(_) => {
                let Op::Call(Call { arguments, .. }) = &caller.function.values[call].op else { return None };
                let is_read = |&(_, &(argument, _)): &(u32, &(ValueId, Passing))| {
                    let mut is_read = false;
                    caller.of_memory(call, argument, &mut |contribution, _| {
                        is_read |= contribution == reason.into();
                    });
                    is_read
                };
                let of_argument = |(number, _)| {
                    [ArgumentProperty::Pointee, ArgumentProperty::Shared, ArgumentProperty::Private]
                        .into_iter()
                        .find_map(|given| {
                            let question = Question::Parameter(number, given, confidence);
                            let subject = yielded(caller, analysis, subject, question)?;
                            Some((callee, cause::chain(analysis, subject, question)))
                        })
                };
                (0..).zip(arguments).filter(is_read).find_map(of_argument)
            }
            _ => None,
        }
    }

    /// Returns the blame for a fact of one of the functions, at the greatest confidence for which there is one. None if
    /// the fact is uniform in each group of the scope.
    pub fn blame(
        &self,
        at: DefinitionId,
        subject: Subject,
        fact: Fact,
        scope: Scope,
    ) -> Option<CauseAcrossCalls> {
        let mut all = Confidence::ALL.into_iter();
        all.find_map(|confidence| self.blame_at(at, subject, fact, (scope, confidence)))
    }

    /// The same for one confidence.
    fn blame_at(
        &self,
        at: DefinitionId,
        subject: Subject,
        fact: Fact,
        (scope, confidence): (Scope, Confidence),
    ) -> Option<CauseAcrossCalls> {
        let own = self.analysis(at);
        let within = Question::Within(scope, confidence);
        if within.holds(fact) {
            return Some(self.blame_of(at, cause::chain(own, subject, within), scope, confidence));
        }
        let mut seen: FxHashSet<(DefinitionId, u32, ArgumentProperty)> = FxHashSet::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut add =
            |steps: &mut Vec<Step>, at: DefinitionId, fact: Fact, before: Option<(usize, ValueId)>| {
                if !fact.depends_on_caller() {
                    return;
                }
                let LazyFunction { function, analysis, .. } = &self.functions[&at];
                let parts = if fact.pointees.is_empty() { 0 } else { analysis.inputs().ranges.len() };
                for parameter in 0..(function.parameters.len() + parts) as u32 {
                    for given in ArgumentProperty::ALL {
                        if given.decides(fact, parameter, confidence) && seen.insert((at, parameter, given)) {
                            steps.push(Step { at, parameter, given, before });
                        }
                    }
                }
            };
        add(&mut steps, at, fact, None);
        let mut next = 0;
        while next < steps.len() {
            let Step { at, parameter, given, .. } = steps[next];
            let inputs = match given {
                ArgumentProperty::Pointee => self.functions[&at].analysis.inputs(),
                _ => ParameterRanges::default(),
            };
            let input = inputs.get(parameter as usize);
            let number = input.map_or(parameter, |input| input.parameter);
            for &CallSite { caller, value: call, .. } in self.calls_of(at) {
                let LazyFunction { function, analysis, .. } = &self.functions[&caller];
                let Op::Call(passed) = &function.values[call].op else { continue };
                let Some(&(argument, _)) = passed.arguments.get(number as usize) else { continue };
                let fact = match given {
                    ArgumentProperty::Value => analysis.state.values[argument],
                    ArgumentProperty::Pointee if function.values[argument].ty.as_pointer().is_none() => {
                        analysis.state.values[argument]
                    }
                    ArgumentProperty::Pointee => match input {
                        Some(input) => analysis.read_input(call, argument, input),
                        None => analysis.read(call, argument),
                    },
                    ArgumentProperty::Shared => analysis.sharing(argument),
                    ArgumentProperty::Private => analysis.privacy(argument),
                };
                if within.holds(fact) {
                    let (calls, (first, of_first)) = way(&steps, next, (caller, call));
                    let chain = cause::chain(own, subject, Question::Parameter(first, of_first, confidence));
                    let passed = why_passed(analysis, (call, argument, input), given, within);
                    let callee_chains = self.inside(caller, &passed, (scope, confidence));
                    return Some(CauseAcrossCalls {
                        confidence,
                        chain,
                        calls,
                        argument_chain: passed,
                        callee_chains,
                    });
                }
                add(&mut steps, caller, fact, Some((next, call)));
            }
            next += 1;
        }
        None
    }
}

/// Continues a question about the result of a call inside the callee. Returns the subject there that answers it: the
/// returned value, or the control of a `return`. If the question is about a memory version of the caller, returns the
/// version that the callee leaves in the pointee of a parameter.
fn yielded(caller: &Analysis, callee: &Analysis, subject: Subject, question: Question) -> Option<Subject> {
    if let Subject::Held(held) = subject {
        let mut left =
            caller.written_through(held.version).flat_map(|number| callee.versions_on_return(number));
        return Some(Subject::Held(left.find(|(_, fact)| question.holds(*fact))?.0));
    }
    let blocks = callee.function.blocks.iter_enumerated();
    let returns = blocks.filter(|(_, block)| matches!(block.terminator, Terminator::Return(_)));
    let value =
        |block: &Block| block.terminator.operand().filter(|&it| question.holds(callee.state.values[it]));
    let of_value = returns.clone().find_map(|(_, block)| value(block)).map(Subject::Value);
    let mut of_control = returns.map(|(id, _)| id).filter(|&id| question.holds(callee.state.control[id]));
    of_value.or_else(|| of_control.next().map(Subject::Control))
}

/// Returns the chain for a divergent argument of a call: for the property `given` of the argument.
fn why_passed(
    analysis: &Analysis,
    (call, argument, input): (ValueId, ValueId, Option<&ParameterRange>),
    given: ArgumentProperty,
    question: Question,
) -> Vec<Link> {
    let chain = |subject| cause::chain(analysis, subject, question);
    let mut link = None;
    let mut found = |contribution: Contribution, fact: Fact| {
        if let Contribution::Reason(reason @ Reason::Source(_)) = contribution
            && question.holds(fact)
        {
            link = Some(Link { subject: Subject::Value(argument), reason: LinkReason::Reason(reason) });
        }
    };
    match given {
        ArgumentProperty::Value => return chain(Subject::Value(argument)),
        ArgumentProperty::Pointee if analysis.function.values[argument].ty.as_pointer().is_none() => {
            return chain(Subject::Value(argument));
        }
        ArgumentProperty::Pointee => {
            let mut after = analysis.held_at(call, argument, input).filter(|(_, fact)| question.holds(*fact));
            if let Some((held, _)) = after.next() {
                return chain(Subject::Held(held));
            }
            analysis.of_memory(call, argument, &mut found);
        }
        ArgumentProperty::Shared => analysis.of_sharing(argument, &mut found),
        ArgumentProperty::Private => analysis.of_privacy(argument, &mut found),
    }
    link.into_iter().collect()
}

/// Returns the calls from the start of the search to its last step and `outermost`, and the parameter of the first step
/// with its property.
fn way(
    steps: &[Step],
    last: usize,
    outermost: (DefinitionId, ValueId),
) -> (Vec<(DefinitionId, ValueId)>, (u32, ArgumentProperty)) {
    let mut calls = vec![outermost];
    let mut at = last;
    while let Some((before, call)) = steps[at].before {
        calls.push((steps[at].at, call));
        at = before;
    }
    calls.reverse();
    (calls, (steps[at].parameter, steps[at].given))
}
