//! Random kernels in OpenCL C, as trees of statements that can be shrunk.
//!
//! All variables are declared and initialized at the top of their function, so that a `goto` skips no initialization.
//! Loops and backward jumps count their iterations, and compare the count with a random expression.

use std::fmt::Write;
use tangle_simulate::Random;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Line(String),
    If(String, Vec<Stmt>, Vec<Stmt>),
    /// The text before the body, the body, and the text after it.
    Loop(String, Vec<Stmt>, String),
    /// The value, and the labels with their statements.
    Switch(String, Vec<(String, Vec<Stmt>)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The signature and the declarations.
    pub head: String,
    pub body: Vec<Stmt>,
    /// The last statement of the body.
    pub last: String,
    /// Whether the text contains the function. Callers do not know a function that it does not contain.
    pub shown: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub functions: Vec<Function>,
    /// Whether the text defines the type of records.
    pub types: bool,
}

/// Functions that compute an index from their parameters.
const INDEX_FUNCTIONS: &str = "\
int at3(int a, int b, int c) { return a + b * c; }
int row2(int a, int b) { return at3(a, b, 4) - 2 * a; }
";

/// Functions that return a record whose fields differ.
const RECORD_FUNCTIONS: &str = "\
static pair both(int a, int b) { pair r = {a, b}; return r; }
static pair chosen(int c, int a, int b) { pair r = {a, a}, o = {b, a}; if (c) { r.j = b; return r; } return o; }
";

/// Conditions that occur several times in a source, so that branches on them are correlated.
const SHARED_CONDITIONS: &[&str] = &[
    "n > 2",
    "n < 2",
    "(n & 3) == 1",
    "u & 1",
    "(l & 3) < 2",
    "(l & 3) > 2",
    "w > 1",
    "w < 1",
    "g > 0",
    "x > y",
];

impl Source {
    pub fn text(&self) -> String {
        let mut out = String::new();
        let shown = self.functions.iter().filter(|function| function.shown);
        let mut functions = String::new();
        for function in shown {
            writeln!(functions, "{}", function.head).unwrap();
            print(&mut functions, &function.body, 1);
            writeln!(functions, "  {}\n}}", function.last).unwrap();
        }
        if functions.contains("__device__") || functions.contains("__global__") {
            return super::cuda_source::with_prelude(&functions);
        }
        if self.types {
            out += "typedef struct { int i, j; } pair;\n";
        }
        if functions.contains("view ") {
            out += "typedef struct { int *at; int n, m; } view;\n";
        }
        if functions.contains("at3(") || functions.contains("row2(") {
            out += INDEX_FUNCTIONS;
        }
        if functions.contains("both(") || functions.contains("chosen(") {
            out += RECORD_FUNCTIONS;
        }
        out + &functions
    }
}

fn print(out: &mut String, stmts: &[Stmt], depth: usize) {
    let indent = "  ".repeat(depth);
    for stmt in stmts {
        match stmt {
            Stmt::Line(line) => writeln!(out, "{indent}{line}").unwrap(),
            Stmt::If(condition, then, otherwise) => {
                writeln!(out, "{indent}if ({condition}) {{").unwrap();
                print(out, then, depth + 1);
                if !otherwise.is_empty() {
                    writeln!(out, "{indent}}} else {{").unwrap();
                    print(out, otherwise, depth + 1);
                }
                writeln!(out, "{indent}}}").unwrap();
            }
            Stmt::Loop(before, body, behind) => {
                writeln!(out, "{indent}{before} {{").unwrap();
                print(out, body, depth + 1);
                writeln!(out, "{indent}}} {behind}").unwrap();
            }
            Stmt::Switch(value, cases) => {
                writeln!(out, "{indent}switch ({value}) {{").unwrap();
                for (label, body) in cases {
                    writeln!(out, "{indent}{label}").unwrap();
                    print(out, body, depth + 1);
                }
                writeln!(out, "{indent}}}").unwrap();
            }
        }
    }
}

