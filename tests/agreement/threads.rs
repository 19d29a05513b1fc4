//! Executes the source, thread by thread, by the rules of `docs/semantics.md` §2 and §3 alone: no graph, no tangles, no tokens.
//!
//! **Place**: a statement's number in source order. **Cycle**: a loop statement, or a label with a `goto` behind it that leads back to it; the
//! **span** of such a label goes to the last of these. **Turns** of an instance: for each cycle around it, how often the thread has begun anew
//! since it came in. **Marks** of an instance: what keeps it apart from others with the same turns: the jump that brought the thread, as long as
//! it is inside the smallest statement that holds the jump and its label; the turn in which it left the cycle of a label, as long as it is inside
//! the smallest statement that holds the cycle.
//!
//! ```text
//! L:              turns of what follows: L 0, 1, 2 …
//!   if (a) { op(1); return; }       op(1): (L 0), (L 1), …
//!   if (b) goto L;
//! op(2);          no turns; marks: left L in turn 0, 1, 2 …
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Chance, MULTIPLIER, Stmt, THROWS, thrown};

/// A statement's number in source order.
type Place = usize;

/// A loop statement (and then the scope is itself), or a label with a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycle {
    pub head: Place,
    scope: Place,
}

/// Of cycles how often a thread has begun anew.
pub type Turns = Vec<(Cycle, u32)>;

/// What keeps instances of one statement apart that have the same turns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// The jump that brought the thread, and the turns of the cycles that it left by it.
    Jumped { jump: Place, to: Place, turns: Turns },
    /// The thread left the goto cycle in this turn.
    Left { cycle: Cycle, turn: u32 },
}

/// The execution of an operation by a thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    pub op: u32,
    /// For each cycle around the operation, from the outermost.
    pub turns: Turns,
    pub marks: Vec<Mark>,
}

/// A program as a list of instructions.
pub struct Program {
    places: Vec<Node>,
    code: Vec<Instruction>,
    /// Where each goto cycle begins and ends.
    spans: BTreeMap<Cycle, (Place, Place)>,
    /// The instructions to which some way leads.
    reached: BTreeSet<usize>,
}

struct Node {
    parent: Option<Place>,
    /// One past the last place inside.
    end: Place,
    is_loop: bool,
}

struct Instruction {
    place: Place,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Op(u32),
    /// Goes on, or else there.
    Test(Chance, usize),
    /// A way that the structure of the source has.
    To(usize),
    /// The next turn of a loop.
    Again(Place, usize),
    Goto {
        label: Place,
        target: usize,
    },
    /// To the case of this number, or else there.
    Pick {
        ways: u32,
        cases: Vec<(u32, Place, usize)>,
        otherwise: (Option<Place>, usize),
    },
    Return,
}

/// Where the labels of a `switch` stand: places, and the instructions behind them.
#[derive(Default)]
struct Labels {
    cases: Vec<(u32, Place, usize)>,
    default: Option<(Place, usize)>,
}

/// Instructions in the making.
#[derive(Default)]
struct Maker {
    places: Vec<Node>,
    code: Vec<Instruction>,
    /// For each label its place and the instruction behind it.
    labels: BTreeMap<u32, (Place, usize)>,
    gotos: Vec<(usize, u32)>,
    /// `break`s and `continue`s whose target is not known yet, for each statement around that they may leave.
    breaks: Vec<Vec<usize>>,
    continues: Vec<Vec<usize>>,
    /// For each `switch` around, its `case`s and its `default`.
    cases: Vec<Labels>,
}

impl Program {
    /// None: a label is not there, or a statement stands where it must not.
    pub fn of(body: &[Stmt]) -> Option<Program> {
        let mut maker = Maker::default();
        maker.place(None, false);
        maker.list(body, 0)?;
        maker.put(0, Action::Return);
        maker.places[0].end = maker.places.len();
        for (at, number) in std::mem::take(&mut maker.gotos) {
            let &(label, target) = maker.labels.get(&number)?;
            maker.code[at].action = Action::Goto { label, target };
        }
        let mut program = Program {
            places: maker.places,
            code: maker.code,
            spans: BTreeMap::new(),
            reached: BTreeSet::new(),
        };
        program.reached = program.find_reached();
        for at in program.reached.clone() {
            let Instruction { place, action: Action::Goto { label, .. } } = program.code[at] else {
                continue;
            };
            if label < place {
                let cycle = Cycle { head: label, scope: program.around_both(label, place) };
                let last = program.spans.get(&cycle).map_or(place, |span| span.1.max(place));
                program.spans.insert(cycle, (label, last));
            }
        }
        // A jump leads into the loops and goto cycles that hold its label: their turns are within its own.
        loop {
            let entered = program.spans.iter().find_map(|(&cycle, &(first, last))| {
                let around = std::iter::successors(Some(first), |&at| program.places[at].parent);
                let loops = around.filter(|&at| program.places[at].is_loop && !program.holds(at, last));
                let other = program.spans.iter().find(|(other, span)| {
                    **other != cycle && span.0 < first && first <= span.1 && span.1 < last
                });
                let outer = loops.last().into_iter().chain(other.map(|(_, span)| span.0)).min();
                outer.filter(|&outer| outer < first).map(|outer| (cycle, (outer, last)))
            });
            match entered {
                Some((cycle, span)) => _ = program.spans.insert(cycle, span),
                None => break,
            }
        }
        Some(program)
    }

