//! The shortest chain of causes of a verdict.
//!
//! ```text
//! barrier at 5:3  <-  branch at 4:7  <-  `i` at 3:11  <-  get_local_id at 3:15
//! ```
//!
//! A chain follows the contributions that are divergent in the queried scope. It ends at a contribution that is
//! divergent by itself, or that depends on the caller. **Distance** of a subject: the number of links of its shortest
//! chain. The distances of all subjects are computed at once, backwards from the ends of chains. A chain then leads
//! from each subject to its first reason with a smaller distance. So any number of chains takes the time of one search.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::analysis::{Analysis, BranchSet, Contribution, DivergenceSource, Reason};
use super::graph::is_branch;
use super::versions::VersionRef;
use super::{Confidence, Fact};
use crate::flow::{BlockId, ValueId};
use crate::scope::Scope;

/// The subject of a chain: the verdict that it explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A value at its definition.
    Value(ValueId),
    /// The branch of a block, where threads diverge.
    Branch(BlockId),
    /// A block that some threads do not reach.
    Control(BlockId),
    /// A memory version.
    Held(VersionRef),
}

/// One step of a chain: a subject, and the reason why it is divergent. Each reason except the last one leads to the
/// next subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The divergent subject.
    pub subject: Subject,
    /// The reason.
    pub reason: LinkReason,
}

/// The reason why a subject is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkReason {
    /// A contribution to its verdict.
    Reason(Reason),
    /// The branch of the block decides whether the subject is reached.
    DependsOn(BlockId),
    /// All threads that reach the branch of the block take the same path, but not all threads reach it.
    ControlOf(BlockId),
}

impl LinkReason {
    /// Returns the next subject of the chain. `None` if the chain ends here.
    fn next(self) -> Option<Subject> {
        match self {
            LinkReason::DependsOn(branch)
            | LinkReason::Reason(
                Reason::Join(branch) | Reason::Temporal(branch) | Reason::NotConverged(branch),
            ) => Some(Subject::Branch(branch)),
            LinkReason::ControlOf(branch) => Some(Subject::Control(branch)),
            LinkReason::Reason(Reason::Operand(value)) => Some(Subject::Value(value)),
            LinkReason::Reason(Reason::Held(held) | Reason::Kept(held)) => Some(Subject::Held(held)),
            LinkReason::Reason(_) => None,
        }
    }
}

/// The property of an argument that a fact depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentProperty {
    /// The argument itself.
    Value,
    /// The memory that it points to.
    Pointee,
    /// Whether other threads may write that memory.
    Shared,
    /// Whether that memory is private.
    Private,
}

impl ArgumentProperty {
    /// All properties.
    pub const ALL: [ArgumentProperty; 4] = [
        ArgumentProperty::Value,
        ArgumentProperty::Pointee,
        ArgumentProperty::Shared,
        ArgumentProperty::Private,
    ];

    /// Whether a fact depends on this property of the argument for a parameter, at a confidence.
    pub fn decides(self, fact: Fact, parameter: u32, confidence: Confidence) -> bool {
        let parameters = match self {
            ArgumentProperty::Value => fact.values_at(confidence),
            ArgumentProperty::Pointee => fact.pointees_at(confidence),
            ArgumentProperty::Shared => fact.shared,
            ArgumentProperty::Private => fact.private,
        };
        parameters.contains(parameter as usize)
    }
}

/// The question that a chain answers: which facts count as divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Facts by which two threads of a group of this scope may differ, for any arguments of the function, with at least
    /// this confidence.
    Within(Scope, Confidence),
    /// The same, with exactly this confidence.
    Exactly(Scope, Confidence),
    /// Facts that depend on this property of the argument for this parameter, at this confidence.
    Parameter(u32, ArgumentProperty, Confidence),
}

impl Question {
    /// Returns the question about a verdict at the greatest confidence with which it is divergent in a scope.
    pub fn strongest(verdict: Fact, scope: Scope) -> Question {
        Question::Within(scope, verdict.confidence(scope).unwrap_or(Confidence::Possible))
    }

    /// Whether a fact counts as divergent, with this confidence or a greater one.
    fn includes(self, fact: Fact) -> bool {
        match self {
            Question::Within(scope, confidence) | Question::Exactly(scope, confidence) => {
                fact.divergence_at(confidence).within(scope)
            }
            Question::Parameter(..) => self.holds(fact),
        }
    }