/// The state while the body of a function is made.
pub(super) struct Maker<'a> {
    pub random: &'a mut Random,
    /// Whether the function has `q`, `c`, `m` and the ids.
    pub kernel: bool,
    pub helpers: usize,
    counters: usize,
    labels: usize,
    /// Labels that have a jump but no place yet.
    wanted: Vec<usize>,
    placed: Vec<usize>,
    loops: usize,
    /// The number of statements that are still to be made.
    budget: usize,
    /// Whether the function has `goto`s.
    wild: bool,
    about: About,
}

/// The subject of a source, in addition to jumps and loops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    Anything,
    /// Undeclared names.
    Unknown,
    /// Arithmetic on ids.
    Ids,
    /// Private memory: records, arrays, vectors, variables with pointers to them, and writes of helpers to them.
    Memory,
    /// Records behind pointers, pointers in records, and branches on conditions that occur several times.
    Records,
    /// CUDA: see [`cuda_source`](super::cuda_source).
    Cuda,
}

pub(super) const COUNTERS: usize = 6;

pub fn source(random: &mut Random) -> Source {
    made(random, About::Anything)
}

/// Returns a source that computes with ids. Its kernel may have launch attributes.
pub fn id_source(random: &mut Random) -> Source {
    let mut source = made(random, About::Ids);
    let kernel = source.functions.last_mut().expect("a kernel");
    if random.chance(60) {
        let size = *random.pick(&[
            "4, 1, 1", "8, 1, 1", "16, 1, 1", "12, 1, 1", "8, 2, 1", "4, 4, 1", "1, 8, 1", "2, 2, 2",
        ]);
        kernel.head = format!("__attribute__((reqd_work_group_size({size}))) {}", kernel.head);
    }
    if random.chance(60) {
        let size = *random.pick(&["2", "4", "4", "8"]);
        kernel.head = format!("__attribute__((intel_reqd_sub_group_size({size}))) {}", kernel.head);
    }
    source
}

/// Returns a random program with many stores to private memory.
pub fn memory_source(random: &mut Random) -> Source {
    made(random, About::Memory)
}

/// Returns a random program with records behind pointers, pointers in records and correlated branches.
pub fn record_source(random: &mut Random) -> Source {
    made(random, About::Records)
}

/// Returns a source with unknown names, calls, types, cases and fields, and invalid statements.
pub fn open_source(random: &mut Random) -> Source {
    let mut source = made(random, About::Unknown);
    source.types = random.chance(70);
    let (_, helpers) = source.functions.split_last_mut().expect("a kernel");
    helpers.iter_mut().for_each(|helper| helper.shown = random.chance(70));
    source
}

pub(super) fn made(random: &mut Random, about: About) -> Source {
    let helpers = random.below(3);
    let mut functions = Vec::new();
    for number in 0..helpers {
        functions.push(function(random, Some(number), number, about));
    }
    functions.push(function(random, None, helpers, about));
    Source { functions, types: true }
}

