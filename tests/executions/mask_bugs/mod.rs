//! Mended bugs of public projects with masks and warps (`README.md` lists them all): an execution shows the bug in the
//! minimal form before its fix, and none in the form after it.

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
