//! Streams: sets of threads that can meet at a point without being one tangle.
//!
//! **Stream**: the threads of a body that share a history of jumps. The *base* stream contains the threads that no jump
//! has separated. Each jump (a `goto`, or a `switch` to one `case`) begins a stream of its own at its label. **Extent**
//! of a jump: the smallest statement that contains both the jump and its label; for a `case`, the `switch`. At the end
//! of the extent, the threads rejoin the streams that they left by the jump (`docs/semantics.md` §2, *distinct until*).
//!
//! ```c
//! if (c) goto out;  // extent: the whole block
//! a();              // {base}
//! out: b();         // {base, goto}: unrelated, implementation-defined
//! ```
//!
//! A backward `goto` whose threads have all passed its label brings no stream: it begins the next iteration from the
//! label (`docs/semantics.md` §3.1). If several such `goto`s jump to one label, their tangles are siblings, and each
//! `goto` brings a stream. Threads leave a **goto cycle** one iteration at a time, and reconverge only at the end of
//! the extent. So after the cycle the set contains a mark, [`Element::AfterCycle`] (§3.3). A jump out of a loop or goto
//! cycle makes its stream a *family* (§3.2).
//!
//! The sets are the least fixpoint of propagation along the edges of [`Points`] and the jumps. They are found in sweeps
//! over the body in source order. The effect of a backward jump waits for the next sweep, to be combined with others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::{IndexVec, define_index_type, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::ancestors::Ancestors;
use super::points::{Point, Points};
use super::sets::{EMPTY, Set, SetId, Sets};
use tangle_hir::body::{Body, StmtId, StmtKind};

/// The maximum number of words in all sets of a body, with one set per point. A body of 3,000 jumps stays below it. In
/// a larger body, each set gets an equal share but at least [`MIN_WORDS`], and is cut there: two elements make a doubt.
const MAX_WORDS_OF_BODY: usize = 4_000_000;
const MIN_WORDS: usize = 4;
/// The maximum number of backward `goto`s of one body that are examined. Further ones are never taken as the next
/// iteration of their label, which can only add warnings.
const MAX_CYCLES: usize = 1_000;
/// The maximum number of steps of all searches in one body. A search that runs out of steps can only add warnings.
const MAX_SEARCH: usize = 20_000_000;

