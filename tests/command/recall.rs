//! A sample of `cargo bench --bench recall`: correct kernels, each changed in one place. The linter finds at least
//! 99 of 100 changes that an execution shows to be errors. It reports nothing for harmless changes and originals.

#[path = "../../benches/recall/measure/mod.rs"]
mod measure;

use measure::corpus::{self, Folder};
use measure::measure;
use measure::table::{ReviewEntry, Tally};
use rayon::prelude::*;
use tangle_referees::is_thorough;

fn sampled(Folder { name, files }: Folder, every: usize) -> Tally {
    let step = if is_thorough() { 1 } else { 5 };
    let files: Vec<_> = files.iter().step_by(step).collect();
    let tally = files.par_iter().map(|file| measure(file, every)).reduce(Tally::default, Tally::join);
    println!("{name}: {} functions\n{tally}", tally.functions);
    tally
}

fn list(reported: &[ReviewEntry]) -> String {
    reported.iter().map(|it| format!("{it}\n")).collect()
}

fn holds(tally: &Tally) {
    let total = tally.total();
    assert!(tally.not_compiled.is_empty(), "{}", list(&tally.not_compiled));
    assert!(tally.loud.is_empty(), "originals with a finding:\n{}", list(&tally.loud));
    assert!(tally.alarms.is_empty(), "findings for correct kernels:\n{}", list(&tally.alarms));
    assert!(total.found * 100 >= total.wrong() * 99, "missed:\n{}", list(&tally.missed));
}

#[test]
fn injected_errors_in_samples_are_found() {
    let tally = sampled(corpus::quiet(), 11);
    holds(&tally);
    let least = if is_thorough() { 250 } else { 30 };
    assert!(tally.total().wrong() > least, "{tally}");
}

/// Tests every 60th file of hashcat, all files of the other corpora, and every 16th mutant; a fifth of the files unless
/// tests are thorough.
#[test]
fn injected_errors_in_external_kernels_are_found() {
    let mut all = Tally::default();
    for mut folder in corpus::installed() {
        if folder.name == corpus::HASHCAT {
            folder.files.retain(|file| file.number.is_multiple_of(60));
        }
        all = all.join(sampled(folder, 16));
    }
    holds(&all);
}