    /// Where ways lead from an instruction.
    fn ways(&self, at: usize) -> Vec<usize> {
        match &self.code[at].action {
            Action::Op(_) => vec![at + 1],
            Action::Test(_, otherwise) => vec![at + 1, *otherwise],
            Action::To(target) | Action::Again(_, target) | Action::Goto { target, .. } => vec![*target],
            Action::Pick { cases, otherwise, .. } => {
                cases.iter().map(|case| case.2).chain([otherwise.1]).collect()
            }
            Action::Return => Vec::new(),
        }
    }

    /// The instructions to which some way leads.
    fn find_reached(&self) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            if reached.insert(at) {
                todo.extend(self.ways(at));
            }
        }
        reached
    }

    fn holds(&self, outer: Place, inner: Place) -> bool {
        outer <= inner && inner < self.places[outer].end
    }

    /// The smallest statement that holds both.
    fn around_both(&self, a: Place, b: Place) -> Place {
        let mut at = a;
        while !self.holds(at, b) {
            at = self.places[at].parent.expect("the body holds all");
        }
        at
    }

    fn loops(&self, place: Place) -> impl Iterator<Item = Cycle> {
        let around = std::iter::successors(Some(place), |&at| self.places[at].parent);
        around.filter(|&at| self.places[at].is_loop).map(|at| Cycle { head: at, scope: at })
    }

    /// The first and the last place of a cycle.
    fn range(&self, cycle: Cycle) -> (Place, Place) {
        self.spans.get(&cycle).copied().unwrap_or((cycle.head, self.places[cycle.head].end - 1))
    }

    fn is_in(&self, place: Place, (first, last): (Place, Place)) -> bool {
        first <= place && place <= last
    }

    /// The cycles around a place.
    fn cycles(&self, place: Place) -> BTreeSet<Cycle> {
        let spans = self
            .spans
            .iter()
            .filter(|&(cycle, &span)| self.is_in(place, span) && self.holds(cycle.scope, place));
        self.loops(place).chain(spans.map(|(&cycle, _)| cycle)).collect()
    }

    /// The operations that a thread executes, in order, and at most so many steps.
    pub fn run(&self, thread: u32, seed: u32, steps: usize) -> Vec<Instance> {
        let mut dice = thread.wrapping_mul(MULTIPLIER).wrapping_add(seed);
        let mut throws = 0;
        let mut instances = Vec::new();
        let mut at = 0;
        let mut turns: BTreeMap<Cycle, u32> = BTreeMap::new();
        let mut marks: Vec<(Mark, Place)> = Vec::new();
        // The goto cycles that the thread is in, with the marks that it brought.
        let mut inside: BTreeMap<Cycle, Vec<(Mark, Place)>> = BTreeMap::new();
        for _ in 0..steps {
            let Instruction { place, action } = &self.code[at];
            let place = *place;
            let (mut next, mut again, mut jumped) = (at + 1, None, None);
            let before = turns.clone();
            match action {
                Action::Op(op) => {
                    let around = self.cycles(place).into_iter();
                    instances.push(Instance {
                        op: *op,
                        turns: around.map(|it| (it, turns.get(&it).copied().unwrap_or(0))).collect(),
                        marks: marks.iter().map(|(mark, _)| mark.clone()).collect(),
                    });
                }
                Action::Test(Chance(chance), otherwise) => {
                    dice = thrown(dice);
                    let holds = throws < THROWS && (dice >> 24) % 4 < *chance;
                    throws += 1;
                    if !holds {
                        next = *otherwise;
                    }
                }
                Action::To(target) => next = *target,
                Action::Again(head, target) => {
                    (next, again) = (*target, Some(Cycle { head: *head, scope: *head }))
                }
                Action::Goto { label, target } => {
                    next = *target;
                    if *label < place {
                        again = Some(Cycle { head: *label, scope: self.around_both(*label, place) });
                    } else {
                        jumped = Some(*label);
                    }
                }
                Action::Pick { ways, cases, otherwise } => {
                    dice = thrown(dice);
                    throws += 1;
                    let number = (dice >> 24) % ways;
                    let case = cases.iter().find(|case| case.0 == number);
                    (jumped, next) = case.map_or(*otherwise, |&(_, label, target)| (Some(label), target));
                }
                Action::Return => return instances,
            }
            let to = self.code[next].place;
            let kept: Vec<Cycle> = self
                .loops(to)
                .chain(self.spans.keys().copied().filter(|it| self.holds(it.scope, to)))
                .collect();
            turns.retain(|cycle, _| kept.contains(cycle));
            kept.into_iter().for_each(|cycle| _ = turns.entry(cycle).or_insert(0));
            if let Some(marked) = again.and_then(|cycle| inside.get(&cycle)) {
                marks.clone_from(marked);
            }
            marks.retain(|&(_, scope)| self.holds(scope, to));
            inside.values_mut().for_each(|marks| marks.retain(|&(_, scope)| self.holds(scope, to)));
            for (&cycle, &span) in &self.spans {
                let is_in = |place: Place| self.is_in(place, span) && self.holds(cycle.scope, place);
                let left =
                    |(mark, _): &(Mark, Place)| matches!(mark, Mark::Left { cycle: it, .. } if *it == cycle);
                match (is_in(place), is_in(to)) {
                    (true, false) => {
                        inside.remove(&cycle);
                        marks.retain(|mark| !left(mark));
                        if self.holds(cycle.scope, to) {
                            marks.push((Mark::Left { cycle, turn: turns[&cycle] }, cycle.scope));
                        }
                    }
                    (false, true) => marks.retain(|mark| !left(mark)),
                    _ => {}
                }
            }
            if let Some(cycle) = again {
                // What is inside of a cycle that begins anew is entered anew.
                let (first, last) = self.range(cycle);
                for (&inner, turn) in &mut turns {
                    let (from, end) = self.range(inner);
                    if inner != cycle && first <= from && end <= last {
                        *turn = 0;
                    }
                }
                turns.entry(cycle).and_modify(|turn| *turn += 1);
            }
            if let Some(label) = jumped {
                let (from, to) = (self.cycles(place), self.cycles(to));
                let turns =
                    from.difference(&to).map(|it| (*it, before.get(it).copied().unwrap_or(0))).collect();
                marks.retain(|(mark, _)| !matches!(mark, Mark::Jumped { jump, .. } if *jump == place));
                marks.push((Mark::Jumped { jump: place, to: label, turns }, self.around_both(label, place)));
            }
            for (&cycle, &span) in &self.spans {
                if self.is_in(to, span) && self.holds(cycle.scope, to) && !inside.contains_key(&cycle) {
                    // Who comes to the label from outside begins there; who comes from what is between, goes on.
                    if to == cycle.head && again != Some(cycle) {
                        turns.insert(cycle, 0);
                    }
                    inside.insert(cycle, marks.clone());
                }
            }
            at = next;
        }
        instances
    }

    /// Whether a cycle around the operation is entered in two ways, such as at its head and by a jump: it is irreducible, as the source goes. Or
    /// whether jumps back to one label have several scopes: one token counts them all.
    pub fn is_entered_twice(&self, instance: &Instance) -> bool {
        let into = |inside: &dyn Fn(Place) -> bool| {
            let jumps = self.reached.iter().flat_map(|&at| self.ways(at).into_iter().map(move |to| (at, to)));
            let entries = jumps
                .filter(|&(from, to)| !inside(self.code[from].place) && inside(self.code[to].place))
                .map(|(_, to)| to);
            let first = inside(self.code[0].place).then_some(0);
            entries.chain(first).collect::<BTreeSet<usize>>().len() > 1
        };
        let one_scope = |label: Place| self.spans.keys().filter(|cycle| cycle.head == label).count() < 2;
        if !self.spans.keys().all(|cycle| one_scope(cycle.head)) {
            return true;
        }
        instance.turns.iter().any(|(cycle, _)| match self.spans.get(cycle) {
            Some(&span) => into(&|place| self.is_in(place, span) && self.holds(cycle.scope, place)),
            None => into(&|place| self.holds(cycle.head, place)),
        })
    }

    /// Whether all loops are loop statements, and are entered at their heads: jumps lead forward, and into no loop.
    pub fn is_tame(&self) -> bool {
        let into_loop = |from: Place, to: Place| {
            let around = std::iter::successors(Some(to), |&at| self.places[at].parent);
            around.into_iter().any(|at| self.places[at].is_loop && !self.holds(at, from))
        };
        self.spans.is_empty()
            && self.code.iter().all(|it| match &it.action {
                Action::Goto { label, .. } => !into_loop(it.place, *label),
                Action::Pick { cases, otherwise, .. } => {
                    let labels = cases.iter().map(|case| case.1).chain(otherwise.0);
                    labels.into_iter().all(|label| !into_loop(it.place, label))
                }
                _ => true,
            })
    }
}

