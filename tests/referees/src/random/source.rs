//! Random kernels whose control flow depends only on the thread, so that each thread can be executed alone.
//!
//! Each thread has a random state (`h`) and a count of random numbers (`t`). After [`THROWS`] numbers every condition
//! is false, so loops end. An operation is a reduction of a constant, which identifies it in the flow graph.

use std::fmt::Write;

use tangle_simulate::Random;

/// The number of random numbers after which all conditions are false.
pub const THROWS: u32 = 40;
/// The initial random state of a thread is this factor times its number, plus the seed.
pub const MULTIPLIER: u32 = 2_654_435_761;

/// A condition that holds in so many of four cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A convergent operation with its number.
    Op(u32),
    If(Chance, Vec<Stmt>, Vec<Stmt>),
    While(Chance, Vec<Stmt>),
    For(Chance, Vec<Stmt>),
    Do(Vec<Stmt>, Chance),
    /// A `switch` over so many values. Its `case`s can be anywhere in the body.
    Switch(u32, Vec<Stmt>),
    /// A `case` of the enclosing `switch`, and its statement.
    Case(u32, Box<Stmt>),
    Default(Box<Stmt>),
    /// A label for `goto`s, and its statement.
    Label(u32, Box<Stmt>),
    Goto(u32),
    /// `{ … }`.
    Block(Vec<Stmt>),
    Empty,
    Break,
    Continue,
    Return,
}

/// Returns the next random state.
pub fn thrown(dice: u32) -> u32 {
    dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// Returns the text of a kernel.
pub fn text(body: &[Stmt], seed: u32) -> String {
    let head = format!(
        "kernel void k(void) {{\n  uint h = (uint)get_local_id(0) * {MULTIPLIER}u + {seed}u, t = 0;\n"
    );
    let input = |input: Input| match input {
        Input::Condition(chance) => chance.text(),
        Input::Switch(ways) => format!("(h >> 24) % {ways}u"),
    };
    text_with(
        body,
        &head,
        &InputText { input: &input, before_switch: "t++; h = h * 1664525u + 1013904223u;" },
    )
}

/// An input of a statement.
pub enum Input {
    Condition(Chance),
    /// The value of a `switch` over so many values.
    Switch(u32),
}

/// The text with which statements read their inputs.
pub struct InputText<'a> {
    pub input: &'a dyn Fn(Input) -> String,
    /// Statements before each `switch`.
    pub before_switch: &'a str,
}

/// Returns the text of a kernel with the given first lines.
pub fn text_with(body: &[Stmt], head: &str, reading: &InputText) -> String {
    let mut out = String::from(head);
    print(&mut out, body, 1, reading);
    out + "}\n"
}

impl Chance {
    fn text(self) -> String {
        format!("(t++ < {THROWS}u) & (((h = h * 1664525u + 1013904223u) >> 24) % 4u < {}u)", self.0)
    }
}

fn print(out: &mut String, stmts: &[Stmt], depth: usize, reading: &InputText) {
    let condition = |chance: &Chance| (reading.input)(Input::Condition(*chance));
    let indent = "  ".repeat(depth);
    for stmt in stmts {
        let mut line = |text: String| writeln!(out, "{indent}{text}").unwrap();
        match stmt {
            Stmt::Op(number) => line(format!("sub_group_reduce_add({number});")),
            Stmt::If(chance, then, otherwise) => {
                line(format!("if ({}) {{", condition(chance)));
                print(out, then, depth + 1, reading);
                if !otherwise.is_empty() {
                    writeln!(out, "{indent}}} else {{").unwrap();
                    print(out, otherwise, depth + 1, reading);
                }
                writeln!(out, "{indent}}}").unwrap();
            }
            Stmt::While(chance, body) | Stmt::For(chance, body) => {
                line(match stmt {
                    Stmt::While(..) => format!("while ({}) {{", condition(chance)),
                    _ => format!("for (; {};) {{", condition(chance)),
                });
                print(out, body, depth + 1, reading);
                writeln!(out, "{indent}}}").unwrap();
            }
            Stmt::Do(body, chance) => {
                line("do {".to_owned());
                print(out, body, depth + 1, reading);
                writeln!(out, "{indent}}} while ({});", condition(chance)).unwrap();
            }
            Stmt::Switch(ways, body) => {
                if !reading.before_switch.is_empty() {
                    line(reading.before_switch.to_owned());
                }
                line(format!("switch ({}) {{", (reading.input)(Input::Switch(*ways))));
                print(out, body, depth + 1, reading);
                writeln!(out, "{indent}}}").unwrap();
            }
            Stmt::Case(number, inner) => {
                line(format!("case {number}:"));
                print(out, std::slice::from_ref(inner), depth, reading);
            }
            Stmt::Default(inner) => {
                line("default:".to_owned());
                print(out, std::slice::from_ref(inner), depth, reading);
            }
            Stmt::Label(number, inner) => {
                line(format!("L{number}:"));
                print(out, std::slice::from_ref(inner), depth, reading);
            }
            Stmt::Block(body) => {
                line("{".to_owned());
                print(out, body, depth + 1, reading);
                writeln!(out, "{indent}}}").unwrap();
            }
            Stmt::Empty => line(";".to_owned()),
            Stmt::Goto(number) => line(format!("goto L{number};")),
            Stmt::Break => line("break;".to_owned()),
            Stmt::Continue => line("continue;".to_owned()),
            Stmt::Return => line("return;".to_owned()),
        }
    }
}

