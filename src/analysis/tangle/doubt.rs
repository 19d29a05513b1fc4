//! Decides which sets of streams are unrelated, and why (`docs/semantics.md` §3).
//!
//! A point is in doubt if its set contains [`Element::AfterCycle`], a family, or two unrelated streams. A stream whose own
//! jump is in doubt carries several tangles, like a family. So doubts depend on doubts: the result is the least
//! fixpoint. Each set is judged once.
//!
//! A backward jump **comes back** to a statement after its label if all threads of the jump executed the statement in
//! sequence before. Then the tangle of the jump derives from the tangle of the statement. The two are related at this
//! statement, but not necessarily at other statements that both reach (§3.3):
//!
//! ```c
//! if (w) { L: a(); }  // a: two tangles, neither derived from the other
//! b();                // b: the second one derives from the first
//! if (w) goto L;
//! c();                // c: two tangles, neither derived from the other
//! ```

use std::cell::Cell;

use index_vec::{IndexVec, index_vec};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::points::{Point, Points};
use super::sets::{Set, SetId};
use super::streams::{Element, Jump, JumpId, Streams};
use super::{DoubtId, ImplementationDefined};
use tangle_hir::body::{Body, StmtId, StmtKind};

/// The maximum number of steps of the search for related streams in one body. After that, streams count as unrelated,
/// which can only add warnings.
const MAX_STEPS: usize = 5_000_000;

/// How the tangles of a set of streams are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// Related at every statement.
    Related,
    /// Related at the judged statement, because this jump comes back to it.
    RelatedByReturn(JumpId),
    InDoubt,
}

pub struct DoubtAnalysis<'a> {
    body: &'a Body,
    points: &'a Points,
    streams: &'a Streams,
    /// The jumps that close goto cycles.
    cycles: Vec<JumpId>,
    /// Whether a jump carries several tangles that are unrelated to each other.
    carries_unrelated: IndexVec<JumpId, bool>,
    /// For a jump that carries two tangles, one derived from the other: the jump that comes back to this one.
    returned_to_by: IndexVec<JumpId, Option<JumpId>>,
    /// The jumps with an entry in `returned_to_by`.
    jumps_returned_to: Vec<JumpId>,
    /// Jumps that close a goto cycle, and enter a loop again in each of its iterations. From the beginning of that loop
    /// to the label, the tangles that they bring are a family.
    reentering_loops: Vec<JumpId>,
    /// The verdicts so far. The key contains a statement only if the verdict depends on it.
    judged: FxHashMap<(SetId, Option<StmtId>), Option<DoubtId>>,
    /// The computed results of `find_history`.
    carried_streams: FxHashMap<JumpId, Set>,
    doubts: IndexSet<ImplementationDefined, FxBuildHasher>,
    /// Steps left of [`MAX_STEPS`].
    steps_left: Cell<usize>,
}

