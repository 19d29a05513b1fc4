//! Derives the tangles of a thread along its path by the rules of *Thread Convergence* (2024-10-23) and SEMANTICS §2
//! and §3.
//!
//! - *node*: the tangle of one execution of a statement. A node is named by its derivation: a rule, the site of the
//!   rule, and the node that it was derived from (its parent). Equal nodes are one tangle.
//! - *execution* of a statement by a thread. It has one node. A statement inside a loop has many executions.
//! - *instance* of an operation: one execution of it, by all threads with the same node there.
//! - *related* instances: one derives from the other, or an iteration separates them (below).
//!
//! An operation has implementation-defined convergence if two of its instances are unrelated.
//!
//! ```c
//! if (w) goto L;   // the `goto` has the node n1 = if-branch(the `if`)
//! op1();           // n2 = sequence(the `if`)
//! L: op2();        // sequence(n2), or goto-label(n1): unrelated
//! ```
//!
//! # Algorithm
//!
//! The node of an execution depends only on the path of its thread, so one thread is executed at a time. The state
//! contains the enclosing statements, each with the node of its execution:
//!
//! - The first substatement of a compound statement has the node of the compound statement. Each later substatement has
//!   sequence(node of the previous substatement), also after a `break` out of the previous one.
//! - The condition of an `if`, `while` or `switch` has the node of the statement, and so does the first body of a `do`:
//!   the text gives it the same tangle, so the rule `loop-entry` adds no node.
//! - if-branch, loop-body, next-iteration and case-label derive from the node of the `if`, the condition, the
//!   body and the `switch`; goto-label derives from the node of the `goto`.
//! - A jump ends the statements that contain the jump but not the label. It begins an execution of each statement that
//!   contains the label but not the jump, with the node of the jump. A labelled statement contains its label, so a
//!   `goto` inside it begins only the statement after the label. Statements that contain both continue.
//!
//! # Iterations
//!
//! A loop *statement* separates two instances in its body if they belong to the same execution of the loop and to
//! different iterations. An iteration is identified by the node of its first statement.
//!
//! A *goto cycle* (see `shape`) separates two instances between its label L and its `goto` if they have the same
//! *entry* and the *round* of one derives from the round of the other. Let X be the part of the whole that contains L:
//!
//! - If all threads at the `goto` have passed L since they entered the cycle, the `goto` begins the next iteration of
//!   these threads (SEMANTICS §3.1). The entry is the node of X, or the node of the jump by which the thread entered
//!   past L. Each `goto` to L begins a round. The candidate of the `goto` derives from the previous round, for all
//!   paths between: it is one tangle.
//! - If some threads enter past L in sequence, the `goto` has a candidate of its own, which derives from the node of
//!   the `goto`. The entry of its rounds is the first such candidate.
//! - If several `goto`s jump to L, their candidates are siblings. Inside the whole of one, the rounds of the others
//!   separate no instances.
//!
//! In `if (w) { L: op1(); } op2(); if (c) op3(); if (z) goto L;` threads enter past L. The second tangle at `op2`
//! derives from the first one, but not at `op1` and `op3`.

use std::collections::HashMap;
use std::rc::Rc;

pub use super::shape::Program;
use super::shape::{GotoCycle, StatementKind};
use super::source::Input;

pub type NodeId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    FunctionBody,
    Sequence,
    IfBranch,
    LoopBody,
    NextIteration,
    CaseLabel,
    GotoLabel,
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Rule::FunctionBody => "function-body",
            Rule::Sequence => "sequence",
            Rule::IfBranch => "if-branch",
            Rule::LoopBody => "loop-body",
            Rule::NextIteration => "next-iteration",
            Rule::CaseLabel => "case-label",
            Rule::GotoLabel => "goto-label",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    rule: Rule,
    line: u32,
    parent: NodeId,
    depth: u32,
    /// A distant ancestor, for fast searches in `derives`.
    far: NodeId,
}

/// The nodes of one program, without duplicates.
#[derive(Clone, Debug)]
pub struct Arena {
    nodes: Vec<Node>,
    known: HashMap<(Rule, u32, NodeId), NodeId>,
}

