//! Measures CPU time and peak memory of one run of `tangle lint` on all kernels of hashcat, and of clang on a sample of
//! them.
//!
//! ```sh
//! apt-get install hashcat-data clang-19
//! cargo bench --bench hashcat
//! ```
//!
//! clang needs one process for each file. Its time is measured on 40 kernels, evenly spread, and scaled to all.
//! `TANGLE_HASHCAT` sets the folder, and `TANGLE_CLANG` the clang program.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

const SAMPLE: usize = 40;

/// The macros that hashcat defines for its kernels, one per line, except the vector size.
const DEFINES: &str = include_str!("../tests/hashcat.defines");

/// The CPU time of all finished children, and the peak memory of the largest, in KiB.
fn children() -> (Duration, i64) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts children");
    let time = |value: TimeVal| {
        Duration::new(value.tv_sec().unsigned_abs(), u32::try_from(value.tv_usec()).unwrap_or(0) * 1000)
    };
    (time(usage.user_time()) + time(usage.system_time()), usage.max_rss())
}

fn run(mut command: Command) -> Duration {
    let (before, _) = children();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
    children().0 - before
}

fn main() {
    let folder = std::env::var_os("TANGLE_HASHCAT").map_or("/usr/share/hashcat".into(), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(folder.join("OpenCL")) else {
        println!("no OpenCL folder in {}: install hashcat-data, or set TANGLE_HASHCAT", folder.display());
        return;
    };
    let mut kernels: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with('m') && name.ends_with(".cl"))
        .map(|name| format!("OpenCL/{name}"))
        .collect();
    kernels.sort();
    let command = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&folder).arg("-I").arg("OpenCL");
        command
    };

    // tangle runs first, so the peak of the children is its peak.
    let mut ours = Command::new(env!("CARGO_BIN_EXE_tangle"));
    ours.current_dir(&folder).args(["lint", "--quiet", "-I", "OpenCL"]);
    ours.args(DEFINES.lines().chain(["VECT_SIZE=1"]).flat_map(|define| ["-D", define])).args(&kernels);
    let ours = run(ours);
    let (_, memory) = children();
    println!(
        "tangle: {} kernels in {:.2} s of CPU, peak {} MiB",
        kernels.len(),
        ours.as_secs_f64(),
        memory / 1024
    );

    let clang = std::env::var("TANGLE_CLANG").unwrap_or_else(|_| "clang-19".into());
    if Command::new(&clang).arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("no {clang}: install it, or set TANGLE_CLANG");
        return;
    }
    let sample: Vec<&String> = kernels.iter().step_by((kernels.len() / SAMPLE).max(1)).take(SAMPLE).collect();
    let mut theirs = Duration::ZERO;
    for kernel in &sample {
        let mut command = command(&clang);
        command.args(["-x", "cl", "-fsyntax-only", "-Xclang", "-finclude-default-header"]);
        command.args(DEFINES.lines().chain(["VECT_SIZE=1"]).flat_map(|define| ["-D", define])).arg(kernel);
        theirs += run(command);
    }
    let scaled = theirs.as_secs_f64() * kernels.len() as f64 / sample.len() as f64;
    println!(
        "{clang}: {} kernels in {:.2} s of CPU, {scaled:.0} s for all",
        sample.len(),
        theirs.as_secs_f64()
    );
    println!("tangle needs 1/{:.0} of the CPU time", scaled / ours.as_secs_f64());
}
