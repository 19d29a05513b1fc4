//! Which sets of streams are unrelated, and why (SEMANTICS §3).
//!
//! A point is in doubt if a mark stands behind a goto cycle, if a stream is a family, or if two streams are unrelated. A stream
//! whose own jump was in doubt carries several tangles at once: as good as a family. That makes doubts depend on
//! doubts; they are the least fixpoint, and each set is judged once.

use std::cell::Cell;

use index_vec::{IndexVec, index_vec};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::streams::{Element, Jump, JumpId, Left, SetId, Streams};
use super::{Arrival, Doubt, DoubtId};
use crate::hir::body::{Body, StmtId};
use crate::tangle::points::{Point, Points};

/// A doubt that describes this many streams looks no further into the past of any.
const MAX_OLDER: usize = 256;

/// Steps that the search for related streams may take in one body. What is not found by then is taken as unrelated, which
/// errs on the side of a warning.
const MAX_STEPS: usize = 5_000_000;

pub struct Doubts<'a> {
    streams: &'a Streams,
    /// Jumps that carry several tangles, unrelated to each other.
    several: IndexVec<JumpId, bool>,
    judged: FxHashMap<SetId, Option<DoubtId>>,
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
        let elements = self.streams.at(point);
        let doubt = self.in_doubt(elements).then(|| {
            let doubt = self.describe(elements);
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
        let from_cycle = self.streams.at(source).iter().any(|&element| match element {
            Element::Behind(cycle) => {
                let cycle = &self.streams.jumps[cycle];
                !(cycle.target..=cycle.source).contains(&jump.target)
            }
            _ => false,
        });
        // A jump that closes a cycle carries itself round; that is no second tangle.
        let parents: Vec<Element> = self.streams.parents[id]
            .iter()
            .copied()
            .filter(|&parent| parent != Element::Jumped(id))
            .collect();
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
            let parents = &self.streams.parents[jump];
            let Some(left) = self.steps_left.get().checked_sub(1 + parents.len()) else { return false };
            self.steps_left.set(left);
            for &parent in parents {
                match parent {
                    Element::Jumped(parent) if parent == first || !seen.insert(parent) => {}
                    Element::Jumped(parent) => todo.push(parent),
                    _ => return false,
                }
            }
        }
        true
    }

    fn describe(&self, elements: &[Element]) -> Doubt {
        let mut in_sequence = elements.contains(&Element::Base);
        let mut jumps = Vec::new();
        let mut cycles = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = elements.to_vec();
        while let Some(element) = todo.pop() {
            if !seen.insert(element) {
                continue;
            }
            match element {
                Element::Base => {}
                Element::Behind(cycle) => cycles.push(cycle),
                Element::Jumped(jump) => {
                    jumps.push(jump);
                    if self.several[jump] && seen.len() < MAX_OLDER {
                        // The doubt is older than this jump: what met before it belongs to the answer.
                        todo.extend(
                            self.streams.parents[jump].iter().filter(|&&parent| parent != Element::Base),
                        );
                    }
                }
            }
        }
        jumps.sort_unstable();
        cycles.sort_unstable();
        // Threads that left a goto cycle in sequence are described by the cycle.
        in_sequence &= cycles.is_empty();
        let arrivals = in_sequence.then_some(Arrival::InSequence);
        let arrivals = arrivals.into_iter().chain(jumps.iter().map(|&jump| self.arrival(jump)));
        let arrivals = arrivals.chain(cycles.iter().map(|&cycle| {
            let Jump { source, target, .. } = self.streams.jumps[cycle];
            Arrival::Cycle { source, target }
        }));
        Doubt { arrivals: arrivals.collect(), rejoins: self.rejoins(&jumps, &cycles), inherited: false }
    }

    fn arrival(&self, jump: JumpId) -> Arrival {
        let Jump { kind, source, target, leaves, .. } = self.streams.jumps[jump];
        let leaves = leaves.map(|left| match left {
            Left::Loop(stmt) => stmt,
            Left::Cycle(cycle) => self.streams.jumps[cycle].target,
        });
        Arrival::Jump { kind, source, target, leaves }
    }

    /// The outermost extent: all others end inside it.
    fn rejoins(&self, jumps: &[JumpId], cycles: &[JumpId]) -> StmtId {
        let extents = jumps.iter().chain(cycles).map(|&jump| self.streams.jumps[jump].extent);
        extents.min().unwrap_or(Body::ROOT)
    }
}
