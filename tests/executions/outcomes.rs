//! `tangle simulate` confirms the findings of `tangle lint`: the samples of the rules about threads are executed.
//!
//! - A kernel with an **error** that threads do not reach an operation together has an execution with a deadlock, or
//!   one where only part of a group reaches the operation. If no execution shows it, a comment in the kernel gives the
//!   reason: `// No execution shows it: …`.
//! - A kernel in a file **without** such findings has no such execution.
//!
//! Executions are random: small numbers as arguments, several group sizes.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;
use tangle_referees::{is_thorough, some_of};
use tangle_simulate::Random;

/// The rules whose findings an execution may show as a deadlock.
const RULES: [&str; 11] = [
    "divergent-barrier",
    "divergent-grid-sync",
    "mismatched-barriers",
    "divergent-subgroup-operation",
    "divergent-collective-argument",
    "divergent-spin-lock",
    "unprotected-exit-flag",
    "full-mask-in-divergent-flow",
    "group-sync-outside-group",
    "wrong-mask-constant",
    "caller-not-in-mask",
];

/// The rules whose error is that part of a group does not reach an operation.
const UNREACHED: [&str; 8] = [
    "divergent-barrier",
    "divergent-grid-sync",
    "mismatched-barriers",
    "divergent-subgroup-operation",
    "full-mask-in-divergent-flow",
    "group-sync-outside-group",
    "wrong-mask-constant",
    "caller-not-in-mask",
];

/// The tested sizes of work-groups and sub-groups.
const SIZES: [&[&str]; 6] = [
    &["--local-size", "8", "--sub-group-size", "4"],
    &["--local-size", "16", "--sub-group-size", "16"],
    &["--local-size", "4,4", "--sub-group-size", "8"],
    &["--local-size", "64", "--sub-group-size", "8"],
    &["--local-size", "4,4,2", "--sub-group-size", "4"],
    &["--local-size", "130", "--sub-group-size", "32"],
];
/// The same for CUDA and HIP, where a row of a block consists of whole warps (`docs/cuda.md`).
const SIZES_IN_WARPS: [&[&str]; 4] = [
    &["--local-size", "64"],
    &["--local-size", "256"],
    &["--local-size", "32,8"],
    &["--local-size", "64,1,2"],
];

/// The tested sizes of blocks and grids for kernels that use the whole grid.
const SIZES_OF_GRIDS: [&[&str]; 2] =
    [&["--local-size", "32", "--groups", "2"], &["--local-size", "64", "--groups", "3"]];

/// The number of executions with each size, each with other arguments.
const SEEDS_OF_ERRORS: u32 = 16;

fn tangle(args: &[&str], file: &Path) -> Option<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).arg(file).output().unwrap();
    serde_json::from_slice(&output.stdout).ok()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false if path.extension().is_some_and(|it| it == "cl" || it == "cu" || it == "hip") => {
                found.push(path);
            }
            false => {}
        }
    }
}

/// A parameter that is a number or a pointer to numbers.
struct Parameter {
    name: String,
    points: bool,
}

impl Parameter {
    /// Returns an argument of small numbers, some of them negative.
    fn argument(&self, random: &mut Random) -> String {
        let most = [2, 3, 6, 70][random.below(4)];
        let less = random.below(2);
        let is_sparse = random.below(2) == 0;
        let mut number = || match is_sparse && random.below(8) > 0 {
            true => "0".to_owned(),
            false => (random.below(most) as i64 - less as i64).to_string(),
        };
        let numbers: Vec<String> = (0..if self.points { 256 } else { 1 }).map(|_| number()).collect();
        format!("{}={}", self.name, numbers.join(","))
    }
}

/// Returns the parameters of a kernel whose text begins with these lines.
fn parameters(name: &str, lines: &[&str]) -> Vec<Parameter> {
    let text = lines.iter().take(4).copied().collect::<Vec<_>>().join(" ");
    let (Some(end), Some(begin)) = (text.find(") {"), text.find(&format!("{name}("))) else {
        return Vec::new();
    };
    let Some(head) = text.get(begin..end).and_then(|head| Some(head.split_once('(')?.1)) else {
        return Vec::new();
    };
    let read = |declared: &str| {
        let name = declared.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        // Arguments do not set the contents of local memory.
        let is_local = declared.split_whitespace().any(|word| word.trim_start_matches('_') == "local");
        (!name.is_empty() && !is_local)
            .then(|| Parameter { name: name.to_owned(), points: declared.contains('*') })
    };
    head.split(',').filter_map(read).collect()
}

/// Returns whether an execution ended because threads did not reach an operation together.
fn unreached(report: &Value) -> bool {
    let by_part = report["reason"]
        .as_str()
        .is_some_and(|reason| reason.starts_with("only ") || reason.contains("does not name"));
    report["outcome"] == "deadlock" || report["outcome"] == "undefined" && by_part
}