fn function(random: &mut Random, number: Option<usize>, helpers: usize, about: About) -> Function {
    let kernel = number.is_none();
    let wild = random.chance(35);
    let budget = if kernel { 4 + random.below(14) } else { 2 + random.below(5) };
    let mut maker = Maker {
        kernel,
        helpers,
        counters: 0,
        labels: 0,
        wanted: Vec::new(),
        placed: Vec::new(),
        loops: 0,
        budget,
        wild,
        about,
        random,
    };
    let mut body = Vec::new();
    while maker.budget > 0 {
        body.extend(maker.stmts(0));
    }
    for label in std::mem::take(&mut maker.wanted) {
        body.push(Stmt::Line(format!("L{label}: ;")));
    }
    if about == About::Cuda {
        return maker.cuda_function(number, body);
    }
    let mut head = match number {
        Some(number) => {
            let further = match about {
                About::Memory => "private int *f, ",
                About::Records => "view *q, ",
                About::Anything | About::Unknown | About::Ids | About::Cuda => "",
            };
            format!(
                "static int h{number}(int x, int y, int *e, {further}global int *p) {{\n  int l = x, g = y;"
            )
        }
        None => {
            let mut head = String::from(
                "kernel void k(global int *p, global const int *q, constant int *c, local int *m, int n, int u) {\n  \
                 int l = get_local_id(0), g = get_group_id(0), s = get_sub_group_id(), t = get_global_id(0);\n  ",
            );
            for name in ["x", "y"] {
                let value = maker.leaf();
                let value = if value.len() > 1 { "1".to_owned() } else { value };
                // Only variables that are declared before may be used.
                let value = if "lgstnu0123".contains(&value) { value } else { "0".to_owned() };
                write!(head, "int {name} = {value}; ").unwrap();
            }
            head + "\n  m[get_local_linear_id()] = 0; int first; int *e = &first; first = n;"
        }
    };
    let counters: Vec<String> = (0..COUNTERS).map(|it| format!("w{it} = 0")).collect();
    write!(
        head,
        "\n  int z = 0, v = 1, w = 2, {};\n  int a[4] = {{0, 1, l, 3}}; pair r = {{1, l}}, o = {{0, g}};",
        counters.join(", ")
    )
    .unwrap();
    let last = match kernel {
        true => "p[t & 15] = x + y * 2 + z * 3 + w + r.i + a[1] + *e;".to_owned(),
        false => format!("return {};", maker.expr(1)),
    };
    if about == About::Ids {
        head += " uint i = l; int j = t;";
    }
    if about == About::Memory {
        head += "\n  struct { pair a; int4 v; int c[2]; } k = {{l, x}, (int4)(x, l, y, 2), {y, l}};";
        head += "\n  int b[4] = {x, l, 2, y}, d = l, *pd = &d; int4 xv = (int4)(x, l, y, 1), qv = (int4)(x), *pq = &qv;";
        head += "\n  pair s[2] = {{x, l}, {y, x}}, *ps = s; int4 ro[2] = {(int4)(x), (int4)(y, l, x, x)};";
        head += "\n  volatile int vo = x;";
        // The first and the last statement are executed on every path.
        if number.is_some() {
            for at in [0, body.len()] {
                if maker.random.chance(45) {
                    body.insert(at.min(body.len()), Stmt::Line(maker.out_parameter()));
                }
            }
        } else {
            head += " private int *f = &d;";
        }
    }
    if about == About::Records {
        head += "\n  int b[2] = {x, l}, d = l; view s = {&d, x, l}, o2 = {b, l, y}, *ps = &s;";
        if kernel {
            head += " view *q = &o2;";
        }
    }
    if about == About::Unknown {
        head += " T uu = x; T vv;";
    }
    Function { head, body, last, shown: true }
}

