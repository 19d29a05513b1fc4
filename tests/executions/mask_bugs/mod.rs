//! Mended bugs of public projects with masks and warps (`README.md` lists them all): an execution shows the bug in the
//! minimal form before its fix, and none in the form after it. So does `lint`.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

/// The bugs whose violation an execution can show: the mask does not name its caller, or it names a thread that is
/// elsewhere. Each is launched with a block size for which its fix is right.
const SHOWN: [(u32, &str); 14] = [
    (1, "64"),
    (2, "64"),
    (3, "32"),
    (4, "16,2"),
    (5, "64"),
    (6, "32"),
    (7, "64"),
    (8, "64"),
    (14, "64"),
    (15, "64"),
    (16, "64"),
    (18, "64"),
    (19, "64"),
    (20, "64"),
];

/// The bugs whose race an execution shows, with the block size for which its fix is right.
const RACES: [(u32, &str); 20] = [
    (43, "32"),
    (44, "32"),
    (45, "32"),
    (46, "32"),
    (48, "32"),
    (49, "32"),
    (50, "32"),
    (52, "1,32"),
    (56, "1,32"),
    (57, "1,32"),
    (59, "32"),
    (61, "32"),
    (63, "32"),
    (64, "32"),
    (65, "32"),
    (66, "32"),
    (68, "32"),
    (69, "32"),
    (70, "32"),
    (74, "64"),
];

/// The bugs that `lint` finds before their fix, by rule.
const FOUND: [(&str, &[u32]); 11] = [
    ("wrong-mask-constant", &[1, 3, 5, 6]),
    ("caller-not-in-mask", &[7]),
    ("full-mask-in-divergent-flow", &[8, 14, 15, 16, 17, 18, 19, 20, 88]),
    ("activemask-as-mask", &[21, 22, 23, 24]),
    ("wave-width", &[31, 33, 34, 35, 36]),
    ("legacy-warp-intrinsic", &[30, 39, 40, 41, 42]),
    (
        "implicit-warp-synchronous",
        &[
            43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 68,
            69, 70, 73, 74,
        ],
    ),
    ("group-sync-outside-group", &[76]),
    ("divergent-barrier", &[82, 83]),
    ("divergent-grid-sync", &[77]),
    ("barrier-after-return", &[78, 79, 80, 81, 84]),
];

/// The found bugs with the same finding after their fix, and why.
const REMAINING: [(u32, &str); 7] = [
    (17, "the trip count is the maximum of the warp by shuffles, which is not known to be uniform"),
    (23, "the fix asks once, and one fixed lane still stores for all"),
    (30, "the fix uses the deprecated shuffle, too"),
    (47, "a read and a store of one step are not ordered"),
    (51, "only a vote is between the read and the store"),
    (58, "a read and a store of one step are not ordered"),
    (77, "the blocks make up for missing steps in another loop"),
];

/// The number of executions of each kernel, with other arguments.
const SEEDS: u32 = 4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/executions/mask_bugs")
}

/// Returns why a kernel breaks the rule of masks in one of several executions.
fn violation(form: &str, size: &str) -> Option<String> {
    let path = folder().join(form);
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, kernel) = text.split_once("__global__ void ").expect("a form has a kernel");
    let kernel = kernel.split('(').next().unwrap();
    (0..SEEDS).find_map(|seed| {
        let seed = seed.to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .args(["simulate", "--function", kernel, "--local-size", size, "--sub-group-size", "32"])
            .args(["--seed", &seed, "--no-races", "--format", "json"])
            .arg(&path)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{form}: {}", String::from_utf8_lossy(&output.stderr)));
        let reason = report["reason"].as_str().unwrap_or_default();
        (reason.contains("` names") || reason.contains("does not name")).then(|| reason.to_owned())
    })
}