    /// Whether a fact counts as divergent.
    pub fn holds(self, fact: Fact) -> bool {
        match self {
            Question::Within(..) => self.includes(fact),
            Question::Exactly(scope, confidence) => fact.confidence(scope) == Some(confidence),
            Question::Parameter(number, given, confidence) => given.decides(fact, number, confidence),
        }
    }
}

/// Returns the load from memory that other threads may write, if the chain ends at one.
pub fn shared_load(chain: &[Link]) -> Option<ValueId> {
    match chain.last()? {
        Link {
            subject: Subject::Value(value),
            reason: LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(_))),
        } => Some(*value),
        _ => None,
    }
}

/// One possible reason why a subject is divergent.
#[derive(Clone, Copy, Debug)]
enum Step {
    One(LinkReason),
    /// Any of these branches, because threads diverge there.
    Any(BranchSet),
    /// Any of these branches: threads leave cycles there in different iterations, so not all of them reach the subject.
    Left(BranchSet),
}

/// A node of the search for chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Subject(Subject),
    /// A set of branches. Its distance is the smallest distance of its branches.
    Branches(BranchSet),
}

impl Step {
    fn next_node(self) -> Option<Node> {
        match self {
            Step::One(why) => why.next().map(Node::Subject),
            Step::Any(branches) | Step::Left(branches) => Some(Node::Branches(branches)),
        }
    }
}

/// For each subject with a chain, the number of links of the shortest one. Also its first link, if a chain needed it.
#[derive(Debug)]
pub struct Distances {
    links: FxHashMap<Node, u32>,
    first: RefCell<FxHashMap<Subject, LinkReason>>,
}

impl Distances {
    fn of(analysis: &Analysis, question: Question) -> Distances {
        let function = analysis.function;
        let mut distances: FxHashMap<Node, u32> = FxHashMap::default();
        // The nodes that each node explains. A branch explains the sets that contain it, without a link of its own.
        let mut explained: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut seen: FxHashSet<BranchSet> = FxHashSet::default();
        let mut ends = Vec::new();
        let blocks = function.blocks.indices();
        let of_blocks = blocks.flat_map(|block| {
            let branch = is_branch(function, block).then_some(Subject::Branch(block));
            branch.into_iter().chain([Subject::Control(block)])
        });
        let of_values = function.values.indices().map(Subject::Value);
        let versions = &analysis.model.versions;
        let of_memory = versions.all.indices().map(|version| Subject::Held(versions.held(version)));
        for subject in of_blocks.chain(of_values).chain(of_memory) {
            let own = Node::Subject(subject);
            for step in steps(analysis, subject, question) {
                let Some(next) = step.next_node() else {
                    ends.push(own);
                    continue;
                };
                let mut todo = match next {
                    Node::Branches(branches) => vec![branches],
                    Node::Subject(_) => Vec::new(),
                };
                while let Some(branches) = todo.pop() {
                    if !seen.insert(branches) {
                        continue;
                    }
                    let holds = |branch: &&BlockId| question.holds(analysis.state.branches[**branch]);
                    for &branch in analysis.own_branches(branches).iter().filter(holds) {
                        let branch = Node::Subject(Subject::Branch(branch));
                        explained.entry(branch).or_default().push(Node::Branches(branches));
                    }
                    for further in analysis.further_branches(branches) {
                        explained.entry(Node::Branches(further)).or_default().push(Node::Branches(branches));
                        todo.push(further);
                    }
                }
                explained.entry(next).or_default().push(own);
            }
        }
        let mut todo: VecDeque<(Node, u32)> = ends.into_iter().map(|end| (end, 1)).collect();
        while let Some((node, distance)) = todo.pop_front() {
            if distances.contains_key(&node) {
                continue;
            }
            distances.insert(node, distance);
            for &next in explained.get(&node).into_iter().flatten() {
                match next {
                    Node::Branches(_) => todo.push_front((next, distance)),
                    Node::Subject(_) => todo.push_back((next, distance + 1)),
                }
            }
        }
        Distances { links: distances, first: RefCell::default() }
    }

    fn get(&self, node: Node) -> Option<u32> {
        self.links.get(&node).copied()
    }
}

