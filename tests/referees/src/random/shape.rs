//! The statements of a random kernel, numbered in source order, with their jumps and goto cycles.
//!
//! - *place* of a statement: its number. A statement comes before its substatements, and those come in source
//!   order. Place 0 is the function body.
//! - *part* of a statement: a statement directly inside it. The parts of an `if` are its two compound
//!   statements.
//! - *goto cycle*: a label L and a later `goto` G to L that can be reached from L. Paths that leave the whole other
//!   than by a `goto` do not count. The cycle contains the places from L to G (SEMANTICS §3.1).
//! - *whole* of a goto cycle: the smallest statement that contains both L and G.
//! - *levels* of a goto cycle: the statements around L, from the labelled statement itself to the whole.
//!
//! The statements match the C text that `source::text` prints, with two assignments before each `switch`.

use std::collections::{HashMap, HashSet};

use super::source::{Chance, Stmt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    Operation(u32),
    If,
    /// `while` and `for`, which are equivalent here.
    While,
    Do,
    /// The index in `Program::switches`.
    Switch(usize),
    /// `L: S`, `case 0: S` or `default: S`.
    Labelled,
    /// The place of the label. During construction, the number of the label.
    Goto(usize),
    Compound,
    Empty,
    Break,
    Continue,
    Return,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    /// For an `if` or a loop, the probability of its condition.
    pub chance: Chance,
    /// The enclosing statement. For the function body, itself.
    pub parent: usize,
    /// The index among the parts of its parent.
    pub index: usize,
    pub parts: Vec<usize>,
    /// The last place inside the statement.
    pub last: usize,
    /// Its line in the C text, from 1.
    pub line: u32,
    /// The slots that are set when the statement is reached in sequence: see `derivation::Thread::rounds`.
    pub slots: Vec<usize>,
    /// For an operation, the goto cycles that contain it, each with the slot of its whole.
    pub cycles: Vec<(usize, usize)>,
}

/// The labels of a `switch`.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    pub ways: u32,
    pub cases: Vec<(u32, usize)>,
    pub default: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct GotoCycle {
    pub label: usize,
    pub goto: usize,
    /// The statements around the label: the labelled statement first, the whole last.
    pub levels: Vec<usize>,
    /// The slot of the first level.
    pub slot: usize,
    /// Whether the `goto` brings the next iteration of the threads that entered the cycle, and not a candidate of its
    /// own.
    pub repeats: bool,
    /// Whether `repeats` is set and no other goto cycle has this label, so that there are no siblings.
    pub is_loop: bool,
}

/// A kernel with resolved jumps.
#[derive(Clone, Debug)]
pub struct Program {
    pub statements: Vec<Statement>,
    pub switches: Vec<Switch>,
    pub cycles: Vec<GotoCycle>,
    pub slots: usize,
    /// Whether some path reaches the statement, if each condition can be true or false, and each `switch` can jump to
    /// each of its labels.
    pub reachable: Vec<bool>,
}

/// The context of a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    switch: Option<usize>,
    in_loop: bool,
    breaks: bool,
}

/// The state of a thread since it entered a goto cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CycleEntry {
    Outside,
    Passed,
    Jumped,
    Skipped,
}

struct Maker {
    statements: Vec<Statement>,
    switches: Vec<Switch>,
    labels: HashMap<u32, usize>,
    operations: HashSet<u32>,
    line: u32,
}

impl Maker {
    fn begin(&mut self, kind: StatementKind, parent: usize) -> usize {
        let place = self.statements.len();
        let (line, last) = (self.line, place);
        let (parts, slots, cycles) = (Vec::new(), Vec::new(), Vec::new());
        let chance = Chance(0);
        self.statements.push(Statement { kind, chance, parent, index: 0, parts, last, line, slots, cycles });
        if place > 0 {
            let index = self.statements[parent].parts.len();
            self.statements[parent].parts.push(place);
            self.statements[place].index = index;
        }
        place
    }

