//! Whom to blame for a verdict, over the calls of a unit.
//!
//! **Blame**: why threads of a group disagree: something in their own function, or what some caller passes. It is two chains of causes
//! ([`cause`]), and the calls between them.
//!
//! ```c
//! void sync_if(int n) { if (n) barrier(1); }                    // the barrier: to blame is the parameter `n` …
//! kernel void k(void) { sync_if(get_local_id(0) & 1); }         // … which differs in this call
//! ```
//!
//! The nearest caller that passes what differs is found by going breadth first over the parameters on which the verdict depends, and those
//! of callers on which these depend. A function is analysed with its causes when the way comes to it: of most callers that is never.

use std::cell::LazyCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{Analysis, Assumed, Contribution, Environment, Reason};
use super::cause::{self, Given, Link, Question, Subject, Why};
use super::context::Surroundings;
use super::unit::UnitFacts;
use super::versions::{Held, Made};
use super::{Fact, Input, Inputs};
use tangle_grammar::symbol::Symbol;

use crate::flow::shape::Shape;
use crate::flow::{Block, BlockId, Call, Callee, Function, Op, Passing, Terminator, Value, ValueId};
use crate::program::DefinitionId;
use tangle_syntax::dialect::Scope;

/// Why part of a group does not reach an operation, or brings another value.
pub struct Blame {
    /// In the function of the operation.
    pub chain: Vec<Link>,
    /// The calls through which it comes from a caller, each with its caller, from the operation's function outwards.
    pub calls: Vec<(DefinitionId, ValueId)>,
    /// In the outermost of these callers.
    pub passed: Vec<Link>,
    /// In functions that are called where the chain before ends: what they yield, or write, differs for reasons of their own.
    pub inside: Vec<(DefinitionId, Vec<Link>)>,
}

/// A call of a function by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub caller: DefinitionId,
    pub block: BlockId,
    pub value: ValueId,
}

/// Functions of a unit with the causes of their verdicts.
pub struct Explained<'a> {
    functions: FxHashMap<DefinitionId, Known<'a>>,
    /// Whom calls call.
    callees: FxHashMap<(DefinitionId, ValueId), DefinitionId>,
    calls: FxHashMap<DefinitionId, Vec<CallSite>>,
}

struct Known<'a> {
    function: &'a Function,
    analysis: LazyAnalysis<'a>,
}

/// Made when it is first looked at.
pub type LazyAnalysis<'a> = LazyCell<Analysis<'a>, Box<dyn FnOnce() -> Analysis<'a> + 'a>>;

/// So many calls deep a chain goes on.
const DEEPEST: usize = 8;

/// Calls `then` with some functions of a unit, each with its facts.
pub fn explained<R>(
    facts: &UnitFacts,
    functions: &[(DefinitionId, &Function)],
    then: impl FnOnce(&Explained) -> R,
) -> R {
    let surroundings = functions
        .iter()
        .map(|&(at, _)| LazyCell::new(move || facts.surroundings(at).expect("a function with facts").1));
    let surroundings: Vec<LazyCell<Surroundings, _>> = surroundings.collect();
    let builtins = facts.builtins();
    let implied = |name: Symbol| builtins.conventions().implied(name);
    let asked = surroundings.iter().map(|it| {
        let builtin = move |callee: &Callee| it.builtin(callee);
        let summary = move |callee: &Callee| it.summary(callee).cloned();
        let limit = move |value: &Value| it.limit(value);
        let agreed = move |id: ValueId| it.agreed.contains(&id);
        (builtin, summary, limit, agreed)
    });
    let asked: Vec<_> = asked.collect();
    let environments =
        asked.iter().zip(functions).map(|((builtin, summary, limit, agreed), &(at, _))| Environment {
            builtin,
            summary,
            limit,
            agreed,
            implied: &implied,
            assumed: Assumed::default(),
            launch: facts.launch(at),
        });
    let environments: Vec<Environment> = environments.collect();
    let mut explained = Explained {
        functions: FxHashMap::default(),
        callees: FxHashMap::default(),
        calls: FxHashMap::default(),
    };
    for (&(at, function), environment) in functions.iter().zip(&environments) {
        for (block, value, call) in calls(function) {
            if let Some(callee) = facts.defined(&call.callee) {
                let site = CallSite { caller: at, block, value };
                explained.calls.entry(callee).or_default().push(site);
                explained.callees.insert((at, value), callee);
            }
        }
        let analysis =
            LazyCell::new(
                Box::new(move || Analysis::of(function, Shape::of(function), environment)) as Box<_>
            );
        explained.functions.insert(at, Known { function, analysis });
    }
    then(&explained)
}

