//! The transformations of `samples/diff`. The first line of each file is its verdict, derived from the section of
//! `convergent-operations.rst` on the second line: `same`, `difference`, or `rejected` if the new function breaks a rule
//! of well-formed programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// Returns what the command says about the functions `old` and `new` of a file, with its output.
fn verdict(file: &Path) -> (&'static str, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .arg("diff")
        .args([file, file])
        .args(["--old-function", "old", "--new-function", "new"])
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let verdict = match output.status.code() {
        Some(0) => "same",
        Some(1) => "difference",
        // No other trouble counts.
        Some(2) if err.contains(": cannot execute `new`: the flow graph of `new` breaks the rule `") => {
            "rejected"
        }
        _ => "trouble",
    };
    (verdict, out + &err)
}

#[test]
fn transformations_have_the_verdict_of_the_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/diff");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 56, "{}", files.len());
    let wrong: Vec<String> = files
        .par_iter()
        .filter_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let expected = text.lines().next().unwrap().strip_prefix("; verdict: ").unwrap();
            assert!(text.lines().nth(1).unwrap().starts_with("; section: "), "{}", file.display());
            let (verdict, output) = verdict(file);
            (verdict != expected)
                .then(|| format!("{}: {verdict} instead of {expected}\n{output}", file.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
