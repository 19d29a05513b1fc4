//! Measures how the processor time of `tangle` grows with the size of its input: functions, statements of fourteen
//! shapes, files, headers, nesting, and jumps across labels.
//!
//! ```sh
//! cargo bench --bench scaling              # everything, about five minutes
//! cargo bench --bench scaling -- nesting   # the rows with this word
//! ```
//!
//! **Growth** of a row: the exponent g between its last two sizes, if the time is proportional to size^g after the time
//! to start is subtracted. 1 is proportional to the size. A row is marked with `!` if its growth is above 1.25: for a
//! tenfold size, that is n log n with a margin. Only jumps across labels may be quadratic.

#[expect(dead_code, reason = "only the time of a command is needed")]
mod usage;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "kernel void k(global int *p, global const int *q, local int *m, int n) {\n  int l = get_local_id(0), x = 0;\n";
const DIVERGENT: &str = "  if (l < 3) barrier(1);\n";

/// The greatest growth of a row without a mark.
const N_LOG_N: f64 = 1.25;

/// A row: inputs of one kind in several sizes.
struct Row {
    name: &'static str,
    sizes: &'static [usize],
    /// The arguments of the command before the path.
    arguments: &'static [&'static str],
    /// Whether the time may be quadratic.
    quadratic: bool,
    /// Writes the input of a size into a folder. Returns the path to pass to the command.
    write: fn(&Path, usize) -> PathBuf,
}

const LINT: &[&str] = &["lint", "--fail-on", "never", "--format", "short"];

const fn row(name: &'static str, sizes: &'static [usize], write: fn(&Path, usize) -> PathBuf) -> Row {
    Row { name, sizes, arguments: LINT, quadratic: false, write }
}

const fn jumps(name: &'static str, arguments: &'static [&'static str]) -> Row {
    Row { name, sizes: &[100, 300, 1_000, 3_000], arguments, quadratic: true, write: across_labels }
}

const ROWS: [Row; 15] = [
    row("functions", &[10, 100, 1_000, 10_000, 100_000], |folder, size| {
        kernel_file(
            folder,
            &repeated("int f#(int n) { return n > # ? n : #; }\n", size),
            "",
            "  x = f0(x);\n",
        )
    }),
    row("kernels with findings", &[10, 100, 1_000, 10_000], |folder, size| {
        let kernel = "kernel void k#(global int *p) { if (get_local_id(0) > #) barrier(1); p[0] = #; }\n";
        file(folder, "k.cl", &repeated(kernel, size))
    }),
    row("functions that call each other", &[10, 100, 1_000, 10_000], |folder, size| {
        let mut text = "int f0(int n) { return n; }\n".to_owned();
        for at in 1..size {
            let before = at - 1;
            writeln!(text, "int f{at}(int n) {{ return f{before}(n) + {at}; }}")
                .expect("a string is writable");
        }
        let last = size - 1;
        text += &format!("kernel void k(global int *p) {{ if (f{last}(get_local_id(0))) barrier(1); }}\n");
        file(folder, "k.cl", &text)
    }),
    row("files", &[1, 10, 100, 1_000, 10_000, 50_000], |folder, size| {
        for at in 0..size {
            let kernel = "kernel void k(global int *p) { if (p[#]) return; barrier(1); p[1] = #; }\n";
            file(folder, &format!("{at}.cl"), &kernel.replace('#', &at.to_string()));
        }
        folder.to_owned()
    }),
    row("headers", &[10, 100, 1_000, 2_000], |folder, size| {
        let mut includes = String::new();
        for at in 0..size {
            let mut text = "#pragma once\n".to_owned();
            for number in 0..20 {
                writeln!(text, "#define M{at}_{number} ({number} + {at})").expect("a string is writable");
                writeln!(text, "int f{at}_{number}(int n) {{ return n + M{at}_{number}; }}")
                    .expect("a string is writable");
            }
            file(folder, &format!("h{at}.h"), &text);
            writeln!(includes, "#include \"h{at}.h\"").expect("a string is writable");
        }
        kernel_file(folder, &includes, "", "  x = f0_0(x);\n")
    }),
    // At most 256 levels of brackets are permitted, as in clang, and 1,000 levels of statements.
    row("nested if", &[10, 50, 250], |folder, size| {
        kernel_file(folder, "", &nested("if (q[#] > x) { ", "p[0]++; ", "} else x++; ", size), "")
    }),
    row("nested loops", &[10, 50, 250], |folder, size| {
        kernel_file(folder, "", &nested("for (int i# = 0; i# < n; i#++) { ", "p[0]++; ", "} ", size), "")
    }),
    row("nested parentheses", &[10, 50, 250], |folder, size| {
        kernel_file(folder, "", &format!("x = {};", nested("(x + ", "1", ")", size)), "")
    }),
    row("nested if without braces", &[10, 100, 900], |folder, size| {
        kernel_file(folder, "", &nested("if (q[#] > x) ", "p[0]++; ", "", size), "")
    }),
    row("else if", &[10, 100, 1_000], |folder, size| {
        kernel_file(folder, "", &format!("{} {{}}\n", repeated("if (q[#] > x) x++; else ", size)), "")
    }),
    row("nested macros", &[10, 100, 1_000], |folder, size| {
        let define = |at: usize| match at {
            0 => "#define M0 x\n".to_owned(),
            at => format!("#define M{at} M{} + {at}\n", at - 1),
        };
        let defines: String = (0..size).map(define).collect();
        kernel_file(folder, &defines, "", &format!("  x = M{};\n", size - 1))
    }),
    jumps("jumps: lint", LINT),
    jumps("jumps: lint --format json", &["lint", "--fail-on", "never", "--format", "json"]),
    jumps("jumps: show tangles", &["show", "--what", "tangles", "--format", "json"]),
    jumps("jumps: lower", &["lower", "--emit", "flow"]),
];

/// A shape of statements: its name, the declarations before the function, and the line that the function repeats. `#`
/// is the number of the repetition. The divergent barrier is before the repeated lines, or after them.
struct Shape {
    name: &'static str,
    outside: &'static str,
    line: &'static str,
    barrier_first: bool,
}

const LENGTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];

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
    fn write(&self, folder: &Path, length: usize) -> PathBuf {
        let lines = |text: &str| match text.contains('#') || text == self.line {
            true => repeated(text, length),
            false => text.to_owned(),
        };
        let (outside, mut lines) = (lines(self.outside), lines(self.line));
        if self.name.starts_with("cases") {
            lines = format!("  switch (n) {{\n{lines}  }}\n");
        }
        let (first, last) = if self.barrier_first { (DIVERGENT, "") } else { ("", DIVERGENT) };
        file(folder, "k.cl", &format!("{outside}{BEGIN}{first}{lines}{last}}}\n"))
    }
}

