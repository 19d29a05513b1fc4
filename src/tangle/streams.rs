//! Which threads can meet at a point without being one tangle: streams.
//!
//! **Stream**: the threads of a body that share a history of jumps. The *base* stream holds those that no jump of this body set
//! apart; each jump (a `goto`, or a `switch` to one `case`) begins a stream of its own at its label. **Extent** of a jump: the
//! smallest statement that contains both the jump and its label, for a `case` the `switch`. At the end of its extent a
//! stream is again what it was at the jump (SEMANTICS §2, *distinct until*).
//!
//! ```c
//! if (c) goto out;  // extent: the whole block
//! a();              // {base}
//! out: b();         // {base, goto}: unrelated, implementation-defined
//! ```
//!
//! A backward `goto` whose threads all passed its label before brings no stream: it is the label's next iteration
//! (SEMANTICS §3.1). They leave such a **goto cycle** one iteration at a time, and nothing but the end of the extent brings
//! them together: behind the cycle the set holds a mark, [`Element::Behind`] (§3.3). A jump out of a loop or goto cycle makes
//! its stream a *family* (§3.2).
//!
//! The sets are the least fixpoint of passing elements along the edges of [`Points`]; they are hash-consed, since
//! neighbours mostly share theirs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, define_index_type, index_vec};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::ancestors::Ancestors;
use super::points::{Point, Points};
use crate::hir::body::{Body, StmtId, StmtKind};

/// More elements than this are not told apart at one point: it is implementation-defined with the first two.
const MAX_ELEMENTS: usize = 128;
/// The same for the points of a body together: each point of a larger body has an equal share, but no fewer than
/// [`MIN_ELEMENTS`].
const MAX_ELEMENTS_OF_BODY: usize = 1_000_000;
const MIN_ELEMENTS: usize = 4;
/// Backward jumps beyond this many in one body are never taken as a next iteration, which errs on the side of a warning.
const MAX_CYCLES: usize = 1_000;
/// Steps that the searches for goto cycles and for a second entry may take in one body, before they too err on that side.
const MAX_SEARCH: usize = 20_000_000;

define_index_type! {
    /// A jump from one statement to one label.
    pub struct JumpId = u32;
}

#[derive(Clone, Debug)]
pub struct Jump {
    pub kind: JumpKind,
    /// The `goto`, or the `switch`.
    pub source: StmtId,
    /// The labelled statement.
    pub target: StmtId,
    pub extent: StmtId,
    /// The label comes first, and threads run from it to the jump: together they are a goto cycle.
    pub cycle: bool,
    /// The label is in a loop that the jump is not in.
    pub enters_loop: bool,
    /// The innermost loop that the jump leaves, or else a goto cycle, if it repeats: that makes its stream a family.
    pub leaves: Option<Left>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpKind {
    Goto,
    Case,
    Default,
}

/// What a jump leaves whose iterations then arrive one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Loop(StmtId),
    Cycle(JumpId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Base,
    /// Threads that a jump brought, and that are still apart.
    Jumped(JumpId),
    /// Threads behind the goto cycle that this jump closes, iteration by iteration.
    Behind(JumpId),
}

define_index_type! {
    /// A hash-consed set of elements.
    pub struct SetId = u32;
}

pub struct Streams {
    pub jumps: IndexVec<JumpId, Jump>,
    at: IndexVec<Point, SetId>,
    sets: IndexSet<Box<[Element]>, FxBuildHasher>,
    /// For each jump, the streams that it carries on as its own.
    pub parents: IndexVec<JumpId, Vec<Element>>,
}

impl Streams {
    pub fn of(body: &Body, points: &Points, ancestors: &Ancestors) -> Streams {
        let mut flow = Flow::new(body, points, ancestors);
        flow.run();
        flow.finish()
    }

    /// The streams that pass a point, the base first, then jumps in source order, then marks. Empty: nothing reaches it.
    pub fn at(&self, point: Point) -> &[Element] {
        &self.sets[self.at[point].index()]
    }

    /// A number that two points share iff the same streams pass them.
    pub fn set(&self, point: Point) -> SetId {
        self.at[point]
    }

