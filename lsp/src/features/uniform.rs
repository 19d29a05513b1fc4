//! Whether an expression, a variable or a branch is uniform, and the cause if it is divergent.

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_analysis::flow::{BlockId, Function, Op, ValueId};
use tangle_analysis::program::FunctionId;
use tangle_analysis::tangle::DoubtId;
use tangle_analysis::uniformity::analysis::Analysis;
use tangle_analysis::uniformity::cause::Subject;
use tangle_analysis::uniformity::graph::is_branch;
use tangle_analysis::uniformity::jumps::{settled_calls, settled_doubts};
use tangle_analysis::uniformity::unit::{SharedFacts, facts_of_file};
use tangle_analysis::uniformity::{Divergence, Fact};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_hir::body::{Body, CallId};
use tangle_hir::resolve::Entity;
use tangle_rules::wording::uniformity as uniformity_texts;
use tangle_syntax::dialect::{Scope, Vocabulary};

use super::cause;
use super::position::{BodyLookup, ItemAt, TokenAt};
use crate::snapshot::View;

/// Returns the facts of all functions in the document.
pub fn of_document<'a>(view: View<'a>) -> &'a FxHashMap<FunctionId<'a>, SharedFacts> {
    facts_of_file(view.db, view.root, view.analysis.settings, view.file)
}

/// The verdicts on the variables and branches of a function.
#[derive(Default)]
pub struct Verdicts {
    names: FxHashMap<Symbol, VariableVerdict>,
    branches: Vec<(Span, Divergence)>,
}

/// The divergence of a variable in its own function, and whether callers can increase it.
#[derive(Clone, Copy, Default)]
struct VariableVerdict {
    divergence: Divergence,
    open: bool,
}

impl Verdicts {
    /// Returns the verdicts on a function, or `None` if the function has no facts.
    pub fn of(item: &ItemAt, body: BodyLookup) -> Option<Verdicts> {
        item.analysed(body, |analysis| {
            Verdicts::read(analysis.function, &analysis.state.values, &analysis.state.branches)
        })
    }

    /// Returns the same from the result of [`of_document`], for callers that need the verdicts of many functions.
    pub fn among<'a>(
        known: &FxHashMap<FunctionId<'a>, SharedFacts>,
        item: &ItemAt<'a>,
        body: BodyLookup,
    ) -> Option<Verdicts> {
        let SharedFacts { function, uniformity } = known.get(&item.function_id(body)?)?;
        Some(Verdicts::read(function, &uniformity.values, &uniformity.branches))
    }

    fn read(
        function: &Function,
        values: &IndexVec<ValueId, Fact>,
        branching: &IndexVec<BlockId, Fact>,
    ) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for (id, value) in function.values.iter_enumerated() {
            let name = match value.op {
                Op::Parameter(number) => function.parameters.get(number as usize).and_then(|it| it.name),
                _ => value.name,
            };
            if let Some(name) = name {
                let known = verdicts.names.entry(name).or_default();
                let fact = values[id];
                known.divergence = known.divergence.max(fact.divergence);
                known.open |= is_open(function, fact);
            }
        }
        let branches = function.blocks.iter_enumerated().filter(|(id, _)| is_branch(function, *id));
        verdicts.branches = branches.map(|(id, block)| (block.end, branching[id].divergence)).collect();
        verdicts
    }

    /// Returns whether a variable is divergent in the work-group; `None` if this is unknown or depends on the callers.
    pub fn is_divergent(&self, name: Symbol) -> Option<bool> {
        let known = self.names.get(&name)?;
        match known.divergence.within(Scope::Workgroup) {
            true => Some(true),
            false => (!known.open).then_some(false),
        }
    }

    /// Returns whether threads of a work-group diverge at a branch on this condition or a part of it.
    pub fn parts(&self, condition: Span) -> bool {
        let inside = |span: &Span| condition.start <= span.start && span.end <= condition.end;
        self.branches.iter().any(|(span, divergence)| inside(span) && divergence.within(Scope::Workgroup))
    }
}

/// Returns whether a fact also depends on callers. The arguments of a kernel are uniform.
pub fn is_open(function: &Function, fact: Fact) -> bool {
    !function.kernel && fact.depends_on_caller()
}

/// Returns whether the jumps that make a call implementation-defined are uniform in the call's group.
pub fn is_settled_call(item: &ItemAt, body: BodyLookup, call: CallId) -> bool {
    let model = item.view.analysis.model;
    item.function_id(body).is_some_and(|id| settled_calls(item.view.db, id, model).contains(&call))
}

/// Returns the same for a doubt and the work-group.
pub fn is_settled(item: &ItemAt, body: BodyLookup, doubt: DoubtId) -> bool {
    let model = item.view.analysis.model;
    item.function_id(body).is_some_and(|id| settled_doubts(item.view.db, id, model).contains(&doubt))
}

/// Describes the uniformity of the expression or variable here, and of the branch, with the causes.
pub fn describe(at: &TokenAt, body: BodyLookup) -> Option<String> {
    let local = at.reference().filter(|reference| matches!(reference.target, Entity::Local(_)));
    let text = at.item.analysed(body, |analysis| {
        let mut lines = Vec::new();
        match local {
            Some(reference) => {
                lines.extend(of_variable((&at.item, body.body), analysis, reference.name.text))
            }
            None => lines.extend(of_expression((&at.item, body.body), analysis, at.token)),
        }
        lines.extend(of_branch((&at.item, body.body), analysis, at.token));
        lines.join("\n\n")
    })?;
    (!text.is_empty()).then_some(text)
}