/// The node of the function body.
const ROOT: NodeId = 0;

impl Default for Arena {
    fn default() -> Arena {
        let root = Node { rule: Rule::FunctionBody, line: 1, parent: ROOT, depth: 0, far: ROOT };
        Arena { nodes: vec![root], known: HashMap::new() }
    }
}

impl Arena {
    /// Returns the node that a rule derives at a site. The site is a place of the program.
    fn derive(&mut self, program: &Program, rule: Rule, site: usize, parent: NodeId) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.known.entry((rule, site as u32, parent)).or_insert(next);
        if id == next {
            let Node { depth, far, .. } = self.nodes[parent as usize];
            let (near, next) =
                (&self.nodes[far as usize], &self.nodes[self.nodes[far as usize].far as usize]);
            let far = if depth - near.depth == near.depth - next.depth { near.far } else { parent };
            let line = program.statements[site].line;
            self.nodes.push(Node { rule, line, parent, depth: depth + 1, far });
        }
        id
    }

    /// Returns whether `ancestor` is `node` or an ancestor of it.
    pub fn derives(&self, node: NodeId, ancestor: NodeId) -> bool {
        let depth = self.nodes[ancestor as usize].depth;
        let mut at = node;
        while self.nodes[at as usize].depth > depth {
            let Node { parent, far, .. } = self.nodes[at as usize];
            at = if self.nodes[far as usize].depth >= depth { far } else { parent };
        }
        at == ancestor
    }

    fn comparable(&self, one: NodeId, other: NodeId) -> bool {
        self.derives(one, other) || self.derives(other, one)
    }

    /// Returns whether one of two instances of the same operation derives from the other, or an iteration separates
    /// them.
    pub fn related(&self, one: &Instance, other: &Instance) -> bool {
        let by_loop = || {
            let mut pairs = one.loops.iter().zip(&other.loops);
            pairs.any(|(a, b)| a.execution == b.execution && a.iteration != b.iteration)
        };
        let by_goto = || {
            let mut pairs = one.rounds.iter().zip(&other.rounds);
            pairs.any(|(a, b)| {
                *a != OUTSIDE && a.entry == b.entry && a.round != b.round && self.comparable(a.round, b.round)
            })
        };
        self.comparable(one.node, other.node) || by_loop() || by_goto()
    }

    /// Returns the derivation of a node, up to the function body: rules, each with the line of its site in the C text.
    pub fn describe(&self, node: NodeId) -> String {
        let mut text = String::new();
        let mut at = node;
        loop {
            let Node { rule, line, parent, .. } = self.nodes[at as usize];
            text += &format!("{} @ {line}", rule.name());
            if at == ROOT {
                return text;
            }
            text += " < ";
            at = parent;
        }
    }
}

/// The current iteration of a loop statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The node of the execution of the loop.
    pub execution: NodeId,
    /// The first node of the iteration.
    pub iteration: NodeId,
}

/// The current round of a goto cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The node with which the thread entered the cycle.
    pub entry: NodeId,
    /// The first node of the round.
    pub round: NodeId,
}

/// The round at a level where the thread did not enter the cycle.
pub const OUTSIDE: Round = Round { entry: NodeId::MAX, round: NodeId::MAX };

/// One execution of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub op: u32,
    pub node: NodeId,
    /// The loop statements around the operation, outermost first. Each has its place and the number of the iteration
    /// since the loop was entered.
    pub turns: Vec<(usize, u32)>,
    /// The same loops, with the nodes of their iterations.
    pub loops: Vec<Iteration>,
    /// The goto cycles that contain the operation, in the order of `Statement::cycles`.
    pub rounds: Vec<Round>,
}

/// The current round at each level of each goto cycle, by slot.
type Rounds = Rc<[Round]>;

/// A statement that the thread is executing.
#[derive(Clone, Debug)]
struct Frame {
    place: usize,
    node: NodeId,
    /// In a loop: the first node of the current iteration, and its number.
    iteration: NodeId,
    turn: u32,
    /// The rounds at the start of this execution of the statement.
    rounds: Rounds,
}