    pub fn reached(&self, point: Point) -> bool {
        !self.at(point).is_empty()
    }
}

/// All jumps of a body, in source order of their statements.
fn jumps(body: &Body, ancestors: &Ancestors) -> IndexVec<JumpId, Jump> {
    let mut jumps = IndexVec::new();
    for (id, stmt) in body.stmts.iter_enumerated() {
        let mut goto = |target: StmtId| {
            jumps.push(Jump {
                kind: JumpKind::Goto,
                source: id,
                target,
                extent: ancestors.smallest_containing(body, target, id),
                cycle: false,
                enters_loop: false,
                leaves: None,
            });
        };
        match &stmt.kind {
            StmtKind::Goto(Some(target)) => goto(*target),
            StmtKind::ComputedGoto(targets) | StmtKind::Asm(targets) => {
                targets.iter().copied().for_each(goto)
            }
            StmtKind::Switch { labels, .. } => jumps.extend(labels.iter().map(|&target| Jump {
                kind: match body.stmts[target].kind {
                    StmtKind::Default(_) => JumpKind::Default,
                    _ => JumpKind::Case,
                },
                source: id,
                target,
                extent: id,
                cycle: false,
                enters_loop: false,
                leaves: None,
            })),
            _ => {}
        }
    }
    jumps
}

struct Flow<'a> {
    body: &'a Body,
    points: &'a Points,
    jumps: IndexVec<JumpId, Jump>,
    /// Jumps by the point that they leave from, and by their label's entry.
    from: FxHashMap<Point, Vec<JumpId>>,
    cycles: Vec<JumpId>,
    /// Edges that leave goto cycles, with the cycles.
    exits: FxHashMap<(Point, Point), Vec<JumpId>>,
    sets: IndexSet<Box<[Element]>, FxBuildHasher>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    at: IndexVec<Point, SetId>,
    /// For a cycle and a stream: whether every thread of the stream passes the label before the jump.
    passed: FxHashMap<(JumpId, Element), bool>,
    search_left: usize,
    /// The number of the search that passed a point last.
    seen: IndexVec<Point, u32>,
    searches: u32,
    /// How many elements a set may hold.
    most: usize,
}

const EMPTY: SetId = SetId { _raw: 0 };