    fn end(&mut self, place: usize) {
        self.statements[place].last = self.statements.len() - 1;
    }

    fn leaf(&mut self, kind: StatementKind, parent: usize) {
        self.begin(kind, parent);
        self.line += 1;
    }

    /// Adds a compound statement, whose `{` is on the previous line.
    fn compound(&mut self, body: &[Stmt], parent: usize, around: Around) -> Option<()> {
        let place = self.begin(StatementKind::Compound, parent);
        self.statements[place].line -= 1;
        for stmt in body {
            self.stmt(stmt, place, around)?;
            let mut inner = stmt;
            while let Stmt::Case(_, next) | Stmt::Default(next) | Stmt::Label(_, next) = inner {
                inner = next;
            }
            if let Stmt::Switch(ways, body) = inner {
                self.leaf(StatementKind::Empty, place);
                self.switch(*ways, body, place, around)?;
            }
        }
        self.end(place);
        Some(())
    }

    fn switch(&mut self, ways: u32, body: &[Stmt], parent: usize, around: Around) -> Option<()> {
        let switch = self.switches.len();
        self.switches.push(Switch { ways, ..Switch::default() });
        let place = self.begin(StatementKind::Switch(switch), parent);
        self.line += 1;
        self.compound(body, place, Around { switch: Some(switch), breaks: true, ..around })?;
        self.line += 1;
        self.end(place);
        Some(())
    }

    fn stmt(&mut self, stmt: &Stmt, parent: usize, around: Around) -> Option<()> {
        match stmt {
            Stmt::Op(number) => {
                self.operations.insert(*number).then_some(())?;
                self.leaf(StatementKind::Operation(*number), parent);
            }
            Stmt::If(chance, then, otherwise) => {
                let place = self.begin(StatementKind::If, parent);
                self.statements[place].chance = *chance;
                self.line += 1;
                self.compound(then, place, around)?;
                if !otherwise.is_empty() {
                    self.line += 1;
                    self.compound(otherwise, place, around)?;
                }
                self.line += 1;
                self.end(place);
            }
            Stmt::While(chance, body) | Stmt::For(chance, body) | Stmt::Do(body, chance) => {
                let kind =
                    if matches!(stmt, Stmt::Do(..)) { StatementKind::Do } else { StatementKind::While };
                let place = self.begin(kind, parent);
                self.statements[place].chance = *chance;
                self.line += 1;
                self.compound(body, place, Around { in_loop: true, breaks: true, ..around })?;
                self.line += 1;
                self.end(place);
            }
            // The first of the two assignments. A label before the `switch` belongs to it. `compound` adds the second
            // one and the `switch`.
            Stmt::Switch(..) => _ = self.begin(StatementKind::Empty, parent),
            Stmt::Case(_, inner) | Stmt::Default(inner) | Stmt::Label(_, inner) => {
                let place = self.begin(StatementKind::Labelled, parent);
                self.line += 1;
                match stmt {
                    Stmt::Label(number, _) => self.labels.insert(*number, place).is_none().then_some(())?,
                    Stmt::Case(number, _) => {
                        let cases = &mut self.switches[around.switch?].cases;
                        cases.iter().all(|(other, _)| other != number).then_some(())?;
                        cases.push((*number, place));
                    }
                    _ => self.switches[around.switch?].default.replace(place).is_none().then_some(())?,
                }
                self.stmt(inner, place, around)?;
                self.end(place);
            }
            Stmt::Goto(number) => self.leaf(StatementKind::Goto(*number as usize), parent),
            Stmt::Block(body) => {
                self.line += 1;
                self.compound(body, parent, around)?;
                self.line += 1;
            }
            Stmt::Empty => self.leaf(StatementKind::Empty, parent),
            Stmt::Break => {
                around.breaks.then_some(())?;
                self.leaf(StatementKind::Break, parent);
            }
            Stmt::Continue => {
                around.in_loop.then_some(())?;
                self.leaf(StatementKind::Continue, parent);
            }
            Stmt::Return => self.leaf(StatementKind::Return, parent),
        }
        Some(())
    }
}

