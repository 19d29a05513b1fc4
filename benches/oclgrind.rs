//! Compares `tangle simulate` with `oclgrind` on one kernel: the times of both, and whether their results are equal.
//!
//! ```sh
//! cargo bench --bench oclgrind
//! ```
//!
//! The kernel multiplies matrices tile by tile, with a work-group of 16 × 16 threads and two barriers for each tile.
//! The result of `oclgrind` is an argument for `tangle`. There, the kernel writes outside of its memory if its own
//! result differs.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const KERNEL: &str = "\
#define N 16
kernel void multiply(global const int *a, global const int *b, global int *c, global const int *want, int n, int check) {
  local int left[N][N], right[N][N];
  int x = get_local_id(0), y = get_local_id(1);
  int sum = 0;
  for (int tile = 0; tile < n / N; tile++) {
    left[y][x] = a[y * n + tile * N + x];
    right[y][x] = b[(tile * N + y) * N + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < N; i++)
      sum += left[y][i] * right[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * N + x] = sum;
  if (check && want[y * N + x] != sum)
    c[-1] = 0;
}
";

fn timed(command: &mut Command) -> (Duration, Output) {
    let begin = Instant::now();
    let output = command.output().expect("the command runs");
    (begin.elapsed(), output)
}

/// The time of `oclgrind`, and the contents of `c`.
fn oclgrind(folder: &Path, n: usize) -> (Duration, Vec<String>) {
    let numbers = format!("<size={} range=0:1:{} int>", n * 64, n * 16 - 1);
    let empty = "<size=1024 fill=0 int";
    let launch = format!(
        "k.cl\nmultiply\n16 16 1\n16 16 1\n{numbers}\n{numbers}\n{empty} dump>\n{empty}>\n<size=4 fill={n}>\n<size=4 fill=0>\n"
    );
    std::fs::write(folder.join("k.sim"), launch).expect("the launch is written");
    let mut command = Command::new("oclgrind-kernel");
    let (time, output) = timed(command.current_dir(folder).args(["--num-threads", "1", "k.sim"]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let values = text.lines().filter_map(|line| line.trim().strip_prefix("c[")?.split_once("] = "));
    let values: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
    assert_eq!(values.len(), 256, "{output:?}");
    (time, values)
}

/// The time of `tangle`, and the number of operations.
fn tangle(folder: &Path, n: usize, want: &[String], options: &[&str]) -> (Duration, u64) {
    let numbers: Vec<String> = (0..n * 16).map(|number| number.to_string()).collect();
    let numbers = numbers.join(",");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.current_dir(folder).args([
        "simulate",
        "k.cl",
        "--local-size",
        "16,16",
        "--format",
        "json",
        "--arg",
        "c=256",
    ]);
    command.args([
        "--arg",
        "check=1",
        "--arg",
        &format!("n={n}"),
        "--arg",
        &format!("want={}", want.join(",")),
    ]);
    command.args(["--arg", &format!("a={numbers}"), "--arg", &format!("b={numbers}")]);
    let (time, output) = timed(command.args(options));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the output is a report");
    assert_eq!(report["outcome"], "finished", "both compute the same: {}", report["reason"]);
    assert_eq!(report["races"].as_array().map(Vec::len), Some(0));
    (time, report["operations"].as_u64().expect("the number of operations is an integer"))
}

fn main() {
    if Command::new("oclgrind-kernel").arg("--version").output().is_err() {
        println!("`oclgrind-kernel` is not installed: there is nothing to compare with");
        return;
    }
    let folder = std::env::temp_dir().join(format!("tangle-oclgrind-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for the kernel is created");
    std::fs::write(folder.join("k.cl"), KERNEL).expect("the kernel is written");
    println!("{:>6} {:>10} {:>10} {:>10} {:>12}", "n", "oclgrind", "tangle", "races", "operations");
    let mut rows = Vec::new();
    for n in [16, 1024] {
        let (theirs, want) = oclgrind(&folder, n);
        let (ours, operations) = tangle(&folder, n, &want, &["--no-races"]);
        let (searched, _) = tangle(&folder, n, &want, &[]);
        let seconds = [theirs, ours, searched].map(|time| time.as_secs_f64());
        println!("{n:>6} {:>8.2} s {:>8.2} s {:>8.2} s {operations:>12}", seconds[0], seconds[1], seconds[2]);
        rows.push((seconds, operations));
    }
    // The first row contains the constant part of both times.
    let net = |which: usize| rows[1].0[which] - rows[0].0[which];
    let rate = (rows[1].1 - rows[0].1) as f64 / 1e6;
    println!(
        "without what the small one takes: {:.2} s, {:.2} s and {:.2} s; tangle executes {:.1} million operations a second, with races {:.1}; \
         it takes {:.2} times as long as oclgrind, with races {:.2} times",
        net(0),
        net(1),
        net(2),
        rate / net(1),
        rate / net(2),
        net(1) / net(0),
        net(2) / net(0)
    );
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}