/// Returns the shortest chain from a subject to a source of divergence. It is empty if the subject is not divergent.
///
/// Ids can cancel: in `id + f() < (n / w) * w` only `f()` decides, although the sum is certainly divergent. So a chain of
/// links with exactly the confidence of the question is preferred.
pub fn chain(analysis: &Analysis, subject: Subject, question: Question) -> Vec<Link> {
    if let Question::Within(scope, confidence @ (Confidence::Possible | Confidence::Likely)) = question {
        let exact = shortest(analysis, subject, Question::Exactly(scope, confidence));
        if !exact.is_empty() {
            return exact;
        }
    }
    shortest(analysis, subject, question)
}

fn shortest(analysis: &Analysis, mut subject: Subject, question: Question) -> Vec<Link> {
    let known = analysis.distances.borrow().get(&question).cloned();
    let distances = known.unwrap_or_else(|| {
        let found = Rc::new(Distances::of(analysis, question));
        analysis.distances.borrow_mut().insert(question, found.clone());
        found
    });
    let mut chain = Vec::new();
    let mut left = distances.get(Node::Subject(subject)).unwrap_or(0);
    while left > 0 {
        left -= 1;
        let known = distances.first.borrow().get(&subject).copied();
        let reason = known.unwrap_or_else(|| {
            let reason = first(analysis, subject, question, &distances, left);
            distances.first.borrow_mut().insert(subject, reason);
            reason
        });
        chain.push(Link { subject, reason });
        subject = reason.next().unwrap_or(subject);
    }
    chain
}

/// Returns the first reason for a subject after which this number of links is left.
fn first(
    analysis: &Analysis,
    subject: Subject,
    question: Question,
    distances: &Distances,
    left: u32,
) -> LinkReason {
    let is_next = |node: Option<Node>| node.map_or(Some(0), |node| distances.get(node)) == Some(left);
    let mut steps = steps(analysis, subject, question);
    // Among chains of the same length, those through operands are the most informative.
    steps.sort_by_key(|step| {
        !matches!(step, Step::One(LinkReason::Reason(Reason::Operand(_) | Reason::Source(_))))
    });
    let step = steps.into_iter().find(|step| is_next(step.next_node()));
    let nearest = |mut branches: BranchSet| loop {
        let mut own = analysis.own_branches(branches).iter().copied();
        let found = own.find(|&branch| is_next(Some(Node::Subject(Subject::Branch(branch)))));
        if found.is_some() {
            return found;
        }
        branches = analysis.further_branches(branches).find(|&it| is_next(Some(Node::Branches(it))))?;
    };
    let reason = match step {
        Some(Step::One(why)) => Some(why),
        Some(Step::Any(branches)) => nearest(branches).map(|it| LinkReason::Reason(branches.reason(it))),
        Some(Step::Left(branches)) => nearest(branches).map(LinkReason::DependsOn),
        None => None,
    };
    reason.expect("a subject with a distance has a reason with a smaller distance")
}

/// Returns the reasons for a subject, one link away.
fn steps(analysis: &Analysis, subject: Subject, question: Question) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut add = |contribution: Contribution, fact: Fact| {
        if !question.holds(fact) {
            return;
        }
        steps.push(match contribution {
            Contribution::Branches(branches) => Step::Any(branches),
            Contribution::Reason(reason) => Step::One(LinkReason::Reason(reason)),
        });
    };
    match subject {
        Subject::Value(value) => {
            // If an assertion of the user makes the value uniform, its contributions explain nothing.
            if question.includes(analysis.state.values[value]) {
                analysis.of_value(value, &mut add);
            }
        }
        Subject::Held(held) => analysis.of_version(held.version, &mut add),
        Subject::Branch(block) => analysis.of_branch(block, &mut add),
        Subject::Control(block) => {
            let (controllers, cycles) = analysis.of_control(block);
            steps.extend(controllers.iter().filter_map(|&branch| {
                if question.holds(analysis.state.branches[branch]) {
                    Some(Step::One(LinkReason::DependsOn(branch)))
                } else {
                    question
                        .holds(analysis.state.control[branch])
                        .then_some(Step::One(LinkReason::ControlOf(branch)))
                }
            }));
            steps.extend(cycles.map(Step::Left));
        }
    }
    steps
}