define_index_type! {
    /// A jump from one statement to one label.
    pub struct JumpId = u32;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    pub kind: JumpKind,
    /// The `goto`, or the `switch`.
    pub source: StmtId,
    /// The labelled statement.
    pub target: StmtId,
    pub extent: StmtId,
    /// Whether the jump closes a goto cycle: its label comes first, and threads can get from the label to the jump.
    pub cycle: bool,
    /// For a goto cycle: whether threads can iterate it without leaving the extent. Otherwise they iterate by a loop
    /// around the extent. In that case they reconverge at the end of the extent.
    pub iterates_inside_extent: bool,
    /// For a goto cycle: whether another goto cycle has the same label.
    pub has_siblings: bool,
    /// For a goto cycle: the innermost loop around it, if an iteration of that loop can bypass the label.
    pub bypassed_in_loop: Option<StmtId>,
    /// Whether the label is in a loop that does not contain the jump.
    pub enters_loop: bool,
    /// The innermost repeating loop that the jump leaves, or else a goto cycle that it leaves. Its stream is a family.
    pub leaves: Option<LeftLoopOrCycle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JumpKind {
    Goto,
    Case,
    Default,
}

/// A loop or goto cycle that a jump leaves in different iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftLoopOrCycle {
    Loop(StmtId),
    Cycle(JumpId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    Base,
    /// The stream of a jump, inside its extent.
    Jump(JumpId),
    /// The mark of a goto cycle: threads left the cycle that this jump closes, in different iterations.
    AfterCycle(JumpId),
}

impl Element {
    /// Returns the number of the element in the sets of a body with `jumps` jumps. The base comes first, then the
    /// streams of jumps in source order, then the marks.
    pub fn number(self, jumps: usize) -> u32 {
        match self {
            Element::Base => 0,
            Element::Jump(jump) => 1 + jump.raw(),
            Element::AfterCycle(cycle) => 1 + jumps as u32 + cycle.raw(),
        }
    }

    pub fn of_number(number: u32, jumps: usize) -> Element {
        match (number, jumps as u32) {
            (0, _) => Element::Base,
            (number, jumps) if number <= jumps => Element::Jump(JumpId::new(number as usize - 1)),
            (number, jumps) => Element::AfterCycle(JumpId::new((number - 1 - jumps) as usize)),
        }
    }
}

pub struct Streams {
    pub jumps: IndexVec<JumpId, Jump>,
    at: IndexVec<Point, SetId>,
    sets: Sets,
    /// For each jump, the streams whose threads it moves into its own stream.
    parents: IndexVec<JumpId, SetId>,
    /// For each jump with siblings, the streams that it nevertheless takes into their next iteration.
    rounds: IndexVec<JumpId, SetId>,
}

impl Streams {
    pub fn of(body: &Body, points: &Points, ancestors: &Ancestors) -> Streams {
        let jumps = jumps(body, ancestors);
        let most = (MAX_WORDS_OF_BODY / points.scope.len().max(1)).max(MIN_WORDS);
        let sets = Sets::new(most);
        if jumps.is_empty() {
            return Streams::without_jumps(points, sets);
        }
        let mut flow = StreamSolver::new(body, points, ancestors, jumps, sets);
        flow.run();
        flow.finish()
    }

    /// Returns the streams of a body without jumps, the common case: the base passes every reachable point.
    fn without_jumps(points: &Points, mut sets: Sets) -> Streams {
        let base = sets.intern(Set::from_iter([Element::Base.number(0)]));
        let mut at = index_vec![EMPTY; points.scope.len()];
        let mut todo = vec![points.stmts[Body::ROOT].entry];
        while let Some(point) = todo.pop() {
            if at[point] == EMPTY {
                at[point] = base;
                todo.extend(points.successors[point].iter().copied());
            }
        }
        Streams { jumps: IndexVec::new(), at, sets, parents: IndexVec::new(), rounds: IndexVec::new() }
    }

    /// Returns the numbers of the elements at a point; an empty set if the point is unreachable.
    pub fn at(&self, point: Point) -> &Set {
        self.sets.get(self.at[point])
    }

    /// Returns the number of the set at a point. Two points have the same number iff they have the same elements.
    pub fn set(&self, point: Point) -> SetId {
        self.at[point]
    }

    pub fn reached(&self, point: Point) -> bool {
        !self.at(point).is_empty()
    }

    pub fn passes(&self, point: Point, element: Element) -> bool {
        self.at(point).contains(element.number(self.jumps.len()))
    }

    /// Returns the streams whose threads a jump moves into its own stream.
    pub fn parents(&self, jump: JumpId) -> &Set {
        self.sets.get(self.parents[jump])
    }

    /// Returns, for a jump with siblings, the streams that it nevertheless takes into their next iteration.
    pub fn rounds(&self, jump: JumpId) -> &Set {
        self.sets.get(self.rounds[jump])
    }

    /// Whether a jump takes threads of its own stream back to its label.
    pub fn carries_itself(&self, jump: JumpId) -> bool {
        self.parents(jump).contains(Element::Jump(jump).number(self.jumps.len()))
    }

    /// Returns the maximum number of words of a set of this body.
    pub fn max_words(&self) -> usize {
        self.sets.most
    }

    /// Returns the elements of a set, in the order of their numbers.
    pub fn elements<'a>(&'a self, set: &'a Set) -> impl Iterator<Item = Element> + 'a {
        set.iter().map(|number| Element::of_number(number, self.jumps.len()))
    }

    /// Returns the goto cycles with a mark at a point.
    pub fn cycles_before(&self, point: Point) -> impl Iterator<Item = JumpId> + '_ {
        let first = 1 + self.jumps.len() as u32;
        self.at(point).from(first).map(move |number| JumpId::new((number - first) as usize))
    }
}

