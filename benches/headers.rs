//! Measures time and memory of `tangle lint` on 10 to 2,000 files of NVIDIA/cccl with their headers. The memory should
//! stay below a bound for any number of files.
//!
//! ```sh
//! git clone https://github.com/NVIDIA/cccl
//! TANGLE_CCCL=cccl cargo bench --bench headers
//! ```
//!
//! The last line lints the whole checkout. Memory is read from `/proc`, so this works only on Linux.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const INCLUDE: &[&str] = &["cub", "thrust", "libcudacxx/include", "c2h/include", "cudax/include"];
const COUNTS: [usize; 4] = [10, 20, 40, 80];

fn main() {
    let Some(root) = std::env::var_os("TANGLE_CCCL").map(PathBuf::from) else {
        eprintln!("set TANGLE_CCCL to a checkout of NVIDIA/cccl");
        return;
    };
    let mut tests: Vec<PathBuf> = std::fs::read_dir(root.join("cub/test"))
        .expect("the checkout has cub/test")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    tests.sort();
    println!("{:>6} {:>9} {:>8} {:>9}", "files", "seconds", "MB", "findings");
    for count in COUNTS {
        measure(&root, tests.iter().take(count).map(PathBuf::as_path));
    }
    measure(&root, [root.as_path()].into_iter());
}

fn measure<'a>(root: &Path, inputs: impl Iterator<Item = &'a Path>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.args(["lint", "--fail-on", "never", "--format", "json"]).args(inputs);
    for folder in INCLUDE {
        command.arg("-I").arg(root.join(folder));
    }
    let begin = Instant::now();
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the built command runs");
    let mut output = child.stdout.take().expect("the output is piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let mut most = 0;
    while child.try_wait().expect("the command can be waited for").is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let text = reader.join().expect("the reader ends").expect("the report is text");
    let report: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    let findings = report["findings"].as_array().map_or(0, Vec::len);
    let files = report["files"].as_u64().unwrap_or(0);
    println!("{files:>6} {seconds:>9.1} {:>8} {findings:>9}", most / 1024);
}

/// The peak memory of a process so far, in KiB.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
