//! A sample of `cargo bench --bench recall`: correct kernels, made wrong in one place each. Of those that an execution shows to be wrong 99 in 100
//! are found; of those that are as right as before, and of the originals, none has a finding.

#[path = "../../benches/recall/measure/mod.rs"]
mod measure;

use measure::corpus::{self, Folder};
use measure::measure;
use measure::table::{Tally, Told};
use rayon::prelude::*;

fn sampled(Folder { name, files }: Folder, every: usize) -> Tally {
    let tally = files.par_iter().map(|file| measure(file, every)).reduce(Tally::default, Tally::join);
    println!("{name}: {} functions\n{tally}", tally.functions);
    tally
}

fn list(told: &[Told]) -> String {
    told.iter().map(|it| format!("{it}\n")).collect()
}

fn holds(tally: &Tally) {
    let total = tally.total();
    assert!(tally.not_compiled.is_empty(), "{}", list(&tally.not_compiled));
    assert!(tally.loud.is_empty(), "originals with a finding:\n{}", list(&tally.loud));
    assert!(tally.alarms.is_empty(), "findings on what is right:\n{}", list(&tally.alarms));
    assert!(total.found * 100 >= total.wrong() * 99, "missed:\n{}", list(&tally.missed));
}

#[test]
fn mistakes_in_samples_are_found() {
    let tally = sampled(corpus::quiet(), 11);
    holds(&tally);
    assert!(tally.total().wrong() > 250, "{tally}");
}

/// Every so many files of hashcat, and mutants of all.
#[test]
fn mistakes_in_strangers_kernels_are_found() {
    let mut all = Tally::default();
    for mut folder in corpus::installed() {
        if folder.name == corpus::HASHCAT {
            folder.files.retain(|file| file.number.is_multiple_of(60));
        }
        all = all.join(sampled(folder, 16));
    }
    holds(&all);
}