/// Collects the jumps of a body, in source order of their statements.
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
                iterates_inside_extent: false,
                has_siblings: false,
                bypassed_in_loop: None,
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
                iterates_inside_extent: false,
                has_siblings: false,
                bypassed_in_loop: None,
                enters_loop: false,
                leaves: None,
            })),
            _ => {}
        }
    }
    jumps
}

/// Returns, for each statement, the smallest extent of a jump that contains it.
fn extents(body: &Body, jumps: &IndexVec<JumpId, Jump>) -> IndexVec<StmtId, Option<StmtId>> {
    let mut extents: IndexVec<StmtId, Option<StmtId>> = index_vec![None; body.stmts.len()];
    jumps.iter().for_each(|jump| extents[jump.extent] = Some(jump.extent));
    for stmt in body.stmts.indices() {
        extents[stmt] = extents[stmt].or_else(|| extents[body.stmts[stmt].parent?]);
    }
    extents
}

/// Returns the position of each point in source order. The end of a statement comes after its substatements have ended.
fn order(body: &Body, points: &Points) -> IndexVec<Point, u32> {
    let mut sorted: Vec<Point> = points.scope.indices().collect();
    sorted.sort_by_cached_key(|&point| match (points.ends[point], points.scope[point]) {
        (Some(ended), _) => (body.stmts[ended].end.index(), 0, usize::MAX - ended.index()),
        (None, Some(scope)) => (scope.index(), 1, point.index()),
        (None, None) => (usize::MAX, 0, 0),
    });
    let mut order = index_vec![0; sorted.len()];
    (0..).zip(sorted).for_each(|(place, point)| order[point] = place);
    order
}

struct StreamSolver<'a> {
    body: &'a Body,
    points: &'a Points,
    jumps: IndexVec<JumpId, Jump>,
    /// The jumps that start from each point.
    from: FxHashMap<Point, Vec<JumpId>>,
    cycles: Vec<JumpId>,
    /// The edges that leave goto cycles, with the jumps that close these cycles.
    exits: FxHashMap<(Point, Point), Vec<JumpId>>,
    /// The smallest extent of a jump that contains each statement.
    extents: IndexVec<StmtId, Option<StmtId>>,
    /// The position of each point in source order.
    order: IndexVec<Point, u32>,
    sets: Sets,
    at: IndexVec<Point, SetId>,
    /// The elements that each jump adds at its label.
    added_at_label: IndexVec<JumpId, SetId>,
    /// For a goto cycle and a stream: whether every thread of the stream passes the label before the jump.
    passed: FxHashMap<(JumpId, Element), bool>,
    search_left: usize,
    /// The number of the last search that visited each point.
    seen: IndexVec<Point, u32>,
    searches: u32,
}

