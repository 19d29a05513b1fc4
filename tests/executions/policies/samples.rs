//! The same test for samples: `tangle simulate --policy all` finds two different executions of a kernel exactly if it
//! has an operation with implementation-defined convergence. A comment gives the reason for an exception:
//! `// No two policies differ: …`.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;
use tangle_referees::{is_thorough, some_of};
use tangle_simulate::Random;

const FOLDERS: &[&str] = &["open-points", "relatedness", "rules", "spec-examples", "spec-patterns"];

fn tangle(args: &[&str], file: &Path) -> Option<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).arg(file).output().unwrap();
    serde_json::from_slice(&output.stdout).ok()
}

fn files() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let in_folder = |folder: &&str| std::fs::read_dir(samples.join(folder)).unwrap();
    let entries = FOLDERS.iter().flat_map(in_folder);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cl"));
    files.sort();
    files
}

/// Returns the parameter that provides the conditions of a kernel, if it has one.
fn input(head: &str) -> Option<&str> {
    let after = ["global const int *", "global int *", "global uint *"];
    let after = after.into_iter().find_map(|ty| Some(head.split_once(ty)?.1))?;
    after.split([',', ')']).next()
}

/// Returns the errors in a file, and how many of its kernels are defined, differ, or have a reason not to differ.
fn check(file: &Path) -> (Vec<String>, [usize; 3]) {
    let (mut wrong, mut counts) = (Vec::new(), [0; 3]);
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let Some(shown) = tangle(&["show", "--what", "tangles", "--format", "json", "--model", "tangles"], file)
    else {
        return (wrong, counts);
    };
    for function in shown["functions"].as_array().unwrap() {
        if function["kernel"] != true {
            continue;
        }
        let name = function["name"].as_str().unwrap();
        let calls = function["statements"].as_array().unwrap().iter().flat_map(|statement| {
            statement["convergent_calls"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|_| statement["reachable"] == true)
        });
        let is_free = calls.into_iter().any(|call| call["implementation_defined"] == true);
        let from = function["line"].as_u64().unwrap() as usize - 1;
        let options = ["simulate", "--function", name, "--policy", "all", "--strategy", "tangles"];
        let sizes = ["--local-size", "16", "--sub-group-size", "16", "--format", "json"];
        let differs = |arguments: &[&str]| {
            let executed = tangle(&[&options[..], &sizes, arguments].concat(), file)?;
            Some(executed["executions"].as_array()?.len() > 1)
        };
        let Some(mut differs_somewhere) = differs(&[]) else { continue };
        // Random numbers are rarely 0, so conditions that are read from memory are rarely false.
        if let Some(inputs) = input(lines[from]).filter(|_| is_free) {
            let mut random = Random::new(7);
            for most in [2, 2, 2, 2, 3, 4, 8, 16].repeat(5) {
                let numbers: Vec<String> = (0..64).map(|_| random.below(most).to_string()).collect();
                let argument = format!("{inputs}={}", numbers.join(","));
                differs_somewhere = differs_somewhere || differs(&["--arg", &argument]) == Some(true);
            }
        }
        let body = lines[from..].iter().take_while(|line| **line != "}");
        let reason = body.into_iter().any(|line| line.contains("// No two policies differ: "));
        match (is_free, differs_somewhere, reason) {
            (false, false, _) => counts[0] += 1,
            (true, true, false) => counts[1] += 1,
            (true, false, true) => counts[2] += 1,
            (false, true, _) => wrong.push(format!("{}: {name} is defined, and differs", file.display())),
            (true, false, false) => wrong.push(format!("{}: {name} never differs", file.display())),
            (true, true, true) => wrong.push(format!("{}: {name} differs despite comment", file.display())),
        }
    }
    (wrong, counts)
}

#[test]
fn policies_differ_for_samples_that_are_implementation_defined() {
    let results: Vec<(Vec<String>, [usize; 3])> =
        some_of(files()).par_iter().map(|file| check(file)).collect();
    let sum = |at: usize| results.iter().map(|(_, counts)| counts[at]).sum::<usize>();
    let (defined, differ, reasons) = (sum(0), sum(1), sum(2));
    println!("{defined} kernels are defined, {differ} differ, {reasons} have a reason");
    let wrong: Vec<&String> = results.iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!is_thorough() || defined > 20 && differ > 40, "{defined} {differ}");
}