/// Repeats a text, with the number of the repetition in place of `#`.
fn repeated(text: &str, times: usize) -> String {
    (0..times).map(|number| text.replace('#', &number.to_string())).collect()
}

/// Returns `size` beginnings, a middle, and as many ends, with the depth in place of `#`.
fn nested(begin: &str, middle: &str, end: &str, size: usize) -> String {
    let ends: String = (0..size).rev().map(|depth| end.replace('#', &depth.to_string())).collect();
    format!("{}{middle}{ends}\n", repeated(begin, size))
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder is writable");
    path
}

/// Writes a kernel with a divergent barrier after its statements.
fn kernel_file(folder: &Path, outside: &str, statements: &str, last: &str) -> PathBuf {
    file(folder, "k.cl", &format!("{outside}{BEGIN}{statements}{last}{DIVERGENT}  p[0] = x;\n}}\n"))
}

/// Writes a kernel with this number of labels and conditional jumps. The label of each jump is far from it.
fn across_labels(folder: &Path, labels: usize) -> PathBuf {
    let mut text = "kernel void k(global int *a) {\n  int i = get_global_id(0);\n".to_owned();
    for label in 0..labels {
        // 7919 is a prime: the jumps go to all labels, forwards and backwards, without an order.
        let target = label * 7919 % labels;
        writeln!(text, "  if (a[i] == {label}) goto l{target};").expect("a string is writable");
        writeln!(text, "l{label}:\n  a[i] = sub_group_reduce_add(i);").expect("a string is writable");
    }
    file(folder, "k.cl", &(text + "}\n"))
}

fn main() {
    // `cargo bench` passes `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let parent = std::env::temp_dir().join(format!("tangle-scaling-{}", std::process::id()));
    let start = seconds(&parent, LINT, &|folder| file(folder, "k.cl", ""));
    println!(
        "start: {start:.3} s of processor time. A row has the time for each size, in seconds, and the growth."
    );
    for row in ROWS.iter().filter(|row| row.name.contains(&wanted)) {
        let limit = if row.quadratic { 2.2 } else { N_LOG_N };
        print_row(row.name, row.sizes, (start, limit), &|size| {
            seconds(&parent, row.arguments, &|folder| (row.write)(folder, size))
        });
    }
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&wanted)) {
        print_row(shape.name, &LENGTHS, (start, N_LOG_N), &|size| {
            seconds(&parent, LINT, &|folder| shape.write(folder, size))
        });
    }
    fs::remove_dir_all(&parent).expect("the folder is removed");
}

/// Measures and prints a row: the time of each size, and the growth. `start`: the time to start. `limit`: the greatest
/// growth without a mark.
fn print_row(name: &str, sizes: &[usize], (start, limit): (f64, f64), measure: &dyn Fn(usize) -> f64) {
    print!("{name:<32}");
    let mut measured: Vec<(f64, f64)> = Vec::new();
    for &size in sizes {
        let seconds = measure(size);
        measured.push((size as f64, seconds - start));
        print!(" {size:>7}: {seconds:<6.2}");
    }
    let [.., (size, time), (last_size, last_time)] = measured[..] else {
        unreachable!("rows have two sizes")
    };
    // Short times say nothing about growth.
    match last_time > 2.0 * start && time > 0.0 {
        true => {
            let growth = (last_time / time).ln() / (last_size / size).ln();
            println!(" growth {growth:.2}{}", if growth > limit { " !" } else { "" });
        }
        false => println!(" growth -"),
    }
}

/// Returns the processor time of the command on an input: the least of three runs, or of one if it is long.
fn seconds(parent: &Path, arguments: &[&str], write: &dyn Fn(&Path) -> PathBuf) -> f64 {
    const LONG: f64 = 5.0;
    if parent.exists() {
        fs::remove_dir_all(parent).expect("the folder is removed");
    }
    fs::create_dir_all(parent).expect("the folder is created");
    let path = write(parent);
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let (time, succeeded) = usage::run(command.args(arguments).arg("-I").arg(parent).arg(&path));
        assert!(succeeded, "{arguments:?} fails on {}", path.display());
        least = least.min(time.as_secs_f64());
        if least > LONG {
            break;
        }
    }
    least
}