/// Describes the uniformity of a variable: the verdict on its most divergent value.
fn of_variable((item, body): (&ItemAt, &Body), analysis: &Analysis, name: Symbol) -> Option<String> {
    let function = analysis.function;
    let named = function.values.iter_enumerated().filter(|(_, value)| match value.op {
        Op::Parameter(number) => {
            function.parameters.get(number as usize).and_then(|it| it.name) == Some(name)
        }
        _ => value.name == Some(name),
    });
    // Of two equally divergent values, prefer the one that depends on callers.
    let most = named.max_by_key(|(id, _)| {
        let fact = analysis.state.values[*id];
        (fact.divergence, is_open(function, fact))
    });
    if let Some((id, _)) = most {
        return Some(told(
            (item, body),
            analysis,
            &format!("`{name}`"),
            analysis.state.values[id],
            Subject::Value(id),
        ));
    }
    let slots = function.slots.iter_enumerated().filter(|(_, slot)| slot.name == Some(name));
    let most = slots.map(|(id, _)| analysis.slot(id)).max_by_key(|fact| fact.divergence)?;
    Some(verdict(item.vocabulary(), analysis, &format!("The value of `{name}`"), most))
}

/// Describes the uniformity of the smallest expression that yields a value.
fn of_expression((item, body): (&ItemAt, &Body), analysis: &Analysis, token: u32) -> Option<String> {
    let function = analysis.function;
    let yields = function.values.iter_enumerated().filter(|(_, value)| {
        let plain = !matches!(value.op, Op::Phi(_) | Op::Constant(_) | Op::Parameter(_) | Op::Slot(_));
        let seen = value.span.start <= token && token < value.span.end;
        plain && seen && !value.ty.is_void() && value.ty != tangle_hir::types::Ty::TOKEN
    });
    let (id, value) = yields.min_by_key(|(_, value)| value.span.end - value.span.start)?;
    let text = format!("`{}`", item.text(value.span));
    Some(told((item, body), analysis, &text, analysis.state.values[id], Subject::Value(id)))
}

fn of_branch((item, body): (&ItemAt, &Body), analysis: &Analysis, token: u32) -> Option<String> {
    let blocks = analysis.function.blocks.iter_enumerated();
    let here = blocks.filter(|(id, block)| {
        is_branch(analysis.function, *id) && block.end.start <= token && token < block.end.end
    });
    let (id, block) = here.min_by_key(|(_, block)| block.end.end - block.end.start)?;
    let text = format!("The branch on `{}`", item.text(block.end));
    Some(told((item, body), analysis, &text, analysis.state.branches[id], Subject::Branch(id)))
}

/// Returns the scopes of a verdict, if the verdict itself does not name them.
fn scopes(vocabulary: &Vocabulary, divergence: Divergence) -> String {
    let group = |scope| vocabulary.group(scope);
    match divergence {
        Divergence::None => format!(" in the {}", group(Scope::Grid)),
        Divergence::Grid | Divergence::Cluster | Divergence::Workgroup => String::new(),
        Divergence::Subgroup => {
            let [subgroup, workgroup, grid] = [Scope::Subgroup, Scope::Workgroup, Scope::Grid].map(group);
            format!(" in the {subgroup}, the {workgroup} and the {grid}")
        }
    }
}

/// Returns the verdict on the function itself, and the parameters through which callers change it.
fn verdict(vocabulary: &Vocabulary, analysis: &Analysis, what: &str, fact: Fact) -> String {
    let divergence = fact.divergence;
    let own = uniformity_texts::verdict(vocabulary, divergence);
    // No caller can make the verdict `Subgroup` more divergent.
    if divergence == Divergence::Subgroup || !is_open(analysis.function, fact) {
        return format!("{what} is **{own}**{}.", scopes(vocabulary, divergence));
    }
    let on = deciding_arguments(analysis, fact).join(", ");
    match divergence {
        Divergence::None => format!("{what} is **as uniform as these arguments**: {on}."),
        _ => format!("{what} is **{own}** at best. It also depends on these arguments: {on}."),
    }
}

/// Returns the arguments that a fact depends on, and their targets, as phrases.
pub fn deciding_arguments(analysis: &Analysis, fact: Fact) -> Vec<String> {
    let Fact { values, pointees, shared, private, .. } = fact;
    let parameters = &analysis.function.parameters;
    let name = |number: usize| match parameters[number].name {
        Some(name) => format!("`{name}`"),
        None => format!("parameter {}", number + 1),
    };
    let passed = (0..parameters.len()).filter(|&number| values.contains(number)).map(name);
    let inputs = analysis.inputs();
    let parts: Vec<usize> =
        pointees.iter().filter_map(|it| Some(inputs.get(it)?.parameter as usize)).collect();
    let is_pointed = |number: usize| [pointees, shared, private].iter().any(|set| set.contains(number));
    let pointed = (0..parameters.len())
        .filter(|&number| is_pointed(number) || parts.contains(&number))
        .map(|number| format!("the target of {}", name(number)));
    passed.chain(pointed).collect()
}

/// Returns a verdict with its chain of causes.
fn told(
    (item, body): (&ItemAt, &Body),
    analysis: &Analysis,
    what: &str,
    fact: Fact,
    subject: Subject,
) -> String {
    let mut text = verdict(item.vocabulary(), analysis, what, fact);
    let Some(scope) = uniformity_texts::smallest_divergent_scope(fact.divergence) else { return text };
    let chain = cause::chain((item, body), analysis, (subject, fact, scope));
    if !chain.is_empty() {
        text += &format!(" Cause: {chain}.");
    }
    text
}