#[derive(Clone, Copy, Debug)]
enum ThreadState {
    Start(usize, NodeId),
    /// The condition of the innermost statement, which is a loop.
    Condition(NodeId),
    /// The innermost statement has ended.
    End,
    /// The innermost statement reads an input with this node.
    Reads(NodeId),
    Over,
}

/// A thread between two statements.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Outermost first.
    frames: Vec<Frame>,
    /// The statement after a statement derives from the tangle at the start of that statement, so it also has the
    /// rounds from there.
    rounds: Rounds,
    now: ThreadState,
    steps: usize,
}

impl Thread {
    /// Makes a thread at the start of the function that may execute so many statements.
    pub fn new(program: &Program, steps: usize) -> Thread {
        let rounds = Rc::from(vec![OUTSIDE; program.slots]);
        Thread { frames: Vec::with_capacity(16), rounds, now: ThreadState::Start(0, ROOT), steps }
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the thread is in a statement")
    }

    fn push(&mut self, place: usize, node: NodeId) {
        self.frames.push(Frame { place, node, iteration: node, turn: 0, rounds: self.rounds.clone() });
    }

    /// Leaves the statements inside the innermost statement that `fits`.
    fn unwind(&mut self, fits: impl Fn(usize) -> bool) {
        while !fits(self.top().place) {
            self.frames.pop();
        }
    }

    /// Returns the innermost statement and the node of its input, if it reads an input.
    pub fn reads(&self) -> Option<(usize, NodeId)> {
        match (self.now, self.frames.last()) {
            (ThreadState::Reads(node), Some(frame)) => Some((frame.place, node)),
            _ => None,
        }
    }

    /// Returns whether the thread has no steps left.
    pub fn is_cut_off(&self) -> bool {
        matches!(self.now, ThreadState::Over) && self.steps == 0
    }

    /// Returns the operation that the thread executes.
    pub fn instance(&self, program: &Program) -> Instance {
        let &Frame { place, node, .. } = self.frames.last().expect("the thread is in a statement");
        let statement = &program.statements[place];
        let StatementKind::Operation(op) = statement.kind else {
            unreachable!("only operations have instances")
        };
        let around = || self.frames.iter().filter(|frame| program.is_loop(frame.place));
        Instance {
            op,
            node,
            turns: around().map(|frame| (frame.place, frame.turn)).collect(),
            loops: around()
                .map(|frame| Iteration { execution: frame.node, iteration: frame.iteration })
                .collect(),
            rounds: statement.cycles.iter().map(|&(_, slot)| self.rounds[slot]).collect(),
        }
    }
}

impl Program {
    /// Returns whether the goto cycle of a slot is one loop, so that a thread that enters it in sequence begins a
    /// round.
    fn slot_repeats(&self, slot: usize) -> bool {
        self.cycles
            .iter()
            .any(|cycle| (cycle.slot..cycle.slot + cycle.levels.len()).contains(&slot) && cycle.repeats)
    }

    /// Executes a thread until its inputs or steps are used up, and returns the executed operations. The input of a
    /// condition is 0 or 1 (true), and the input of a `switch` is the value of its controlling expression.
    pub fn run(
        &self,
        inputs: &mut dyn FnMut(Input) -> Option<u32>,
        steps: usize,
        arena: &mut Arena,
    ) -> Vec<Instance> {
        let mut instances = Vec::new();
        let mut thread = Thread::new(self, steps);
        loop {
            self.advance(&mut thread, arena, &mut |thread, _, _| instances.push(thread.instance(self)));
            let Some((place, _)) = thread.reads() else { return instances };
            let choice = match self.statements[place].kind {
                StatementKind::Switch(switch) => {
                    let switch = &self.switches[switch];
                    inputs(Input::Switch(switch.ways)).map(|value| {
                        let case = switch.cases.iter().position(|&(case, _)| case == value);
                        case.unwrap_or(switch.cases.len())
                    })
                }
                _ => inputs(Input::Condition(self.statements[place].chance)).map(|value| value as usize),
            };
            let Some(choice) = choice else { return instances };
            self.answer(&mut thread, arena, choice);
        }
    }