/// The context of a generated statement.
#[derive(Clone, Copy, Default)]
struct Context {
    depth: usize,
    in_loop: bool,
    in_switch: bool,
}

struct Generator<'a> {
    random: &'a mut Random,
    ops: u32,
    labels: u32,
    /// Labels of earlier `goto`s that are not placed yet.
    wanted: Vec<u32>,
    placed: Vec<u32>,
    /// For each enclosing `switch`, its next `case` and its number of `case`s.
    cases: Vec<(u32, u32)>,
    budget: usize,
}

/// Makes a random body.
pub fn body(random: &mut Random) -> Vec<Stmt> {
    let budget = 5 + random.below(12);
    body_of(random, budget)
}

/// Makes a small random body.
pub fn small_body(random: &mut Random) -> Vec<Stmt> {
    let budget = 2 + random.below(4);
    body_of(random, budget)
}

fn body_of(random: &mut Random, budget: usize) -> Vec<Stmt> {
    let mut maker = Generator {
        random,
        ops: 0,
        labels: 0,
        wanted: Vec::new(),
        placed: Vec::new(),
        cases: Vec::new(),
        budget,
    };
    let mut body = Vec::new();
    while maker.budget > 0 {
        body.extend(maker.stmts(Context::default()));
    }
    body.extend(
        std::mem::take(&mut maker.wanted).into_iter().map(|label| Stmt::Label(label, Box::new(Stmt::Empty))),
    );
    body.push(maker.op());
    body
}

impl Generator<'_> {
    fn op(&mut self) -> Stmt {
        self.ops += 1;
        Stmt::Op(self.ops)
    }

    fn chance(&mut self) -> Chance {
        Chance(1 + self.random.below(3) as u32)
    }

    fn stmts(&mut self, around: Context) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            self.budget = self.budget.saturating_sub(1);
            stmts.extend(self.stmt(around));
        }
        if self.random.chance(50) {
            stmts.push(self.op());
        }
        stmts
    }

    fn stmt(&mut self, around: Context) -> Vec<Stmt> {
        let nested = around.depth < 4 && self.budget > 0;
        let inside = Context { depth: around.depth + 1, ..around };
        let in_loop = Context { in_loop: true, in_switch: false, ..inside };
        match self.random.below(20) {
            0..=2 if nested => {
                let chance = self.chance();
                let then = self.stmts(inside);
                let otherwise = if self.random.chance(30) { self.stmts(inside) } else { Vec::new() };
                vec![Stmt::If(chance, then, otherwise)]
            }
            3..=5 if nested => {
                let chance = self.chance();
                let body = self.stmts(in_loop);
                vec![match self.random.below(3) {
                    0 => Stmt::While(chance, body),
                    1 => Stmt::For(chance, body),
                    _ => Stmt::Do(body, chance),
                }]
            }
            6 | 7 if nested => {
                let ways = 1 + self.random.below(3) as u32;
                self.cases.push((0, ways));
                let mut body = Vec::new();
                // Only jumps reach the statements before the first `case`.
                if self.random.chance(70) {
                    body.extend(self.case());
                }
                for _ in 0..1 + self.random.below(3) {
                    body.extend(self.stmts(Context { in_switch: true, ..inside }));
                }
                while let Some(case) = self.case() {
                    body.push(case);
                    body.extend(self.stmts(Context { in_switch: true, ..inside }));
                }
                self.cases.pop();
                if self.random.chance(40) {
                    let inner = Box::new(self.labelled());
                    body.push(Stmt::Default(inner));
                    body.push(self.op());
                }
                vec![Stmt::Switch(ways + self.random.below(2) as u32, body)]
            }
            8 | 9 if !self.cases.is_empty() => self.case().into_iter().collect(),
            10 | 11 => self.early_exit(around),
            12 | 13 => {
                self.labels += 1;
                let label = self.labels;
                self.placed.push(label);
                vec![Stmt::Label(label, Box::new(self.labelled_statement(around)))]
            }
            14 if !self.wanted.is_empty() => {
                let label = self.wanted.swap_remove(self.random.below(self.wanted.len()));
                self.placed.push(label);
                vec![Stmt::Label(label, Box::new(self.labelled_statement(around)))]
            }
            17 if nested => vec![Stmt::Block(self.stmts(inside))],
            15 | 16 => {
                let label = match self.placed.as_slice() {
                    // Several jumps to one label are interesting.
                    [.., last] if self.random.chance(30) => *last,
                    [.., _] if self.random.chance(50) => *self.random.pick(&self.placed.clone()),
                    _ => {
                        self.labels += 1;
                        self.wanted.push(self.labels);
                        self.labels
                    }
                };
                let mut then = if self.random.chance(30) { vec![self.op()] } else { Vec::new() };
                then.push(Stmt::Goto(label));
                match self.random.chance(85) {
                    true => vec![Stmt::If(self.chance(), then, Vec::new())],
                    false => then,
                }
            }
            _ => vec![self.op()],
        }
    }

    fn case(&mut self) -> Option<Stmt> {
        let (next, ways) = self.cases.last_mut()?;
        if *next == *ways {
            return None;
        }
        *next += 1;
        let number = *next - 1;
        Some(Stmt::Case(number, Box::new(self.labelled())))
    }

    /// Makes the statement of a `case` or `default`: usually empty, or another label, or an operation.
    fn labelled(&mut self) -> Stmt {
        match self.random.below(10) {
            0 => self.case().unwrap_or(Stmt::Empty),
            1 if !self.wanted.is_empty() => {
                let label = self.wanted.swap_remove(self.random.below(self.wanted.len()));
                self.placed.push(label);
                Stmt::Label(label, Box::new(Stmt::Empty))
            }
            2 => self.op(),
            _ => Stmt::Empty,
        }
    }

    /// Makes the statement of a label: an empty statement, or a statement that ends together with the labelled
    /// statement.
    fn labelled_statement(&mut self, around: Context) -> Stmt {
        let nested = around.depth < 4 && self.budget > 0;
        let inside = Context { depth: around.depth + 1, ..around };
        match self.random.below(10) {
            0 | 1 if nested => Stmt::Block(self.stmts(inside)),
            2 if nested => Stmt::If(self.chance(), self.stmts(inside), Vec::new()),
            3 if nested => {
                let chance = self.chance();
                Stmt::While(chance, self.stmts(Context { in_loop: true, in_switch: false, ..inside }))
            }
            4 => self.op(),
            5 if !self.wanted.is_empty() => {
                let label = self.wanted.swap_remove(self.random.below(self.wanted.len()));
                self.placed.push(label);
                Stmt::Label(label, Box::new(Stmt::Empty))
            }
            6 if !self.cases.is_empty() => self.case().unwrap_or(Stmt::Empty),
            _ => Stmt::Empty,
        }
    }

    /// Makes a conditional jump out of a statement or the kernel, often with an operation before it.
    fn early_exit(&mut self, around: Context) -> Vec<Stmt> {
        let out = match self.random.below(3) {
            0 if around.in_loop || around.in_switch => Stmt::Break,
            1 if around.in_loop => Stmt::Continue,
            0 | 1 if around.in_loop => Stmt::Break,
            _ => Stmt::Return,
        };
        let mut then = if self.random.chance(70) { vec![self.op()] } else { Vec::new() };
        then.push(out);
        vec![Stmt::If(self.chance(), then, Vec::new())]
    }
}

