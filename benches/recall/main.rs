//! Measures how many mistakes the rules find, and how many false alarms they raise. The input is correct kernels, each
//! changed in one place (see `measure`).
//!
//! ```sh
//! cargo bench --bench recall              # samples/quiet; hashcat, darktable and pyopencl if installed
//! cargo bench --bench recall -- FOLDER    # only these folders of kernels in OpenCL C or CUDA
//! ```
//!
//! The mutants of hashcat are very similar, so only every 24th is tested; `TANGLE_EVERY=1` tests all. Two runs have the
//! same result. Lists for review follow the table: originals with a finding, missed mistakes, and findings where no
//! execution shows a mistake. `tests/command/recall.rs` runs a sample.

mod measure;

use std::path::Path;
use std::time::Instant;

use measure::corpus::{self, Folder};
use measure::measure;
use measure::table::{ReviewEntry, Tally};
use rayon::prelude::*;

/// The bench tests one of this number of mutants of hashcat.
const HASHCAT_EVERY: usize = 24;

/// The maximum number of lines of each list.
const MOST_REPORTED: usize = 400;

fn main() {
    let every = match std::env::var("TANGLE_EVERY") {
        Ok(every) => Some(every.parse().expect("TANGLE_EVERY is a number")),
        Err(_) => None,
    };
    // Cargo itself passes `--bench`.
    let given = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let mut folders: Vec<Folder> =
        given.map(|folder| corpus::of_folder(&folder, Path::new(&folder))).collect();
    if folders.is_empty() {
        folders.push(corpus::quiet());
        folders.extend(corpus::installed());
    }
    let mut all = Tally::default();
    for Folder { name, files } in folders {
        let usual = if name == corpus::HASHCAT { HASHCAT_EVERY } else { 1 };
        let every = every.unwrap_or(usual);
        let begin = Instant::now();
        let tally = files.par_iter().map(|file| measure(file, every)).reduce(Tally::default, Tally::join);
        let total = tally.total();
        println!(
            "{name}: {} files, {} functions that wait and have no finding, {} that have one; every {every}. mutant: {} of {} found, {} of {} with a finding; {:.0} s",
            files.len(),
            tally.functions,
            tally.loud.len(),
            total.found,
            total.wrong(),
            total.with_finding(),
            total.not_shown(),
            begin.elapsed().as_secs_f64()
        );
        all = all.join(tally);
    }
    println!("\n{all}");
    let total = all.total();
    let percent = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    println!(
        "{:.2} % of those shown to be wrong are found; of those not shown to be wrong a launch comes to {} of {}\n",
        percent(total.found, total.wrong()),
        total.silent + total.alarms,
        total.not_shown()
    );
    told("originals with a finding", &all.loud);
    told("missed", &all.missed);
    told("findings on what is not shown to be wrong", &all.alarms);
    told("mutants that do not compile", &all.not_compiled);
}

fn told(what: &str, list: &[ReviewEntry]) {
    println!("{what}: {}", list.len());
    list.iter().take(MOST_REPORTED).for_each(|it| println!("  {it}"));
}
