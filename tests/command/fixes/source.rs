//! Random kernels in OpenCL C with mistakes that fixes correct: early exits, loops that count from an id, branches
//! around barriers, and jumps. The kernels also access local and global memory.
//!
//! Conditions are often uniform in a work-group, so that in many executions no thread misses a convergent operation.

use std::fmt::Write;

use tangle_simulate::Random;

pub fn source(random: &mut Random) -> String {
    let mut maker = Maker { random, text: String::new(), names: 0, locals: Vec::new(), label: false };
    maker.text += "kernel void k(global int *p, global const int *q, local int *m, int n, int u) {\n  \
                   int l = get_local_id(0), t = get_global_id(0), x = n, y = l;\n  m[l] = l;\n";
    if maker.random.chance(50) {
        maker.text += "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    }
    let length = 3 + maker.random.below(6);
    maker.block(1, length, true);
    if maker.label {
        maker.text += "out:\n  barrier(CLK_LOCAL_MEM_FENCE);\n";
    }
    maker.text += "  p[t] += x + y;\n}\n";
    maker.text
}

struct Maker<'a> {
    random: &'a mut Random,
    text: String,
    names: usize,
    /// The variables in scope that `work` declared.
    locals: Vec<String>,
    /// Whether a jump to the label at the end was generated.
    label: bool,
}

impl Maker<'_> {
    fn pick(&mut self, from: &[&str]) -> String {
        (*self.random.pick(from)).to_owned()
    }

    fn line(&mut self, depth: usize, line: &str) {
        writeln!(self.text, "{}{line}", "  ".repeat(depth)).unwrap();
    }

    /// Returns a condition that is usually uniform, so that most kernels have one mistake.
    fn mostly_uniform(&mut self) -> String {
        match self.random.chance(85) {
            true => self.pick(&["n > 2", "u > 1", "n & 1", "x == n || u > 0"]),
            false => self.condition(),
        }
    }

    fn condition(&mut self) -> String {
        self.pick(&[
            "t >= n",
            "l >= n",
            "l < n",
            "t < n",
            "n > 2",
            "u > 1",
            "q[n & 7] > 1",
            "x > 3",
            "l < 2",
            "(l & 1) == u",
        ])
    }

    fn value(&mut self) -> String {
        if !self.locals.is_empty() && self.random.chance(40) {
            let at = self.random.below(self.locals.len());
            return self.locals[at].clone();
        }
        self.pick(&["x", "y", "l", "n", "q[t & 15]", "m[l ^ 1]", "p[t]", "3", "t"])
    }

    fn work(&mut self, depth: usize) {
        let (value, other) = (self.value(), self.value());
        let line = match self.random.below(6) {
            0 => format!("m[l] = {value} + {other};"),
            1 => format!("p[t] = {value} - {other};"),
            2 => format!("x += {value};"),
            3 => format!("if ({value} > {other}) y = {value}; else y = 7;"),
            4 => {
                self.names += 1;
                let name = format!("v{}", self.names);
                let line = format!("int {name} = {value} ^ {other};");
                self.locals.push(name);
                line
            }
            _ => format!("for (int j = 0; j < 3; j++) m[l] += {value};"),
        };
        self.line(depth, &line);
    }

    fn block(&mut self, depth: usize, length: usize, is_outermost: bool) {
        let known = self.locals.len();
        for _ in 0..length {
            match self.random.below(9) {
                0 if is_outermost => {
                    let condition = self.condition();
                    let work = self.value();
                    let line = match self.random.below(3) {
                        0 => format!("if ({condition}) {{ p[t] = {work}; return; }}"),
                        _ => format!("if ({condition}) return;"),
                    };
                    self.line(depth, &line);
                }
                1 if depth < 3 => {
                    let heads: &[&str] = match self.random.chance(60) {
                        true => &["for (int i = 0; i < (n & 3); i++) {", "for (int i = u; i > 0; i--) {"],
                        false => &[
                            "for (int i = l; i < n; i += get_local_size(0)) {",
                            "for (uint i = get_local_id(0); i <= n; i += 8) {",
                            "for (int i = t; i < n; i += 16) {",
                        ],
                    };
                    let head = self.pick(heads);
                    self.line(depth, &head);
                    if self.random.chance(25) {
                        let condition = self.condition();
                        self.line(depth + 1, &format!("if ({condition}) continue;"));
                    }
                    let length = 1 + self.random.below(3);
                    self.block(depth + 1, length, false);
                    if self.random.chance(70) {
                        self.barrier(depth + 1);
                    }
                    self.line(depth, "}");
                }
                2 | 3 if depth < 3 => {
                    let condition = self.mostly_uniform();
                    self.line(depth, &format!("if ({condition}) {{"));
                    let length = 1 + self.random.below(3);
                    self.block(depth + 1, length, false);
                    if self.random.chance(60) {
                        self.barrier(depth + 1);
                    }
                    match self.random.chance(25) {
                        true => {
                            self.line(depth, "} else {");
                            self.block(depth + 1, 1, false);
                            self.line(depth, "}");
                        }
                        false => self.line(depth, "}"),
                    }
                }
                4 if is_outermost && self.locals.is_empty() && self.random.chance(30) => {
                    let condition = self.condition();
                    self.label = true;
                    self.line(depth, &format!("if ({condition}) goto out;"));
                }
                4 | 5 => self.barrier(depth),
                _ => self.work(depth),
            }
        }
        self.locals.truncate(known);
    }

    fn barrier(&mut self, depth: usize) {
        let line = self
            .pick(&["barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"]);
        self.line(depth, &line);
    }
}