    /// Continues until the thread reads an input or ends. Calls `show` for each executed operation, with its node.
    pub fn advance(
        &self,
        thread: &mut Thread,
        arena: &mut Arena,
        show: &mut dyn FnMut(&Thread, u32, NodeId),
    ) {
        loop {
            match thread.now {
                ThreadState::Start(..) if thread.steps == 0 => thread.now = ThreadState::Over,
                ThreadState::Start(place, node) => {
                    thread.steps -= 1;
                    self.start(thread, arena, place, node);
                    if let StatementKind::Operation(op) = self.statements[place].kind {
                        show(thread, op, node);
                    }
                }
                ThreadState::Condition(node) => thread.now = ThreadState::Reads(node),
                ThreadState::End => self.end(thread, arena),
                ThreadState::Reads(_) | ThreadState::Over => return,
            }
        }
    }

    /// Begins a statement without a jump.
    fn start(&self, thread: &mut Thread, arena: &mut Arena, place: usize, node: NodeId) {
        let statement = &self.statements[place];
        if !statement.slots.is_empty() {
            let rounds = Rc::make_mut(&mut thread.rounds);
            for &slot in &statement.slots {
                rounds[slot] = match self.slot_repeats(slot) {
                    true => Round { entry: node, round: node },
                    false => OUTSIDE,
                };
            }
        }
        thread.push(place, node);
        thread.now = match statement.kind {
            StatementKind::Operation(_) | StatementKind::Empty => ThreadState::End,
            StatementKind::If | StatementKind::While | StatementKind::Switch(_) => ThreadState::Reads(node),
            StatementKind::Do | StatementKind::Labelled | StatementKind::Compound => {
                match statement.parts.first() {
                    Some(&first) => ThreadState::Start(first, node),
                    None => ThreadState::End,
                }
            }
            StatementKind::Goto(label) => {
                let mut cycles = self.cycles.iter().filter(|cycle| cycle.goto == place && cycle.is_loop);
                let round =
                    cycles.next().map(|cycle| thread.rounds[cycle.slot + cycle.levels.len() - 1].round);
                let node = round.filter(|&round| round != OUTSIDE.round).unwrap_or(node);
                let node = arena.derive(self, Rule::GotoLabel, place, node);
                return self.jump(thread, place, label, node);
            }
            StatementKind::Break => {
                thread.unwind(|at| {
                    self.is_loop(at) || matches!(self.statements[at].kind, StatementKind::Switch(_))
                });
                ThreadState::End
            }
            StatementKind::Continue => {
                thread.unwind(|at| self.is_loop(at));
                self.next_iteration(thread, arena)
            }
            StatementKind::Return => ThreadState::Over,
        };
    }

    fn next_iteration(&self, thread: &mut Thread, arena: &mut Arena) -> ThreadState {
        let &mut Frame { place, iteration, ref rounds, .. } = thread.top();
        thread.rounds = rounds.clone();
        ThreadState::Condition(arena.derive(self, Rule::NextIteration, place, iteration))
    }

    /// Ends the innermost statement.
    fn end(&self, thread: &mut Thread, arena: &mut Arena) {
        let Some(ended) = thread.frames.pop() else { unreachable!("a thread ends once") };
        let Frame { place, node, rounds, .. } = ended;
        if thread.frames.is_empty() {
            thread.now = ThreadState::Over;
            return;
        }
        let around = &self.statements[thread.top().place];
        thread.now = match around.kind {
            StatementKind::While | StatementKind::Do => self.next_iteration(thread, arena),
            StatementKind::Compound => match around.parts.get(self.statements[place].index + 1) {
                Some(&next) => {
                    thread.rounds = rounds;
                    ThreadState::Start(next, arena.derive(self, Rule::Sequence, next, node))
                }
                None => ThreadState::End,
            },
            _ => ThreadState::End,
        };
    }