/// The numbers of kernels of a file: with an error that an execution shows, with a stated reason, and without findings.
/// `wrong` describes the kernels that contradict their findings.
#[derive(Default)]
struct Checked {
    shown: usize,
    excused: usize,
    quiet: usize,
    wrong: Vec<String>,
}

fn check(file: &Path) -> Checked {
    let mut checked = Checked::default();
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let lint = ["lint", "--format", "json", "--fail-on", "never", "--only-active-branches"];
    let (Some(found), Some(shown)) =
        (tangle(&lint, file), tangle(&["show", "--what", "tangles", "--format", "json"], file))
    else {
        return checked;
    };
    let findings = found["findings"].as_array().unwrap();
    let is_silent = !findings.iter().any(|finding| RULES.iter().any(|rule| finding["rule"] == *rule))
        && !text.contains("tangle:");
    for function in shown["functions"].as_array().unwrap() {
        if function["kernel"] != true || function["block"] == true {
            continue;
        }
        let name = function["name"].as_str().unwrap();
        let is_error = findings.iter().any(|finding| {
            finding["severity"] == "error"
                && finding["function"] == name
                && UNREACHED.iter().any(|rule| finding["rule"] == *rule)
        });
        if !is_error && !is_silent {
            continue;
        }
        let run = |launch: &[&str]| {
            let options = ["simulate", "--function", name, "--format", "json", "--no-races"];
            tangle(&[&options[..], launch].concat(), file)
        };
        // If the source gives the sizes of the groups, they hold in every launch.
        let Some(first) = run(&[]) else { continue };
        let is_cpp = file.extension().is_some_and(|extension| extension != "cl");
        let is_known =
            first["local_size"] != serde_json::json!([8, 1, 1]) || !is_cpp && first["sub_group_size"] != 4;
        let sizes: &[&[&str]] = match is_known {
            true => &[&[]],
            false if text.contains("this_grid") => &SIZES_OF_GRIDS,
            // A function without indices of further dimensions runs in blocks of one (`docs/cuda.md`).
            false if is_cpp => &SIZES_IN_WARPS[..if text.contains(".y") { 4 } else { 2 }],
            false => &SIZES,
        };
        let from = function["line"].as_u64().unwrap() as usize - 1;
        let parameters = parameters(name, &lines[from..]);
        let body = lines[from..].iter().take_while(|line| !line.starts_with('}'));
        let reason = body.into_iter().any(|line| line.contains("// No execution shows it: "));
        let seeds = if is_error && !reason { SEEDS_OF_ERRORS } else { 1 };
        let sizes = sizes.iter().zip(0..);
        let mut launches =
            (0..seeds).flat_map(|seed| sizes.clone().map(move |(size, number)| (8 * number + seed, size)));
        let goes_wrong = |(seed, size): (u32, &&[&str])| {
            let mut random = Random::new(seed.into());
            let given = |parameter: &Parameter| parameter.argument(&mut random);
            // Only odd seeds use our own numbers. With even seeds, `tangle simulate` generates arguments, which fit
            // every type.
            let given: Vec<String> = parameters.iter().filter(|_| seed % 2 == 1).map(given).collect();
            let mut launch: Vec<&str> = size.to_vec();
            let policy = if is_error && seed % 4 < 2 { "must" } else { "early" };
            let seed = seed.to_string();
            launch.extend(["--seed", &seed, "--policy", policy]);
            launch.extend(given.iter().flat_map(|given| ["--arg", given]));
            run(&launch).is_some_and(|report| unreached(&report))
        };
        let is_shown = unreached(&first) || launches.any(goes_wrong);
        match (is_error, is_shown, reason) {
            (true, true, false) => checked.shown += 1,
            (true, false, true) => checked.excused += 1,
            (false, false, _) => checked.quiet += 1,
            (true, true, true) => {
                checked.wrong.push(format!("{}: {name} is shown despite its comment", file.display()))
            }
            (true, false, false) => {
                checked.wrong.push(format!("{}: {name}: no execution shows it", file.display()))
            }
            (false, true, _) => {
                checked.wrong.push(format!("{}: {name} goes wrong without a finding", file.display()))
            }
        }
    }
    checked
}

#[test]
fn sample_executions_confirm_lint_findings() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), &mut all);
    let all = some_of(all);
    let results: Vec<Checked> = all.par_iter().map(|file| check(file)).collect();
    let sum = |of: fn(&Checked) -> usize| results.iter().map(of).sum::<usize>();
    let (shown, excused, quiet) = (sum(|it| it.shown), sum(|it| it.excused), sum(|it| it.quiet));
    println!(
        "{shown} kernels with an error go wrong, {excused} have a reason not to, {quiet} without findings never do"
    );
    let wrong: Vec<&String> = results.iter().flat_map(|it| &it.wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!is_thorough() || shown > 50 && quiet > 100, "{shown} {quiet}");
}