impl<'a> Flow<'a> {
    fn new(body: &'a Body, points: &'a Points, ancestors: &Ancestors) -> Flow<'a> {
        let mut sets = IndexSet::default();
        sets.insert(Box::default());
        let mut flow = Flow {
            body,
            points,
            jumps: jumps(body, ancestors),
            from: FxHashMap::default(),
            cycles: Vec::new(),
            exits: FxHashMap::default(),
            sets,
            unions: FxHashMap::default(),
            at: index_vec![EMPTY; points.scope.len()],
            passed: FxHashMap::default(),
            search_left: MAX_SEARCH,
            seen: index_vec![0; points.scope.len()],
            searches: 0,
            most: (MAX_ELEMENTS_OF_BODY / points.scope.len().max(1)).clamp(MIN_ELEMENTS, MAX_ELEMENTS),
        };
        for (id, jump) in flow.jumps.iter_enumerated() {
            flow.from.entry(points.stmts[jump.source].head).or_default().push(id);
        }
        if !flow.jumps.is_empty() {
            flow.find_cycles();
            flow.find_leaves(ancestors);
        }
        flow
    }

    /// Marks the backward jumps that threads can take again and again.
    fn find_cycles(&mut self) {
        let backward: Vec<JumpId> = self
            .jumps
            .iter_enumerated()
            .filter(|(_, jump)| jump.kind == JumpKind::Goto && jump.target <= jump.source)
            .map(|(id, _)| id)
            .collect();
        for id in backward.into_iter().take(MAX_CYCLES) {
            let jump = &self.jumps[id];
            let (start, goal) = (self.points.stmts[jump.target].entry, self.points.stmts[jump.source].head);
            // What lies between is looked at below.
            if !self.afford(jump.source.index() - jump.target.index()) {
                break;
            }
            if self.search(start, goal, |_| true, |_| true) {
                self.jumps[id].cycle = true;
                self.cycles.push(id);
            }
        }
        for &id in &self.cycles {
            let jump = &self.jumps[id];
            for stmt in jump.target.index()..=jump.source.index() {
                let own = self.points.stmts[StmtId::new(stmt)];
                for from in [own.entry, own.exit, own.head, own.condition, own.decision, own.step] {
                    if !self.in_cycle(id, from) {
                        continue;
                    }
                    for &to in &self.points.successors[from] {
                        if self.behind(id, to) && self.points.within(self.body, to, jump.extent) {
                            let known = self.exits.entry((from, to)).or_default();
                            if known.last() != Some(&id) {
                                known.push(id);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether the point lies between the label and the jump of a goto cycle, in source order.
    fn in_cycle(&self, cycle: JumpId, point: Point) -> bool {
        let jump = &self.jumps[cycle];
        match (self.points.ends[point], self.points.scope[point]) {
            (Some(ended), _) => jump.target <= ended && self.body.stmts[ended].end <= jump.source + 1,
            (None, Some(scope)) => jump.target <= scope && scope <= jump.source,
            (None, None) => false,
        }
    }

    /// Whether the point comes after the jump of a goto cycle, in source order.
    fn behind(&self, cycle: JumpId, point: Point) -> bool {
        let source = self.jumps[cycle].source;
        match (self.points.ends[point], self.points.scope[point]) {
            (Some(ended), _) => self.body.stmts[ended].end > source + 1,
            (None, Some(scope)) => scope > source,
            (None, None) => true,
        }
    }

    /// The goto cycles that a jump leaves towards what follows them: by a jump as by an edge, threads get there on any iteration.
    fn left_by(&self, jump: JumpId) -> impl Iterator<Item = JumpId> {
        let Jump { source, target, .. } = self.jumps[jump];
        self.cycles.iter().copied().filter(move |&cycle| {
            let Jump { source: end, target: start, extent, .. } = self.jumps[cycle];
            (start..=end).contains(&source) && target > end && self.body.contains(extent, target)
        })
    }

    /// Finds the loops and goto cycles between each jump and its label.
    fn find_leaves(&mut self, ancestors: &Ancestors) {
        let mut repeats: FxHashMap<StmtId, bool> = FxHashMap::default();
        for id in self.jumps.indices() {
            let Jump { source, target, .. } = self.jumps[id];
            let left_loop = ancestors
                .loops_without(self.body, source, target)
                .find(|&outer| *repeats.entry(outer).or_insert_with(|| self.repeats(outer)))
                .map(Left::Loop);
            self.jumps[id].enters_loop = ancestors.loops_without(self.body, target, source).next().is_some();
            self.jumps[id].leaves = left_loop.or_else(|| {
                let mut cycles = self.cycles.iter().copied();
                let left = cycles.find(|&cycle| {
                    let Jump { source: end, target: start, .. } = self.jumps[cycle];
                    let span = start..=end;
                    cycle != id && span.contains(&source) && !span.contains(&target)
                });
                left.map(Left::Cycle)
            });
        }
    }

    /// Whether a statement is a loop whose body some thread may begin again. `do { … } while (0)` is none.
    fn repeats(&mut self, stmt: StmtId) -> bool {
        let (known, inner) = match self.body.stmts[stmt].kind {
            StmtKind::While { condition, body }
            | StmtKind::Do { condition, body }
            | StmtKind::For { condition, body, .. } => (condition, body),
            _ => return false,
        };
        if !known.may_hold() {
            return false;
        }
        let (points, body) = (self.points, self.body);
        let own = points.stmts[stmt];
        self.search(points.stmts[inner].entry, own.step, |point| points.within(body, point, stmt), |_| true)
    }

    /// Whether threads get from `start` to `goal` by points and jumps that the filters let pass.
    fn search(
        &mut self,
        start: Point,
        goal: Point,
        may_pass: impl Fn(Point) -> bool,
        may_jump: impl Fn(JumpId) -> bool,
    ) -> bool {
        self.searches += 1;
        let mut todo = vec![start];
        while let Some(point) = todo.pop() {
            if point == goal {
                return true;
            }
            if !may_pass(point) || self.seen[point] == self.searches {
                continue;
            }
            self.seen[point] = self.searches;
            let jumps = self.from.get(&point).map_or(0, Vec::len);
            if !self.afford(1 + jumps) {
                return true;
            }
            todo.extend(self.points.successors[point].iter().copied());
            for &jump in self.from.get(&point).into_iter().flatten() {
                if may_jump(jump) {
                    todo.push(self.points.stmts[self.jumps[jump].target].entry);
                }
            }
        }
        false
    }

    /// Whether so many steps are left, which are then taken.
    fn afford(&mut self, steps: usize) -> bool {
        let left = self.search_left.checked_sub(steps);
        self.search_left = left.unwrap_or(0);
        left.is_some()
    }

    fn run(&mut self) {
        let entry = self.points.stmts[Body::ROOT].entry;
        self.at[entry] = self.intern(vec![Element::Base]);
        let mut changed = true;
        // What a set resolves to at the end of an extent depends on sets elsewhere, so one worklist run is not always enough.
        // Sets only grow, so this ends.
        while changed {
            changed = false;
            let mut todo: BinaryHeap<Reverse<Point>> = self
                .at
                .iter_enumerated()
                .filter(|&(_, &set)| set != EMPTY)
                .map(|(point, _)| Reverse(point))
                .collect();
            while let Some(Reverse(from)) = todo.pop() {
                if todo.peek() == Some(&Reverse(from)) {
                    continue;
                }
                for index in 0..self.points.successors[from].len() {
                    let to = self.points.successors[from][index];
                    let passed = self.pass(from, to);
                    if self.grow(to, passed) {
                        changed = true;
                        todo.push(Reverse(to));
                    }
                }
                for jump in self.from.get(&from).cloned().unwrap_or_default() {
                    if self.at[from] != EMPTY && !self.carried(jump).is_empty() {
                        let mut brought = vec![Element::Jumped(jump)];
                        brought.extend(self.left_by(jump).map(Element::Behind));
                        let stream = self.intern(brought);
                        let to = self.points.stmts[self.jumps[jump].target].entry;
                        if self.grow(to, stream) {
                            changed = true;
                            todo.push(Reverse(to));
                        }
                    }
                }
            }
        }
    }

    fn finish(self) -> Streams {
        let parents = self.jumps.indices().map(|jump| self.carried_now(jump)).collect();
        Streams { jumps: self.jumps, at: self.at, sets: self.sets, parents }
    }

    fn elements(&self, set: SetId) -> &[Element] {
        &self.sets[set.index()]
    }

    fn intern(&mut self, mut elements: Vec<Element>) -> SetId {
        // Mostly a few runs that are sorted already: the stable sort is the faster one.
        elements.sort();
        elements.dedup();
        elements.truncate(self.most);
        SetId::new(self.sets.insert_full(elements.into()).0)
    }

    fn grow(&mut self, point: Point, with: SetId) -> bool {
        let old = self.at[point];
        if old == with || with == EMPTY {
            return false;
        }
        let new = if old == EMPTY {
            with
        } else if let Some(&known) = self.unions.get(&(old, with)) {
            known
        } else {
            let union = self.elements(old).iter().chain(self.elements(with)).copied().collect();
            let union = self.intern(union);
            self.unions.insert((old, with), union);
            union
        };
        self.at[point] = new;
        new != old
    }

    /// What of the set at `from` arrives at `to` along an edge.
    fn pass(&mut self, from: Point, to: Point) -> SetId {
        let set = self.at[from];
        let exits = self.exits.get(&(from, to));
        if exits.is_none() && self.elements(set).iter().all(|&element| self.stays(element, from, to)) {
            return set;
        }
        let mut arriving: Vec<Element> =
            exits.into_iter().flatten().map(|&cycle| Element::Behind(cycle)).collect();
        let mut ended = Vec::new();
        for &element in self.elements(set) {
            if self.stays(element, from, to) {
                arriving.push(element);
            } else if let Element::Jumped(jump) = element {
                ended.push(jump);
            }
        }
        self.resolve(ended, to, &mut arriving);
        self.intern(arriving)
    }

    fn stays(&self, element: Element, from: Point, to: Point) -> bool {
        match element {
            Element::Base => true,
            Element::Jumped(jump) => {
                let extent = self.jumps[jump].extent;
                self.points.within(self.body, to, extent) || !self.points.within(self.body, from, extent)
            }
            Element::Behind(cycle) => {
                self.points.within(self.body, to, self.jumps[cycle].extent) && !self.in_cycle(cycle, to)
            }
        }
    }

    /// What the streams of jumps are again, at a point behind their extents.
    fn resolve(&self, mut todo: Vec<JumpId>, to: Point, arriving: &mut Vec<Element>) {
        let mut seen: FxHashSet<JumpId> = todo.iter().copied().collect();
        // Neighbouring jumps mostly share the set that they carry on.
        let mut resolved: FxHashSet<SetId> = FxHashSet::default();
        while let Some(jump) = todo.pop() {
            let set = self.at[self.points.stmts[self.jumps[jump].source].head];
            if !resolved.insert(set) {
                continue;
            }
            for &element in self.elements(set) {
                match element {
                    Element::Jumped(outer)
                        if !self.points.within(self.body, to, self.jumps[outer].extent) =>
                    {
                        if seen.insert(outer) {
                            todo.push(outer);
                        }
                    }
                    Element::Behind(_) if !self.stays(element, to, to) => {}
                    _ => arriving.push(element),
                }
            }
        }
    }

    /// The streams at a jump that it carries on as its own, rather than as the next iteration of what its label has already.
    fn carried(&mut self, jump: JumpId) -> Vec<Element> {
        if self.jumps[jump].cycle {
            let set = self.at[self.points.stmts[self.jumps[jump].source].head];
            for index in 0..self.elements(set).len() {
                let element = self.elements(set)[index];
                if !matches!(element, Element::Behind(_)) && !self.passed.contains_key(&(jump, element)) {
                    let passed = self.passes_label(jump, element);
                    self.passed.insert((jump, element), passed);
                }
            }
        }
        self.carried_now(jump)
    }

    fn carried_now(&self, jump: JumpId) -> Vec<Element> {
        let Jump { source, target, cycle, enters_loop, ref leaves, .. } = self.jumps[jump];
        let elements = self.elements(self.at[self.points.stmts[source].head]);
        let streams = elements.iter().copied().filter(|element| !matches!(element, Element::Behind(_)));
        let arrives_apart = elements.iter().any(|&element| match element {
            Element::Behind(other) => {
                let Jump { source: end, target: start, .. } = self.jumps[other];
                !(start..=end).contains(&target)
            }
            _ => false,
        });
        if !cycle || leaves.is_some() || enters_loop || arrives_apart {
            streams.collect()
        } else {
            streams.filter(|&stream| self.passed.get(&(jump, stream)) != Some(&true)).collect()
        }
    }

    /// Whether no thread of the stream comes to the jump without passing its label: no second entry into the cycle.
    fn passes_label(&mut self, jump: JumpId, stream: Element) -> bool {
        let Jump { source, target, .. } = self.jumps[jump];
        let (points, body) = (self.points, self.body);
        let label = points.stmts[target].entry;
        let goal = points.stmts[source].head;
        let (start, extent) = match stream {
            Element::Jumped(own) => (points.stmts[self.jumps[own].target].entry, self.jumps[own].extent),
            _ => (points.stmts[Body::ROOT].entry, Body::ROOT),
        };
        if start == label {
            return true;
        }
        if !self.afford(self.jumps.len()) {
            return false;
        }
        if let Element::Jumped(own) = stream {
            // What only comes to its own jump through the label has passed it, whatever it does afterwards.
            let (entry, jumped) = (points.stmts[Body::ROOT].entry, points.stmts[self.jumps[own].source].head);
            if !self.search(entry, jumped, |point| point != label, |other| other != jump) {
                return true;
            }
        }
        // Jumps whose streams are still apart at the goal are not this stream's way to it.
        let apart: Vec<bool> = self
            .jumps
            .iter()
            .map(|other| points.within(body, goal, other.extent) || !body.contains(extent, other.target))
            .collect();
        !self.search(
            start,
            goal,
            |point| point != label && points.within(body, point, extent),
            |other| !apart[other.index()],
        )
    }
}