/// Returns the bodies with one statement removed, or replaced by a part of it.
pub fn smaller(stmts: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for (at, stmt) in stmts.iter().enumerate() {
        let with = |parts: Vec<Stmt>| {
            let mut other = stmts.to_vec();
            other.splice(at..=at, parts);
            other
        };
        all.push(with(Vec::new()));
        let inner = |body: &Vec<Stmt>, make: &dyn Fn(Vec<Stmt>) -> Stmt| -> Vec<Vec<Stmt>> {
            smaller(body).into_iter().map(|body| with(vec![make(body)])).collect()
        };
        match stmt {
            Stmt::If(chance, then, otherwise) => {
                all.push(with(then.clone()));
                all.extend(inner(then, &|then| Stmt::If(*chance, then, otherwise.clone())));
                all.extend(inner(otherwise, &|otherwise| Stmt::If(*chance, then.clone(), otherwise)));
            }
            Stmt::While(chance, body) => all.extend(inner(body, &|body| Stmt::While(*chance, body))),
            Stmt::For(chance, body) => {
                all.push(with(vec![Stmt::While(*chance, body.clone())]));
                all.extend(inner(body, &|body| Stmt::For(*chance, body)));
            }
            Stmt::Do(body, chance) => all.extend(inner(body, &|body| Stmt::Do(body, *chance))),
            Stmt::Switch(ways, body) => all.extend(inner(body, &|body| Stmt::Switch(*ways, body))),
            Stmt::Block(body) => {
                all.push(with(body.clone()));
                all.extend(inner(body, &Stmt::Block));
            }
            Stmt::Label(_, after) | Stmt::Case(_, after) | Stmt::Default(after) => {
                all.push(with(vec![(**after).clone()]));
                let labelled = |after: Stmt| match stmt {
                    Stmt::Label(number, _) => Stmt::Label(*number, Box::new(after)),
                    Stmt::Case(number, _) => Stmt::Case(*number, Box::new(after)),
                    _ => Stmt::Default(Box::new(after)),
                };
                if **after != Stmt::Empty {
                    all.push(with(vec![labelled(Stmt::Empty), (**after).clone()]));
                }
                for body in smaller(std::slice::from_ref(after)) {
                    if let [one] = &body[..] {
                        all.push(with(vec![labelled(one.clone())]));
                    }
                }
            }
            _ => {}
        }
    }
    all
}