#[test]
fn executions_show_mended_bugs_with_masks_before_their_fix_only() {
    let wrong: Vec<String> = SHOWN
        .par_iter()
        .flat_map(|&(number, size)| {
            let before = violation(&format!("{number:02}-before.cu"), size);
            let after = violation(&format!("{number:02}-after.cu"), size);
            let missed = before.is_none().then(|| format!("{number:02}: no execution shows the bug"));
            let remains = after.map(|reason| format!("{number:02}: after the fix, {reason}"));
            missed.into_iter().chain(remains).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether an execution of a kernel shows a race between two threads of a warp.
fn shows_race(path: &Path, kernel: &str, size: &str) -> bool {
    (0..SEEDS).any(|seed| {
        let seed = seed.to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .args(["simulate", "--function", kernel, "--local-size", size, "--sub-group-size", "32"])
            .args(["--seed", &seed, "--format", "json"])
            .arg(path)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}: {}", path.display(), String::from_utf8_lossy(&output.stderr)));
        report["races"].as_array().unwrap().iter().any(|race| {
            let accesses = race["accesses"].as_array().unwrap();
            let warp = |access: &Value| {
                (access["group"].as_u64(), access["thread"].as_u64().map(|thread| thread / 32))
            };
            let reads = accesses.iter().any(|access| access["access"] == "read");
            reads && accesses.iter().all(|access| warp(access) == warp(&accesses[0]))
        })
    })
}

#[test]
fn executions_show_mended_races_before_their_fix_only() {
    let wrong: Vec<String> = RACES
        .par_iter()
        .flat_map(|&(number, size)| {
            let shows = |state: &str| {
                let path = folder().join(format!("{number:02}-{state}.cu"));
                shows_race(&path, &kernels(&path)[0], size)
            };
            let missed = (!shows("before")).then(|| format!("{number:02}: no execution shows the race"));
            let remains = shows("after").then(|| format!("{number:02}: a race after the fix"));
            missed.into_iter().chain(remains).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each kernel of the samples of `implicit-warp-synchronous` that is bad has a race, and no other one has.
#[test]
fn executions_show_races_of_bad_samples_only() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/rules/implicit-warp-synchronous");
    let wrong: Vec<String> = [("bad.cu", true), ("fine.cu", false)]
        .into_par_iter()
        .flat_map(|(name, is_bad)| {
            let path = samples.join(name);
            let kernels = kernels(&path);
            assert!(kernels.len() >= 9, "{name} has {} kernels", kernels.len());
            kernels
                .into_par_iter()
                .filter(|kernel| ["32", "64"].iter().any(|size| shows_race(&path, kernel, size)) != is_bad)
                .map(|kernel| format!("{name}: {kernel}"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the names of the kernels of a file.
fn kernels(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let names = text.split("__global__ void ").skip(1);
    names.map(|rest| rest.split('(').next().unwrap().to_owned()).collect()
}

/// Returns the rules of the findings in a form, including possible ones.
fn rules(number: u32, state: &str) -> Vec<String> {
    let form = ["cu", "hip"].map(|kind| folder().join(format!("{number:02}-{state}.{kind}")));
    let form = form.into_iter().find(|path| path.exists()).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_tangle")).args(["lint", "--format", "json"]).arg(&form).output();
    let report: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let findings = report.as_array().or_else(|| report["findings"].as_array()).unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn lint_finds_mended_bugs_before_their_fix_only() {
    let listed: Vec<(u32, &str)> =
        FOUND.iter().flat_map(|&(rule, numbers)| numbers.iter().map(move |&number| (number, rule))).collect();
    let wrong: Vec<String> = listed
        .par_iter()
        .flat_map(|&(number, rule)| {
            let has = |state: &str| rules(number, state).iter().any(|it| it == rule);
            let remains = REMAINING.iter().any(|(known, _)| *known == number);
            let missed = (!has("before")).then(|| format!("{number:02}: no {rule} before the fix"));
            let is_after = has("after");
            let after =
                (is_after != remains).then(|| format!("{number:02}: {rule} after the fix: {is_after}"));
            missed.into_iter().chain(after).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// At least 25 bugs of at least twelve projects are listed, each with both forms, which have no syntax errors.
#[test]
fn listed_bugs_have_forms_that_can_be_read() {
    let list = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let rows: Vec<Vec<&str>> = list
        .lines()
        .map(|line| line.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|row| row.len() > 8 && row[1].parse::<u32>().is_ok())
        .collect();
    let mut projects: Vec<&str> = rows.iter().map(|row| row[2]).collect();
    projects.sort_unstable();
    projects.dedup();
    assert!(rows.len() >= 25 && projects.len() >= 12, "{} bugs of {} projects", rows.len(), projects.len());
    let unread: Vec<String> = rows
        .par_iter()
        .flat_map(|row| {
            let number = row[1];
            ["before", "after"].map(|state| {
                let form = ["cu", "hip"].map(|kind| folder().join(format!("{number}-{state}.{kind}")));
                let form = form.into_iter().find(|path| path.exists());
                let form = form.unwrap_or_else(|| panic!("{number}: no form {state} the fix"));
                let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
                    .args(["lint", "--format", "short", "--possible"])
                    .arg(&form)
                    .output()
                    .unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let is_unread = text.contains("[syntax-error]") || text.contains("[opaque-");
                is_unread.then(|| format!("{}: {text}", form.display()))
            })
        })
        .flatten()
        .collect();
    assert!(unread.is_empty(), "{unread:#?}");
}
