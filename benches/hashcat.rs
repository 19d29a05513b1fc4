//! Measures processor time and peak memory of `tangle` on the kernels of hashcat, compared with clang.
//!
//! ```sh
//! apt-get install hashcat-data clang-19
//! cargo bench --bench hashcat
//! ```
//!
//! Each row is measured nine times, and in each of the nine rounds both programs take turns. So a ratio compares two runs
//! that are seconds apart, and a table shows the median of the ratios, and the least and the greatest.
//!
//! clang needs one process for each file. Its time for all kernels is estimated from a sample that is evenly spread.
//! `TANGLE_HASHCAT` sets the folder, `TANGLE_CLANG` the clang program, and `TANGLE_ROUNDS` the number of rounds.

mod usage;

use std::path::{Path, PathBuf};
use std::process::Command;

use usage::{Spread, exists, peak, run};

/// The number of kernels that clang checks in each round.
const SAMPLE: usize = 12;

/// The number of kernels that both programs lower in each round.
const LOWERED: usize = 4;

/// The number of lines of the kernel without headers.
const LINES: usize = 300;

/// The macros that hashcat defines for its kernels, one per line, except the vector size.
const DEFINES: &str = include_str!("../tests/hashcat.defines");

/// The measurements of one row, in seconds, one for each round.
#[derive(Default)]
struct Row {
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

impl Row {
    /// Adds a round. `times`: how often the measured work of clang fits into the work that is compared.
    fn add(&mut self, ours: &mut Command, theirs: &mut [Command], times: f64) {
        self.ours.push(run(ours).0.as_secs_f64());
        self.theirs.push(theirs.iter_mut().map(|command| run(command).0.as_secs_f64()).sum::<f64>() * times);
    }

    fn print(&self, name: &str) {
        let parts = self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| theirs / ours);
        println!(
            "{name:<34} {:>24} {:>24}  1/{}",
            Spread::of(self.ours.iter().copied()).to_string(),
            Spread::of(self.theirs.iter().copied()).to_string(),
            Spread::of(parts)
        );
    }
}

/// The programs, and the folder of hashcat that they run in.
struct Programs {
    folder: PathBuf,
    clang: String,
}

impl Programs {
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).args(arguments).args(["-I", "OpenCL"]);
        command.args(DEFINES.lines().chain(["VECT_SIZE=1"]).flat_map(|define| ["-D", define]));
        command
    }

    fn tangle(&self, arguments: &[&str], files: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_tangle"), arguments);
        command.args(files);
        command
    }

    /// clang reads a file to its end, however many errors it finds.
    fn clang(&self, arguments: &[&str], file: &str) -> Command {
        let always =
            ["-x", "cl", "-cl-std=CL2.0", "-w", "-ferror-limit=0", "-Xclang", "-finclude-default-header"];
        let mut command = self.command(&self.clang, &always);
        command.args(arguments).arg(file);
        command
    }
}

/// Some of the kernels, evenly spread.
fn sample(kernels: &[String], count: usize) -> Vec<&str> {
    kernels.iter().step_by((kernels.len() / count).max(1)).take(count).map(String::as_str).collect()
}

/// Writes a file of [`LINES`] lines, of kernels in `samples/quiet` that include no headers.
fn without_headers(folder: &Path) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/quiet");
    let entries = std::fs::read_dir(samples).expect("the samples are part of the project");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let own = std::fs::read_to_string(path).expect("a sample is text");
        if !own.contains('#') && text.lines().count() < LINES {
            text += &own;
        }
    }
    let path = folder.join("kernels.cl");
    std::fs::write(&path, text).expect("the file is written");
    path
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
    let programs =
        Programs { folder, clang: std::env::var("TANGLE_CLANG").unwrap_or_else(|_| "clang-19".into()) };
    let all: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let lint = |files: &[&str]| programs.tangle(&["lint", "--quiet"], files);

    // tangle runs first, so the peak of the children is its peak.
    let time = run(&mut lint(&all)).0.as_secs_f64();
    println!("tangle: {} kernels in one process, {time:.2} s, peak {} MiB", kernels.len(), peak());
    if !exists(&programs.clang) {
        println!("no {}: install it, or set TANGLE_CLANG", programs.clang);
        return;
    }

    let rounds = std::env::var("TANGLE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(9);
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let small = without_headers(temporary.path());
    let small = small.to_str().expect("the path of the temporary folder is text");
    let (checked, lowered) = (sample(&kernels, SAMPLE), sample(&kernels, LOWERED));
    let checks = |file: &str| programs.clang(&["-fsyntax-only"], file);
    let (mut batch, mut cold, mut without, mut lower) =
        (Row::default(), Row::default(), Row::default(), Row::default());
    for round in 0..rounds {
        let mut theirs: Vec<Command> = checked.iter().map(|file| checks(file)).collect();
        batch.add(&mut lint(&all), &mut theirs, all.len() as f64 / checked.len() as f64);
        let one = checked[round % checked.len()];
        cold.add(&mut lint(&[one]), &mut [checks(one)], 1.0);
        without.add(&mut lint(&[small]), &mut [checks(small)], 1.0);
        let one = lowered[round % lowered.len()];
        let output = ["--target=spir64", "-O0", "-emit-llvm", "-S", "-o", "-"];
        lower.add(&mut programs.tangle(&["lower"], &[one]), &mut [programs.clang(&output, one)], 1.0);
    }
    println!("\n{rounds} rounds, seconds of processor time");
    println!("{:<34} {:>24} {:>24}  part of {}", "", "tangle", programs.clang, programs.clang);
    batch.print(&format!("{} kernels, one process", all.len()));
    cold.print("one kernel, one process");
    without.print(&format!("{LINES} lines without headers"));
    lower.print("one kernel to LLVM IR");
}
