//! Random kernels whose helpers wait: the kernel and its helpers access shared memory around barriers.
//!
//! The accessed elements are nearly always uniform, so that the analysis finds many values uniform. Work-items race
//! where no barrier separates their accesses; the analysis makes no claim about values loaded there. Two pointers of a
//! helper never point to one object: the analysis assumes this.

use tangle_simulate::Random;

use super::source::{Function, Source, Stmt};

/// Returns a source with one to three helpers. A helper may call the helpers before it.
pub fn waiting_source(random: &mut Random) -> Source {
    let helpers = 1 + random.below(3);
    let mut functions = Vec::new();
    for number in 0..helpers {
        let body = Maker { random, helpers: number, kernel: false, counters: 0 }.helper();
        let head = format!(
            "static int h{number}(int x, int y, local int *m, local int *o, global int *p) {{\n  \
             int l = get_local_linear_id(), z = 0, v = 1, {COUNTERS};"
        );
        let last = (*random.pick(&["return z;", "return x + v;", "return m[1];"])).to_owned();
        functions.push(Function { head, body, last, shown: true });
    }
    let body = Maker { random, helpers, kernel: true, counters: 0 }.stmts(0, true);
    let head = format!(
        "kernel void k(global int *p, global const int *q, local int *m, local int *o, int n) {{\n  \
         int l = get_local_linear_id(), x = n, y = q[0], z = 0, v = 1, {COUNTERS};\n  \
         m[l] = 0; o[l] = 1;\n  barrier(3);"
    );
    let last = "p[l] = x + y + z + v;".to_owned();
    functions.push(Function { head, body, last, shown: true });
    Source { functions, types: false }
}

const COUNTERS: &str = "w0 = 0, w1 = 0, w2 = 0";

struct Maker<'a> {
    random: &'a mut Random,
    /// The number of helpers that the function may call.
    helpers: usize,
    kernel: bool,
    counters: usize,
}

impl Maker<'_> {
    fn pick(&mut self, from: &[&str]) -> String {
        (*self.random.pick(from)).to_owned()
    }

    /// Returns a barrier alone, or a body with writes and reads before, between and after barriers.
    fn helper(&mut self) -> Vec<Stmt> {
        if self.random.chance(30) {
            return vec![Stmt::Line(self.barrier())];
        }
        let mut body = self.stmts(1, true);
        if self.random.chance(60) {
            let at = self.random.below(body.len() + 1);
            body.insert(at, Stmt::Line(self.barrier()));
        }
        body
    }

    fn barrier(&mut self) -> String {
        self.pick(&["barrier(3);", "barrier(1);", "sub_group_barrier(3);"])
    }

    fn cell(&mut self) -> String {
        self.pick(&["m[0]", "m[1]", "m[0]", "o[0]", "o[1]", "p[0]"])
    }

    fn value(&mut self) -> String {
        self.pick(&["x", "y", "z", "v", "l", "l", "x + 1", "z + l", "v + z", "3"])
    }

    /// Returns a condition that is uniform if its variables are.
    fn condition(&mut self) -> String {
        let of_kernel = ["n & 1", "n > 3"];
        let others = ["x & 1", "y & 1", "z > 0", "v & 1"];
        match self.kernel && self.random.chance(50) {
            true => self.pick(&of_kernel),
            false => self.pick(&others),
        }
    }

    fn call(&mut self) -> Stmt {
        let target = self.pick(&["x", "y", "z", "v"]);
        let (helper, memory) = (self.random.below(self.helpers), self.pick(&["m, o", "o, m"]));
        let (a, b) = (self.value(), self.value());
        Stmt::Line(format!("{target} = h{helper}({a}, {b}, {memory}, p);"))
    }

    fn stmts(&mut self, depth: usize, waits: bool) -> Vec<Stmt> {
        let count = if depth == 0 { 4 + self.random.below(7) } else { 1 + self.random.below(4) };
        (0..count).flat_map(|_| self.stmt(depth, waits)).collect()
    }

    /// Returns one statement, or two. `waits`: nearly all work-items reach this place together.
    fn stmt(&mut self, depth: usize, waits: bool) -> Vec<Stmt> {
        let target = self.pick(&["x", "y", "z", "v"]);
        let line = |line: String| vec![Stmt::Line(line)];
        match self.random.below(20) {
            0..=3 => line(format!("{target} = {};", self.cell())),
            4..=6 => {
                let who = self.pick(&["0", "1", "get_local_size(0) - 1"]);
                let store = format!("{} = {};", self.cell(), self.value());
                vec![Stmt::If(format!("l == {who}"), vec![Stmt::Line(store)], Vec::new())]
            }
            7 | 8 => line(format!("{} = {};", self.cell(), self.value())),
            9..=11 if waits => line(self.barrier()),
            12..=15 if waits && self.helpers > 0 => vec![self.call()],
            16 | 17 if depth < 3 => {
                let condition = self.condition();
                let then = self.stmts(depth + 1, waits);
                let otherwise =
                    if self.random.chance(30) { self.stmts(depth + 1, waits) } else { Vec::new() };
                vec![Stmt::If(condition, then, otherwise)]
            }
            // All work-items of a sub-group may meet a sub-group barrier on both branches.
            18 if waits && self.helpers > 0 && self.random.chance(60) => {
                vec![Stmt::If("l & 1".into(), vec![self.call()], vec![self.call()])]
            }
            18 if depth < 3 => {
                let waits = waits && self.random.chance(10);
                vec![Stmt::If("l & 1".into(), self.stmts(depth + 1, waits), Vec::new())]
            }
            19 if depth < 2 => {
                let counter = format!("w{}", self.counters % 3);
                self.counters += 1;
                let head = format!("for ({counter} = 0; {counter} < 2; {counter}++)");
                vec![Stmt::Loop(head, self.stmts(depth + 1, waits), String::new())]
            }
            _ if !self.kernel && self.random.chance(15) => {
                let condition = self.condition();
                vec![Stmt::If(condition, vec![Stmt::Line("return y;".into())], Vec::new())]
            }
            _ => line(format!("{target} = {};", self.value())),
        }
    }
}