    /// Returns the number of choices at an input: 2 for a condition; for a `switch`, the number of its labels, plus one
    /// without a `default`. The value of the `switch` is ignored, because its type has more values than the text of the
    /// kernel shows.
    pub fn choices(&self, place: usize) -> usize {
        match self.statements[place].kind {
            StatementKind::Switch(switch) => {
                self.landings(switch).count() + usize::from(self.switches[switch].default.is_none())
            }
            _ => 2,
        }
    }

    /// Continues after an input. For a `switch`, the choice is the index of a label; a larger number means no label.
    pub fn answer(&self, thread: &mut Thread, arena: &mut Arena, choice: usize) {
        let ThreadState::Reads(node) = thread.now else { unreachable!("the thread reads") };
        let place = thread.top().place;
        let statement = &self.statements[place];
        thread.now = match statement.kind {
            StatementKind::Switch(switch) => match self.landings(switch).nth(choice) {
                Some(label) => {
                    let node = arena.derive(self, Rule::CaseLabel, label, node);
                    return self.jump(thread, place, label, node);
                }
                None => ThreadState::End,
            },
            StatementKind::If => match statement.parts.get(1 - choice) {
                Some(&part) => ThreadState::Start(part, arena.derive(self, Rule::IfBranch, part, node)),
                None => ThreadState::End,
            },
            _ if choice == 0 => ThreadState::End,
            kind => {
                // The first body of a `while` follows the node of the loop. All other bodies follow a next-iteration.
                let again = kind == StatementKind::Do || thread.top().node != node;
                let body = arena.derive(self, Rule::LoopBody, place, node);
                let frame = thread.top();
                frame.turn += u32::from(again);
                frame.iteration = body;
                ThreadState::Start(statement.parts[0], body)
            }
        };
    }

    /// Jumps from a `goto` or `switch` to a label.
    fn jump(&self, thread: &mut Thread, source: usize, label: usize, node: NodeId) {
        let smallest = self.smallest(label, source);
        if self.slots > 0 {
            let rounds = Rc::make_mut(&mut thread.rounds);
            self.cycles.iter().for_each(|cycle| self.jump_in_cycle(rounds, cycle, source, label, node));
        }
        thread.unwind(|at| at == smallest);
        let begins = thread.frames.len();
        let mut at = label;
        while at != smallest {
            thread.push(at, node);
            at = self.statements[at].parent;
        }
        thread.frames[begins..].reverse();
        thread.now = ThreadState::Start(self.statements[label].parts[0], node);
    }

    /// Updates the rounds of a goto cycle after a jump.
    fn jump_in_cycle(&self, all: &mut [Round], cycle: &GotoCycle, source: usize, label: usize, node: NodeId) {
        let inside = |place| (cycle.label..=cycle.goto).contains(&place);
        let rounds = &mut all[cycle.slot..cycle.slot + cycle.levels.len()];
        if inside(source) && inside(label) {
            let smallest = self.smallest(label, source);
            let Some(at) = cycle.levels.iter().position(|&level| level == smallest) else { return };
            let current = rounds[at];
            if label == cycle.label {
                let entry = if current == OUTSIDE { node } else { current.entry };
                rounds[..=at].fill(Round { entry, round: node });
                return;
            }
            // A level that the jump begins, past the label, has the round of the level of the jump.
            for (level, round) in cycle.levels[..at].iter().zip(rounds) {
                if self.contains(*level, label) {
                    *round = current;
                }
            }
            return;
        }
        // The thread enters or leaves the cycle. A loop around the `goto` can bring it back, past the label.
        for (at, round) in rounds.iter_mut().enumerate() {
            // The part that contains the label of the cycle. In the labelled statement, this is only the label.
            let in_part = |place| at > 0 && self.contains(cycle.levels[at - 1], place);
            if self.contains(cycle.levels[at], label) && !(in_part(label) && in_part(source)) {
                *round = if cycle.repeats { Round { entry: node, round: node } } else { OUTSIDE };
            }
        }
    }
}
