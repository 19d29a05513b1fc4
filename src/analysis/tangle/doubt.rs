//! Which sets of streams are unrelated, and why (`docs/semantics.md` §3).
//!
//! A point is in doubt if a mark stands behind a goto cycle, if a stream is a family, or if two streams are unrelated. A stream
//! whose own jump was in doubt carries several tangles at once: as good as a family. That makes doubts depend on
//! doubts; they are the least fixpoint, and each set is judged once.
//!
//! **Comes back** to a statement: a jump to before it all of whose threads executed it in sequence before they came to the jump. Then its tangle
//! derives from the one there, and the two are related at this statement, if not at others that they share (§3.3):
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
use super::{Doubt, DoubtId};
use tangle_hir::body::{Body, StmtId, StmtKind};

/// Steps that the search for related streams may take in one body. What is not found by then is taken as unrelated, which
/// errs on the side of a warning.
const MAX_STEPS: usize = 5_000_000;

/// How some tangles are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    /// Everywhere.
    Related,
    /// At this statement: a jump comes back to it.
    ComesBack(JumpId),
    InDoubt,
}

pub struct Doubts<'a> {
    body: &'a Body,
    points: &'a Points,
    streams: &'a Streams,
    /// The jumps that close goto cycles.
    cycles: Vec<JumpId>,
    /// Jumps that carry several tangles, unrelated to each other.
    several: IndexVec<JumpId, bool>,
    /// For a jump that carries tangles of which one derives from the other, since another jump comes back to it: that other one.
    comes_with: IndexVec<JumpId, Option<JumpId>>,
    /// The jumps for which there is one.
    carrying_back: Vec<JumpId>,
    /// Jumps that enter a loop again with each iteration of the goto cycle that they close. Between the loop's beginning and their label, the tangles that
    /// they bring are a family.
    entering_again: Vec<JumpId>,
    /// By set, and for a set that a jump may come back with, by statement.
    judged: FxHashMap<(SetId, Option<StmtId>), Option<DoubtId>>,
    /// For jumps that were asked for, all that is in what they carry.
    histories: FxHashMap<JumpId, Set>,
    doubts: IndexSet<Doubt, FxBuildHasher>,
    /// Steps left of [`MAX_STEPS`].
    steps_left: Cell<usize>,
}

