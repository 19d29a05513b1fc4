//! Derives the candidates of every statement, call and operand (`docs/semantics.md` §2).
//!
//! Each stream that passes a statement has one candidate there. It derives from the candidate of the enclosing or the
//! previous statement. Straight-line code has the same candidate throughout. A new one begins where the set of threads
//! can change: in a branch, in a loop, at a label, and after a statement that *loses* threads. A statement loses
//! threads if some of them leave it without continuing at the next statement.
//!
//! The condition of a loop has two candidates for one stream: the first execution and the next iterations. So does the
//! body of a `do`. Candidates inside such a body derive from the first of the two, and represent both. The reason:
//! iterations of a loop that contains a statement are related (`docs/semantics.md` §3.1).

use std::collections::VecDeque;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_grammar::ast::Span;

use super::ancestors::Ancestors;
use super::doubt::DoubtAnalysis;
use super::points::{Point, Points};
use super::sets::{Set, SetId};
use super::streams::{Element, JumpId, JumpKind, Streams};
use super::{Candidate, CandidateId, JumpMark, Rule, TangleFacts, Tangles};
use tangle_hir::body::{Body, EvaluationTime, OperandId, StmtId, StmtKind};

/// The candidates of the streams that pass a point, in the order of the streams.
type StreamCandidates = SmallVec<[(Element, CandidateId); 1]>;

/// The maximum number of streams that get candidates at one point. More streams do not change the verdict.
const MAX_NAMED: usize = 128;
/// The maximum for all points of a body together. Each point gets an equal share, but at least [`MIN_NAMED`].
const MAX_NAMED_OF_BODY: usize = 1_000_000;
const MIN_NAMED: usize = 4;

pub fn candidates(body: &Body, points: &Points, ancestors: &Ancestors, streams: &Streams) -> Tangles {
    let mut builder = Builder {
        body,
        points,
        streams,
        most: (MAX_NAMED_OF_BODY / points.scope.len().max(1)).clamp(MIN_NAMED, MAX_NAMED),
        behind: FxHashMap::default(),
        doubts: DoubtAnalysis::new(body, points, streams),
        candidates: IndexVec::new(),
        jumped: index_vec![None; streams.jumps.len()],
        loses: loses_threads(body, points, ancestors, streams),
        entry: index_vec![StreamCandidates::new(); body.stmts.len()],
        condition: FxHashMap::default(),
        step: FxHashMap::default(),
        rounds: FxHashMap::default(),
        operands: FxHashMap::default(),
    };
    for stmt in body.stmts.indices() {
        builder.derive_parts(stmt);
    }
    builder.finish()
}

/// Returns, for each statement, whether it loses threads: some thread leaves it without continuing at the next
/// statement. A `break` out of the statement itself continues there.
fn loses_threads(
    body: &Body,
    points: &Points,
    ancestors: &Ancestors,
    streams: &Streams,
) -> IndexVec<StmtId, bool> {
    // A statement loses threads if it contains a jump but not the target of that jump. A jump stays in the smallest
    // statement that contains both. `farthest` has, for each statement, the outermost of these for the jumps inside it:
    // the number of that statement plus one, or 0 for a jump out of the body.
    const NO_JUMP: usize = usize::MAX;
    let stays_in = |stmt: StmtId| stmt.index() + 1;
    let mut farthest = index_vec![NO_JUMP; body.stmts.len()];
    for (id, stmt) in body.stmts.iter_enumerated() {
        if !streams.reached(points.stmts[id].head) {
            continue;
        }
        let shared = |target: &StmtId| stays_in(ancestors.smallest_containing(body, id, *target));
        farthest[id] = match &stmt.kind {
            StmtKind::Return => 0,
            StmtKind::Goto(Some(target)) => shared(target),
            StmtKind::ComputedGoto(targets) | StmtKind::Asm(targets) => {
                targets.iter().map(shared).min().unwrap_or(NO_JUMP)
            }
            StmtKind::Break(Some(left)) | StmtKind::Continue(Some(left)) => stays_in(*left),
            _ => NO_JUMP,
        };
    }
    // From the inside out: substatements have greater numbers.
    for id in body.stmts.indices().rev() {
        if let Some(parent) = body.stmts[id].parent {
            farthest[parent] = farthest[parent].min(farthest[id]);
        }
    }
    farthest.into_iter_enumerated().map(|(id, farthest)| farthest < stays_in(id)).collect()
}