impl<'a> StreamSolver<'a> {
    fn new(
        body: &'a Body,
        points: &'a Points,
        ancestors: &Ancestors,
        jumps: IndexVec<JumpId, Jump>,
        sets: Sets,
    ) -> StreamSolver<'a> {
        let mut flow = StreamSolver {
            body,
            points,
            from: FxHashMap::default(),
            cycles: Vec::new(),
            exits: FxHashMap::default(),
            extents: extents(body, &jumps),
            order: order(body, points),
            sets,
            at: index_vec![EMPTY; points.scope.len()],
            added_at_label: IndexVec::with_capacity(jumps.len()),
            jumps,
            passed: FxHashMap::default(),
            search_left: MAX_SEARCH,
            seen: index_vec![0; points.scope.len()],
            searches: 0,
        };
        for (id, jump) in flow.jumps.iter_enumerated() {
            flow.from.entry(points.stmts[jump.source].head).or_default().push(id);
        }
        flow.find_cycles();
        flow.find_siblings();
        flow.find_left_loops(ancestors);
        flow.find_passed_by(ancestors);
        flow.find_added_at_labels();
        flow
    }

    /// Finds the goto cycles: backward jumps that threads can reach again from the label. Also finds their exits.
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
            let (points, body, extent) = (self.points, self.body, jump.extent);
            // Pays for the visit below of the statements in the cycle.
            if !self.take_steps(jump.source.index() - jump.target.index()) {
                break;
            }
            let stays = |from: Point, to: Point| {
                points.within(body, to, extent) || !points.within(body, from, extent)
            };
            // Threads cannot leave the whole body and come back, so one search is enough.
            let inside = extent != Body::ROOT && self.search(start, goal, |_| true, stays, |_| true);
            if inside || self.search(start, goal, |_| true, |_, _| true, |_| true) {
                self.jumps[id].iterates_inside_extent = inside || extent == Body::ROOT;
                self.jumps[id].cycle = true;
                self.cycles.push(id);
            }
        }
        for &id in &self.cycles {
            let jump = &self.jumps[id];
            if !jump.iterates_inside_extent {
                continue;
            }
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

    /// Sets `has_siblings` for the goto cycles that share their label.
    fn find_siblings(&mut self) {
        let mut first: FxHashMap<StmtId, JumpId> = FxHashMap::default();
        for &id in &self.cycles {
            if !self.jumps[id].iterates_inside_extent {
                continue;
            }
            if let Some(&other) = first.get(&self.jumps[id].target) {
                self.jumps[id].has_siblings = true;
                self.jumps[other].has_siblings = true;
            } else {
                first.insert(self.jumps[id].target, id);
            }
        }
    }

    /// Sets `bypassed_in_loop` for the goto cycles that an iteration of the loop around them can enter past the label.
    /// Threads that entered such a loop by a jump enter the cycle anew in each iteration. The result is used only if
    /// some jump enters a loop.
    fn find_passed_by(&mut self, ancestors: &Ancestors) {
        if !self.jumps.iter().any(|jump| jump.enters_loop) {
            return;
        }
        for id in self.cycles.clone() {
            let Jump { source, target, extent, .. } = self.jumps[id];
            let Some(around) = ancestors.loop_around(extent) else { continue };
            let (points, body) = (self.points, self.body);
            let (StmtKind::While { body: inner, .. }
            | StmtKind::Do { body: inner, .. }
            | StmtKind::For { body: inner, .. }) = body.stmts[around].kind
            else {
                continue;
            };
            let label = points.stmts[target].entry;
            let may_pass = |point: Point| point != label && points.within(body, point, around);
            let (first, goal) = (points.stmts[inner].entry, points.stmts[source].head);
            if self.search(first, goal, may_pass, |_, _| true, |_| true) {
                self.jumps[id].bypassed_in_loop = Some(around);
            }
        }
    }

    /// Whether the point is between the label and the jump of a goto cycle, in source order.
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

    /// Computes the elements that each jump adds at its label: its stream, and a mark for each goto cycle that it
    /// leaves for a later statement. As along an edge, threads can leave the cycle in any iteration.
    fn find_added_at_labels(&mut self) {
        for jump in self.jumps.indices() {
            let Jump { source, target, .. } = self.jumps[jump];
            let left = self.cycles.iter().copied().filter(|&cycle| {
                let Jump {
                    source: end,
                    target: start,
                    extent,
                    iterates_inside_extent: comes_round_inside,
                    ..
                } = self.jumps[cycle];
                comes_round_inside
                    && (start..=end).contains(&source)
                    && target > end
                    && self.body.contains(extent, target)
            });
            let brought = std::iter::once(Element::Jump(jump)).chain(left.map(Element::AfterCycle));
            let brought = brought.map(|element| self.number(element)).collect();
            let brought = self.sets.intern(brought);
            self.added_at_label.push(brought);
        }
    }

    /// Sets `enters_loop` and `leaves` of each jump.
    fn find_left_loops(&mut self, ancestors: &Ancestors) {
        let mut repeats: FxHashMap<StmtId, bool> = FxHashMap::default();
        for id in self.jumps.indices() {
            let Jump { source, target, .. } = self.jumps[id];
            let left_loop = ancestors
                .loops_without(self.body, source, target)
                .find(|&outer| *repeats.entry(outer).or_insert_with(|| self.repeats(outer)))
                .map(LeftLoopOrCycle::Loop);
            self.jumps[id].enters_loop = ancestors.loops_without(self.body, target, source).next().is_some();
            self.jumps[id].leaves = left_loop.or_else(|| {
                let mut cycles = self.cycles.iter().copied();
                let left = cycles.find(|&cycle| {
                    let Jump { source: end, target: start, .. } = self.jumps[cycle];
                    let span = start..=end;
                    cycle != id && span.contains(&source) && !span.contains(&target)
                });
                left.map(LeftLoopOrCycle::Cycle)
            });
        }
    }

    /// Whether a statement is a loop that some thread may iterate, including threads that a jump brought into the loop.
    /// False for `do { … } while (0)`.
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
        let inside = |point: Point| points.within(body, point, stmt);
        let begins = points.stmts[inner].entry;
        self.search(begins, own.step, inside, |_, _| true, |_| true) || {
            let enters = |jump: &Jump| body.contains(stmt, jump.target) && !body.contains(stmt, jump.source);
            let entered: Vec<StmtId> =
                self.jumps.iter().filter(|jump| enters(jump)).map(|jump| jump.target).collect();
            let mut entered = entered.into_iter().map(|label| points.stmts[label].entry);
            !self.take_steps(self.jumps.len())
                || entered.any(|label| self.search(label, own.step, inside, |_, _| true, |_| true))
        }
    }

    /// Whether threads can get from `start` to `goal` by points, edges and jumps that the filters accept. Returns true
    /// if no steps are left.
    fn search(
        &mut self,
        start: Point,
        goal: Point,
        may_pass: impl Fn(Point) -> bool,
        may_run: impl Fn(Point, Point) -> bool,
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
            if !self.take_steps(1 + jumps) {
                return true;
            }
            todo.extend(self.points.successors[point].iter().copied().filter(|&to| may_run(point, to)));
            for &jump in self.from.get(&point).into_iter().flatten() {
                if may_jump(jump) {
                    todo.push(self.points.stmts[self.jumps[jump].target].entry);
                }
            }
        }
        false
    }

    /// Consumes `steps` of the remaining search steps. Returns false if fewer are left.
    fn take_steps(&mut self, steps: usize) -> bool {
        let left = self.search_left.checked_sub(steps);
        self.search_left = left.unwrap_or(0);
        left.is_some()
    }

    fn run(&mut self) {
        let entry = self.points.stmts[Body::ROOT].entry;
        self.at[entry] = self.sets.intern(Set::from_iter([self.number(Element::Base)]));
        let mut changed = true;
        // The streams that threads rejoin at the end of an extent depend on sets at other points, which the worklist
        // does not track. So the sweeps are repeated until nothing changes. Sets only grow, so this terminates.
        while changed {
            changed = false;
            let reached = self.at.iter_enumerated().filter(|&(_, &set)| set != EMPTY);
            let mut later: BinaryHeap<_> = reached.map(|(point, _)| self.turn(point)).collect();
            while !later.is_empty() {
                let mut sweep = std::mem::take(&mut later);
                while let Some(turn @ Reverse((place, from))) = sweep.pop() {
                    if sweep.peek() == Some(&turn) {
                        continue;
                    }
                    for to in self.step(from) {
                        changed = true;
                        let todo = if self.order[to] > place { &mut sweep } else { &mut later };
                        todo.push(self.turn(to));
                    }
                }
            }
        }
    }

    fn turn(&self, point: Point) -> Reverse<(u32, Point)> {
        Reverse((self.order[point], point))
    }

    /// Propagates the set at a point. Returns the points whose sets grew.
    fn step(&mut self, from: Point) -> SmallVec<[Point; 2]> {
        let mut grown = SmallVec::new();
        for index in 0..self.points.successors[from].len() {
            let to = self.points.successors[from][index];
            let passed = self.pass(from, to);
            if self.grow(to, passed) {
                grown.push(to);
            }
        }
        for index in 0..self.from.get(&from).map_or(0, Vec::len) {
            let jump = self.from[&from][index];
            let to = self.points.stmts[self.jumps[jump].target].entry;
            if self.at[from] != EMPTY && self.carries_any(jump) && self.grow(to, self.added_at_label[jump]) {
                grown.push(to);
            }
        }
        grown
    }

    fn finish(mut self) -> Streams {
        let mut parents = IndexVec::with_capacity(self.jumps.len());
        let mut rounds = IndexVec::with_capacity(self.jumps.len());
        // Siblings with the same extent pass the same points. One of them is alone only after a smaller extent has
        // ended.
        let mut extents: FxHashMap<StmtId, StmtId> = FxHashMap::default();
        let mut ends_apart: FxHashSet<StmtId> = FxHashSet::default();
        for jump in self.jumps.iter().filter(|jump| jump.has_siblings) {
            if *extents.entry(jump.target).or_insert(jump.extent) != jump.extent {
                ends_apart.insert(jump.target);
            }
        }
        for jump in self.jumps.indices() {
            let carried = self.carried(jump);
            let mut round = Set::default();
            let Jump { has_siblings, target, .. } = self.jumps[jump];
            if has_siblings && ends_apart.contains(&target) && self.begins_next_iteration(jump) {
                for number in carried.iter() {
                    let stream = Element::of_number(number, self.jumps.len());
                    if !self.arrives_only_through_label(jump, stream) {
                        continue;
                    }
                    round.insert(number);
                    // Outside the extent, the threads are back in the streams that they left by the jump.
                    let label = self.points.stmts[self.jumps[jump].target].entry;
                    if let Element::Jump(own) = stream
                        && !self.points.within(self.body, label, self.jumps[own].extent)
                    {
                        self.rejoin_earlier_streams(vec![own], label, &mut round);
                    }
                }
            }
            rounds.push(self.sets.intern(round));
            parents.push(self.sets.intern(carried));
        }
        Streams { jumps: self.jumps, at: self.at, sets: self.sets, parents, rounds }
    }

    fn number(&self, element: Element) -> u32 {
        element.number(self.jumps.len())
    }

    fn elements<'b>(&self, set: &'b Set) -> impl Iterator<Item = Element> + use<'b> {
        let jumps = self.jumps.len();
        set.iter().map(move |number| Element::of_number(number, jumps))
    }

    /// Returns the set that arrives at a jump.
    fn at_jump(&self, jump: JumpId) -> SetId {
        self.at[self.points.stmts[self.jumps[jump].source].head]
    }

    fn grow(&mut self, point: Point, with: SetId) -> bool {
        let old = self.at[point];
        let new = self.sets.union(old, with);
        self.at[point] = new;
        new != old
    }

    /// Returns the elements that arrive at `to` along the edge from `from`.
    fn pass(&mut self, from: Point, to: Point) -> SetId {
        let set = self.at[from];
        let exits = self.exits.get(&(from, to));
        if exits.is_none() && !self.may_end(from, to) {
            return set;
        }
        let marks = exits.into_iter().flatten().map(|&cycle| self.number(Element::AfterCycle(cycle)));
        let mut arriving: Vec<u32> = marks.collect();
        let mut ended = Vec::new();
        for element in self.elements(self.sets.get(set)) {
            if self.stays(element, from, to) {
                arriving.push(self.number(element));
            } else if let Element::Jump(jump) = element {
                ended.push(jump);
            }
        }
        let mut passed = Set::from_iter(arriving);
        self.rejoin_earlier_streams(ended, to, &mut passed);
        self.sets.intern(passed)
    }

    /// Whether an element at `from` may end at `to`: the edge leaves an extent, or goes backward, perhaps to the
    /// beginning of a goto cycle.
    fn may_end(&self, from: Point, to: Point) -> bool {
        let extent = self.points.scope[from].and_then(|scope| self.extents[scope]);
        self.order[to] < self.order[from]
            || extent.is_some_and(|extent| !self.points.within(self.body, to, extent))
    }

    fn stays(&self, element: Element, from: Point, to: Point) -> bool {
        match element {
            Element::Base => true,
            Element::Jump(jump) => {
                let extent = self.jumps[jump].extent;
                self.points.within(self.body, to, extent) || !self.points.within(self.body, from, extent)
            }
            Element::AfterCycle(cycle) => {
                self.points.within(self.body, to, self.jumps[cycle].extent) && !self.in_cycle(cycle, to)
            }
        }
    }

    /// Adds the elements that threads rejoin at `to`, a point after the extents of the jumps in `todo`.
    fn rejoin_earlier_streams(&self, mut todo: Vec<JumpId>, to: Point, arriving: &mut Set) {
        let mut seen = Set::from_iter(todo.iter().map(|&jump| self.number(Element::Jump(jump))));
        // Jumps next to each other mostly carry the same set.
        let mut resolved: FxHashSet<SetId> = FxHashSet::default();
        while let Some(jump) = todo.pop() {
            let set = self.at_jump(jump);
            if !resolved.insert(set) {
                continue;
            }
            for element in self.elements(&seen.add(self.sets.get(set))) {
                match element {
                    Element::Jump(outer) if !self.points.within(self.body, to, self.jumps[outer].extent) => {
                        todo.push(outer);
                    }
                    Element::AfterCycle(_) if !self.stays(element, to, to) => {}
                    _ => arriving.insert(self.number(element)),
                }
            }
        }
    }

    /// Whether a jump moves the threads of some stream into its own stream.
    fn carries_any(&mut self, jump: JumpId) -> bool {
        let goes_round = self.begins_next_iteration_without_stream(jump);
        self.next_carried(jump, goes_round, 0).is_some()
    }

    /// Returns the streams whose threads a jump moves into its own stream. Threads in the next iteration of a stream at
    /// its label are excluded.
    fn carried(&mut self, jump: JumpId) -> Set {
        let goes_round = self.begins_next_iteration_without_stream(jump);
        let first = self.next_carried(jump, goes_round, 0);
        std::iter::successors(first, |&last| self.next_carried(jump, goes_round, last + 1)).collect()
    }

    /// Returns the first stream with the number `from` or greater whose threads a jump moves into its own stream.
    fn next_carried(&mut self, jump: JumpId, goes_round: bool, mut from: u32) -> Option<u32> {
        let (set, jumps) = (self.at_jump(jump), self.jumps.len());
        loop {
            let number = self.sets.get(set).from(from).next().filter(|&number| number as usize <= jumps)?;
            let stream = Element::of_number(number, jumps);
            if !goes_round || !self.arrives_only_through_label(jump, stream) {
                return Some(number);
            }
            from = number + 1;
        }
    }

    /// Whether a stream reaches `jump`, which closes rounds, only through the label of `jump`.
    fn arrives_only_through_label(&mut self, jump: JumpId, stream: Element) -> bool {
        // Threads that a jump brought into the loop may have passed the label in an earlier iteration of the loop.
        if let (Some(around), Element::Jump(own)) = (self.jumps[jump].bypassed_in_loop, stream)
            && !self.body.contains(around, self.jumps[own].source)
        {
            return false;
        }
        self.has_passed(jump, stream) && !self.is_second_entry(jump, stream)
    }

    /// Whether a jump can begin a next iteration without a stream of its own: it has no siblings.
    fn begins_next_iteration_without_stream(&self, jump: JumpId) -> bool {
        !self.jumps[jump].has_siblings && self.begins_next_iteration(jump)
    }

    /// Whether a jump closes rounds: it closes a goto cycle, and threads that passed its label begin the next
    /// iteration.
    fn begins_next_iteration(&self, jump: JumpId) -> bool {
        let Jump { target, cycle, enters_loop, leaves, .. } = self.jumps[jump];
        if !cycle || enters_loop || leaves.is_some() {
            return false;
        }
        let at_jump = self.sets.get(self.at_jump(jump));
        let mut marks = Set::from_iter(at_jump.from(1 + self.jumps.len() as u32));
        if self.leaves_extents(jump) {
            // Where the extent of a stream has ended, its threads are back in the streams that they left by the jump.
            let label = self.points.stmts[target].entry;
            let is_over = |element: Element| match element {
                Element::Jump(own) => {
                    (!self.points.within(self.body, label, self.jumps[own].extent)).then_some(own)
                }
                _ => None,
            };
            let ended = self.elements(at_jump).filter_map(is_over).collect();
            self.rejoin_earlier_streams(ended, label, &mut marks);
        }
        let mut marks = self.elements(&marks);
        let arrives_apart = marks.any(|element| match element {
            Element::AfterCycle(other) => {
                let Jump { source: end, target: start, .. } = self.jumps[other];
                !(start..=end).contains(&target)
            }
            _ => false,
        });
        !arrives_apart
    }

    /// Whether a jump is in the extent of another jump, and leaves that extent.
    fn leaves_extents(&self, jump: JumpId) -> bool {
        let Jump { source, extent, .. } = self.jumps[jump];
        self.extents[source].is_some_and(|inner| inner != extent && self.body.contains(extent, inner))
    }

    /// Whether a stream and at least one other one enter a goto cycle past its label from outside. Then they are two
    /// entries, although their threads may have passed the label before they left the cycle.
    fn is_second_entry(&self, jump: JumpId, stream: Element) -> bool {
        let Jump { source: end, target: start, .. } = self.jumps[jump];
        let enters = |stream: Element| match stream {
            Element::Jump(own) => {
                let Jump { source, target, .. } = self.jumps[own];
                !(start..=end).contains(&source) && start < target && target <= end
            }
            _ => false,
        };
        let streams = self.elements(self.sets.get(self.at_jump(jump)));
        enters(stream) && streams.filter(|&it| enters(it)).nth(1).is_some()
    }

    fn has_passed(&mut self, jump: JumpId, stream: Element) -> bool {
        if let Some(&known) = self.passed.get(&(jump, stream)) {
            return known;
        }
        let passed = self.passes_label(jump, stream);
        self.passed.insert((jump, stream), passed);
        passed
    }

    /// Whether every thread of the stream passes the label before the jump. If not, it is a second entry into the
    /// cycle.
    fn passes_label(&mut self, jump: JumpId, stream: Element) -> bool {
        let Jump { source, target, .. } = self.jumps[jump];
        let (points, body) = (self.points, self.body);
        let label = points.stmts[target].entry;
        let goal = points.stmts[source].head;
        let (start, extent) = match stream {
            Element::Jump(own) => (points.stmts[self.jumps[own].target].entry, self.jumps[own].extent),
            _ => (points.stmts[Body::ROOT].entry, Body::ROOT),
        };
        if start == label {
            return true;
        }
        if !self.take_steps(self.jumps.len()) {
            return false;
        }
        if let Element::Jump(own) = stream
            && (target..=source).contains(&self.jumps[own].target)
        {
            // If the stream's own jump is reachable only through the label, its threads have passed the label.
            let (entry, jumped) = (points.stmts[Body::ROOT].entry, points.stmts[self.jumps[own].source].head);
            if !self.search(entry, jumped, |point| point != label, |_, _| true, |other| other != jump) {
                return true;
            }
        }
        // A jump whose stream is still separate at the goal is not on a path of this stream to the goal.
        let apart: Vec<bool> = self
            .jumps
            .iter()
            .map(|other| points.within(body, goal, other.extent) || !body.contains(extent, other.target))
            .collect();
        !self.search(
            start,
            goal,
            |point| point != label && points.within(body, point, extent),
            |_, _| true,
            |other| !apart[other.index()],
        )
    }
}