impl<'a> Doubts<'a> {
    pub fn new(body: &'a Body, points: &'a Points, streams: &'a Streams) -> Doubts<'a> {
        let closes = |(id, jump): (JumpId, &Jump)| jump.cycle.then_some(id);
        let mut doubts = Doubts {
            body,
            points,
            streams,
            cycles: streams.jumps.iter_enumerated().filter_map(closes).collect(),
            several: index_vec![false; streams.jumps.len()],
            comes_with: index_vec![None; streams.jumps.len()],
            carrying_back: Vec::new(),
            entering_again: streams
                .jumps
                .iter_enumerated()
                .filter(|(id, jump)| jump.cycle && jump.enters_loop && streams.carries_itself(*id))
                .map(|(id, _)| id)
                .collect(),
            judged: FxHashMap::default(),
            histories: FxHashMap::default(),
            doubts: IndexSet::default(),
            steps_left: Cell::new(MAX_STEPS),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for id in streams.jumps.indices() {
                changed |= !doubts.several[id] && doubts.judge_carried(id);
            }
        }
        doubts
    }

    /// The doubt at a point, if there is one.
    pub fn at(&mut self, point: Point) -> Option<DoubtId> {
        let passing = self.streams.at(point);
        let stmt = self.points.scope[point].filter(|&stmt| {
            // Where a loop goes round there is another tangle than where it begins.
            self.points.stmts[stmt].entry == point && self.may_come_back(passing, stmt)
        });
        // Where a stream comes anew by each iteration of a goto cycle that it has left, it is a family.
        let is_apart = |stmt: StmtId| {
            let before = |jump: &JumpId| stmt < self.streams.jumps[*jump].target;
            self.entering_again.iter().any(|jump| before(jump) && self.is_among(*jump, passing))
        };
        let apart = self.points.scope[point].filter(|&stmt| is_apart(stmt));
        let key = (self.streams.set(point), apart.or(stmt));
        if let Some(&known) = self.judged.get(&key) {
            return known;
        }
        let elements: Vec<Element> = self.streams.elements(passing).collect();
        let doubt = (apart.is_some() || self.judge(&elements, stmt) == Judged::InDoubt).then(|| {
            let doubt = self.describe(passing, &elements);
            DoubtId::new(self.doubts.insert_full(doubt).0)
        });
        self.judged.insert(key, doubt);
        doubt
    }

    /// Whether a jump's stream is several tangles: it leaves a loop on different iterations, or was in doubt itself.
    pub fn is_family(&self, jump: JumpId) -> bool {
        self.several[jump] || self.streams.jumps[jump].leaves.is_some()
    }

    pub fn finish(self) -> IndexVec<DoubtId, Doubt> {
        self.doubts.into_iter().collect()
    }

    /// Judges what a jump carries; says whether that is news.
    fn judge_carried(&mut self, id: JumpId) -> bool {
        let jump = &self.streams.jumps[id];
        let source = self.points.stmts[jump.source].head;
        let from_cycle = self.streams.behind(source).any(|cycle| {
            let cycle = &self.streams.jumps[cycle];
            !(cycle.target..=cycle.source).contains(&jump.target)
        });
        // A jump that closes a cycle carries itself round; that is no second tangle.
        let parents = self.streams.elements(self.streams.parents(id));
        let parents: Vec<Element> = parents.filter(|&parent| parent != Element::Jumped(id)).collect();
        match self.judge(&parents, Some(jump.source)) {
            _ if from_cycle => self.several[id] = true,
            Judged::InDoubt => self.several[id] = true,
            // What it brings derives from what it brought before.
            Judged::ComesBack(later) if later == id => return false,
            Judged::ComesBack(later) if self.comes_with[id] != Some(later) => {
                // One that comes back together with another is more than is known.
                self.several[id] = self.comes_with[id].is_some();
                if self.comes_with[id].replace(later).is_none() {
                    self.carrying_back.push(id);
                }
            }
            Judged::ComesBack(_) | Judged::Related => return false,
        }
        true
    }

    /// How the tangles of some streams are related; at the beginning of a statement, if one is given.
    fn judge(&self, elements: &[Element], stmt: Option<StmtId>) -> Judged {
        let is_in_doubt = |&element: &Element| match element {
            Element::Behind(_) => true,
            Element::Jumped(jump) => self.is_family(jump),
            Element::Base => false,
        };
        if elements.iter().any(is_in_doubt) {
            return Judged::InDoubt;
        }
        let mut laters = elements.iter().filter_map(|&element| match element {
            Element::Jumped(jump) => self.comes_with[jump],
            _ => None,
        });
        let mut later = laters.next();
        if laters.any(|other| Some(other) != later) {
            return Judged::InDoubt;
        }
        let unrelated = |(index, &element): (usize, &Element)| {
            elements[..index].iter().any(|&other| !self.related(element, other))
        };
        if elements.iter().enumerate().any(unrelated) {
            let pair = stmt.and_then(|stmt| self.coming_back(elements, stmt));
            if pair.is_none() || later.is_some_and(|later| Some(later) != pair) {
                return Judged::InDoubt;
            }
            later = pair;
        }
        match (later, stmt) {
            (None, _) => Judged::Related,
            (Some(later), Some(stmt)) if self.comes_back(later, stmt) => Judged::ComesBack(later),
            _ => Judged::InDoubt,
        }
    }

    fn related(&self, a: Element, b: Element) -> bool {
        let jumps = &self.streams.jumps;
        let rounds_of = |later: Element, first: Element| match later {
            Element::Jumped(later) => self.streams.rounds(later).contains(first.number(jumps.len())),
            _ => false,
        };
        let by_jumps = match (a, b) {
            // What two jumps bring to one label is never the next iteration of each other.
            (Element::Jumped(a), Element::Jumped(b))
                if jumps[a].has_siblings && jumps[b].has_siblings && jumps[a].target == jumps[b].target =>
            {
                return false;
            }
            (Element::Jumped(a), Element::Jumped(b)) => {
                self.next_iteration(a, b) || self.next_iteration(b, a)
            }
            _ => false,
        };
        by_jumps || rounds_of(a, b) || rounds_of(b, a)
    }

    /// Whether `later` closes a goto cycle that `first` enters, and carries only what `first` brought in.
    fn next_iteration(&self, later: JumpId, first: JumpId) -> bool {
        let cycle = &self.streams.jumps[later];
        let first_jump = &self.streams.jumps[first];
        // A loop around the label has turns of its own between the entry and the way back.
        if !cycle.cycle
            || cycle.enters_loop
            || !(cycle.target..=cycle.source).contains(&first_jump.target)
            || cycle.passed_by_in.is_some_and(|around| !self.body.contains(around, first_jump.source))
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
                    Element::Jumped(parent) if parent == first || !seen.insert(parent) => {}
                    Element::Jumped(parent) => todo.push(parent),
                    _ => return false,
                }
            }
        }
        true
    }

    /// Whether streams may be related at this statement though they are not everywhere.
    fn may_come_back(&self, passing: &Set, stmt: StmtId) -> bool {
        let first: SmallVec<[Element; 3]> = self.streams.elements(passing).take(3).collect();
        self.coming_back(&first, stmt).is_some()
            || self.carrying_back.iter().any(|&jump| self.is_among(jump, passing))
    }

    fn is_among(&self, jump: JumpId, passing: &Set) -> bool {
        passing.contains(Element::Jumped(jump).number(self.streams.jumps.len()))
    }

    /// The jump of two streams that may come back to a statement.
    fn coming_back(&self, elements: &[Element], stmt: StmtId) -> Option<JumpId> {
        let &[a, b] = elements else { return None };
        // What comes round by a jump of its own is not there once.
        let is_there_once = |element: Element| match element {
            Element::Jumped(jump) => !self.streams.jumps[jump].cycle,
            _ => element == Element::Base,
        };
        [(b, a), (a, b)].into_iter().find_map(|(later, first)| match later {
            Element::Jumped(later) if is_there_once(first) => {
                self.may_lead_back(later, stmt).then_some(later)
            }
            _ => None,
        })
    }

    fn may_lead_back(&self, later: JumpId, stmt: StmtId) -> bool {
        let jump = &self.streams.jumps[later];
        let is_between = |jump: &Jump| (jump.target..=jump.source).contains(&stmt);
        // Who may go round another way, which does not pass the jump, is not what the jump comes back to.
        let goes_round_elsewhere = |&id: &JumpId| {
            let other = &self.streams.jumps[id];
            id != later && is_between(other) && other.source < jump.source
        };
        jump.cycle && is_between(jump) && !self.cycles.iter().any(goes_round_elsewhere)
    }

    /// Whether all threads that a jump carries executed a statement in sequence before they came to it.
    fn comes_back(&self, later: JumpId, stmt: StmtId) -> bool {
        let mut seen = FxHashSet::from_iter([later]);
        let mut todo = vec![later];
        while let Some(jump) = todo.pop() {
            let source = self.streams.jumps[jump].source;
            // Also what comes round by the jump: it does not derive from a statement that it went past.
            let arriving = self.streams.at(self.points.stmts[source].head);
            let Some(left) = self.steps_left.get().checked_sub(1 + arriving.len()) else { return false };
            self.steps_left.set(left);
            for stream in self.streams.elements(arriving) {
                match stream {
                    // It came in between, so that what counts is where it was when it jumped.
                    Element::Jumped(own)
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

    /// Whether the tangle of `later` derives from that of `stmt` by the rule `sequence`, and by being inside: `stmt` stands in a block around
    /// `later`, before what holds that one.
    fn is_before(&self, stmt: StmtId, later: StmtId) -> bool {
        let stmts = &self.body.stmts;
        let mut outer = stmt;
        // A label has the tangle of what it stands before, a block that of its first statement.
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

    fn describe(&mut self, passing: &Set, elements: &[Element]) -> Doubt {
        let mut ways = passing.clone();
        for &element in elements {
            if let Element::Jumped(jump) = element
                && self.several[jump]
            {
                // The doubt is older than this jump: what met before it belongs to the answer.
                ways.add(self.history(jump));
            }
        }
        ways.cut_to(self.streams.most_words());
        let base = Element::Base.number(self.streams.jumps.len());
        // Threads that left a goto cycle in sequence are described by the cycle. What entered one in sequence is related to all that jumps
        // back to its label bring; these are not.
        let left_a_cycle = || elements.iter().any(|element| matches!(element, Element::Behind(_)));
        if !passing.contains(base) || left_a_cycle() || self.are_siblings(elements) {
            ways.remove(base);
        }
        let rejoins = self.rejoins(&ways);
        Doubt { ways, marked: None, rejoins, inherited: false }
    }

    /// Whether all jumps among some streams close goto cycles at one label.
    fn are_siblings(&self, elements: &[Element]) -> bool {
        let mut labels = elements.iter().filter(|&&it| it != Element::Base).map(|element| match element {
            Element::Jumped(jump) => {
                let jump = &self.streams.jumps[*jump];
                jump.has_siblings.then_some(jump.target)
            }
            _ => None,
        });
        let first = labels.next().flatten();
        first.is_some() && labels.all(|label| label == first)
    }

    /// A jump and, as far as jumps carry several tangles, all that they carry.
    fn history(&mut self, jump: JumpId) -> &Set {
        if !self.histories.contains_key(&jump) {
            let history = self.find_history(jump);
            self.histories.insert(jump, history);
        }
        &self.histories[&jump]
    }

    fn find_history(&self, jump: JumpId) -> Set {
        let number = |jump| Element::Jumped(jump).number(self.streams.jumps.len());
        let mut history = Set::from_iter([number(jump)]);
        let mut todo = vec![jump];
        while let Some(jump) = todo.pop() {
            if let Some(known) = self.histories.get(&jump) {
                history.add(known);
            } else if self.several[jump] {
                let new = history.add(self.streams.parents(jump));
                history.cut_to(self.streams.most_words());
                todo.extend(self.streams.elements(&new).filter_map(|element| match element {
                    Element::Jumped(older) if history.contains(number(older)) => Some(older),
                    _ => None,
                }));
            }
        }
        history.cut_to(self.streams.most_words());
        history
    }

    /// The outermost extent: all others end inside it.
    fn rejoins(&self, ways: &Set) -> StmtId {
        let extents = self.streams.elements(ways).filter_map(|way| match way {
            Element::Base => None,
            Element::Jumped(jump) | Element::Behind(jump) => Some(self.streams.jumps[jump].extent),
        });
        extents.min().unwrap_or(Body::ROOT)
    }
}