/// The next step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Point {
    Start(usize),
    /// The condition of a loop.
    Condition(usize),
}

impl Program {
    /// Makes the program of a body. Returns `None` if a label is missing or duplicate, if two operations have the same
    /// number, or if `break`, `continue`, `case` or `default` has no statement to refer to.
    pub fn of(body: &[Stmt]) -> Option<Program> {
        let mut maker = Maker {
            statements: Vec::new(),
            switches: Vec::new(),
            labels: HashMap::new(),
            operations: HashSet::new(),
            // The text has two lines before the body.
            line: 3,
        };
        maker.compound(body, 0, Around::default())?;
        for statement in &mut maker.statements {
            if let StatementKind::Goto(label) = &mut statement.kind {
                *label = *maker.labels.get(&(*label as u32))?;
            }
        }
        let Maker { statements, switches, .. } = maker;
        let mut program =
            Program { statements, switches, cycles: Vec::new(), slots: 0, reachable: Vec::new() };
        program.reachable = program.reached(Point::Start(0));
        program.find_cycles();
        Some(program)
    }

    /// Returns whether a statement contains another one, or is the same one.
    pub fn contains(&self, around: usize, place: usize) -> bool {
        (around..=self.statements[around].last).contains(&place)
    }

    /// Returns the smallest statement that contains both.
    pub fn smallest(&self, one: usize, other: usize) -> usize {
        let mut around = one;
        while !self.contains(around, other) {
            around = self.statements[around].parent;
        }
        around
    }

    /// Returns the labels to which a `switch` can jump.
    pub fn landings(&self, switch: usize) -> impl Iterator<Item = usize> {
        let switch = &self.switches[switch];
        switch.cases.iter().map(|&(_, place)| place).chain(switch.default)
    }

    /// Returns the loops around a statement, innermost first.
    pub fn loops(&self, place: usize) -> impl Iterator<Item = usize> {
        let around = std::iter::successors(Some(place), |&at| (at > 0).then(|| self.statements[at].parent));
        around.skip(1).filter(|&at| self.is_loop(at))
    }

    pub fn is_loop(&self, place: usize) -> bool {
        matches!(self.statements[place].kind, StatementKind::While | StatementKind::Do)
    }

    /// Returns the operations, each with its number and place.
    pub fn operations(&self) -> impl Iterator<Item = (u32, usize)> {
        self.statements.iter().enumerate().filter_map(|(place, statement)| match statement.kind {
            StatementKind::Operation(number) => Some((number, place)),
            _ => None,
        })
    }

    fn find_cycles(&mut self) {
        for goto in 0..self.statements.len() {
            let StatementKind::Goto(label) = self.statements[goto].kind else { continue };
            let whole = self.smallest(label, goto);
            if label > goto || !self.can_reach_goto(label, goto, whole) {
                continue;
            }
            let mut levels = vec![label];
            while levels[levels.len() - 1] != whole {
                levels.push(self.statements[levels[levels.len() - 1]].parent);
            }
            let slot = self.slots;
            self.slots += levels.len();
            for (at, &level) in levels.iter().enumerate() {
                let part = if at == 0 { label } else { levels[at - 1] };
                self.statements[part].slots.push(slot + at);
                if self.statements[level].kind == StatementKind::If {
                    self.statements[level].slots.push(slot + at);
                }
            }
            self.cycles.push(GotoCycle { label, goto, levels, slot, repeats: false, is_loop: false });
        }
        for number in 0..self.cycles.len() {
            let GotoCycle { label, goto, slot, ref levels, .. } = self.cycles[number];
            let whole = slot + levels.len() - 1;
            let repeats = self.repeats(label, goto);
            let others = self.cycles.iter().filter(|it| it.label == label && it.goto != goto);
            let wholes: Vec<usize> = others.filter_map(|it| it.levels.last().copied()).collect();
            self.cycles[number].is_loop = repeats && wholes.is_empty();
            self.cycles[number].repeats = repeats;
            for place in label + 1..goto {
                let has_sibling = wholes.iter().any(|&whole| self.contains(whole, place));
                if let (StatementKind::Operation(_), false) = (self.statements[place].kind, has_sibling) {
                    self.statements[place].cycles.push((number, whole));
                }
            }
        }
    }