struct Builder<'a> {
    body: &'a Body,
    points: &'a Points,
    streams: &'a Streams,
    doubts: DoubtAnalysis<'a>,
    /// The maximum number of streams that get candidates at one point.
    most: usize,
    /// For each set at a point after goto cycles, the streams that pass the labels of these cycles.
    behind: FxHashMap<SetId, Set>,
    candidates: IndexVec<CandidateId, Candidate>,
    /// The candidate of each jump at its label. Parents are set at the end, because a backward jump follows its label.
    jumped: IndexVec<JumpId, Option<CandidateId>>,
    loses: IndexVec<StmtId, bool>,
    /// The candidates at the entry of each statement.
    entry: IndexVec<StmtId, StreamCandidates>,
    /// The candidates at the condition of a loop. Each stream has its first candidate, then that of later iterations.
    condition: FxHashMap<StmtId, StreamCandidates>,
    /// The candidates at the step of a loop.
    step: FxHashMap<StmtId, StreamCandidates>,
    /// For the candidate of the first execution of a `do` body, the candidate of later iterations.
    rounds: FxHashMap<CandidateId, CandidateId>,
    /// The candidate of an operand, by operand and candidate of the whole expression.
    operands: FxHashMap<(OperandId, CandidateId), CandidateId>,
}

