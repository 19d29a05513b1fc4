//! Kernels as they are in the wild, if they are on this machine: none is part of this repository.
//!
//! - hashcat: Debian's package `hashcat-data`, or the folder that `TANGLE_HASHCAT` names;
//! - darktable: Debian's package `darktable`, or the folder of kernels that `TANGLE_DARKTABLE` names;
//! - pyopencl: the folder of its `.cl` files that `TANGLE_PYOPENCL` names.
//!
//! A test whose kernels are not here says so and passes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a corpus, or a plain word that it is not here.
fn corpus(variable: &str, usual: &str, probe: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map_or_else(|| PathBuf::from(usual), PathBuf::from);
    if folder.join(probe).exists() {
        return Some(folder);
    }
    // Not through `eprintln!`, which the test runner swallows.
    let _ = writeln!(std::io::stderr(), "SKIPPED: no {probe} in `{}`; set {variable}", folder.display());
    None
}

/// Runs `tangle lint` in a folder and gives its findings, one a line, and its summary.
fn lint(folder: &Path, args: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(folder)
        .args(["lint", "--format", "short", "--fail-on", "never"])
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (findings, summary) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{summary}");
    (findings, summary)
}

fn assert_understood(findings: &str) {
    let bad = |line: &&str| line.contains("[syntax-error]") || line.contains("[missing-include]");
    let bad: Vec<&str> = findings.lines().filter(bad).take(20).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The macros that hashcat gives its kernels, one a line, but for the vector size.
const HASHCAT: &str = include_str!("hashcat.defines");

fn check_hashcat(vector_size: u32) {
    let Some(folder) = corpus("TANGLE_HASHCAT", "/usr/share/hashcat", "OpenCL/m00000_a0-pure.cl") else {
        return;
    };
    let mut kernels: Vec<String> = std::fs::read_dir(folder.join("OpenCL"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('m') && name.ends_with(".cl"))
        .map(|name| format!("OpenCL/{name}"))
        .collect();
    kernels.sort();
    let size = format!("VECT_SIZE={vector_size}");
    let mut args = vec!["-I", "OpenCL", "-D", &size];
    args.extend(HASHCAT.lines().flat_map(|define| ["-D", define]));
    args.extend(kernels.iter().map(String::as_str));
    let (findings, summary) = lint(&folder, &args);
    assert_understood(&findings);
    assert!(summary.contains(&format!("in {} files", kernels.len())), "{summary}");
}

#[test]
fn hashcat_is_understood_with_scalars() {
    check_hashcat(1);
}

#[test]
fn hashcat_is_understood_with_vectors_of_2() {
    check_hashcat(2);
}

#[test]
fn hashcat_is_understood_with_vectors_of_4() {
    check_hashcat(4);
}

#[test]
fn hashcat_is_understood_with_vectors_of_8() {
    check_hashcat(8);
}

#[test]
fn darktable_is_understood() {
    let usual = "/usr/share/darktable/kernels";
    let Some(folder) = corpus("TANGLE_DARKTABLE", usual, "basic.cl") else { return };
    let (findings, summary) = lint(&folder, &["-I", ".", "."]);
    assert_understood(&findings);
    assert!(summary.contains("in 36 files"), "{summary}");
}

#[test]
fn pyopencl_is_understood() {
    let Some(folder) = corpus("TANGLE_PYOPENCL", "pyopencl/cl", "pyopencl-bessel-j.cl") else { return };
    let (findings, _) = lint(&folder, &["-I", ".", "."]);
    assert_understood(&findings);
}