impl Maker {
    fn place(&mut self, parent: Option<Place>, is_loop: bool) -> Place {
        self.places.push(Node { parent, end: 0, is_loop });
        self.places.len() - 1
    }

    fn put(&mut self, place: Place, action: Action) -> usize {
        self.code.push(Instruction { place, action });
        self.code.len() - 1
    }

    fn aim(&mut self, at: usize, target: usize) {
        match &mut self.code[at].action {
            Action::Test(_, to) | Action::To(to) | Action::Again(_, to) => *to = target,
            _ => unreachable!("only these wait for a target"),
        }
    }

    fn list(&mut self, stmts: &[Stmt], parent: Place) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, parent))
    }

    /// The statements between two braces.
    fn compound(&mut self, stmts: &[Stmt], parent: Place) -> Option<()> {
        let place = self.place(Some(parent), false);
        self.list(stmts, place)?;
        self.places[place].end = self.places.len();
        Some(())
    }

    fn stmt(&mut self, stmt: &Stmt, parent: Place) -> Option<()> {
        let is_loop = matches!(stmt, Stmt::While(..) | Stmt::For(..) | Stmt::Do(..));
        let place = self.place(Some(parent), is_loop);
        match stmt {
            Stmt::Op(number) => _ = self.put(place, Action::Op(*number)),
            Stmt::If(chance, then, otherwise) => {
                let test = self.put(place, Action::Test(*chance, 0));
                self.compound(then, place)?;
                let over = self.put(place, Action::To(0));
                let target = self.code.len();
                self.aim(test, target);
                if !otherwise.is_empty() {
                    self.compound(otherwise, place)?;
                }
                let target = self.code.len();
                self.aim(over, target);
            }
            Stmt::While(chance, body) | Stmt::For(chance, body) => {
                let test = self.put(place, Action::Test(*chance, 0));
                self.breaks.push(vec![test]);
                self.continues.push(Vec::new());
                self.compound(body, place)?;
                let again = self.put(place, Action::Again(place, test));
                self.leave_loop(again);
            }
            Stmt::Do(body, chance) => {
                let first = self.code.len();
                self.breaks.push(Vec::new());
                self.continues.push(Vec::new());
                self.compound(body, place)?;
                let test = self.put(place, Action::Test(*chance, 0));
                self.breaks.last_mut()?.push(test);
                self.put(place, Action::Again(place, first));
                self.leave_loop(test);
            }
            Stmt::Switch(ways, body) => {
                let pick = self.put(place, Action::Return);
                self.breaks.push(Vec::new());
                self.cases.push(Labels::default());
                self.compound(body, place)?;
                let end = self.code.len();
                let Labels { cases, default } = self.cases.pop()?;
                let otherwise = default.map_or((None, end), |(place, at)| (Some(place), at));
                self.code[pick].action = Action::Pick { ways: *ways, cases, otherwise };
                for at in self.breaks.pop()? {
                    self.aim(at, end);
                }
            }
            Stmt::Case(number) => {
                let at = self.code.len();
                let Labels { cases, .. } = self.cases.last_mut()?;
                if cases.iter().any(|case| case.0 == *number) {
                    return None;
                }
                cases.push((*number, place, at));
            }
            Stmt::Default => {
                let at = self.code.len();
                let Labels { default, .. } = self.cases.last_mut()?;
                if default.replace((place, at)).is_some() {
                    return None;
                }
            }
            Stmt::Label(number) => {
                let at = self.code.len();
                if self.labels.insert(*number, (place, at)).is_some() {
                    return None;
                }
            }
            Stmt::Goto(number) => {
                let at = self.put(place, Action::Return);
                self.gotos.push((at, *number));
            }
            Stmt::Break => {
                let at = self.put(place, Action::To(0));
                self.breaks.last_mut()?.push(at);
            }
            Stmt::Continue => {
                let at = self.put(place, Action::To(0));
                self.continues.last_mut()?.push(at);
            }
            Stmt::Return => _ = self.put(place, Action::Return),
        }
        self.places[place].end = self.places.len();
        // A label is a point of its own: what comes behind it may be outside of its span.
        if matches!(stmt, Stmt::Label(_) | Stmt::Case(_) | Stmt::Default) {
            let next = self.code.len() + 1;
            self.put(place, Action::To(next));
        }
        Some(())
    }

    /// `continue`s lead to the instruction, and what leaves the loop behind the last one.
    fn leave_loop(&mut self, again: usize) {
        for at in self.continues.pop().unwrap_or_default() {
            self.aim(at, again);
        }
        let end = self.code.len();
        for at in self.breaks.pop().unwrap_or_default() {
            self.aim(at, end);
        }
    }
}