impl<'a> DoubtAnalysis<'a> {
    pub fn new(body: &'a Body, points: &'a Points, streams: &'a Streams) -> DoubtAnalysis<'a> {
        let closes = |(id, jump): (JumpId, &Jump)| jump.cycle.then_some(id);
        let mut doubts = DoubtAnalysis {
            body,
            points,
            streams,
            cycles: streams.jumps.iter_enumerated().filter_map(closes).collect(),
            carries_unrelated: index_vec![false; streams.jumps.len()],
            returned_to_by: index_vec![None; streams.jumps.len()],
            jumps_returned_to: Vec::new(),
            reentering_loops: streams
                .jumps
                .iter_enumerated()
                .filter(|(id, jump)| jump.cycle && jump.enters_loop && streams.carries_itself(*id))
                .map(|(id, _)| id)
                .collect(),
            judged: FxHashMap::default(),
            carried_streams: FxHashMap::default(),
            doubts: IndexSet::default(),
            steps_left: Cell::new(MAX_STEPS),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for id in streams.jumps.indices() {
                changed |= !doubts.carries_unrelated[id] && doubts.judge_carried(id);
            }
        }
        doubts
    }

    /// Returns the doubt at a point; None if convergence is defined there.
    pub fn at(&mut self, point: Point) -> Option<DoubtId> {
        let passing = self.streams.at(point);
        let stmt = self.points.scope[point].filter(|&stmt| {
            // Only at the entry: later iterations of a loop have another tangle.
            self.points.stmts[stmt].entry == point && self.may_come_back(passing, stmt)
        });
        // Before the label, the stream arrives once for each iteration of its goto cycle: a family.
        let is_apart = |stmt: StmtId| {
            let before = |jump: &JumpId| stmt < self.streams.jumps[*jump].target;
            self.reentering_loops.iter().any(|jump| before(jump) && self.is_among(*jump, passing))
        };
        let apart = self.points.scope[point].filter(|&stmt| is_apart(stmt));
        let key = (self.streams.set(point), apart.or(stmt));
        if let Some(&known) = self.judged.get(&key) {
            return known;
        }
        let elements: Vec<Element> = self.streams.elements(passing).collect();
        let doubt = (apart.is_some() || self.judge(&elements, stmt) == Relation::InDoubt).then(|| {
            let doubt = self.describe(passing, &elements);
            DoubtId::new(self.doubts.insert_full(doubt).0)
        });
        self.judged.insert(key, doubt);
        doubt
    }

    /// Whether the stream of a jump has several tangles: the jump leaves a loop in different iterations, or is in
    /// doubt.
    pub fn is_family(&self, jump: JumpId) -> bool {
        self.carries_unrelated[jump] || self.streams.jumps[jump].leaves.is_some()
    }

    pub fn finish(self) -> IndexVec<DoubtId, ImplementationDefined> {
        self.doubts.into_iter().collect()
    }

    /// Judges the tangles that a jump carries. Returns whether the result changed.
    fn judge_carried(&mut self, id: JumpId) -> bool {
        let jump = &self.streams.jumps[id];
        let source = self.points.stmts[jump.source].head;
        let from_cycle = self.streams.cycles_before(source).any(|cycle| {
            let cycle = &self.streams.jumps[cycle];
            !(cycle.target..=cycle.source).contains(&jump.target)
        });
        // A jump that closes a goto cycle also carries its own stream, which is not a second tangle.
        let parents = self.streams.elements(self.streams.parents(id));
        let parents: Vec<Element> = parents.filter(|&parent| parent != Element::Jump(id)).collect();
        match self.judge(&parents, Some(jump.source)) {
            _ if from_cycle => self.carries_unrelated[id] = true,
            Relation::InDoubt => self.carries_unrelated[id] = true,
            // The tangle that it brings derives from the one that it brought before.
            Relation::RelatedByReturn(later) if later == id => return false,
            Relation::RelatedByReturn(later) if self.returned_to_by[id] != Some(later) => {
                // Only one jump that comes back is tracked. Two count as unrelated tangles.
                self.carries_unrelated[id] = self.returned_to_by[id].is_some();
                if self.returned_to_by[id].replace(later).is_none() {
                    self.jumps_returned_to.push(id);
                }
            }
            Relation::RelatedByReturn(_) | Relation::Related => return false,
        }
        true
    }

    /// Returns how the tangles of some streams are related; at the entry of `stmt`, if given.
    fn judge(&self, elements: &[Element], stmt: Option<StmtId>) -> Relation {
        let is_in_doubt = |&element: &Element| match element {
            Element::AfterCycle(_) => true,
            Element::Jump(jump) => self.is_family(jump),
            Element::Base => false,
        };
        if elements.iter().any(is_in_doubt) {
            return Relation::InDoubt;
        }
        let mut laters = elements.iter().filter_map(|&element| match element {
            Element::Jump(jump) => self.returned_to_by[jump],
            _ => None,
        });
        let mut later = laters.next();
        if laters.any(|other| Some(other) != later) {
            return Relation::InDoubt;
        }
        let unrelated = |(index, &element): (usize, &Element)| {
            elements[..index].iter().any(|&other| !self.related(element, other))
        };
        if elements.iter().enumerate().any(unrelated) {
            let pair = stmt.and_then(|stmt| self.coming_back(elements, stmt));
            if pair.is_none() || later.is_some_and(|later| Some(later) != pair) {
                return Relation::InDoubt;
            }
            later = pair;
        }
        match (later, stmt) {
            (None, _) => Relation::Related,
            (Some(later), Some(stmt)) if self.comes_back(later, stmt) => Relation::RelatedByReturn(later),
            _ => Relation::InDoubt,
        }
    }

    fn related(&self, a: Element, b: Element) -> bool {
        let jumps = &self.streams.jumps;
        let rounds_of = |later: Element, first: Element| match later {
            Element::Jump(later) => self.streams.rounds(later).contains(first.number(jumps.len())),
            _ => false,
        };
        let by_jumps = match (a, b) {
            // Siblings: neither of two jumps to one label is the next iteration of the other.
            (Element::Jump(a), Element::Jump(b))
                if jumps[a].has_siblings && jumps[b].has_siblings && jumps[a].target == jumps[b].target =>
            {
                return false;
            }
            (Element::Jump(a), Element::Jump(b)) => self.next_iteration(a, b) || self.next_iteration(b, a),
            _ => false,
        };
        by_jumps || rounds_of(a, b) || rounds_of(b, a)
    }

    /// Whether `later` closes a goto cycle that `first` enters, and carries only threads that `first` brought into it.
    fn next_iteration(&self, later: JumpId, first: JumpId) -> bool {
        let cycle = &self.streams.jumps[later];
        let first_jump = &self.streams.jumps[first];
        // A loop around the label has iterations of its own between the entry and the back edge.
        if !cycle.cycle
            || cycle.enters_loop
            || !(cycle.target..=cycle.source).contains(&first_jump.target)
            || cycle.bypassed_in_loop.is_some_and(|around| !self.body.contains(around, first_jump.source))
        {
            return false;
        }
        let mut seen = FxHashSet::from_iter([later]);
        let mut todo = vec![later];
        while let Some(jump) = todo.pop() {
            let parents = self.streams.parents(jump);
            let Some(left) = self.steps_left.get().checked_sub(1 + parents.len()) else { return false };
            self.steps_left.set(left);
            for parent in self.streams.elements(parents) {
                match parent {
                    Element::Jump(parent) if parent == first || !seen.insert(parent) => {}
                    Element::Jump(parent) => todo.push(parent),
                    _ => return false,
                }
            }
        }
        true
    }

    /// Whether streams that are unrelated elsewhere may be related at this statement.
    fn may_come_back(&self, passing: &Set, stmt: StmtId) -> bool {
        let first: SmallVec<[Element; 3]> = self.streams.elements(passing).take(3).collect();
        self.coming_back(&first, stmt).is_some()
            || self.jumps_returned_to.iter().any(|&jump| self.is_among(jump, passing))
    }

    fn is_among(&self, jump: JumpId, passing: &Set) -> bool {
        passing.contains(Element::Jump(jump).number(self.streams.jumps.len()))
    }

    /// Returns, for exactly two streams, the jump of the one that may come back to a statement.
    fn coming_back(&self, elements: &[Element], stmt: StmtId) -> Option<JumpId> {
        let &[a, b] = elements else { return None };
        // A stream whose jump closes a goto cycle arrives more than once.
        let is_there_once = |element: Element| match element {
            Element::Jump(jump) => !self.streams.jumps[jump].cycle,
            _ => element == Element::Base,
        };
        [(b, a), (a, b)].into_iter().find_map(|(later, first)| match later {
            Element::Jump(later) if is_there_once(first) => self.may_return_to(later, stmt).then_some(later),
            _ => None,
        })
    }

    fn may_return_to(&self, later: JumpId, stmt: StmtId) -> bool {
        let jump = &self.streams.jumps[later];
        let is_between = |jump: &Jump| (jump.target..=jump.source).contains(&stmt);
        // Threads may also iterate by another goto cycle around `stmt`, whose jump comes before this one.
        let goes_round_elsewhere = |&id: &JumpId| {
            let other = &self.streams.jumps[id];
            id != later && is_between(other) && other.source < jump.source
        };
        jump.cycle && is_between(jump) && !self.cycles.iter().any(goes_round_elsewhere)
    }

    /// Whether all threads that a jump carries executed a statement in sequence before they reached the jump.
    fn comes_back(&self, later: JumpId, stmt: StmtId) -> bool {
        let mut seen = FxHashSet::from_iter([later]);
        let mut todo = vec![later];
        while let Some(jump) = todo.pop() {
            let source = self.streams.jumps[jump].source;
            // Includes the stream of the jump itself: it does not derive from a statement that it bypassed.
            let arriving = self.streams.at(self.points.stmts[source].head);
            let Some(left) = self.steps_left.get().checked_sub(1 + arriving.len()) else { return false };
            self.steps_left.set(left);
            for stream in self.streams.elements(arriving) {
                match stream {
                    // The stream begins at a label between the two. Its position at its own jump decides.
                    Element::Jump(own)
                        if (stmt..=source).contains(&self.streams.jumps[own].target)
                            && self.streams.jumps[own].target != stmt =>
                    {
                        todo.extend(Some(own).filter(|&own| seen.insert(own)));
                    }
                    _ if !self.is_before(stmt, source) => return false,
                    _ => {}
                }
            }
        }
        true
    }

    /// Whether the tangle of `later` derives from that of `stmt` by `sequence` and nesting alone: `stmt` contains
    /// `later`, or precedes it in a block that contains `later`.
    fn is_before(&self, stmt: StmtId, later: StmtId) -> bool {
        let stmts = &self.body.stmts;
        let mut outer = stmt;
        // A label has the tangle of its substatement, and a block that of its first statement.
        while let Some(parent) = stmts[outer].parent {
            outer = match &stmts[parent].kind {
                StmtKind::Label(_) | StmtKind::Case(_) | StmtKind::Default(_) => parent,
                StmtKind::Compound(children)
                    if children.first() == Some(&outer)
                        && stmts[parent].parent.is_some_and(|around| {
                            matches!(stmts[around].kind, StmtKind::Compound(_) | StmtKind::Label(_))
                        }) =>
                {
                    parent
                }
                _ => break,
            };
        }
        let block = stmts[outer].parent.filter(|&block| matches!(stmts[block].kind, StmtKind::Compound(_)));
        self.body.contains(stmt, later)
            || outer <= later && block.is_some_and(|block| self.body.contains(block, later))
    }

    fn describe(&mut self, passing: &Set, elements: &[Element]) -> ImplementationDefined {
        let mut paths = passing.clone();
        for &element in elements {
            if let Element::Jump(jump) = element
                && self.carries_unrelated[jump]
            {
                // The doubt began before this jump: the arrivals that met there are causes too.
                paths.add(self.history(jump));
            }
        }
        paths.truncate(self.streams.max_words());
        let base = Element::Base.number(self.streams.jumps.len());
        // Threads that left a goto cycle in sequence are described by the cycle. Threads that entered a goto cycle in
        // sequence are related to each stream that jumps back to its label. Only these streams are unrelated.
        let left_a_cycle = || elements.iter().any(|element| matches!(element, Element::AfterCycle(_)));
        if !passing.contains(base) || left_a_cycle() || self.are_siblings(elements) {
            paths.remove(base);
        }
        let rejoins = self.rejoins(&paths);
        ImplementationDefined { arrivals: paths, marked: None, reconverges_after: rejoins, inherited: false }
    }

    /// Whether all streams except the base are siblings: their jumps close goto cycles at one label.
    fn are_siblings(&self, elements: &[Element]) -> bool {
        let mut labels = elements.iter().filter(|&&it| it != Element::Base).map(|element| match element {
            Element::Jump(jump) => {
                let jump = &self.streams.jumps[*jump];
                jump.has_siblings.then_some(jump.target)
            }
            _ => None,
        });
        let first = labels.next().flatten();
        first.is_some() && labels.all(|label| label == first)
    }

    /// Returns a jump with all streams that it carries, and so on for each of these that carries several tangles.
    fn history(&mut self, jump: JumpId) -> &Set {
        if !self.carried_streams.contains_key(&jump) {
            let history = self.find_history(jump);
            self.carried_streams.insert(jump, history);
        }
        &self.carried_streams[&jump]
    }

    fn find_history(&self, jump: JumpId) -> Set {
        let number = |jump| Element::Jump(jump).number(self.streams.jumps.len());
        let mut history = Set::from_iter([number(jump)]);
        let mut todo = vec![jump];
        while let Some(jump) = todo.pop() {
            if let Some(known) = self.carried_streams.get(&jump) {
                history.add(known);
            } else if self.carries_unrelated[jump] {
                let new = history.add(self.streams.parents(jump));
                history.truncate(self.streams.max_words());
                todo.extend(self.streams.elements(&new).filter_map(|element| match element {
                    Element::Jump(older) if history.contains(number(older)) => Some(older),
                    _ => None,
                }));
            }
        }
        history.truncate(self.streams.max_words());
        history
    }

    /// Returns the outermost extent. The other extents end inside it.
    fn rejoins(&self, paths: &Set) -> StmtId {
        let extents = self.streams.elements(paths).filter_map(|way| match way {
            Element::Base => None,
            Element::Jump(jump) | Element::AfterCycle(jump) => Some(self.streams.jumps[jump].extent),
        });
        extents.min().unwrap_or(Body::ROOT)
    }
}
