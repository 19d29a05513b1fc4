//! Which sets of streams are unrelated, and why (`docs/semantics.md` §3).
//!
//! A point is in doubt if a mark stands behind a goto cycle, if a stream is a family, or if two streams are unrelated. A stream
//! whose own jump was in doubt carries several tangles at once: as good as a family. That makes doubts depend on
//! doubts; they are the least fixpoint, and each set is judged once.

use std::cell::Cell;

use index_vec::{IndexVec, index_vec};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::points::{Point, Points};
use super::sets::{Set, SetId};
use super::streams::{Element, JumpId, Streams};
use super::{Doubt, DoubtId};
use crate::hir::body::{Body, StmtId};

/// Steps that the search for related streams may take in one body. What is not found by then is taken as unrelated, which
/// errs on the side of a warning.
const MAX_STEPS: usize = 5_000_000;

pub struct Doubts<'a> {
    streams: &'a Streams,
    /// Jumps that carry several tangles, unrelated to each other.
    several: IndexVec<JumpId, bool>,
    judged: FxHashMap<SetId, Option<DoubtId>>,
    /// For jumps that were asked for, all that is in what they carry.
    histories: FxHashMap<JumpId, Set>,
    doubts: IndexSet<Doubt, FxBuildHasher>,
    /// Steps left of [`MAX_STEPS`].
    steps_left: Cell<usize>,
}

impl<'a> Doubts<'a> {
    pub fn new(points: &Points, streams: &'a Streams) -> Doubts<'a> {
        let mut doubts = Doubts {
            streams,
            several: index_vec![false; streams.jumps.len()],
            judged: FxHashMap::default(),
            histories: FxHashMap::default(),
            doubts: IndexSet::default(),
            steps_left: Cell::new(MAX_STEPS),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (id, jump) in streams.jumps.iter_enumerated() {
                if !doubts.several[id] && doubts.carries_several(id, points.stmts[jump.source].head) {
                    doubts.several[id] = true;
                    changed = true;
                }
            }
        }
        doubts
    }

    /// The doubt at a point, if there is one.
    pub fn at(&mut self, point: Point) -> Option<DoubtId> {
        let set = self.streams.set(point);
        if let Some(&known) = self.judged.get(&set) {
            return known;
        }
        let passing = self.streams.at(point);
        let elements: Vec<Element> = self.streams.elements(passing).collect();
        let doubt = self.in_doubt(&elements).then(|| {
            let doubt = self.describe(passing, &elements);
            DoubtId::new(self.doubts.insert_full(doubt).0)
        });
        self.judged.insert(set, doubt);
        doubt
    }

    /// Whether a jump's stream is several tangles: it leaves a loop on different iterations, or was in doubt itself.
    pub fn is_family(&self, jump: JumpId) -> bool {
        self.several[jump] || self.streams.jumps[jump].leaves.is_some()
    }

    pub fn finish(self) -> IndexVec<DoubtId, Doubt> {
        self.doubts.into_iter().collect()
    }

    fn carries_several(&self, id: JumpId, source: Point) -> bool {
        let jump = &self.streams.jumps[id];
        let from_cycle = self.streams.behind(source).any(|cycle| {
            let cycle = &self.streams.jumps[cycle];
            !(cycle.target..=cycle.source).contains(&jump.target)
        });
        // A jump that closes a cycle carries itself round; that is no second tangle.
        let parents = self.streams.elements(self.streams.parents(id));
        let parents: Vec<Element> = parents.filter(|&parent| parent != Element::Jumped(id)).collect();
        from_cycle || self.in_doubt(&parents)
    }

    fn in_doubt(&self, elements: &[Element]) -> bool {
        elements.iter().enumerate().any(|(index, &element)| match element {
            Element::Behind(_) => true,
            Element::Jumped(jump) if self.is_family(jump) => true,
            _ => elements[..index].iter().any(|&other| !self.related(element, other)),
        })
    }

    fn related(&self, a: Element, b: Element) -> bool {
        match (a, b) {
            (Element::Jumped(a), Element::Jumped(b)) => {
                self.next_iteration(a, b) || self.next_iteration(b, a)
            }
            _ => false,
        }
    }

    /// Whether `later` closes a goto cycle that `first` enters, and carries only what `first` brought in.
    fn next_iteration(&self, later: JumpId, first: JumpId) -> bool {
        let cycle = &self.streams.jumps[later];
        // A loop around the label has turns of its own between the entry and the way back.
        if !cycle.cycle
            || cycle.enters_loop
            || !(cycle.target..=cycle.source).contains(&self.streams.jumps[first].target)
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
        // Threads that left a goto cycle in sequence are described by the cycle.
        if !passing.contains(base) || elements.iter().any(|element| matches!(element, Element::Behind(_))) {
            ways.remove(base);
        }
        let rejoins = self.rejoins(&ways);
        Doubt { ways, marked: None, rejoins, inherited: false }
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