impl Maker<'_> {
    pub(super) fn pick(&mut self, from: &[&str]) -> String {
        (*self.random.pick(from)).to_owned()
    }

    fn counter(&mut self) -> String {
        self.counters += 1;
        format!("w{}", (self.counters - 1) % COUNTERS)
    }

    pub(super) fn leaf(&mut self) -> String {
        if self.about == About::Ids && self.kernel && self.random.chance(45) {
            return self.of_ids();
        }
        if self.about == About::Memory && self.random.chance(45) {
            return self.pick(&[
                "b[0]",
                "b[1]",
                "b[2]",
                "b[3]",
                "b[x & 3]",
                "b[l & 3]",
                "*e",
                "*f",
                "*pd",
                "d",
                "vo",
                "xv.x",
                "xv.y",
                "xv.z",
                "xv.w",
                "xv[y & 3]",
                "qv.x",
                "qv.w",
                "(*pq).y",
                "k.a.i",
                "k.a.j",
                "k.v.x",
                "k.v.w",
                "k.c[0]",
                "k.c[1]",
                "k.c[z & 1]",
                "s[0].i",
                "s[0].j",
                "s[1].i",
                "s[1].j",
                "s[z & 1].j",
                "s[l & 1].i",
                "ps->j",
                "ps[0].i",
                "((int *)s)[2]",
                "ro[0].x",
                "ro[1].y",
                "ro[1].z",
                "ro[z & 1].w",
                "((int *)ro)[5]",
                "r.i",
                "r.j",
                "o.j",
                "a[1]",
            ]);
        }
        if self.about == About::Records && self.random.chance(45) {
            return self.pick(&[
                "s.n",
                "s.m",
                "o2.n",
                "o2.m",
                "*s.at",
                "s.at[0]",
                "*o2.at",
                "ps->n",
                "ps->m",
                "*ps->at",
                "q->n",
                "q->m",
                "*q->at",
                "d",
                "b[0]",
                "b[1]",
                "b[l & 1]",
                "*e",
                "r.i",
                "r.j",
                "o.i",
                "o.j",
                "both(x, l).i",
                "both(l, y).j",
                "chosen(z, y, l).i",
                "chosen(l, x, y).j",
            ]);
        }
        if self.about == About::Unknown && self.random.chance(25) {
            return self.pick(&[
                "SIZE",
                "WIDTH",
                "uu",
                "vv.a",
                "uu.a.b",
                "uu[x & 1]",
                "uv",
                "uw.c",
                "NAMES[y & 3]",
                "CONFIG->n",
                "foo(x)",
                "bar()",
                "foo(x, y)",
                "foo(n)",
                "foo(3)",
                "foo(&z)",
                "CAST(int, y)",
                "r.k",
                "(T)x",
                "-SIZE",
                "a[SIZE & 3]",
                "foo(a)",
                "*uw.p",
                "(SIZE ? x : y)",
            ]);
        }
        if self.about == About::Cuda && self.random.chance(40) {
            return self.cuda_leaf();
        }
        match self.random.below(if self.kernel { 10 } else { 6 }) {
            0 => self.pick(&["0", "1", "2", "3"]),
            1 | 2 => self.pick(&["x", "y", "z", "w", "v"]),
            3 => self.pick(&["l", "g"]),
            4 => self.pick(&["a[0]", "a[1]", "a[2]", "r.i", "r.j", "o.i", "*e", "w0", "w1"]),
            5 => self.pick(&["x", "y", "a[x & 3]", "a[l & 3]", "p[y & 7]"]),
            6 => self.pick(&["n", "u", "s", "t"]),
            7 => self.pick(&["l", "n", "u"]),
            8 => self
                .pick(&["q[n & 7]", "q[x & 7]", "c[u & 7]", "c[y & 7]", "p[n & 7]", "m[l & 3]", "m[n & 3]"]),
            _ => self.pick(&["n", "g", "s", "l"]),
        }
    }

    fn of_ids(&mut self) -> String {
        self.pick(&[
            "(t - l)",
            "(l / 4)",
            "(l >> 2)",
            "(l & 4)",
            "(l & -4)",
            "(l & 3)",
            "(l % 4)",
            "(t % 8)",
            "(t / 8)",
            "(t & 8)",
            "(t / (int)get_local_size(0))",
            "(l / (int)get_local_size(0))",
            "(int)get_local_id(1)",
            "(int)get_local_linear_id()",
            "((int)get_local_linear_id() / 4)",
            "(int)get_sub_group_local_id()",
            "(l - (int)get_sub_group_local_id())",
            "((int)get_local_linear_id() - (int)get_sub_group_local_id())",
            "(l < 8)",
            "(l < 4)",
            "(l >= 16)",
            "(l <= (n & 15) * 4)",
            "(l < (n & 15) * 4)",
            "(l < (n & 3) * (int)get_local_size(0))",
            "(t == l + (n & 7))",
            "(t != g * 8)",
            "(t > l + (n & 7))",
            "(int)(i - l)",
            "(j - l)",
            "(j - t)",
            "(i < 8u)",
            "(i - 4u < 8u)",
            "(i < (n & 3) * get_local_size(0))",
            "(j < (n & 7) * 4)",
            "(i / get_local_size(0))",
            "(int)get_global_size(0)",
            "i",
            "j",
            "(2 * l)",
            "(l << 1)",
            "(4 - l)",
            "-l",
            "(2 * l < (n & 3) * 8)",
            "(l + 1 < (n & 3) * 8)",
            "(int)(uchar)(t * 16)",
            "(int)((ulong)(l - 2) >> 1)",
            "at3(l, g, 8)",
            "(at3(l, g, (int)get_local_size(0)) - l)",
            "(at3(l, 1, 4) / 4)",
            "(at3(n, l, 2) - 2 * l)",
            "(at3(l, l, 3) - 4 * l)",
            "(at3(l, l, l) - l)",
            "(row2(l, g) + l)",
            "(row2(t, 3) < (n & 7) * 4)",
        ])
    }

    pub(super) fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            return self.leaf();
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(12) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} - {b})"),
            4 => format!("({a} & {b})"),
            5 => format!("({a} ^ {b})"),
            6 => format!("({a} * {b})"),
            7 => format!("({a} < {b})"),
            8 => format!("({a} == {b})"),
            9 => format!("({a} < {b} ? {a} : {})", self.leaf()),
            10 => format!("({a} && {b})"),
            _ => format!("min({a}, {b})"),
        }
    }

    fn condition(&mut self) -> String {
        if self.about == About::Records && self.random.chance(50) {
            let shared = self.pick(SHARED_CONDITIONS);
            // Helpers have no `n` and `u`.
            return if self.kernel { shared } else { shared.replace(['n', 'u'], "y") };
        }
        match self.random.below(7) {
            0 => format!("{} & 1", self.expr(1)),
            1 => format!("{} == {}", self.leaf(), self.leaf()),
            2 => format!("{} > {}", self.expr(1), self.leaf()),
            3 => format!("{} && {}", self.leaf(), self.leaf()),
            4 => format!("{} || {} > 2", self.leaf(), self.leaf()),
            5 => format!("({} & 3) < {}", self.leaf(), self.random.below(4)),
            _ => self.expr(2),
        }
    }

    fn stmts(&mut self, depth: usize) -> Vec<Stmt> {
        let count = 1 + self.random.below(3);
        let mut stmts = Vec::new();
        for _ in 0..count {
            self.budget = self.budget.saturating_sub(1);
            stmts.extend(self.stmt(depth));
        }
        stmts
    }

    fn stmt(&mut self, depth: usize) -> Vec<Stmt> {
        let nested = depth < 3 && self.budget > 0;
        match self.random.below(20) {
            _ if self.about == About::Unknown && self.random.chance(12) => vec![Stmt::Line(self.unknown())],
            0..=3 if nested => {
                let condition = self.condition();
                let then = self.stmts(depth + 1);
                let otherwise = if self.random.chance(40) { self.stmts(depth + 1) } else { Vec::new() };
                vec![Stmt::If(condition, then, otherwise)]
            }
            4..=6 if nested => self.iteration(depth),
            7 if nested => {
                let value = format!("{} & 3", self.leaf());
                let mut cases = Vec::new();
                for number in 0..1 + self.random.below(3) {
                    let mut body = self.stmts(depth + 1);
                    if self.random.chance(65) {
                        body.push(Stmt::Line("break;".into()));
                    }
                    let label = match self.about == About::Unknown && self.random.chance(20) {
                        true => format!("case CASE{number}:"),
                        false => format!("case {number}:"),
                    };
                    cases.push((label, body));
                }
                if self.random.chance(50) {
                    let body = self.stmts(depth + 1);
                    let at = self.random.below(cases.len() + 1);
                    cases.insert(at, ("default:".into(), body));
                }
                vec![Stmt::Switch(value, cases)]
            }
            8 => {
                let what = match (self.loops > 0, self.random.below(10)) {
                    (true, 0..=4) => "break;",
                    (true, 5..=7) => "continue;",
                    (_, 8) if self.kernel => "return;",
                    (_, 8) => "return x;",
                    _ => "x++;",
                };
                let condition = self.condition();
                let mut then = match self.random.below(5) {
                    0 => self.stmts(3),
                    1 | 2 => vec![Stmt::Line(self.convergent())],
                    _ => Vec::new(),
                };
                then.push(Stmt::Line(what.into()));
                vec![Stmt::If(condition, then, Vec::new())]
            }
            9 | 10 if self.wild => self.jump(),
            11 => vec![Stmt::Line(self.convergent())],
            12 => vec![Stmt::Line(self.memory())],
            _ => vec![Stmt::Line(self.assignment())],
        }
    }

    fn iteration(&mut self, depth: usize) -> Vec<Stmt> {
        let counter = self.counter();
        let bound = match self.random.below(4) {
            0 => (1 + self.random.below(4)).to_string(),
            1 => format!("({} & 3) + 1", self.leaf()),
            _ => format!("({} & 3)", self.expr(1)),
        };
        let condition = self.condition();
        self.loops += 1;
        let body = self.stmts(depth + 1);
        self.loops -= 1;
        if self.about == About::Ids && self.kernel && self.random.chance(50) {
            let head = self.pick(&[
                "for (i = l; i < (n & 3) * get_local_size(0); i += get_local_size(0))",
                "for (i = l; i < (n & 15); i += get_local_size(0))",
                "for (j = l; j < (n & 15) / 8 * 8; j += 8)",
                "for (j = l; j < (n & 15) / 4 * 4; j += 4)",
                "for (j = l; j <= (n & 15) / 4 * 4; j += 8)",
                "for (j = t; j - l < (n & 31); j += get_global_size(0))",
                "for (j = t; j < (n & 15) * 8; j += get_global_size(0))",
                "for (j = t - l; j < (n & 31); j += 8)",
                "for (i = l + (n & 3) * get_local_size(0); i >= get_local_size(0); i -= get_local_size(0))",
                "for (i = l + (n & 3) * 8; i >= 8; i -= 8)",
                "for (j = l + (n & 3) * 4; j >= 0; j -= 4)",
                "for (j = 2 * l; j < (n & 3) * 16; j += 16)",
            ]);
            return vec![Stmt::Loop(head, body, String::new())];
        }
        let set = || Stmt::Line(format!("{counter} = 0;"));
        match self.random.below(6) {
            0 => vec![set(), Stmt::Loop("do".into(), body, format!("while (++{counter} < {bound});"))],
            1 => {
                vec![set(), Stmt::Loop("do".into(), body, format!("while (++{counter} < 4 && {condition});"))]
            }
            2 => vec![set(), Stmt::Loop(format!("while ({counter}++ < {bound})"), body, String::new())],
            3 => vec![
                set(),
                Stmt::Loop(format!("while ({condition} && {counter}++ < 4)"), body, String::new()),
            ],
            _ => {
                let head = format!("for ({counter} = 0; {counter} < {bound}; {counter}++)");
                vec![Stmt::Loop(head, body, String::new())]
            }
        }
    }

    fn jump(&mut self) -> Vec<Stmt> {
        let condition = self.condition();
        let to = |condition: String, label: usize| {
            Stmt::If(condition, vec![Stmt::Line(format!("goto L{label};"))], Vec::new())
        };
        match self.random.below(3) {
            // For a forward jump, the label is placed later.
            0 => {
                self.labels += 1;
                self.wanted.push(self.labels - 1);
                vec![to(condition, self.labels - 1)]
            }
            1 if !self.wanted.is_empty() => {
                let label = self.wanted.swap_remove(self.random.below(self.wanted.len()));
                self.placed.push(label);
                vec![Stmt::Line(format!("L{label}: {}", self.assignment()))]
            }
            _ => match self.placed.last().copied() {
                Some(label) if self.random.chance(70) => {
                    let counter = self.counter();
                    vec![to(format!("++{counter} < 4 && {condition}"), label)]
                }
                _ => {
                    self.labels += 1;
                    self.placed.push(self.labels - 1);
                    vec![Stmt::Line(format!("L{}: {}", self.labels - 1, self.assignment()))]
                }
            },
        }
    }

    /// Returns a statement that writes through a pointer parameter of a helper.
    fn out_parameter(&mut self) -> String {
        let (a, b) = (self.expr(1), self.leaf());
        match self.random.below(5) {
            0 => format!("*e = {a};"),
            1 => format!("*f = {a};"),
            2 => format!("*e = {a}; *f = {b};"),
            3 => format!("*f = {b}; *e = *f + {a};"),
            _ => format!("f[0] = {a}; e[0] = {b};"),
        }
    }

    /// Returns a statement that writes private memory.
    fn in_private_memory(&mut self) -> String {
        let (a, b) = (self.expr(1), self.leaf());
        match self.random.below(26) {
            0 => format!("xv.xyz = (int3)({a});"),
            1 => format!("xv.yw = (int2)({a}, {b});"),
            2 => format!("xv = (int4)({a});"),
            3 => format!("xv = (int4)({a}, {b}, xv.x, xv.y);"),
            4 => format!("qv.xy = (int2)({a}, {b});"),
            5 => format!("*pq = (int4)({a});"),
            6 => "k.v = xv;".to_owned(),
            7 => "qv = k.v.wzyx;".to_owned(),
            8 => "k.a = r;".to_owned(),
            9 => "o = k.a;".to_owned(),
            10 => format!("r = (pair){{{a}, {b}}};"),
            11 => self.pick(&["r = s[0];", "o = s[1];", "s[0] = s[1];"]),
            12 => self.pick(&["s[1] = r;", "s[0] = k.a;", "s[z & 1] = o;"]),
            13 => self.pick(&["ro[1] = xv;", "xv = ro[0];", "ro[0].zw = ro[1].xy;"]),
            14 => self.pick(&["ps = &s[1];", "ps = s;", "ps = &s[z & 1];"]),
            _ => {
                let target = self.pick(&[
                    "b[0]",
                    "b[1]",
                    "b[2]",
                    "b[3]",
                    "b[x & 3]",
                    "b[l & 3]",
                    "*e",
                    "*e",
                    "*f",
                    "*f",
                    "*pd",
                    "d",
                    "vo",
                    "xv.x",
                    "xv.y",
                    "xv.w",
                    "xv[y & 3]",
                    "qv.z",
                    "(*pq).x",
                    "k.a.i",
                    "k.a.j",
                    "k.v.x",
                    "k.c[0]",
                    "k.c[1]",
                    "k.c[z & 1]",
                    "s[0].i",
                    "s[0].j",
                    "s[1].i",
                    "s[1].j",
                    "s[z & 1].i",
                    "s[l & 1].j",
                    "ps->i",
                    "ps[0].j",
                    "((int *)s)[1]",
                    "ro[0].x",
                    "ro[1].y",
                    "ro[z & 1].z",
                    "((int *)ro)[6]",
                    "r.i",
                    "o.j",
                ]);
                format!("{target} = {a};")
            }
        }
    }

    /// Returns a statement that writes a record, or through a pointer in one.
    fn in_records(&mut self) -> String {
        let a = self.expr(1);
        match self.random.below(14) {
            0 => self.pick(&["s.at = &d;", "s.at = b;", "s.at = &b[1];", "s.at = e;", "s.at = q->at;"]),
            1 => self.pick(&["o2.at = &d;", "o2.at = b;", "o2.at = s.at;", "o2.at = x > 1 ? &d : b;"]),
            2 => self.pick(&["q->at = e;", "q->at = &w;", "ps->at = &v;", "ps->at = s.at;"]),
            3 => self.pick(&["s = o2;", "o2 = s;", "s = *q;", "*q = s;", "o2 = *ps;"]),
            4 => self.pick(&["ps = &s;", "ps = &o2;", "ps = q;"]),
            5 => {
                let b = self.leaf();
                let call = if self.random.chance(50) { "both(" } else { "chosen(z, " };
                format!("{} = {call}{a}, {b});", self.pick(&["r", "o"]))
            }
            _ => {
                let target = self.pick(&[
                    "s.n", "s.m", "o2.n", "o2.m", "*s.at", "*s.at", "*o2.at", "ps->n", "ps->m", "*ps->at",
                    "q->n", "q->m", "*q->at", "*q->at", "d", "b[0]", "b[1]", "b[l & 1]", "*e",
                ]);
                format!("{target} = {a};")
            }
        }
    }

    fn assignment(&mut self) -> String {
        if self.about == About::Records && self.random.chance(55) {
            return self.in_records();
        }
        if self.about == About::Memory && self.random.chance(60) {
            return self.in_private_memory();
        }
        if self.about == About::Cuda && self.random.chance(50) {
            return self.cuda_assignment();
        }
        let target = match self.random.below(8) {
            0 => self.pick(&["a[0]", "a[1]", "r.i", "r.j"]),
            1 => self.pick(&["a[x & 3]", "o.i", "*e"]),
            _ => self.pick(&["x", "y", "z", "w", "v"]),
        };
        if self.random.chance(20) {
            return format!("{target} += {};", self.leaf());
        }
        format!("{target} = {};", self.expr(2))
    }

    /// Returns a statement with an unknown part.
    fn unknown(&mut self) -> String {
        let value = self.expr(1);
        match self.random.below(16) {
            0 => format!("uu = {value};"),
            1 => format!("uu.a = {value};"),
            2 => format!("vv.a.b += {value};"),
            3 => format!("uu[{}] = {value};", self.leaf()),
            4 => format!("uv = {value};"),
            5 => "uv++;".into(),
            6 => format!("uw.c = {value};"),
            7 => format!("CONFIG->n = {value};"),
            8 => format!("foo({value}, &w);"),
            9 => "foo(&v);".into(),
            10 => format!("foo(&uw, {value});"),
            11 => format!("r.k = {value};"),
            12 => format!("x += foo({value});"),
            13 => "x y z;".into(),
            14 => format!("asm(\"mov\" : \"=r\"(y) : \"r\"({}));", self.pick(&["x", "n", "g", "l"])),
            _ => format!("STORE(x, {value});"),
        }
    }

    fn memory(&mut self) -> String {
        if self.about == About::Cuda {
            return self.cuda_memory();
        }
        let value = self.expr(1);
        let helper = (self.helpers > 0).then(|| self.random.below(self.helpers));
        match (self.random.below(8), helper) {
            (0, _) if self.about == About::Memory && self.random.chance(90) => self.in_private_memory(),
            (0, _) if self.about == About::Records => self.in_records(),
            (0, _) => self.pick(&[
                "e = &w;",
                "e = &v;",
                "e = &a[2];",
                "e = &r.j;",
                "e = x > 1 ? &v : &w;",
                "r = o;",
                "o = r;",
            ]),
            (1, _) => format!("p[{} & 15] = {value};", self.leaf()),
            (2, _) if self.kernel => format!("m[{} & 3] = {value};", self.leaf()),
            (3, _) => format!("x = atomic_add(p + ({} & 7), 1);", self.leaf()),
            (_, Some(helper)) => {
                let target = self.pick(&["x", "y", "z"]);
                let (of_memory, leaf) = (self.about == About::Memory, self.leaf());
                if of_memory {
                    let own = [
                        "&w",
                        "&v",
                        "&d",
                        "pd",
                        "&r.i",
                        "a",
                        "b",
                        "&b[1]",
                        "&b[2]",
                        "&k.a.j",
                        "&k.c[1]",
                        "&o.j",
                        "&s[0].j",
                        "&s[1].i",
                        "(int *)s",
                        "(int *)ro",
                    ];
                    let further = self.pick(&[&own[..], &["f"]].concat());
                    let pointer = self.pick(&[&own[..], &["e", "f"]].concat());
                    let further = if further == "pd" { "&d".to_owned() } else { further };
                    return format!("{target} = h{helper}({value}, {leaf}, {pointer}, {further}, p);");
                }
                if self.about == About::Records {
                    let pointer = self.pick(&["&w", "&v", "&d", "e", "&r.i", "a", "b", "s.at"]);
                    let record = self.pick(&["&s", "&o2", "ps", "q"]);
                    return format!("{target} = h{helper}({value}, {leaf}, {pointer}, {record}, p);");
                }
                let pointer = self.pick(&["&w", "&v", "e", "&r.i", "a"]);
                format!("{target} = h{helper}({value}, {leaf}, {pointer}, p);")
            }
            _ => format!("*e = {value};"),
        }
    }

    fn convergent(&mut self) -> String {
        if self.about == About::Cuda {
            return self.cuda_convergent();
        }
        let value = self.expr(1);
        let target = self.pick(&["x", "y", "z", "v"]);
        match self.random.below(14) {
            0 => "barrier(1);".into(),
            1 => "sub_group_barrier(1);".into(),
            2 => format!("{target} = sub_group_reduce_add({value});"),
            3 => format!("{target} = sub_group_broadcast({value}, 0);"),
            4 => format!("{target} = sub_group_any({value} > 1);"),
            5 => format!("{target} = work_group_reduce_max({value});"),
            6 => format!("{target} = work_group_broadcast({value}, 0);"),
            7 => format!("{target} = work_group_all({value});"),
            8 => format!("{target} = sub_group_scan_inclusive_add({value});"),
            9 => format!("{target} = sub_group_ballot({value} & 1).x;"),
            10 => format!("{target} = sub_group_broadcast_first({value});"),
            11 => format!("{target} = sub_group_shuffle({value}, get_sub_group_local_id());"),
            12 => format!("{target} = sub_group_elect();"),
            _ => format!("{target} = sub_group_reduce_add(1);"),
        }
    }
}