/// The calls of a function, in the order of its blocks.
pub fn calls(function: &Function) -> impl Iterator<Item = (BlockId, ValueId, &Call)> {
    function.blocks.iter_enumerated().flat_map(move |(id, block)| {
        block.values.iter().filter_map(move |&value| match &function.values[value].op {
            Op::Call(call) => Some((id, value, call)),
            _ => None,
        })
    })
}

/// A step from a function to a caller, along which a parameter decides.
struct Step {
    /// The function that the way has come to.
    at: DefinitionId,
    /// The parameter of that function, and how it counts.
    parameter: u32,
    given: Given,
    /// The step before, and the call through which this one came. None: it begins here.
    before: Option<(usize, ValueId)>,
}

impl<'a> Explained<'a> {
    /// The analysis of one of the functions.
    pub fn analysis(&self, at: DefinitionId) -> &LazyAnalysis<'a> {
        &self.functions[&at].analysis
    }

    /// The calls of a function by these functions.
    pub fn calls_of(&self, at: DefinitionId) -> &[CallSite] {
        self.calls.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The blame that a chain in one of the functions is.
    pub fn blame_of(&self, at: DefinitionId, chain: Vec<Link>, scope: Scope) -> Blame {
        let inside = self.inside(at, &chain, scope);
        Blame { chain, calls: Vec::new(), passed: Vec::new(), inside }
    }

    /// Goes on into the functions that are called where a chain ends.
    fn inside(&self, at: DefinitionId, chain: &[Link], scope: Scope) -> Vec<(DefinitionId, Vec<Link>)> {
        let mut inside: Vec<(DefinitionId, Vec<Link>)> = Vec::new();
        let mut next = self.called(at, chain, scope);
        while let Some((callee, chain)) = next {
            // Functions that call themselves give no further reason.
            if inside.len() == DEEPEST || inside.iter().any(|(known, _)| *known == callee) {
                break;
            }
            next = self.called(callee, &chain, scope);
            inside.push((callee, chain));
        }
        // What a parameter of the last one points to is what the first one is passed.
        if let (Some(Link { reason: source @ Why::Reason(Reason::Source(_)), .. }), Some((_, last))) =
            (chain.last(), inside.last_mut())
            && let Some(Link { reason: reason @ Why::Reason(Reason::Pointee(_)), .. }) = last.last_mut()
        {
            *reason = *source;
        }
        inside
    }

    /// The function with whose call a chain ends, and why what it yields or writes differs: for a reason of its own, or because others may write what
    /// it reads behind a pointer that it is passed.
    fn called(&self, at: DefinitionId, chain: &[Link], scope: Scope) -> Option<(DefinitionId, Vec<Link>)> {
        let Link { subject, reason: Why::Reason(reason) } = *chain.last()? else { return None };
        let call = match subject {
            Subject::Value(value) => value,
            Subject::Held(Held { made: Made::Write(by), .. }) => by,
            _ => return None,
        };
        let callee = *self.callees.get(&(at, call))?;
        let caller = self.analysis(at);
        let analysis = &*self.functions.get(&callee)?.analysis;
        match reason {
            Reason::Callee => {
                let question = Question::Within(scope);
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
                    [Given::Pointee, Given::Shared, Given::Private].into_iter().find_map(|given| {
                        let question = Question::Parameter(number, given);
                        let subject = yielded(caller, analysis, subject, question)?;
                        Some((callee, cause::chain(analysis, subject, question)))
                    })
                };
                (0..).zip(arguments).filter(is_read).find_map(of_argument)
            }
            _ => None,
        }
    }

    /// Whom to blame for a fact of one of the functions: none, if all threads of a group of the scope agree.
    pub fn blame(&self, at: DefinitionId, subject: Subject, fact: Fact, scope: Scope) -> Option<Blame> {
        let own = self.analysis(at);
        if fact.divergence.within(scope) {
            let chain = cause::chain(own, subject, Question::Within(scope));
            return Some(self.blame_of(at, chain, scope));
        }
        let mut seen: FxHashSet<(DefinitionId, u32, Given)> = FxHashSet::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut add =
            |steps: &mut Vec<Step>, at: DefinitionId, fact: Fact, before: Option<(usize, ValueId)>| {
                let Known { function, analysis } = &self.functions[&at];
                let parts = if fact.pointees.is_empty() { 0 } else { analysis.inputs().parts.len() };
                for parameter in 0..(function.parameters.len() + parts) as u32 {
                    for given in Given::ALL {
                        if given.decides(fact, parameter) && seen.insert((at, parameter, given)) {
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
                Given::Pointee => self.functions[&at].analysis.inputs(),
                _ => Inputs::default(),
            };
            let input = inputs.get(parameter as usize);
            let number = input.map_or(parameter, |input| input.parameter);
            for &CallSite { caller, value: call, .. } in self.calls_of(at) {
                let Known { function, analysis } = &self.functions[&caller];
                let Op::Call(passed) = &function.values[call].op else { continue };
                let Some(&(argument, _)) = passed.arguments.get(number as usize) else { continue };
                let fact = match given {
                    Given::Value => analysis.values[argument],
                    Given::Pointee if function.values[argument].ty.as_pointer().is_none() => {
                        analysis.values[argument]
                    }
                    Given::Pointee => match input {
                        Some(input) => analysis.read_input(call, argument, input),
                        None => analysis.read(call, argument),
                    },
                    Given::Shared => analysis.sharing(argument),
                    Given::Private => analysis.privacy(argument),
                };
                if fact.divergence.within(scope) {
                    let (calls, first) = way(&steps, next, (caller, call));
                    let chain = cause::chain(own, subject, first);
                    let passed = why_passed(analysis, (call, argument, input), given, scope);
                    let inside = self.inside(caller, &passed, scope);
                    return Some(Blame { chain, calls, passed, inside });
                }
                add(&mut steps, caller, fact, Some((next, call)));
            }
            next += 1;
        }
        None
    }
}

/// What a callee yields, or writes where a version of its caller is made, that a question is about.
fn yielded(caller: &Analysis, callee: &Analysis, subject: Subject, question: Question) -> Option<Subject> {
    if let Subject::Held(held) = subject {
        let mut left = caller.written_through(held.version).flat_map(|number| callee.left_behind(number));
        return Some(Subject::Held(left.find(|(_, fact)| question.holds(*fact))?.0));
    }
    let blocks = callee.function.blocks.iter_enumerated();
    let returns = blocks.filter(|(_, block)| matches!(block.terminator, Terminator::Return(_)));
    let value = |block: &Block| block.terminator.operand().filter(|&it| question.holds(callee.values[it]));
    let of_value = returns.clone().find_map(|(_, block)| value(block)).map(Subject::Value);
    let mut of_control = returns.map(|(id, _)| id).filter(|&id| question.holds(callee.control[id]));
    of_value.or_else(|| of_control.next().map(Subject::Control))
}

/// Why what is passed in a call differs: itself, what it points to, or because others may write there.
fn why_passed(
    analysis: &Analysis,
    (call, argument, input): (ValueId, ValueId, Option<&Input>),
    given: Given,
    scope: Scope,
) -> Vec<Link> {
    let chain = |subject| cause::chain(analysis, subject, Question::Within(scope));
    let mut link = None;
    let mut found = |contribution: Contribution, fact: Fact| {
        if let Contribution::Reason(reason @ Reason::Source(_)) = contribution
            && fact.divergence.within(scope)
        {
            link = Some(Link { subject: Subject::Value(argument), reason: Why::Reason(reason) });
        }
    };
    match given {
        Given::Value => return chain(Subject::Value(argument)),
        Given::Pointee if analysis.function.values[argument].ty.as_pointer().is_none() => {
            return chain(Subject::Value(argument));
        }
        Given::Pointee => {
            let mut behind =
                analysis.held_at(call, argument, input).filter(|(_, fact)| fact.divergence.within(scope));
            if let Some((held, _)) = behind.next() {
                return chain(Subject::Held(held));
            }
            analysis.of_memory(call, argument, &mut found);
        }
        Given::Shared => analysis.of_sharing(argument, &mut found),
        Given::Private => analysis.of_privacy(argument, &mut found),
    }
    link.into_iter().collect()
}

/// The calls of a way whose last step is known, from the outset outwards, and the question about the parameter with which it began.
fn way(
    steps: &[Step],
    last: usize,
    outermost: (DefinitionId, ValueId),
) -> (Vec<(DefinitionId, ValueId)>, Question) {
    let mut calls = vec![outermost];
    let mut at = last;
    while let Some((before, call)) = steps[at].before {
        calls.push((steps[at].at, call));
        at = before;
    }
    calls.reverse();
    (calls, Question::Parameter(steps[at].parameter, steps[at].given))
}