    /// Returns whether a path leads from a label to a `goto` without leaving the whole, except by a `goto`. Threads
    /// that leave the whole at its end reconverge with all threads that entered it.
    fn can_reach_goto(&self, label: usize, goto: usize, whole: usize) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![Point::Start(label)];
        while let Some(point) = open.pop() {
            let (Point::Start(place) | Point::Condition(place)) = point;
            if place == goto {
                return true;
            }
            if !seen.insert(point) {
                continue;
            }
            let mut next = Vec::new();
            self.next(point, &mut next);
            let is_jump = matches!(self.statements[place].kind, StatementKind::Goto(_));
            open.extend(next.into_iter().filter(|to| {
                let (Point::Start(to) | Point::Condition(to)) = *to;
                is_jump || self.contains(whole, to) || !self.contains(whole, place)
            }));
        }
        false
    }

    /// Returns whether a goto cycle is one loop (SEMANTICS §3.1), whose `goto` is not a second entry:
    ///
    /// - No loop statement contains only the label, and no repeating loop statement contains only the `goto`.
    /// - The `goto` does not follow another goto cycle within the whole of that cycle, which threads leave in different
    ///   rounds.
    /// - Each thread at the `goto` has passed the label since it entered the cycle, or entered the cycle by a jump
    ///   whose candidate is still separate.
    fn repeats(&self, label: usize, goto: usize) -> bool {
        let crosses = |at: usize| match (self.contains(at, label), self.contains(at, goto)) {
            (true, false) => self.is_loop(at),
            (false, true) => self.is_loop(at) && self.can_iterate(at),
            _ => false,
        };
        let follows = |other: &GotoCycle| {
            let whole = other.levels[other.levels.len() - 1];
            other.goto < goto && self.contains(whole, goto) && !(other.label..=other.goto).contains(&label)
        };
        if (0..self.statements.len()).any(crosses) || self.cycles.iter().any(follows) {
            return false;
        }
        let inside = |point: Point| {
            let (Point::Start(place) | Point::Condition(place)) = point;
            (label..=goto).contains(&place)
        };
        let mut seen = HashSet::new();
        let mut open = vec![(Point::Start(0), CycleEntry::Outside)];
        while let Some((point, since)) = open.pop() {
            if !seen.insert((point, since)) {
                continue;
            }
            if point == Point::Start(goto) && since == CycleEntry::Skipped {
                return false;
            }
            let mut next = Vec::new();
            self.next(point, &mut next);
            let (Point::Start(place) | Point::Condition(place)) = point;
            let is_landing = |to: Point| match (self.statements[place].kind, to) {
                (StatementKind::Goto(_), _) => true,
                (StatementKind::Switch(switch), Point::Start(to)) => self.landings(switch).any(|it| it == to),
                _ => false,
            };
            let keeps_apart = |to: Point| match to {
                Point::Start(to) => self.contains(self.smallest(to, place), goto),
                Point::Condition(_) => false,
            };
            open.extend(next.into_iter().map(|to| {
                let since = match (inside(to), since) {
                    (false, _) => CycleEntry::Outside,
                    _ if to == Point::Start(label) => CycleEntry::Passed,
                    (true, CycleEntry::Outside) if is_landing(to) && keeps_apart(to) => CycleEntry::Jumped,
                    (true, CycleEntry::Outside) => CycleEntry::Skipped,
                    (true, since) => since,
                };
                (to, since)
            }));
        }
        true
    }

    /// Returns whether a loop statement can have a second iteration: a path leads to its condition without leaving the
    /// loop, from its body or from a label that a jump from outside reaches.
    fn can_iterate(&self, at: usize) -> bool {
        let mut seen = HashSet::new();
        let comes_in = |from: usize, to: usize| self.contains(at, to) && !self.contains(at, from);
        let labels = self.statements.iter().enumerate().flat_map(|(from, statement)| match statement.kind {
            StatementKind::Goto(label) => vec![(from, label)],
            StatementKind::Switch(switch) => self.landings(switch).map(|label| (from, label)).collect(),
            _ => Vec::new(),
        });
        let labels = labels.filter(|&(from, to)| comes_in(from, to)).map(|(_, to)| Point::Start(to));
        let mut open: Vec<Point> = labels.chain([Point::Start(self.statements[at].parts[0])]).collect();
        while let Some(point) = open.pop() {
            let (Point::Start(place) | Point::Condition(place)) = point;
            if point == Point::Condition(at) {
                return true;
            }
            if self.contains(at, place) && seen.insert(point) {
                self.next(point, &mut open);
            }
        }
        false
    }

    /// Returns which statements the paths from a point execute.
    fn reached(&self, from: Point) -> Vec<bool> {
        let mut started = vec![false; self.statements.len()];
        let mut decided = started.clone();
        let mut open = vec![from];
        while let Some(point) = open.pop() {
            let (seen, place) = match point {
                Point::Start(place) => (&mut started, place),
                Point::Condition(place) => (&mut decided, place),
            };
            if !std::mem::replace(&mut seen[place], true) {
                self.next(point, &mut open);
            }
        }
        started
    }

    fn next(&self, point: Point, open: &mut Vec<Point>) {
        let (Point::Start(place) | Point::Condition(place)) = point;
        let statement = &self.statements[place];
        let first = statement.parts.first().map(|&part| Point::Start(part));
        match (statement.kind, point) {
            (StatementKind::While, _) | (StatementKind::Do, Point::Condition(_)) => {
                open.extend(first);
                open.extend(self.after(place));
            }
            (StatementKind::Do, Point::Start(_)) => open.extend(first),
            (StatementKind::If, _) => {
                open.extend(statement.parts.iter().map(|&part| Point::Start(part)));
                if statement.parts.len() == 1 {
                    open.extend(self.after(place));
                }
            }
            (StatementKind::Switch(switch), _) => {
                open.extend(self.landings(switch).map(Point::Start));
                if self.switches[switch].default.is_none() {
                    open.extend(self.after(place));
                }
            }
            (StatementKind::Compound | StatementKind::Labelled, _) => {
                open.extend(first.or_else(|| self.after(place)))
            }
            (StatementKind::Operation(_) | StatementKind::Empty, _) => open.extend(self.after(place)),
            (StatementKind::Goto(label), _) => open.push(Point::Start(label)),
            (StatementKind::Break | StatementKind::Continue, _) => {
                let mut around = statement.parent;
                let leaves = |at| match statement.kind {
                    StatementKind::Break => {
                        self.is_loop(at) || matches!(self.statements[at].kind, StatementKind::Switch(_))
                    }
                    _ => self.is_loop(at),
                };
                while !leaves(around) {
                    around = self.statements[around].parent;
                }
                match statement.kind {
                    StatementKind::Break => open.extend(self.after(around)),
                    _ => open.push(Point::Condition(around)),
                }
            }
            (StatementKind::Return, _) => {}
        }
    }

    /// Returns the point after the end of a statement.
    fn after(&self, place: usize) -> Option<Point> {
        if place == 0 {
            return None;
        }
        let Statement { parent, index, .. } = self.statements[place];
        let around = &self.statements[parent];
        match around.kind {
            StatementKind::While | StatementKind::Do => Some(Point::Condition(parent)),
            StatementKind::Compound if index + 1 < around.parts.len() => {
                Some(Point::Start(around.parts[index + 1]))
            }
            _ => self.after(parent),
        }
    }
}