impl Builder<'_> {
    fn span(&self, stmt: StmtId) -> Span {
        self.body.stmts[stmt].span
    }

    fn streams_at(&self, point: Point) -> SmallVec<[Element; 2]> {
        let streams = self.streams.elements(self.streams.at(point));
        streams.take_while(|element| !matches!(element, Element::AfterCycle(_))).take(self.most).collect()
    }

    /// Whether the stream left a goto cycle before this point, one iteration at a time.
    fn after_cycle(&mut self, point: Point, stream: Element) -> bool {
        let (points, streams) = (self.points, self.streams);
        let left = self.behind.entry(streams.set(point)).or_insert_with(|| {
            let mut left = Set::default();
            for cycle in streams.cycles_before(point) {
                left.add(streams.at(points.stmts[streams.jumps[cycle].target].entry));
            }
            left
        });
        left.contains(stream.number(streams.jumps.len()))
    }

    fn derive(&mut self, rule: Rule, site: Span, parent: CandidateId) -> CandidateId {
        let family = self.candidates[parent].family;
        self.candidates.push(Candidate { rule, site, parent: Some(parent), family, marks: Vec::new() })
    }

    /// Derives the candidate of a stream at a point. It is a family after a goto cycle.
    fn derive_at(
        &mut self,
        rule: Rule,
        site: Span,
        parent: CandidateId,
        (point, stream): (Point, Element),
    ) -> CandidateId {
        let candidate = self.derive(rule, site, parent);
        let after_cycle = self.after_cycle(point, stream);
        self.candidates[candidate].family |= after_cycle;
        candidate
    }

    /// Returns the candidate that a jump brings to its label.
    fn jumped(&mut self, id: JumpId) -> CandidateId {
        if let Some(known) = self.jumped[id] {
            return known;
        }
        let jump = &self.streams.jumps[id];
        let candidate = self.candidates.push(Candidate {
            rule: match jump.kind {
                JumpKind::Goto => Rule::GotoLabel,
                JumpKind::Case | JumpKind::Default => Rule::CaseLabel,
            },
            site: self.span(jump.target),
            parent: None,
            family: self.doubts.is_family(id),
            marks: self.marks(id),
        });
        self.jumped[id] = Some(candidate);
        candidate
    }

    fn marks(&self, id: JumpId) -> Vec<JumpMark> {
        let jump = &self.streams.jumps[id];
        let is_case =
            |stmt: StmtId| matches!(self.body.stmts[stmt].kind, StmtKind::Case(_) | StmtKind::Default(_));
        if jump.kind != JumpKind::Goto {
            let below = match self.body.stmts[jump.target].kind {
                StmtKind::Case(inner) | StmtKind::Default(inner) => is_case(inner),
                _ => false,
            };
            let above = self.body.stmts[jump.target].parent.is_some_and(is_case);
            return if below || above { vec![JumpMark::Stacked] } else { Vec::new() };
        }
        if jump.target == jump.source + 1 {
            vec![JumpMark::Trivial]
        } else if jump.target > jump.source
            && self.body.stmts[jump.target].parent.is_some_and(|block| self.body.contains(block, jump.source))
        {
            vec![JumpMark::Forward]
        } else {
            Vec::new()
        }
    }

    /// Returns the candidate of a stream that did not enter through the enclosing statement: that of its jump.
    fn origin(&mut self, stream: Element) -> CandidateId {
        match stream {
            Element::Jump(jump) => self.jumped(jump),
            Element::Base | Element::AfterCycle(_) => self.entry[Body::ROOT][0].1,
        }
    }

    /// Returns the candidate of a stream in a statement, or its `origin` if it entered the statement by a jump.
    fn in_stmt(&mut self, stmt: StmtId, stream: Element) -> CandidateId {
        find(&self.entry[stmt], stream).unwrap_or_else(|| self.origin(stream))
    }

    /// Derives the candidates of the substatements and operands of a statement from the candidates of the statement.
    fn derive_parts(&mut self, stmt: StmtId) {
        if stmt == Body::ROOT {
            let root = Candidate {
                rule: Rule::FunctionBody,
                site: self.span(stmt),
                parent: None,
                family: false,
                marks: Vec::new(),
            };
            let root = self.candidates.push(root);
            self.entry[stmt].push((Element::Base, root));
        }
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::Compound(children) => self.sequence(stmt, children),
            &StmtKind::Label(inner) | &StmtKind::Case(inner) | &StmtKind::Default(inner) => {
                self.same(stmt, inner)
            }
            // Threads enter the block of a `switch` at its labels. The block itself has the candidates of the `switch`.
            StmtKind::Switch { body: inner, .. } => match body.stmts[*inner].kind {
                StmtKind::Compound(_) => self.entry[*inner] = self.entry[stmt].clone(),
                _ => self.same(stmt, *inner),
            },
            &StmtKind::If { then, otherwise, .. } => {
                self.branch(stmt, then);
                if let Some(otherwise) = otherwise {
                    self.branch(stmt, otherwise);
                }
            }
            &StmtKind::While { body: inner, .. } => self.while_loop(stmt, inner),
            &StmtKind::For { init, body: inner, .. } => {
                self.same(stmt, init);
                self.while_loop(stmt, inner);
            }
            &StmtKind::Do { body: inner, .. } => self.do_loop(stmt, inner),
            _ => {}
        }
        for nested in &body.stmts[stmt].nested {
            let point = self.points.stmts[nested.stmt].entry;
            for (stream, around) in self.evaluating(stmt, nested.role) {
                if !self.streams.passes(point, stream) {
                    continue;
                }
                let candidate = match nested.operand {
                    Some(operand) => self.operand(operand, around),
                    None => around,
                };
                if find(&self.entry[nested.stmt], stream).is_none() {
                    self.entry[nested.stmt].push((stream, candidate));
                }
            }
        }
    }

    /// Returns the candidates that evaluate the expressions of a statement in a role.
    fn evaluating(&self, stmt: StmtId, role: EvaluationTime) -> StreamCandidates {
        match role {
            EvaluationTime::Entry => self.entry[stmt].clone(),
            EvaluationTime::LoopCondition => self.condition.get(&stmt).cloned().unwrap_or_default(),
            EvaluationTime::LoopStep => self.step.get(&stmt).cloned().unwrap_or_default(),
        }
    }

    fn operand(&mut self, operand: OperandId, around: CandidateId) -> CandidateId {
        let mut chain = Vec::new();
        let mut next = Some(operand);
        let mut parent = around;
        while let Some(operand) = next {
            if let Some(&known) = self.operands.get(&(operand, around)) {
                parent = known;
                break;
            }
            chain.push(operand);
            next = self.body.operands[operand].parent;
        }
        for operand in chain.into_iter().rev() {
            parent = self.derive(Rule::Operand, self.body.operands[operand].span, parent);
            self.operands.insert((operand, around), parent);
        }
        parent
    }

    /// Gives `inner` the candidates of its enclosing statement.
    fn same(&mut self, stmt: StmtId, inner: StmtId) {
        let inner_point = self.points.stmts[inner].entry;
        for stream in self.streams_at(inner_point) {
            let candidate = self.at_label(stream, inner).unwrap_or_else(|| self.in_stmt(stmt, stream));
            self.entry[inner].push((stream, candidate));
        }
    }

    /// Returns the candidate that a stream has at `stmt` if `stmt` is the label of its own jump.
    fn at_label(&mut self, stream: Element, stmt: StmtId) -> Option<CandidateId> {
        match stream {
            Element::Jump(jump) if self.streams.jumps[jump].target == stmt => Some(self.jumped(jump)),
            _ => None,
        }
    }

    fn sequence(&mut self, compound: StmtId, children: &[StmtId]) {
        let mut before: Option<StmtId> = None;
        for &child in children {
            let point = self.points.stmts[child].entry;
            for stream in self.streams_at(point) {
                let candidate = match (self.at_label(stream, child), before) {
                    (Some(brought), _) => brought,
                    (None, None) => self.in_stmt(compound, stream),
                    (None, Some(before)) => {
                        let reached = self.in_stmt(before, stream);
                        let newly_after = self.after_cycle(point, stream) && !self.candidates[reached].family;
                        if self.loses[before] || newly_after {
                            self.derive_at(Rule::Sequence, self.span(child), reached, (point, stream))
                        } else {
                            reached
                        }
                    }
                };
                self.entry[child].push((stream, candidate));
            }
            before = Some(child);
        }
    }

    fn branch(&mut self, stmt: StmtId, branch: StmtId) {
        let point = self.points.stmts[branch].entry;
        for stream in self.streams_at(point) {
            let candidate = match self.at_label(stream, branch) {
                Some(brought) => brought,
                None => {
                    let parent = self.in_stmt(stmt, stream);
                    self.derive_at(Rule::IfBranch, self.span(branch), parent, (point, stream))
                }
            };
            self.entry[branch].push((stream, candidate));
        }
    }

    /// Handles `while (c) body`, and a `for` after its first clause.
    fn while_loop(&mut self, stmt: StmtId, inner: StmtId) {
        let own = self.points.stmts[stmt];
        let inner_point = self.points.stmts[inner].entry;
        let (mut condition, mut step) = (StreamCandidates::new(), StreamCandidates::new());
        for stream in self.streams_at(own.condition) {
            let first = find(&self.entry[stmt], stream).map(|parent| {
                self.derive_at(Rule::LoopEntry, self.span(stmt), parent, (own.condition, stream))
            });
            condition.extend(first.map(|first| (stream, first)));
            let reaches_body = self.streams.passes(inner_point, stream);
            let comes_round = self.streams.passes(own.step, stream);
            let body_of = |builder: &mut Self, parent| {
                let brought = builder.at_label(stream, inner);
                brought.unwrap_or_else(|| {
                    builder.derive_at(Rule::LoopBody, builder.span(inner), parent, (inner_point, stream))
                })
            };
            let inside = match first {
                Some(first) if reaches_body => Some(body_of(self, first)),
                _ => None,
            };
            if comes_round {
                let parent = inside.unwrap_or_else(|| self.origin(stream));
                let next =
                    self.derive_at(Rule::NextIteration, self.span(stmt), parent, (own.condition, stream));
                condition.push((stream, next));
                step.push((stream, next));
                if inside.is_none() && reaches_body {
                    let candidate = body_of(self, next);
                    self.entry[inner].push((stream, candidate));
                }
            }
            self.entry[inner].extend(inside.map(|inside| (stream, inside)));
        }
        // A jump in the first clause of a `for` can reach a label in the body without passing the condition.
        for stream in self.streams_at(inner_point) {
            if find(&self.entry[inner], stream).is_none() {
                let candidate = self.origin(stream);
                self.entry[inner].push((stream, candidate));
            }
        }
        self.entry[inner].sort_by_key(|&(stream, _)| stream);
        self.condition.insert(stmt, condition);
        self.step.insert(stmt, step);
    }

    fn do_loop(&mut self, stmt: StmtId, inner: StmtId) {
        let own = self.points.stmts[stmt];
        let inner_point = self.points.stmts[inner].entry;
        let mut condition = StreamCandidates::new();
        let mut all: SmallVec<[Element; 2]> = self.streams_at(inner_point);
        all.extend(self.streams_at(own.condition));
        all.sort_unstable();
        all.dedup();
        for stream in all {
            let brought = self.at_label(stream, inner);
            let first = brought.or_else(|| {
                let parent = find(&self.entry[stmt], stream)?;
                Some(self.derive_at(Rule::LoopEntry, self.span(inner), parent, (inner_point, stream)))
            });
            let repeats = self.streams.passes(inner_point, stream)
                && self.points.successors[own.decision].contains(&inner_point);
            let mut inside = first;
            if self.streams.passes(own.condition, stream) {
                let parent = first.unwrap_or_else(|| self.origin(stream));
                let next =
                    self.derive_at(Rule::NextIteration, self.span(stmt), parent, (own.condition, stream));
                condition.push((stream, next));
                if repeats {
                    let later = self.derive_at(Rule::LoopBody, self.span(inner), next, (inner_point, stream));
                    match first {
                        Some(first) => {
                            self.rounds.insert(first, later);
                        }
                        None => inside = Some(later),
                    }
                }
            }
            self.entry[inner].extend(inside.map(|inside| (stream, inside)));
        }
        self.condition.insert(stmt, condition);
    }

    /// Sets the parent of each jump's candidate: the candidate of a stream that the jump carries. The stream is chosen
    /// so that the parents lead back to the base stream. In a goto cycle, not every stream does.
    fn settle_parents(&mut self) {
        let mut carried: IndexVec<JumpId, Option<Element>> = index_vec![None; self.jumped.len()];
        let mut open: Vec<JumpId> = self.jumped.indices().collect();
        let mut streams = VecDeque::from([Element::Base]);
        while let Some(stream) = streams.pop_front() {
            let number = stream.number(self.streams.jumps.len());
            let carries = |jump: &mut JumpId| self.streams.parents(*jump).contains(number);
            for jump in open.extract_if(.., carries) {
                carried[jump] = Some(stream);
                streams.push_back(Element::Jump(jump));
            }
        }
        let named = self.jumped.iter_enumerated().filter(|(_, candidate)| candidate.is_some());
        let mut todo: VecDeque<JumpId> = named.map(|(jump, _)| jump).collect();
        while let Some(jump) = todo.pop_front() {
            let (Some(stream), Some(candidate)) = (carried[jump], self.jumped[jump]) else { continue };
            // A stream beyond the limit gets its candidate only here.
            if let Element::Jump(older) = stream
                && self.jumped[older].is_none()
            {
                todo.push_back(older);
            }
            let source = self.streams.jumps[jump].source;
            self.candidates[candidate].parent = Some(self.in_stmt(source, stream));
        }
    }

    fn finish(mut self) -> Tangles {
        let body = self.body;
        self.settle_parents();
        let operands: IndexVec<OperandId, TangleFacts> = body
            .operands
            .indices()
            .map(|id| {
                let operand = &body.operands[id];
                self.facts(operand.stmt, operand.role, Some(id))
            })
            .collect();
        let stmts = body
            .stmts
            .indices()
            .map(|stmt| {
                // Threads enter the block of a `switch` at its labels. The block itself has the facts of the `switch`.
                let of = match body.stmts[stmt].parent {
                    Some(parent)
                        if matches!(body.stmts[parent].kind, StmtKind::Switch { .. })
                            && matches!(body.stmts[stmt].kind, StmtKind::Compound(_)) =>
                    {
                        parent
                    }
                    _ => stmt,
                };
                let point = self.points.stmts[of].entry;
                let passing = self.entry[stmt].clone();
                self.facts_of(point, &passing)
            })
            .collect();
        let calls = body
            .calls
            .iter()
            .map(|call| match call.operand {
                Some(operand) => operands[operand].clone(),
                None => self.facts(call.stmt, call.role, None),
            })
            .collect();
        let (doubts, jumps) = (self.doubts.finish(), self.streams.jumps.clone());
        Tangles { candidates: self.candidates, stmts, calls, operands, doubts, jumps }
    }

    fn facts(&mut self, stmt: StmtId, role: EvaluationTime, operand: Option<OperandId>) -> TangleFacts {
        let own = self.points.stmts[stmt];
        let point = match role {
            EvaluationTime::Entry => own.entry,
            EvaluationTime::LoopCondition => own.condition,
            EvaluationTime::LoopStep => own.step,
        };
        let mut passing = self.evaluating(stmt, role);
        if let Some(operand) = operand {
            if !self.body.operands[operand].reachable {
                return TangleFacts::default();
            }
            for (_, candidate) in &mut passing {
                *candidate = self.operand(operand, *candidate);
            }
        }
        self.facts_of(point, &passing)
    }

    fn facts_of(&mut self, point: Point, passing: &StreamCandidates) -> TangleFacts {
        // The base first, then the streams of jumps in the order of the sites of their candidates.
        let mut order: Vec<&(Element, CandidateId)> = passing.iter().collect();
        order.sort_by_key(|(stream, candidate)| {
            (*stream != Element::Base, self.candidates[*candidate].site.start)
        });
        let mut candidates = Vec::with_capacity(passing.len());
        for &&(_, candidate) in &order {
            candidates.push(candidate);
            candidates.extend(self.rounds.get(&candidate));
        }
        TangleFacts {
            candidates: candidates.into(),
            reachable: self.streams.reached(point),
            doubt: self.doubts.at(point),
        }
    }
}

fn find(passing: &StreamCandidates, stream: Element) -> Option<CandidateId> {
    passing.iter().find(|(other, _)| *other == stream).map(|&(_, candidate)| candidate)
}
