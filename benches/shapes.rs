//! Measures the time of `tangle lint` on long functions of fourteen shapes, at several lengths. The time should be
//! proportional to the length.
//!
//! ```sh
//! cargo bench --bench shapes
//! ```

use std::process::{Command, Stdio};
use std::time::Instant;

const LENGTHS: [usize; 4] = [2_000, 8_000, 32_000, 125_000];

const BEGIN: &str = "kernel void k(global int *p, global const int *q, local int *m, int n) {\n  int l = get_local_id(0), x = 0;\n";
const DIVERGENT: &str = "  if (l < 3) barrier(1);\n";

/// A shape: its name, the declarations before the function, and the line that the function repeats. `#` is the number
/// of the repetition. The divergent barrier is before the repeated lines, or after them.
struct Shape {
    name: &'static str,
    outside: &'static str,
    line: &'static str,
    barrier_first: bool,
}

const fn shape(name: &'static str, line: &'static str) -> Shape {
    Shape { name, outside: "", line, barrier_first: true }
}

const SHAPES: [Shape; 14] = [
    shape("statements", "  p[0] += 1;\n"),
    shape("statements in one line", " p[0] += 1;"),
    shape("reads and other writes", "  p[#] = q[0] + m[0];\n"),
    shape("variables", "  int v# = q[#] + l;\n"),
    Shape {
        barrier_first: false,
        ..shape("addresses of variables", "  int v# = #; int *r# = &v#; *r# += l;\n")
    },
    shape("uniform branches", "  if (q[0] > x) x += m[0];\n"),
    Shape { barrier_first: false, ..shape("divergent branches", "  if (l > x) x += m[l];\n") },
    shape("barriers", "  barrier(1);\n  m[l] = x;\n"),
    shape("findings", DIVERGENT),
    shape("loops", "  for (int i = 0; i < n; i++) m[i] = x;\n"),
    shape("cases of a switch", "  case #: p[#] = l; break;\n"),
    Shape { outside: "int f(global int *p, int n);\n", ..shape("calls", "  x += f(p, x);\n") },
    Shape { outside: "int f#(int n) { return n + #; }\n", ..shape("calls of functions", "  x += f#(x);\n") },
    Shape { barrier_first: false, ..shape("labels", "  if (q[#]) goto l#;\n  x++;\nl#: x--;\n") },
];

impl Shape {
    fn kernel(&self, length: usize) -> String {
        let repeated = |text: &str| -> String {
            let count = if text.contains('#') || text == self.line { length } else { 1 };
            let lines = 0..count;
            lines.map(|number| text.replace('#', &number.to_string())).collect()
        };
        let (outside, mut lines) = (repeated(self.outside), repeated(self.line));
        if self.name.starts_with("cases") {
            lines = format!("  switch (n) {{\n{lines}  }}\n");
        }
        let (first, last) = if self.barrier_first { (DIVERGENT, "") } else { ("", DIVERGENT) };
        format!("{outside}{BEGIN}{first}{lines}{last}}}\n")
    }
}

fn main() {
    let folder = std::env::temp_dir().join(format!("tangle-shapes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for the kernels is created");
    let file = folder.join("k.cl");
    let head: Vec<String> = LENGTHS.iter().map(|length| format!("{length:>9}")).collect();
    println!("{:<24} {} (seconds)", "shape", head.join(" "));
    for shape in &SHAPES {
        let seconds: Vec<String> = LENGTHS
            .iter()
            .map(|&length| {
                std::fs::write(&file, shape.kernel(length)).expect("the kernel is written");
                let begin = Instant::now();
                let status = Command::new(env!("CARGO_BIN_EXE_tangle"))
                    .args(["lint", "--fail-on", "never", "--format", "short"])
                    .arg(&file)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .expect("the command starts");
                assert!(status.success(), "{}: {status}", shape.name);
                format!("{:>9.2}", begin.elapsed().as_secs_f64())
            })
            .collect();
        println!("{:<24} {}", shape.name, seconds.join(" "));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}
